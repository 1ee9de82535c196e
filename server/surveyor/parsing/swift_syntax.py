"""Right Swift that the grammar cannot read, written so that it can; nothing moves."""

from __future__ import annotations

import re

__all__ = ["repaired"]

_STRING = re.compile(rb"\"(?:[^\"\\\n]|\\.)*+\"")
_COMMENT_MARK = re.compile(rb"/\*|\*/|//")
_PLACE = re.compile(rb"#(?=(?:_sourceLocation|isolation)\b)")
"""Macros that stand for where they are: `at: SourceLocation = #_sourceLocation`."""
_CONDITION = re.compile(rb"^[ \t]*+#(?:if|elseif|else|endif)\b[^\n]*+", re.MULTILINE)
"""The grammar knows them outside of types only. All branches are read."""
_DO_THROWING = re.compile(rb"(?<=\bdo)([ \t]++throws[ \t]*+\([\w.]++\))(?=[ \t]*+\{)")
_THROWN = re.compile(rb"(?<=\bthrows)(\([ \t]*+[\w.]++[ \t]*+\))")
"""`throws(OpenError)`."""
_GETTING = re.compile(rb"(?<=\bget)([ \t]++(?:async[ \t]++throws|async|throws)\b)(?=[ \t]*+\{)")
_OWNERSHIP = re.compile(rb"(?<![\w.])(?:consume|sending|isolated(?=[ \t]*+\())(?=[ \t]++[\w(\[])")
_ISOLATED_BUT = re.compile(rb"(?<=\bnonisolated)\((?:unsafe|nonsending)\)")
_UNSAFE = re.compile(rb"(?<![\w.])unsafe(?=[ \t]++[\w.])|(?<=\bfor )try(?=[ \t]++await\b)")
"""`unsafe free(pointer)`, `for try await line in lines`."""
_CLOSURE = re.compile(
    rb"(\{[ \t]*+(?:\[[^\]\n]*+\][ \t]*+)?+\w++)([ \t]++(?:async[ \t]++throws|async|throws))"
    rb"(?=[ \t]*+(?:->|in\b))"
)
"""`{ request async throws -> Answer in`."""
_WRAPPER = re.compile(rb"@[A-Z]\w*+\(\)(?=\s)")
"""`@Argument() var name: String`."""
_RAW_NAME = re.compile(rb"`[^`\s]++ [^`\n]*+`")
"""Of a test, as a rule: func `opens a box`()."""
_NEWER = (
    _UNSAFE,
    _DO_THROWING,
    _THROWN,
    _GETTING,
    _ISOLATED_BUT,
    _OWNERSHIP,
    _CONDITION,
    _PLACE,
)


def repaired(data: bytes) -> bytes:
    """The source without what is in the grammar's way: signs of comments in strings, which its
    lexer takes for comments, and what is newer than the grammar."""
    found = _STRING.sub(lambda match: _COMMENT_MARK.sub(b"--", match[0]), data)
    found = _RAW_NAME.sub(lambda match: match[0].replace(b" ", b"_"), found)
    found = _WRAPPER.sub(lambda match: match[0][:-2] + b"  ", found)
    found = _CLOSURE.sub(lambda match: match[1] + b" " * len(match[2]), found)
    for each in _NEWER:
        found = each.sub(lambda match: b" " * len(match[0]), found)
    return found
