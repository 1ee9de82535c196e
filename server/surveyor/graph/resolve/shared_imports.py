"""Imports that a file has without saying so: those of the whole project that it is built in, and
those of the library that it is a part of."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import structs

from surveyor.graph.facts import ImportLink
from surveyor.graph.languages.readers import PROJECT
from surveyor.graph.resolve.files import Files, Modules
from surveyor.graph.resolve.model import File, FileSource

__all__ = ["SharedImports"]


class _Links(NamedTuple):
    stars: tuple[ImportLink, ...]
    """Imports of all names."""
    named: dict[str, tuple[ImportLink, str]]
    """Local name -> the import that brings it, and its name there."""


_NONE = _Links((), {})
_REEXPORT = "reexport"


class SharedImports:
    """The imports that all files of a project or a library have, of one checkout."""

    def __init__(self, source: FileSource, files: Files, modules: Modules) -> None:
        self._source = source
        self._files = files
        self._modules = modules
        self._importing: list[File] | None = None
        self._of: dict[str, _Links] = {}
        self._alike: dict[tuple[ImportLink, ...], _Links] = {}

    def stars(self, file: File) -> tuple[ImportLink, ...]:
        """Imports of all names that hold in a file, its own ones not."""
        return self._links(file).stars

    def named(self, file: File, name: str) -> tuple[ImportLink, str] | None:
        """The import that brings a name, and its name there; None where the project has none."""
        return self._links(file).named.get(name)

    def _links(self, file: File) -> _Links:
        traits = file.traits
        if not traits.has_projects and not traits.parts_share_imports:
            return _NONE
        found = self._of.get(file.path)
        if found is None:
            shared = self._all(file) if traits.has_projects else self._of_library(file)
            links = tuple(dict.fromkeys(shared))
            found = self._alike.get(links)
            if found is None:
                found = self._alike[links] = _sorted(links)
            self._of[file.path] = found
        return found

    def _all(self, file: File) -> Iterator[ImportLink]:
        if self._importing is None:
            paths = self._source.importing_for_all()
            known = (self._files.file(path) for path in paths)
            self._importing = [each for each in known if each is not None]
        for other in self._importing:
            if other.family == file.family and not self._modules.build_distance(file, other.path):
                yield from (link for link in other.facts.imports if link.kind == PROJECT)
        for item in self._modules.shared_imports(file):
            yield ImportLink(item.module, item.names, item.alias, 0, PROJECT, "")

    def _of_library(self, file: File) -> Iterator[ImportLink]:
        """What the other files of a library import, for this one: a part has no imports of its
        own. One statement makes each a part of the other, both ways."""
        imported = {link.module for link in file.facts.imports if link.kind != _REEXPORT}
        parts = [x.module for x in file.facts.imports if x.kind == _REEXPORT]
        for module in dict.fromkeys(each for each in parts if each in imported):
            for value in self._modules.modules(module, file)[0]:
                other = self._files.file(value.path)
                for link in other.facts.imports if other is not None else ():
                    if link.kind != _REEXPORT:
                        there = _from(file.path, value.path, link.module)
                        yield structs.replace(link, module=there)


def _from(path: str, other: str, module: str) -> str:
    """A module as one file names it that another one names by its place."""
    if ":" in module:
        return module
    whole = posixpath.join(posixpath.dirname(other), module)
    return posixpath.relpath(whole, posixpath.dirname(path) or ".")


def _sorted(links: tuple[ImportLink, ...]) -> _Links:
    stars = tuple(link for link in links if ("*", "*") in link.names)
    named: dict[str, tuple[ImportLink, str]] = {}
    for link in links:
        if link.alias and not link.names:
            named.setdefault(link.alias, (link, ""))
        for name, local in link.names:
            if local != "*":
                named.setdefault(local, (link, name))
    return _Links(stars, named)
