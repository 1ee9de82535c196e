"""Stack traces as runtimes print them: the places they name, from where the fault was outward.

Pure functions over text. Each runtime writes a frame on a line of its own, some with a second line
for the call or the source; what all of them say is a file, a line and mostly a function.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Frame", "Trace", "read_trace"]

_FILE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()'\"<>|*?,]*?[^\s:()'\"<>|*?,/\\]\.[A-Za-z]\w{0,9})"
_LINE = r"(?P<line>\d{1,7})"
_INNERMOST_LAST = (
    # Python; pytest: path:12: KeyError; IPython: path in name(
    re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d{1,7})(?:, in (?P<name>[\w<>.]+))?'),
    re.compile(rf"^\s*{_FILE}:{_LINE}\b"),
    re.compile(r"^\s*(?P<path>[~/.\w\-]+/[\w./\-]+\.\w{1,4}) in (?P<name>\w+)\("),
)
"""Those of traces that end where the fault was; the others begin there."""
_FRAMES = (
    _INNERMOST_LAST[0],
    # Java, Kotlin, Scala: at a.b.Class.method(File.java:12)
    re.compile(rf"^\s*at (?:[\w.@\-]+/)*(?P<name>[\w$.<>]+)\({_FILE}:{_LINE}\)"),
    # JavaScript: at name (path:12:3), at async path:12:3
    re.compile(
        r"^\s*at (?:async )?(?:new )?(?P<name>[\w$.<>#]+)(?: \[as \w+\])? "
        rf"\((?:file://)?{_FILE}:{_LINE}(?::\d+)?\)"
    ),
    re.compile(rf"^\s*at (?:async )?(?:file://)?{_FILE}:{_LINE}(?::\d+)?\s*$"),
    # C#: at A.B.C(String s) in C:\src\File.cs:line 12
    re.compile(r"^\s*at (?P<name>[\w.`<>+]+)\(.*\) in (?P<path>\S.*?):line (?P<line>\d{1,7})"),
    # PHP: #0 /src/File.php(12): A\B->call()
    re.compile(rf"^\s*#\d+ {_FILE}\({_LINE}\): (?:[\w\\]*(?:->|::))?(?P<name>\w+)\("),
    # Dart: #1  A.b (package:app/main.dart:10:5)
    re.compile(rf"^\s*#\d+\s+(?P<name>[\w.<>]+) \((?:package:)?{_FILE}:{_LINE}(?::\d+)?\)"),
    # gdb, sanitizers: #1 0x4f in name (args) at /src/file.c:12, #1 0x4f in name /src/file.c:12:3
    re.compile(
        rf"^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<name>[\w:~<>]+)\s?(?:\(.*\))?(?: at)? {_FILE}:{_LINE}"
    ),
    # Elixir: (app 1.0.0) lib/app/file.ex:12: App.Module.call/2
    re.compile(rf"^\s*\([\w\s.\-+]+\) {_FILE}:{_LINE}: (?:[\w.]+\.)?(?P<name>\w+[?!]?)/\d+"),
    # Ruby: from a/b.rb:12:in `call', a/b.rb:12:in 'A#call': message
    re.compile(
        rf"^\s*(?:from |\d+: from )?{_FILE}:{_LINE}:in "
        r"[`'](?:(?:block|rescue|ensure)[\w ()]* in )?(?:[\w:]+[#.])?(?P<name>[\w?!=]+)"
    ),
    # Lua: file.lua:12: in function 'name'
    re.compile(
        rf"^\s*{_FILE}:{_LINE}: in (?:function|method|field|upvalue) ?<?'?(?P<name>[\w.:]*)"
    ),
    # Rust's message and frames, Haskell's CallStack, Swift: ... at src/file.rs:12:5
    re.compile(rf"^.*?\b(?:at|panicked at|called at)(?: '.*',)? {_FILE}:{_LINE}(?::\d+)?"),
    re.compile(rf"^thread '.*' panicked at .*, {_FILE}:{_LINE}:\d+\s*$"),
    # PHP's message: in /src/File.php:12, in /src/File.php on line 12
    re.compile(rf"^.*\b(?:in|at) {_FILE}(?::| on line |:line ){_LINE}\s*$"),
    # Go: a tab, the path, and an offset
    re.compile(rf"^\s+{_FILE}:{_LINE}(?: \+0x[0-9a-f]+)?\s*$"),
    *_INNERMOST_LAST[1:],
)
_GO_CALL = re.compile(
    r"^(?:created by )?[\w./\-]+\.(?:\(\*?\w+\)\.)?(?P<name>[\w.]+)(?:\(.*\)| in .*)?$"
)
_NOISE = re.compile(
    r"^\s*(?:Traceback \(most recent|Stack ?trace|stack backtrace|goroutine \d|Backtrace|CallStack"
    r"|\d+:\s+(?:0x[0-9a-f]+ - )?[\w:<>{}$# ]+$|at \S|\.\.\. \d+ (?:more|common)|[~^\s]+$|note: )",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\.[A-Za-z]\w{0,9}(?:[:(]|\S{0,2},? (?:on )?line |:line |\S? in \w)")
"""What stands in every frame: a file and its line."""
_CAUSE = re.compile(r"^\s*Caused by:")
_INSTALLED = re.compile(r"^.*/(?:site|dist)-packages/")
_ROOT = re.compile(r"^//+")
MOST_LINES = 400
LONGEST_LINE = 500
"""Characters of a line that are read."""
MESSAGE_WORDS = 30
"""Words of what is no frame that a trace with nothing told around it has: its message."""


class Frame(NamedTuple):
    """A place that a trace names."""

    path: str
    """With forward slashes, as far as it was given."""
    line: int
    """1-based; 0 where none was given."""
    name: str
    """Of the function, with what it lies in where the trace says it; empty where it says none."""


class Trace(NamedTuple):
    """A text read as a trace."""

    frames: tuple[Frame, ...]
    """From the innermost out; none of a text that is no trace."""
    message: str
    """The lines that are no frames."""

    @property
    def is_all(self) -> bool:
        """Whether nothing is told around it."""
        return bool(self.frames) and len(self.message.split()) <= MESSAGE_WORDS


def read_trace(text: str) -> Trace:
    """The frames in a text, and its other lines. Never raises."""
    if not _MAYBE.search(text):
        return Trace((), text)
    causes: list[list[Frame]] = [[]]
    ending: list[Frame] = []
    message: list[str] = []
    before = ""
    quoting = False
    for whole in text.split("\n")[:MOST_LINES]:
        line = whole[:LONGEST_LINE]
        if not line.strip():
            continue
        if _CAUSE.match(line):
            causes.append([])
        match = next(filter(None, (frame.match(line) for frame in _FRAMES)), None)
        if match is not None:
            (ending if match.re in _INNERMOST_LAST else causes[-1]).append(_frame(match, before))
        elif not (quoting and line.startswith("    ")) and not _belongs(line):
            message.append(line)
        quoting = match is not None and match.re in _INNERMOST_LAST
        before = line
    outward = (frame for cause in reversed(causes) for frame in cause)
    return Trace((*reversed(ending), *outward), "\n".join(message))


def _belongs(line: str) -> bool:
    """Whether a line is a heading of a trace, the call above a frame of Go's, or the like."""
    return bool(_NOISE.match(line) or _GO_CALL.match(line))


def _frame(match: re.Match[str], before: str) -> Frame:
    groups = match.groupdict()
    path = _INSTALLED.sub("", groups["path"].replace("\\", "/").removeprefix("file://"))
    path = _ROOT.sub("/", path)
    name = groups.get("name") or ""
    if not name and (call := _GO_CALL.match(before)):
        name = call["name"]
    return Frame(path.removeprefix("./"), int(groups.get("line") or 0), name)
