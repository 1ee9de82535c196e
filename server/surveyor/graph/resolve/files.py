"""The files of a checkout: their facts, and the modules and packages that they make up."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.facts import Name
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.layout import Layout
from surveyor.graph.resolve.model import File, Source, Value

__all__ = ["Files", "Modules"]


class Files:
    """Indexed facts of files, each made once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._files: dict[str, File | None] = {}

    def file(self, path: str) -> File | None:
        """A file's indexed facts."""
        if path not in self._files:
            facts = self._source.facts(path)
            self._files[path] = File(path, facts) if facts is not None else None
        return self._files[path]

    def name(self, value: Value) -> Name | None:
        """The definition that a node or instance is of."""
        file = self.file(value.path)
        return file.get(value.qualname) if file is not None else None

    def kind(self, value: Value) -> str:
        """The kind of the definition that a value is of; empty where it is of none."""
        name = self.name(value)
        return name.kind if name is not None else ""

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """(path, qualname, kind) of all definitions of a name."""
        return self._source.named(name)


class Modules:
    """What modules and packages are called, and what they hold."""

    def __init__(self, source: Source, files: Files, hints: Hints) -> None:
        self.layout = Layout(source)
        self._files = files
        self._hints = hints
        self._scopes: dict[tuple[str, bool], dict[str, list[Value]]] = {}

    def modules(self, module: str, file: File) -> tuple[list[Value], str]:
        """What a module name means in a file; the import map is asked first."""
        mapped = self._hints.mapped(file.path, module)
        if mapped:
            return [Value("module", path) for path in mapped], ""
        return self.layout.module(module, file)

    def submodule(self, value: Value, name: str, file: File) -> list[Value]:
        """A module below a module, where folders are modules."""
        if file.language == "python":
            return self.layout.python.submodule(value, name)
        if file.language == "rust" and value.tag == "module" and not value.qualname:
            child = self.layout.rust.child(value, name)
            return [child] if child else []
        return []

    def package_files(self, key: str, file: File) -> list[str]:
        """The files that share a package's scope, as seen from a file."""
        if key.startswith("go:"):
            tests = file.path.endswith("_test.go") and file.folder == key[3:]
            return [
                path
                for path in self.layout.in_folder.get(key[3:], ())
                if path.endswith(".go") and (tests or not path.endswith("_test.go"))
            ]
        return self.layout.packages.get(key, [])

    def package_scope(self, key: str, file: File) -> dict[str, list[Value]]:
        """What a package defines by name, as seen from a file."""
        tests = file.path.endswith("_test.go")
        memo = (key, tests)
        if memo not in self._scopes:
            scope: dict[str, list[Value]] = {}
            for path in self.package_files(key, file):
                other = self._files.file(path)
                if other is None or other.family != file.family:
                    continue
                for container in other.scopes:
                    for name in other.members.get(container, ()):
                        index = other.members[container][name]
                        qualname = other.qualnames[index]
                        scope.setdefault(name, []).append(Value("node", path, qualname))
            self._scopes[memo] = scope
        return self._scopes[memo]
