"""What a syntax tree defines: symbols with their places, and the calls and imports between them.

One run of a language's `symbols.scm` over the tree; the captures are explained in
docs/languages.md. Rows here are 0-based, as the tree has them; `Symbol`s are 1-based.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.parsing import (
    c_variables,
    macro_definitions,
    macro_functions,
    macro_variables,
    preprocessor,
)
from surveyor.parsing.depth import cursor_of
from surveyor.parsing.languages import Language
from surveyor.parsing.source import SourceText, utf16_length
from surveyor.parsing.types import Symbol
from surveyor.parsing.wording import (
    MAX_NAME_CHARS,
    MAX_SIGNATURE_CHARS,
    clean_comment,
    clean_string,
    container_names,
    end_signature,
    module_name,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Query, QueryCursor

__all__ = ["Definition", "Outline", "outline"]

MAX_CONTAINER_DEPTH = 12
"""Names kept in a container; deeper nesting is not something people navigate by."""

CLASS_LIKE = frozenset({"class", "interface", "struct", "trait", "object", "enum", "impl"})
"""Kinds whose functions are methods. `impl` is a scope that is no symbol itself."""
FUNCTION_LIKE = frozenset({"function", "method", "constructor", "macro"})
_NEAR_BYTES = 200
"""Of a line before a comment that are looked at first."""
_STATEMENTS = frozenset(
    {"expression_statement", "return_statement", "if_statement", "for_statement", "ERROR"}
)
_LOCAL_KINDS = frozenset({"variable", "constant", "field", "declaration", "property"})
"""Not symbols when inside a function."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol, or a scope that is none (`impl Foo`), with what chunking needs of it."""

    symbol: Symbol | None
    """None for a scope."""
    name: str
    kind: str
    node: Node
    first_row: int
    """With its leading comments, attributes and decorators."""
    last_row: int
    parent: int
    """Index of the definition around it; -1 at the top."""


@dataclass(frozen=True, slots=True)
class Outline:
    """All definitions in source order, parents before children."""

    definitions: list[Definition] = field(default_factory=list)
    calls: list[tuple[int, str]] = field(default_factory=list)
    """(row, called name), by row."""
    modules: list[str] = field(default_factory=list)
    """Imported modules as written, without quotes, in order, each once."""
    import_rows: list[int] = field(default_factory=list)
    comment_rows: frozenset[int] = frozenset()
    """Rows of comments, attributes and decorators that nothing stands before."""


@dataclass(slots=True)
class _Raw:
    """A definition while its matches are gathered."""

    pattern: int
    kind: str
    node: Node
    name: Node
    start: int
    end: int
    outer: Node | None = None
    until: Node | None = None
    body: Node | None = None
    container: list[Node] = field(default_factory=list)
    doc: Node | None = None
    is_invoked: bool = False
    """Whether a macro's invocation defines it: a container of it is no class."""
    in_branch: bool = False
    """Whether a branch gives it a value: another one may have done so before."""


def outline(
    root: Node, source: SourceText, language: Language, query: Query, *, is_deep: bool = False
) -> Outline:
    """Runs the symbols query over a tree."""
    gathered = _gather(root, source, language, cursor_of(query, is_deep=is_deep))
    result = Outline(
        calls=sorted(gathered.calls, key=itemgetter(0)),
        modules=list(dict.fromkeys(gathered.modules)),
        import_rows=sorted(gathered.import_rows),
        comment_rows=frozenset(
            row for last, (first, _) in gathered.leading.items() for row in range(first, last + 1)
        ),
    )
    _Builder(source, language, gathered, result.definitions).run()
    return result


@dataclass(slots=True)
class _Gathered:
    raws: list[_Raw] = field(default_factory=list)
    outers: dict[int, list[Node]] = field(default_factory=dict)
    """Wrappers such as decorated definitions, by the byte where they end."""
    leading: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Last row of a comment or attribute -> (first row, comment text)."""
    calls: list[tuple[int, str]] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    import_rows: list[int] = field(default_factory=list)


def _gather(root: Node, source: SourceText, language: Language, cursor: QueryCursor) -> _Gathered:
    found = _Gathered()
    raws: dict[int, _Raw] = {}
    data = source.data
    for pattern, captures in cursor.matches(root):
        if calls := captures.get("call"):
            for node in calls:
                name = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
                found.calls.append((node.start_point[0], name[:MAX_NAME_CHARS]))
            continue
        if comments := captures.get("comment"):
            for comment in comments:
                _add_leading(found, [comment], data, comment)
            continue
        for capture, kind in (("variables", "variable"), ("fields", "field")):
            for declaration in captures.get(capture, ()):
                for named in c_variables.declared_variables(declaration):
                    around = named.node
                    raws[named.name.start_byte] = _Raw(
                        pattern, kind, around, named.name, around.start_byte, around.end_byte,
                        container=list(named.owners),
                    )  # fmt: skip
        if names := captures.get("name"):
            if names[0].start_byte < names[0].end_byte:  # else the parser made it up: none is there
                _add_definition(raws, pattern, captures, names[0])
            continue
        for node in captures.get("import", ()):
            found.import_rows.append(node.start_point[0])
            if module := module_name(source.text(node.start_byte, node.end_byte)):
                found.modules.append(module)
        for node in captures.get("outer", ()):
            found.outers.setdefault(node.end_byte, []).append(node)
        if leading := captures.get("leading"):
            text = captures.get("text")
            _add_leading(found, leading, data, text[0] if text else None)
    if language.grammar in macro_functions.LANGUAGES:
        for made in macro_functions.functions_of_macros(root, data):
            around = made.invocation
            raws[made.name.start_byte] = _Raw(
                0, made.kind, around, made.name, around.start_byte, around.end_byte
            )
    if language.grammar in macro_definitions.LANGUAGES:
        for each in macro_definitions.definitions_of_macros(root, data):
            raws.pop(each.macro.start_byte, None)
            raws[each.name.start_byte] = _Raw(
                0, "function", each.node, each.name, each.node.start_byte, each.body.end_byte,
                until=each.body, container=[each.owner] if each.owner else [], is_invoked=True,
            )  # fmt: skip
    if language.grammar == "cpp" and root.has_error:
        raws = {start: raw for start, raw in raws.items() if not _is_spilled(raw)}
    if language.grammar in macro_variables.LANGUAGES:
        for variable in macro_variables.variables_of_macros(root, data, language.grammar):
            raws.pop(variable.macro.start_byte, None)
            if (called := variable.name) is not None:
                around = variable.node
                raw = _Raw(0, "variable", around, called, around.start_byte, around.end_byte)
                raws.setdefault(called.start_byte, raw)
    found.raws = sorted(raws.values(), key=lambda raw: (raw.start, -raw.end, raw.name.start_byte))
    return found


def _is_spilled(raw: _Raw) -> bool:
    """Whether a variable below a condition stands beside statements: it is in a function that the
    grammar could not read."""
    node, parent = raw.node, raw.node.parent
    if raw.kind != "variable" or parent is None or not parent.type.startswith("preproc_"):
        return False
    beside = (node.prev_named_sibling, node.next_named_sibling)
    return any(each is not None and each.type in _STATEMENTS for each in beside)


def _add_leading(found: _Gathered, nodes: list[Node], data: bytes, text: Node | None) -> None:
    """Notes comments or attributes by the row where they end, unless code is before them."""
    words = data[text.start_byte : text.end_byte].decode("utf-8", "replace") if text else ""
    for node in nodes:
        row, column = node.start_point
        start = node.start_byte
        if column and not _is_blank(data, start - column, start):
            continue
        end_row = row + data[start : node.end_byte].rstrip().count(b"\n")
        known = found.leading.get(end_row)
        found.leading[end_row] = (row, words or (known[1] if known else ""))


def _is_blank(data: bytes, start: int, end: int) -> bool:
    """Whether nothing stands in a part of a line: the last of it mostly says so, in a long one."""
    near = max(start, end - _NEAR_BYTES)
    return data[near:end].isspace() and (near == start or data[start:near].isspace())


def _add_definition(
    raws: dict[int, _Raw], pattern: int, captures: dict[str, list[Node]], name: Node
) -> None:
    kind, node = "", None
    for capture, nodes in captures.items():
        if capture.startswith("definition."):
            kind, node = capture[11:], nodes[0]
        elif capture == "scope":
            kind, node = "impl", nodes[0]
    if node is None:
        return
    start, end = node.start_byte, node.end_byte
    key = name.start_byte
    known = raws.get(key)
    if known is None or pattern < known.pattern:
        raw = _Raw(pattern, kind, node, name, start, end)
        if known is not None and known.node.id == node.id:
            raw.outer, raw.container, raw.doc = known.outer, known.container, known.doc
            raw.until, raw.body, raw.end = known.until, known.body, known.end
        raws[key] = raw
    else:
        raw = known
        if pattern > known.pattern and node.id != known.node.id:
            return
    if (outer := captures.get("with")) and raw.outer is None:
        raw.outer = outer[0]
    if until := captures.get("until"):
        raw.until, raw.end = until[0], until[0].end_byte
    if body := captures.get("body"):
        raw.body = body[0]
    if container := captures.get("container"):
        raw.container = container
    if doc := captures.get("doc"):
        raw.doc = doc[0]
    raw.in_branch = "branch" in captures


class _Builder:
    """Turns gathered matches into nested definitions."""

    def __init__(
        self, source: SourceText, language: Language, found: _Gathered, out: list[Definition]
    ) -> None:
        self._source = source
        self._language = language
        self._found = found
        self._out = out
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        self._last_leading: tuple[int, tuple[int, str]] = (-1, (0, ""))
        """A row, and what stands above it."""

    def run(self) -> None:
        self._share_outers()
        stack: list[int] = []
        given: set[tuple[int, str]] = set()
        for raw in self._found.raws:
            while stack and (
                self._ends[stack[-1]] <= raw.start or self._out[stack[-1]].node.id == raw.node.id
            ):
                stack.pop()  # over, or another name in the same declaration
            parent = stack[-1] if stack else -1
            if self._is_local(raw, parent) or self._continues(raw, parent):
                continue
            if raw.kind == "variable":
                key = (parent, self._name(raw.name)[0])
                if raw.in_branch and key in given:
                    continue
                given.add(key)
            self._add(raw, parent)
            stack.append(len(self._out) - 1)

    def _share_outers(self) -> None:
        """A declaration of several names wraps none of them alone."""
        count: dict[int, int] = {}
        for raw in self._found.raws:
            if raw.outer is not None:
                count[raw.outer.id] = count.get(raw.outer.id, 0) + 1
        for raw in self._found.raws:
            if raw.outer is not None and count[raw.outer.id] > 1:
                raw.outer = None

    def _is_local(self, raw: _Raw, parent: int) -> bool:
        return (
            parent >= 0
            and raw.kind in _LOCAL_KINDS
            and self._out[parent].kind in FUNCTION_LIKE
            and not raw.container
        )

    def _continues(self, raw: _Raw, parent: int) -> bool:
        """Another clause of the function before it (Elixir, Haskell): one symbol for all."""
        if not self._language.merge_clauses or not self._out:
            return False
        last = self._out[-1]
        if (
            last.parent != parent
            or last.kind not in FUNCTION_LIKE
            or last.symbol is None
            or last.name != self._name(raw.name)[0]
        ):
            return False
        row = _rows(raw.node)[1]
        symbol = structs.replace(last.symbol, end_line=max(row + 1, last.symbol.end_line))
        self._out[-1] = replace(last, symbol=symbol, last_row=max(row, last.last_row))
        return True

    def _add(self, raw: _Raw, parent: int) -> None:
        name, skipped = self._name(raw.name)
        if raw.is_invoked:
            name = " ".join(name.replace(".", " ").split())  # dots are between names
        path: tuple[str, ...] = ()
        around = ""
        if parent >= 0:
            path = (*self._paths[parent], self._out[parent].name)
            around = self._out[parent].kind
        if raw.container:
            owners = tuple(
                part
                for node in raw.container
                for part in container_names(self._source.text(node.start_byte, node.end_byte))
            )
            path = path + owners
            if owners and not raw.is_invoked:
                around = "class"
        path = path[-MAX_CONTAINER_DEPTH:]
        if raw.kind == "macro" and self._language.grammar in preprocessor.GRAMMARS:
            path = ()  # no scope ends before the file does, whatever a macro is defined in
        kind = raw.kind if raw.is_invoked else self._kind(raw.kind, name, around, path)
        outer = self._outer(raw, parent)
        first_row, last_row = _rows(outer)
        if raw.until is not None:
            last_row = max(last_row, _rows(raw.until)[1])
        top_row, doc = self._leading(first_row)
        symbol = None
        if raw.kind != "impl":
            name_row, name_column = raw.name.start_point
            column = self._source.column(raw.name.start_byte, name_column) + skipped
            symbol = Symbol(
                name=name,
                kind=kind,
                container=".".join(path),
                start_line=first_row + 1,
                end_line=last_row + 1,
                line=name_row + 1,
                column=column,
                end_column=column + utf16_length(name),
                signature=self._signature(raw, kind),
                docstring=self._docstring(raw) or doc,
            )
        self._starts.append(raw.start)
        self._ends.append(raw.end)
        self._paths.append(path)
        self._out.append(Definition(symbol, name, kind, raw.node, top_row, last_row, parent))

    def _name(self, node: Node) -> tuple[str, int]:
        """A name without quotes or sigil, and how many columns that left out before it."""
        text = self._source.text(node.start_byte, node.end_byte).split("\n", 1)[0].rstrip()
        name = text
        if len(text) > 1 and text[0] in "\"'`:" and text[1:2].strip("\"'`:"):
            name = text[1:].rstrip(text[0] if text[0] != ":" else None)
        return name[:MAX_NAME_CHARS], int(name != text)

    def _kind(self, kind: str, name: str, around: str, path: tuple[str, ...]) -> str:
        if kind == "declaration":
            kind = "function"
        if kind == "function" and around in CLASS_LIKE:
            kind = "method"
        if kind in ("method", "function") and (
            (name in self._language.constructors and around in CLASS_LIKE)
            or (self._language.constructor_is_class_name and path and path[-1] == name)
        ):
            return "constructor"
        if kind == "variable":
            if around in CLASS_LIKE:
                return "field"
            if len(name) > 1 and name.isupper():
                return "constant"
        return kind

    def _outer(self, raw: _Raw, parent: int) -> Node:
        """The largest wrapper of a definition that does not wrap its parent."""
        node = raw.outer or raw.node
        if wrappers := self._found.outers.get(node.end_byte):
            floor = self._starts[parent] if parent >= 0 else -1
            start = node.start_byte
            for wrapper in wrappers:
                if floor < wrapper.start_byte <= start:
                    node, start = wrapper, wrapper.start_byte
        return node

    def _leading(self, row: int) -> tuple[int, str]:
        """The first row of the comments and attributes right above `row`, and their text."""
        if row != self._last_leading[0]:  # many may stand on one line, below many lines
            self._last_leading = (row, self._read_leading(row))
        return self._last_leading[1]

    def _read_leading(self, row: int) -> tuple[int, str]:
        texts: list[str] = []
        while (above := self._found.leading.get(row - 1)) is not None and above[0] < row:
            row = above[0]
            if above[1]:
                texts.append(above[1])
        if not texts:
            return row, ""
        return row, clean_comment("\n".join(reversed(texts)))

    def _docstring(self, raw: _Raw) -> str:
        if raw.doc is None:
            return ""
        return clean_string(self._source.text(raw.doc.start_byte, raw.doc.end_byte))

    def _signature(self, raw: _Raw, kind: str) -> str:
        node = raw.node
        start = raw.outer.start_byte if raw.outer is not None else node.start_byte
        most = start + 4 * MAX_SIGNATURE_CHARS
        body = raw.body or raw.until or node.child_by_field_name("body")
        if body is None and (value := node.child_by_field_name("value")) is not None:
            body = value.child_by_field_name("body")
        has_body = body is not None and start < body.start_byte < most
        end = body.start_byte if body is not None and has_body else min(node.end_byte, most)
        lines = self._source.text(start, end).strip().split("\n")
        while len(lines) > 1 and lines[0].lstrip().startswith(("@", "[", "#[")):
            del lines[0]  # decorators and attributes
        if not has_body and (kind not in FUNCTION_LIKE or "{" in lines[0]):
            del lines[1:]
        return end_signature(" ".join(lines))


def _rows(node: Node) -> tuple[int, int]:
    first = node.start_point[0]
    last, column = node.end_point
    return first, last - 1 if column == 0 and last > first else last
