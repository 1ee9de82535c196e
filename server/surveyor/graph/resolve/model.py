"""The model that resolution works on: files with their facts, and values that expressions have."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

from surveyor.graph.facts import Facts, Link, Name

__all__ = [
    "CALLABLE_KINDS",
    "FAMILIES",
    "NAMESPACE_KINDS",
    "TYPE_KINDS",
    "Definition",
    "File",
    "MemorySource",
    "Source",
    "Value",
    "family",
]

TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "object", "type", "module", "namespace"}
)
NAMESPACE_KINDS = frozenset({"namespace", "module"})
CALLABLE_KINDS = frozenset({"function", "method", "constructor", "macro"})
FAMILIES = {
    "javascript": "ecmascript",
    "typescript": "ecmascript",
    "tsx": "ecmascript",
    "c": "c",
    "cpp": "c",
}
"""Languages whose files use one another's names; every other one is a family by itself."""


def family(language: str) -> str:
    """Languages of one family see each other's names."""
    return FAMILIES.get(language, language)


class Definition(NamedTuple):
    """A definition by place and name; the file itself where `qualname` is empty."""

    path: str
    qualname: str


class Value(NamedTuple):
    """What an expression evaluates to."""

    tag: str
    """`module` (a file), `package` (files that share a scope), `node` (a definition),
    `instance` (of the class `qualname`), `collection` (of such), `shape` (an object type that is
    written out), `folder` (a namespace package)."""
    path: str
    """File, or the key of a package or folder."""
    qualname: str = ""
    given: int = 0
    """What the type parameters of what it is an instance of, or a member of, stand for
    (`type_arguments.TypeArguments`)."""
    held: str = "instance"
    """Of a collection: the tag of what it holds, `instance` or `shape`."""
    method: str = ""
    """Of a collection: its method that is meant, not the collection itself."""


class Source(Protocol):
    """Where files come from."""

    def paths(self) -> Mapping[str, str]:
        """All files of the checkout with the package that each says it belongs to."""
        ...

    def facts(self, path: str) -> Facts | None:
        """What a file offers; None when it has no graph."""
        ...

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """(path, qualname, kind) of all definitions of a name."""
        ...

    def read(self, path: str) -> str | None:
        """Text of a configuration file such as tsconfig.json, from the root; None if missing."""
        ...


class File:
    """One file's facts, indexed."""

    def __init__(self, path: str, facts: Facts) -> None:
        self.path = path
        self.facts = facts
        self.language = facts.language
        self.family = family(facts.language)
        self.folder = posixpath.dirname(path)
        self.qualnames = [name.qualname for name in facts.names]
        """Of `facts.names`."""
        self.by_qualname: dict[str, int] = {}
        self.members: dict[str, dict[str, int]] = {}
        for index, (name, qualname) in enumerate(zip(facts.names, self.qualnames, strict=True)):
            self.by_qualname.setdefault(qualname, index)
            self.members.setdefault(name.container, {}).setdefault(name.name, index)

    @cached_property
    def contained(self) -> frozenset[str]:
        """Names of what is defined inside of something else."""
        return frozenset(name.name for name in self.facts.names if name.container)

    @cached_property
    def scopes(self) -> list[str]:
        """Containers whose members are visible from outside without them: '' and namespaces."""
        namespaces = [
            name.qualname
            for name in self.facts.names
            if name.kind == "namespace" and self.language in ("csharp", "cpp", "php")
        ]
        return ["", *dict.fromkeys(namespaces)]

    @cached_property
    def imported(self) -> dict[str, tuple[Link, str]]:
        """Local name -> the import that brings it, and its name there ('' for the module)."""
        found: dict[str, tuple[Link, str]] = {}
        for link in self.facts.imports:
            if self.family == "ecmascript" and link.kind == "reexport":
                continue  # binds nothing here
            if link.alias:
                found.setdefault(link.alias, (link, ""))
            elif not link.names and link.kind != "dynamic":
                for head in self._heads(link.module):
                    found.setdefault(head, (link, ""))
            for name, local in link.names:
                if local not in ("*", "") and name != "|":
                    found.setdefault(local, (link, name))
        return found

    def _heads(self, module: str) -> list[str]:
        """The names that an import of a whole module binds without saying so."""
        if self.language == "python":
            return [module.split(".")[0]]
        parts = module.replace("::", ".").split("/")
        if self.language != "go":
            return [parts[-1].split(".")[0]]
        # example.org/go-chi/v5 is a package called chi, as far as its path can say.
        if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
            parts.pop()
        last = parts[-1].split(".")[0]
        return list(dict.fromkeys([last, last.removeprefix("go-"), last.removesuffix("-go")]))

    @cached_property
    def exported(self) -> dict[str, tuple[Link, str]]:
        """ECMAScript: exported name -> the statement that exports it, and its name there."""
        found: dict[str, tuple[Link, str]] = {}
        for link in self.facts.imports:
            if link.kind == "reexport":
                for name, local in link.names:
                    if (name, local) != ("*", "*"):
                        found.setdefault(local, (link, name))
        return found

    @cached_property
    def stars(self) -> list[Link]:
        """Imports of all names."""
        return [link for link in self.facts.imports if ("*", "*") in link.names]

    def top(self, name: str) -> Name | None:
        """A definition that the rest of the project sees under its bare name."""
        for scope in self.scopes:
            index = self.members.get(scope, {}).get(name)
            if index is not None:
                return self.facts.names[index]
        return None

    def get(self, qualname: str) -> Name | None:
        """A definition by its qualified name."""
        index = self.by_qualname.get(qualname)
        return None if index is None else self.facts.names[index]

    def qualname(self, index: int) -> str:
        """Qualified name of a definition by its index; '' for what is none (-1)."""
        return self.qualnames[index] if 0 <= index < len(self.qualnames) else ""

    def bases(self, qualname: str) -> list[str]:
        """Expressions of the classes that a class extends or implements."""
        return self.facts.bases.get(qualname, [])


class MemorySource:
    """Files held in memory: the library's way in, and the tests'."""

    def __init__(self, files: Mapping[str, Facts], texts: Mapping[str, str] | None = None) -> None:
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

    def facts(self, path: str) -> Facts | None:
        """What a file offers."""
        return self._files.get(path)

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """All definitions of a name."""
        return self._named.get(name, ())

    def read(self, path: str) -> str | None:
        """Text of a configuration file."""
        return self._texts.get(path)
