"""Cuts a source file into chunks along its symbols.

Every line with content lies in a chunk, and a chunk's text is the file's own lines. Functions,
methods and types are chunks of their own, with the comments above them and their overloads; what
stands between them is a preamble, a class's own part (with its constructor, where there is room) or
a block; tiny neighbours share a chunk; what is too large is cut between statements, with overlap,
and marked as fragments.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from surveyor.parsing.cut import MAX_CHUNK_CHARS, RowSizes, line_ranks, overlapping
from surveyor.parsing.languages import Language
from surveyor.parsing.outline import FUNCTION_LIKE, Definition, Outline
from surveyor.parsing.types import Chunk

__all__ = ["chunk_code", "make_text"]

SMALL_CHARS = 240
"""Neighbours smaller than this share a chunk: a getter alone says too little to be found."""
MERGED_CHARS = 750
"""How large a chunk of small neighbours gets."""
WHOLE_CLASS_CHARS = 480
"""A class up to this size stays in one piece, methods included."""
SPARE_CHARS = 60
"""Room left in a chunk for the lines that close it, or that open what it is the first part of."""
TINY_CHARS = 80
"""A gap up to this size (`}`, `namespace x {`, one constant) joins its neighbour."""
MAX_DEPTH = 20
"""Nesting of units; deeper ones stay inside the unit around them."""
MAX_NAMES = 60
"""Symbols, and calls, listed with one chunk."""
MAX_LINE_PIECES = 8
"""A line longer than a chunk is cut into this many at most; the rest of it is not searchable."""

_TYPES = frozenset({"class", "interface", "struct", "trait", "object", "enum", "type"})
_UNIT_KINDS = FUNCTION_LIKE | _TYPES | {"module", "namespace", "impl", "section"}
_CHUNK_KIND = {
    "constructor": "method",
    "macro": "function",
    "object": "class",
    "namespace": "module",
    "type": "block",
    "impl": "block",
    "variable": "block",
    "constant": "block",
    "field": "block",
    "property": "block",
    "enum_member": "block",
}
_TRANSPARENT = frozenset({"module", "namespace", "impl"})
"""Containers that are about their members: their own lines join the member beside them."""
_WORD = re.compile(r"\w")
_ATTRIBUTE = re.compile(r"\s*(?:@[\w.]+(?:\(.*\))?|#\[.*\]|\[[\w.]+(?:\(.*\))?\])\s*$")
"""A whole line of attribute or annotation, which some grammars take for an expression."""
_CLOSING = re.compile(r"\s*(?:[)\]}]|(?:end|fi|done|esac)\b(?!\s*\w))")
"""How a line begins that ends what stands above it."""
_NO_BODY = "..."
"""What stands for a body in Python."""


@dataclass(slots=True)
class _Unit:
    """A definition that gets a chunk, with the units inside it."""

    definition: Definition
    first: int
    last: int
    depth: int
    children: list[_Unit] = field(default_factory=list)


@dataclass(slots=True)
class _ChunkDraft:
    """A range of rows that is to become one chunk."""

    first: int
    last: int
    owner: _Unit | None
    """The unit whose chunk this is, or around it when it is a gap."""
    role: str
    """unit, header (the top of a split unit), gap, closing (the end of what is above), fragment."""
    core: int = -1
    """First row that is not overlap."""

    def __post_init__(self) -> None:
        if self.core < 0:
            self.core = self.first


def chunk_code(
    lines: Sequence[str],
    outline: Outline,
    language: Language,
    limit: int = MAX_CHUNK_CHARS,
) -> list[Chunk]:
    """The chunks of a parsed file, in the order of their lines."""
    return _Chunker(lines, outline, language, limit).run()


class _Chunker:
    def __init__(
        self, lines: Sequence[str], outline: Outline, language: Language, limit: int
    ) -> None:
        self._lines = lines
        self._outline = outline
        self._language = language
        self._limit = limit
        """Characters of a chunk; those that are cut or joined stay `SPARE_CHARS` below it."""
        self._full = limit - min(SPARE_CHARS, limit // 4)
        self._sizes = RowSizes(lines)
        self._drafts: list[_ChunkDraft] = []
        self._symbols = sorted(
            (d.symbol.line - 1, i)
            for i, d in enumerate(outline.definitions)
            if d.symbol is not None
        )
        self._symbol_rows = [row for row, _ in self._symbols]
        self._call_rows = [row for row, _ in outline.calls]
        self._top = next((row for row, line in enumerate(lines) if line.strip()), 0)

    def run(self) -> list[Chunk]:
        units = self._units()
        self._region(0, len(self._lines) - 1, units, None)
        drafts = self._join_small(self._join_tiny(self._drafts))
        has_units = bool(units)
        first_unit = units[0].first if has_units else len(self._lines)
        chunks: list[Chunk] = []
        for draft in drafts:
            chunks += self._chunks(draft, first_unit, has_units)
        return chunks

    # Units

    def _units(self) -> list[_Unit]:
        """The definitions that get chunks, nested, none sharing a line with its neighbour."""
        top: list[_Unit] = []
        by_index: dict[int, _Unit] = {}
        for index, definition in enumerate(self._outline.definitions):
            around = by_index.get(definition.parent)
            unit = self._unit(definition, around, top)
            if unit is not None:
                by_index[index] = unit
            elif around is not None:
                by_index[index] = around  # its members may still stand apart
        return self._with_overloads(top)

    def _with_overloads(self, units: Sequence[_Unit]) -> list[_Unit]:
        """The units without overloads: these belong to the function below that has their name."""
        kept: list[_Unit] = []
        for unit in units:
            unit.children = self._with_overloads(unit.children)
            while kept and self._overloads(kept[-1], unit):
                unit.first = kept.pop().first
            kept.append(unit)
        return kept

    def _overloads(self, one: _Unit, other: _Unit) -> bool:
        """Whether a unit only declares what the one right below it defines, and both fit."""
        first, second = one.definition, other.definition
        return (
            first.kind in FUNCTION_LIKE
            and second.kind in FUNCTION_LIKE
            and first.name == second.name
            and not one.children
            and _is_declaration(first)
            and all(map(self._describes, range(one.last + 1, other.first)))
            and self._sizes.of(one.first, other.last) <= self._full
        )

    def _unit(self, definition: Definition, around: _Unit | None, top: list[_Unit]) -> _Unit | None:
        if definition.kind not in _UNIT_KINDS:
            return None
        if definition.kind == "type" and definition.first_row == definition.last_row:
            return None
        depth = around.depth + 1 if around else 0
        siblings = around.children if around else top
        first, last = definition.first_row, definition.last_row
        if around is not None and (
            depth > MAX_DEPTH or first <= around.first or last > around.last
        ):
            return None
        if siblings and first <= siblings[-1].last:
            previous = siblings[-1]
            if definition.node.start_point[0] > previous.last:
                first = previous.last + 1
            else:  # it begins on the line where the one before it ends: one unit
                previous.last = max(previous.last, last)
                return None
        unit = _Unit(definition, first, last, depth)
        siblings.append(unit)
        return unit

    # Pieces

    def _region(self, first: int, last: int, units: Sequence[_Unit], owner: _Unit | None) -> None:
        row = first
        for unit in units:
            described = self._attached(row, unit)
            self._gap(row, described - 1, owner, "header" if row == first else "gap")
            self._describe(unit, described)
            self._emit(unit)
            row = unit.last + 1
        self._gap(row, last, owner, "header" if row == first else "gap")

    def _attached(self, low: int, unit: _Unit) -> int:
        """The first row of the comments above a unit, down to row `low`, blank lines between them
        or not. What begins the file is about the file."""
        row = start = unit.first
        while row > low and self._describes(row - 1):
            row -= 1
            if not self._is_blank(row):
                start = row
        return unit.first if start == self._top else start

    def _describes(self, row: int) -> bool:
        return (
            self._is_blank(row)
            or row in self._outline.comment_rows
            or _ATTRIBUTE.match(self._lines[row]) is not None
        )

    def _is_blank(self, row: int) -> bool:
        return not self._lines[row].strip()

    def _describe(self, unit: _Unit, start: int) -> None:
        """Give a unit the comments from row `start`: in its chunk, or one beside it if they are
        long and would tear apart what fits into a chunk."""
        fits = self._sizes.of(unit.first, unit.last) <= self._full
        torn = fits and self._sizes.of(start, unit.last) > self._full
        if torn and self._sizes.of(start, unit.first - 1) > SMALL_CHARS:
            self._fragments(start, unit.first - 1, unit)
        else:
            unit.first = start

    def _emit(self, unit: _Unit) -> None:
        size = self._sizes.of(unit.first, unit.last)
        if unit.definition.kind in self._language.containers or unit.definition.kind == "impl":
            split = bool(unit.children) and size > WHOLE_CLASS_CHARS
        else:
            split = size > self._full and self._covered_by_children(unit)
        if split:
            self._region(unit.first, unit.last, unit.children, unit)
        elif size <= self._full:
            self._drafts.append(_ChunkDraft(unit.first, unit.last, unit, "unit"))
        else:
            self._fragments(unit.first, unit.last, unit)

    def _covered_by_children(self, unit: _Unit) -> bool:
        inside = sum(child.last - child.first + 1 for child in unit.children)
        return 2 * inside >= unit.last - unit.first + 1

    def _gap(self, first: int, last: int, owner: _Unit | None, role: str) -> None:
        while first <= last and not self._lines[first].strip():
            first += 1
        while first <= last and not self._lines[last].strip():
            last -= 1
        if first > last:
            return
        closing = first
        while closing <= last and role == "gap" and _CLOSING.match(self._lines[closing]):
            closing += 1
        if closing > first:
            self._drafts.append(_ChunkDraft(first, closing - 1, owner, "closing"))
            self._gap(closing, last, owner, role)
        elif self._sizes.of(first, last) <= self._full:
            self._drafts.append(_ChunkDraft(first, last, owner, role))
        else:
            self._fragments(first, last, owner)

    def _fragments(self, first: int, last: int, owner: _Unit | None) -> None:
        ranks = line_ranks(self._lines, first, last)
        for start, core, end in overlapping(first, last, self._sizes, ranks, self._full):
            while start < core and (self._is_blank(start) or _CLOSING.match(self._lines[start])):
                start += 1
            self._drafts.append(_ChunkDraft(start, end, owner, "fragment", core))

    # Joining

    def _is_tiny(self, draft: _ChunkDraft) -> bool:
        if draft.role in ("gap", "closing"):
            return self._sizes.of(draft.first, draft.last) <= TINY_CHARS
        return (
            draft.role == "header"
            and self._sizes.of(draft.first, draft.last) <= 2 * TINY_CHARS
            and (draft.owner is None or draft.owner.definition.kind in _TRANSPARENT)
        )

    def _join_tiny(self, drafts: Sequence[_ChunkDraft]) -> list[_ChunkDraft]:
        """Gives the lines of tiny gaps to the chunk after them, and what ends a chunk to that."""
        joined: list[_ChunkDraft] = []
        waiting: _ChunkDraft | None = None
        for draft in drafts:
            if waiting is not None:
                if self._fits(waiting, draft):
                    draft.first = draft.core = waiting.first
                else:
                    joined.append(waiting)
                waiting = None
            ends = draft.role == "closing" or self._says_nothing(draft)
            if not ends and not self._is_tiny(draft):
                joined.append(draft)
            elif joined and ends and self._has_room(joined[-1].first, draft.last):
                joined[-1].last = draft.last
            elif self._is_tiny(draft):
                waiting = draft
            else:
                joined.append(draft)
        if waiting is not None:
            if joined and self._has_room(joined[-1].first, waiting.last):
                joined[-1].last = waiting.last
            else:
                joined.append(waiting)
        return joined

    def _says_nothing(self, draft: _ChunkDraft) -> bool:
        """Whether a gap holds no code: comments that nothing follows, a line of dashes."""
        return draft.role == "gap" and all(
            row in self._outline.comment_rows or not _WORD.search(self._lines[row])
            for row in range(draft.first, draft.last + 1)
        )

    def _fits(self, before: _ChunkDraft, after: _ChunkDraft) -> bool:
        """Whether a tiny draft can begin the chunk after it."""
        begins = after.role != "fragment" or (
            after.owner is not None and after.core == after.first == after.owner.first
        )
        return begins and self._has_room(before.first, after.last)

    def _has_room(self, first: int, last: int) -> bool:
        return self._sizes.of(first, last) <= self._limit

    def _join_small(self, drafts: Sequence[_ChunkDraft]) -> list[_ChunkDraft]:
        joined: list[_ChunkDraft] = []
        was_small = False
        for draft in drafts:
            is_small = self._sizes.of(draft.first, draft.last) <= SMALL_CHARS
            if joined and (
                self._makes(draft, joined[-1])
                or (was_small and is_small and self._are_neighbours(joined[-1], draft))
            ):
                joined[-1].last = draft.last
            else:
                joined.append(draft)
            was_small = is_small
        return joined

    def _makes(self, draft: _ChunkDraft, header: _ChunkDraft) -> bool:
        """Whether a draft is the constructor right below its class's head, and there is room."""
        if header.role != "header" or header.owner is None or draft.owner is None:
            return False
        made = draft.owner.definition
        return (
            draft.role == "unit"
            and made.kind == "constructor"
            and made.parent >= 0
            and header.owner.definition is self._outline.definitions[made.parent]
            and self._sizes.of(header.first, draft.last) <= self._limit
        )

    def _are_neighbours(self, one: _ChunkDraft, other: _ChunkDraft) -> bool:
        if self._sizes.of(one.first, other.last) > MERGED_CHARS:
            return False
        if other.role != "unit" or other.owner is None:
            return False
        around = other.owner.definition.parent
        if one.role == "header" and one.owner is not None:
            # a bare `class Foo {` says more with its first member
            return around >= 0 and (
                one.owner.definition is self._outline.definitions[around]
                and self._sizes.of(one.first, one.last) <= TINY_CHARS
            )
        if one.role != "unit" or one.owner is None:
            return False
        return one.owner.definition.parent == around

    # Chunks

    def _chunks(self, draft: _ChunkDraft, first_unit: int, has_units: bool) -> list[Chunk]:
        text, first, last = make_text(self._lines, draft.first, draft.last)
        if not text:
            return []
        core = max(draft.core, first)
        low, high = bisect_left(self._symbol_rows, core), bisect_right(self._symbol_rows, last)
        inside = [self._outline.definitions[i] for _, i in self._symbols[low:high]]
        calls = [
            name
            for _, name in self._outline.calls[
                bisect_left(self._call_rows, core) : bisect_right(self._call_rows, last)
            ]
        ]
        identity = self._identity(draft, inside)
        kind = self._kind(draft, identity, first_unit, has_units)
        symbol = identity.symbol if identity is not None and kind != "preamble" else None
        parent = symbol.container if symbol else self._path(draft.owner)
        fields = {
            "kind": kind,
            "start_line": first + 1,
            "end_line": last + 1,
            "symbols": tuple(dict.fromkeys(d.symbol.name for d in inside if d.symbol is not None))[
                :MAX_NAMES
            ],
            "symbol_name": symbol.name if symbol else "",
            "symbol_kind": symbol.kind if symbol else "",
            "parent_symbol": parent,
            "signature": symbol.signature if symbol else "",
            "docstring": symbol.docstring if symbol else "",
            "calls": tuple(dict.fromkeys(calls))[:MAX_NAMES],
        }
        own = draft.role == "unit" or draft.role == "header" or draft.owner is None
        fragment = draft.role == "fragment" or not own
        return [
            Chunk(text=part, is_fragment=fragment or split, **fields)  # type: ignore[arg-type]
            for part, split in _line_pieces(text, self._limit)
        ]

    def _identity(self, draft: _ChunkDraft, inside: Sequence[Definition]) -> Definition | None:
        """The definition that a chunk is known by."""
        owner = draft.owner
        if owner is not None and owner.definition.symbol is not None:
            if owner.definition.kind not in _TRANSPARENT or draft.role == "unit":
                return owner.definition
            if draft.role == "header":
                return owner.definition
        for definition in inside:
            if definition.kind in _UNIT_KINDS:
                return definition
        return inside[0] if inside else None

    def _kind(
        self, draft: _ChunkDraft, identity: Definition | None, first_unit: int, has_units: bool
    ) -> str:
        if draft.owner is None:
            if draft.last < first_unit and (has_units or self._imports(draft)):
                return "preamble"
            if identity is None or identity.kind not in _UNIT_KINDS:
                return "block"
        if identity is None:
            return "block"
        return _CHUNK_KIND.get(identity.kind, identity.kind)

    def _imports(self, draft: _ChunkDraft) -> bool:
        rows = self._outline.import_rows
        return bisect_left(rows, draft.first) < bisect_right(rows, draft.last)

    def _path(self, owner: _Unit | None) -> str:
        if owner is None:
            return ""
        definition = owner.definition
        if definition.symbol is not None:
            return f"{definition.symbol.container}.{definition.name}".strip(".")
        return definition.name


def _is_declaration(definition: Definition) -> bool:
    """Whether a function has no body of its own."""
    body = definition.node.child_by_field_name("body")
    if body is None:
        return True
    text = (body.text or b"").decode("utf-8", "replace")
    return body.end_byte - body.start_byte < TINY_CHARS and text.rstrip().endswith(_NO_BODY)


def make_text(lines: Sequence[str], first: int, last: int) -> tuple[str, int, int]:
    """Rows first..last without the blank ones at either end: (text, first row, last row)."""
    while first <= last and not lines[first].strip():
        first += 1
    while first <= last and not lines[last].strip():
        last -= 1
    if first > last:
        return "", first, last
    return "\n".join(lines[first : last + 1]), first, last


def _line_pieces(text: str, limit: int) -> list[tuple[str, bool]]:
    """Cuts text that line ends alone cannot bring under the limit: (text, whether it is a part)."""
    if len(text) <= limit:
        return [(text, False)]
    parts = [text[at : at + limit] for at in range(0, len(text), limit)][:MAX_LINE_PIECES]
    return [(part, True) for part in parts if part.strip()]
