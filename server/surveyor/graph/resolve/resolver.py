"""From a file's references to edges: scopes, imports, receivers and their types.

`Resolver` answers for one checkout; it only reads, and remembers what it has worked out until it
is thrown away. What names and expressions mean is worked out by `evaluate.CheckoutEvaluation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.graph.expressions.grammar import parse, parse_qualifier
from surveyor.graph.expressions.keys import (
    CALLED,
    CANDIDATE,
    arities_of,
    decorated,
    extended_by,
    parse_arities,
    parse_module,
    plain_name,
)
from surveyor.graph.expressions.model import (
    CalledWith,
    Expression,
    Fixture,
    Imported,
    Instance,
    Local,
    Name,
    TypeName,
    Within,
)
from surveyor.graph.facts import KIND_CODES, ImportLink
from surveyor.graph.languages.traits import COMMON_MEMBERS
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.layout import Layout
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.tree import EXTERNAL, Tree, shared_folders
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS, DefinitionKey, Value

__all__ = ["Edge", "ImportEdge", "Resolution", "Resolver", "is_common"]

MAX_CANDIDATES = 8
"""More definitions of the same name than this, with nothing to choose by, say nothing."""
UNIQUE_SCORE = 0.6
"""An unknown receiver, and the project has one such member."""
SIMILAR_SCORE = 0.55
"""An unknown receiver whose name resembles the class of the member."""
COMMON_SCORE = 0.2
"""As above, for names that the standard types have too."""
DATA_SCORE = 0.3
"""An unknown receiver's property in JavaScript, where objects are made of literals, and what is
declared in a file that the receiver's does not include."""
EXTENSION_SCORE = 0.7
"""An unknown receiver, and an extension of that name is imported, or no type has such a member."""
MAX_COMMON = 2
"""Such names with more definitions than this in the project give no candidates."""
_MAX_HELD = 3
"""Variables from one that is called to the function that it holds."""
CERTAIN = 0.5
"""Edges from this score on are `syntax`, those below are `text`: candidates by name only."""

_IMPORT, _TYPE = KIND_CODES["import"], KIND_CODES["type"]
_DATA = frozenset({"field", "property", "variable", "constant"})
"""What is not called, where a function of the name may stand beside it."""
_NAMING = _DATA | {"member"}
"""Definitions that may be another name for something."""
_VALUES = frozenset({"function", "constant", "variable"})
"""Definitions that are no types, unless a type of the same name stands beside them."""
_CALL, _INSTANTIATION = KIND_CODES["call"], KIND_CODES["instantiation"]
_INHERITANCE = KIND_CODES["inheritance"]
_READ, _IMPLICIT = KIND_CODES["read"], KIND_CODES["implicit"]
_HOLDERS = frozenset({"variable", "constant", "field", "member"})
"""Definitions that may hold a function."""
_RUNNING = frozenset({_CALL, _INSTANTIATION})
_TYPES = frozenset(KIND_CODES[kind] for kind in ("type", "inheritance", "instantiation"))
"""Uses that stand where only a type can."""


def is_common(name: str) -> bool:
    """Whether a member of this name may be one of a standard type."""
    return name in COMMON_MEMBERS


class Edge(NamedTuple):
    """A use of a definition. Lines are 1-based, columns UTF-16."""

    line: int
    column: int
    end_column: int
    kind: int
    source: str
    """Qualified name of the definition around the use; '' at file level."""
    target: DefinitionKey
    score: float
    source_path: str = ""
    """The file of that definition, where it is another one: a base given to a type elsewhere."""


@dataclass(frozen=True, slots=True)
class ImportEdge:
    """An import and the file that it means, or why none."""

    line: int
    module: str
    kind: str
    target: str
    reason: str


@dataclass(slots=True)
class Resolution:
    """Everything that one file's names mean."""

    edges: list[Edge] = field(default_factory=list)
    imports: list[ImportEdge] = field(default_factory=list)


Row = tuple[str, int, int, int, int, str, int]
_Target = tuple[DefinitionKey, float, int | None]
"""What is used, how sure that is, and what the use does where it looks like something else."""


class Resolver:
    """Resolves the files of one checkout.

    `layout` is of the source's paths, where it is there already.
    """

    def __init__(
        self, source: FileSource, hints: Hints | None = None, layout: Layout | None = None
    ) -> None:
        self._source = source
        self._hints = hints or Hints.none()
        layout = layout or Layout(Tree(source.paths(), source.read))
        self._meaning = CheckoutEvaluation(source, self._hints, layout)
        self._named: dict[tuple[str, str], list[tuple[DefinitionKey, str]]] = {}
        self._defined: dict[str, bool] = {}
        """Names with a `/` between -> whether something has one of them."""
        self._members: dict[tuple[str, str, bool], tuple[list[DefinitionKey], int]] = {}
        self._given: dict[tuple[str, str], list[tuple[DefinitionKey, str, str]]] = {}
        """What is given to types from outside of them: (definition, its kind, the type's name)."""

    def resolve(self, path: str, references: Sequence[Row]) -> Resolution:
        """Edges of a file from its stored references."""
        result = Resolution()
        file = self._meaning.files.file(path)
        if file is None:
            return result
        seen: set[tuple[int, int, DefinitionKey]] = set()
        memo: dict[tuple[str, str, int, int], list[_Target]] = {}
        for edge in self._extensions(file):
            seen.add((edge.line, edge.column, edge.target))
            result.edges.append(edge)
        names = file.facts.names
        for name, kind, line, column, end_column, qualifier, enclosing in references:
            key = (name, qualifier, enclosing, kind)
            targets = memo.get(key)
            if targets is None:
                targets = memo[key] = self._all(file, name, kind, qualifier, enclosing)
            source = file.qualname(enclosing)
            for target, score, other in targets:
                if (line, column, target) in seen or (
                    target == (path, source)
                    and (names[enclosing].line == line and names[enclosing].column == column)
                ):
                    continue
                seen.add((line, column, target))
                what = kind if other is None else other
                result.edges.append(Edge(line, column, end_column, what, source, target, score))
        result.imports = list(self.imports(file))
        return result

    def _extensions(self, file: File) -> Iterable[Edge]:
        """Bases that a file gives types of others."""
        for type_text, base_text, line, column, end_column in file.facts.extensions:
            types, bases = self._types(type_text, file), self._types(base_text, file)
            for value in types[:1]:
                for base in _definitions(bases)[:1]:
                    yield Edge(
                        line,
                        column,
                        end_column,
                        _INHERITANCE,
                        value.qualname,
                        base,
                        1.0,
                        value.path,
                    )

    def _types(self, text: str, file: File) -> list[Value]:
        """The types of the project that an expression names."""
        expression = parse(text)
        if expression is None:
            return []
        values, _ = self._meaning.values.evaluate(expression, file, -1)
        return [v for v in values if self._meaning.files.kind(v) in TYPE_KINDS]

    def _all(
        self, file: File, name: str, kind: int, qualifier: str, enclosing: int
    ) -> list[_Target]:
        """What a use means, and what runs there without being named."""
        if kind == _IMPLICIT:
            run = self._implied(file, name, qualifier, enclosing)
            return [(definition, 1.0, _IMPLICIT) for definition in run]
        targets = self._targets(file, name, kind, qualifier, enclosing)
        if file.traits.aliases:
            targets = [each for one in targets for each in self._aliased(one)]
        if kind == _READ and file.traits.calls_by_name:
            return [
                (target, score, _CALL if self._is_function(target) else None)
                for target, score in targets
            ]
        if not file.traits.follows_values and (kind not in _RUNNING or not file.traits.constructor):
            return [(target, score, None) for target, score in targets]
        found: list[_Target] = []
        for target, score in targets:
            other: int | None = None
            if kind in _RUNNING and file.traits.made_by_calling:
                is_class = self._is_class(target)
                other = _INSTANTIATION if is_class else _READ if kind == _INSTANTIATION else None
            elif kind == _READ and self._is_accessor(target):
                other = _CALL
            found.append((target, score, other))
        if kind not in _RUNNING:
            return found
        seen = {target for target, _, _ in found}
        for target, score in targets:
            for definition in self._held(Value("node", *target), file):
                if definition not in seen:
                    seen.add(definition)
                    found.append((definition, score, _IMPLICIT))
        return found

    def _aliased(
        self, target: tuple[DefinitionKey, float], depth: int = 0
    ) -> list[tuple[DefinitionKey, float]]:
        """What a constant is another name for, before itself: `const Box = shapes.Box`."""
        definition, score = target
        file = self._meaning.files.file(definition.path)
        name = file.get(definition.qualname) if file is not None else None
        if file is None or name is None or name.kind not in _NAMING or depth > _MAX_HELD:
            return [target]
        said = parse(file.facts.types.get(definition.qualname, ""))
        if said is None or not said.steps or said.dotted.rpartition(".")[2] != name.name:
            return [target]
        held = _definitions(self._meaning.types.declared(Value("node", *definition), 0))
        meant = [each for d in held for each in self._aliased((d, score), depth + 1)]
        return [*meant, target]

    def _implied(
        self, file: File, names: str, qualifier: str, enclosing: int
    ) -> list[DefinitionKey]:
        """What a value runs that is called, or that an operator is applied to."""
        if names != CALLED and not self._is_defined(names):
            return []
        expression = parse_qualifier(qualifier)
        if type(expression) is not Expression:
            return []
        values, _ = self._meaning.values.evaluate(expression, file, enclosing)
        if names == CALLED:
            run = [d for value in values for d in self._run(value, file)]
            return list(dict.fromkeys(run)) if len(run) <= MAX_CANDIDATES else []
        for name in names.split("/"):
            found = [
                m
                for value in values
                for i in self._instances(value)
                for m in self._meaning.members.member(i, name, file)
            ]
            if found:
                return _definitions(found)
        return []

    def _is_defined(self, names: str) -> bool:
        """Whether the project defines one of these methods: of most operators none."""
        known = self._defined.get(names)
        if known is None:
            known = any(any(True for _ in self._source.named(name)) for name in names.split("/"))
            self._defined[names] = known
        return known

    def _run(self, value: Value, file: File, depth: int = 0) -> list[DefinitionKey]:
        """What calling a value runs."""
        if value.tag == "instance":
            method = file.traits.call_method
            return _definitions(self._meaning.members.member(value, method, file)) if method else []
        name = self._meaning.files.name(value) if value.tag == "node" else None
        if name is None or depth > _MAX_HELD:
            return []
        if name.kind in CALLABLE_KINDS:
            return _definitions([value])
        return self._held(value, file, depth)

    def _held(self, value: Value, file: File, depth: int = 0) -> list[DefinitionKey]:
        """What runs where something is called, beside what its name means."""
        name = self._meaning.files.name(value)
        if name is None or (name.kind in TYPE_KINDS and not file.traits.constructor):
            return []
        if name.kind in TYPE_KINDS:
            members = self._meaning.members
            return _definitions(members.member(value, file.traits.constructor, file))
        declared = self._meaning.types.declared
        held: list[Value] = []
        if name.kind in CALLABLE_KINDS:
            held = declared(value, 0, decorated(value.qualname))
        elif name.kind in _HOLDERS:
            held = declared(value, 0)
        found = [d for v in held if v != value for d in self._run(v, file, depth + 1)]
        return found if len(found) <= MAX_CANDIDATES else []

    def _instances(self, value: Value) -> list[Value]:
        """The instances that a value is, or that a variable holds."""
        if value.tag != "node":
            return [value] if value.tag == "instance" else []
        name = self._meaning.files.name(value)
        if name is None or name.kind not in _HOLDERS:
            return []
        return [v for v in self._meaning.types.declared(value, 0) if v.tag == "instance"]

    def _is_accessor(self, target: DefinitionKey) -> bool:
        """Whether a method runs where its name is read."""
        file = self._meaning.files.file(target.path)
        name = file.get(target.qualname) if file is not None else None
        return (
            file is not None
            and name is not None
            and name.kind == "method"
            and (name.qualname in file.accessors)
        )

    def _is_function(self, target: DefinitionKey) -> bool:
        return self._meaning.files.kind(Value("node", *target)) in CALLABLE_KINDS

    def _is_class(self, target: DefinitionKey) -> bool:
        other = self._meaning.files.file(target.path)
        name = other.get(target.qualname) if other is not None else None
        return name is not None and name.kind in ("class", "struct")

    def _targets(
        self, file: File, name: str, kind: int, qualifier: str, enclosing: int
    ) -> list[tuple[DefinitionKey, float]]:
        if kind == _IMPORT:
            return _certain(self._imported(file, qualifier, name))
        said = parse_qualifier(qualifier)
        before, count = (said.before, said.count) if isinstance(said, CalledWith) else (said, -1)
        if before is None:
            return self._bare(file, name, kind, enclosing, count)
        if type(before) is Local:
            return [(DefinitionKey(file.path, before.qualname), 1.0)]
        if type(before) is Imported:
            return _certain(self._imported(file, before.module, before.name))
        if type(before) is Within:
            return self._within(file, name, kind, before, enclosing, count)
        if type(before) is Fixture:
            return _certain(_definitions(self._meaning.names.fixture(name, file)))
        return self._member(file, name, kind, before, enclosing, count)

    def _bare(
        self, file: File, name: str, kind: int, enclosing: int, count: int = -1
    ) -> list[tuple[DefinitionKey, float]]:
        """A name that nothing stands before."""
        if name in file.traits.foreign_names:
            return []
        if file.traits.named_modules and name[:1].isupper():
            whole = parse(name)
            values = self._meaning.values.evaluate(whole, file, enclosing)[0] if whole else []
            return _certain(_definitions(values))
        values = self._meaning.names.bare(file, name, enclosing, types_only=kind in _TYPES)
        if kind == _TYPE and file.traits.separate_types:
            values = [value for value in values if self._may_be_type(value)]
            if not values:
                return []
        if values and count >= 0 and not any(self._takes(value, count) for value in values):
            around = self._meaning.types.around(file, enclosing)
            inherited = self._meaning.members.inherited
            others = [m for owner in around for m in inherited(owner, name, file)]
            others += self._meaning.names.all_visible(file, name, enclosing)
            values = [value for value in others if self._takes(value, count)] or values
        if values:
            return _certain(_definitions(_run_by(kind, values)))
        top = file.top(name)
        if top is not None:  # const fs = require("fs"): as far as the project goes
            return [(DefinitionKey(file.path, top.qualname), 1.0)]
        return self._global(file, name, kind)

    def _within(
        self, file: File, name: str, kind: int, around: Within, enclosing: int, count: int
    ) -> list[tuple[DefinitionKey, float]]:
        """A bare name inside of functions that are handed over: of what they are run on, or of
        what is visible there."""
        for receiver in around.receivers if kind not in _TYPES else ():
            values, _ = self._meaning.values.evaluate(receiver, file, enclosing)
            members = [m for v in values for m in self._meaning.members.member(v, name, file)]
            if found := self._applicable(file, name, enclosing, count, values, members):
                return _certain(_definitions(found))
        return self._bare(file, name, kind, enclosing, count)

    def _applicable(
        self,
        file: File,
        name: str,
        enclosing: int,
        count: int,
        owners: Sequence[Value],
        members: Sequence[Value],
    ) -> Sequence[Value]:
        """Members, or else extensions, that take so many arguments; those that do not, if none."""
        found = [member for member in members if self._takes(member, count)]
        if found or not owners:
            return found or members
        extensions = self._meaning.names.extension(file, name, enclosing, owners)
        found = [each for each in extensions if self._takes(each, count)]
        return found or members or extensions

    def _takes(self, value: Value, count: int) -> bool:
        """Whether one of the signatures of a name may be called with so many arguments."""
        file = self._meaning.files.file(value.path)
        if file is None or count < 0:
            return True
        facts = [
            file.facts.types.get(arities_of(each.qualname))
            for each in self._meaning.names.signatures(value)
        ]
        arities = [arity for fact in facts for arity in parse_arities(fact or "0-99")]
        return not arities or any(arity.least <= count <= arity.most for arity in arities)

    def _member(
        self,
        file: File,
        name: str,
        kind: int,
        expression: Expression,
        enclosing: int,
        count: int = -1,
    ) -> list[tuple[DefinitionKey, float]]:
        """A member of a value."""
        members = self._meaning.members
        if file.traits.named_modules and name[:1].isupper():
            whole = self._meaning.values.evaluate(expression.member(name), file, enclosing)[0]
            return _certain(_definitions(whole))
        values, known = self._meaning.values.evaluate(expression, file, enclosing)
        if values:
            found = [member for value in values for member in members.member(value, name, file)]
            called = found
            if kind == _CALL and file.traits.extensions:  # a function may stand beside a field
                called = [v for v in found if self._meaning.files.kind(v) not in _DATA]
            found = [*self._applicable(file, name, enclosing, count, values, called)] or found
            if found:
                return _certain(_definitions(_run_by(kind, found)))
            closed = not any(members.is_open(value, file) for value in values)
            foreign = any(members.is_of_elsewhere(value) for value in values)
            # By its full name a module is itself.
            if (closed and not foreign) or file.traits.named_modules:
                return []
        else:
            closed = known
            if given := self._given_by_name(file, name, expression):
                return given
        written = self._written(expression, values) if closed else set[str]()
        extending = self._meaning.names.extension(file, name, enclosing, ())
        if basic := written & file.traits.basic_types:
            extending = [
                each
                for each in extending
                if self._extended_type(each) in basic
                or self._extended_type(each) not in file.traits.basic_types
            ]
        if extending:
            found_by_name = self._extending(file, name, extending, is_foreign=closed)
            if closed or not file.traits.global_extensions or found_by_name[0][1] >= CERTAIN:
                return found_by_name
            return [*found_by_name, *self._by_name(file, name, kind, expression)]
        if kind in (_TYPE, _INHERITANCE):
            return []  # what is only alike is no type
        if closed:
            return self._given_elsewhere(file, name, kind, written)
        return self._by_name(file, name, kind, expression)

    def _given_by_name(
        self, file: File, name: str, owner: Expression
    ) -> list[tuple[DefinitionKey, float]]:
        """What the project defines in a type of another one, whose name is said: `Fields.Age`."""
        if file.traits.members_elsewhere is None or not owner.dotted[:1].isupper():
            return []
        named = self._candidates(owner.last_word, file.family)
        if any(kind in TYPE_KINDS for _, kind in named):  # the project's own, which is not meant
            return []
        whole = f"{owner.dotted}.{name}"
        found = [d for d, _ in self._candidates(name, file.family) if d.qualname == whole]
        return _certain(found)

    def _extending(
        self, file: File, name: str, extending: list[Value], *, is_foreign: bool
    ) -> list[tuple[DefinitionKey, float]]:
        """Extensions of that name that a file sees, for a value of which nothing is known, or only
        that its type is not of the project: it has no other members of the project's then."""
        members, _ = self._members_called(name, file.family, is_called=True)
        near = any(value.path == file.path for value in extending)
        chosen = near or name in file.imported or not members
        if file.traits.global_extensions:
            chosen = len(set(_definitions(extending))) == 1 and (is_foreign or not members)
            chosen = chosen and not file.traits.generic_extensions
        score = EXTENSION_SCORE if chosen else CERTAIN * 0.9 / len(extending)
        return [(definition, score) for definition in _definitions(extending)]

    def _written(self, expression: Expression, values: Sequence[Value]) -> set[str]:
        """The names of the types that a receiver is declared with."""
        facts = [
            parse(holder.facts.types.get(value.qualname, ""))
            for value in values
            if (holder := self._meaning.files.file(value.path)) is not None
        ]
        return {name for each in facts or [expression] if (name := _type_name(each))}

    def _extended_type(self, extension: Value) -> str:
        """The name of the type that a function extends."""
        file = self._meaning.files.file(extension.path)
        fact = file.facts.types.get(extended_by(extension.qualname)) if file is not None else None
        return _type_name(parse(fact)) if fact else ""

    def _given_elsewhere(
        self, file: File, name: str, kind: int, written: set[str]
    ) -> list[tuple[DefinitionKey, float]]:
        """Members that the project itself gives to a type that it does not define."""
        found = [
            definition
            for definition, candidate, extended in self._given_from_outside(name, file.family)
            if extended in written
            and (candidate in CALLABLE_KINDS or (kind != _CALL and candidate not in TYPE_KINDS))
        ]
        if len(found) > MAX_CANDIDATES:
            return []
        return [(definition, EXTENSION_SCORE) for definition in found]

    def _given_from_outside(self, name: str, wanted: str) -> list[tuple[DefinitionKey, str, str]]:
        key = (name, wanted)
        known = self._given.get(key)
        if known is None:
            known = self._given[key] = [
                (definition, candidate, extended)
                for definition, candidate in self._candidates(name, wanted)
                if (extended := self._extended(definition))
            ]
        return known

    def _extended(self, definition: DefinitionKey) -> str:
        """The name of the type that a member is given to from outside of it; empty for others."""
        container = definition.qualname.rpartition(".")[0]
        file = self._meaning.files.file(definition.path)
        if file is None or not container:
            return ""
        if extended := file.facts.types.get(extended_by(container)):
            return _type_name(parse(extended))
        return "" if container in file.by_qualname else container.rpartition(".")[2]

    def _may_be_type(self, value: Value) -> bool:
        """Whether a name can be a type: a `Text` that is a constant here is built in as one."""
        found = self._meaning.files.name(value) if value.tag == "node" else None
        if found is None or found.kind not in _VALUES:
            return True
        file = self._meaning.files.file(value.path)
        return file is not None and any(
            name.name == found.name and name.container == found.container
            and name.kind in TYPE_KINDS
            for name in file.facts.names
        )  # fmt: skip

    def _imported(self, file: File, module: str, name: str) -> Iterable[DefinitionKey]:
        module, name = parse_module(module, name)
        if not module and not file.traits.named_modules:  # export { a }: this file's own
            return _definitions(self._meaning.names.bare(file, name, -1))
        if file.traits.named_modules:
            whole = ".".join(part for part in (module, name) if part)
            if name[:1].isupper():
                return _definitions(self._meaning.modules.named(whole, file))
            values = self._meaning.modules.named(module, file)
        else:
            values, _ = self._meaning.modules.modules(module, file)
        return _definitions(
            member for value in values for member in self._meaning.members.member(value, name, file)
        )

    def _candidates(self, name: str, wanted: str) -> list[tuple[DefinitionKey, str]]:
        key = (name, wanted)
        if key not in self._named:
            found: list[tuple[DefinitionKey, str]] = []
            of_tests: list[tuple[DefinitionKey, str]] = []
            for path, qualname, kind in self._source.named(name):
                other = self._meaning.files.file(path)
                if other is not None and other.family == wanted:
                    listed = of_tests if other.facts.is_test else found
                    listed.append((DefinitionKey(path, qualname), kind))
            self._named[key] = found or of_tests  # a test answers for nothing that code has too
        return self._named[key]

    def _global(self, file: File, name: str, kind: int) -> list[tuple[DefinitionKey, float]]:
        """Names that no import brings: headers not found, autoloaded classes, macros."""
        rule = file.traits.global_names
        if rule is None or name in rule.built_in:
            return []
        if rule.only_told:
            return self._told(file, name)
        wants_type = kind in _TYPES
        only_macros = rule.only_macros
        candidates = self._candidates(name, file.family)
        if rule.methods and file.facts.is_test and not wants_type:
            candidates = self._nearest(file, name)
        found = [
            (definition, candidate)
            for definition, candidate in candidates
            if (candidate == "macro" and not wants_type and not self._is_local(definition))
            or (candidate in TYPE_KINDS and not only_macros)
            or (
                candidate in ("function", "constant", "enum_member")
                and not (wants_type or only_macros)
            )
            or (rule.methods and candidate == "method" and kind == _CALL)
        ]
        if not found or len(found) > MAX_CANDIDATES:
            return []
        if not rule.common and not wants_type and name in COMMON_MEMBERS:
            return []
        score = 0.8 if len(found) == 1 else 0.8 / len(found)
        if rule.is_declared:
            score = 0.8 if len({d.qualname for d, _ in found}) == 1 else 0.45
        return [(definition, score) for definition, _ in found]

    def _nearest(self, file: File, name: str) -> list[tuple[DefinitionKey, str]]:
        """What a test means by a name that it has from anywhere: helpers of the tests around it
        before what is farther away."""
        every = [
            (DefinitionKey(path, qualname), kind)
            for path, qualname, kind in self._source.named(name)
            if (other := self._meaning.files.file(path)) is not None and other.family == file.family
        ]
        near = max((shared_folders(d.path, file.folder) for d, _ in every), default=0)
        return [each for each in every if shared_folders(each[0].path, file.folder) == near]

    def _is_local(self, definition: DefinitionKey) -> bool:
        """Whether a function is around a definition: nobody else sees it."""
        container = definition.qualname.rpartition(".")[0]
        around = self._meaning.files.kind(Value("node", definition.path, container))
        return around in CALLABLE_KINDS

    def _told(self, file: File, name: str) -> list[tuple[DefinitionKey, float]]:
        """What another file says that it defines for all."""
        found = [
            definition
            for definition, _ in self._candidates(name, file.family)
            if definition.qualname == name
            and (other := self._meaning.files.file(definition.path)) is not None
            and name in other.told
        ]
        if len(found) != 1:
            return []
        return self._aliased((found[0], 0.8))

    def _members_called(
        self, name: str, wanted: str, *, is_called: bool
    ) -> tuple[list[DefinitionKey], int]:
        """Members of a name that may be meant, and how many there are with those of literals."""
        key = (name, wanted, is_called)
        known = self._members.get(key)
        if known is None:
            found = [
                (definition, candidate)
                for definition, candidate in self._candidates(name, wanted)
                if "." in definition.qualname
                and (not is_called or candidate in CALLABLE_KINDS)
                and candidate not in TYPE_KINDS
                and not self._is_extension(definition)
            ]
            members = [definition for definition, candidate in found if candidate != "member"]
            known = self._members[key] = (members, len(found))
        return known

    def _is_of_test(self, definition: DefinitionKey) -> bool:
        file = self._meaning.files.file(definition.path)
        return file is not None and file.facts.is_test

    def _is_extension(self, definition: DefinitionKey) -> bool:
        """Whether a member of a class extends another type: nobody sees it from outside."""
        file = self._meaning.files.file(definition.path)
        return file is not None and extended_by(definition.qualname) in file.facts.types

    def _by_name(
        self, file: File, name: str, kind: int, owner: Expression
    ) -> list[tuple[DefinitionKey, float]]:
        """A member of something unknown: all members of that name, with a score.

        Keys of objects that are written out in one place only say that the name is ambiguous.
        """
        members, count = self._members_called(name, file.family, is_called=kind == _CALL)
        if not file.facts.is_test:  # code calls nothing of its tests
            members = [each for each in members if not self._is_of_test(each)]
        common = name in file.traits.common_members
        crowded = count > MAX_CANDIDATES
        if not members or len(members) > MAX_CANDIDATES or name.startswith("__"):
            return []
        receiver = owner.last_word.lower()
        if len(receiver) > 2 and not (common and crowded):
            alike = [
                definition
                for definition in members
                if receiver in definition.qualname.split(".")[-2].lower()
                or definition.qualname.split(".")[-2].lower().strip("_") in receiver
            ]
            if len(alike) == 1 and count > 1:
                score = SIMILAR_SCORE if self._is_visible(alike, file) else DATA_SCORE
                return [(d, score if d in alike else 0.4 / count) for d in members]
        if crowded or ((common or owner.is_nameless) and count > MAX_COMMON):
            return []
        if common or owner.is_nameless:
            return [(definition, COMMON_SCORE / count) for definition in members]
        score = UNIQUE_SCORE if count == 1 else CERTAIN * 0.9 / count
        if (
            (kind != _CALL and file.traits.literal_objects)
            or not self._is_visible(members, file)
            or self._is_of_elsewhere(owner)
        ):
            score = min(score, DATA_SCORE)
        return [(definition, score) for definition in members]

    def _is_of_elsewhere(self, owner: Expression) -> bool:
        """Whether a receiver is called like a type, and nothing of the project is called so."""
        name = owner.head.name if type(owner.head) is Name and not owner.steps else ""
        return name[:1].isupper() and not any(True for _ in self._source.named(name))

    def _is_visible(self, members: Sequence[DefinitionKey], file: File) -> bool:
        """Whether a file can have values of a member's type: where files are included as text it
        has to include what declares the member, as far as anything says what it includes."""
        included = self._meaning.names.included(file) if file.traits.includes_text else ()
        return not included or any(
            member.path == file.path or member.path in included for member in members
        )

    # --- imports ----------------------------------------------------------------------------

    def imports(self, file: File) -> Iterable[ImportEdge]:
        """What a file depends on, with the reason where no file of the project is meant."""
        for link in file.facts.imports:
            yield from self._import(file, link)
        for target in self._hints.traced(file.path):
            if self._meaning.files.file(target) is not None:
                yield ImportEdge(0, target, "trace", target, "")

    def _import(self, file: File, link: ImportLink) -> Iterable[ImportEdge]:
        if not link.module:
            return
        if link.reason:
            expanded = self._hints.expanded(file.path, link.module)
            for target in expanded:
                yield ImportEdge(link.line, link.module, link.kind, target, "")
            if not expanded:
                yield ImportEdge(link.line, link.module, link.kind, "", link.reason)
            return
        targets: dict[str, None] = {}
        reason = EXTERNAL
        others = [other for mark, other in link.names if mark == CANDIDATE]
        for module in (link.module, *others):  # of several candidates the first that exists
            values, why = self._meaning.modules.modules(module, file)
            for value in values:
                targets.update(dict.fromkeys(self._files(value, link, file)))
            if targets:
                break
            if module == link.module:
                reason = "" if values else why
        if targets.pop(file.path, "") is None:
            reason = ""  # the file itself
        for target in targets:
            yield ImportEdge(link.line, link.module, link.kind, target, "")
        if not targets and reason:
            yield ImportEdge(link.line, link.module, link.kind, "", reason)

    def _files(self, value: Value, link: ImportLink, file: File) -> Iterable[str]:
        """The files that an import of a value depends on."""
        named = [name for name, _ in link.names if name not in ("*", "=", "default", CANDIDATE)]
        if value.tag == "module":
            submodules = [
                other.path
                for name in named
                for other in self._meaning.modules.submodule(value, name, file)
            ]
            if not submodules or len(submodules) < len(named) or not named:
                yield value.path
            yield from submodules
        elif value.tag == "node":
            yield value.path
        elif value.tag == "folder":
            for name in named:
                for other in self._meaning.modules.submodule(value, name, file):
                    if other.tag == "module":
                        yield other.path
        elif value.tag == "package":
            if not named and value.qualname:
                named = [value.qualname.split(".")[0]]
            for name in named:
                top = value.qualname.split(".")[0] if value.qualname else name
                for member in self._meaning.members.member(Value("package", value.path), top, file):
                    yield member.path
            # Elsewhere a package is a space of names (`using System.IO`, `import a.*`): what is
            # used of it says which files are meant.
            if not named and file.traits.imports_packages:
                ending = file.traits.test_ending
                paths = self._meaning.modules.package_files(value.path, file)
                yield from (p for p in paths if not ending or not p.endswith(ending))


def _run_by(kind: int, values: Sequence[Value]) -> Sequence[Value]:
    """What a use means: a call no module, where something else has its name (Rust)."""
    if kind != _CALL or len(values) == 1:
        return values
    return [value for value in values if value.tag != "module"] or values


def _definitions(values: Iterable[Value]) -> list[DefinitionKey]:
    found: dict[DefinitionKey, None] = {}
    for value in values:
        if value.tag in ("node", "instance") or value.tag == "module":
            found[DefinitionKey(value.path, plain_name(value.qualname))] = None
    return list(found)


def _type_name(expression: Expression | None) -> str:
    """The name of the only type that an expression is an instance of; empty for any other."""
    if expression is None or expression.steps or type(expression.head) is not Instance:
        return ""
    parts = expression.head.type.parts
    if len(parts) != 1 or parts[0].steps or type(parts[0].head) is not TypeName:
        return ""
    return parts[0].head.name


def _certain(definitions: Iterable[DefinitionKey]) -> list[tuple[DefinitionKey, float]]:
    found = list(definitions)
    if len(found) > MAX_CANDIDATES:
        return []
    return [(definition, 1.0) for definition in found]
