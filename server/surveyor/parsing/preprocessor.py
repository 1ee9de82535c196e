"""C and C++ without a preprocessor: what keeps the grammar from reading a file is blanked.

Macros that stand for attributes, conditionals that cut through a statement (`#ifdef` around an
opening brace, in a list of arguments) and declarations in the condition of a `for` have no place in
the grammar: one of them can make an error of everything behind it. Nothing here moves a byte, so
that every place stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "GRAMMARS",
    "MENDS",
    "blanked_macros",
    "code_alone",
    "unread",
    "without_branches",
    "without_marks",
]

GRAMMARS = frozenset({"c", "cpp", "cuda"})

_MACRO = rb"[A-Z][A-Z0-9_]+[A-Z0-9](?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?"
"""Capitals are macros, by a convention that C and C++ keep everywhere."""

_CAPITALS = re.compile(
    rb"[A-Z](?<!\w[A-Z])[A-Z0-9_]++(?!\w)(?=[ \t]*\(|\s*(?:[;{=A-Za-z_]|\Z)|[ \t]*\n)"
)
"""Where the macros begin that are looked for below, and words that are none. `re` skips to the next
letter of a set that a pattern begins with, so that what stands before is asked for after that."""

_GIVEN = rb"<[^;{}()<>]*+(?:<[^;{}()<>]*+>[^;{}()<>]*+)*+>"
"""Arguments of a template, which may have some themselves."""

_MARKED_CLASS = re.compile(
    rb"(c(?<!\wc)lass|s(?<!\ws)truct|u(?<!\wu)nion)(\s+(?:[A-Z][A-Z0-9_]*[A-Z0-9](?:\s*\([^()\n]*\))?\s+)+)"
    rb"(?=[A-Za-z_]\w*(?:\s+final)?\s*(?:\{|:[^:]))"
)
"""A macro between `class` and the name, `class MYLIB_API Logger {`: what the grammar takes for a
function called Logger."""

_MARKED_CONSTRUCTOR = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9_]+[ \t]+(?=(\w+)(?:" + _GIVEN + rb")?::~?\1[ \t]*\()", re.MULTILINE
)
"""The same before `Logger::Logger(`, where it would be the type of a variable."""

_MEMBER = rb"\w+(?:<[\w, ]*>)?(?:::~?\w+(?:<[\w, ]*>)?)+[ \t]*\("
_MARKED_MEMBER = re.compile(
    rb"(?<=[\w>*&] )[A-Z][A-Z0-9_]+\s+(?=" + _MEMBER + rb")"
    rb"|^[ \t]*[A-Z][A-Z0-9_]+[ \t]+(?=[\w:]+(?:" + _GIVEN + rb")?[\s*&]+" + _MEMBER + rb")",
    re.MULTILINE,
)
"""The same before the type or the name of other members: `size_t MYLIB_INLINE Logger::size(`."""

_ALONE = re.compile(
    rb"(?P<macro>(?:" + _MACRO + rb"[ \t]*+){1,4}+)(?=\n\s*+[^\s,=?:|&+*/.)<>-]|\s*+\Z)"
)
"""`BEGIN_NAMESPACE` in a line of its own: nothing stands before it there."""

_ENDED = re.compile(rb"(?:[^,(|&+=?A-Za-z]|[A-Za-z]++)?")
"""What stands before that: not what goes on, as the last member of an enumeration does."""

_BEFORE = re.compile(
    rb"(?P<macro>(?:" + _MACRO + rb"\s++){1,4})(?=[A-Za-z_][\w:]*+(?:" + _GIVEN + rb")?+"
    rb"[\s*&]++[A-Za-z_~])"
)
"""`MYLIB_API int open(…)`: two words have to follow, or it is a type (`FILE *file`)."""

_AFTER = re.compile(
    rb"(?P<macro>(?:" + _MACRO + rb"\s*+){1,4}+)(?=[;{]|=\s*0|=\s*default|=\s*delete)"
)
"""`bool ready() const REQUIRES(mutex_);`"""

_CONVENTION = re.compile(
    rb"(?<=[ \t*&])(?P<macro>(?:" + _MACRO + rb"[ \t]++){1,3}+)(?=[A-Za-z_]\w*+[ \t]*+\()"
)
"""`jint JNICALL Java_open(JNIEnv *env)`: between what a function gives and its name."""

_GIVES = re.compile(
    rb"(?!(?:case|class|const|constexpr|delete|else|enum|explicit|extern|friend|goto|inline|"
    rb"new|register|return|static|struct|throw|typedef|typename|union|using|virtual|volatile)\b)"
    rb"[a-z_]\w*"
)
"""The end of a type before that: its name is no word that stands before types."""

_BLOCK = rb"(?P<given>[ \t]*+\((?:[^(){}]|\((?:[^(){}]|\([^(){}]*\))*\))*\))?+(?P<gap>\s*+)\{"
_OPENS = re.compile(rb"(?<=[ \t])(?!TEST|BENCH)[A-Z][A-Z0-9_]++(?<=[A-Z0-9])" + _BLOCK)
_WALKS = re.compile(rb"(?:for_?each|FOREACH)\w*+" + _BLOCK)
"""`MYLIB_TRY {` and `list_for_each(it, head) {`: a statement begins with them, the latter with any
small letters before it."""

_BEGINS = re.compile(rb"[\n;{}>]|\b(?:static|inline|constexpr|extern|virtual|typedef|explicit)")
_STARTS = re.compile(rb"[;{})]")
_ENDS = re.compile(rb"\)|\b(?:const|override|noexcept|final)")
"""What stands before these three. They are looked for by their capitals first, which is faster."""

_NOTHING = re.compile(
    rb"#(?<![^ \t\n]#)[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]*"
    rb"(?:(?:\[\[|__attribute__|__declspec|_Pragma|//|/\*)[^\n]*)?\r?$",
    re.MULTILINE,
)
"""A macro that the file itself defines as nothing, or as an attribute: it may have any name."""

_KEYWORDS = (
    rb"(?:return|case|else|throw|goto|new|delete|sizeof|int|void|char|bool|short|long|float|double|"
    rb"signed|unsigned|auto|static|const|inline|extern|typedef|struct|class|enum|union|define|if|"
    rb"operator|using|virtual|explicit|constexpr|volatile|typename|public|private|do)\b"
)
_FIELD = re.compile(
    rb"(?<=\s)(?P<macro>[A-Z][A-Z0-9_]+[A-Z0-9][ \t]*\((?:[^()\n]|\([^()\n]*\))*\))(?=\s*[;={])"
)
"""`int size_ GUARDED_BY(mutex_);`"""
_NAME = re.compile(rb"(?!" + _KEYWORDS + rb")[a-z_]\w*(?:\[\w*\])?")
_TYPE_ENDS = re.compile(rb"[\w>*&]")
"""What stands before that: a type, a blank and a name."""
_NAME_BYTES = 256
"""How far that is looked for."""

_DECLARES = re.compile(
    rb"(?<![^\n])(?P<macro>[A-Z][A-Z0-9_]+[A-Z0-9]\("
    rb"(?=[^()\n]*(?:\b(?:int|bool|double|string)\b|[<>]))(?:[^()]|\([^()]*\))*\))(?=;)"
)
"""`FLAG(int, size, 8, "how many");`: types are no arguments of a call."""

_MASKED = re.compile(
    rb"//[^\n]*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*+\"?|'(?:\\.|[^'\\\n]){1,12}+'",
    re.DOTALL,
)
"""Comments, strings and characters; what is not ended is passed over once."""
_WINDOW_BYTES = 4096
"""How far a statement is looked for in front of a conditional."""
_DIRECTIVE = re.compile(rb"#(?<![^ \t\n]#)[ \t]*(\w+)((?:[^\n]*\\\r?\n)*[^\n]*)")
_ELSEWHERE = re.compile(rb"^[ \t(]*(?:0\b|false\b|(?:defined[ \t(]*)?_?(?:WIN32|_?MSC_VER|WIN64))")
"""Conditions of branches that are taken only if there is no other."""
_BETWEEN = frozenset(b";{}:")
"""What stands before a statement or declaration, and at its end."""
_CONTINUES = re.compile(rb"(?:else|case|default|catch|finally)\b")
"""What a statement goes on with: in a branch by itself, the grammars take it for no statement."""
_PAIRS = {ord("("): 1, ord("["): 1, ord("{"): 1, ord(")"): -1, ord("]"): -1, ord("}"): -1}
_UNPAIRED = bytes(byte for byte in range(256) if byte not in _PAIRS)


_BLANKS = bytes(byte if bytes([byte]).isspace() else ord(" ") for byte in range(256))
"""By byte: itself where it is white space, else a blank."""


def _blank(match: re.Match[bytes]) -> bytes:
    """Blanks of the same length, so that everything stays where it is."""
    return match[0].translate(_BLANKS)


def _without_second(match: re.Match[bytes]) -> bytes:
    return match[1] + match[2].translate(_BLANKS)


def without_marks(data: bytes) -> bytes:
    """A source whose classes and constructors can be read: any file, before it is parsed."""
    if spans := _counted_attributes(data):
        made = bytearray(data)
        for first, last in spans:
            made[first:last] = b" " * (last - first)
        data = bytes(made)
    data = _MARKED_CLASS.sub(_without_second, data)
    if b"::" not in data:
        return data
    return _MARKED_MEMBER.sub(_blank, _MARKED_CONSTRUCTOR.sub(_blank, data))


_COUNTED = re.compile(rb"\([ \t]*\d+[ \t]*(?:,[ \t]*\d+[ \t]*)?\)(?=\s+[A-Za-z_]\w*[ \t]*\()")
_OTHERWISE = re.compile(
    rb"(?:if|while|for|switch|return|case|sizeof|alignas|alignof|decltype|noexcept|explicit|defined"
    rb"|_Alignas)"
)


def _counted_attributes(data: bytes) -> list[tuple[int, int]]:
    """`void printflike(2, 3) report(const char *, …)`: a macro that numbers stand behind, between
    what a function gives and its name."""
    found = []
    for match in _COUNTED.finditer(data):
        start = match.start()
        while start and (data[start - 1 : start].isalnum() or data[start - 1] == ord("_")):
            start -= 1
        before = data[max(0, start - 20) : start].rstrip(b" \t")[-1:]
        word = data[start : match.start()]
        is_behind = before.isalnum() or before in (b"_", b"*")
        if is_behind and word[:1].islower() and not _OTHERWISE.fullmatch(word):
            found.append((start, match.end()))
    return found


def unread(root: Node) -> int:
    """Bytes in error nodes, and the nodes that are missing."""
    found = 0
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "ERROR":
            found += 1 + node.end_byte - node.start_byte
        elif node.is_missing:
            found += 1
        elif node.has_error:
            stack.extend(node.children)
    return found


def _without_attributes(data: bytes) -> bytes:
    bare = code_alone(data)
    made = bytearray(data)
    for first, last in _of_nothing(data, bare):
        _clear(made, first, last)
        _clear(bare, first, last)
    starts = [match.start() for match in _CAPITALS.finditer(bare)]
    for pattern, fits in _ATTRIBUTES:
        for match in list(_matches(pattern, bare, starts)):
            first, last = match.span("macro")
            if fits(bare, first):
                _clear_code(made, bare, first, last)
                _clear(bare, first, last)
    _open(made, bare, starts)
    return bytes(made)


def _matches(
    pattern: re.Pattern[bytes], bare: bytearray, starts: Sequence[int]
) -> Iterator[re.Match[bytes]]:
    """What begins at these places, none within another."""
    end = 0
    for start in starts:
        if start >= end and (match := pattern.match(bare, start)):
            end = match.end()
            yield match


def _of_nothing(data: bytes, bare: bytearray) -> list[tuple[int, int]]:
    """Where a file names its own macros that stand for nothing."""
    names = _own_nothings(data)
    if not names:
        return []
    named = re.compile(rb"\b(?:" + b"|".join(sorted(map(re.escape, names))) + rb")\b(?!\s*\()")
    return [match.span() for match in named.finditer(bare)]


def _own_nothings(data: bytes) -> set[bytes]:
    return {m[1] for m in _NOTHING.finditer(data) if _is_first(data, m.start())}


_WORD = re.compile(rb"\b[A-Za-z_]\w+\b")
_MACRO_NAME = re.compile(rb"[A-Z][A-Z0-9_]+[A-Z0-9]")


def blanked_macros(data: bytes, read: bytes) -> list[tuple[int, int]]:
    """Where macros stand in a source that are blanks in what was read of it: nothing else knows of
    these uses."""
    bare = code_alone(data)
    own = _own_nothings(data)
    return [
        match.span()
        for match in _WORD.finditer(bare)
        if read[match.start() : match.end()].removesuffix(_CASE).isspace()
        and (
            match[0] in own or _MACRO_NAME.fullmatch(match[0]) or _COUNTED.match(bare, match.end())
        )
    ]


def _open(made: bytearray, bare: bytearray, starts: Sequence[int]) -> None:
    """Macros before a block as statements of their own, where there is room for the `;`."""
    found = [(match.start(), match) for match in _matches(_OPENS, bare, starts)]
    if b"each" in bare or b"EACH" in bare:
        found += [(_walk_start(bare, match.start()), match) for match in _WALKS.finditer(bare)]
    for start, match in found:
        if start < 0 or not _follows(bare, start, b" \t\r\n", _STARTS):
            continue
        given, gap = match.span("given"), match.start("gap")
        room = match["gap"].find(b" ")
        if given[0] < 0 or b"..." in match["given"] or room < 0:
            _clear(made, start, gap)
            _clear(bare, start, gap)
        else:
            made[gap + room] = bare[gap + room] = ord(";")


def _walk_start(bare: bytearray, found: int) -> int:
    """Where the name begins that a walk was found in; -1 where that is no word of its own."""
    while found and (bare[found - 1 : found].islower() or bare[found - 1] == ord("_")):
        found -= 1
    return found if found and bare[found - 1] in b" \t" else -1


def _follows(bare: bytearray, first: int, blanks: bytes, before: re.Pattern[bytes]) -> bool:
    """Whether what ends before a place, but for blanks, is one of these."""
    while first and bare[first - 1] in blanks:
        first -= 1
    if not first:
        return before.fullmatch(b"") is not None
    start = first - 1
    while start > 0 and (bare[start - 1 : start].isalpha() and bare[start:first].isalpha()):
        start -= 1
    return before.fullmatch(bare, start, first) is not None


def _is_first(text: bytes | bytearray, first: int) -> bool:
    """Whether only blanks stand before a place in its line."""
    return not text[text.rfind(b"\n", 0, first) + 1 : first].strip(b" \t")


def _is_behind_name(bare: bytearray, first: int) -> bool:
    """Whether a type and a name stand before a place."""
    type_, _, name = bare[max(0, first - _NAME_BYTES) : first].rstrip().rpartition(b" ")
    return bool(_NAME.fullmatch(name) and _TYPE_ENDS.fullmatch(type_[-1:]))


_ATTRIBUTES: tuple[tuple[re.Pattern[bytes], Callable[[bytearray, int], bool]], ...] = (
    (_FIELD, _is_behind_name),
    (_AFTER, lambda bare, first: _follows(bare, first, b" \t\r\n", _ENDS)),
    (_BEFORE, lambda bare, first: _follows(bare, first, b" \t", _BEGINS)),
    (_CONVENTION, lambda bare, first: _follows(bare, first, b" \t*&", _GIVES)),
    (
        _ALONE,
        lambda bare, first: _is_first(bare, first) and _follows(bare, first, b" \t\r\n", _ENDED),
    ),
    (_DECLARES, lambda _bare, _first: True),
)
"""Where macros may stand for attributes, and what has to be before them there."""


def code_alone(data: bytes) -> bytearray:
    """The source without comments, directives and what stands in strings."""
    bare = _MASKED.sub(_blank, data)
    return _without_directives(bare, _directives(bare))


def _directives(masked: bytes) -> list[re.Match[bytes]]:
    return [m for m in _DIRECTIVE.finditer(masked) if _is_first(masked, m.start())]


def _without_directives(masked: bytes, directives: Sequence[re.Match[bytes]]) -> bytearray:
    bare = bytearray(masked)
    for match in directives:
        _clear(bare, match.start(), match.end())
    return bare


@dataclass(slots=True)
class _Group:
    """One `#if … #endif`."""

    starts: list[int] = field(default_factory=list)
    """Bytes of its directives …"""
    ends: list[int] = field(default_factory=list)
    """… and where these end: a branch is from one's end to the next one's start."""
    conditions: list[bytes] = field(default_factory=list)


def without_branches(data: bytes) -> bytes:
    """One branch of each conditional that cuts through a statement; the others stay as they are."""
    made = bytearray(data)
    masked = _MASKED.sub(_blank, data)
    found = _directives(masked)
    bare = _without_directives(masked, found)
    open_groups: list[_Group] = []
    for match in found:
        word = match[1]
        if word in (b"if", b"ifdef", b"ifndef"):
            open_groups.append(_Group())
        elif word not in (b"else", b"elif", b"elifdef", b"elifndef", b"endif") or not open_groups:
            continue
        group = open_groups[-1]
        group.starts.append(match.start())
        group.ends.append(match.end())
        group.conditions.append(match[2] if word in (b"if", b"ifdef", b"elif") else b"")
        if word == b"endif":
            open_groups.pop()
            _choose(group, made, bare)
    return bytes(made)


def _choose(group: _Group, made: bytearray, bare: bytearray) -> None:
    branches = list(zip(group.ends, group.starts[1:], strict=False))
    start = group.starts[0]
    before = bare[max(0, start - _WINDOW_BYTES) : start].rstrip()[-1:]
    if (not before or before[0] in _BETWEEN) and all(
        _is_whole(bytes(bare[first:last])) for first, last in branches
    ):
        return
    likely = [i for i in range(len(branches)) if not _ELSEWHERE.match(group.conditions[i])]
    chosen = likely[0] if likely else (-1 if group.conditions[0].strip() == b"0" else 0)
    for first, last in zip(group.starts, group.ends, strict=True):
        _clear(made, first, last)
    for index, (first, last) in enumerate(branches):
        if index != chosen:
            _clear(made, first, last)
            _clear(bare, first, last)


def _is_whole(text: bytes) -> bool:
    """Whether a branch has whole statements or declarations, without comments and directives."""
    text = text.strip()
    depth = 0
    if _CONTINUES.match(text):
        return False
    for byte in text.translate(None, _UNPAIRED):
        depth += _PAIRS[byte]
        if depth < 0:
            return False
    return depth == 0 and (not text or text[-1] in _BETWEEN)


def _clear(data: bytearray, first: int, last: int) -> None:
    data[first:last] = data[first:last].translate(_BLANKS)


def _clear_code(made: bytearray, bare: bytearray, first: int, last: int) -> None:
    """Clear a span but for lines that are directives or comments: without its `#endif`, a
    conditional makes an error of all that is left of the file."""
    while first < last:
        end = bare.find(b"\n", first, last) + 1 or last
        if bare[first:end].strip():
            _clear(made, first, end)
        first = end


_FOR_CONDITION = re.compile(
    rb"(\bfor\s*\([^;{}()]*;\s*)"
    rb"((?:const\s+)?[A-Za-z_][\w:]*+(?:" + _GIVEN + rb")?(?:\s*[*&]+\s*|\s+))"
    rb"(?=[A-Za-z_]\w*\s*=[^=][^;{}]*;)"
)
"""`for (; const char* p = next(); )`: the type of what the condition declares."""


def _without_condition_types(data: bytes) -> bytes:
    return _FOR_CONDITION.sub(lambda match: match[1] + match[2].translate(_BLANKS), data)


_LABEL = re.compile(
    rb"(?P<macro>[A-Z][A-Z0-9_]{3,}+)"
    rb"(?=(?P<given>[ \t]*+\([ \t]*+\w++(?:[ \t]*+,[ \t]*+\w++)*+[ \t]*+\))[ \t]*+:(?!:))"
)
"""`CASE_CODE(POP):` in an interpreter: a `case`, or a label that is computed."""
_BEFORE_LABELS = re.compile(rb"[;{}:)]")
_PASTES = re.compile(rb"#[ \t]*define[ \t]+(\w+)\([^\n]*##")
_CASE = b"case"


def _with_cases(data: bytes) -> bytes:
    """Macros that stand for labels as `case`, before what they are handed; before a zero in place
    of what is only a part of a name."""
    bare = code_alone(data)
    made = bytearray(data)
    pasting = {match[1] for match in _PASTES.finditer(data)}
    starts = [match.start() for match in _CAPITALS.finditer(bare)]
    depth = counted = 0
    for match in _matches(_LABEL, bare, starts):
        first, last = match.span("macro")
        depth += bare.count(b"{", counted, first) - bare.count(b"}", counted, first)
        counted = first
        if (
            depth > 0
            and _is_first(bare, first)
            and _follows(bare, first, b" \t\r\n", _BEFORE_LABELS)
        ):
            made[first:last] = _CASE.rjust(last - first)
            if match["macro"] in pasting:
                made[last : match.end("given")] = b"0".center(match.end("given") - last)
    return bytes(made)


MENDS = (
    _with_cases,
    _without_condition_types,
    _without_attributes,
    without_branches,
    _without_attributes,
)
"""What is tried on a file that was not understood, one after the other: what does not help at first
may do so when the other has."""
