"""Members of values: of modules, types and what they inherit, packages, objects without a class."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.keys import (
    ANY_ARITY,
    element_of,
    extended_by,
    given_base,
    of_arity,
    other_arities,
    result_of,
    self_type_of,
    without_arity,
)
from surveyor.graph.expressions.model import Expression, Instance, Step, TypeName
from surveyor.graph.facts import DefinedName
from surveyor.graph.languages.readers import PRIVATE
from surveyor.graph.languages.traits import MembersElsewhere
from surveyor.graph.resolve.collections import (
    CHANGING,
    HOLDER,
    OF_PAIRS,
    collection_of,
    gives_held,
    gives_same,
    held_by,
    innermost,
    is_array,
    may_hold,
)
from surveyor.graph.resolve.files import Files, Modules
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.names import is_import
from surveyor.graph.resolve.parts import MACRO, MAX_DEPTH, ResolverParts
from surveyor.graph.resolve.types import plain_type_name, same_type
from surveyor.graph.resolve.values import (
    BASES,
    CALLABLE_KINDS,
    GETS,
    NAMESPACE_KINDS,
    SETS,
    TYPE_KINDS,
    Value,
    owner_of,
)

__all__ = ["MemberLookup"]


_ACCESSOR = re.compile(r"(get|is|set|with)([A-Z]\w*)")
_CONSTANTS_OF = {"entries": "", "values": "filter"}
"""What gives all constants of an enumeration, and the method of a collection that is like it."""


class MemberLookup:
    """Finds members in one checkout's files."""

    def __init__(self, parts: ResolverParts, files: Files, modules: Modules) -> None:
        self._parts = parts
        self._files = files
        self._modules = modules
        self._members: dict[tuple[Value, str, str, bool], list[Value]] = {}
        self._bases: dict[tuple[str, str], tuple[list[Value], bool]] = {}
        self._opened: dict[str, list[tuple[File, str]]] = {}

    def is_open(self, value: Value, file: File) -> bool:
        """Whether a value may have members that the project does not define."""
        if value.tag in ("node", "instance", BASES):
            name = self._files.name(value)
            if name is None:
                return True
            if name.kind in TYPE_KINDS:
                return self.bases(value, file)[1]
            return not self.is_of_elsewhere(value)
        if value.tag == HOLDER:
            return True
        if value.tag == "shape":  # an array, or an object that is filled later
            held = self._files.file(value.path)
            return held is None or not held.members.get(value.qualname)
        return False

    def may_hold(self, value: Value, key: str = "", steps: Sequence[Step] = ()) -> bool:
        """Whether a variable, or what a fact of its file is about, is declared with a type from
        elsewhere that may hold what the project defines; `steps`: or an element of it does."""
        file = self._files.file(value.path) if value.tag == "node" else None
        declared = parse(file.facts.types.get(key or value.qualname, "")) if file else None
        return declared is not None and may_hold(declared.then(*steps))

    def is_of_elsewhere(self, value: Value, depth: int = 0, key: str = "") -> bool:
        """Whether a variable or field, or what a fact of its file is about, is declared with a type
        that the project does not define: of what the project defines it can only have
        extensions."""
        if value.tag != "node":
            return False
        file = self._files.file(value.path)
        fact = file.facts.types.get(key or value.qualname, "") if file is not None else ""
        declared = parse(fact)
        if file is None or declared is None:
            return False
        if not file.traits.types_are_values and (
            declared.steps or not isinstance(declared.head, Instance)
        ):
            return False
        index = file.by_qualname.get(value.qualname, -1)
        values, known = self._parts.values.evaluate(declared, file, index)
        if values:
            named = file.traits.types_are_values and depth < MAX_DEPTH
            return all(
                each.tag in ("collection", HOLDER)
                or (named and self.is_of_elsewhere(each, depth + 1))
                for each in values
            )
        return known and not self._may_be_opened(declared, file)

    def _may_be_opened(self, declared: Expression, file: File) -> bool:
        """Whether a constant that is not found may be the project's all the same: what is included
        at the top level of any file opens its constants to all (Ruby)."""
        return file.traits.global_constants and any(
            kind in TYPE_KINDS
            for written in declared.types()
            for part in written.parts
            if type(part.head) is TypeName
            for _, _, kind in self._files.named(part.head.name.rpartition(".")[2])
        )

    def member(self, value: Value, name: str, file: File) -> list[Value]:
        """A member of a value by name; `file` is where it is asked from."""
        asking = file.is_package_test and value.tag == "package"
        key = (value, name, file.family, asking)
        if key in self._members:
            return self._members[key]
        guard = ("member", value, name)
        if guard in self._parts.open or len(self._parts.open) > 4 * MAX_DEPTH:
            return []
        self._parts.open.add(guard)
        try:
            found = self._member(value, name, file)
        finally:
            self._parts.open.discard(guard)
        self._members[key] = found
        return found

    def of_all(self, values: Sequence[Value], name: str, file: File) -> list[Value]:
        """A member of several values; of another number of type parameters, where none has it."""
        found = [member for value in values for member in self.member(value, name, file)]
        if not found and values and file.traits.types_by_arity:
            for other in other_arities(name):
                found = [member for value in values for member in self.member(value, other, file)]
                if found:
                    break
        return found

    def _member(self, value: Value, name: str, file: File) -> list[Value]:
        match value.tag:
            case "module":
                return self._of_module(value, name, file)
            case "folder":
                return self._modules.submodule(value, name, file)
            case "package" if not value.path:  # PHP's `\Box`: of a file that names no package
                return [
                    Value("node", path, qualname) for path, qualname, _ in self._files.named(name)
                    if qualname == name and (o := self._files.file(path)) is not None
                    and o.family == file.family and not o.facts.package
                ]  # fmt: skip
            case "package":
                if value.qualname:
                    head, _, rest = value.qualname.partition(".")
                    owners = self.of_all([Value("package", value.path)], head, file)
                    for part in rest.split(".") if rest else ():
                        owners = self.of_all(owners, part, file)
                    return [m for o in owners for m in self.member(o, name, file)]
                found = self._modules.package_scope(value.path, file).get(name, [])
                return found or self._of_package_object(value.path, name, file)
            case "collection":
                if value.method in file.traits.read_elements:
                    return self.member(held_by(value), name, file)
                if value.method and file.traits.calls_by_name:
                    many = value._replace(method="")
                    is_many = gives_same(file.family, value.method) or (
                        value.method in file.traits.listing
                    )
                    inner = many if is_many else held_by(many)
                    return self.member(inner, name, file)
                traits = file.traits
                if name in OF_PAIRS and not value.method:
                    return [value]
                if value.method or not (
                    gives_held(file.family, name) or name in traits.listing | traits.finding
                ):
                    if not value.method and file.traits.listing and value.held == "instance":
                        return self.member(held_by(value)._replace(tag="node"), name, file)
                    return []
                return [value._replace(method=name)]
            case "holder":
                return self._of_holder(value, name, file)
            case "bases":
                return self.inherited(value._replace(tag="instance"), name, file)
            case "shape":
                found = self._of_shape(value, name)
                if not found and is_array(value) and gives_held(file.family, name):
                    return [value._replace(method=name)]
                return found
            case "namespace":
                whole = f".{value.path}.{name}"  # it may itself be relative to a namespace
                return [
                    Value("node", path, qualname) for path, qualname, _ in self._files.named(name)
                    if (f".{qualname}".endswith(whole) or qualname == name)
                    and (o := self._files.file(path)) is not None and o.family == file.family
                ]  # fmt: skip
        definition = self._files.name(value)
        if definition is None:
            return []
        if name.isdecimal():  # of a tuple struct, or of a variant that holds something
            return self._parts.types.declared(
                value._replace(tag="node"), 0, element_of(value.qualname, name)
            )
        if definition.kind in TYPE_KINDS:
            return self._of_type(value, definition, name, file)
        if definition.kind in CALLABLE_KINDS:  # a property, or a function with attributes
            # const store = create(() => …) looks like one, and has what the call gives
            held = self._parts.types.declared(value, 0) or self._parts.types.declared(
                value, 0, result_of(value.qualname)
            )
            asked = self._files.file(value.path)
            if asked is not None and asked.traits.types_are_values:
                is_own = not held or value[1:3] in [v[1:3] for v in held]
                if is_own and (nested := self._files.nested(value, name)):
                    return nested
        else:
            held = self._parts.types.declared(value, 0) or self._parts.types.declared(
                value, 0, result_of(value.qualname)
            )
            if (nested := self._files.nested(value, name)) and not self.handed_over(value, name):
                # `box = require("box"); box.size = 5` writes what the module has.
                there = [v for v in held if v.path not in ("", value.path)]
                return self.of_all(there, name, file) or nested
        found = [m for v in held if v != value for m in self.member(v, name, file)]
        return found or self._beside_whole(value, name, file)

    def _of_holder(self, holder: Value, name: str, asking: File) -> list[Value]:
        """A member of what something from elsewhere gives that holds a type: that type's, or else
        what gives it in its turn. A member of the holder itself is never that type's."""
        is_own = bool(holder.method) and not self._may_be_standard(name, asking)
        if is_own and (found := self.member(innermost(holder), name, asking)):
            return found
        return [] if name in CHANGING else [holder._replace(method=name)]

    def _may_be_standard(self, name: str, file: File) -> bool:
        """Whether types from elsewhere often have a member of a name."""
        return name in file.traits.common_members or name in file.traits.standard_members

    def _of_package_object(self, package: str, name: str, asking: File) -> list[Value]:
        """What the object defines that is a package itself (Scala)."""
        if not asking.traits.nested_packages:
            return []
        return [
            Value("node", path, qualname)
            for path, qualname, _ in self._files.named(name)
            if (container := qualname.rpartition(".")[0])
            and (other := self._files.file(path)) is not None
            and other.family == asking.family
            and other.full_name(container) == package
        ]

    def _beside_whole(self, value: Value, name: str, asking: File) -> list[Value]:
        """What a module exports by name beside the function that it exports as its whole."""
        file = self._files.file(value.path)
        whole = file.exported.get("=") if file is not None and file.traits.exports_names else None
        if file is None or whole is None or whole[1] != value.qualname or value.tag != "node":
            return []
        top = file.top(name)
        return [Value("node", value.path, top.qualname)] if top is not None else []

    def handed_over(self, value: Value, name: str) -> list[Value]:
        """What stands under a name in the value of a variable, and is handed to a call there: what
        the call gives may have it as well."""
        file = self._files.file(value.path) if value.tag == "node" else None
        whole = f"{value.qualname}.{name}"
        return [Value("node", value.path, whole)] if file and whole in file.handed_over else []

    def _of_shape(self, value: Value, name: str) -> list[Value]:
        """A member of an object that is written out, and the function that a shorthand names."""
        file = self._files.file(value.path)
        if file is None:
            return []
        member = f"{value.qualname}.{name}"
        fact = file.facts.types.get(member)
        known = member in file.by_qualname
        found = [Value("node", value.path, member, value.given)] if known else []
        expression = parse(fact) if fact else None
        held: list[Value] = []
        if expression is not None:
            held, _ = self._parts.values.evaluate(expression, file, -1, 0, value.given)
        if found:
            held = [v for v in held if (n := self._files.name(v)) is not None and v.tag == "node"
                    and n.kind in CALLABLE_KINDS and n.name == name]  # fmt: skip
        elif file.traits.literal_objects:
            key = element_of(value.qualname, f"'{name}")
            held = held or self._parts.types.declared(value, 1, key)
        return list(dict.fromkeys([*found, *held]))

    def _of_module(self, value: Value, name: str, asking: File) -> list[Value]:
        file = self._files.file(value.path)
        if file is None:
            return self._modules.submodule(value, name, asking)
        if value.qualname:  # inside the file: an inline module, an enum, a re-exported name
            owners = [Value("module", value.path)]
            for part in (*value.qualname.split("."), name):
                owners = [m for o in owners for m in self.member(o, part, asking)]
            is_rust = bool(asking.traits.outer_module)  # an inline module may have files below it
            return owners or (self._modules.submodule(value, name, asking) if is_rust else [])
        script = file.traits.exports_names
        if name == "default" and script:
            if "default" not in file.exported:
                return [Value("module", value.path)]
        elif (top := file.top(name)) is not None and not is_import(file, top):
            return [Value("node", value.path, top.qualname)]
        bound = (file.exported if script else file.imported).get(name)
        if bound is not None and bound[0].kind == PRIVATE:
            bound = None
        if bound is not None and (found := self._parts.names.imported(file, *bound)):
            return found + self._parts.names.module_beside(file, name)
        if found := self._modules.submodule(value, name, file):
            return found
        for link in file.stars:
            if link.kind == PRIVATE or (script and link.kind != "reexport"):
                continue
            for module in self._parts.names.import_targets(file, link.module):
                if found := self.member(module, name, file):
                    return found
        if script and "default" in file.exported and name != "default":
            for held in self.member(value, "default", file):  # CommonJS: module.exports = X
                if held != value and (found := self.member(held, name, file)):
                    return found
        return []

    def _of_type(
        self, value: Value, definition: DefinedName, name: str, asking: File
    ) -> list[Value]:
        file = self._files.file(value.path)
        assert file is not None
        index = file.members.get(value.qualname, {}).get(name)
        elsewhere = file.traits.members_elsewhere
        if index is None and file.traits.outer_self:  # Java: Outer.this, Interface.super
            if name in file.traits.self_words or (
                name in file.traits.super_words and definition.kind == "interface"
            ):
                return [value._replace(tag="instance")]
            if name in file.traits.super_words:
                return [b._replace(tag="instance") for b in self.bases(value, asking)[0]]
        own = of_arity(definition.name, definition.arity)
        if name in (own, definition.name + ANY_ARITY) and file.traits.names_itself:
            # A class is known inside of it, and what its constructor is called means it too.
            return [Value("node", value.path, value.qualname)]
        if index is not None:
            found = [Value("node", value.path, file.qualnames[index], value.given)]
            if elsewhere is not None and file.traits.declares_members:
                found += self._elsewhere(value, definition, name, file, elsewhere)
            return list(dict.fromkeys(found))
        found = self._parts.names.brought_into(file, definition, name)
        if not found and elsewhere is not None:
            found = self._elsewhere(value, definition, name, file, elsewhere)
        if found:
            return found
        if file.traits.embeds_types:
            for base in self.bases(value, asking)[0]:
                if base.qualname.rpartition(".")[2] == name:
                    return [Value("instance", base.path, base.qualname)]
        if file.traits.modules_of_files and definition.kind in NAMESPACE_KINDS:
            for key in self._modules.scopes(file):
                included = self._modules.package_scope(key, file).get(name)
                if included:
                    return included
        found = self.inherited(value, name, asking) or self._defined_by_use(file, name)
        if not found and file.traits.points_to:
            found = self.of_all(self._parts.types.pointed_to(value, file), name, asking)
        if not found and file.traits.fields_elsewhere:
            found = self._given_by_others(value, definition, name)
        if not found and definition.kind == "enum" and name in _CONSTANTS_OF:
            one = Value("instance", value.path, value.qualname)
            many = collection_of(one)._replace(method=_CONSTANTS_OF[name])
            return [many] if file.platform == "jvm" else []
        is_given = file.traits.gives_accessors and asking.family != file.family
        if not found and (is_given or file.makes_accessors):
            found = self._by_accessor(value, name, file)
        if not found and file.traits.also_called is not None:
            for other in file.traits.also_called(name):
                if other in file.members.get(value.qualname, {}):
                    return [Value("node", value.path, f"{value.qualname}.{other}", value.given)]
        return found

    def _given_by_others(self, value: Value, owner: DefinedName, name: str) -> list[Value]:
        """A field that another file gives to a type by its name."""
        whole = f"{owner.name}.{name}"
        return [
            Value("node", path, qualname)
            for path, qualname, kind in self._files.named(name)
            if qualname == whole
            and kind == "field"
            and path != value.path
            and (other := self._files.file(path)) is not None
            and other.traits.fields_elsewhere
            and owner.name not in other.by_qualname
            and self._names(other, owner.name, value)
        ]

    def _names(self, file: File, name: str, value: Value) -> bool:
        """Whether a file means a type by a name: by what it imports, or because no other type that
        its languages see is called so (`ForeignKey("shop.Shop")`)."""
        written = parse(name)
        found = self._parts.values.evaluate(written, file, -1)[0] if written is not None else []
        if found:
            return any(each[1:3] == value[1:3] for each in found)
        return not any(
            kind in TYPE_KINDS
            and (path, qualname) != (value.path, value.qualname)
            and (other := self._files.file(path)) is not None
            and other.family == file.family
            for path, qualname, kind in self._files.named(name)
        )

    def _by_accessor(self, value: Value, name: str, file: File) -> list[Value]:
        """The field that a method is of which nobody writes: `lid` of `getLid()`."""
        said = _ACCESSOR.fullmatch(name)
        if said is None:
            return []
        plain, own = said[2][:1].lower() + said[2][1:], file.members.get(value.qualname, {})
        method = SETS if said[1] in ("set", "with") else GETS
        return [
            Value("node", value.path, f"{value.qualname}.{each}", value.given, method=method)
            for each in (plain, f"is{said[2]}")
            if each in own
        ][:1]

    def _defined_by_use(self, file: File, name: str) -> list[Value]:
        """What a module has from macros that define it where they are used."""
        if not file.traits.named_modules:
            return []
        return [
            Value("node", other.path, f"{module.qualname}.{MACRO}.{name}")
            for link in file.stars
            if link.kind == "use"
            for module in self._modules.modules(link.module, file)[0]
            if (other := self._files.file(module.path)) is not None
            and f"{module.qualname}.{MACRO}.{name}" in other.by_qualname
        ]

    def inherited(self, value: Value, name: str, asking: File) -> list[Value]:
        """A member that a class has from its bases."""
        bases, _ = self.bases(value, asking)
        if len(bases) > 1:
            bases = self._files.in_order(bases)
        for number, base in enumerate(bases):
            if base[1:3] != value[1:3]:
                if found := self._extended_with(base, name, asking):
                    return found
                base = self._as_base(base, value)
                if found := self.member(base, name, asking):
                    return self._nearer(found, bases[number + 1 :], name, asking)
        definition = self._files.name(value)
        if definition is not None and definition.kind == "type":  # of all that it may be
            node = Value("node", value.path, value.qualname, value.given)
            return [m for held in self._parts.types.declared(node, 0) if held[1:3] != value[1:3]
                    for m in self.member(held, name, asking)]  # fmt: skip
        return []

    def _extended_with(self, base: Value, name: str, asking: File) -> list[Value]:
        """What a module that is included extends its classes with (`ClassMethods`): its own
        functions of that name are only its own."""
        file = self._files.file(base.path)
        if file is None or not file.traits.modules_are_types or self._files.kind(base) != "module":
            return []
        inside = [
            each
            for each in self.bases(base, asking)[0]
            if each.qualname.startswith(f"{base.qualname}.")
        ]
        return [m for each in inside for m in self.member(each, name, asking)]

    def _nearer(
        self, found: list[Value], others: Sequence[Value], name: str, asking: File
    ) -> list[Value]:
        """The member of another base that overrides the one found: `class D(B, C)` has C's where
        both extend the class that B has it from."""
        for base in others:
            other = self.member(base, name, asking)
            if (
                other
                and other != found
                and self._is_above(owner_of(found[0]), owner_of(other[0]), asking)
            ):
                found = other
        return found

    def extends(self, value: Value, above: Value, asking: File) -> bool:
        """Whether a type extends or implements another one, however far above."""
        return value[1:3] != above[1:3] and self._is_above(above, value, asking)

    def _is_above(self, value: Value, below: Value, asking: File, depth: int = 0) -> bool:
        if depth > MAX_DEPTH:
            return False
        bases, _ = self.bases(below, asking)
        return any(
            base[1:3] == value[1:3] or self._is_above(value, base, asking, depth + 1)
            for base in bases
        )

    def _as_base(self, base: Value, value: Value) -> Value:
        """A base with what the type that has it gives it: `class Cars extends List<Car>`."""
        file = self._files.file(value.path)
        fact = file.facts.types.get(given_base(value.qualname, base.qualname)) if file else None
        expression = parse(fact) if fact else None
        if expression is None or file is None:
            return base
        index = file.by_qualname.get(value.qualname, -1)
        found, _ = self._parts.values.evaluate(expression, file, index, 0, value.given)
        return next((Value("node", *v[1:]) for v in found if v[1:3] == base[1:3]), base)

    def _elsewhere(
        self, value: Value, owner: DefinedName, name: str, file: File, rule: MembersElsewhere
    ) -> list[Value]:
        """Members of a type that stand in other files: Go methods, Rust impls, C++ bodies."""
        folder = posixpath.dirname(value.path)
        found = []
        is_type = owner.kind not in NAMESPACE_KINDS
        for path, qualname, kind in self._files.named(name):
            if is_type and kind == "function" and file.traits.includes_text:
                continue  # a test that a macro defines: `TEST(Box, open) { … }`
            container = qualname.rpartition(".")[0]
            if not same_type(without_arity(container), without_arity(value.qualname)):
                if not self._is_extension(path, container, value):
                    continue
                found.append(Value("node", path, qualname))
                continue
            if path == value.path and container == value.qualname:
                continue
            other = self._files.file(path)
            if other is None or other.family != file.family:
                continue
            if rule.same_folder and posixpath.dirname(path) != folder:
                continue
            if rule.full_name and container != value.qualname:
                continue
            defined = None if owner.kind in NAMESPACE_KINDS else other.get(container)
            if defined is not None and path != value.path and rule.unless_defined:
                continue  # another type of the same name
            if rule.partial and not self._is_part(other, container, value, file):
                continue
            found.append(Value("node", path, qualname))
        return found[:4]

    def _is_part(self, other: File, qualname: str, value: Value, file: File) -> bool:
        """Whether a type of another file is a part of the one that a value is of."""
        own, others = file.get(value.qualname), other.get(qualname)
        if own is not None and others is not None and own.arity != others.arity:
            return False
        return (
            other.full_name(qualname) == file.full_name(value.qualname)
            and self._modules.build_distance(file, other.path) == 0
        )

    def _other_parts(self, value: Value, file: File) -> Iterator[tuple[File, str]]:
        """The other files that a type is defined in, each with its qualified name there."""
        rule = file.traits.members_elsewhere
        if file.traits.global_constants:
            yield from self._opened_elsewhere(value, file)
            return
        if rule is None or not rule.partial:
            return
        for path, qualname, kind in self._files.named(value.qualname.rpartition(".")[2]):
            other = self._files.file(path) if kind in TYPE_KINDS and path != value.path else None
            if other is None or other.family != file.family:
                continue
            if self._is_part(other, qualname, value, file):
                yield other, qualname

    def _opened_elsewhere(self, value: Value, file: File) -> list[tuple[File, str]]:
        """The other files that open a class or module and say what it extends or includes."""
        known = self._opened.get(value.qualname)
        if known is None:
            known = self._opened[value.qualname] = [
                (other, qualname)
                for path, qualname, kind in self._files.named(value.qualname.rpartition(".")[2])
                if qualname == value.qualname
                and kind in TYPE_KINDS
                and (other := self._files.file(path)) is not None
                and other.family == file.family
                and other.bases(qualname)
            ]
        return [each for each in known if each[0].path != file.path]

    def _is_extension(self, path: str, container: str, value: Value) -> bool:
        """Whether a named extension is of the type of a value (Dart)."""
        file = self._files.file(path)
        key = extended_by(container)
        if file is None or key not in file.facts.types:
            return False
        owner = Value("node", path, container)
        return any(each[1:3] == value[1:3] for each in self._parts.types.declared(owner, 1, key))

    def bases(self, value: Value, asking: File) -> tuple[list[Value], bool]:
        """The classes that a class extends or implements, and whether some are not known."""
        key = (value.path, value.qualname)
        if key in self._bases:
            return self._bases[key]
        self._bases[key] = ([], False)  # a class that is its own base ends here
        file = self._files.file(value.path)
        definition = self._files.name(value)
        if file is None or definition is None:
            return [], True
        outer = file.by_qualname.get(definition.container, -1) if definition.container else -1
        expressions = file.bases(value.qualname)
        fact = file.facts.types.get(value.qualname, "")
        alias = plain_type_name(fact, file.traits.keeps_type_parameters)
        plain = definition.kind == "type" and bool(alias)
        if plain and alias not in expressions:  # what it is another name for
            expressions = [*expressions, alias]
        written = [(file, outer, each) for each in expressions]
        for other, qualname in self._other_parts(value, file):
            around = other.by_qualname.get(qualname.rpartition(".")[0], -1)
            written += [(other, around, each) for each in other.bases(qualname)]
        found: list[Value] = []
        is_open = definition.kind == "type" and not plain
        for holder, outer, expression in written:
            base = parse(expression)
            given: list[Value] = []
            if base is not None:
                inner = self._inner_base(value, base, file)
                given = inner or self._parts.values.evaluate(base, holder, outer)[0]
                given = self.returned(given, holder)
            types = [t for v in given if v.tag == "node" for t in self.named_by(v)]
            if types:
                found += types
                is_open = is_open or any(self.bases(t, asking)[1] for t in types)
            elif expression not in ("object", "Protocol", "ABC", "Generic", "typing.Protocol"):
                is_open = True
        said, known = self._of_itself(value, file)
        self._bases[key] = (list(dict.fromkeys([*found, *said])), is_open or not known)
        return self._bases[key]

    def _of_itself(self, value: Value, file: File) -> tuple[list[Value], bool]:
        """The types that a type says its objects are of, too, and whether all are known."""
        key = self_type_of(value.qualname)
        if key not in file.facts.types:
            return [], True
        node = Value("node", value.path, value.qualname)
        held = self._parts.types.declared(node, 1, key)
        said = parse(file.facts.types[key])
        count = sum(len(each.parts) for each in said.types()) if said is not None else 0
        return [Value("node", v.path, v.qualname, v.given) for v in held], len(held) >= count

    def _inner_base(self, value: Value, base: Expression, file: File) -> list[Value]:
        """What a module includes or is extended with that stands inside of it: `ClassMethods`."""
        own = file.by_qualname.get(value.qualname, -1)
        if own < 0 or not file.traits.modules_are_types:
            return []
        found, _ = self._parts.values.evaluate(base, file, own)
        return [each for each in found if each.qualname.startswith(f"{value.qualname}.")]

    def named_by(self, value: Value) -> list[Value]:
        """The type that a value is, or that a constant is another name for: of Lua also the table
        that a file returns, whatever requires it."""
        kind = self._files.kind(value)
        if kind in TYPE_KINDS:
            return [value]
        held = self._parts.types.declared(value, 0) if kind in ("constant", "variable") else []
        found = [
            v for v in held
            if v.tag == "shape" or (v.tag == "node" and self._files.kind(v) in TYPE_KINDS)
        ]  # fmt: skip
        if (file := self._files.file(value.path)) is not None:
            given = self.returned([v for v in held if v.path != value.path], file)
            found += [v for v in given if v not in held and v.path != value.path]
            whole = file.exported.get("default") if file.traits.gives_returned else None
            if not found and whole is not None and whole[1] == value.qualname:
                return [value]
        return found

    def returned(self, values: list[Value], file: File) -> list[Value]:
        """Values, and in place of modules what those return, where requiring one gives that."""
        modules = [v for v in values if v.tag == "module"]
        if not modules or not file.traits.gives_returned:
            return values
        given = [v for v in self.of_all(modules, "default", file) if v.tag == "node"]
        return [*(v for v in values if v.tag != "module"), *given]
