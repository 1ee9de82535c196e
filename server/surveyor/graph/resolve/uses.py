"""What the name of a use means: by scopes, imports, and the type of what stands before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from surveyor.graph.expressions.bindings import CalledWith, GivenTo, Imported, Within
from surveyor.graph.expressions.grammar import parse, parse_qualifier
from surveyor.graph.expressions.keys import (
    OWN_VARIABLE,
    arities_of,
    extended_by,
    parse_arities,
    parse_module,
    variable_of_file,
)
from surveyor.graph.expressions.model import (
    Call,
    Element,
    Expression,
    Fixture,
    Instance,
    Local,
    Member,
    Name,
)
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.resolve.candidates import TYPES, NameCandidates, type_named
from surveyor.graph.resolve.certainty import (
    CERTAIN,
    DATA_SCORE,
    EXTENSION_SCORE,
    FOREIGN_SCORE,
    MAX_CANDIDATES,
    Target,
    certain,
)
from surveyor.graph.resolve.collections import HOLDER
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.values import (
    CALLABLE_KINDS,
    TYPE_KINDS,
    DefinitionKey,
    Value,
    definitions_of,
)

__all__ = ["UseLookup"]

_IMPORT, _TYPE = KIND_CODES["import"], KIND_CODES["type"]
_READ, _WRITE = KIND_CODES["read"], KIND_CODES["write"]
_CALL, _INHERITANCE = KIND_CODES["call"], KIND_CODES["inheritance"]
_DATA = frozenset({"field", "property", "variable", "constant"})
"""What is not called, where a function of the name may stand beside it."""
_VALUES = frozenset({"function", "constant", "variable"})
"""Definitions that are no types, unless a type of the same name stands beside them."""


class UseLookup:
    """What the uses in one checkout's files mean."""

    def __init__(self, meaning: CheckoutEvaluation, candidates: NameCandidates) -> None:
        self._meaning = meaning
        self._candidates = candidates
        self._of_traits: dict[str, dict[str, DefinitionKey]] = {}

    def targets(
        self, file: File, name: str, kind: int, qualifier: str, enclosing: int
    ) -> list[Target]:
        """The definitions that a name of a file may mean, with how sure each is."""
        found = self._meant(file, name, kind, qualifier, enclosing)
        if kind != _CALL or not file.traits.imported_traits or _in_macro(file, enclosing):
            return found
        if any(map(self._is_trait, found)):  # as nothing but `derive` runs one
            return [*found, *self._candidates.derived(file, name)]
        return found

    def _is_trait(self, target: Target) -> bool:
        definition = target[0]
        value = Value("node", definition.path, definition.qualname)
        return self._meaning.files.kind(value) == "trait"

    def _meant(
        self, file: File, name: str, kind: int, qualifier: str, enclosing: int
    ) -> list[Target]:
        """What the name itself means."""
        if kind == _IMPORT:
            found = certain(self._imported(file, qualifier, name))
            if not found and file.traits.imports_around and qualifier.startswith("."):
                return self._around(file, name, qualifier.strip("."), enclosing)
            return found
        said = parse_qualifier(qualifier)
        before, count = (said.before, said.count) if isinstance(said, CalledWith) else (said, -1)
        if before is None:
            return self._bare(file, name, kind, enclosing, count)
        if file.traits.hands_words and type(before) is Expression:
            # Other programs are handed words, too: `docker build`.
            if not self._bare(file, before.dotted, _CALL, enclosing):
                return []
            most = FOREIGN_SCORE if name.isalnum() else 1.0  # as any word: `log start`
            found = self._bare(file, name, kind, enclosing)
            return [(each, min(score, most)) for each, score in found]
        if type(before) is Local:
            return [(DefinitionKey(file.path, before.qualname), 1.0)]
        if type(before) is Imported:
            return certain(self._imported(file, before.module, before.name))
        if type(before) is GivenTo:
            return self._given(file, name, before.made, enclosing)
        if type(before) is Within:
            return self._within(file, name, kind, before, enclosing, count)
        if type(before) is Fixture:
            return certain(definitions_of(self._meaning.names.fixture(name, file, enclosing)))
        found = self._member(file, name, kind, before, enclosing, count)
        if before.text == OWN_VARIABLE:  # never a method, even of the same name
            return [target for target in found if self._is_data(target[0])]
        return found

    def _around(self, file: File, name: str, module: str, enclosing: int) -> list[Target]:
        """A name that is imported from what is around: `import ..open`, `using ..Shop: Box`."""
        outer = file.outer(enclosing) if enclosing >= 0 else -1
        above = parse(module) if module else None
        if above is None:
            return self._bare(file, name, _READ, outer)
        values, _ = self._meaning.values.evaluate(above, file, outer)
        return certain(definitions_of(self._meaning.members.of_all(values, name, file)))

    def _is_data(self, definition: DefinitionKey) -> bool:
        value = Value("node", definition.path, definition.qualname)
        return self._meaning.files.kind(value) in _DATA

    def _bare(
        self, file: File, name: str, kind: int, enclosing: int, count: int = -1
    ) -> list[Target]:
        """A name that nothing stands before."""
        if name in file.traits.foreign_names:
            return []
        if file.traits.sigils and variable_of_file(name) in file.facts.types:
            return []  # a test's own, which is no definition
        if file.traits.named_modules and name[:1].isupper():
            whole = parse(name)
            values = self._meaning.values.evaluate(whole, file, enclosing)[0] if whole else []
            return certain(definitions_of(values))
        values = self._meaning.names.bare(file, name, enclosing, types_only=kind in TYPES)
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
            if kind == _INHERITANCE:
                values = self._meaning.members.returned(values, file) or values
            return certain(definitions_of(_run_by(kind, values)))
        top = file.top(name)
        if top is not None:  # const fs = require("fs"): as far as the project goes
            return [(DefinitionKey(file.path, top.qualname), 1.0)]
        found = self._candidates.without_import(file, name, kind)
        rule = file.traits.global_names
        if found and rule is not None and rule.methods:
            found = self._run_on_nothing(file, found, enclosing)
            if kind != _CALL:  # a column may be called so, or a variable that is not seen
                found = [(each, min(score, FOREIGN_SCORE)) for each, score in found]
        if not found and _in_macro(file, enclosing):
            return self._candidates.of_macro(file, name, kind)
        if not found and kind == _CALL and file.traits.implicit_this:
            return self._candidates.of_any_receiver(file, name)
        return found

    def _run_on_nothing(self, file: File, found: list[Target], enclosing: int) -> list[Target]:
        """Methods that a name without a receiver may call: those of a class only if something runs
        what is written here on it; a module may be included where it is not seen, or its code in
        any class."""
        kinds = self._meaning.files.kind
        if any(kinds(each) == "module" for each in self._meaning.types.around(file, enclosing)):
            return found
        return [
            (target, min(score, FOREIGN_SCORE) if self._is_of_class(file, target) else score)
            for target, score in found
        ]

    def _is_of_class(self, file: File, target: DefinitionKey) -> bool:
        """Whether a definition is a method of a class, but for helpers of tests in a test."""
        other = self._meaning.files.file(target.path)
        if file.facts.is_test and other is not None and other.facts.is_test:
            return False
        owner = target.qualname.rpartition(".")[0]
        return (
            bool(owner) and self._meaning.files.kind(Value("node", target.path, owner)) == "class"
        )

    def _given(self, file: File, name: str, made: Expression, enclosing: int) -> list[Target]:
        """The field that an argument is for, by its name; none of a type with a constructor that
        is written out in full, whose parameters need not be fields."""
        values, _ = self._meaning.values.evaluate(made, file, enclosing)
        member, traits = self._meaning.members.member, file.traits
        makers = [each for each in (traits.constructor, traits.allocator) if each]
        found = [
            field
            for value in values
            if not any(member(value, each, file) for each in makers)
            and not self._is_made_otherwise(value)
            for field in member(value, name, file)
            if self._meaning.files.kind(field) in _DATA
            or self._meaning.files.kind(value) == "interface"  # what an annotation of Java is told
        ]
        return certain(definitions_of(found))

    def _is_made_otherwise(self, value: Value) -> bool:
        """Whether what makes an instance takes what an initializer says, and not the fields: of a
        class, and where an initializer stands in the type itself."""
        other = self._meaning.files.file(value.path)
        if other is None or not (called := other.traits.memberwise):
            return False
        name = other.get(value.qualname)
        if name is None:
            return False
        inside = range(name.start_line, name.end_line + 1)
        return name.kind == "class" or any(
            each.name == called and each.container == value.qualname and each.line in inside
            for each in other.facts.names
        )

    def _within(
        self, file: File, name: str, kind: int, around: Within, enclosing: int, count: int
    ) -> list[Target]:
        """A bare name inside of functions that are handed over: of what they are run on, or of
        what is visible there."""
        for receiver in around.receivers if kind not in TYPES else ():
            values, _ = self._meaning.values.evaluate(receiver, file, enclosing)
            members = [m for v in values for m in self._meaning.members.member(v, name, file)]
            found = self._applicable(file, name, enclosing, count, values, members)
            if known := definitions_of(found):  # what a type from elsewhere holds is no definition
                return certain(known)
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
    ) -> list[Target]:
        """A member of a value."""
        members = self._meaning.members
        if file.traits.named_modules and name[:1].isupper():
            whole = self._meaning.values.evaluate(expression.member(name), file, enclosing)[0]
            return certain(definitions_of(whole))
        values, known = self._meaning.values.evaluate(expression, file, enclosing)
        if values:
            meant = members.of_all(values, name, file)
            if not meant and self._are_many(expression, values, file):
                given = self._given_elsewhere(file, name, kind, set(file.traits.many_types))
                if given:
                    return given
            found = [v for v in meant if v.tag not in (HOLDER, "collection")]
            is_of_many = not found and any(v.tag == "collection" for v in meant)
            if is_of_many and not self._meaning.names.extension(file, name, enclosing, ()):
                return []
            if not found and file.traits.includes_text and self._are_namespaces(values):
                # A macro may have hidden from the grammar what is around it.
                outside = self._candidates.without_import(file, name, kind)
                return [(target, min(score, FOREIGN_SCORE)) for target, score in outside]
            called = found
            if kind == _CALL and file.traits.extensions:  # a function may stand beside a field
                called = [v for v in found if self._meaning.files.kind(v) not in _DATA]
            found = [*self._applicable(file, name, enclosing, count, values, called)] or found
            if expression.text == OWN_VARIABLE:
                return certain(definitions_of(found))
            if found:
                return certain(definitions_of(_run_by(kind, found)))
            if kind == _WRITE and file.traits.keys_are_values and self._are_maps(values):
                return self._bare(file, name, _READ, enclosing)
            if kind not in TYPES and (below := self._below(file, name, expression, values)):
                return below
            if handed := [m for value in values for m in members.handed_over(value, name)]:
                return [(each, FOREIGN_SCORE) for each in definitions_of(handed)]
            closed = not any(members.is_open(value, file) for value in values)
            foreign = any(members.is_of_elsewhere(value) for value in values)
            # By its full name a module is itself.
            if (closed and not foreign) or file.traits.named_modules:
                given = self._by_imported_trait(file, name, kind)
                if given or kind in TYPES or not all(map(self._is_typed, values)):
                    return given
                # What it is has no such member as far as the project says, and somebody gives one.
                others = self._candidates.members_of_unknown(file, name, kind, expression)
                return [(target, min(score, FOREIGN_SCORE)) for target, score in others]
        else:
            closed = known
            own = file.exported_object(enclosing) if _is_self(expression, file) else None
            if own and (value := file.get(name)) is not None and value.name in own:
                return certain([DefinitionKey(file.path, value.qualname)])
            if given := self._given_by_name(file, name, expression):
                return given
        made = "" if values else self._candidates.made_of_elsewhere(expression, file)
        if made and (
            outside := self._given_elsewhere(file, name, kind, {made, *file.traits.open_protocols})
        ):
            return outside
        if not values and (written_there := self._key_of(file, name, expression, enclosing)):
            return written_there
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
            if expression.dotted and self._candidates.is_of_elsewhere(expression):
                # EF.Functions.Like(…): of a type of elsewhere, or of what that has
                return [(each, DATA_SCORE) for each in definitions_of(extending)]
            found_by_name = self._extending(file, name, extending, is_foreign=closed)
            if closed or not file.traits.global_extensions or found_by_name[0][1] >= CERTAIN:
                return found_by_name
            return [
                *found_by_name,
                *self._candidates.members_of_unknown(file, name, kind, expression),
            ]
        if not (values or closed) and file.traits.global_constants and name[:1].isupper():
            return self._candidates.constants_called(file, name)  # `plugin::Methods`
        if kind in (_TYPE, _INHERITANCE):
            return []  # what is only alike is no type
        if by_trait := self._by_imported_trait(file, name, kind):
            return by_trait
        if closed:
            if self._are_many(expression, values, file):
                written |= file.traits.many_types
            given = self._given_elsewhere(file, name, kind, written | file.traits.open_protocols)
            if not (given or values or written) and expression.steps:
                given = self._given_to_any(file, name, kind)
            if given or values or not _may_be_made_elsewhere(expression, name, file):
                return given
            if self._meaning.values.evaluate(Expression(expression.head), file, enclosing)[0]:
                return []  # a function of the project says what it gives
            found_by_name = self._candidates.members_of_unknown(file, name, kind, expression)
            return [(target, min(score, DATA_SCORE)) for target, score in found_by_name]
        found_by_name = self._candidates.members_of_unknown(file, name, kind, expression)
        if _in_macro(file, enclosing) or any(self._is_typed(value) for value in values):
            # What it is has no such member here; in a macro it has no type.
            return [(target, min(score, FOREIGN_SCORE)) for target, score in found_by_name]
        return found_by_name

    def key_called(self, file: File, qualifier: str, enclosing: int) -> list[Target]:
        """What is called by a name that was taken out of an object (`const { add } = useStore()`),
        where that is known by the keys alone that it was written with."""
        taken = parse_qualifier(qualifier)
        if type(taken) is not Expression or not taken.steps or type(taken.steps[-1]) is not Member:
            return []
        whole = Expression(taken.head, taken.steps[:-1])
        return self._key_of(file, taken.steps[-1].name, whole, enclosing)

    def _key_of(
        self, file: File, name: str, expression: Expression, enclosing: int
    ) -> list[Target]:
        """A key of the object that a function from elsewhere is handed to make what a receiver
        begins with: `useStore.getState().add` of `useStore = create(() => ({ add }))`."""
        if not file.traits.literal_objects or type(expression.head) is not Name:
            return []
        made = self._meaning.names.bare(file, expression.head.name, enclosing)
        keys = [
            value._replace(qualname=f"{value.qualname}.{name}")
            for value in made
            if self._meaning.files.kind(value) not in TYPE_KINDS
        ]
        found = [key for key in keys if key.tag == "node" and self._meaning.files.name(key)]
        return [(each, EXTENSION_SCORE) for each in definitions_of(found)]

    def _are_namespaces(self, values: Sequence[Value]) -> bool:
        return all(self._meaning.files.kind(value) == "namespace" for value in values)

    def _are_maps(self, values: Sequence[Value]) -> bool:
        """Whether what is made by a literal is of a named type without members: its keys are what
        they are anywhere."""
        return all(self._meaning.files.kind(value) == "type" for value in values)

    def _below(
        self, file: File, name: str, owner: Expression, values: Sequence[Value]
    ) -> list[Target]:
        """Members of what extends the types of values that have no member of the name."""
        types = [
            value
            for value in values
            if value.tag in ("node", "instance") and self._meaning.files.kind(value) in TYPE_KINDS
        ]
        is_own = _is_self(owner, file)
        return self._candidates.below(file, name, types, is_own=is_own) if types else []

    def _is_typed(self, value: Value) -> bool:
        """Whether it is known of what type a value is, of which the project has all but bases."""
        return value.tag == "shape" or self._meaning.files.kind(value) in TYPE_KINDS

    def _given_by_name(self, file: File, name: str, owner: Expression) -> list[Target]:
        """What the project defines in a type of another one, whose name is said: `Fields.Age`."""
        if file.traits.members_elsewhere is None or not owner.dotted[:1].isupper():
            return []
        named = self._candidates.of(owner.last_word, file.platform)
        if any(kind in TYPE_KINDS for _, kind in named):  # the project's own, which is not meant
            return []
        whole = f"{owner.dotted}.{name}"
        found = [d for d, _ in self._candidates.of(name, file.platform) if d.qualname == whole]
        if _is_of_standard(file, name):
            return [(definition, CERTAIN * 0.9) for definition in found[:MAX_CANDIDATES]]
        return certain(found)

    def _extending(
        self, file: File, name: str, extending: list[Value], *, is_foreign: bool
    ) -> list[Target]:
        """Extensions of that name that a file sees, for a value of which nothing is known, or only
        that its type is not of the project: it has no other members of the project's then."""
        members, _ = self._candidates.members_called(name, file.platform, is_called=True)
        near = any(value.path == file.path for value in extending)
        one = self._are_one(extending)
        chosen = one and (near or name in file.imported or not members)
        if file.traits.global_extensions:
            chosen = one and (is_foreign or not members)
            chosen = chosen and not file.traits.generic_extensions
        score = EXTENSION_SCORE if chosen else CERTAIN * 0.9 / len(extending)
        return [(definition, score) for definition in definitions_of(extending)]

    def _are_one(self, extending: Sequence[Value]) -> bool:
        """Whether extensions are one, or several signatures of one that different files give to a
        type."""
        keys = set(definitions_of(extending))
        if len(keys) == 1:
            return True
        names = {key.qualname for key in keys}
        extended = {self._extended_type(value) for value in extending}
        of_one_type = all("." in name for name in names) or "" not in extended
        return len(names) == 1 and len(extended) == 1 and of_one_type

    def _written(self, expression: Expression, values: Sequence[Value]) -> set[str]:
        """The names of the types that a receiver is declared with."""
        facts = [
            parse(holder.facts.types.get(value.qualname, ""))
            for value in values
            if (holder := self._meaning.files.file(value.path)) is not None
        ]
        return {name for each in facts or [expression] if (name := type_named(each))}

    def _are_many(self, expression: Expression, values: Sequence[Value], file: File) -> bool:
        """Whether a receiver is a collection that the language has signs for: `[Box]`."""
        if not file.traits.many_types:
            return False
        facts = [
            parse(holder.facts.types.get(value.qualname, ""))
            for value in values
            if value.tag == "node" and (holder := self._meaning.files.file(value.path)) is not None
        ]
        return any(value.tag == "collection" and not value.method for value in values) or any(
            type(each.head) is Instance and any(part.steps for part in each.head.type.parts)
            for each in (expression, *facts)
            if each is not None and not each.steps
        )

    def _extended_type(self, extension: Value) -> str:
        """The name of the type that a function extends."""
        file = self._meaning.files.file(extension.path)
        fact = file.facts.types.get(extended_by(extension.qualname)) if file is not None else None
        return type_named(parse(fact)) if fact else ""

    def _by_imported_trait(self, file: File, name: str, kind: int) -> list[Target]:
        """A method of a trait that the file imports, and of the one type that the project gives it
        to, for a value that has no other method of that name as far as the project goes."""
        if not file.traits.imported_traits or kind != _CALL:
            return []
        known = self._of_traits.get(file.path)
        if known is None:
            known = self._of_traits[file.path] = self._imported_traits(file)
        found = known.get(name)
        if found is None:
            return []
        members, _ = self._candidates.members_called(name, file.platform, is_called=True)
        outside = self._candidates.given_from_outside(name, file.platform)
        given = [definition for definition, _, _ in outside]
        if any(each != found and each not in given for each in members):
            return []
        score = CERTAIN * 0.9 if name in file.traits.common_members else EXTENSION_SCORE
        return [(each, score) for each in (found, *(given if len(given) == 1 else ()))]

    def _imported_traits(self, file: File) -> dict[str, DefinitionKey]:
        """The methods of the traits that a file imports, by their names."""
        found: dict[str, DefinitionKey] = {}
        for value in self._traits_seen(file, set()):
            holder = self._meaning.files.file(value.path)
            for name in holder.members.get(value.qualname, ()) if holder is not None else ():
                found.setdefault(name, DefinitionKey(value.path, f"{value.qualname}.{name}"))
        return found

    def _traits_seen(self, file: File, seen: set[str]) -> Iterator[Value]:
        """Traits that a file imports by their names, and all those of `use prelude::*`."""
        seen.add(file.path)
        for link, original in file.imported.values():
            for value in self._meaning.names.imported(file, link, original):
                if self._meaning.files.kind(value) == "trait":
                    yield value
        for link in file.stars:
            for module in self._meaning.modules.modules(link.module, file)[0]:
                other = self._meaning.files.file(module.path)
                if other is None or other.path in seen:
                    continue
                for name, qualname in zip(other.facts.names, other.qualnames, strict=True):
                    if name.kind == "trait":
                        yield Value("node", other.path, qualname)
                yield from self._traits_seen(other, seen)

    def _given_elsewhere(self, file: File, name: str, kind: int, written: set[str]) -> list[Target]:
        """Members that the project itself gives to a type that it does not define."""
        found = [
            definition
            for definition, candidate, extended in self._candidates.given_from_outside(
                name, file.platform
            )
            if extended in written
            and (candidate in CALLABLE_KINDS or (kind != _CALL and candidate not in TYPE_KINDS))
        ]
        if len(found) > MAX_CANDIDATES:
            return []
        score = CERTAIN * 0.9 if _is_of_standard(file, name) else EXTENSION_SCORE
        return [(definition, score) for definition in found]

    def _given_to_any(self, file: File, name: str, kind: int) -> list[Target]:
        """The same for what a member of such a type gives, whose type nobody here says."""
        outside = list(self._candidates.given_from_outside(name, file.platform))
        extended = {each for _, _, each in outside}
        found = self._given_elsewhere(file, name, kind, extended)
        if len(extended) < 2 and len({each.qualname for each, _ in found}) < 2:
            return found
        return [(each, min(score, CERTAIN * 0.9 / len(found))) for each, score in found]

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
            return definitions_of(self._meaning.names.bare(file, name, -1))
        if file.traits.named_modules:
            whole = ".".join(part for part in (module, name) if part)
            if name[:1].isupper():
                return definitions_of(self._meaning.modules.named(whole, file))
            values = self._meaning.modules.named(module, file)
        else:
            values = self._meaning.names.import_targets(file, module)
        if name == "=":  # of an object that a module exports each is used by its own name
            given = [m for v in values for m in self._meaning.members.member(v, name, file)]
            return [each for each in definitions_of(given) if each.qualname]
        return definitions_of(
            member for value in values for member in self._meaning.members.member(value, name, file)
        )


def _in_macro(file: File, enclosing: int) -> bool:
    """Whether a use stands in what a macro stands for."""
    return enclosing >= 0 and file.facts.names[enclosing].kind == "macro"


def _is_of_standard(file: File, name: str) -> bool:
    """Whether a type from elsewhere may have a member by itself, whatever the project implements
    for it: `Bytes::from(text)`."""
    return file.traits.imported_traits and name in file.traits.common_members


def _may_be_made_elsewhere(owner: Expression, name: str, file: File) -> bool:
    """Whether a receiver is what a function from elsewhere gives, which may be what it was handed
    (`copy(box)`, `load(file)`), and no name of a member says that it is not."""
    return (
        type(owner.head) is Name
        and any(type(step) in (Call, Element) for step in owner.steps)
        and name not in file.traits.standard_members
        and name not in file.traits.common_members
    )


def _run_by(kind: int, values: Sequence[Value]) -> Sequence[Value]:
    """What a use means: a call no module, where something else has its name (Rust)."""
    if kind != _CALL or len(values) == 1:
        return values
    return [value for value in values if value.tag != "module"] or values


def _is_self(expression: Expression, file: File) -> bool:
    """Whether a receiver is nothing but `this`."""
    head = expression.head
    return not expression.steps and type(head) is Name and head.name in file.traits.self_words
