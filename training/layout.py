"""Pairs by layout alone, without a grammar: a comment right above a definition, and its lines.

Sources are written with indentation that says what belongs together, in every language alike; so a
definition reaches to the next line that is indented no deeper. It costs a tenth of parsing, and
takes languages whose grammar has no node for a documented definition (`@doc` of Elixir, a Haskell
signature with its equations). `pairs.py` reads the eight older languages by their grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import pairs

EXTENSIONS = {
    ".rb": "ruby",
    ".php": "php",
    ".cs": "csharp",
    ".swift": "swift",
    ".ex": "elixir",
    ".exs": "elixir",
    ".scala": "scala",
    ".kt": "kotlin",
    ".hs": "haskell",
    ".lua": "lua",
    ".zig": "zig",
    ".sh": "bash",
    ".bash": "bash",
    ".zsh": "bash",
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "cpp",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".hpp": "cpp",
}

_HASH = re.compile(r"\s*#(?!!|\[|\{)")
_SLASHES = re.compile(r"\s*//")
_DASHES = re.compile(r"\s*--(?!\[\[)")
LINE_COMMENTS = {
    "ruby": _HASH,
    "bash": _HASH,
    "python": _HASH,
    "elixir": _HASH,
    "haskell": _DASHES,
    "lua": _DASHES,
    "php": re.compile(r"\s*(?://|#(?!\[))"),
}
BLOCKS = {
    "haskell": ("{-", "-}"),
    "lua": ("--[[", "]]"),
    "ruby": ("=begin", "=end"),
}
"""How a comment of several lines opens and closes; `/*` and `*/` elsewhere."""
NO_BLOCKS = frozenset({"python", "bash", "elixir", "zig"})

_WORDS = r"(?:[\w@]+(?:\([^()]*\))?\s+)*"
_TYPED = (  # public static Task<int> Name(…  |  void Name(…
    r"(?!(?:return|new|throw|if|else|for|foreach|while|switch|using|lock|case|await|yield|goto)\b)"
    r"(?:[\w@]+(?:[.:]\w+)*(?:<[^;{}()]*>)?[\[\]?*&]*\s+)+[*&]*"
    r"((?:[\w~]+::)*[\w~]+)\s*(?:<[^;{}()]*>)?\s*\([^;]*$"
)
_TYPES = rf"{_WORDS}(?:class|interface|struct|enum|record|trait|object|union)\s+(\w+)"
DEFINITIONS = {
    "ruby": r"(?:(?:private|protected|public|module_function)\s+)?def\s+(?:self\.)?(\w+[?!=]?)"
    r"|(?:class|module)\s+([\w:]+)|(?:attr_\w+|delegate|define_method|scope)\s*\(?:(\w+)",
    "php": r"(?:(?:abstract|final|public|protected|private|static|readonly)\s+)*"
    r"(?:function\s+&?(\w+)|(?:class|interface|trait|enum)\s+(\w+))",
    "csharp": rf"{_TYPES}|{_TYPED}|(?:(?:public|internal|protected|private|static|virtual|override"
    r"|abstract|sealed|readonly|required|new)\s+)+[\w<>\[\],.?\s]+?\s(\w+)\s*(?:\{|=>|$)",
    "java": rf"{_TYPES}|{_TYPED}",
    "swift": rf"{_WORDS}(?:func\s+([^\s(<]+)|(?:class|struct|enum|protocol|extension|actor)\s+"
    r"([\w.]+)|(init|subscript)\b|var\s+(\w+)[^=]*\{)",
    "kotlin": rf"{_WORDS}(?:fun\s+(?:<[^>]*>\s*)?(?:[\w<>?,\s*]+\.)?(\w+)\s*\("
    r"|(?:class|interface|object)\s+(\w+))",
    "scala": r"(?:@\w+\s+)*(?:\w+(?:\[\w+\])?\s+)*(?:def\s+([^\s(\[:=]+)"
    r"|(?:class|trait|object)\s+(\w+))",
    "haskell": r"([a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::|(?:data|newtype|class|type)\s+"
    r"(?:.*=>\s*)?(\w+)",
    "lua": r"(?:local\s+)?function\s+([\w.:]+)|(?:local\s+)?([\w.:]+)\s*=\s*(?:\w+\()?function\b",
    "zig": r"(?:(?:pub|export|inline|extern|noinline)\s+)*(?:fn\s+(\w+)"
    r"|const\s+(\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union|error)\b)",
    "bash": r"(?:function\s+)?([\w:.@+-]+)\s*\(\)|function\s+([\w:.@+-]+)",
    "elixir": r"(?:def|defp|defmacro|defmacrop|defguard|defdelegate)\s+([\w?!]+)"
    r"|(?:defmodule|defprotocol)\s+([\w.]+)",
    "python": r"(?:async\s+)?def\s+(\w+)|class\s+(\w+)",
    "javascript": r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)"
    r"|(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum|type)\s+(\w+)"
    r"|(?:export\s+)?(?:const|let|var)\s+(\w+)[^=]*=\s*(?:async\s*)?(?:\(|function|\w+\s*=>|<)"
    r"|[\w.]+\.(\w+)\s*=\s*(?:async\s+)?function"
    r"|(?!(?:if|for|while|switch|return|catch|function|await|new|else)\b)"
    r"(?:(?:public|private|protected|static|async|readonly|get|set|override|abstract)\s+)*"
    r"[*#]?(\w+)\s*(?:<[^>]*>)?\s*\([^;]*$",
    "go": r"func\s+(?:\([^)]*\)\s*)?(\w+)|type\s+(\w+)",
    "rust": r"(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|async|const|unsafe|extern(?:\s+\"C\")?)\s+)*"
    r"(?:fn\s+(\w+)|(?:struct|enum|trait|union|mod)\s+(\w+))|macro_rules!\s*(\w+)",
    "c": rf"(?:typedef\s+)?(?:struct|enum|union)\s+(\w+)\s*\{{|{_TYPED}",
    "cpp": r"(?:class|struct|enum(?:\s+class)?)\s+(?:[A-Z_]+\s+)?(\w+)[^;]*$|" + _TYPED,
}
DEFINITIONS["typescript"] = DEFINITIONS["javascript"]
_COMPILED = {name: re.compile(rf"\s*(?:{pattern})") for name, pattern in DEFINITIONS.items()}

CONTAINERS = re.compile(
    r"\s*(?:[\w@]+(?:\([^()]*\))?\s+)*(?:class|interface|struct|enum|record|trait|object|module|impl"
    r"|protocol|extension|actor|defmodule|defimpl|defprotocol|namespace)\b(?:<[^>]*>)?\s+([\w.:]+)"
)
"""A line that opens what definitions below it belong to."""
PASSED_OVER = re.compile(
    r"\s*(?:@(?!doc|moduledoc)\w|\[\w[^\]]*\]\s*$|#\[|#!\[|template\s*<|attr_|\)|\]|$)"
    r"|\s*(?:sig|pragma)\b"
)
"""Lines between a comment and what it describes: annotations, attributes, type signatures."""
CLOSING = re.compile(
    r"\s*(?:\}|end\b|\)|\]|\{|where\b|else|rescue|ensure|catch|finally|fi\b|done\b)"
)
MOST_BETWEEN = 8

_TAGS = re.compile(
    r"<(?:param|returns|remarks|exception|typeparam|example|value|seealso)\b"
    r"|(?:^|\n)\s*(?:-\s*(?:Parameters?|Returns|Throws|Note|Warning|Important|Complexity|SeeAlso)\b"
    r"|=end|=begin|:call-seq:|:nodoc:)"
)
_MARKERS = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//+[!<]?|#+|--+)?[ \t]?(?:[|^](?=\s))?[ \t]?", re.M
)
_ELIXIR_DOC = re.compile(r"\s*@(doc|moduledoc)\s+(?:~[sS])?(\"\"\"|\")(.*)")


@dataclass(slots=True)
class _Lines:
    """A file's lines and how deep each is indented; -1 for an empty one."""

    lines: list[str]
    depth: list[int]


def language_of(path: str) -> str | None:
    """The language of a path, by its extension."""
    if path.endswith((".d.ts", ".min.js")):
        return None
    return EXTENSIONS.get(PurePosixPath(path).suffix)


def pairs_of(path: str, text: str) -> Iterator[pairs.Pair]:
    """All pairs of a file, in order."""
    language = language_of(path)
    if language is None:
        return
    raw = text.expandtabs(4).splitlines()
    file = _Lines(raw, [len(line) - len(line.lstrip()) if line.strip() else -1 for line in raw])
    scopes: list[tuple[int, str]] = []
    for described, comment, at in _described(file, language):
        found = _COMPILED[language].match(file.lines[at])
        depth = file.depth[at]
        if found is None:
            continue
        name = next((group for group in found.groups() if group), "").split(".")[-1].split("::")[-1]
        _enter(scopes, file, described, at)
        query = _query(comment, name)
        end = _end(file, at, language, name)
        code = "\n".join(file.lines[at:end])[: pairs.MAX_CODE]
        if query and name and end - at > 1:
            scope = " ".join(owner for inside, owner in scopes if inside < depth)
            kind = "class" if CONTAINERS.match(file.lines[at]) else "function"
            yield pairs.Pair(query, name, scope[-80:], code, kind)


def _described(file: _Lines, language: str) -> Iterator[tuple[int, str, int]]:
    """Where the search began, a comment, and the number of the line that it stands above."""
    at, before, count = 0, 0, len(file.lines)
    while at < count:
        comment, after = _comment(file.lines, at, language)
        if not comment:
            at += 1
            continue
        if language == "python":  # a docstring: the definition stands above it
            head = at - 1
            while head > at - MOST_BETWEEN and head >= 0:
                if _COMPILED[language].match(file.lines[head]):
                    yield before, comment, head
                    before = head
                    break
                head -= 1
            at = after
            continue
        line = after
        while line < min(count, after + MOST_BETWEEN) and (
            PASSED_OVER.match(file.lines[line])
            or (language == "elixir" and not _COMPILED[language].match(file.lines[line]))
        ):
            if not file.lines[line].strip() and language != "elixir":
                break
            line += 1
        if line < count and file.lines[line].strip():
            yield before, comment, line
            before = line
        at = max(after, at + 1)


def _comment(lines: list[str], at: int, language: str) -> tuple[str, int]:
    """The comment that begins on a line, and the line after it; an empty one where none does."""
    line = lines[at]
    if language == "python":
        return _docstring(lines, at)
    if language == "elixir" and (found := _ELIXIR_DOC.match(line)):
        if found[1] == "moduledoc":
            return "", at + 1
        if found[2] == '"':
            return found[3].rstrip('" '), at + 1
        end = at + 1
        while end < len(lines) and '"""' not in lines[end]:
            end += 1
        return "\n".join(lines[at + 1 : end]), end + 1
    marker = LINE_COMMENTS.get(language, _SLASHES)
    end = at
    while end < len(lines) and marker.match(lines[end]):
        end += 1
    if end > at:
        return "\n".join(lines[at:end]), end
    opening, closing = BLOCKS.get(language, ("/*", "*/"))
    if language in NO_BLOCKS or not line.lstrip().startswith(opening):
        return "", at + 1
    while end < len(lines) and closing not in lines[end]:
        end += 1
    text = "\n".join(lines[at : end + 1]).strip().removeprefix(opening).removesuffix(closing)
    return text, end + 1


def _docstring(lines: list[str], at: int) -> tuple[str, int]:
    text = lines[at].strip().lstrip("rRuU")
    quotes = text[:3]
    if quotes not in ('"""', "'''"):
        return "", at + 1
    if text.count(quotes) >= 2:
        return text[3:].split(quotes)[0], at + 1
    end = at + 1
    while end < len(lines) and quotes not in lines[end]:
        end += 1
    inside = [text[3:], *(line.strip() for line in lines[at + 1 : end])]
    return "\n".join(inside), end + 1


def _query(comment: str, name: str) -> str:
    """A comment's first paragraph in plain words, without the name that it may begin with."""
    text = _MARKERS.sub("", comment)
    tag = _TAGS.search(text)
    if tag:
        text = text[: tag.start()]
    text = re.split(r"\n[ \t]*\n", text.strip(), maxsplit=1)[0]
    text = re.sub(r"<see\w*\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/>", r"\1", text)
    return pairs.without_name(pairs.clean(text), name)


def _enter(scopes: list[tuple[int, str]], file: _Lines, start: int, at: int) -> None:
    """Keep the containers that the line `at` lies in, from lines since `start`."""
    for number in range(start, at):
        depth = file.depth[number]
        if depth < 0:
            continue
        found = CONTAINERS.match(file.lines[number])
        if found:
            while scopes and scopes[-1][0] >= depth:
                scopes.pop()
            scopes.append((depth, found[1].strip(":").split(".")[-1]))
    while scopes and scopes[-1][0] >= file.depth[at]:
        scopes.pop()


def _end(file: _Lines, at: int, language: str, name: str) -> int:
    """The line after a definition: what is indented deeper, and the line that closes it."""
    depth, count, line = file.depth[at], len(file.lines), at + 1
    while line < count:
        here = file.depth[line]
        if here >= 0 and here <= depth:
            if language == "haskell":
                if not re.match(rf"\s*(?:{re.escape(name)}\b|[({{|=])", file.lines[line]):
                    break
            elif not CLOSING.match(file.lines[line]):
                break
            elif re.match(r"\s*(?:\}|end\b)", file.lines[line]):
                return line + 1
        line += 1
    while line > at + 1 and file.depth[line - 1] < 0:
        line -= 1
    if language == "python":
        line = min(line, at + 120)
    return line
