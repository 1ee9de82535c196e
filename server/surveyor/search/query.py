"""What a person meant by the text they typed: a name, a place, an error, a piece of code, prose.

Owns `understand`, which never fails and treats every character as data: there is no query syntax.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from surveyor.embedding.tokens import STOP_WORDS, join_words, raw_words, split_words, stem
from surveyor.protocol.enumerations import FileLabel
from surveyor.search.glossary import english
from surveyor.search.issue_text import MOST_FRAMES, IssuePlace, is_issue, read_issue
from surveyor.search.stack_trace import Trace, read_trace

__all__ = ["Kind", "Query", "SymbolName", "understand"]

Kind = Literal["empty", "symbol", "location", "error", "literal", "code", "issue", "words"]

MAX_QUERY = 4_000
"""Characters that are read; the rest of a longer text would change nothing that is found."""
MAX_ISSUE = 20_000
"""The same of an issue, whose trace may stand at its end."""

MAX_SYMBOLS = 8
"""Names looked up for one query."""

INNER_FRAMES, OUTER_NAME = 3, 0.5
"""Frames of a trace, from the innermost, whose functions are looked up, and what the names of all
but the first count."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
"""All but line breaks and tabs."""
_IDENTIFIER = r"[^\W\d][\w$]*[!?]?"
_SEPARATOR = r"(?:::|->|\\|\.|#|/)"
_OPERATOR = r"(?:\[\]=?|<=>|={2,3}|=~|<<)"
"""A method of Ruby's that is called so (`Task.[]`), where a class stands before it."""
_SYMBOL = re.compile(
    rf"^[@$#&*]?{_IDENTIFIER}(?:{_SEPARATOR}{_IDENTIFIER})*(?:(?:::|\.|#){_OPERATOR})?(?:\(\))?[;:,]?$"
)
_SPLIT_SYMBOL = re.compile(r"::|->|\\|\.|#|/")
_EMBEDDED = re.compile(
    rf"`([^`\s]{{2,80}})`"  # named in back ticks
    rf"|\b({_IDENTIFIER}(?:(?:::|->|\.){_IDENTIFIER})*)\(\)"  # called
    rf"|\b({_IDENTIFIER}(?:(?:::|->|\.){_IDENTIFIER})+)"  # qualified
    r"|\b(_*[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+)\b"  # snake_case
    r"|\b([a-z]+[A-Z][A-Za-z0-9]*|[A-Z][A-Z0-9]*[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*"  # camelCase
    r"|[A-Z]{2,}[a-z]{3}[A-Za-z0-9]*)\b"  # HTTPServer
)
_PATH_CHARS = r"[\w.@+~\-]"
_LOCATIONS = (
    # Python: File "a/b.py", line 12, in name
    re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?'),
    # Java, Kotlin, Scala: at a.b.Class.method(File.java:12)
    re.compile(r"at (?P<name>[\w$.<>/]+)\((?P<path>[\w$\-]+\.\w+):(?P<line>\d+)\)"),
    # JavaScript: at name (path:12:3)
    re.compile(r"at (?:async )?(?P<name>[\w$.<>]+) \((?P<path>[^()\n]+?):(?P<line>\d+)(?::\d+)?\)"),
    # MSVC, C#: path(12) or "in path:line 12"
    re.compile(r"in (?P<path>\S+):line (?P<line>\d+)"),
    # Go, Rust, gcc, grep: path:12[:3]
    re.compile(
        # From where a path begins: every later place in it would lead to the same end.
        rf"(?<!{_PATH_CHARS})(?<!{_PATH_CHARS}[/\\])"
        rf"(?P<path>(?:[A-Za-z]:)?[/\\]?(?:{_PATH_CHARS}+[/\\])*{_PATH_CHARS}*\.[A-Za-z]\w{{0,9}})"
        r"(?::|#L|\(|,? (?:on )?line )(?P<line>\d+)"
    ),
)
_PATH_ONLY = re.compile(
    rf"^\.?/?(?:{_PATH_CHARS}+/)*{_PATH_CHARS}+\.(?:[a-z]\w{{0,3}}|ipynb|proto|java|scala|swift)$"
)
_QUOTED = re.compile(r"\"([^\"\n]{3,200})\"|(?<!\w)'([^'\n]{3,200})'(?!\w)|“([^”\n]{3,200})”")
_QUOTATION = re.compile(
    r"^(?:\"((?:[^\"\\\n]|\\.)+)\"|'((?:[^'\\\n]|\\.)+)'|`([^`\n]+)`|“([^”\n]+)”)$"
)
"""A query that is a quotation and nothing else, of any length."""
_ERROR = re.compile(
    r"^(?:[\w.$:]*(?:Error|Exception|Warning|Panic|Fault)\b.*"
    r"|(?:error|fatal|panic|warning|uncaught|unhandled|traceback|thread '[^']*' panicked)\b"
    r".*[:'\"].*"
    r"|.*\b(?:E[A-Z]{4,}|TS\d{4}|E\d{4}|C\d{4})\b.*:.*)",
    re.IGNORECASE | re.DOTALL,
)
_PLACEHOLDER = re.compile(r"%[+\-#]?[sdvqwrfxi]\b|[#$]?\{\w*\}")
"""What stands in the source of a message for a value."""
_CODE = re.compile(
    r"[{};]\s*$|=>|:=|==|!=|&&|\|\||\w\s*=\s*\S|^\s*(?:def|class|func|function|fn|public|private|static"
    r"|import|from|const|let|var|return|if|for|while|#include|struct|enum|type|interface)\b.*[({:=<;]"
    r"|\w\([^)]*\)\s*[{.;:]|\)\s*->|^\s*@\w+\(",
    re.MULTILINE,
)
_WANTS: dict[str, FileLabel] = {
    **dict.fromkeys(("test", "tests", "tested", "testing", "unittest", "spec", "specs"), "tests"),
    **dict.fromkeys(("fixture", "fixtures", "mock", "mocks", "testcase", "testcases"), "tests"),
    **dict.fromkeys(("doc", "docs", "documentation", "readme", "guide", "tutorial"), "docs"),
    **dict.fromkeys(("changelog", "contributing", "manual"), "docs"),
    **dict.fromkeys(("example", "examples", "sample", "samples", "demo", "demos"), "examples"),
    **dict.fromkeys(("benchmark", "benchmarks", "bench"), "examples"),
    **dict.fromkeys(("config", "configuration", "yaml", "toml", "ci", "workflow"), "config"),
    **dict.fromkeys(("vendor", "vendored", "third", "bundled"), "vendored"),
    **dict.fromkeys(("generated", "protobuf", "codegen"), "generated"),
    **dict.fromkeys(("declaration", "declarations", "typings", "stub", "stubs"), "types"),
    **dict.fromkeys(("legacy", "compat", "deprecated", "compatibility"), "legacy"),
}
"""Words that ask for files that are otherwise ranked down."""

_TEST_TOOL = (
    r"(?!\s+(?:\w+(?:er|or)s?|clients?|requests?|doubles?|frameworks?|utilities|sessions?)\b)"
)
"""What follows where a test is what a program offers, runs or helps to write."""
_TEST_SUBJECT = re.compile(
    rf"^(?:tests?|specs?|unit tests?)\b{_TEST_TOOL}"
    r"|\btests? (?:for|of|that|covering|case|cases|suite|fixtures?)\b"
    r"|\b(?:unit|integration|regression|e2e) tests?\b|\b(?:is|are|how) .*\btested\b"
    r"|\b(?:fixtures?|test ?cases?|specs?) (?:for|of)\b|^test_\w+|\btests$",
    re.IGNORECASE,
)
"""Prose about tests as such; "test client", "test runner" or "run test files" is about what the
product does."""


@dataclass(frozen=True, slots=True)
class SymbolName:
    """A name that the query mentions as a name."""

    name: str
    """The last component, as written."""
    container: str = ""
    """The component before it: the class of `Class.method`, the module of `module::fn`."""
    weight: float = 1.0
    """1 where the query is the name, less where prose mentions it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query, split into its words, names, path and quotations."""

    text: str
    """What was typed, normalised (NFC, no control characters) and cut to `MAX_QUERY`."""
    kind: Kind
    searched: str = ""
    """What is looked for by meaning: the text, or its technical words in English."""
    words: tuple[str, ...] = ()
    """Distinct telling words: identifiers split, lower case, stemmed, no stop words."""
    symbols: tuple[SymbolName, ...] = ()
    path: str = ""
    """A file that the query names, with forward slashes, as far as it was given."""
    line: int = 0
    """1-based; 0 where none was given."""
    quoted: tuple[str, ...] = ()
    """Literals in quotes, or the whole query where it is one."""
    wants: frozenset[FileLabel] = frozenset()
    """Kinds of files asked for, which are then not ranked down."""
    places: tuple[IssuePlace, ...] = ()
    """Files that the query, an issue or the frames of a trace name."""
    said_in_issue: str = ""
    """What of an issue or a trace is looked for by its words."""

    @property
    def keywords(self) -> str:
        """What is looked for by its words: also those of another language, as comments use them."""
        if self.said_in_issue:
            return self.said_in_issue
        return self.text if self.searched == self.text else f"{self.text} {self.searched}"

    @property
    def is_symbol_like(self) -> bool:
        """Whether exact words matter more than meaning."""
        return self.kind in ("symbol", "location", "error", "literal")


def no_file_name(_: str) -> bool:
    """What decides where nobody knows how files are called."""
    return False


def understand(text: str, is_file_name: Callable[[str], bool] = no_file_name) -> Query:
    """Take a query apart. Never raises; the empty query has kind `empty`.

    `is_file_name` tells `router.py` and `index.d.ts`, which are files, from `Router.use` and
    `os.path`, which are names.
    """
    whole = _normalise(text, MAX_ISSUE)
    trace = read_trace(whole)
    if trace.is_all:
        return _of_trace(whole[:MAX_QUERY].strip(), trace)
    if is_issue(whole):
        return _of_issue(whole, trace, is_file_name)
    text = whole[:MAX_QUERY].strip()
    quotation = _quotation(text)
    if not any(character.isalnum() for character in text):
        return _of_signs(text, quotation)
    location = _location(text, is_file_name)
    quoted = (quotation,) if quotation else _quoted(text)
    kind = _kind(text, location is not None, quoted)
    if kind == "words" and _is_one_token(text):
        kind, quoted = "literal", (text,)
    if kind == "symbol" and not text.isascii() and english(text):
        kind = "words"  # a question in a script that is written without spaces
    path, line, named = location or ("", 0, "")
    symbols = _symbols(text.replace(path, " ") if path else text, kind, named)
    searched = (english(text) if kind == "words" else "") or text
    return Query(
        text=text,
        kind=kind,
        searched=searched,
        words=_words(searched, path if kind == "location" else ""),
        symbols=symbols,
        path=path,
        line=line,
        quoted=quoted,
        wants=_wants(searched, kind, path),
        places=(IssuePlace(path, line, 1.0),) if path else (),
    )


def _is_one_token(text: str) -> bool:
    """Whether it is typed without a space, and no question in a script that is written so: it is
    looked for as it is (`tls-client-policy`, `--dry-run`, `text/html`)."""
    return (
        not any(char.isspace() for char in text)
        and (len(text) == 1 or sum(char.isalnum() or char == "_" for char in text) > 1)
        and not text.endswith("?")
        and not english(text)
    )


def _of_signs(text: str, quotation: str) -> Query:
    """A query without a letter or digit: an operator is looked for as it stands, else nothing."""
    sought = quotation or ("" if any(map(str.isspace, text)) else text)
    if not sought:
        return Query(text=text, kind="empty", searched=text)
    return Query(text=text, kind="literal", searched=text, quoted=(sought,))


def _of_issue(text: str, trace: Trace, is_file_name: Callable[[str], bool]) -> Query:
    issue = read_issue(text, trace.frames, is_file_name)
    named = (_symbol_name(name, weight) for name, weight in issue.names)
    symbols = {symbol.name: symbol for symbol in reversed([each for each in named if each])}
    return Query(
        text=text,
        kind="issue",
        searched=issue.meaning,
        words=_words(issue.meaning, ""),
        symbols=tuple(sorted(symbols.values(), key=lambda symbol: -symbol.weight)),
        quoted=issue.messages,
        places=issue.places,
        said_in_issue=issue.keywords,
    )


def _of_trace(text: str, trace: Trace) -> Query:
    """A trace with nothing told around it: its places from where the fault was outward."""
    frames = trace.frames[:MOST_FRAMES]
    inner = [frame.name for frame in frames[:INNER_FRAMES]]
    symbols: dict[str, SymbolName] = {}
    for position, name in enumerate(inner):
        symbol = _symbol_name(name, OUTER_NAME if position else 1.0)
        if symbol is not None:
            symbols.setdefault(symbol.name, symbol)
    stem_of_path = frames[0].path.rpartition("/")[2].partition(".")[0]
    searched = " ".join(filter(None, (trace.message, *inner, stem_of_path)))
    return Query(
        text=text,
        kind="location",
        searched=searched,
        words=_words(searched, ""),
        symbols=tuple(symbols.values()),
        path=frames[0].path,
        line=frames[0].line,
        quoted=_quoted(trace.message),
        wants=_wants("", "location", ""),
        places=tuple(
            IssuePlace(frame.path, frame.line, 1.0, depth) for depth, frame in enumerate(frames, 1)
        ),
        said_in_issue=searched,
    )


def _quotation(text: str) -> str:
    """What stands in the quotes that a query stands in; empty where it does not."""
    match = _QUOTATION.match(text)
    return next(filter(None, match.groups())).strip() if match else ""


def _quoted(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, groups)) for groups in _QUOTED.findall(text))[:4]


def _normalise(text: str, most: int) -> str:
    text = unicodedata.normalize("NFC", text[: 2 * most])[:most].replace("\r\n", "\n")
    return _CONTROL.sub(" ", text).strip()


def _location(text: str, is_file_name: Callable[[str], bool]) -> tuple[str, int, str] | None:
    """The innermost place that a trace names: path, line (0 if none) and function (or empty)."""
    for pattern in _LOCATIONS:
        found = list(pattern.finditer(text))
        if found:
            # Python prints the innermost call last, the others first.
            match = found[-1] if pattern is _LOCATIONS[0] else found[0]
            groups = match.groupdict()
            path = groups["path"].replace("\\", "/").removeprefix("file://")
            return path, int(groups["line"][:9]), groups.get("name") or ""
    if _PATH_ONLY.match(text) and ("/" in text or is_file_name(text)):
        return text.removeprefix("./"), 0, ""
    return None


def _kind(text: str, located: bool, quoted: tuple[str, ...]) -> Kind:
    if located:
        return "location"
    if _SYMBOL.match(text) and " " not in text:
        return "symbol"
    if quoted and len(quoted) == 1 and len(quoted[0]) >= len(text) - 4:
        return "literal"
    if _ERROR.match(text):
        return "error"
    if "\n" not in text and text.count(" ") > 1 and _PLACEHOLDER.search(text):
        return "error"
    if _CODE.search(text) and not text.endswith("?"):
        return "code"
    return "words"


def _symbols(text: str, kind: Kind, named: str) -> tuple[SymbolName, ...]:
    found: dict[str, SymbolName] = {}

    def add(written: str, weight: float) -> None:
        symbol = _symbol_name(written, weight)
        if symbol is not None and len(found) < MAX_SYMBOLS:
            found.setdefault(symbol.name, symbol)

    if named and not named.startswith("<"):
        add(named, 1.0)
    if kind == "symbol":
        add(text, 1.0)
    elif kind == "literal":
        add(text.strip("\"'“”`"), 1.0)
    # A type with its arguments is looked for as it is, and names a type.
    if kind not in ("symbol", "literal") or (not found and " " not in text):
        for groups in _EMBEDDED.findall(text):
            add(next(filter(None, groups)), 0.5)
    return tuple(found.values())


def _symbol_name(written: str, weight: float) -> SymbolName | None:
    written = written.strip("@$#&*;:,()`'\"")
    parts = [part for part in _SPLIT_SYMBOL.split(written) if part]
    if not parts or " " in written or not re.fullmatch(f"{_IDENTIFIER}|{_OPERATOR}", parts[-1]):
        return None
    container = parts[-2] if len(parts) > 1 else ""
    return SymbolName(parts[-1], container, weight)


def _words(text: str, path: str) -> tuple[str, ...]:
    if path:
        text = re.sub(r"\b(?:File|line|at|in)\b|\d+", " ", text.replace(path, " "))
        text = f"{text} {path.rsplit('/', 1)[-1].split('.', 1)[0]}"
    found: dict[str, None] = {}
    for word in raw_words(text):
        for part in split_words(word):
            if part not in STOP_WORDS and (len(part) > 1 or not part.isascii()):
                found.setdefault(stem(part))
    return tuple(found)[:64]


def _wants(text: str, kind: Kind, path: str) -> frozenset[FileLabel]:
    if kind == "location":
        return frozenset(_WANTS.values())
    wants = {_WANTS[word] for word in map(str.lower, raw_words(text)) if word in _WANTS}
    if "tests" in wants and kind == "words" and not _TEST_SUBJECT.search(text):
        wants.discard("tests")
    if kind == "symbol":
        joined = join_words(text)
        wants = {"tests"} if joined.startswith("test") or joined.endswith("test") else set()
    return frozenset(wants)
