"""The expression before a name: `a.b().name` reads back to `a.b()`.

Text, not nodes: a receiver may be anything, and what stands before the dot is found faster by
reading backwards than through the tree.
"""

from __future__ import annotations

import re

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import ROOT, VARIABLES_TOO, of_arity
from surveyor.graph.expressions.model import (
    UNKNOWN,
    Expression,
    Name,
    instance,
    type_called,
)
from surveyor.graph.extract.type_names import instance_of, type_name
from surveyor.graph.extract.written_types import asked_for, loaded_module, normal

__all__ = ["qualifier_before"]

_OPEN = {ord(")"): ord("("), ord("]"): ord("["), ord(">"): ord("<")}
_GREATER = ord(">")
_ARROWS = frozenset(b"=-")
"""Before a `>` that closes nothing."""
_SPACE = frozenset(b" \t\r\n")
_WORD = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$@!"
) | frozenset(range(128, 256))
_ENDS = frozenset(bytes([byte]) for byte in (*_WORD, *b")]}?")) - {b"!"}
"""What may stand before a `::` between two names."""
_BEFORE_PATHS = _ENDS | {b">", b"\n"}
_REACH = 400
"""How many bytes before a name its qualifier may take."""
_PLAIN_REACH = 80
"""How far a chain of names is looked for before anything else is tried."""
_DOT, _NEWLINE, _COMMA = ord("."), ord("\n"), ord(",")
_PLAIN = frozenset(range(128, 256)) | frozenset(
    b".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
)
_OTHERS = bytes(byte if byte in _PLAIN else 32 for byte in range(256))
"""Translates every byte that is in no chain of names to a blank."""
_GOES_ON = frozenset(b".:>\\$@!#")
"""Before a chain, after blanks: it may only be the end of a longer one."""
_NO_FUNCTIONS = frozenset(
    {"and", "await", "co_return", "delete", "elif", "else", "if", "in", "not", "or", "return",
     "throw", "typeof", "while", "yield"}
)  # fmt: skip
"""Words that brackets may follow without being called."""
_LINE = re.compile(r"[;{}]|=(?!>)|\breturn\b")
"""Before a statement of PHP, or what it gives."""
_LOADERS = frozenset({"import", "require"})
_CAST = re.compile(
    rb"\s*\(\s*((?:const\s+|struct\s+)*[A-Za-z_][\w.:]*(?:<[^()]*>)?[\s*&]*)\)\s*"
    rb"(?!(?:if|or|and|in|is|not|instanceof|as)\b)[\w&*(]"
)
"""The inside of `((Box) value)`."""
_MADE = re.compile(rb"\s*(?:new\s+|&)([A-Za-z_\\][\w.:\\]*)\s*(<[^()<>]*>)?\s*[({)]")
_POINTED = re.compile(rb"\s*[&*]+\s*(?:mut\s+)?([A-Za-z_]\w*(?:\.\w+)*)\s*\)")
"""The inside of `(*box).open()` and `(&mut self.lid).open()`."""
_NAMED = re.compile(rb"\s*([A-Za-z_][\w.]*)()\s*\)")
_AS = re.compile(rb"\bas\s+([A-Za-z_$][\w$.]*)(?:<[^()]*>)?\s*$")
_AWAITED = re.compile(rb"\s*await\s+(?=[\w@])")
"""The inside of `(await box.open()).size`."""
_AWAIT = re.compile(r"^\s*await\s+")
_COMMENT_MARKS = (b"//", b"#", b"*", b"--")


def qualifier_before(
    source: bytes,
    start: int,
    *,
    sigil: bool = False,
    dollars: bool = False,
    by_arity: bool = False,
    dots_join: bool = False,
    arrows: bool = False,
) -> Expression | None:
    """The expression before the separator before a name.

    Reads backwards from byte `start`; None when there is no separator; unknown where it begins
    with what could not be read (a literal, an operator in parentheses). `sigil`: an `@` marks an
    instance variable (Ruby), not a decorator; `dollars`: a `$` is a letter (JavaScript);
    `by_arity`: the number of its type arguments is a part of a type's name (C#); `dots_join`: a dot
    joins texts (PHP); `arrows`: `->` stands before a member, not before what a function gives.
    """
    if plain := _plain(source, start, arrows=arrows):
        return parse(plain)
    if sigil and _is_root(source, start):
        return Expression(Name(ROOT))
    if dots_join and source[start - 1 : start] == b"$":
        start -= 1  # self::$count
    parts: list[str] = []
    limit = max(0, start - _REACH)
    position = _before_separator(source, start, limit, arrows=arrows)
    while position >= 0:
        if dots_join and _is_root_of_php(source, position):
            parts.append(ROOT)
            break
        end = opening = position
        calls = ""
        given = 0
        while end > limit and source[end - 1] in _OPEN:
            closing = source[end - 1]
            if closing == _GREATER and source[end - 2] in _ARROWS:
                break
            begin = _matching(source, end - 1, limit)
            if begin < 0:
                return _from(UNKNOWN, parts)
            opening = begin
            if closing == ord(")"):
                calls = "()" + calls
            elif closing == ord("]"):
                calls = "[]" + calls
            elif by_arity and not calls:
                given = _arguments_between(source, begin, end)
            end = begin
            if closing == _GREATER and source[end - 2 : end] == b"::":
                end -= 2  # `Box::<Lid>::new()`
            while end > limit and source[end - 1] in _SPACE and source[end - 1] != 10:
                end -= 1
        begin = end
        while begin > limit and source[begin - 1] in _WORD:
            begin -= 1
        if source[begin - 2 : begin] == b".#":  # JavaScript's private members
            begin -= 1
        word = source[begin:end].decode("utf-8", "replace").lstrip("!" if dollars else "$!")
        if dots_join and word in VARIABLES_TOO and source[begin : begin + 1] == b"$":
            word = f"${word}"
        if word in _NO_FUNCTIONS and calls:
            word = ""
        inside = source[opening + 1 : position - 1] if dollars and calls == "()" else b""
        if inside and not word and (inner := _in_brackets(inside)) is not None:
            return _from(inner, parts)
        if dollars and calls == "()" and word in _LOADERS:
            loaded = loaded_module(source[begin:position].decode("utf-8", "replace"))
            if loaded is not None:
                return _from(loaded, parts)
        if dots_join and calls == "()" and b"::class" in source[opening:position]:
            call = source[max(limit, begin - _PLAIN_REACH) : position].decode("utf-8", "replace")
            if (asked := asked_for(_LINE.split(call)[-1].strip())) is not None:
                return _from(asked, parts)
        is_member = source[begin - 1 : begin] in (b".", b":", b">", b"&")  # `Box::new(lid).open()`
        if (not word and calls == "()") or (word == "new" and calls and not is_member):
            # `(new Box()).open()`; in Go `new(Box).open()`
            made = (_MADE if not word else _NAMED).match(source, opening + 1)
            given_to = (made[2] or b"") if made is not None and by_arity else b""
            if made is not None and (of := _of_type(made[1] + given_to, by_arity)):
                return _from(of, parts)
        if not word and calls == "()" and (awaited := _AWAITED.match(source, opening + 1)):
            text = source[awaited.end() : position - 1].decode("utf-8", "replace")
            return _from(normal(text.strip(), by_arity=by_arity), parts)
        if not word and calls == "()" and (pointed := _POINTED.match(source, opening + 1)):
            return _from(parse(pointed[1].decode("utf-8", "replace")), parts)
        if not word and calls == "()" and (cast := _CAST.match(source, opening + 1)):
            # Whatever is cast, it is of that type: `((Box) value).open()`.
            return _from(_of_type(cast[1], by_arity) or UNKNOWN, parts)
        if not word:
            return _from(UNKNOWN, parts)
        if by_arity and word == "global" and source[end : end + 2] == b"::":
            break
        parts.append(of_arity(word, given) + calls)
        if source[begin - 1 : begin] == b"\\" and source[begin - 2] not in _WORD:
            break  # PHP's `\A\B`: from the root
        if sigil and _is_root(source, begin):
            parts.append(ROOT)
            break
        if dots_join and source[limit:begin].rstrip()[-1:] == b".":
            break
        position = _before_separator(source, begin, limit, arrows=arrows)
    chain = ".".join(reversed(parts))
    if chain.startswith("@"):
        chain = f"self.{chain.lstrip('@')}" if sigil else chain.lstrip("@")
    return parse(chain)


def _of_type(written: bytes, by_arity: bool) -> Expression | None:
    """An instance of a type, by its text."""
    text = written.decode("utf-8", "replace")
    if by_arity:
        return instance_of(text, by_arity=True)
    name = type_name(text)
    return instance(type_called(name)) if name else None


def _is_root(source: bytes, start: int) -> bool:
    """Whether `::` before a name has nothing before it: the name is the whole program's."""
    return (
        source[max(0, start - 2) : start] == b"::"
        and source[max(0, start - 3) : start - 2] not in _ENDS
    )


def _is_root_of_php(source: bytes, position: int) -> bool:
    """Whether a backslash has no name before it: the name behind it is of no namespace."""
    behind = source[position : position + 1]
    return behind == b"\\" and source[position - 1] not in _WORD


def _from(start: Expression | None, parts: list[str]) -> Expression | None:
    """What a chain of members, the last one first, leads to from something."""
    chain = parse(".".join(reversed(parts)))
    if chain is None or start is None or type(chain.head) is not Name:
        return start
    return start.member(chain.head.name).then(*chain.steps)


def _in_brackets(inner: bytes) -> Expression | None:
    """What JavaScript's brackets hold: `(await box.open()).size`, `(node as Box<T>).size`."""
    if cast := _AS.search(inner):
        name = type_name(cast[1].decode("utf-8", "replace"))
        return instance(type_called(name)) if name else None
    return normal(_AWAIT.sub("", inner.decode("utf-8", "replace")).strip(), sigils=False)


def _plain(source: bytes, start: int, *, arrows: bool) -> str:
    """`a.b` before `.name`, as nine of ten qualifiers are; empty when it may be anything else."""
    end = start - 1
    if source[end] != _DOT:
        return ""
    low = max(0, end - _PLAIN_REACH)
    chain = source[low:end].translate(_OTHERS).rpartition(b" ")[2]
    begin = end - len(chain)
    if not chain or begin <= low or chain[0] == _DOT or chain[-1] == _DOT or b".." in chain:
        return ""
    before = source[low:begin]
    if before[-1] in _SPACE:
        left = before.rstrip()
        if not left:
            return ""
        if _NEWLINE in before[len(left) :]:
            line = left.rfind(b"\n") + 1
            if (not line and low) or any(mark in left[line:] for mark in _COMMENT_MARKS):
                return ""
        before = left
    # Behind `=>` another expression begins, behind `->` in some languages too.
    if before[-1] in _GOES_ON and before[-2:] != b"=>" and (arrows or before[-2:] != b"->"):
        return ""
    return chain.decode("utf-8", "replace")


def _before_separator(source: bytes, start: int, limit: int, *, arrows: bool) -> int:
    """Where the operand before `.`, `?.`, `::`, `->` or `\\` ends; -1 without a separator."""
    position = _before_space(source, start, limit)
    last = source[position - 1 : position]
    if last == b">" and source[position - 2 : position] != b"->":
        position = _before_told_types(source, position, limit)
        last = source[position - 1 : position]
    if last == b".":
        position -= 1
        if source[position - 1 : position] in (b"?", b"!", b"&"):
            position -= 1
        elif source[position - 1 : position] == b".":
            return -1
    elif last == b":" and source[position - 2 : position] == b"::":
        position -= 2
        if source[position - 1 : position] not in _BEFORE_PATHS:
            return -1  # from the root: `return ::lib::open()`
    elif arrows and last == b">" and source[position - 2 : position] == b"->":
        position -= 2
        if source[position - 1 : position] == b"?":
            position -= 1
    elif last == b"\\":
        return position - 1
    else:
        return -1
    return _before_space(source, position, limit)


def _before_told_types(source: bytes, close: int, limit: int) -> int:
    """Where `Box.` ends in Java's `Box.<Lid>make()`; `close` where nothing of the kind stands."""
    opening = _matching(source, close - 1, limit)
    return opening if opening > 0 and source[opening - 1] == _DOT else close


_COMMENT = re.compile(rb"^\s*(?://|#(?!\w)|--)|\s(?://|#\s)", re.MULTILINE)
"""Where the comment of a line begins, in any language; only so does `^` match where a line is asked
for that is not the first."""


def _before_space(source: bytes, position: int, limit: int) -> int:
    """Back over blanks, line ends and comments: the `.` that ends a sentence is no separator."""
    while position > limit:
        if source[position - 1] in _SPACE:
            position -= 1
            if source[position] == 10:
                begin = source.rfind(b"\n", limit, position) + 1 or limit
                if comment := _COMMENT.search(source, begin, position):
                    position = comment.start()
        elif source[position - 2 : position] == b"*/":
            opening = source.rfind(b"/*", limit, position - 2)
            if opening < 0:
                break
            position = opening
        else:
            break
    return position


def _arguments_between(source: bytes, opening: int, end: int) -> int:
    """How many type arguments stand between a `<` and its `>`."""
    depth, count = 0, 1
    for byte in source[opening + 1 : end - 1]:
        depth += (byte in b"<([") - (byte in b">)]")
        count += byte == _COMMA and not depth
    return count


def _matching(source: bytes, close: int, limit: int) -> int:
    """Index of the bracket that `source[close]` closes, or -1."""
    closing = source[close]
    opening = _OPEN[closing]
    depth = 0
    for index in range(close, limit - 1, -1):
        byte = source[index]
        if byte == closing:
            depth += 1
        elif byte == opening:
            depth -= 1
            if depth == 0:
                return index
    return -1
