"""What resolution works on: files with their facts, and where they come from."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Protocol

from surveyor.graph.expressions.keys import (
    ANY_ARITY,
    CANDIDATE,
    of_arity,
    overload,
    without_arity,
)
from surveyor.graph.facts import DefinedName, FileFacts, ImportLink
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.readers import GLOBAL, PROJECT
from surveyor.graph.resolve.values import CALLABLE_KINDS, NAMESPACE_KINDS, TYPE_KINDS

__all__ = [
    "File",
    "FileSource",
    "MemorySource",
]

_HOLDERS = TYPE_KINDS | {"enum_member"}
"""What constructors, fields and methods are members of."""


_MAX_ALIASES = 3
"""Aliases by other aliases that are followed."""


class FileSource(Protocol):
    """Interface: gives the facts of a checkout's files."""

    def paths(self) -> Mapping[str, str]:
        """All files of the checkout with the package that each says it belongs to."""
        ...

    def facts(self, path: str) -> FileFacts | None:
        """What a file offers; None when it has no graph."""
        ...

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """(path, qualname, kind) of all definitions of a name."""
        ...

    def importing_for_all(self) -> Iterable[str]:
        """Files that import something for all that they are built with."""
        ...

    def read(self, path: str) -> str | None:
        """Text of a configuration file such as tsconfig.json, from the root; None if missing."""
        ...


class File:
    """The facts of one file, with lookups by name."""

    def __init__(self, path: str, facts: FileFacts) -> None:
        self.path = path
        self.facts = facts
        self.language = facts.language
        self.traits = traits_of(facts.language)
        self.family = self.traits.family
        self.platform = self.traits.platform or self.family
        """Files of one platform see each other's packages."""
        self.folder = posixpath.dirname(path)
        ending = self.traits.test_ending
        self.is_package_test = bool(ending) and path.endswith(ending)
        """Whether only files like it see it of their package, and all of that are seen by it."""
        self.qualnames = [name.qualname for name in facts.names]
        """Of `facts.names`."""
        self.by_qualname: dict[str, int] = {}
        self.members: dict[str, dict[str, int]] = {}
        for index, (name, qualname) in enumerate(zip(facts.names, self.qualnames, strict=True)):
            if self.by_qualname.setdefault(qualname, index) != index and self.traits.extensions:
                number = 1
                while overload(qualname, number) in self.by_qualname:
                    number += 1
                self.by_qualname[overload(qualname, number)] = index
            members = self.members.setdefault(name.container, {})
            if self.traits.types_by_arity:
                for called in self._called(name):
                    members.setdefault(called, index)
            else:
                members.setdefault(name.name, index)
        if self.traits.open_enums:
            self._open_enums()

    def _open_enums(self) -> None:
        """Constants of an enumeration are members of the type around it, too."""
        for index, name in enumerate(self.facts.names):
            if name.kind == "enum_member" and "." in name.container:
                outer = name.container.rpartition(".")[0]
                self.members.setdefault(outer, {}).setdefault(name.name, index)

    def _called(self, name: DefinedName) -> Iterable[str]:
        """The names under which a definition is found: of a type, or what makes one, that with the
        number of its type parameters, and that of any type of its name."""
        if name.kind == "constructor":
            holder = self.get(name.container)
            return (of_arity(name.name, holder.arity if holder is not None else 0),)
        if name.kind not in TYPE_KINDS:
            return (name.name,)
        return (of_arity(name.name, name.arity), name.name + ANY_ARITY)

    def is_of_arity(self, qualname: str, count: int) -> bool:
        """Whether a definition has so many type parameters, or is no type."""
        name = self.get(qualname)
        return name is None or name.kind not in TYPE_KINDS or name.arity == count

    @cached_property
    def contained(self) -> frozenset[str]:
        """Names of what is defined inside of something else."""
        return frozenset(name.name for name in self.facts.names if name.container)

    @cached_property
    def accessors(self) -> frozenset[str]:
        """Qualified names of methods that run where their names are read."""
        wanted = self.traits.accessors
        return frozenset(
            key[:-1]
            for key, fact in self.facts.types.items()
            if key[-1] == "!"
            or (key[-1] == "@" and fact.removesuffix("()").rpartition(".")[2] in wanted)
        )

    @cached_property
    def makes_accessors(self) -> bool:
        """Whether annotations that the file imports make methods of fields (Lombok)."""
        wanted = self.traits.accessors_by
        return bool(wanted) and any(
            link.module.partition(".")[0] == wanted for link in self.facts.imports
        )

    @cached_property
    def handed_over(self) -> frozenset[str]:
        """Qualified names of what stands in the value of a variable and is handed to a call there:
        it is no member of what the variable holds."""
        return frozenset(key[:-1] for key in self.facts.types if key[-1] == "^")

    @cached_property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """Names of lists and dictionaries that are written out, with the keys that they have."""
        found: dict[str, dict[str, None]] = {}
        for fact in self.facts.types:
            if fact[-1] == "]" and fact[-2:] != "()[]":
                name, _, key = fact[:-1].rpartition("[")
                found.setdefault(name, {})[key] = None
        return {name: tuple(keys) for name, keys in found.items()}

    @cached_property
    def scopes(self) -> list[str]:
        """Containers whose members are visible from outside without them: '' and namespaces."""
        namespaces = [
            name.qualname
            for name in self.facts.names
            if (name.kind in NAMESPACE_KINDS and self.traits.namespaces_visible)
            or (self.traits.members_visible and name.kind in _HOLDERS)
        ]
        return ["", *dict.fromkeys(namespaces)]

    def scopes_in(self, package: str) -> Iterable[str]:
        """Those of `scopes` that are in a package, of the several that the file may be of."""
        if ";" not in self.facts.package:
            return self.scopes
        return [each for each in self.scopes if not each or each == package]

    @cached_property
    def imported(self) -> dict[str, tuple[ImportLink, str]]:
        """Local name -> the import that brings it, and its name there ('' for the module)."""
        found: dict[str, tuple[ImportLink, str]] = {}
        for link in self.facts.imports:
            if link.kind == GLOBAL or (self.traits.exports_names and link.kind == "reexport"):
                continue  # binds nothing here
            if link.alias in self.modules_beside:
                continue
            if link.alias:
                found.setdefault(link.alias, (link, ""))
            elif not link.names and link.kind != "dynamic":
                for head in self.traits.heads(link.module):
                    found.setdefault(head, (link, ""))
            for name, local in link.names:
                if local not in ("*", "") and name != CANDIDATE:
                    found.setdefault(local, (link, name))
        return found

    @cached_property
    def imported_again(self) -> dict[str, list[tuple[ImportLink, str]]]:
        """Local name -> what else brings it, outside of functions: where `from tomllib import
        loads` fails, another import of the name holds."""
        found: dict[str, list[tuple[ImportLink, str]]] = {}
        for link in self.facts.imports if self.traits.imports_again else ():
            heads = (link.alias,) if link.alias else self.traits.heads(link.module)
            for name, local in link.names or [("", head) for head in heads]:
                first = self.imported.get(local)
                if first is not None and first[0] is not link and not self._is_inside(link):
                    found.setdefault(local, []).append((link, name))
        return found

    def _is_inside(self, link: ImportLink) -> bool:
        """Whether an import stands in a function."""
        return any(
            each.kind in CALLABLE_KINDS and each.start_line < link.line <= each.end_line
            for each in self.facts.names
        )

    @cached_property
    def modules_beside(self) -> dict[str, ImportLink]:
        """Modules of the file whose name it imports for something else as well: `mod open; use
        open::open`."""
        modules = {link.alias: link for link in self.facts.imports if link.kind == "module"}
        named = {local for link in self.facts.imports for _, local in link.names}
        return {name: link for name, link in modules.items() if name in named}

    @cached_property
    def imported_beside(self) -> dict[str, tuple[ImportLink, str]]:
        """What else than a module the file imports under its name, which is inside of it, or the
        other way around: `use filters::{path, path::path}`."""
        found: dict[str, tuple[ImportLink, str]] = {}
        if not self.traits.imported_traits:
            return found
        for link in self.facts.imports:
            for name, local in link.names:
                first = self.imported.get(local)
                if first is None or first[0] is link:
                    continue
                modules = (first[0].module, link.module)
                if sorted(modules, key=len)[0] + f"::{name}" in modules and first[1] == name:
                    found.setdefault(local, (link, name))
        return found

    @cached_property
    def exported(self) -> dict[str, tuple[ImportLink, str]]:
        """Exported name -> the statement that exports it, where such are, and its name there."""
        found: dict[str, tuple[ImportLink, str]] = {}
        for link in self.facts.imports:
            if link.kind == "reexport":
                for name, local in link.names:
                    if (name, local) != ("*", "*"):
                        found.setdefault(local, (link, name))
        return found

    def exported_object(self, enclosing: int) -> Collection[str]:
        """The members of the object that a module exports as its whole, where a definition is in
        one of its methods: `module.exports = { run() { this.stop() } }`."""
        outermost = self.get(self.qualname(enclosing).partition(".")[0])
        if outermost is None or outermost.kind != "method" or not self.traits.exports_names:
            return ()
        return self.exported if outermost.name in self.exported else ()

    @cached_property
    def told(self) -> frozenset[str]:
        """What the file says it defines for all others."""
        links = (link for link in self.facts.imports if link.kind == GLOBAL)
        return frozenset(name for link in links for name, _ in link.names)

    @cached_property
    def namespaces(self) -> tuple[str, ...]:
        """Full names of the namespaces that the file defines something in."""
        inside = [each for each in self.scopes if each]
        return tuple(dict.fromkeys([*self.facts.package.split(";"), *inside]))

    def full_module(self, module: str) -> str:
        """A module's name with what the file's aliases stand for: `Lids.Lid` behind `alias
        Box.Lids`."""
        for _ in range(_MAX_ALIASES):
            head, dot, rest = module.partition(".")
            link = self.imported[head][0] if head in self.imported else None
            if link is None or link.alias != head or link.module in (head, module):
                break
            module = f"{link.module}{dot}{rest}"
        return module

    def full_name(self, qualname: str) -> str:
        """A qualified name with the package of the file, unless the file has that around it."""
        qualname = without_arity(qualname)
        package = self.facts.package.partition(";")[0]
        if not package or any(qualname.startswith(f"{each}.") for each in self.scopes if each):
            return qualname
        return f"{package}.{qualname}"

    @cached_property
    def stars(self) -> list[ImportLink]:
        """Imports of all names."""
        return [link for link in self.facts.imports if ("*", "*") in link.names]

    def top(self, name: str) -> DefinedName | None:
        """A definition that the rest of the project sees under its bare name."""
        for scope in self.scopes:
            index = self.members.get(scope, {}).get(name)
            if index is not None:
                return self.facts.names[index]
        return None

    def get(self, qualname: str) -> DefinedName | None:
        """A definition by its qualified name."""
        index = self.by_qualname.get(qualname)
        return None if index is None else self.facts.names[index]

    def qualname(self, index: int) -> str:
        """Qualified name of a definition by its index; '' for what is none (-1)."""
        return self.qualnames[index] if 0 <= index < len(self.qualnames) else ""

    def outer(self, index: int) -> int:
        """The definition around another one, by their indexes; -1: none."""
        return self.by_qualname.get(self.facts.names[index].container, -1)

    def bases(self, qualname: str) -> list[str]:
        """Expressions of the classes that a class extends or implements."""
        return self.facts.bases.get(qualname, [])


class MemorySource:
    """Files held in memory: the library's way in, and the tests'."""

    def __init__(
        self, files: Mapping[str, FileFacts], texts: Mapping[str, str] | None = None
    ) -> None:
        self._files = files
        self._texts = texts or {}
        self._paths = dict.fromkeys(self._texts, "")
        self._paths |= {path: facts.package for path, facts in files.items()}
        self._named: dict[str, list[tuple[str, str, str]]] = {}
        for path, facts in sorted(files.items()):
            for name in facts.names:
                self._named.setdefault(name.name, []).append((path, name.qualname, name.kind))

    def paths(self) -> Mapping[str, str]:
        """All files with their packages."""
        return self._paths

    def facts(self, path: str) -> FileFacts | None:
        """What a file offers."""
        return self._files.get(path)

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """All definitions of a name."""
        return self._named.get(name, ())

    def importing_for_all(self) -> Iterable[str]:
        """Files with such an import."""
        return [
            path
            for path, facts in sorted(self._files.items())
            if any(link.kind == PROJECT for link in facts.imports)
        ]

    def read(self, path: str) -> str | None:
        """Text of a configuration file."""
        return self._texts.get(path)
