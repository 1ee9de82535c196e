"""From one syntax tree to what a file uses: references, imports, and hints about types.

Runs in the index worker, once per file, over the tree that the chunker has parsed: one query
(`references.scm` of the language), one sweep over its captures. Names that are bound inside a
function are resolved here and dropped, so that what is stored can mean something outside.

Captures of `references.scm`:

- `@id` a bare name, `@member` a name after a dot, `@ivar` an instance variable with its sigil,
  `@quoted` the text of a type written as a string;
- `@call @new @type @base @write @key @read` what a name is used for;
- `@skip` a name that is no use of anything, `@typevar` a type parameter;
- `@scope` a region with local names, `@class` one whose names its functions do not see,
  `@generic` one with type parameters; `@local` a binding in the innermost scope, `@global` a
  name that the innermost scope takes from the module;
- `@bind` a node that gives a name its type or value, `@returns` a function's declared result,
  `@value` something that a function returns, `@impl` an implementation block;
- `@import`, `@default`, `@package`, `@dynamic` handed to the language's reader in `imports`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from surveyor.graph.bindings import bindings_of, expression_of, qualifier_before, type_name
from surveyor.graph.imports import read_default, read_dynamic, read_import, read_package
from surveyor.graph.scopes import FUNCTION, Scopes, qualified, scoped, scopes_of
from surveyor.indexing.types import Import, Reference, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from surveyor.indexing.languages import Language

__all__ = ["Extracted", "extract", "may_reexport"]

IMPORT_SCAN_LIMIT = 200
"""Imports by call that are computed per file, unless `graph.import_scan_limit` says otherwise."""
MAX_REFERENCES = 20_000
"""Per file; what follows is generated data more often than code."""

_TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "object", "module", "namespace", "type"}
)
_VARIABLE_KINDS = frozenset({"variable", "constant"})
_FUNCTION_KINDS = frozenset({"function", "method", "constructor"})
_KINDS = (
    ("base", "inheritance"),
    ("new", "instantiation"),
    ("call", "call"),
    ("write", "write"),
    ("type", "type"),
    ("key", "write"),
)
_SELF = frozenset({"self", "this", "cls", "super", "Self", "static", "parent", "base"})
_NESTING = frozenset({"javascript", "typescript", "tsx"})
"""Languages whose anonymous functions define named things."""
_MAX_DEPTH = 5
"""How many local variables are followed from one receiver to what it was bound to."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What one file uses and declares."""

    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    """The file's definitions, told apart by the functions around them (`scopes.scoped`)."""
    is_reexport: bool = False
    types: tuple[tuple[str, str], ...] = ()
    """Pairs (`Class.field`, `variable` or `function()`, what it is). `<Foo>` is an instance of
    Foo, `Foo()` the result of calling it, `a.b` another name's value."""
    fields: tuple[tuple[str, int, int, int], ...] = ()
    """Names that exist by assignment only, attributes of self above all: (`Class.name`, line,
    column, end column)."""
    package: str = ""
    """The package or namespace that the file says it belongs to."""


class _Enclosing:
    """Finds the innermost symbol around a line."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._symbols = symbols
        order = sorted(
            range(len(symbols)), key=lambda i: (symbols[i].start_line, -symbols[i].end_line, i)
        )
        lines: list[int] = []
        owners: list[int] = []
        stack: list[int] = []
        self._parents = [-1] * len(symbols)

        def mark(line: int) -> None:
            lines.append(line)
            owners.append(stack[-1] if stack else -1)

        for index in order:
            start = symbols[index].start_line
            while stack and symbols[stack[-1]].end_line < start:
                mark_line = symbols[stack.pop()].end_line + 1
                mark(mark_line)
            self._parents[index] = stack[-1] if stack else -1
            stack.append(index)
            mark(start)
        while stack:
            mark_line = symbols[stack.pop()].end_line + 1
            mark(mark_line)
        self._lines, self._owners = lines, owners

    def at(self, line: int) -> int:
        """Index of the innermost symbol around a 1-based line, or -1."""
        index = bisect_right(self._lines, line) - 1
        return self._owners[index] if index >= 0 else -1

    def of_kind(self, line: int, kinds: frozenset[str]) -> Symbol | None:
        """The innermost symbol of one of these kinds around a line."""
        index = self.at(line)
        while index >= 0:
            symbol = self._symbols[index]
            if symbol.kind in kinds:
                return symbol
            index = self.parent(index)
        return None

    def parent(self, index: int) -> int:
        """The symbol that encloses a symbol, or -1."""
        container = self._symbols[index].container
        while (index := self._parents[index]) >= 0:
            outer = qualified(self._symbols[index])
            if container == outer or container.startswith(outer + "."):
                break
        return index


class _Extraction:
    """The state of one file's sweep."""

    def __init__(self, source: bytes, language: Language, symbols: Sequence[Symbol]) -> None:
        self.source = source
        self.language = language
        self.symbols = symbols
        self.definitions = {(symbol.line - 1, symbol.column) for symbol in symbols}
        self.taken: list[tuple[Node, str, int]] = []
        """Members that values are taken apart into: (name, the value, scope)."""
        self.fixtures: list[Node] = []
        """Parameters that stand for a pytest fixture."""
        self.module_names: set[str] = set()
        """Variables of the module that are no symbols: assigned under an `if` or in a loop."""
        self.ascii = source.isascii()
        self.nests = language.name in _NESTING
        self.line_starts: list[int] = []
        if not self.ascii or self.nests:
            start = 0
            for line in source.split(b"\n"):
                self.line_starts.append(start)
                start += len(line) + 1

    def columns(self, row: int, column: int, length: int) -> tuple[int, int]:
        """Byte columns of a name to UTF-16 ones."""
        if self.ascii:
            return column, column + length
        start = self.line_starts[row]
        before = self.source[start : start + column].decode("utf-8", "replace")
        name = self.source[start + column : start + column + length].decode("utf-8", "replace")
        first = len(before.encode("utf-16-le")) // 2
        return first, first + len(name.encode("utf-16-le")) // 2

    def byte_of(self, line: int, column: int) -> int:
        """The byte of a 1-based line and a UTF-16 column."""
        start = self.line_starts[line - 1]
        if self.ascii:
            return start + column
        text = self.source[start : start + 4 * column].decode("utf-8", "replace")
        before = text.encode("utf-16-le", "surrogatepass")[: 2 * column]
        return start + len(before.decode("utf-16-le", "replace").encode())

    def name_scopes(self, scopes: Scopes) -> None:
        """Tell apart what functions define, where a language defines things inside of them."""
        if self.nests and any(kind == FUNCTION for kind in scopes.kinds):
            places = [self.byte_of(symbol.line, symbol.column) for symbol in self.symbols]
            self.symbols = scoped(self.symbols, places, scopes)
        self.enclosing = _Enclosing(self.symbols)

    def name_at(self, node: Node) -> str:
        """The qualified name of what is named at a node outside of all functions."""
        row, byte_column = node.start_point
        column = self.columns(row, byte_column, 0)[0]
        if (row, column) in self.definitions:
            for symbol in self.symbols:
                if (symbol.line - 1, symbol.column) == (row, column):
                    return qualified(symbol)
        owner = self.enclosing.of_kind(row + 1, _TYPE_KINDS)
        return f"{qualified(owner)}.{_text(node)}" if owner else _text(node)

    def bind_locals(self, captures: dict[str, list[Node]], scopes: Scopes) -> dict[int, Node]:
        """Enters local names into their scopes; returns module-level bindings by byte."""
        outside: dict[int, Node] = {}
        taken: set[tuple[int, str]] = set()
        for node in captures.get("global", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            taken.add((scope, _text(node)))
        for node in captures.get("local", ()):
            start = node.start_byte
            scope = scopes.function(scopes.at(start))
            name = _text(node)
            if scope < 0 or (scope, name) in taken:
                outside[start] = node
                continue
            point = node.start_point
            column = self.columns(point[0], point[1], 0)[0]
            if (point[0], column) not in self.definitions:
                scopes.names[scope].setdefault(name, "")
        for node in captures.get("typevar", ()):
            scope = scopes.at(node.start_byte)
            if scope >= 0:
                scopes.names[scope].setdefault(_text(node), "")
        for node in captures.get("fixture", ()):
            scope = scopes.function(scopes.at(node.start_byte))
            name = _text(node)
            if scope >= 0 and name not in _SELF:
                scopes.names[scope][name] = f"!{name}()"
                self.fixtures.append(node)
        for node in captures.get("bounded", ()):
            parts = node.named_children
            scope = scopes.at(node.start_byte)
            if scope >= 0 and len(parts) > 1:
                text = _text(parts[1]).lstrip(": ").removeprefix("extends ")
                known = type_name(text.split("+")[0])
                scopes.names[scope][_text(parts[0])] = f"<{known}>" if known else ""
        return outside

    def module_fields(self, outside: dict[int, Node]) -> dict[str, tuple[int, int, int]]:
        """Module variables that are no symbols: assigned in a block, or taken out of a value."""
        fields: dict[str, tuple[int, int, int]] = {}
        symbols = {symbol.name for symbol in self.symbols if not symbol.container}
        for node in outside.values():
            name = _text(node)
            row, byte_column = node.start_point
            if name in symbols or self.enclosing.at(row + 1) >= 0:
                continue
            self.module_names.add(name)
            columns = self.columns(row, byte_column, node.end_byte - node.start_byte)
            fields.setdefault(name, (row + 1, *columns))
        return fields

    def entry(self, node: Node) -> dict[str, tuple[int, int, int]]:
        """A key of an object that a module's constant holds: `const Colors = { RED: 1 }`."""
        row, byte_column = node.start_point
        owner = self.enclosing.of_kind(row + 1, _VARIABLE_KINDS)
        if owner is None:
            return {}
        columns = self.columns(row, byte_column, node.end_byte - node.start_byte)
        return {f"{qualified(owner)}.{_text(node)}": (row + 1, *columns)}

    def bind_types(
        self, captures: dict[str, list[Node]], scopes: Scopes
    ) -> tuple[dict[str, str], dict[str, tuple[int, int, int]]]:
        """Gives local names their types, and returns those of fields, variables and results."""
        types: dict[str, str] = {}
        fields: dict[str, tuple[int, int, int]] = {}
        late: list[tuple[str, str, int]] = []
        for node in captures.get("bind", ()):
            for found in bindings_of(node, self.language.name):
                start = found.node.start_byte
                scope = scopes.at(start)
                function = scopes.function(scope)
                line = found.node.start_point[0] + 1
                if found.key is not None:
                    self.taken.append((found.key, found.owner, scope))
                    if found.key is found.node and not found.value:
                        continue  # taken apart further
                if found.is_attribute or found.is_field:
                    owner = self.enclosing.of_kind(line, _TYPE_KINDS)
                    if owner is None:
                        continue
                    name = f"{qualified(owner)}.{_text(found.node).lstrip('@$')}"
                    if found.is_attribute:
                        row, byte_column = found.node.start_point
                        length = found.node.end_byte - start
                        place = (line, *self.columns(row, byte_column, length))
                        fields.setdefault(name, place)
                    if found.value:
                        late.append((name, found.value, scope))
                elif found.value and function >= 0:
                    names = scopes.names[function]
                    key = _text(found.node)
                    bound = names.get(key)
                    if bound == "" or (bound and bound[0] == "!" and found.value[0] == "<"):
                        names[key] = found.value
                    elif bound is not None and bound.startswith("{"):
                        late.append((bound[1:-1], found.value, scope))
                elif found.value:
                    late.append((self.name_at(found.node), found.value, scope))
        for name, value, scope in late:
            types.setdefault(name, self.substitute(value, scope, scopes))
        for kind in ("returns", "value"):
            for node in captures.get(kind, ()):
                line = node.start_point[0] + 1
                owner = self.enclosing.of_kind(line, _FUNCTION_KINDS)
                if owner is None:
                    continue
                if kind == "returns":
                    value = type_name(_text(node))
                    scope = scopes.at(node.start_byte)
                    value = self.substitute(f"<{value}>" if value else "", scope, scopes)
                else:
                    value = self.substitute(expression_of(node), scopes.at(node.start_byte), scopes)
                if value and not value.startswith("?"):
                    types.setdefault(f"{qualified(owner)}()", value)
        return types, fields

    def substitute(self, expression: str, scope: int, scopes: Scopes) -> str:
        """An expression with its first name replaced by what that local was bound to."""
        for _ in range(_MAX_DEPTH):
            if not expression or expression[0] in "?{!":
                return expression
            if expression[0] == "<":  # an instance; of what a type parameter stands for, perhaps
                name, _, rest = expression[1:].partition(">")
                bound = scopes.binding(name, scope) if scope >= 0 else None
                if not bound or bound[0] != "<" or bound == f"<{name}>":
                    return expression
                expression = bound + rest
                continue
            head = _head(expression)
            if head in _SELF or scope < 0:
                return expression
            value = scopes.binding(head, scope)
            if value is None:
                return expression
            if not value or _head(value) == head:
                return "?" + expression
            expression = value + expression[len(head) :]
        return "?" + expression


def _text(node: Node) -> str:
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


def _head(expression: str) -> str:
    for index, character in enumerate(expression):
        if not (character.isalnum() or character in "_$@!"):
            return expression[:index]
    return expression


def extract(
    tree: Tree,
    source: bytes,
    language: Language,
    symbols: Sequence[Symbol],
    *,
    import_scan_limit: int = IMPORT_SCAN_LIMIT,
) -> Extracted:
    """What a file uses, from its tree.

    `symbols` are the file's definitions in the order in which they are stored: `enclosing` of a
    reference is an index into them. A language without `references.scm` gives an empty answer.
    """
    from tree_sitter import QueryCursor

    from surveyor.indexing.languages.grammar import query

    compiled = query(language, "references.scm")
    if compiled is None:
        return Extracted(symbols=tuple(symbols))
    captures = _in_order(QueryCursor(compiled).captures(tree.root_node))
    state = _Extraction(source, language, symbols)
    scopes = scopes_of(captures)
    state.name_scopes(scopes)
    outside = state.bind_locals(captures, scopes)
    types, fields = state.bind_types(captures, scopes)
    if language.name == "python" or state.nests:
        fields = state.module_fields(outside) | fields
    for node in captures.get("entry", ()):
        fields |= state.entry(node)

    imports: list[Import] = []
    references: list[Reference] = []
    spans: list[tuple[int, int]] = []
    for node in captures.get("import", ()):
        spans.append((node.start_byte, node.end_byte))
        found, named = read_import(node, language.name)
        imports.extend(found)
        for name_node, module in named:
            references.append(_import_reference(state, name_node, module))
    for node in captures.get("default", ()):
        imports.extend(read_default(node))
    package = ""
    for node in captures.get("package", ()):
        spans.append((node.start_byte, node.end_byte))
        package = package or read_package(node)
    if captures.get("dynamic"):
        imports.extend(
            read_dynamic(tree.root_node, captures["dynamic"], language.name, import_scan_limit)
        )

    for node in captures.get("impl", ()):
        _implementation(state, node, references)
    _sweep(state, captures, scopes, outside, spans, imports, references)
    references.sort(key=lambda reference: (reference.line, reference.column))
    imports.sort(key=lambda item: item.line)
    return Extracted(
        references=tuple(references[:MAX_REFERENCES]),
        imports=tuple(imports),
        symbols=tuple(state.symbols),
        is_reexport=_is_reexport(symbols, imports, references),
        types=tuple(sorted(types.items())),
        fields=tuple((name, *place) for name, place in sorted(fields.items())),
        package=package,
    )


def _in_order(captures: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """In the order of the source: the cursor's own depends on where nodes lie in memory."""
    for nodes in captures.values():
        nodes.sort(key=attrgetter("start_byte", "end_byte"))
    return captures


def _sweep(
    state: _Extraction,
    captures: dict[str, list[Node]],
    scopes: Scopes,
    outside: dict[int, Node],
    spans: list[tuple[int, int]],
    imports: Sequence[Import],
    references: list[Reference],
) -> None:
    kinds: dict[int, str] = {}
    nodes: dict[int, Node] = dict(outside)
    for start in outside:
        kinds[start] = "write"
    for capture, kind in _KINDS:
        for node in captures.get(capture, ()):
            start = node.start_byte
            nodes[start] = node
            kinds.setdefault(start, kind)
    members = set()
    for capture in ("member", "ivar"):
        for node in captures.get(capture, ()):
            start = node.start_byte
            nodes[start] = node
            members.add(start)
    members.update(node.start_byte for node in captures.get("key", ()))
    for capture in ("id", "read"):
        for node in captures.get(capture, ()):
            nodes.setdefault(node.start_byte, node)
    dropped = {node.start_byte for node in captures.get("skip", ())}
    dropped.update(node.start_byte for node in captures.get("typevar", ()))
    dropped.update(
        node.start_byte for node in captures.get("local", ()) if node.start_byte not in outside
    )
    spans.sort()
    span_end, next_span = -1, 0
    scope, next_scope, boundaries = -1, 0, scopes.starts
    ruby = state.language.name == "ruby"
    source, definitions, enclosing = state.source, state.definitions, state.enclosing
    symbols = state.symbols
    known = _known(state, imports) if state.language.name == "python" else None
    for start in sorted(nodes):
        while next_span < len(spans) and spans[next_span][0] <= start:
            span_end = max(span_end, spans[next_span][1])
            next_span += 1
        is_member = start in members
        if start in dropped or start < span_end:
            continue
        while next_scope < len(boundaries) and boundaries[next_scope] <= start:
            scope = scopes.owners[next_scope]
            next_scope += 1
        node = nodes[start]
        end = node.end_byte
        name = source[start:end].decode("utf-8", "replace")
        qualifier = ""
        if is_member:
            if name.startswith("@"):  # Ruby: @field is self.field
                name, qualifier = name.lstrip("@"), "self"
            else:
                qualifier = (
                    state.substitute(qualifier_before(source, start, sigil=ruby), scope, scopes)
                    or "?"
                )
        elif (known is not None and name not in known) or name in _SELF:
            continue
        else:
            local = scopes.binding(name, scope)
            if local is not None and local[:1] not in ("{", "!"):
                continue
            qualifier = "" if local is None else f"={local[1:-1]}" if local[0] == "{" else "!"
        row, byte_column = node.start_point
        column, end_column = state.columns(row, byte_column, end - start)
        if (row, column) in definitions:
            continue
        kind = kinds.get(start, "read")
        owner = enclosing.at(row + 1)
        while kind == "inheritance" and owner >= 0 and symbols[owner].kind not in _TYPE_KINDS:
            owner = enclosing.parent(owner)  # type Both = One & { member: T }, in one line
        references.append(Reference(name, kind, row + 1, column, end_column, qualifier, owner))
        if len(references) >= MAX_REFERENCES:
            break
    for node in captures.get("quoted", ()):
        _quoted(state, node, references)
    for node in state.fixtures:
        references.append(_plain_read(state, node, "!"))
    for node, whole, scope in state.taken:
        qualifier = state.substitute(whole, scope, scopes)
        if not qualifier.startswith("?"):
            references.append(_plain_read(state, node, qualifier))


def _plain_read(state: _Extraction, node: Node, qualifier: str) -> Reference:
    row, byte_column = node.start_point
    columns = state.columns(row, byte_column, node.end_byte - node.start_byte)
    enclosing = state.enclosing.at(row + 1)
    return Reference(_text(node), "read", row + 1, *columns, qualifier, enclosing)


def _known(state: _Extraction, imports: Sequence[Import]) -> frozenset[str] | None:
    """The bare names that can mean something: all others are built in. None: cannot be said."""
    names = {symbol.name for symbol in state.symbols} | state.module_names
    names.update(_text(node) for node in state.fixtures)
    for item in imports:
        names.add(item.alias or item.module.split(".")[0])
        for _, local in item.names:
            if local == "*":
                return None
            names.add(local)
    return frozenset(names)


def _import_reference(state: _Extraction, node: Node, module: str) -> Reference:
    row, byte_column = node.start_point
    column, end_column = state.columns(row, byte_column, node.end_byte - node.start_byte)
    return Reference(
        name=_text(node),
        kind="import",
        line=row + 1,
        column=column,
        end_column=end_column,
        qualifier=module,
        enclosing=state.enclosing.at(row + 1),
    )


def _quoted(state: _Extraction, node: Node, references: list[Reference]) -> None:
    """Type names inside a string annotation."""
    import re

    row, byte_column = node.start_point
    text = _text(node)
    if "\n" in text:
        return
    for match in re.finditer(r"(?:(\w+(?:\.\w+)*)\.)?([A-Za-z_]\w*)", text):
        column, _ = state.columns(row, byte_column, 0)
        begin = column + match.start(2)
        references.append(
            Reference(
                name=match[2],
                kind="type",
                line=row + 1,
                column=begin,
                end_column=begin + len(match[2]),
                qualifier=match[1] or "",
                enclosing=state.enclosing.at(row + 1),
            )
        )


def _implementation(state: _Extraction, node: Node, references: list[Reference]) -> None:
    """`impl Trait for Type`: the trait is a base of the type, not of what encloses the block."""
    trait = node.child_by_field_name("trait")
    target = node.child_by_field_name("type")
    if trait is None or target is None:
        return
    name = type_name(_text(target)).rpartition(".")[2]
    owner = next(
        (i for i, s in enumerate(state.symbols) if s.name == name and s.kind in _TYPE_KINDS), -1
    )
    leaf = trait.child_by_field_name("type") if trait.type == "generic_type" else trait
    while leaf is not None and leaf.type == "scoped_type_identifier":
        leaf = leaf.child_by_field_name("name")
    if owner < 0 or leaf is None:
        return
    row, byte_column = leaf.start_point
    column, end_column = state.columns(row, byte_column, leaf.end_byte - leaf.start_byte)
    qualifier = qualifier_before(state.source, leaf.start_byte)
    references.append(
        Reference(_text(leaf), "inheritance", row + 1, column, end_column, qualifier, owner)
    )


def _is_reexport(
    symbols: Sequence[Symbol], imports: Sequence[Import], references: Sequence[Reference]
) -> bool:
    """Little but imports and re-exports."""
    if not imports or not may_reexport(symbols):
        return False
    return all(reference.kind not in ("call", "instantiation") for reference in references)


def may_reexport(symbols: Sequence[Symbol]) -> bool:
    """Whether a file of these definitions can be little but imports and re-exports."""
    return all(
        symbol.kind in ("variable", "constant") and symbol.name.startswith("__")
        for symbol in symbols
    )
