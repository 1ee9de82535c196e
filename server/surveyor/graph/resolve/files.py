"""The files of a checkout: their facts, and the modules and packages that they make up."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from surveyor.graph.expressions.keys import parse_arity
from surveyor.graph.facts import DefinedName
from surveyor.graph.languages.modules import FAR
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.layout import Layout
from surveyor.graph.resolve.model import File, FileSource
from surveyor.graph.resolve.tree import EXTERNAL
from surveyor.graph.resolve.values import TYPE_KINDS, Value
from surveyor.parsing.types import Import

__all__ = ["Files", "Modules"]

_MIXED_IN = frozenset({"module", "mixin"})


class Files:
    """Reads and indexes the facts of files, each once."""

    def __init__(self, source: FileSource) -> None:
        self._source = source
        self._files: dict[str, File | None] = {}

    def file(self, path: str) -> File | None:
        """A file's indexed facts."""
        if path not in self._files:
            facts = self._source.facts(path)
            self._files[path] = File(path, facts) if facts is not None else None
        return self._files[path]

    def name(self, value: Value) -> DefinedName | None:
        """The definition that a node or instance is of."""
        file = self.file(value.path)
        return file.get(value.qualname) if file is not None else None

    def kind(self, value: Value) -> str:
        """The kind of the definition that a value is of; empty where it is of none."""
        name = self.name(value)
        return name.kind if name is not None else ""

    def nested(self, value: Value, name: str) -> list[Value]:
        """What a definition that is no type contains under a name."""
        file = self.file(value.path)
        if file is None:
            return []
        inside = file.members.get(value.qualname, {})
        if name in inside:
            return [Value("node", value.path, f"{value.qualname}.{name}", value.given)]
        if not file.traits.tagged_types:
            return []
        # A type that is written where the variable is declared: `struct config { … } conf;`
        return [
            Value("node", value.path, f"{file.qualnames[index]}.{name}", value.given)
            for index in inside.values()
            if file.facts.names[index].kind in TYPE_KINDS
            and name in file.members.get(file.qualnames[index], {})
        ]

    def precedence(self, base: Value) -> int:
        """Which of its bases a type has a member from: what is mixed in comes before what it
        extends, and what an interface declares last."""
        file, kind = self.file(base.path), self.kind(base)
        if kind == "interface":
            return 2
        if file is not None and file.traits.last_first == "names" and kind == "class":
            return 0  # of what a trait overrides it says so itself; else it only declares it
        mixes = file is not None and file.traits.mixins == "always"
        is_trait = kind == "trait" and file is not None and not file.traits.trait_types
        return int(not (mixes and (is_trait or kind in _MIXED_IN)))

    def in_order(self, bases: Sequence[Value]) -> list[Value]:
        """The bases of a type by their precedence."""
        found = sorted(bases, key=self.precedence)
        file = self.file(found[0].path)
        if file is None or file.traits.last_first != "mixins":
            return found
        mixed = [base for base in found if not self.precedence(base)]
        return [*reversed(mixed), *found[len(mixed) :]]

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """(path, qualname, kind) of all definitions of a name."""
        plain, count = parse_arity(name)
        found = self._source.named(plain)
        if not count:
            return found
        return [
            each
            for each in found
            if (file := self.file(each[0])) is None or file.is_of_arity(each[1], int(count))
        ]


class Modules:
    """Names of modules and packages, and the files that belong to them."""

    def __init__(self, layout: Layout, files: Files, hints: Hints) -> None:
        self._layout = layout
        self._files = files
        self._hints = hints
        self._named: dict[tuple[str, str], list[tuple[Value, str]]] = {}
        self._scopes: dict[tuple[str, str, bool], dict[str, list[Value]]] = {}

    def modules(self, module: str, file: File) -> tuple[list[Value], str]:
        """What a module name means in a file; the import map is asked first."""
        mapped = self._hints.mapped(file.path, module)
        if mapped:
            return [Value("module", path) for path in mapped], ""
        if file.traits.named_modules:
            found = self.named(module, file)
            return found, "" if found else EXTERNAL
        return self._layout.module(module, file.path, file.traits)

    def named(self, module: str, file: File) -> list[Value]:
        """The definition of a module by its full name: this file's, else one outside of tests."""
        module = file.full_module(module)
        key = (module, file.family)
        if key not in self._named:
            self._named[key] = [
                (Value("node", path, qualname), kind)
                for path, qualname, kind in self._files.named(module.rpartition(".")[2])
                if qualname == module
                and kind in TYPE_KINDS
                and (other := self._files.file(path)) is not None
                and other.family == file.family
            ]
        found = self._named[key]
        best = min((self._distance(value, kind, file) for value, kind in found), default=0)
        return [value for value, kind in found if self._distance(value, kind, file) == best][:1]

    def _distance(self, value: Value, kind: str, file: File) -> int:
        other = self._files.file(value.path)
        if value.path == file.path:
            return 0
        is_test = other is not None and other.facts.is_test
        return 1 + 2 * is_test + (kind != "interface")  # what implements a protocol has its name

    def submodule(self, value: Value, name: str, file: File) -> list[Value]:
        """A module below a module, where folders are modules."""
        return self._layout.finder(file.traits).submodule(value, name)

    def root(self, name: str, file: File) -> Value | None:
        """A module that is known by its name everywhere."""
        return self._layout.finder(file.traits).root(name)

    def scopes(self, file: File) -> Iterable[str]:
        """Keys of the packages whose names a file sees without an import, innermost first."""
        return self._layout.finder(file.traits).scopes(file.path, file.facts.package)

    def is_package(self, name: str) -> bool:
        """Whether files say that they belong to a package of this name."""
        return name in self._layout.tree.packages

    def build_distance(self, file: File, path: str) -> int:
        """How far a file is in the build; `FAR` where it is not built with this one."""
        return self._layout.finder(file.traits).build_distance(file.path, path)

    def may_see(self, file: File, path: str) -> bool:
        """Whether a file can use another one, as far as manifests say."""
        return not file.traits.has_projects or self.build_distance(file, path) < FAR

    def built_with(self, file: File, values: Sequence[Value]) -> list[Value]:
        """Those of values that are defined nearest in the build; none that are not built with the
        file, as far as that is known."""
        far = [self.build_distance(file, value.path) for value in values]
        near = min(far, default=FAR)
        if near >= FAR:
            return []
        return [value for value, distance in zip(values, far, strict=True) if distance == near]

    def shared_imports(self, file: File) -> Iterable[Import]:
        """What manifests import for a file."""
        return self._layout.finder(file.traits).shared_imports(file.path)

    def beside(self, file: File) -> list[str]:
        """The files of a file's folder."""
        return self._layout.tree.in_folder.get(file.folder, [])

    def package_files(self, key: str, file: File) -> list[str]:
        """The files that share a package's scope, as seen from a file."""
        return self._layout.finder(file.traits).package_files(key, file.path)

    def _classes_of_file(self, path: str, asking: File) -> Iterable[str]:
        """The classes as which other languages see what a file defines outside of classes."""
        other = self._files.file(path)
        if other is None or other.platform != asking.platform or other.family == asking.family:
            return ()
        stem = posixpath.basename(path).partition(".")[0]
        return [f"{stem}{ending}" for ending in other.traits.file_classes]

    def package_scope(self, key: str, file: File) -> dict[str, list[Value]]:
        """What a package defines by name, as seen from a file."""
        memo = (key, file.family, file.is_package_test)
        if memo not in self._scopes:
            scope: dict[str, list[Value]] = {}
            for path in self.package_files(key, file):
                other = self._files.file(path)
                if other is None or other.platform != file.platform:
                    continue
                for container in other.scopes_in(key):
                    for name in other.members.get(container, ()):
                        index = other.members[container][name]
                        qualname = other.qualnames[index]
                        scope.setdefault(name, []).append(Value("node", path, qualname))
            for path in self.package_files(key, file):
                for name in self._classes_of_file(path, file):
                    scope.setdefault(name, [Value("module", path)])
            self._scopes[memo] = scope
        return self._scopes[memo]
