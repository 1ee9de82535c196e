"""What calling a value gives: results, and what type parameters stand for in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import (
    alternative,
    arities_of,
    overload,
    parameter_of,
    parse_arities,
    parse_type_parameters,
    result_of,
    type_parameters_of,
    type_parameters_of_function,
)
from surveyor.graph.expressions.model import (
    CollectionOf,
    Expression,
    Instance,
    Parameter,
    Type,
    TypeName,
    TypePart,
    TypeVariable,
    Variable,
)
from surveyor.graph.extract.arguments import MAX_ARGUMENTS
from surveyor.graph.facts import DefinedName
from surveyor.graph.resolve.collections import HOLDER, gives_same, held_by, some_of
from surveyor.graph.resolve.files import Files
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.parts import MAX_DEPTH, CallSite, ResolverParts
from surveyor.graph.resolve.type_arguments import TypeArguments
from surveyor.graph.resolve.values import CALLABLE_KINDS, GETS, TYPE_KINDS, Value

__all__ = ["CallLookup"]


class CallLookup:
    """Evaluates calls."""

    def __init__(self, parts: ResolverParts, files: Files, arguments: TypeArguments) -> None:
        self._parts = parts
        self._files = files
        self._arguments = arguments

    def called(
        self, value: Value, file: File, depth: int, call: CallSite | None = None
    ) -> list[Value]:
        """The result of calling a value."""
        if value.tag == "collection" and value.method:
            whole = value._replace(method="")
            is_many = gives_same(file.family, value.method) or value.method in file.traits.listing
            return [whole if is_many else held_by(whole)]
        if value.tag == HOLDER:
            return [value] if value.method else []
        if value.tag == "shape" and value.method:
            some = some_of(value)
            if gives_same(file.family, value.method):
                return [some]
            return self._parts.types.elements(some, depth + 1)
        if depth >= MAX_DEPTH or value.tag not in ("instance", "node"):
            return []
        name = self._files.name(value)
        if name is None:
            return []
        if value.tag == "node" and (given := self._by_accessor(value, name, depth)) is not None:
            return given
        if value.tag == "instance":  # a type that can be called
            node = value._replace(tag="node")
            found = self._result(node, call, depth)
            if not found and name.kind == "type":
                held = [
                    v for v in self._parts.types.declared(node, depth + 1) if v.tag == "instance"
                ]
                others = [v for v in held if v[1:3] != value[1:3]]
                found = [r for v in others for r in self.called(v, file, depth + 1, call)]
            return found
        if name.kind in TYPE_KINDS:
            return [Value("instance", value.path, value.qualname)]
        if name.kind == "constructor":
            return [Value("instance", value.path, name.container)]
        if name.kind == "enum_member":
            return self._parts.types.declared(value, depth + 1)
        found = self._result(value, call, depth)
        if found and all(each.tag != "node" for each in found):
            return found
        if file.traits.calls_by_name:
            said = self._parts.types.declared(value, depth + 1)
            many = [each for each in said if each.tag == "collection"]
            if many or name.kind not in CALLABLE_KINDS:
                return many or said
        # What its type says that it gives counts beside the function that its body returns.
        held = [
            v for v in self._parts.types.declared(value, depth + 1) if v.tag in ("node", "instance")
        ]
        return found + [r for v in held for r in self.called(v, file, depth + 1, call)]

    def _by_accessor(self, field: Value, name: DefinedName, depth: int) -> list[Value] | None:
        """What a field gives by a method that the compiler, or an annotation, makes of it; None
        where it has none."""
        if field.method:
            plain = field._replace(method="")
            return self._parts.types.declared(plain, depth + 1) if field.method == GETS else []
        file = self._files.file(field.path)
        if name.kind != "field" or file is None or not file.makes_accessors:
            return None
        return [Value("instance", field.path, name.container)]  # `builder().name(…)`

    def _result(self, node: Value, call: CallSite | None, depth: int) -> list[Value]:
        """What a definition says that calling it gives."""
        file = self._files.file(node.path)
        if file is not None and file.traits.overloads and _differs(file, node.qualname):
            return self._of_signatures(node, file, depth)
        for signature in self.overloads(node, call):
            if own := self._own_argument(node, call, depth, signature):
                return own
            known = self.given_by(node, call, depth, signature)
            if found := self._parts.types.declared(known, depth + 1, result_of(signature)):
                return found
        return []

    def _of_signatures(self, node: Value, file: File, depth: int) -> list[Value]:
        """What all signatures of a name give; nothing where they give several things, of which
        nobody says here which is meant."""
        given: list[list[Value]] = []
        number = 0
        while number == 0 or overload(node.qualname, number) in file.by_qualname:
            key, other = result_of(overload(node.qualname, number)), 0
            while alternative(key, other) in file.facts.types:
                given.append(self._parts.types.said(node, depth + 1, alternative(key, other)))
                other += 1
            number += 1
        several = [each for each in given if each]
        return several[0] if several and all(each == several[0] for each in several) else []

    def _own_argument(
        self, node: Value, call: CallSite | None, depth: int, signature: str
    ) -> list[Value]:
        """What a function gives that gives what it is handed: of all that it is, this call's."""
        file = self._files.file(node.path)
        if call is None or not call.handed or file is None:
            return []
        names = file.facts.parameters.get(node.qualname)
        key = result_of(signature)
        if not names or alternative(key, 1) in file.facts.types:
            return []
        given = parse(file.facts.types.get(key, ""))
        if given is None or given.steps or type(given.head) is not Variable:
            return []
        owner, _, name = given.head.qualname.rpartition(".")
        place = names.index(name) if owner == node.qualname and name in names else len(names)
        argument = call.handed[place] if place < len(call.handed) else None
        if argument is None or argument.is_function or argument.expression is None:
            return []
        return self._handed(argument.expression, call, depth)

    def overloads(self, value: Value, call: CallSite | None) -> Sequence[str]:
        """The signatures of a value that a call may mean, as qualified names, likeliest first."""
        file = self._files.file(value.path)
        types = file.facts.types if file is not None else {}
        fact = types.get(arities_of(value.qualname))
        if not fact:
            return (value.qualname,)
        handed = call.handed if call is not None else None
        found: list[tuple[int, str]] = []
        for number, arity in enumerate(parse_arities(fact)):
            count = len(handed) if handed is not None else 0
            too_few = arity.least > count and count < MAX_ARGUMENTS
            if handed is not None and (arity.most < count or too_few):
                continue
            signature = overload(value.qualname, number)
            unlike = 0
            for place, argument in enumerate(handed or ()):
                parameter = parameter_of(signature, Parameter((place,)))
                callback = parameter_of(signature, Parameter((place, 0)))
                takes_function = result_of(parameter) in types or callback in types
                unlike += argument.is_function and not takes_function
            found.append((unlike, signature))
        found.sort(key=lambda each: each[0])
        return [signature for _, signature in found]

    def given_by(self, value: Value, call: CallSite | None, depth: int, signature: str) -> Value:
        """A value that is called, with what the call says of its type parameters."""
        if call is None or not (call.told or call.handed is not None):
            return value
        key = type_parameters_of_function(signature)
        names = self._parts.types.parameters_of(value, key)
        if not names:
            return value
        if call.told:
            given = self._parts.types.bound(
                names, call.told, call.file, call.enclosing, depth, call.given, value.given
            )
        else:
            inferred = self._inferred(value, names, call, depth, signature)
            given = self._arguments.of(inferred, value.given)
        return value._replace(given=self._by_default(value, key, given, depth))

    def _by_default(self, value: Value, key: str, given: int, depth: int) -> int:
        """`<Base, D = Draft<Base>>`: what nothing says is what it is by default."""
        file = self._files.file(value.path)
        fact = file.facts.types.get(key, "") if file is not None else ""
        if file is None:
            return given
        for name, default in parse_type_parameters(fact):
            if default is not None and not self._arguments.get(given, name):
                values, _ = self._parts.types.type(default, file, -1, depth + 1, given)
                given = self._arguments.of([(name, values)] if values else [], given)
        return given

    def _inferred(
        self, value: Value, names: Sequence[str], call: CallSite, depth: int, signature: str
    ) -> Iterable[tuple[str, list[Value]]]:
        """What type parameters stand for by what the function is handed."""
        file = self._files.file(value.path)
        bound: dict[str, list[Value]] = {}
        if file is None or depth >= MAX_DEPTH:
            return bound.items()
        for number, argument in enumerate(call.handed or ()):
            if argument.expression is None:
                continue
            parameter = parameter_of(signature, Parameter((number,)))
            own = parse(file.facts.types.get(parameter, ""))
            result = parse(file.facts.types.get(result_of(parameter), ""))
            if result is not None and _has_variable(result):
                held = self._handed(argument.expression, call, depth)
                if not argument.is_function:
                    held = [
                        each for function in held
                        for each in self.called(function, call.file, depth + 1)
                    ]  # fmt: skip
                self._match(result, held, names, bound, file, depth)
            elif own is not None and _has_variable(own) and not argument.is_function:
                held = self._handed(argument.expression, call, depth)
                self._match(own, held, names, bound, file, depth)
        return bound.items()

    def _handed(self, argument: Expression, call: CallSite, depth: int) -> list[Value]:
        return self._parts.values.evaluate(
            argument, call.file, call.enclosing, depth + 1, call.given
        )[0]

    def _match(
        self,
        declared: Expression,
        held: list[Value],
        names: Sequence[str],
        bound: dict[str, list[Value]],
        file: File,
        depth: int,
    ) -> None:
        """What type parameters stand for where something declared so is held by this."""
        if not held or type(declared.head) is not Instance or declared.steps:
            return
        for part in declared.head.type.parts:
            if type(part.head) is TypeVariable and part.head.name in names:
                found = held
                for step in part.steps:
                    found = [e for v in found for e in self._parts.types.elements(v, depth)]
                    if type(step) is not CollectionOf:
                        found = []
                if found:
                    bound.setdefault(part.head.name, found)
            elif part.given and type(part.head) is TypeName and not part.steps:
                self._match_given(part.head, part, held, names, bound, file, depth)

    def _match_given(
        self,
        head: TypeName,
        part: TypePart,
        held: list[Value],
        names: Sequence[str],
        bound: dict[str, list[Value]],
        file: File,
        depth: int,
    ) -> None:
        """`Store<T>`: of a store that is handed over, its T."""
        wanted = [_variable(given) for given in part.given]
        if not any(name in names for name in wanted):
            return
        instances = [
            i
            for value in held
            for i in (
                [value] if value.tag == "instance" else self._parts.types.declared(value, depth + 1)
            )
        ]
        for kind in self._parts.types.named(head.name, file, depth + 1):
            parameters = self._parts.types.parameters_of(kind, type_parameters_of(kind.qualname))
            for parameter, name in zip(parameters, wanted, strict=False):
                if name not in names:
                    continue
                found = [
                    v
                    for i in instances
                    if i[1:3] == kind[1:3]
                    for v in self._arguments.get(i.given, parameter)
                ]
                if found:
                    bound.setdefault(name, found)


def _differs(file: File, qualname: str) -> bool:
    """Whether a name has several signatures that say what they give."""
    return (
        alternative(result_of(qualname), 1) in file.facts.types
        or overload(qualname, 1) in file.by_qualname
    )


def _variable(given: Type) -> str:
    """The name of the type parameter that a type argument is; empty for anything else."""
    if len(given.parts) != 1 or given.parts[0].steps:
        return ""
    head = given.parts[0].head
    return head.name if type(head) is TypeVariable else ""


def _has_variable(expression: Expression) -> bool:
    """Whether a type parameter stands in the types of an expression."""
    return any(_mentions(type) for type in expression.types())


def _mentions(written: Type) -> bool:
    return any(
        type(part.head) is TypeVariable or any(map(_mentions, part.given)) for part in written.parts
    )
