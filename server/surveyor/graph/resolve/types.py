"""What types mean: instances of names, what they are given, what calling them gives.

A value knows what the type parameters around it stand for (`Value.given`): the members of
`Box<Engine>` have that box's `T`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import (
    alternative,
    element_of,
    extended_by,
    parameter_of,
    parse_type_parameters,
    rest_of,
    result_of,
    type_parameters_of,
    yielded_by,
)
from surveyor.graph.expressions.model import (
    CollectionOf,
    Expression,
    Instance,
    Key,
    KeyElement,
    Parameter,
    Shape,
    Type,
    TypeName,
    TypePart,
    TypeStep,
    TypeVariable,
    ValueOf,
)
from surveyor.graph.resolve.collections import (
    HOLDER,
    gives_last,
    held_by,
    holder_of,
    is_some,
    many_of,
)
from surveyor.graph.resolve.files import Files
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.parts import MAX_DEPTH, CallSite, ResolverParts
from surveyor.graph.resolve.type_arguments import TypeArguments
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS, Value

__all__ = ["TypeLookup", "may_be_parameter", "plain_type_name", "same_type"]

INTRINSIC = "JSX.IntrinsicElements"
"""What the tags of JSX that are no components are members of."""
_MAX_INTRINSIC = 4
_MAX_VALUES = 8
_PARAMETER = re.compile(r"[A-Z]{1,2}|T[A-Z][a-z]\w*")


def may_be_parameter(name: str) -> bool:
    """Whether a type that nothing defines is called as type parameters are: `T`, `TKey`."""
    return _PARAMETER.fullmatch(name) is not None


def same_type(container: str, qualname: str) -> bool:
    """Whether what members say they belong to is a type, as far as either name goes."""
    one, other = f".{container}", f".{qualname}"
    return one.endswith(other) or other.endswith(one)


def plain_type_name(fact: str, keeps_arguments: bool) -> str:
    """The name of the type that a fact says something is, where it is a plain name; with type
    arguments it is none where these are followed."""
    expression = parse(fact)
    if expression is None:
        return ""
    if expression.steps or type(expression.head) is not Instance:
        name = expression.dotted
        return name if name.replace(".", "").replace("_", "").isalnum() else ""
    parts = expression.head.type.parts
    if len(parts) != 1 or (parts[0].given and keeps_arguments) or parts[0].steps:
        return ""
    head = parts[0].head
    return head.name if type(head) is TypeName and "$" not in head.name else ""


def _outside_of_functions(container: str, file: File) -> int | None:
    """The definition around anonymous functions: `Box.open` of `Box.open.lambda$1`."""
    while container:
        container = container.rpartition(".")[0]
        if (index := file.by_qualname.get(container)) is not None:
            return index
    return None


_CONSTANTS = frozenset({"enum_member", "field"})
"""Kinds of definitions that an enumeration's constants are, in one language or another."""


class TypeLookup:
    """Evaluates types, and what follows from them."""

    def __init__(self, parts: ResolverParts, files: Files, arguments: TypeArguments) -> None:
        self._parts = parts
        self._files = files
        self._arguments = arguments

    def around(self, file: File, enclosing: int) -> list[Value]:
        """The class around a definition."""
        names = file.facts.names
        index: int | None = enclosing
        while index is not None and 0 <= index < len(names):
            around = names[index]
            extended = extended_by(around.qualname)
            if extended in file.facts.types and not file.traits.extends_arguments:
                node = Value("node", file.path, around.qualname)
                found = self.declared(node, 1, extended)
                return [Value("node", v.path, v.qualname, v.given) for v in found]
            if around.kind in TYPE_KINDS and around.kind not in ("namespace", "module"):
                return [Value("node", file.path, around.qualname)]
            if not around.container:
                return []
            following = file.by_qualname.get(around.container)
            if following is None and file.traits.nests:
                following = _outside_of_functions(around.container, file)
            if following is None:
                if file.traits.members_elsewhere is not None:
                    return self._parts.names.owners(file, around.container)
                return []
            if names[following].kind == "module" and file.traits.modules_are_types:
                return [Value("node", file.path, file.qualnames[following])]
            index = following
        return []

    def type(
        self, type: Type, file: File, enclosing: int, depth: int = 0, given: int = 0
    ) -> tuple[list[Value], bool]:
        """Instances of a type, and whether its meaning is known even if it has none here."""
        found: list[Value] = []
        known = bool(type.parts)
        for part in type.parts:
            values, sure = self._part(part, file, enclosing, depth, given)
            found += values
            known = known and sure
        if len(type.parts) > 1 or len(found) > 1:
            found = list(dict.fromkeys(found))[:_MAX_VALUES]
        return found, known

    def named(self, name: str, file: File, depth: int) -> list[Value]:
        """Instances of a type by its name alone."""
        return self._named_type(name, (), file, -1, depth, 0)[0]

    def _part(
        self, part: TypePart, file: File, enclosing: int, depth: int, given: int
    ) -> tuple[list[Value], bool]:
        head = part.head
        if type(head) is TypeName:
            values, known = self._named_type(head.name, part.given, file, enclosing, depth, given)
        elif type(head) is Shape:
            local = self._local(head.qualname, part, file, enclosing, depth, given)
            values, known = [local], True
        elif type(head) is TypeVariable:
            values, known = list(self._arguments.get(given, head.name)), False
            if not values and head.bound is not None and depth < MAX_DEPTH:
                values, known = self.type(head.bound, file, enclosing, depth + 1, given)
        elif type(head) is ValueOf:
            values, known = self._parts.values.evaluate(
                head.expression, file, enclosing, depth + 1, given
            )
        else:  # an object type that nothing has named
            values, known = [], True
        for step in part.steps:
            values, known = self._step(step, values, file, depth), type(step) is CollectionOf
        return values, known

    def _local(
        self, local: str, part: TypePart, file: File, enclosing: int, depth: int, given: int
    ) -> Value:
        defined = file.get(local)
        is_type = defined is not None and defined.kind in TYPE_KINDS
        value = Value("instance" if is_type else "shape", file.path, local, given)
        if is_type and part.given:
            return self._with(value, part.given, file, enclosing, depth, given)
        return value

    def _step(self, step: TypeStep, values: list[Value], file: File, depth: int) -> list[Value]:
        if type(step) is CollectionOf:
            return [many_of(value) for value in values]
        if type(step) is Key:
            return [m for v in values for m in self._parts.members.member(v, step.name, file)]
        if type(step) is Parameter:
            return [p for v in values for p in self.parameter(v, step, file, depth + 1)]
        if type(step) is KeyElement:
            return [e for v in values for e in self.elements(v, depth + 1)]
        return [r for v in values for r in self._parts.calls.called(v, file, depth + 1)]

    def _named_type(
        self,
        name: str,
        types: Sequence[Type],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
    ) -> tuple[list[Value], bool]:
        if name in file.traits.self_words or name == "Self":
            owners = self.around(file, enclosing)
            return [Value("instance", o.path, o.qualname, given) for o in owners], bool(owners)
        expression = parse(name)
        if expression is None:
            return [], False
        values, known = self._parts.values.evaluate(expression, file, enclosing, depth + 1)
        kinds = {self._files.kind(value) for value in values}
        if (
            values
            and not expression.steps
            and (
                (file.traits.types_hidden_by_functions and kinds <= CALLABLE_KINDS)  # constructors
                or (
                    file.traits.includes_text and kinds.isdisjoint(TYPE_KINDS)
                )  # `struct conf conf`
            )
        ):
            values = self._parts.names.bare(file, name, enclosing, types_only=True)
        if not values and not expression.steps and file.traits.sees_class_body:
            values = self._parts.names.bare(file, name, enclosing, types_only=True)
        instances = [
            Value("instance", value.path, value.qualname)
            for value in values
            if value.tag == "node"
            and (n := self._files.name(value)) is not None
            and n.kind in TYPE_KINDS
        ]
        if file.traits.making and not all(self._is_made(value) for value in instances):
            instances = self._made_by_modules(instances, file, depth)
        if not values and name == INTRINSIC:  # visible everywhere, where the project says it
            instances = [
                Value("instance", path, qualname)
                for path, qualname, _ in self._files.named("IntrinsicElements")
                if qualname.endswith(name)
            ]
            return instances[:_MAX_INTRINSIC], True
        if not instances and values and depth < MAX_DEPTH:  # an alias
            for value in values:
                instances += self.declared(value, depth)
        elif types and depth < MAX_DEPTH:
            instances = [
                self._with(value, types, file, enclosing, depth, given) for value in instances
            ]
        if not values and len(expression.steps) == 1:  # in something of the project
            above = Expression(expression.head)
            if self._parts.values.evaluate(above, file, enclosing, depth + 1)[0]:
                return instances, known
        is_elsewhere = known or (not values and not may_be_parameter(name))
        if types and not values and is_elsewhere and depth < MAX_DEPTH:
            told = types[-1:] if gives_last(name) else types
            held = [
                v for each in told for v in self.type(each, file, enclosing, depth + 1, given)[0]
            ]
            held = [v for v in held if v.tag in ("instance", "collection")]
            gives = name.rpartition(".")[2] in file.traits.converting
            instances = held if gives else [holder_of(v) for v in held]
        return instances, is_elsewhere

    def _is_made(self, value: Value) -> bool:
        return self._files.kind(value) != "module"

    def _made_by_modules(self, instances: list[Value], file: File, depth: int) -> list[Value]:
        """No module has instances: `Faraday.new` is what its own function gives."""
        found = [value for value in instances if self._is_made(value)]
        for value in instances:
            if self._is_made(value):
                continue
            module = Value("node", value.path, value.qualname)
            for function in self._parts.members.member(module, file.traits.making, file):
                found += self._parts.calls.called(function, file, depth + 1)
        return list(dict.fromkeys(found))

    def _with(
        self,
        value: Value,
        types: Sequence[Type],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
    ) -> Value:
        """An instance of a type with what it is given."""
        names = self.parameters_of(value, type_parameters_of(value.qualname))
        if not names:
            return value
        bound = self.bound(names, types, file, enclosing, depth, given)
        return Value(value.tag, value.path, value.qualname, bound)

    def parameters_of(self, value: Value, key: str) -> list[str]:
        """Names of the type parameters that a fact declares."""
        file = self._files.file(value.path)
        fact = file.facts.types.get(key) if file is not None else None
        return [each.name for each in parse_type_parameters(fact)] if fact else []

    def bound(
        self,
        names: Sequence[str],
        types: Sequence[Type],
        file: File,
        enclosing: int,
        depth: int,
        given: int,
        outer: int = 0,
    ) -> int:
        """What type parameters stand for that are told these types, on top of `outer`."""
        bound = []
        for name, type in zip(names, types, strict=False):
            values, _ = self.type(type, file, enclosing, depth + 1, given)
            if values:
                bound.append((name, values))
        return self._arguments.of(bound, outer)

    def declared(self, value: Value, depth: int, key: str = "") -> list[Value]:
        """What the type facts say about a definition, or of another `key` of its file."""
        file = self._files.file(value.path)
        if file is None or depth > MAX_DEPTH:
            return []
        types, key = file.facts.types, key or value.qualname
        result = self._fact(types.get(key), value, file, depth)
        number = 1
        while (other := types.get(alternative(key, number))) is not None:
            result += self._fact(other, value, file, depth)
            number += 1
        if not result and key == value.qualname and value.tag == "node":
            return self._constant_of(value, file)
        return list(dict.fromkeys(result)) if number > 1 else result

    def pointed_to(self, value: Value, file: File) -> list[Value]:
        """What an object points to, whose members it has as well: `type Target = Box` (Rust)."""
        target = f"{value.qualname}.{file.traits.points_to}"
        if target not in file.by_qualname:
            return []
        return self.declared(Value("node", value.path, target, value.given), 1)

    def _is_declared(self, value: Value, key: str) -> bool:
        """Whether there is a fact of a key in a definition's file."""
        file = self._files.file(value.path)
        types = file.facts.types if file is not None else {}
        return key in types or alternative(key, 1) in types

    def said(self, value: Value, depth: int, key: str) -> list[Value]:
        """What one fact of a definition's file says, without its alternatives."""
        file = self._files.file(value.path)
        if file is None or depth > MAX_DEPTH:
            return []
        return self._fact(file.facts.types.get(key), value, file, depth)

    def _constant_of(self, value: Value, file: File) -> list[Value]:
        """An instance of the enumeration that a definition is a constant of."""
        name = self._files.name(value)
        if name is None or name.kind not in _CONSTANTS or not name.container:
            return []
        around = Value("instance", value.path, name.container)
        holder = self._files.kind(around)
        return [around] if holder == "enum" else []

    def _fact(self, fact: str | None, value: Value, file: File, depth: int) -> list[Value]:
        """What one fact about a definition says."""
        expression = parse(fact) if fact else None
        if expression is None:
            return []
        index = file.by_qualname.get(value.qualname, -1)
        found, _ = self._parts.values.evaluate(expression, file, index, depth + 1, value.given)
        if type(expression.head) is not Instance:
            return list(found)
        result = []
        for item in found:
            name = self._files.name(item) if item.tag == "node" else None
            if name is not None and name.kind in TYPE_KINDS:
                item = Value("instance", item.path, item.qualname, item.given)
            result.append(item)
        return result

    def parameter(
        self, value: Value, which: Parameter, file: File, depth: int, call: CallSite | None = None
    ) -> list[Value]:
        """What a function is called with, `which` of its parameters."""
        if value.tag == HOLDER and which.path == (0,):  # const View: React.FC<Props> = …
            return [held_by(value)]
        if value.tag not in ("node", "instance") or depth > MAX_DEPTH:
            return []
        name = self._files.name(value)
        if name is None:
            return []
        node = Value("node", value.path, value.qualname, value.given)
        if name.kind in TYPE_KINDS and value.tag == "node":
            of = self._files.file(value.path)
            made_by = of.traits.initializer if of is not None else "constructor"
            node = node._replace(qualname=f"{value.qualname}.{made_by}")
        signatures = list(self._parts.calls.overloads(node, call))
        if file.traits.extensions:
            signatures += [v.qualname for v in self._parts.names.signatures(node)]
        taken: list[Value] = []
        for signature in dict.fromkeys(signatures):
            parameter = parameter_of(signature, which)
            # What the call gives is dear to find, and most signatures say nothing of it.
            if not self._is_declared(node, parameter):
                continue
            known = self._parts.calls.given_by(node, call, depth, signature)
            taken += self.declared(known, depth + 1, parameter)
            if taken and not file.traits.extensions:
                break
        if taken:
            return list(dict.fromkeys(taken))
        if len(which.path) > 1:
            first, rest = Parameter(which.path[:1]), Parameter(which.path[1:])
            types = self.parameter(value, first, file, depth + 1)
            found = [p for t in types for p in self.parameter(t, rest, file, depth + 1)]
            if found:
                return found
        if found := self.declared(node, depth + 1, rest_of(node.qualname)):
            return found
        if name.kind in TYPE_KINDS:
            bases = self._parts.members.bases(value, file)[0]
            types = [Value("instance", *base[1:]) for base in bases]
            if name.kind == "type":
                types += self.declared(node, depth + 1)
        else:
            types = self.declared(value, depth + 1)
        return [
            p for t in types if t != value for p in self.parameter(t, which, file, depth + 1, call)
        ]

    def yielded(self, value: Value, depth: int, key: str = "") -> list[Value]:
        """What walking through the result of a function gives that yields; what stands under a
        key in the tuple that it is declared to give."""
        if value.tag != "node" or depth > MAX_DEPTH:
            return []
        if key:
            place = element_of(result_of(value.qualname), key)
            if found := self.declared(value, depth + 1, place):
                return found
        return self.declared(value, depth + 1, yielded_by(value.qualname))

    def elements(self, value: Value, depth: int, key: str = "") -> list[Value]:
        """What a collection holds, under a key or any."""
        if value.tag in ("collection", HOLDER):
            return [held_by(value)]
        if value.tag == "shape":
            return self._in_table(value, depth, "" if is_some(value) else key)
        name = self._files.name(value) if value.tag in ("node", "instance") else None
        if name is None or depth > MAX_DEPTH:
            return []
        if name.kind == "type" and value.tag == "instance":  # type Cars = Car[]
            held = self.declared(value._replace(tag="node"), depth + 1)
            return [e for v in held if v[1:3] != value[1:3] for e in self.elements(v, depth + 1)]
        if value.tag == "instance":
            found = self._walked(value, depth, key)
            return found or ([value] if self._is_pointer(value) else [])
        if name.kind in TYPE_KINDS:  # a generic type and what it is of
            return [value]
        if name.kind in CALLABLE_KINDS and value.tag == "node":
            file = self._files.file(value.path)
            if file is not None and file.traits.told_in_brackets:
                return [value]
        held = [v for v in self.declared(value, depth) if v.tag != "node"]
        return [element for v in held for element in self.elements(v, depth + 1, key)]

    def _is_pointer(self, value: Value) -> bool:
        """Whether what is looked up in one value may be the next of its type: `boxes[1].lid`."""
        file = self._files.file(value.path)
        if file is None or not file.traits.includes_text:
            return False
        members = self._parts.members
        return not (members.is_open(value, file) or members.member(value, "operator[]", file))

    def _in_table(self, table: Value, depth: int, key: str) -> list[Value]:
        """What is held by a list or dictionary that is written out, under a key or any."""
        file = self._files.file(table.path)
        if file is None or depth > MAX_DEPTH:
            return []
        keys = file.tables.get(table.qualname, ())
        wanted = [k for k in (key, "") if k in keys] if key else keys
        found = [
            held
            for each in wanted
            for held in self.declared(table, depth + 1, element_of(table.qualname, each))
        ]
        if file.traits.literal_objects:
            found += self._in_object(table, file, key)
        return list(dict.fromkeys(found))[:_MAX_VALUES]

    def _in_object(self, table: Value, file: File, key: str) -> list[Value]:
        """What an object has as a member under a key, or any of them."""
        names = file.members.get(table.qualname, {})
        if key:
            name = key[1:] if key[0] == "'" else ""
            return self._parts.members.member(table, name, file) if name in names else []
        if len(names) > _MAX_VALUES:
            return []
        # Which key is meant is not known: objects differ in what they have, functions only run.
        held = [m for name in names for m in self._parts.members.member(table, name, file)]
        return [v for v in held if self._is_function(v)]

    def _is_function(self, value: Value) -> bool:
        name = self._files.name(value) if value.tag == "node" else None
        if name is None or name.kind in CALLABLE_KINDS:
            return name is not None
        held = self.declared(value, 1)
        return any(v.tag == "node" and self._files.kind(v) in CALLABLE_KINDS for v in held)

    def _walked(self, value: Value, depth: int, key: str) -> list[Value]:
        """What walking through an object gives, by the methods that do."""
        file = self._files.file(value.path)
        if key not in ("", "0") and file is not None and file.traits.walks_wrappers:
            return []  # of a tuple, which is read as what stands first in it
        for methods in file.traits.walking if file is not None and depth < MAX_DEPTH else ():
            assert file is not None
            found = [value]
            for method in methods:
                functions = [m for v in found for m in self._parts.members.member(v, method, file)]
                yielded = [y for f in functions for y in self.yielded(f, depth + 1)]
                if yielded:
                    return yielded
                found = [r for f in functions for r in self._parts.calls.called(f, file, depth + 1)]
            if found:
                return found
        if file is not None and file.traits.walked_as and depth < MAX_DEPTH:
            said = self._parts.members.member(value, file.traits.walked_as, file)
            if found := [v for each in said for v in self.declared(each, depth + 1)]:
                return found
        return [value] if file is not None and file.traits.walks_wrappers else []
