"""What a bare name means in a file: through definitions around it, imports, packages, includes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from surveyor.graph.expressions.keys import (
    ANY_ARITY,
    CANDIDATE,
    extended_by,
    other_arities,
    overload,
)
from surveyor.graph.facts import DefinedName, ImportLink
from surveyor.graph.languages.modules import FAR
from surveyor.graph.resolve.certainty import MAX_CANDIDATES
from surveyor.graph.resolve.files import Files, Modules
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.parts import MACROS, MAX_DEPTH, ResolverParts
from surveyor.graph.resolve.shared_imports import SharedImports
from surveyor.graph.resolve.values import CALLABLE_KINDS, NAMESPACE_KINDS, TYPE_KINDS, Value

__all__ = ["NameLookup", "is_import"]

MAX_ABOVE = 30
"""Types that one inherits from, when extensions of them are looked for."""
MANY_NAMED = 50
"""Definitions of a name whose files are not all read to know whether one is an extension."""


_TABLES = frozenset({"variable", "constant", "field", "member"})
"""What contains something by holding it: its names are not seen without it."""
_AS_TYPES = TYPE_KINDS | NAMESPACE_KINDS | {"macro"}
"""What can be meant where a type stands."""
_KEPT_PATHS = 100_000
"""Files by the names that they define, kept while names are looked for."""
_MAX_OPENED = 4
"""Files that open the same class or module, of which all members are looked for."""


_SYSTEM = re.compile(r"""[<"](?:sys|linux|asm|bits|net|netinet|arpa|mach|machine|experimental)/""")
"""Folders of the headers of C and its systems."""


class NameLookup:
    """Finds names in one checkout's files."""

    def __init__(
        self, parts: ResolverParts, files: Files, modules: Modules, shared: SharedImports
    ) -> None:
        self._parts = parts
        self._files = files
        self._modules = modules
        self._shared = shared
        self._namespaces: dict[str, frozenset[str]] = {}
        self._extends_any: dict[str, bool] = {}
        """By name, whether a definition of it may extend a type."""
        self._includes: dict[str, list[str]] = {}
        self._includers: dict[str, dict[str, list[str]]] = {}
        self._foreign: dict[str, bool] = {}
        self._nested: dict[str, bool] = {}
        self._generic: dict[str, bool] = {}
        self._outer: dict[tuple[str, str, bool], list[Value]] = {}
        self._having: dict[str, frozenset[str]] = {}
        """By name: the files that define something of it."""
        self._kept_paths = 0

    def module_beside(self, file: File, name: str) -> list[Value]:
        """The module that a file declares under a name which means something else as well, or what
        else it imports under the name of a module."""
        beside = file.modules_beside.get(name)
        if beside is not None:
            return self.imported(file, beside, "")
        other = file.imported_beside.get(name)
        return self.imported(file, *other) if other is not None else []

    def imported(self, file: File, link: ImportLink, name: str) -> list[Value]:
        """What an import binds a local name to."""
        if not link.module and file.traits.types_are_packages and name:  # PHP: use Box
            return self._of_root(file, name)
        if not link.module:  # export { a as b }: this file's own a, or `shapes.Box`
            own = Value("node", file.path, name)
            if "." in name and self._files.name(own) is not None:
                return [own]
            return self.bare(file, name, -1) if name else []
        for module in (link.module, *(other for mark, other in link.names if mark == CANDIDATE)):
            values = self.import_targets(file, module)
            if values:
                break
        else:
            return []
        if name in ("", "*"):
            if file.traits.binds_top_package and not link.alias and name == "":
                found, _ = self._modules.modules(file.traits.heads(link.module)[0], file)
                return found
            return values
        if name == "=":
            assigned = [m for v in values for m in self._parts.members.member(v, "=", file)]
            if any(each.tag == "module" for each in assigned):  # what else it exports, too
                return [*assigned, *values]
            return assigned or values
        return self._parts.members.of_all(values, name, file)

    def import_targets(self, file: File, module: str) -> list[Value]:
        """What an import is of: a module, or in Rust a type that the file knows by its name alone
        (`use Kind::*`)."""
        values, _ = self._modules.modules(module, file)
        if values or not file.traits.self_is_module or not module[:1].isupper():
            return values
        head, *rest = module.split("::")
        values = self.bare(file, head, -1)
        for part in rest:
            values = [m for v in values for m in self._parts.members.member(v, part, file)]
        return values

    def brought_into(self, file: File, module: DefinedName, name: str) -> list[Value]:
        """What the imports in a module that stands in a file bring into it (Rust's preludes)."""
        if module.kind != "module" or not file.traits.self_is_module:
            return []
        guard = ("inside", file.path, f"{module.qualname}.{name}", -1)
        if guard in self._parts.open or len(self._parts.open) > 4 * MAX_DEPTH:
            return []
        self._parts.open.add(guard)
        try:
            inside = range(module.start_line, module.end_line + 1)
            for link in file.facts.imports:
                for original, local in link.names if link.line in inside else ():
                    if local in (name, "*"):
                        wanted = name if local == "*" else original
                        if found := self.imported(file, link, wanted):
                            return found
            return []
        finally:
            self._parts.open.discard(guard)

    def _of_root(self, file: File, name: str) -> list[Value]:
        """A type that stands in no namespace."""
        return [
            Value("node", path, qualname)
            for path, qualname, kind in self._files.named(name)
            if qualname == name
            and kind in TYPE_KINDS
            and (other := self._files.file(path)) is not None
            and other.family == file.family
            and not other.facts.package
        ][:_MAX_OPENED]

    # --- names ------------------------------------------------------------------------------

    def bare(
        self, file: File, name: str, enclosing: int, *, types_only: bool = False
    ) -> list[Value]:
        """What a name without qualifier means inside a definition (index, or -1).

        `types_only`: it stands where a type does, so that a field of the same name is not meant.
        """
        guard = ("bare", file.path, name, enclosing)
        if guard in self._parts.open or len(self._parts.open) > 4 * MAX_DEPTH:
            return []
        self._parts.open.add(guard)
        try:
            found = self._bare(file, name, enclosing, types_only)
            if not found and file.traits.types_by_arity and self._has_arities(name):
                for other in other_arities(name):
                    if found := self._bare(file, other, enclosing, types_only):
                        break
            return found
        finally:
            self._parts.open.discard(guard)

    def _bare(self, file: File, name: str, enclosing: int, types_only: bool) -> list[Value]:
        if (name in file.contained or file.traits.implicit_this) and (
            found := self._enclosed(file, name, enclosing, types_only)
        ):
            return found
        is_type = types_only and file.traits.includes_text
        key = (file.path, name, is_type)
        if key in self._outer:
            return self._outer[key]
        found = self._types(file, name) if is_type else self._visible(file, name)
        if found or len(self._parts.open) == 1:  # nothing that is open elsewhere was left out
            self._outer[key] = found
        return found

    def _has_arities(self, name: str) -> bool:
        """Whether a name is given with type arguments, or some type of it has parameters."""
        if ANY_ARITY in name:
            return True
        known = self._generic.get(name)
        if known is None:
            known = self._generic[name] = any(
                kind in TYPE_KINDS
                and (other := self._files.file(path)) is not None
                and not other.is_of_arity(qualname, 0)
                for path, qualname, kind in self._files.named(name)
            )
        return known

    def _visible(self, file: File, name: str) -> list[Value]:
        """What a name means everywhere in a file: the same for all its uses."""
        top = file.top(name)
        if top is not None and is_import(file, top):
            top = None
        if top is not None and (
            not file.traits.includes_text or top.kind not in ("function", "method")
        ):
            return [Value("node", file.path, top.qualname)]
        if (bound := self.bound(file, name)) is not None:
            for link, original in (bound, *file.imported_again.get(name, ())):
                if found := self.imported(file, link, original):
                    built = self._modules.built_with(file, found)
                    return (built or found) + self.module_beside(file, name)
            if bound[0].kind != "reexport" and top is None:
                return []
        found = self._package_scope(file, name)
        if built := self._modules.built_with(file, found):
            return self._few_parts(built)
        found = self._starred(file, name) or found or self._last(file, name, top)
        is_own = not found and name == file.traits.own_module
        return [Value("module", file.path)] if is_own else found

    def _types(self, file: File, name: str) -> list[Value]:
        """The same where a type stands, in C: `struct conf` is not the variable `conf`, nor
        `struct stat` the function."""
        found = self._visible(file, name)
        types = [value for value in found if self._files.kind(value) in _AS_TYPES]
        if len(types) == len(found):
            return found
        included = types or self._included(file, name)
        return [value for value in included if self._files.kind(value) in _AS_TYPES]

    def _few_parts(self, found: list[Value]) -> list[Value]:
        """Of a type in many parts those that say what it extends, and some: each knows the rest."""
        if len(found) <= MAX_CANDIDATES:
            return found
        holders = [self._files.file(value.path) for value in found]
        names = {h.full_name(v.qualname) for h, v in zip(holders, found, strict=True) if h}
        if len(names) > 1 or any(h is None or not _has_parts(h) for h in holders):
            return found
        extending = [
            bool(holder is not None and holder.bases(value.qualname))
            for holder, value in zip(holders, found, strict=True)
        ]
        order = sorted(range(len(found)), key=lambda index: not extending[index])
        return [found[index] for index in order[:MAX_CANDIDATES]]

    def bound(self, file: File, name: str) -> tuple[ImportLink, str] | None:
        """The import that a name is bound by."""
        return file.imported.get(name) or self._shared.named(file, name)

    def _starred(self, file: File, name: str) -> list[Value]:
        """What an import of all names brings."""
        for link in (*file.stars, *self._shared.stars(file)):
            if link.kind == "use" and (found := self._used(file, link, name)):
                return found
            if link.kind == "reexport" and file.traits.exports_names:
                continue  # export * binds nothing here
            if file.traits.includes_text and link.kind != "namespace":
                continue
            for value in self.import_targets(file, link.module):
                if found := self._parts.members.member(value, name, file):
                    return self._few_parts(self._modules.built_with(file, found) or found)
        return []

    def _last(self, file: File, name: str, top: DefinedName | None) -> list[Value]:
        """What is in included files, what others open, and a definition that looks like an import
        of something from elsewhere."""
        if file.traits.includes_text:
            found = self._included(file, name)
            if top is not None:
                found = [Value("node", file.path, top.qualname), *found]
            return list(dict.fromkeys(found))
        if top is None and file.traits.global_constants and name[:1].isupper():
            return self._opened(file, name, name)
        return [Value("node", file.path, top.qualname)] if top is not None else []

    def _used(self, file: File, link: ImportLink, name: str) -> list[Value]:
        """What a module imports for those who use it."""
        for value in self._modules.modules(link.module, file)[0]:
            other = self._files.file(value.path)
            for inner in other.stars if other is not None and value.path != file.path else ():
                for module in self._modules.modules(inner.module, file)[0]:
                    if found := self._parts.members.member(module, name, file):
                        return found
        return []

    def used_alias(self, file: File, name: str) -> str:
        """The module that a name stands for in what a file uses: an alias that `__using__` of
        another module writes into it; empty for none."""
        for link in file.stars:
            for value in self._modules.modules(link.module, file)[0] if link.kind == "use" else ():
                other = self._files.file(value.path)
                inner = other.imported.get(name) if other is not None else None
                if other is None or inner is None or inner[0].alias != name:
                    continue
                for macro in other.facts.names:
                    is_around = macro.start_line <= inner[0].line <= macro.end_line
                    if macro.name in MACROS and is_around:
                        return other.full_module(inner[0].module)
        return ""

    def _enclosed(self, file: File, name: str, enclosing: int, types_only: bool) -> list[Value]:
        """Through the definitions around a use, from the inside out."""
        index = enclosing
        names = file.facts.names
        innermost = True
        traits = file.traits
        while 0 <= index < len(names):
            around = names[index]
            member = file.members.get(file.qualnames[index], {}).get(name)
            is_type = around.kind in TYPE_KINDS
            visible = (
                (not is_type and around.kind not in _TABLES)
                or (traits.sees_class_body and member != enclosing and (innermost or types_only))
                or traits.implicit_this
                or around.kind in NAMESPACE_KINDS
            )
            if types_only and member is not None and names[member].kind not in TYPE_KINDS:
                visible = False
            if traits.nests and around.kind not in NAMESPACE_KINDS:
                visible = False  # what a function defines was found when its uses were read
            if (
                member is not None
                and names[member].kind == "constructor"
                and not (traits.named_constructors and name != around.name)
            ):
                return [Value("node", file.path, file.qualnames[index])]
            rule = traits.members_elsewhere if is_type and traits.declares_members else None
            in_parts = rule is not None and rule.partial  # each part may declare it, or define it
            if member is not None and visible and not in_parts:
                return [Value("node", file.path, file.qualnames[member])]
            if is_type and traits.implicit_this and (not types_only or self._is_nested(name)):
                owner = Value("node", file.path, around.qualname)
                of = (
                    self._parts.members.member(owner, name, file)
                    if traits.members_elsewhere is not None
                    else self._parts.members.inherited(owner, name, file)
                )
                if types_only:
                    of = [value for value in of if self._files.kind(value) in TYPE_KINDS]
                if of:
                    return of
            is_unnamed = traits.implicit_this and not is_type and index != enclosing
            if is_unnamed and not types_only and file.bases(around.qualname):
                owner = Value("node", file.path, around.qualname)  # of a class without a name
                if of := self._parts.members.inherited(owner, name, file):
                    return of
            extends = extended_by(around.qualname) in file.facts.types
            if extends and not types_only and not traits.extends_arguments:
                for owner in self._parts.types.around(file, index):
                    if found := self._parts.members.member(owner, name, file):
                        return found
            if is_type and traits.global_constants and name[:1].isupper():
                opened = self._opened(file, f"{file.qualnames[index]}.{name}", name)
                if opened:
                    return opened
            innermost = innermost and not is_type and around.kind not in CALLABLE_KINDS
            outer = file.by_qualname.get(around.container) if around.container else None
            if outer is None and around.container and traits.containers_elsewhere:
                beside = file.members.get(around.container, {}).get(name)
                if beside is not None and (not types_only or names[beside].kind in TYPE_KINDS):
                    return [Value("node", file.path, file.qualnames[beside])]
                for owner in self._owners_of(file, around):
                    if found := self._member_around(owner, name, file, types_only):
                        return found
            index = -1 if outer is None or outer == index else outer
        return []

    def _member_around(self, owner: Value, name: str, file: File, types: bool) -> list[Value]:
        """A member (of `types` alone) of a type elsewhere, or of those that this is nested in."""
        while True:
            found = self._parts.members.member(owner, name, file)
            found = [v for v in found if not types or self._files.kind(v) in TYPE_KINDS]
            owner = Value("node", owner.path, owner.qualname.rpartition(".")[0])
            if found or not owner.qualname or self._files.kind(owner) not in TYPE_KINDS:
                return found

    def _owners_of(self, file: File, around: DefinedName) -> list[Value]:
        """The types that a definition outside of them belongs to. What a macro defines is run on a
        fixture (`TEST_F(Fixture, opens)`), not on what it tests, which stands elsewhere."""
        owners = self.owners(file, around.container)
        if around.kind != "function" or not file.traits.includes_text:
            return owners
        owners = owners or self.owners(file, around.container.rpartition(".")[2])
        return [owner for owner in owners if self._may_be_fixture(owner, file)]

    def _may_be_fixture(self, owner: Value, file: File) -> bool:
        other = self._files.file(owner.path)
        if owner.path == file.path or self._files.kind(owner) in NAMESPACE_KINDS:
            return True
        return other is not None and other.facts.is_test

    def _is_nested(self, name: str) -> bool:
        """Whether a type of this name is inside of another one, which heirs of that one see."""
        known = self._nested.get(name)
        if known is None:
            known = self._nested[name] = any(
                kind in TYPE_KINDS and "." in qualname
                for _, qualname, kind in self._files.named(name)
            )
        return known

    def _opened(self, file: File, qualname: str, name: str) -> list[Value]:
        """A type or module of a namespace that other files open as well."""
        found = [
            Value("node", path, other)
            for path, other, kind in self._files.named(name)
            if other == qualname
            and kind in TYPE_KINDS | {"constant"}
            and (o := self._files.file(path)) is not None
            and o.family == file.family
        ]
        return found[:_MAX_OPENED]

    def fixture(self, name: str, file: File, enclosing: int) -> list[Value]:
        """pytest's fixture of a name: of the class that asks for it or is around what does (a
        definition, or -1), or of what that extends, the file's own, else the nearest conftest.py's.
        One that asks for its own name means the next."""
        asking = file.facts.names[enclosing] if enclosing >= 0 else None
        itself = Value("node", file.path, asking.qualname) if asking is not None else None
        container = ""
        if asking is not None:
            container = asking.qualname if asking.kind in TYPE_KINDS else asking.container
        while container:
            around = Value("node", file.path, container)
            for value in self._parts.members.member(around, name, file):
                found = self._files.name(value)
                if found is not None and found.kind in CALLABLE_KINDS and value != itself:
                    return [value]
            container = container.rpartition(".")[0]
        folder = file.folder
        paths = [file.path, posixpath.join(folder, "conftest.py")]
        while folder:
            folder = posixpath.dirname(folder)
            paths.append(posixpath.join(folder, "conftest.py"))
        for path in paths:
            other = self._files.file(path)
            for value in self.bare(other, name, -1) if other is not None else ():
                found = self._files.name(value)
                if found is not None and found.kind in CALLABLE_KINDS and value != itself:
                    return [value]
        return []

    def extension(
        self, file: File, name: str, enclosing: int, owners: Sequence[Value]
    ) -> list[Value]:
        """Functions that a file sees by their name, and that extend the type of a value.

        `owners`: the values, none where nothing is known of them.
        """
        if not file.traits.extensions or not self._may_be_extension(file, name):
            return []
        held = [each for owner in owners for each in self._held(owner)]
        if owners and not held:  # it is known where they are from, not what they are
            return []
        owners = held
        return [
            signature
            for value in self.all_visible(file, name, enclosing)
            if value.tag == "node"
            for signature in self.signatures(value)
            if self._extends(signature, owners)
        ]

    def _may_be_extension(self, file: File, name: str) -> bool:
        """Whether a definition of a name extends a type, or a file may mean one by another name:
        most members are called as no extension is, and to find all that a name means is dear."""
        if self.bound(file, name) is not None:
            return True
        known = self._extends_any.get(name)
        if known is None:
            named = list(self._files.named(name))
            known = len(named) > MANY_NAMED or any(
                self._extends(signature, ())
                for path, qualname, _ in named
                for signature in self.signatures(Value("node", path, qualname))
            )
            self._extends_any[name] = known
        return known

    def _held(self, owner: Value) -> list[Value]:
        """What a variable or field holds, as far as it says so; anything else is itself."""
        name = self._files.name(owner) if owner.tag == "node" else None
        if name is None or name.kind in TYPE_KINDS:
            return [owner]
        return self._parts.types.declared(owner, 1)

    def all_visible(self, file: File, name: str, enclosing: int) -> list[Value]:
        """All that a name means in a file, also what nearer definitions of it hide."""
        found = self._enclosed(file, name, enclosing, False)
        if (top := file.top(name)) is not None:
            found.append(Value("node", file.path, top.qualname))
        if (bound := self.bound(file, name)) is not None:
            found += self.imported(file, *bound)
        if file.traits.global_extensions:
            found += self._everywhere(file, name)
        for key in self._modules.scopes(file):
            found += self._modules.package_scope(key, file).get(name, [])
        for link in (*file.stars, *self._shared.stars(file)):
            values, _ = self._modules.modules(link.module, file)
            found += [m for v in values for m in self._parts.members.member(v, name, file)]
        return list(dict.fromkeys(found))

    def _everywhere(self, file: File, name: str) -> list[Value]:
        """Functions of a name that may be extensions: those that the file is built with, in the
        namespaces that it opens."""
        found = [
            (other, Value("node", path, qualname))
            for path, qualname, kind in self._files.named(name)
            if kind in CALLABLE_KINDS
            and (other := self._files.file(path)) is not None
            and other.family == file.family
            and self._modules.build_distance(file, path) < FAR
        ]
        if found and file.traits.namespaces_visible:
            opened = self._opened_namespaces(file)
            found = [each for each in found if not opened.isdisjoint(each[0].namespaces)]
        return [value for _, value in found]

    def _opened_namespaces(self, file: File) -> frozenset[str]:
        """The namespaces whose names a file sees."""
        known = self._namespaces.get(file.path)
        if known is None:
            links = (*file.stars, *self._shared.stars(file))
            values = [v for link in links for v in self._modules.modules(link.module, file)[0]]
            known = self._namespaces[file.path] = frozenset(
                ("", *self._modules.scopes(file), *file.namespaces, *(v.path for v in values))
            )
        return known

    def signatures(self, value: Value) -> Iterator[Value]:
        """All definitions of one name in one place."""
        file = self._files.file(value.path)
        number = 0
        while file is not None and overload(value.qualname, number) in file.by_qualname:
            yield value._replace(qualname=overload(value.qualname, number))
            number += 1

    def _extends(self, value: Value, owners: Sequence[Value]) -> bool:
        """Whether a function extends what one of the values is of, as far as is known."""
        key = extended_by(value.qualname)
        file = self._files.file(value.path)
        fact = file.facts.types.get(key) if file is not None else None
        if file is None or fact is None:
            return False
        if not owners:
            return True
        extended = {each[1:3] for each in self._parts.types.declared(value, 1, key)}
        if not extended:  # a type parameter extends anything, a type from elsewhere nothing of ours
            return "^" in fact or any(owner.tag == "collection" for owner in owners)
        return any(each[1:3] in extended for owner in owners for each in self._above(owner, file))

    def _above(self, owner: Value, file: File) -> list[Value]:
        """A value's type with all that it inherits from."""
        found = [owner]
        for value in found:
            for base in self._parts.members.bases(value, file)[0]:
                if base not in found and len(found) < MAX_ABOVE:
                    found.append(base)
        return found

    def _package_scope(self, file: File, name: str) -> list[Value]:
        for key in self._modules.scopes(file):
            if found := self._modules.package_scope(key, file).get(name):
                return found
            if not (file.traits.nested_packages and key):
                continue
            of_package = self._parts.members.member(Value("package", key), name, file)
            if found := [value for value in of_package if value.tag == "node"]:
                return found  # of the object that is the package
        return []

    def _included(self, file: File, name: str) -> list[Value]:
        """Declarations in included headers, and the definitions that those headers are of."""
        found = self._at_top(self.included(file), name)
        if not found:
            found = self._around(file, name)
        kinds = {n.kind for v in found if (n := self._files.name(v)) is not None}
        if kinds in ({"function"}, {"variable"}):
            headers = {v.path for v in found}
            alike = CALLABLE_KINDS if kinds == {"function"} else kinds
            for path, qualname, kind in self._files.named(name):
                other = self._files.file(path)
                if (
                    kind in alike and path not in headers
                    and other is not None and other.family == file.family
                    and headers.intersection(self.included(other))
                ):  # fmt: skip
                    found.append(Value("node", path, qualname))
        return found

    def _around(self, file: File, name: str) -> list[Value]:
        """What a file sees that others include in the middle: what these define and include."""
        if all(path == file.path for path, _, _ in self._files.named(name)):
            return []
        for path in self._including(file):
            holder = self._files.file(path)
            among = (path, *(self.included(holder) if holder is not None else ()))
            if found := self._at_top([each for each in among if each != file.path], name):
                return found[:1]
        return []

    def _at_top(self, paths: Sequence[str], name: str) -> list[Value]:
        """What files define under a bare name, in their order. A source of a large project includes
        hundreds, and few of them have the name at all."""
        having = self._having.get(name)
        if having is None:
            having = frozenset(path for path, _, _ in self._files.named(name))
            self._kept_paths += len(having) + 1
            if self._kept_paths > _KEPT_PATHS:
                self._having.clear()
                self._kept_paths = len(having) + 1
            self._having[name] = having
        return [
            Value("node", path, top.qualname)
            for path in paths
            if path in having
            and (other := self._files.file(path)) is not None
            and (top := other.top(name)) is not None
        ]

    def _including(self, file: File) -> list[str]:
        """The files of a file's folder that include it."""
        known = self._includers.get(file.folder)
        if known is None:
            known = self._includers[file.folder] = {}
            for path in self._modules.beside(file):
                other = self._files.file(path)
                if other is None or other.family != file.family:
                    continue
                for link in other.facts.imports:
                    if link.kind != "namespace":
                        name = posixpath.basename(link.module.strip('"<> '))
                        known.setdefault(name, []).append(path)
        return known.get(posixpath.basename(file.path), [])

    def included(self, file: File) -> list[str]:
        """All files that a file includes, directly or not."""
        if file.path not in self._includes:
            seen: dict[str, None] = {}
            stack = [file]
            while stack and len(seen) < 300:
                current = stack.pop()
                for link in current.facts.imports:
                    if link.kind == "namespace":
                        continue
                    values, _ = self._modules.modules(link.module, current)
                    for value in values:
                        if value.tag == "module" and value.path not in seen:
                            seen[value.path] = None
                            other = self._files.file(value.path)
                            if other is not None:
                                stack.append(other)
            seen.pop(file.path, None)
            self._includes[file.path] = list(seen)
        return self._includes[file.path]

    def includes_foreign(self, file: File) -> bool:
        """Whether a file includes something of a library that is no part of the project: a header
        in a folder that the project does not have (`<gtest/gtest.h>`)."""
        known = self._foreign.get(file.path)
        if known is None:
            known = self._foreign[file.path] = any(
                "/" in link.module
                and not _SYSTEM.match(link.module)
                and not self._modules.modules(link.module, file)[0]
                for link in file.facts.imports
                if link.kind != "namespace"
            )
        return known

    def owners(self, file: File, container: str) -> list[Value]:
        """The type that a member defined outside of it belongs to."""
        values: list[Value] = []
        for part in container.split("."):
            if not values:
                values = self.bare(file, part, -1) or [
                    Value("node", path, qualname)
                    for path, qualname, kind in self._files.named(part)
                    if kind in TYPE_KINDS
                ][:4]  # fmt: skip
            else:
                values = [m for v in values for m in self._parts.members.member(v, part, file)]
        return values


def _has_parts(file: File) -> bool:
    rule = file.traits.members_elsewhere
    return rule is not None and rule.partial


def is_import(file: File, top: DefinedName) -> bool:
    """`const x = require("y")` is a variable by its looks and an import by what it does; where
    `except ImportError: x = None` stands beside the import, that says more."""
    if top.kind not in ("variable", "constant") or top.name not in file.imported:
        return False
    is_bound = file.imported[top.name][0].binds_on(top.line)
    return is_bound or top.qualname not in file.facts.types
