"""Rust's macros that are handed whole items: `cfg_rt! { pub mod task; }`, `pin_project! { … }`.

To the grammar what they hold is no syntax. Their name and brackets are blanked, every byte keeps
its place. So is what a macro without parameters stands for, if that is items: `macro_rules! root {
() => { pub use core::ser; } }` is read as an empty macro and the items behind it; and the branches
of `cfg_if! { if #[cfg(unix)] { … } else { … } }` are read one after the other. What `proptest!`
draws an argument from (`x in 0..9`) is blanked behind the argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["GRAMMARS", "invocations", "opened"]

GRAMMARS = frozenset({"rust"})
_OPENING = re.compile(
    rb"^[ \t]*((?!macro_rules)\w+(?:::\w+)*![ \t]*\{)"
    rb"(?=\s*(?:(?://[^\n]*\n|#!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\s*)*"
    rb"(?:pub\b|struct\b|enum\b|union\b|impl\b|fn\b|mod\b|use\b|const\b|static\b|trait\b|type\b"
    rb"|unsafe\b|async\s+fn\b|extern\b))",
    re.MULTILINE,
)
"""A macro that begins a line and whose brackets begin with an item."""
_DEFINED = re.compile(
    rb"^[ \t]*macro_rules![ \t]*\w+[ \t]*(\{)\s*\(\s*\)\s*=>\s*(\{)(?=\s\s)"
    rb"(?=\s*(?:(?://[^\n]*\n|#!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\s*)*"
    rb"(?:pub\b|struct\b|enum\b|impl\b|fn\b|mod\b|use\b|trait\b|type\b|unsafe\b|extern\b))",
    re.MULTILINE,
)
"""A macro of one rule without parameters that stands for items."""
_CHOICE = re.compile(rb"^[ \t]*(?:cfg_if::)?cfg_if![ \t]*\{", re.MULTILINE)
_BRANCH = re.compile(
    rb"\s*((?:else\s+)?if\s*#\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*\{|else\s*\{)", re.DOTALL
)
_TOKEN = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|r(#+)\".*?\"\1|'(?:[^'\\\n]|\\[^\n]{1,10})'|[{}]",
    re.DOTALL,
)


_TESTED = re.compile(rb"proptest!\s*\{\Z")
_DRAWING = re.compile(rb"\bfn\s+\w+\s*\(")
_DRAWN = re.compile(
    rb"//[^\n]*|\"(?:[^\"\\]|\\.)*\"|r(#+)\".*?\"\1|'(?:[^'\\\n]|\\[^\n]{1,10})'|[()\[\]{},]|\bin\b",
    re.DOTALL,
)
_NAME = re.compile(rb"(?<![\w.\"'])(?:(\w+(?:::\w+)*)::)?([A-Za-z_]\w*)\b(?!::\w)")


def opened(data: bytes) -> bytes:
    """The source with what such macros hold as if it stood by itself; the same without any."""
    if b"! {" not in data and b"!{" not in data and b"macro_rules!" not in data:
        return data
    found = _defined(data)
    for match in _OPENING.finditer(data):
        end = _closing(data, match.end(1))
        if end < 0:
            continue
        if found is None:
            found = bytearray(data)
        found[match.start(1) : match.end(1)] = b" " * len(match[1])
        found[end : end + 1] = b" "
        for start, stop in _strategies(data, match, end):
            found[start:stop] = re.sub(rb"[^\n]", b" ", data[start:stop])
            found[start : start + 3] = b":()"
    if b"cfg_if!" in data:
        found = _chosen(data, found)
    return data if found is None else bytes(found)


def _strategies(data: bytes, macro: re.Match[bytes], end: int) -> Iterator[tuple[int, int]]:
    """Where the functions in a `proptest!` say what their arguments are drawn from."""
    if not _TESTED.search(macro[1]):
        return
    for function in _DRAWING.finditer(data, macro.end(1), end):
        depth, start = 1, -1
        for token in _DRAWN.finditer(data, function.end(), end):
            text = token[0]
            depth += (text in b"([{") - (text in b")]}")
            if text == b"in" and depth == 1:
                start = token.start()
            elif start >= 0 and (depth == 0 or (text == b"," and depth == 1)):
                yield start, token.start()
                start = -1
            if depth == 0:
                break


def _chosen(data: bytes, found: bytearray | None) -> bytearray | None:
    """The source with the branches of `cfg_if!` as if each stood by itself."""
    for choice in _CHOICE.finditer(data):
        spans = [choice.span()]
        end = choice.end()
        while (branch := _BRANCH.match(data, end)) is not None:
            close = _closing(data, branch.end())
            if close < 0:
                break
            end = close + 1
            spans += [branch.span(1), (close, end)]
        last = _closing(data, choice.end())
        if len(spans) < 2 or last < 0 or data[end:last].strip():
            continue
        found = found if found is not None else bytearray(data)
        for start, stop in (*spans, (last, last + 1)):
            found[start:stop] = re.sub(rb"[^\n]", b" ", data[start:stop])
    return found


def invocations(data: bytes, read: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Where the name of a macro stands whose items were read as if by themselves, and the path
    before it."""
    for match in _OPENING.finditer(data):
        start, end = match.span(1)
        if read[start:end].isspace():
            path, _, name = match[1][: match[1].index(b"!")].rpartition(b"::")
            first = start + (len(path) + 2 if path else 0)
            yield first, first + len(name), path
        end = _closing(data, match.end(1)) if _TESTED.search(match[1]) else -1
        for drawn in _strategies(data, match, end):
            for named in _NAME.finditer(data, drawn[0] + len(b"in"), drawn[1]):
                yield *named.span(2), named[1] or b""


def _defined(data: bytes) -> bytearray | None:
    """The source with the items that macros without parameters stand for behind these."""
    found: bytearray | None = None
    for match in _DEFINED.finditer(data):
        rule, whole = _closing(data, match.end(2)), _closing(data, match.end(1))
        if rule < 0 or whole < 0 or data[rule + 1 : whole].strip() not in (b"", b";"):
            continue
        if found is None:
            found = bytearray(data)
        found[match.end(2) : match.end(2) + 2] = b"}}"
        for index in range(rule, whole + 1):
            if data[index : index + 1] != b"\n":
                found[index : index + 1] = b" "
    return found


def _closing(data: bytes, start: int) -> int:
    """Where the bracket is closed that ends before a place; -1 where it never is."""
    depth = 1
    for match in _TOKEN.finditer(data, start):
        token = match[0]
        if token == b"{":
            depth += 1
        elif token == b"}":
            depth -= 1
            if not depth:
                return match.start()
    return -1
