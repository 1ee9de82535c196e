"""Right Bash that the grammar cannot read, written so that it can; nothing moves.

A bracket alone in the pattern of an expansion (`${name##*[}`), and what looks like arithmetic in a
text (`eval "((${name}[0] > 0))"`), cost a file all that follows it.
"""

from __future__ import annotations

import re

__all__ = ["repaired"]

_TRIMMED = re.compile(
    rb"(\$\{!?\w++(?:\[[^\]\[{}\n]*+\])?+(?:##?|%%?|//?))([^{}\"'$`\\\n]*+)(?=\})"
)
_ARITHMETIC = re.compile(rb"((?<=[\s=(])\"[^\"\n]*?)\(\((?=[^\"\n]*\$\{)")
_BRACKETS = re.compile(rb"[\[\]()]")


def repaired(data: bytes) -> bytes:
    """The source of a file that could not be parsed; the same where nothing is to be done.

    What a pattern matches is no name: brackets in it become letters.
    """
    data = _ARITHMETIC.sub(rb"\1xx", data)
    return _TRIMMED.sub(lambda match: match[1] + _BRACKETS.sub(b"x", match[2]), data)
