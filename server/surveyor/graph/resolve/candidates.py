"""What the project has of a name, where nothing else says what is meant."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence, Set

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import extended_by, parse_arity, result_of, without_arity
from surveyor.graph.expressions.model import (
    Call,
    Expression,
    GivenArguments,
    GivenTypeArguments,
    Instance,
    Member,
    Name,
    Parameter,
    TypeName,
)
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.languages.traits import COMMON_MEMBERS
from surveyor.graph.resolve.certainty import (
    CERTAIN,
    COMMON_SCORE,
    DATA_SCORE,
    FOREIGN_SCORE,
    MAX_BELOW,
    MAX_CANDIDATES,
    MAX_COMMON,
    SIMILAR_SCORE,
    STANDARD_SCORE,
    UNIQUE_SCORE,
    Target,
)
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.held import HeldValues
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.tree import shared_folders
from surveyor.graph.resolve.values import (
    CALLABLE_KINDS,
    NAMESPACE_KINDS,
    TYPE_KINDS,
    DefinitionKey,
    Value,
)

__all__ = ["TYPES", "NameCandidates", "type_named"]

_CALL, _READ, _WRITE = KIND_CODES["call"], KIND_CODES["read"], KIND_CODES["write"]
_FIELDS = frozenset({"field", "property"})
_FUNCTION_TYPES = ("Action", "Func", "Function", "Predicate", "Handler", "Delegate", "Callback",
                   "Fn", "Comparison", "Hook")  # fmt: skip
"""How types end whose values are called."""
_SHORTEST_TYPE = 3
"""Shorter names in a macro are parameters of types: `T`, `CB`."""
TYPES = frozenset(KIND_CODES[kind] for kind in ("type", "inheritance", "instantiation"))
"""Uses that stand where only a type can."""


class NameCandidates:
    """The definitions of one checkout by their last name, with how likely each is meant."""

    def __init__(self, source: FileSource, meaning: CheckoutEvaluation, held: HeldValues) -> None:
        self._source = source
        self._meaning = meaning
        self._held = held
        self._named: dict[tuple[str, str], list[tuple[DefinitionKey, str]]] = {}
        self._members: dict[tuple[str, str, bool, bool], tuple[list[DefinitionKey], int]] = {}
        self._fields_called: dict[tuple[str, str], bool] = {}
        self._given: dict[tuple[str, str], list[tuple[DefinitionKey, str, str]]] = {}
        self._below: dict[tuple[str, bool, frozenset[tuple[str, str]]], list[DefinitionKey]] = {}

    def of(self, name: str, wanted: str) -> list[tuple[DefinitionKey, str]]:
        """All definitions of a name on a platform, with their kinds."""
        key = (name, wanted)
        if key not in self._named:
            plain, count = parse_arity(name)
            found: list[tuple[DefinitionKey, str]] = []
            of_tests: list[tuple[DefinitionKey, str]] = []
            others: list[tuple[DefinitionKey, str]] = []
            for path, qualname, kind in self._source.named(plain):
                other = self._meaning.files.file(path)
                if other is not None and other.platform == wanted:
                    listed = of_tests if other.facts.is_test else found
                    if not other.is_of_arity(qualname, int(count or 0)):
                        listed = others
                    listed.append((DefinitionKey(path, qualname), kind))
            # A test answers for nothing that code has too.
            self._named[key] = found or of_tests or others
        return self._named[key]

    def members_called(
        self, name: str, wanted: str, *, is_called: bool, reads: bool = False
    ) -> tuple[list[DefinitionKey], int]:
        """Members of a name that may be meant, and how many there are with those of literals.

        `reads`: to call a name may be to read a property.
        """
        key = (name, wanted, is_called, reads)
        known = self._members.get(key)
        if known is None:
            found = [
                (definition, candidate)
                for definition, candidate in self.of(name, wanted)
                if ("." in definition.qualname or candidate == "method")
                and (
                    not is_called
                    or candidate in CALLABLE_KINDS
                    or (reads and candidate == "property")
                )
                and candidate not in TYPE_KINDS
                and not self._is_extension(definition)
                and not (candidate == "function" and self._is_on_no_value(definition))
            ]
            members = [definition for definition, candidate in found if candidate != "member"]
            known = self._members[key] = (members, len(found))
        return known

    def members_of_unknown(
        self, file: File, name: str, kind: int, owner: Expression
    ) -> list[Target]:
        """A member of something unknown: all members of that name, with a score.

        Keys of objects that are written out in one place only say that the name is ambiguous.
        """
        by_name = file.traits.calls_by_name
        is_called = kind == _CALL
        members, count = self.members_called(
            name, file.platform, is_called=is_called, reads=is_called and by_name
        )
        if not members and is_called:  # of what a field holds: `self.log(text)`
            return self._held_by_fields(file, name)
        members = self._seen(file, members)
        if not file.facts.is_test:  # code calls nothing of its tests
            members = [each for each in members if not self._is_of_test(each)]
        if kind == _WRITE and file.traits.sigils:  # `x.name = y` runs no method called `name`
            members = [each for each in members if self._kind(each) not in CALLABLE_KINDS]
        if count > 1 and file.traits.overloads and self._are_signatures(members, file):
            count = 1
        common = name in file.traits.common_members
        crowded = count > MAX_CANDIDATES
        if not members or len(members) > MAX_CANDIDATES or _is_special(name, file):
            return []
        is_handed = bool(owner.steps) and type(owner.steps[-1]) is Parameter
        receiver = "" if is_handed else owner.last_word.lower()  # that is called, and not meant
        is_alike = False
        if len(receiver) > 2 and not (common and (crowded or receiver in file.traits.plain_names)):
            alike = [
                definition
                for definition in members
                if receiver in (owner_name := _owner_name(definition))
                or owner_name.strip("_") in receiver
            ]
            is_alike = bool(alike)
            whole = receiver.replace("_", "")  # `config_option` is more of a `BaseConfigOption`
            named = any(whole in _owner_name(m) for m in members if m not in alike)
            if len(alike) == 1 and not named and (count > 1 or by_name):
                score = SIMILAR_SCORE if self._is_visible(alike, file) else DATA_SCORE
                if name in file.traits.standard_members and _is_plain(receiver, alike[0]):
                    score = DATA_SCORE
                return [(d, score if d in alike else 0.4 / count) for d in members]
        if crowded or (common and count > MAX_COMMON):
            return []  # an answer says so of names that so many have
        if common or owner.is_nameless:
            return [(definition, COMMON_SCORE / count) for definition in members]
        score = UNIQUE_SCORE if count == 1 else CERTAIN * 0.9 / count
        if (
            (kind != _CALL and file.traits.literal_objects)
            or not self._is_visible(members, file)
            or self.is_of_elsewhere(owner)
            or (by_name and self._kind(members[0]) == "property")  # a word as good as any
        ):
            score = min(score, DATA_SCORE)
        held = DATA_SCORE / count
        if is_called and file.traits.calls_fields and score > held and self._is_held(name, file):
            score = held
        if name in file.traits.standard_members and not is_alike:
            score = min(score, STANDARD_SCORE / count)
        return [(definition, score) for definition in members]

    def _are_signatures(self, members: list[DefinitionKey], file: File) -> bool:
        """Whether they are signatures of one member, that several files give to a type of
        elsewhere."""
        names = {each.qualname for each in members}
        container = next(iter(names), "").rpartition(".")[0]
        if len(names) != 1 or not container:
            return False
        of_project = self.of(container.rpartition(".")[2], file.platform)
        return not any(kind in TYPE_KINDS for _, kind in of_project)

    def _is_held(self, name: str, file: File) -> bool:
        """Whether a field or property of a name may hold a function: what is called may be that."""
        key = name, file.platform
        if key not in self._fields_called:
            self._fields_called[key] = self._held_by_some(name, file)
        return self._fields_called[key]

    def _held_by_some(self, name: str, file: File) -> bool:
        for definition, kind in self.of(name, file.platform):
            if kind in _FIELDS and "." in definition.qualname:
                other = self._meaning.files.file(definition.path)
                fact = other.facts.types.get(definition.qualname, "") if other else ""
                if not fact or type_named(parse(fact)).endswith(_FUNCTION_TYPES):
                    return True
        return False

    def _held_by_fields(self, file: File, name: str) -> list[Target]:
        """Fields of a name, whose values may be called on a receiver that is not known."""
        fields, count = self.members_called(name, file.platform, is_called=False)
        if file.facts.is_test is False:
            fields = [each for each in fields if not self._is_of_test(each)]
        if not 0 < len(fields) <= MAX_CANDIDATES or name in file.traits.common_members:
            return []
        return [(definition, DATA_SCORE / count) for definition in fields]

    def below(self, file: File, name: str, types: Sequence[Value], *, is_own: bool) -> list[Target]:
        """Members of what extends one of some types, none of which has the name itself. A base
        that uses one of its own (`is_own`) runs all of them; of another value one is meant."""
        key = (name, file.facts.is_test, frozenset((each.path, each.qualname) for each in types))
        found = self._below.get(key)
        if found is None:
            found = self._below[key] = list(self._extending(file, name, types))
        score = UNIQUE_SCORE if is_own or len(found) == 1 else CERTAIN * 0.9 / max(1, len(found))
        return [(each, score) for each in found[:MAX_BELOW]]

    def _extending(self, file: File, name: str, types: Sequence[Value]) -> Iterator[DefinitionKey]:
        members = self._meaning.members
        for path, qualname, _ in self._source.named(name):
            definition = DefinitionKey(path, qualname)
            owner = Value("node", path, qualname.rpartition(".")[0])
            if not owner.qualname or (self._is_of_test(definition) and not file.facts.is_test):
                continue
            if any(members.extends(owner, each, file) for each in types):
                yield definition

    def _seen(self, file: File, members: list[DefinitionKey]) -> list[DefinitionKey]:
        """Those of members that a file can use."""
        if not file.traits.has_projects:
            return members
        return [each for each in members if self._meaning.modules.may_see(file, each.path)]

    def is_of_elsewhere(self, owner: Expression) -> bool:
        """Whether a receiver is called like a type, or comes of one (`Regex.Escape(text)`), and
        nothing of the project is called so."""
        head = owner.head.name if type(owner.head) is Name else ""
        return any(
            name[:1].isupper() and not any(True for _ in self._source.named(name))
            for name in {head, owner.dotted.rpartition(".")[2]}
        )

    def _is_visible(self, members: Sequence[DefinitionKey], file: File) -> bool:
        """Whether a file can have values of a member's type: where files are included as text it
        has to include what declares the member, as far as anything says what it includes."""
        if not file.traits.includes_text:
            return True
        included = self._meaning.names.included(file)
        if not included and not all(link.module[:1] == "<" for link in file.facts.imports):
            return True  # what it includes was not found
        return not (included or file.facts.imports) or any(
            member.path == file.path or member.path in included for member in members
        )

    def _kind(self, definition: DefinitionKey) -> str:
        return self._meaning.files.kind(Value("node", definition.path, definition.qualname))

    def _is_of_test(self, definition: DefinitionKey) -> bool:
        file = self._meaning.files.file(definition.path)
        return file is not None and file.facts.is_test

    def _is_on_no_value(self, definition: DefinitionKey) -> bool:
        """Whether a function stands in a module or namespace of a language whose methods are of
        types: it is named by its path, never on a value. So is a test of C that a macro defines."""
        file = self._meaning.files.file(definition.path)
        if file is None or file.traits.includes_text:
            return file is not None
        if not file.traits.imported_traits:
            return False
        container = definition.qualname.rpartition(".")[0]
        return self._kind(definition._replace(qualname=container)) == "module"

    def _is_test_of_macro(self, file: File, definition: DefinitionKey) -> bool:
        """Whether a macro defines it for what is no namespace (`TEST(Box, open)`): nobody calls it
        by its name alone."""
        container = definition.qualname.rpartition(".")[0]
        if not container or not file.traits.includes_text:
            return False
        around = self._kind(definition._replace(qualname=container))
        return self._kind(definition) == "function" and around not in NAMESPACE_KINDS

    def _is_extension(self, definition: DefinitionKey) -> bool:
        """Whether a member of a class extends another type: nobody sees it from outside."""
        file = self._meaning.files.file(definition.path)
        if file is None or file.traits.implicit_extensions:
            return False
        return extended_by(definition.qualname) in file.facts.types

    def without_import(self, file: File, name: str, kind: int) -> list[Target]:
        """Names that no import brings: headers not found, autoloaded classes, macros."""
        rule = file.traits.global_names
        if rule is None or name in rule.built_in:
            return []
        if rule.only_told:
            # A module may have put what it defines among the names that all have.
            told = self._told(file, name)
            return told or (self.of_any_receiver(file, name) if kind == _CALL else [])
        wants_type = kind in TYPES
        only_macros = rule.only_macros
        candidates = self.of(name, file.platform)
        if rule.methods and file.facts.is_test and not wants_type:
            candidates = self._nearest(file, name)
        if file.traits.has_projects:
            candidates = [c for c in candidates if self._meaning.modules.may_see(file, c[0].path)]
        by_name = _READ if file.traits.calls_by_name else _CALL  # a name alone calls
        found = [
            (definition, candidate)
            for definition, candidate in candidates
            if (
                candidate == "macro"
                and (not wants_type or file.traits.includes_text)
                and not self._is_local(definition)
            )
            or (candidate in TYPE_KINDS and not only_macros)
            or (
                candidate in ("function", "constant", "enum_member")
                and not (wants_type or only_macros)
                and not self._is_test_of_macro(file, definition)
            )
            or (rule.methods and candidate == "method" and kind in (_CALL, by_name))
            or (candidate == "variable" and file.traits.includes_text and not wants_type)
        ]
        if not found or len(found) > MAX_CANDIDATES:
            return []
        if not rule.common and not wants_type and name in COMMON_MEMBERS:
            return []
        included = {file.path}
        if file.traits.includes_text:
            included |= set(self._meaning.names.included(file))
            found = [each for each in found if _may_be_seen(*each, included)]
            if not found:
                return []
            if len(found) > 1 and all(candidate == "variable" for _, candidate in found):
                near = max(shared_folders(d.path, file.folder) for d, _ in found)
                found = [e for e in found if shared_folders(e[0].path, file.folder) == near]
        if only_macros and len(found) > 1:  # those of the file's own crate
            near = max(shared_folders(d.path, file.folder) for d, _ in found)
            found = [each for each in found if shared_folders(each[0].path, file.folder) == near]
        score = 0.8 if len(found) == 1 else 0.8 / len(found)
        if rule.is_declared:
            score = 0.8 if len({d.qualname for d, _ in found}) == 1 else 0.45
        if rule.methods and file.facts.is_test:  # code's own are found by what a block is run on
            low = min(score, FOREIGN_SCORE)
            return [
                (d, low if candidate == "method" and not self._is_of_test(d) else score)
                for d, candidate in found
            ]
        if not file.traits.includes_text or not self._meaning.names.includes_foreign(file):
            return [(definition, score) for definition, _ in found]
        return [
            (d, min(score, FOREIGN_SCORE) if _may_be_foreign(d, kind, included) else score)
            for d, kind in found
        ]

    def of_macro(self, file: File, name: str, kind: int) -> list[Target]:
        """What a bare name in the body of a macro may mean, which is said by where that is invoked:
        the only type of the name, or members, first those that the macro's own file sees."""
        every = self.of(name, file.platform)
        types = [definition for definition, candidate in every if candidate in TYPE_KINDS]
        if len(types) == 1 and len(name) >= _SHORTEST_TYPE and name[0].isupper():
            return [(types[0], 0.8)]
        if kind in TYPES or not file.traits.includes_text:
            return []
        members, _ = self.members_called(name, file.platform, is_called=False)
        if not file.facts.is_test:
            members = [each for each in members if not self._is_of_test(each)]
        if len(members) > MAX_CANDIDATES:
            return []
        near = {file.path, *self._meaning.names.included(file)}
        low = FOREIGN_SCORE / max(1, len(members))
        return [(each, FOREIGN_SCORE if each.path in near else low) for each in members]

    def derived(self, file: File, name: str) -> list[Target]:
        """Macros that `#[derive]` runs by the name of a trait."""
        found = [d for d, kind in self.of(name, file.platform) if kind == "macro"]
        if len(found) > MAX_CANDIDATES:
            return []
        score = 0.8 if len(found) == 1 else CERTAIN * 0.9 / max(1, len(found))
        return [(definition, score) for definition in found]

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

    def _told(self, file: File, name: str) -> list[Target]:
        """What another file says that it defines for all."""
        found = [
            definition
            for definition, _ in self.of(name, file.platform)
            if definition.qualname == name
            and (other := self._meaning.files.file(definition.path)) is not None
            and name in other.told
        ]
        if len(found) != 1:
            return []
        return self._held.aliased((found[0], 0.8))

    def of_any_receiver(self, file: File, name: str) -> list[Target]:
        """What a call by a name may run that nothing in a file explains: a member of what a block
        is run on that the call is in, or of what its type inherits from elsewhere."""
        rule = file.traits.global_names
        if rule is not None and name in rule.built_in:
            return []
        members, count = self.members_called(name, file.platform, is_called=True)
        if not file.facts.is_test:
            members = [each for each in members if not self._is_of_test(each)]
        if name in file.traits.standard_members or not 0 < len(members) <= MAX_CANDIDATES:
            return []
        return [(definition, COMMON_SCORE / count) for definition in members]

    def constants_called(self, file: File, name: str) -> list[Target]:
        """What a constant of something unknown may be."""
        found = [
            definition
            for definition, kind in self.of(name, file.platform)
            if (kind in TYPE_KINDS or kind == "constant") and "." in definition.qualname
        ][:MAX_BELOW]
        return [(definition, COMMON_SCORE / len(found)) for definition in found]

    def given_from_outside(self, name: str, wanted: str) -> list[tuple[DefinitionKey, str, str]]:
        """Members of a name that are given to types from outside of them: (definition, its kind,
        the type's name)."""
        key = (name, wanted)
        known = self._given.get(key)
        if known is None:
            known = self._given[key] = [
                (definition, candidate, extended)
                for definition, candidate in self.of(name, wanted)
                if (extended := self._extended(definition))
            ]
        return known

    def made_of_elsewhere(self, expression: Expression, file: File) -> str:
        """The name of the type of another project that a receiver is made of, where types are made
        by calling them (`URL(string: text)`), or that what is given to such a type says
        (`URL.home` of `extension URL { static let home: URL }`); empty where it is not known."""
        steps = [each for each in expression.steps if type(each) not in _GIVEN]
        if not file.traits.made_by_calling or type(expression.head) is not Name or not steps:
            return ""
        of = expression.head.name
        if not of[:1].isupper() or any(
            kind in TYPE_KINDS for _, kind in self.of(of, file.platform)
        ):
            return ""
        for step in steps:
            if type(step) is Member:
                of = self._given_type(of, step.name, file)
            elif type(step) is not Call:
                return ""
        return of

    def _given_type(self, of: str, name: str, file: File) -> str:
        """The name of the type that a member is of which is given to a type of elsewhere."""
        said = {
            type_named(parse(fact)) if fact else ""
            for definition, _, extended in self.given_from_outside(name, file.platform)
            if extended == of and (holder := self._meaning.files.file(definition.path)) is not None
            for fact in [
                holder.facts.types.get(definition.qualname)
                or holder.facts.types.get(result_of(definition.qualname), "")
            ]
        }
        return next(iter(said)) if len(said) == 1 else ""

    def _extended(self, definition: DefinitionKey) -> str:
        """The name of the type that a member is given to from outside of it; empty for others."""
        container = definition.qualname.rpartition(".")[0]
        file = self._meaning.files.file(definition.path)
        if file is None or not container:
            return ""
        if extended := file.facts.types.get(extended_by(container)):
            return type_named(parse(extended))
        return "" if container in file.by_qualname else container.rpartition(".")[2]


def _may_be_seen(definition: DefinitionKey, kind: str, included: Set[str]) -> bool:
    """Whether a file can mean something that another one defines, where files are included as text:
    macros, types and constants of what is no header are seen in that file only; of variables only
    those that another declares to be outside are seen."""
    if definition.path in included:
        return True
    return kind in ("function", "variable") or not definition.path.endswith(_NO_HEADERS)


def _may_be_foreign(definition: DefinitionKey, kind: str, included: Set[str]) -> bool:
    """Whether a bare name may as well be a library's: a macro that is not included, or what stands
    in a namespace of a file that is not."""
    if definition.path in included:
        return False
    return kind == "macro" or ("." in definition.qualname and kind != "enum_member")


def _is_special(name: str, file: File) -> bool:
    """Whether the language itself gives a member its name, and runs it: on values of any type."""
    return name.startswith("__") and (name.endswith("__") or not file.traits.mangles_names)


_NO_HEADERS = (".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm")


def type_named(expression: Expression | None) -> str:
    """The name of the only type that an expression is an instance of; empty for any other."""
    if expression is None or expression.steps or type(expression.head) is not Instance:
        return ""
    parts = expression.head.type.parts
    if len(parts) != 1 or parts[0].steps or type(parts[0].head) is not TypeName:
        return ""
    return without_arity(parts[0].head.name)


_GIVEN = (GivenArguments, GivenTypeArguments)
"""Steps of an expression that say what a call is handed."""
_HOLDERS = frozenset(
    ("array", "buffer", "dict", "hash", "list", "map", "queue", "set", "stack", "stream")
)
"""What values of the languages' own types are called: `queue.push(job)` need not be of the
project's `DelayQueue`."""


def _is_plain(receiver: str, member: DefinitionKey) -> bool:
    """Whether a receiver is called as a value of the language's own types may be, and not as the
    type of a member."""
    word = receiver.strip("_")
    return word in _HOLDERS and word != _owner_name(member).strip("_")


def _owner_name(member: DefinitionKey) -> str:
    """What a member is a member of, in small letters: the module where an object without a name
    is all that it exports."""
    container, _, _ = member.qualname.rpartition(".")
    owner = container.rpartition(".")[2] or posixpath.basename(member.path).partition(".")[0]
    return owner.lower()
