"""What an expression means: names, members through types and bases, results of calls.

Everything is memoised and bounded in depth, so that cycles in imports or bases end.
"""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.expressions.keys import (
    DESCRIBED,
    ROOT,
    SUBJECT,
    alternative,
    result_of,
    variable_of_file,
)
from surveyor.graph.expressions.model import (
    Argument,
    Call,
    Element,
    Expression,
    Fixture,
    GivenArguments,
    GivenTypeArguments,
    Instance,
    Local,
    Member,
    Module,
    Name,
    Parameter,
    Step,
    Type,
    Unknown,
    Variable,
)
from surveyor.graph.facts import ImportLink
from surveyor.graph.resolve.calls import CallLookup
from surveyor.graph.resolve.collections import collection_of, may_hold
from surveyor.graph.resolve.files import Files, Modules
from surveyor.graph.resolve.flows import FlowLookup
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.layout import Layout
from surveyor.graph.resolve.members import MemberLookup
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.names import NameLookup
from surveyor.graph.resolve.parts import MAX_DEPTH, CallSite
from surveyor.graph.resolve.shared_imports import SharedImports
from surveyor.graph.resolve.type_arguments import TypeArguments
from surveyor.graph.resolve.types import TypeLookup, may_be_parameter
from surveyor.graph.resolve.values import BASES, CALLABLE_KINDS, TYPE_KINDS, Value

__all__ = ["CheckoutEvaluation", "Evaluator"]

MAX_OPENED = 4
"""Files that open the same class or module, of which all members are looked for."""


class CheckoutEvaluation:
    """All parts of one checkout's resolution, put together (`parts.ResolverParts`)."""

    def __init__(self, source: FileSource, hints: Hints, layout: Layout) -> None:
        arguments = TypeArguments()
        self.open: set[tuple[object, ...]] = set()
        self.files = Files(source)
        self.modules = Modules(layout, self.files, hints)
        shared = SharedImports(source, self.files, self.modules)
        self.names = NameLookup(self, self.files, self.modules, shared)
        self.members = MemberLookup(self, self.files, self.modules)
        self.types = TypeLookup(self, self.files, arguments)
        self.calls = CallLookup(self, self.files, arguments)
        self.flows = FlowLookup(self, self.files)
        self.values = Evaluator(self, self.files, self.modules)


class Evaluator:
    """Evaluates expressions of one checkout's files."""

    def __init__(self, parts: CheckoutEvaluation, files: Files, modules: Modules) -> None:
        self._parts = parts
        self._files = files
        self._modules = modules
        self._results: dict[tuple[str, str, str, int], tuple[list[Value], bool]] = {}

    def evaluate(
        self, expression: Expression, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Values of an expression, and whether its meaning is known even if it has none here.

        `given`: what the type parameters in it stand for.
        """
        key = (expression.text, file.path, file.qualname(enclosing), given)
        known = self._results.get(key)
        if known is not None:
            return known
        guard = ("expression", *key)
        if guard in self._parts.open or depth > MAX_DEPTH:
            return [], False
        self._parts.open.add(guard)
        try:
            result = self._evaluate(expression, file, enclosing, depth, given)
        finally:
            self._parts.open.discard(guard)
        if not self._parts.flows.building:
            self._results[key] = result
        return result

    def _evaluate(
        self, expression: Expression, file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool]:
        if type(expression.head) is Unknown:
            return [], False
        values, known, steps = self._head(expression, file, enclosing, depth, given)
        if not values and steps and may_hold(expression):
            return [], False
        passed = False
        """Whether a method gave what it is a method of: its call gives nothing else."""
        held: list[Value] = []
        """What a method that only some of the values have gives of the others: themselves."""
        walked: list[Value] = []
        """What was called last: walking through what it gives may be what it yields."""
        nothing = before = CallSite((), None, file, enclosing, given)
        """`before`: what stands before a parameter of what is called, its types and arguments."""
        for position, step in enumerate(steps):
            if type(step) is GivenArguments:
                before = before._replace(handed=step.arguments)
                continue
            if type(step) is GivenTypeArguments:  # what the call before it is told to give
                if not values and len(step.types) == 1:
                    values, _ = self._parts.types.type(step.types[0], file, enclosing, depth, given)
                    known = False
                before = before._replace(told=step.types)
                continue
            if (
                not values
                and not walked
                and not any(type(s) is GivenTypeArguments for s in steps[position:])
            ):
                # What is handed over to something from elsewhere may be anything.
                return [], known and not any(type(s) is Parameter for s in steps[position:])
            if type(step) is not Call:
                passed, held = False, []
            if type(step) is Member and step.name == file.traits.class_member:
                made = [v for v in values if v.tag == "instance"]
                values = [v._replace(tag="node") for v in made] or values
                continue
            if type(step) is Member:
                members = self._parts.members
                holds = any(members.may_hold(v) for v in values)
                known = bool(values) and (
                    step.name.isdecimal()
                    or not (
                        holds
                        or any(
                            v.tag == "collection" or members.is_open(v, file) or self._is_type(v)
                            for v in values
                        )
                    )
                )
                found = members.of_all(values, step.name, file)
                if not found and file.traits.walks_wrappers:
                    known = False  # of what it is wrapped in, and that may give it
                if found and step.name in file.traits.passing:
                    held = self._without(step.name, values, file, depth)
                if not found and step.name == file.traits.making and _takes(steps[position:]):
                    continue  # what its constructor takes
                is_made = not found and step.name == file.traits.making
                if is_made and (made := self._types_named(values, depth)):
                    values, passed, known = [_instance(v) for v in made], True, False
                    continue
                if not found and (records := self._of_records(values, step.name, file)):
                    values, passed, known = records, True, False
                    continue
                if not found and step.name == file.traits.awaited[0]:
                    found = self._awaited(values, file, depth)
                if not (found or holds) and step.name in file.traits.passing:
                    passed = True
                    continue
                values = found or self._parts.names.extension(file, step.name, enclosing, values)
                if file.traits.methods_read and type((*steps, None)[position + 1]) is not Call:
                    values = self._read(values, file, depth)
            elif type(step) is Call:
                if passed:
                    passed = False
                    continue
                call = _call_at(steps, position, before)
                walked = values
                values = [r for v in values for r in self._parts.calls.called(v, file, depth, call)]
                if not values and file.traits.separate_types:
                    values = _made_elsewhere(walked, call)
                values += held
                held, known = [], not values and self._gives_of_elsewhere(walked)
            elif type(step) is Element:
                kept = self._parts.types
                yielded = [y for v in walked for y in kept.yielded(v, depth, step.key)]
                is_result = bool(walked and step.key and file.traits.several_results)
                inside = yielded or [
                    e
                    for v in (() if is_result else values)
                    for e in kept.elements(v, depth, step.key)
                ]
                rest = steps[position:]
                known = not inside and not walked and self._are_of_elsewhere(values, rest)
                values = inside
            elif type(step) is Parameter:
                values = [
                    p
                    for v in values
                    for p in self._parts.types.parameter(v, step, file, depth, before)
                ]
                known = False
            if type(step) is not Call:
                walked = []
            before = nothing
        return (list(dict.fromkeys(values)) if len(values) > 1 else values), known

    def _read(self, values: Sequence[Value], file: File, depth: int) -> list[Value]:
        """Values with what methods among them give in their place."""
        called = self._parts.calls.called
        return [
            each
            for value in values
            for each in (
                called(value, file, depth) if self._files.kind(value) == "method" else [value]
            )
        ]

    def _of_records(self, values: Sequence[Value], name: str, file: File) -> list[Value]:
        """One, or many, of the classes among values that have functions from elsewhere which find
        them: those whose bases are not all known."""
        is_one = name in file.traits.finding
        if not is_one and name not in file.traits.listing:
            return []
        kept = [
            _instance(value)
            for value in values
            if value.tag == "node"
            and self._files.kind(value) == "class"
            and self._parts.members.bases(value, file)[1]
        ]
        return kept if is_one else [collection_of(each) for each in kept]

    def _without(self, name: str, values: Sequence[Value], file: File, depth: int) -> list[Value]:
        """Of a project's own wrapper and what it holds, what has no member of a name: the member
        `lock` of the wrapper gives that."""
        instances = [
            i
            for value in values
            for i in (
                [value] if value.tag == "instance" else self._parts.types.declared(value, depth)
            )
        ]
        return [each for each in instances if not self._parts.members.member(each, name, file)]

    def _gives_of_elsewhere(self, called: Sequence[Value]) -> bool:
        """Whether functions are declared to give what the project does not define."""
        members = self._parts.members
        return all(
            members.is_of_elsewhere(value, key=key) and not members.may_hold(value, key)
            for value in called
            for key in self._results_of(value)
        )

    def _results_of(self, function: Value) -> list[str]:
        """The facts that say what a function gives: of each of its signatures, and each that code
        says of one."""
        file = self._files.file(function.path)
        types = file.facts.types if file is not None else {}
        found = []
        for signature in self._parts.calls.overloads(function, None):
            number = 0
            while number == 0 or alternative(result_of(signature), number) in types:
                found.append(alternative(result_of(signature), number))
                number += 1
        return found

    def _are_of_elsewhere(self, values: Sequence[Value], steps: Sequence[Step]) -> bool:
        """Whether values are declared with types that the project does not define, and that hold
        nothing of it that some steps lead to."""
        members = self._parts.members
        return all(
            members.is_of_elsewhere(v) and not members.may_hold(v, steps=steps) for v in values
        )

    def _is_type(self, value: Value) -> bool:
        """Whether it is a type, or of one, that the project defines: what it does not say of that,
        somebody gives it who is not read."""
        return value.tag in ("node", "instance") and self._files.kind(value) in TYPE_KINDS

    def _types_named(self, values: Sequence[Value], depth: int) -> list[Value]:
        """The types among values, or those that constants are other names for: `Lid = Box`."""
        found = [v for v in values if self._files.kind(v) in TYPE_KINDS]
        held = [] if found else [h for v in values for h in self._parts.types.declared(v, depth)]
        return found or [h for h in held if h.tag == "node" and self._files.kind(h) in TYPE_KINDS]

    def _awaited(self, values: Sequence[Value], file: File, depth: int) -> list[Value]:
        """What waiting for a value gives that says so in its type."""
        name = file.traits.awaited[1]
        members = [m for v in values for m in self._parts.members.member(v, name, file)]
        said = [m for m in members if self._files.kind(m) == "type"]
        return [gives for each in said for gives in self._parts.types.declared(each, depth + 1)]

    def _head(
        self, expression: Expression, file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        head, rest = expression.head, expression.steps
        if type(head) is Name:
            return self._name(head.name, rest, file, enclosing)
        if type(head) is Instance:
            values, known = self._parts.types.type(head.type, file, enclosing, depth, given)
            return values, known, rest
        if type(head) is Local:
            return [Value("node", file.path, head.qualname)], True, rest
        if type(head) is Variable:
            return self._parts.flows.values(file, head.qualname, depth), False, rest
        if type(head) is Module:
            return self._loaded(head, rest, file, enclosing)
        if type(head) is Fixture:
            found = self._parts.names.fixture(head.name, file, enclosing)
            return found, bool(found) or head.name in file.traits.given_fixtures, rest
        return [], False, rest

    def _loaded(
        self, head: Module, rest: Sequence[Step], file: File, enclosing: int
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        """What a module is that a call loads; elsewhere it is a call like any other."""
        if file.traits.binds_top_package:
            return self._modules.modules(head.module, file)[0], True, rest
        if not file.traits.exports_names:
            return self._name("require", (Call(), *rest), file, enclosing)
        link = ImportLink(head.module, (), "", 0, "dynamic", "")
        return self._parts.names.imported(file, link, "=" if head.is_whole else "*"), True, rest

    def _name(
        self, head: str, rest: Sequence[Step], file: File, enclosing: int
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        traits = file.traits
        if head in traits.self_calls and rest[:1] == (Call(),):
            owners = self._parts.types.around(file, enclosing)
            return [v._replace(tag="instance") for v in owners], bool(owners), rest[1:]
        is_super = head in traits.super_words
        if is_super or head in traits.self_words:
            owners = self._parts.types.around(file, enclosing)
            if is_super:
                if rest[:1] == (Call(),):
                    rest = rest[1:]
                bases, is_open = (
                    self._parts.members.bases(owners[0], file) if owners else ([], False)
                )
                if traits.super_is_no_trait:
                    bases = [base for base in bases if self._files.kind(base) != "trait"]
                if len(bases) > 1:  # of which the first counts that has what is asked for
                    return [owners[0]._replace(tag=BASES)], not is_open, rest
                return [Value("instance", b.path, b.qualname) for b in bases], not is_open, rest
            if traits.self_is_module and not owners:
                if self._is_method(file, enclosing):  # of a type that the project does not define
                    return [], False, rest
                return [Value("module", file.path)], True, rest
            if traits.sigils and not owners and rest and type(rest[0]) is Member:
                return self._variable(rest[0].name, file), False, rest[1:]
            tag = "node" if head in traits.class_words else "instance"
            return [Value(tag, o.path, o.qualname) for o in owners], bool(owners), rest
        if head in traits.module_words:
            if traits.outer_module == head:
                return self._around_module(self._inline(file, enclosing), head, rest, file)
            found, _ = self._modules.modules(head, file)
            return found, True, rest
        if traits.named_modules and head[:1].isupper():
            return self._named_module(head, rest, file, enclosing)
        if traits.sigils and self._is_variable(head, file):
            return self._variable(head, file), False, rest
        if traits.global_constants and head == ROOT and rest and type(rest[0]) is Member:
            return self._of_root(rest[0].name), True, rest[1:]
        if traits.types_are_packages and head == ROOT:
            return [Value("package", "")], True, rest
        values = self._parts.names.bare(file, head, enclosing)
        if traits.types_hidden_by_functions and values and rest and type(rest[0]) is not Call:
            names = [self._files.name(value) for value in values]
            if all(name is not None and name.kind in CALLABLE_KINDS for name in names):
                values = self._parts.names.bare(file, head, enclosing, types_only=True)
        if values:
            if traits.types_are_packages and (
                inside := self._beside_type(values, head, file, rest)
            ):
                return inside
            return values, False, rest
        if traits.dotted_packages and (inside := self._package_of(head, file, rest)) is not None:
            return inside
        if head in file.imported or head in traits.built_in_names:
            return [], True, rest  # from outside of the project
        if (root := self._modules.root(head, file)) is not None:
            return [root], True, rest
        if traits.global_constants and head[:1].isupper():
            # Constants are the whole program's: what requires them may be any other file.
            opened = [
                Value("node", path, qualname)
                for path, qualname, kind in self._files.named(head)
                if qualname == head and kind in TYPE_KINDS
            ]
            return (opened[:MAX_OPENED], False, rest) if opened else self._reopened(head, rest)
        if traits.dotted_packages:
            return self._dotted_package(head, file, rest)
        is_known = traits.paths_are_bound and not may_be_parameter(head)
        return [], is_known and not self._is_in_macro(file, enclosing), rest

    @staticmethod
    def _is_in_macro(file: File, enclosing: int) -> bool:
        return enclosing >= 0 and file.facts.names[enclosing].kind == "macro"

    @staticmethod
    def _is_method(file: File, enclosing: int) -> bool:
        return enclosing >= 0 and file.facts.names[enclosing].kind == "method"

    def _variable(self, name: str, file: File) -> list[Value]:
        """What a variable of a file holds that is no class's: one thing, or it is not known."""
        whole, declared = Value("node", file.path, ""), self._parts.types.declared
        if variable_of_file(name) in file.facts.types:
            found = declared(whole, 1, variable_of_file(name))
        else:  # what is tested is new, where nothing else is said
            found = [
                _instance(value) if self._files.kind(value) == "class" else value
                for value in declared(whole, 1, variable_of_file(DESCRIBED))
            ]
        return found if len({value[:3] for value in found}) == 1 else []

    @staticmethod
    def _is_variable(name: str, file: File) -> bool:
        known = file.facts.types
        return variable_of_file(name) in known or (
            name == SUBJECT and variable_of_file(DESCRIBED) in known
        )

    def _of_root(self, name: str) -> list[Value]:
        """What the whole program knows under a name: `::Logger`."""
        return [
            Value("node", path, qualname)
            for path, qualname, kind in self._files.named(name)
            if qualname == name and kind in TYPE_KINDS | {"constant"}
        ][:MAX_OPENED]

    def _reopened(
        self, head: str, rest: Sequence[Step]
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        """`class Minitest::Test` opens a class of a module that the project does not define."""
        name = head
        for index, step in enumerate(rest, 1):
            if type(step) is not Member or not step.name[:1].isupper():
                break
            name = f"{name}.{step.name}"
            opened = [
                Value("node", path, qualname)
                for path, qualname, kind in self._files.named(step.name)
                if qualname == name and kind in TYPE_KINDS
            ]
            if opened:
                return opened[:MAX_OPENED], False, rest[index:]
        return [], False, rest

    def _inline(self, file: File, enclosing: int) -> list[str]:
        """The modules around a definition that stand in its file, from the outermost on."""
        words = file.qualname(enclosing).split(".")
        outer = (".".join(words[:count]) for count in range(1, len(words) + 1))
        return [each for each in outer if (n := file.get(each)) is not None and n.kind == "module"]

    def _around_module(
        self, inline: list[str], word: str, rest: Sequence[Step], file: File
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        """`super::super::name` in modules that stand in a file."""
        ups = 1
        while rest and type(rest[0]) is Member and rest[0].name == word:
            ups, rest = ups + 1, rest[1:]
        if ups > len(inline):
            above = "::".join([word] * (ups - len(inline)))
            return self._modules.modules(above, file)[0], True, rest
        if ups == len(inline):
            return [Value("module", file.path)], True, rest
        return [Value("node", file.path, inline[-ups - 1])], True, rest

    def _named_module(
        self, head: str, rest: Sequence[Step], file: File, enclosing: int
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        """`A.B.f`: the longest of the names that is a module's, by the aliases of the file."""
        if head in file.contained and (
            found := self._parts.names.bare(file, head, enclosing, types_only=True)
        ):
            return found, True, rest
        link = file.imported[head][0] if head in file.imported else None
        name = link.module if link is not None and link.alias == head else head
        if link is None and (given := self._parts.names.used_alias(file, head)):
            name = given
        found, longest = self._modules.named(name, file), 0
        for index, step in enumerate(rest, 1):
            if not isinstance(step, Member) or not step.name[:1].isupper():
                break
            name = f"{name}.{step.name}"
            if values := self._modules.named(name, file):
                found, longest = values, index
        left = rest[longest:]
        if left and isinstance(left[0], Member) and left[0].name[:1].isupper():
            return [], True, rest  # a module below it, which the project does not define
        return found, True, left

    def _dotted_package(
        self, head: str, file: File, rest: Sequence[Step]
    ) -> tuple[list[Value], bool, Sequence[Step]]:
        """`a.b.C`: a package written out; a class that nothing imports but the project has."""
        if (written := self._longest_package(head, rest)) is not None:
            return written
        types = [
            Value("node", path, qualname)
            for path, qualname, kind in self._files.named(head)
            if kind in TYPE_KINDS and (o := self._files.file(path)) is not None
            and o.platform == file.platform
        ]  # fmt: skip
        return (types, False, rest) if len(types) == 1 else ([], False, rest)

    def _beside_type(
        self, values: Sequence[Value], head: str, file: File, rest: Sequence[Step]
    ) -> tuple[list[Value], bool, Sequence[Step]] | None:
        """The package of a type's name, where what follows is in that and not in the type:
        `Stmt\\Use`, beside a class `Stmt`."""
        first = rest[0] if rest else None
        member = self._parts.members.member
        if type(first) is not Member or any(member(v, first.name, file) for v in values):
            return None
        inside = self._package_of(head, file, rest)
        left = inside[2] if inside is not None else ()
        following = left[0] if left else None
        if inside is None or type(following) is not Member:
            return None
        return inside if any(member(v, following.name, file) for v in inside[0]) else None

    def _package_of(
        self, head: str, file: File, rest: Sequence[Step]
    ) -> tuple[list[Value], bool, Sequence[Step]] | None:
        """`Psr7\\Utils`, where a file imports the namespace `Psr7` or is in the one above it."""
        if head in file.imported:
            link, original = file.imported[head]
            above = [link.module]
            head, is_root = original, not link.module  # `use Nette;`
        else:
            is_root = False
            traits = file.traits
            is_relative = traits.namespaces_visible or traits.nested_packages
            above = [*self._modules.scopes(file)] if is_relative else []
        names = [head] if is_root else [f"{one}.{head}" for one in above if one]
        if file.traits.nested_packages and head not in file.imported:
            names.append(head)  # `package test.os` opens nothing of `test`
        written = [one for name in names if (one := self._longest_package(name, rest)) is not None]
        for each in written if len(written) > 1 else ():
            following = each[2][0] if each[2] else None
            if type(following) is not Member or any(
                self._parts.members.member(value, following.name, file) for value in each[0]
            ):
                return each
        return written[0] if written else None

    def _longest_package(
        self, package: str, rest: Sequence[Step]
    ) -> tuple[list[Value], bool, Sequence[Step]] | None:
        """The package that a name and as many members as possible are, and what is left."""
        found, longest = "", -1
        for index in range(len(rest) + 1):
            if self._modules.is_package(package):
                found, longest = package, index  # a.b is one, and a.b.c too
            step = rest[index] if index < len(rest) else None
            if type(step) is not Member:
                break
            package = f"{package}.{step.name}"
        return ([Value("package", found)], True, rest[longest:]) if longest >= 0 else None


def _takes(steps: Sequence[Step]) -> bool:
    """Whether a parameter of what stands first is asked about."""
    return len(steps) > 1 and type(steps[1]) is Parameter


def _made_elsewhere(called: Sequence[Value], call: CallSite) -> list[Value]:
    """Of objects that are called though they are no functions, themselves: they are what is known
    of something that a function from elsewhere makes of their type (`create<Store>(…)()`). What is
    handed a function (`useStore((store) => store.size)`) gives what that gives."""
    if any(argument.is_function for argument in call.handed or ()):
        return []
    return [value for value in called if value.tag == "instance"]


def _call_at(steps: Sequence[Step], position: int, before: CallSite) -> CallSite:
    """A call with what stands behind it: the types that it is told, and what it is handed."""
    told: Sequence[Type] = ()
    handed: Sequence[Argument] | None = None
    for step in steps[position + 1 : position + 3]:
        if type(step) is GivenTypeArguments and not told:
            told = step.types
        elif type(step) is GivenArguments:
            handed = step.arguments
            break
        else:
            break
    return CallSite(told, handed, before.file, before.enclosing, before.given)


def _instance(type_: Value) -> Value:
    return Value("instance", type_.path, type_.qualname)
