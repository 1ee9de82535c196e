"""Source that is right but that a grammar cannot read, written so that it can.

Every byte keeps its place: blanks become marks, words become words of the same length. Only what is
parsed is changed, never what is shown or searched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from surveyor.parsing import bash_syntax, kotlin_syntax, preprocessor, scala_syntax, swift_syntax

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["BY_BYTES", "errors_in", "repaired"]

_USING = re.compile(rb"(?<![\w$.])(await\s+using|using)(?=\s+[\w$]+\s*(?:=|:|\bof\b))")
_CALL_SIGNATURE = re.compile(rb"\n[ \t]*[ \t](?=<[\s\w$])")
_ENDS_A_MEMBER = re.compile(rb"[\w$)\]}>'\"`]")
_COMMENT = (b"//", b"*", b"/*")
_LINES_LOOKED_BACK = 60
_VARIANCE = re.compile(rb"(?<=[<,])(\s*(?:(?://[^\n]*\n|/\*\*?[^*]*\*+/)\s*)*)"
                       rb"(in\s+out|out|in)(?=\s+[A-Z_$][\w$]*)")  # fmt: skip
_ALL_TYPES = re.compile(rb"(?<![\w$.])(export\s+)type(?=\s*\*)")
_ACCESSOR = re.compile(rb"(?<=\s)accessor(?=\s+[\w$#\[])")
_PROGRAM_DIRECTIVE = re.compile(rb"^#[:!][^\n]*", re.MULTILINE)
"""`#:package Name@1.0`, `#!/usr/bin/env dotnet`."""
_EXTENSION = re.compile(
    rb"(\bextension\s*+)(<[^<>{}()]*+>)(\s*+\((?:[^(){}]|\([^(){}]*+\))*+\))"
    rb"((?:\s*+where\s[^{};]*+)?)(?=\{)"
)
"""`extension<T>(List<T> all) where T : class {`: the grammar knows it without the type parameters,
as a constructor with functions in it."""
_OPERATOR_SYMBOL = re.compile(
    rb"(?<=#)(?:\[\]=?|==|<=|>=|<<|>>>?|~/|[-+*/%~&|^<>])(?=[\])}:;,.!\s])"
)
"""`#+`, `#[]=`."""
_ENDLESS = re.compile(
    rb"^([ \t]*+(?:(?:private|protected|public|module_function)[ \t]++)?def[ \t]++[\w.]++[?!]?+"
    rb"(?:[ \t]*+\((?:[^()\n]|\([^()\n]*+\))*+\))?+[ \t]*+=[ \t]*+)"
    rb"([a-z_]\w*+[?!]?+)([ \t])(?=[ \t]*+[\w:@\"'\[])([^\n#{]*+)$",
    re.MULTILINE,
)
"""`def open(**options) = raise Closed, "for good"`: a body of a call without brackets."""
_WORD_OF_RUBY = frozenset(
    b"and begin case defined do else end if in not or rescue then unless until when while".split()
)
_ERRORS_COUNTED = 200
BY_BYTES = frozenset({"bash", "csharp", "dart", "kotlin", "ruby", "scala", "swift"})
"""Grammars whose one error may be a whole file: how much is in errors says what is gained."""


def repaired(data: bytes, grammar: str) -> bytes | None:
    """The source of a file that could not be parsed, repaired; None where nothing is to be done."""
    mend = _MENDS.get(grammar)
    if mend is None:
        return None
    found = mend(data)
    return found if found != data else None


def _javascript(data: bytes) -> bytes:
    """`using`, which is a `const` with an end, and `accessor` before a field."""
    return _ACCESSOR.sub(_blank, _USING.sub(_as_const, data))


def _tsx(data: bytes) -> bytes:
    """`using`, `in` and `out` before type parameters, `export type *`."""
    found = _VARIANCE.sub(
        lambda match: match[1] + b" " * len(match[2]), _USING.sub(_as_const, data)
    )
    return _ALL_TYPES.sub(rb"\1    ", found)


def _typescript(data: bytes) -> bytes:
    """The same, and a call signature with type parameters that begins a line, with no semicolon
    before it: the grammar takes `<` for an operator."""
    return _CALL_SIGNATURE.sub(_after_a_member, _tsx(data))


def _csharp(data: bytes) -> bytes:
    """One branch of conditionals that cut through a statement; no directives of a program of one
    file; blocks of extensions without their type parameters."""
    found = preprocessor.without_branches(_PROGRAM_DIRECTIVE.sub(_blank, data))
    return _EXTENSION.sub(_without_type_parameters, found)


def _without_type_parameters(match: re.Match[bytes]) -> bytes:
    return match[1] + _BLANKED.sub(b" ", match[2]) + match[3] + _BLANKED.sub(b" ", match[4])


_BLANKED = re.compile(rb"\S")


def _dart(data: bytes) -> bytes:
    """Symbols of operators as symbols of names."""
    return _OPERATOR_SYMBOL.sub(lambda match: b"a" * len(match[0]), data)


def _ruby(data: bytes) -> bytes:
    """What a method without an end calls without brackets: its arguments as operands, each."""

    def as_operands(match: re.Match[bytes]) -> bytes:
        if match[2] in _WORD_OF_RUBY or match[4].split(maxsplit=1)[0] in _WORD_OF_RUBY:
            return match[0]
        return match[1] + match[2] + b"+" + match[4].replace(b",", b"+")

    return _ENDLESS.sub(as_operands, data)


_MENDS: dict[str, Callable[[bytes], bytes]] = {
    "bash": bash_syntax.repaired,
    "javascript": _javascript,
    "tsx": _tsx,
    "typescript": _typescript,
    "kotlin": kotlin_syntax.repaired,
    "csharp": _csharp,
    "scala": scala_syntax.repaired,
    "swift": swift_syntax.repaired,
    "dart": _dart,
    "ruby": _ruby,
}


def _as_const(match: re.Match[bytes]) -> bytes:
    return b"const".ljust(len(match[0]))


def _after_a_member(match: re.Match[bytes]) -> bytes:
    """A call signature's blanks with the semicolon that nobody wrote, if a member ends before."""
    end = match.start()
    for _ in range(_LINES_LOOKED_BACK):
        start = match.string.rfind(b"\n", 0, end) + 1
        line = match.string[start:end].strip()
        if line and not line.startswith(_COMMENT):
            return match[0][:-1] + b";" if _ENDS_A_MEMBER.match(line[-1:]) else match[0]
        if start == 0:
            break
        end = start - 1
    return match[0]


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


def errors_in(root: Node) -> int:
    """How many places of a tree could not be parsed, up to `_ERRORS_COUNTED`."""
    count = 0
    stack = [root]
    while stack and count < _ERRORS_COUNTED:
        node = stack.pop()
        if node.is_error or node.is_missing:
            count += 1
        if node.has_error:
            stack.extend(node.children)
    return count
