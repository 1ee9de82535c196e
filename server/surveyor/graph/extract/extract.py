"""From one syntax tree to what a file uses: references, imports, and hints about types.

Runs in the index worker, once per file, over the tree that the chunker has parsed: one query
(`references.scm` of the language), one sweep over its captures. Names that are bound inside a
function are resolved here and dropped, so that what is stored can mean something outside.

Captures of `references.scm`:

- `@id` a bare name, `@member` a name after a dot, `@ivar` an instance variable with its sigil,
  `@own` a bare name that is a member of what is around it, `@part` one of what a pattern takes
  apart, `@quoted` the text of a type that is
  written as a string;
- `@call @new @type @base @write @key @read` what a name is used for; `@plain` that it is read,
  whatever else it looks like;
- `@skip` a name that is no use of anything, `@typevar` a type parameter, `@arity` the list of those
  behind the name of a type, where types of one name are told apart by them;
- `@tag` an element of JSX that is no component;
- `@typing` a region in which what looks like a call is a type;
- `@scope` a region with local names, `@head` one that the node behind it belongs to,
  `@class` one whose names its functions do not see,
  `@generic` one with type parameters; `@local` a binding in the innermost scope, `@named` one
  in the scope around that which its definition opens, `@global` a
  name that the innermost scope takes from the module;
- `@called` what is called that is no name, `@implied` what runs special methods, `@handing` a
  call that may hand over a function, `@block` a function that is handed over and run on something,
  `@decorated` a definition with decorators, `@table` a list or
  dictionary that is written out;
- `@unbound` a name that a `@local` takes for one and is none, `@pun` one that is bound to the
  member of its name;
- `@attribute` an attribute, which may be written without the end of its class's name; `@struct` a
  struct that is written out where it is used;
- `@commands` a text that a shell runs;
- `@fixture` a parameter that asks for a test's fixture, `@asked` a text that does, `@given` the
  name of an argument that may be a field;
- `@formatted` a text that names may be filled into;
- `@tokens` what a macro is handed, which may be code (`macro_arguments`);
- `@narrowing` a test that says the type of a name where it holds;
- `@bind` a node that gives a name its type or value, `@returns` a function's declared result,
  `@value` something that a function returns, `@takes` what declares its parameters, `@extended`
  the type that a function outside of it extends, `@impl` an implementation block;
- `@import`, `@default`, `@package`, `@dynamic` handed to the language's readers
  (`languages.traits`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.graph import IMPORT_SCAN_LIMIT
from surveyor.graph.expressions.bindings import (
    Binding,
    CalledWith,
    Imported,
    Uncounted,
    Within,
)
from surveyor.graph.expressions.grammar import parse, print_qualifier
from surveyor.graph.expressions.keys import CALLED, OWN_VARIABLE, handed_over, of_arity
from surveyor.graph.expressions.model import (
    UNKNOWN,
    Expression,
    Fixture,
    Local,
    Member,
    Name,
    instance,
    type_called,
)
from surveyor.graph.extract.blanked_references import blanked_references
from surveyor.graph.extract.dynamic_imports import read_called
from surveyor.graph.extract.extracted import TYPE_KINDS, Extension, Extracted
from surveyor.graph.extract.file_bindings import FileBindings
from surveyor.graph.extract.file_definitions import FileDefinitions
from surveyor.graph.extract.function_heads import FunctionHeads
from surveyor.graph.extract.handed_members import handed_members
from surveyor.graph.extract.handed_values import HandedValues
from surveyor.graph.extract.local_names import LocalNames
from surveyor.graph.extract.macro_arguments import read_again
from surveyor.graph.extract.outside_bases import base_use, implementation, mixed_in
from surveyor.graph.extract.packages import packages
from surveyor.graph.extract.qualifiers import qualifier_before
from surveyor.graph.extract.reexports import may_reexport
from surveyor.graph.extract.scopes import scopes_of
from surveyor.graph.extract.type_arity import arities_of, given_types, told_apart
from surveyor.graph.extract.unnamed_uses import (
    add_constructed,
    add_formatted,
    add_given,
    add_run,
    add_taken_apart,
    commands_in_text,
    implied_use,
    plain_use,
    quoted_types,
)
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.readers import NO_MEMBER, forget_file
from surveyor.graph.languages.traits import Traits
from surveyor.parsing.depth import cursor_of
from surveyor.parsing.languages.grammar import query
from surveyor.parsing.types import Import, Reference, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

    from surveyor.parsing.languages import Language

__all__ = ["extract"]

INTRINSIC = instance(type_called("JSX.IntrinsicElements"))
"""What has the elements of a page, by their tags."""
MAX_REFERENCES = 20_000
"""Per file; what follows is generated data more often than code."""

_KINDS = (
    ("plain", "read"),
    ("base", "inheritance"),
    ("unnamed", "inheritance"),
    ("new", "instantiation"),
    ("write", "write"),
    ("call", "call"),
    ("type", "type"),
    ("key", "write"),
    ("own", "write"),
)


def extract(
    tree: Tree,
    source: bytes,
    language: Language,
    symbols: Sequence[Symbol],
    *,
    read: bytes,
    is_deep: bool = False,
    import_scan_limit: int = IMPORT_SCAN_LIMIT,
) -> Extracted:
    """What a file uses, from its tree, and from what was not `read` for it. Of one that `is_deep`
    (`parsing.depth`), the upper levels.

    `symbols` are the file's definitions in the order in which they are stored: `enclosing` of a
    reference is an index into them. A language without `references.scm` gives an empty answer.
    """
    compiled = query(language, "references.scm")
    if compiled is None:
        return Extracted(symbols=tuple(symbols))
    try:
        return _extract(tree, source, language, symbols, compiled, read, is_deep, import_scan_limit)
    finally:
        forget_file()


def _extract(
    tree: Tree,
    source: bytes,
    language: Language,
    symbols: Sequence[Symbol],
    compiled: Query,
    read: bytes,
    is_deep: bool,
    import_scan_limit: int,
) -> Extracted:
    captures = cursor_of(compiled, is_deep=is_deep).captures(tree.root_node)
    if captures.get("tokens") and language.grammar:
        captures = read_again(captures, source, language.grammar, compiled)
    captures = _in_order(captures)
    if tree.root_node.has_error:
        captures = _written(captures)
    traits = traits_of(language.name)
    arities = arities_of(source, captures.get("arity", ()))
    if arities:
        symbols = told_apart(symbols, arities)
    definitions = FileDefinitions(source, traits, symbols, scopes_of(captures))
    names, handed = LocalNames(definitions), HandedValues(definitions)
    bindings = FileBindings(definitions, names, handed)
    _unbind(captures)
    outside = names.bind(captures)
    bindings.read(captures)
    names.bind_receivers(captures)
    if traits.module_variables:
        bindings.read_module(outside)
    for node in captures.get("entry", ()):
        bindings.read_entry(node)
    listed = definitions.symbols, definitions.byte_of, traits.giving_back
    for name in handed_members(tree.root_node, source, *listed):
        bindings.types[handed_over(name)] = CALLED

    imports: list[Import] = []
    references: list[Reference] = []
    spans: list[tuple[int, int]] = []
    for node in captures.get("import", ()):
        spans.append((node.start_byte, node.end_byte))
        found, named = traits.imports(node) if traits.imports else ([], [])
        imports.extend(_written_imports(found))
        for name_node, module in named:
            references.append(_import_reference(definitions, name_node, module))
    for node in captures.get("default", ()):
        imports.extend(traits.default_exports(node) if traits.default_exports else ())
    clauses = captures.get("package", ())
    spans += [(node.start_byte, node.end_byte) for node in clauses]
    package = packages(clauses, traits)
    if captures.get("dynamic"):
        imports.extend(read_called(tree.root_node, captures["dynamic"], traits, import_scan_limit))

    if traits.required_as is not None:
        for node in captures.get("required", ()):
            around = definitions.enclosing.at(node.start_point[0] + 1, node.start_point[1])
            extended = base_use(definitions, node, "inheritance", None, around)
            name = traits.required_as(extended.name)
            references.append(structs.replace(extended, name=name))
    extensions: list[Extension] = []
    for node in captures.get("impl", ()):
        implementation(definitions, node, references, extensions, bindings.types)
    for owner, mixin in bindings.mixins:
        mixed_in(definitions, owner, mixin, references)
    known = _known(bindings, definitions, names, imports) if traits.binds_all_names else None
    owners = _owners(captures, traits)
    uses = _uses(captures, outside, source, known)
    heads = FunctionHeads(definitions, captures["scope"]) if _sees_heads(traits, captures) else None
    _sweep(definitions, names, uses, known, owners, spans, references, heads)
    if traits.attributes_end and captures.get("attribute"):
        _add_attributes(captures["attribute"], definitions, references)
    for node in captures.get("quoted", ()):
        references += quoted_types(definitions, node)
    for node in captures.get("commands", ()):
        references += commands_in_text(definitions, node)
    add_run(definitions, captures, references)
    if read is not source and language.grammar:
        references += blanked_references(definitions, read, language.grammar)
    for node in names.fixtures:
        references.append(plain_use(definitions, node, Fixture(text_of(node))))
    references += [plain_use(definitions, node, None) for node in captures.get("pun", ())]
    add_taken_apart(definitions, bindings, references)
    add_given(definitions, captures, references)
    add_formatted(definitions, captures, references)
    add_constructed(definitions, captures, references)
    references = [each for each in references if each.name]
    references.sort(key=attrgetter("line", "column"))
    imports.sort(key=lambda item: item.line)
    return Extracted(
        references=tuple(references[:MAX_REFERENCES]),
        imports=tuple(imports),
        symbols=tuple(definitions.symbols),
        is_reexport=_is_reexport(symbols, imports, references),
        types=tuple(sorted(bindings.types.items())),
        fields=tuple(
            (name, *place)
            for name, place in sorted(bindings.fields.items())
            if not name.endswith(".")  # a key that is still to be written
        ),
        package=package,
        handed=tuple(handed.handed),
        extensions=tuple(extensions),
        parameters=tuple(sorted(handed.parameters.items())) if handed.handed else (),
        arities=arities,
    )


def _unbind(captures: dict[str, list[Node]]) -> None:
    """Take names out of those that are bound, where a query cannot tell them apart."""
    if unbound := {node.start_byte for node in captures.get("unbound", ())}:
        captures["local"] = [n for n in captures.get("local", ()) if n.start_byte not in unbound]


_UNORDERED = frozenset({"id", "member", "read", "skip"})
"""Captures that are looked up by their place: most of all, and their order decides nothing."""


def _in_order(captures: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """In the order of the source: the cursor's own depends on where nodes lie in memory."""
    for name, nodes in captures.items():
        if name not in _UNORDERED:
            nodes.sort(key=attrgetter("start_byte", "end_byte"))
    return captures


def _written(captures: dict[str, list[Node]]) -> dict[str, list[Node]]:
    """Without the names that the parser made up: where one is missing, as while a line is being
    typed, the tree has a node of no length."""
    return {
        name: [node for node in nodes if node.start_byte < node.end_byte]
        for name, nodes in captures.items()
    }


def _written_imports(found: Iterable[Import]) -> Iterator[Import]:
    """The same of imports."""
    for each in found:
        names = tuple(pair for pair in each.names if any(pair))
        if len(names) != len(each.names):
            each = structs.replace(each, names=names)
            if not names:
                continue
        if names or each.module:
            yield each


@dataclass(frozen=True, slots=True)
class _Uses:
    """The nodes that may be uses of something, by the byte they start at."""

    nodes: dict[int, Node]
    kinds: dict[int, str]
    """What a use is for, where that is more than reading."""
    members: set[int]
    tags: frozenset[int]
    """Names of elements that a page has by itself: `<div>`."""
    unnamed: frozenset[int]
    """Bases of classes that have no name: `new Runnable() { … }`."""


_NO_USES = ("skip", "typevar", "given")
"""Captures of names that are no uses by themselves."""


def _uses(
    captures: dict[str, list[Node]],
    outside: dict[int, Node],
    source: bytes,
    known: frozenset[str] | None,
) -> _Uses:
    """All names that are used; of bare ones only those that can mean something (`known`)."""
    nodes: dict[int, Node] = dict(outside)
    kinds = dict.fromkeys(outside, "write")
    for capture, kind in _KINDS:
        for node in captures.get(capture, ()):
            start = node.start_byte
            nodes[start] = node
            kinds.setdefault(start, kind)
    members = set()
    for capture in ("member", "ivar", "own", "part"):
        for node in captures.get(capture, ()):
            start = node.start_byte
            nodes[start] = node
            members.add(start)
    members.update(node.start_byte for node in captures.get("key", ()))
    bare = [*captures.get("id", ()), *captures.get("read", ())]
    if known is not None:
        meant = {name.encode() for name in known}
        bare = [node for node in bare if source[node.start_byte : node.end_byte] in meant]
    for node in bare:
        nodes.setdefault(node.start_byte, node)
    for node in (node for each in _NO_USES for node in captures.get(each, ())):
        nodes.pop(node.start_byte, None)
    for node in captures.get("local", ()):
        if node.start_byte not in outside:
            nodes.pop(node.start_byte, None)
    if regions := captures.get("typing"):
        _as_types(regions, kinds)
    tags = frozenset(node.start_byte for node in captures.get("tag", ()))
    unnamed = frozenset(node.start_byte for node in captures.get("unnamed", ()))
    return _Uses(nodes, kinds, members, tags, unnamed)


def _as_types(regions: Sequence[Node], kinds: dict[int, str]) -> None:
    """What looks like a call in a region is a type: `t()`."""
    called = sorted(start for start, kind in kinds.items() if kind == "call")
    for region in regions:
        first = bisect_left(called, region.start_byte)
        for start in called[first : bisect_left(called, region.end_byte)]:
            kinds[start] = "type"


def _sweep(
    definitions: FileDefinitions,
    names: LocalNames,
    uses: _Uses,
    known: frozenset[str] | None,
    owners: dict[int, Expression],
    spans: list[tuple[int, int]],
    references: list[Reference],
    heads: FunctionHeads | None,
) -> None:
    """All uses in the order of the source, but for those in `spans`."""
    source, enclosing, symbols = definitions.source, definitions.enclosing, definitions.symbols
    traits, places, scopes = definitions.traits, definitions.places, definitions.scopes
    receiver = traits.receiver
    qualifiers: dict[tuple[str, int], Uncounted] = {}
    nodes, kinds, members, columns = uses.nodes, uses.kinds, uses.members, definitions.columns
    keywords, is_dotted = definitions.receiver_keywords, traits.named_modules
    dollars, by_arity = traits.dollars, traits.types_by_arity
    spans.sort()
    span_end, next_span = -1, 0
    inner, next_scope, boundaries = -1, 0, scopes.starts
    for start in sorted(nodes):
        while next_span < len(spans) and spans[next_span][0] <= start:
            span_end = max(span_end, spans[next_span][1])
            next_span += 1
        if start < span_end:
            continue
        while next_scope < len(boundaries) and boundaries[next_scope] <= start:
            inner = scopes.owners[next_scope]
            next_scope += 1
        scope = heads.at(start, inner) if heads is not None else inner
        node = nodes[start]
        end = node.end_byte
        name = source[start:end].decode("utf-8", "replace")
        qualifier: Uncounted | None = None
        row, byte_column = node.start_point
        before = name.rpartition(".")[0] if is_dotted else ""
        if before:  # A.B.C: a module by its full name, at the last of its names
            name, qualifier = name.removeprefix(before + "."), parse(before)
            byte_column += len(before.encode()) + 1
            start += len(before.encode()) + 1
        elif start in members:
            if name.startswith("@"):  # Ruby: @field is what attr_reader :field reads
                name, qualifier = name.lstrip("@"), _OWN_VARIABLE
            elif start in owners:
                qualifier = definitions.substitute(owners[start], scope)
            else:
                owned_by = (
                    receiver(node)
                    if receiver is not None
                    else qualifier_before(
                        source,
                        start,
                        sigil=traits.sigils,
                        dollars=dollars,
                        by_arity=by_arity,
                        dots_join=traits.dots_join,
                        arrows=traits.arrows,
                    )
                ) or UNKNOWN
                if owned_by.is_unknown and receiver is None:
                    owned_by = _in_brackets(node) or owned_by
                if names.tested_members:
                    owned_by = names.tested(owned_by, start)
                if heads and (owned := heads.owned(owned_by)):
                    owned_by = owned
                    if heads.is_of_property(name, owned):
                        continue
                key = (owned_by.text, scope)
                known_qualifier = qualifiers.get(key)
                if known_qualifier is None:
                    known_qualifier = definitions.substitute(owned_by, scope)
                    qualifiers[key] = known_qualifier
                qualifier = known_qualifier
        elif start in uses.tags:
            qualifier = INTRINSIC
        elif heads and (member := heads.member(name)):
            qualifier = member
        elif name in keywords or (
            known is not None
            and name not in known
            and not (traits.follows_values and kinds.get(start) in _RUNNING)
        ):
            continue
        else:
            is_called = kinds.get(start) == "call"
            bound = scopes.binding(name, scope, start if is_called else -1)
            if bound is not None and is_called:
                outside = traits.calls_by_brackets and _has_brackets(node)
                bound = None if outside or scopes.is_outside(name, bound) else bound
            if bound is not None:
                found = bound.head if type(bound) is Expression else bound
                own = type(found) is Fixture and found.name == name
                itself = type(found) is Local and not (type(bound) is Expression and bound.steps)
                if itself or own or type(found) is Imported:
                    qualifier = found  # type: ignore[assignment]
                elif alias := definitions.local_alias(name, row):
                    qualifier = alias
                elif traits.follows_values and kinds.get(start) in _RUNNING:
                    called = definitions.substitute(Expression(Name(name)), scope)
                    if called.is_unknown:
                        continue
                    references.append(implied_use(definitions, node, CALLED, called))
                    continue
                elif kinds.get(start) == "call" and (held := _other_name(bound)) is not None:
                    called = definitions.substitute(held, scope)
                    references.append(implied_use(definitions, node, CALLED, called))
                    continue
                elif not (traits.module_variables and scopes.is_given_only(name, scope)):
                    continue
            elif known is not None and name not in known:
                continue
            elif receivers := tuple(names.receivers_at(scope)):
                qualifier = Within(receivers)
        column, end_column = columns(row, byte_column, end - start)
        kind = kinds.get(node.start_byte, "read")
        if (row, column) in places and kind != "inheritance":
            continue
        if traits.argument_count is not None and kind == "call":
            count = traits.argument_count(node)
        else:
            count = -1
        owner = enclosing.at(row + 1, column)
        if node.start_byte in uses.unnamed:
            while owner >= 0 and (symbols[owner].line, symbols[owner].column) > (row + 1, column):
                owner = enclosing.parent(owner)  # a member of it, in one line
            if owner >= 0 and symbols[owner].kind in TYPE_KINDS:
                owner = -1  # it is not this one that has the base
        else:
            while kind == "inheritance" and owner >= 0 and not _may_extend(symbols[owner]):
                owner = enclosing.parent(owner)  # type Both = One & { member: T }, in one line
        if kind in _RUNNING and qualifier is None and scopes.rebinds:
            held = scopes.rebound(name, scope)
            if held is not None:  # of all that the name is given, this
                held = definitions.substitute(held, scope)
                references.append(implied_use(definitions, node, CALLED, held))
                kind = "read"
        if by_arity and source[end : end + 1] == b"<" and kind != "call":
            name = of_arity(name, given_types(node))
        references.append(
            Reference(
                name,
                kind,
                row + 1,
                column,
                end_column,
                print_qualifier(qualifier if count < 0 else CalledWith(qualifier, count)),
                owner,
            )
        )
        if len(references) >= MAX_REFERENCES:
            break


def _sees_heads(traits: Traits, captures: dict[str, list[Node]]) -> bool:
    return traits.sees_class_body and bool(captures.get("scope"))


def _may_extend(symbol: Symbol) -> bool:
    """A type, or a macro that writes what extends something into another module (Elixir)."""
    return symbol.kind in TYPE_KINDS or symbol.kind == "macro"


def _in_brackets(name: Node) -> Expression | None:
    """What stands before a member, where its text says nothing: `(a ?? b).open()`,
    `new Box { Size = 1 }.open()`."""
    around = name.parent
    for field in _BEFORE_MEMBERS if around is not None else ():
        held = around.child_by_field_name(field) if around is not None else None
        if held is not None:
            return expression_of(held) if held.type in _READ_WHOLE else None
    return None


_READ_WHOLE = frozenset({"parenthesized_expression", "object_creation_expression"})
_BEFORE_MEMBERS = ("expression", "argument", "object", "operand", "value")
_RUNNING = frozenset({"call", "instantiation"})


def _has_brackets(name: Node) -> bool:
    around = name.parent
    return around is not None and around.child_by_field_name("arguments") is not None


_OWN_VARIABLE, _THIS = Expression(Name(OWN_VARIABLE)), Expression(Name("this"))


def _owners(captures: dict[str, list[Node]], traits: Traits) -> dict[int, Expression]:
    """What the names are members of that are written without what they are a member of."""
    owners = {node.start_byte: _THIS for node in captures.get("own", ())}
    initialized = traits.initialized
    for capture in ("key", "part") if initialized else ():
        none: set[int] = set()
        for node in captures.get(capture, ()):
            if initialized and (owner := initialized(node)) is NO_MEMBER:
                none.add(node.start_byte)
            elif owner is not None:
                owners[node.start_byte] = owner
        if none:  # names like any other
            captures[capture] = [n for n in captures[capture] if n.start_byte not in none]
    return owners


def _other_name(bound: Binding) -> Expression | None:
    """What a local name is another name for, where it is bound to a name: `open = files.open`."""
    if type(bound) is not Expression or type(bound.head) is not Name:
        return None
    return bound if all(type(step) is Member for step in bound.steps) else None


def _known(
    bindings: FileBindings,
    definitions: FileDefinitions,
    names: LocalNames,
    imports: Sequence[Import],
) -> frozenset[str] | None:
    """The bare names that can mean something: all others are built in. None: cannot be said."""
    found = {symbol.name for symbol in definitions.symbols} | bindings.module_names
    found.update(text_of(node) for node in names.fixtures)
    for item in imports:
        found.update([item.alias] if item.alias else definitions.traits.heads(item.module))
        for _, local in item.names:
            if local == "*":
                return None
            found.add(local)
    return frozenset(found)


def _import_reference(definitions: FileDefinitions, node: Node, module: str) -> Reference:
    row, byte_column = node.start_point
    name = text_of(node).rstrip(": ")  # Elixir: import Box, only: [open: 1]
    length = len(name.encode())
    if definitions.traits.named_modules and "." in name:
        before, _, name = name.rpartition(".")
        module = f"{module}.{before}" if module else before
        byte_column += length - len(name.encode())
        length = len(name.encode())
    column, end_column = definitions.columns(row, byte_column, length)
    return Reference(
        name=name,
        kind="import",
        line=row + 1,
        column=column,
        end_column=end_column,
        qualifier=module,
        enclosing=definitions.enclosing.at(row + 1),
    )


def _add_attributes(
    nodes: Sequence[Node], definitions: FileDefinitions, references: list[Reference]
) -> None:
    """Uses of classes by attributes that leave out the end of their name: `[Mark]`."""
    end = definitions.traits.attributes_end
    at = {(n.start_point[0] + 1, definitions.columns(*n.start_point, 0)[0]) for n in nodes}
    references += [
        structs.replace(each, name=each.name + end)
        for each in references
        if (each.line, each.column) in at and not each.name.endswith(end)
    ]


def _is_reexport(
    symbols: Sequence[Symbol], imports: Sequence[Import], references: Sequence[Reference]
) -> bool:
    """Little but imports and re-exports."""
    if not imports or not may_reexport(symbols):
        return False
    return all(reference.kind not in ("call", "instantiation") for reference in references)
