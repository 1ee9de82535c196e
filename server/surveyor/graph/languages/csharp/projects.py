"""C#: projects, the files and projects that they are built with, and what they import for all."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache

from surveyor.graph.resolve.tree import Tree
from surveyor.parsing.types import Import

__all__ = ["Projects", "is_project_file", "said_of_project"]

PROJECT = ".csproj"
SHARED = ".projitems"
"""Files that are built as a part of each project that imports this."""
DIRECTORY_FILES = ("Directory.Build.props", "Directory.Build.targets")
"""Hold for all projects below their folder."""
MAX_IMPORTS = 20
"""Files that a project imports, also through others."""
MAX_ELEMENTS = 2_000
"""Of one file that are read."""

IMPLICIT = (
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
)
"""What a project imports that says `ImplicitUsings`."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ELEMENT = re.compile(r"<(ProjectReference|PackageReference|Using|Compile|Import)\s([^<>]*)>")
_ATTRIBUTE = re.compile(r"""\b(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IMPLICIT = re.compile(r"<ImplicitUsings>\s*(?:enable|true)\s*<", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\([^()]*\)")

_Element = tuple[str, dict[str, str]]


def is_project_file(path: str) -> bool:
    """Whether a file says how C# is built."""
    return path.endswith((PROJECT, SHARED, ".props", ".targets"))


def said_of_project(text: str) -> tuple[bool, list[_Element]]:
    """What such a file says of sources: whether usual names are imported, and its elements."""
    text = _COMMENT.sub("", text)
    found: list[_Element] = []
    for match in _ELEMENT.finditer(text):
        if len(found) == MAX_ELEMENTS:
            break
        found.append((match[1], {m[1]: m[2] or m[3] or "" for m in _ATTRIBUTE.finditer(match[2])}))
    return bool(_IMPLICIT.search(text)), found


class Projects:
    """The projects of one checkout."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._marked: dict[str, list[str]] = {}
        for path in tree.files:
            if path.endswith((PROJECT, SHARED)):
                self._marked.setdefault(posixpath.dirname(path), []).append(path)
        self._said: dict[str, tuple[bool, list[_Element]]] = {}
        self._around: dict[str, frozenset[str]] = {}
        self._reached: dict[frozenset[str], frozenset[str]] = {}
        self._linked: list[tuple[str, str]] | None = None
        self._sharing: dict[str, frozenset[str]] | None = None
        self.of = cache(self._of)
        """The projects that a file is a part of; none where that is not known."""

    def _of(self, path: str) -> frozenset[str]:
        linked = {project for project, glob in self._links() if fnmatchcase(path, glob)}
        return self._of_folder(posixpath.dirname(path)) | linked

    def _of_folder(self, folder: str) -> frozenset[str]:
        """The nearest projects around a folder, and those that share what is in it."""
        found = self._around.get(folder)
        if found is None:
            marked = self._marked.get(folder)
            if marked is None:
                above = posixpath.dirname(folder)
                found = self._of_folder(above) if folder else frozenset()
            else:
                found = frozenset(each for each in marked if each.endswith(PROJECT))
                for each in marked:
                    if each.endswith(SHARED):
                        found |= self._sharers().get(each, frozenset())
            self._around[folder] = found
        return found

    def reached(self, projects: frozenset[str]) -> frozenset[str]:
        """These projects and all that they refer to, also through others."""
        found = self._reached.get(projects)
        if found is None:
            seen = dict.fromkeys(sorted(projects))
            stack = list(seen)
            while stack:
                for other in self._references(stack.pop()):
                    if other not in seen:
                        seen[other] = None
                        stack.append(other)
            found = self._reached[projects] = frozenset(seen)
        return found

    def usings(self, projects: frozenset[str]) -> Iterator[Import]:
        """What projects import for all of their files."""
        for project in sorted(projects):
            for path in self._files_of(project):
                is_implicit, elements = self._read(path)
                if is_implicit:
                    yield from (Import(module=each, names=(("*", "*"),)) for each in IMPLICIT)
                for tag, said in elements:
                    if tag == "Using" and (module := said.get("Include", "")):
                        yield _using(module, said.get("Alias", ""))

    def _read(self, path: str) -> tuple[bool, list[_Element]]:
        if path not in self._said:
            self._said[path] = said_of_project(self._tree.read(path) or "")
        return self._said[path]

    def _files_of(self, project: str) -> list[str]:
        """A project's file, those of the folders around it, and what these import."""
        found = [project]
        folder = posixpath.dirname(project)
        while True:
            beside = (posixpath.join(folder, name) for name in DIRECTORY_FILES)
            found += [path for path in beside if path in self._tree.files]
            if not folder:
                break
            folder = posixpath.dirname(folder)
        for path in found:
            if len(found) >= MAX_IMPORTS:
                break
            for tag, said in self._read(path)[1]:
                if tag == "Import" and (other := self._meant(said.get("Project", ""), path)):
                    found += [other] if other not in found else []
        return found

    def _references(self, project: str) -> list[str]:
        found = []
        for path in self._files_of(project):
            for tag, said in self._read(path)[1]:
                for written in said.get("Include", "").split(";"):
                    if tag == "ProjectReference":
                        found.append(self._meant(written, path))
                    elif tag == "PackageReference":  # as samples use what is built beside them
                        found += self._tree.by_name.get(f"{written.strip()}{PROJECT}", ())
        return [path for path in found if path.endswith(PROJECT)]

    def _meant(self, written: str, path: str) -> str:
        """The file of the checkout that a file names; by its own name alone where a variable hides
        its folder. Empty where there is none."""
        relative = written.strip().replace("\\", "/").replace("$(MSBuildThisFileDirectory)", "")
        if not relative or "*" in relative:
            return ""
        if "$(" not in relative:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
            return joined if joined in self._tree.files else ""
        named = self._tree.by_name.get(posixpath.basename(_VARIABLE.sub("", relative)), [])
        return named[0] if len(named) == 1 else ""

    def _projects(self) -> Iterable[str]:
        return (path for paths in self._marked.values() for path in paths if path.endswith(PROJECT))

    def _links(self) -> list[tuple[str, str]]:
        """Files outside of a project's folder that it is built with: (project, pattern)."""
        if self._linked is None:
            self._linked = [
                (project, posixpath.normpath(posixpath.join(posixpath.dirname(project), written)))
                for project in self._projects()
                for tag, said in self._read(project)[1]
                if tag == "Compile"
                for each in said.get("Include", "").split(";")
                if (written := each.strip().replace("\\", "/")).startswith("..")
            ]
        return self._linked

    def _sharers(self) -> dict[str, frozenset[str]]:
        """The projects that import each file of shared items."""
        if self._sharing is None:
            found: dict[str, set[str]] = {}
            for project in self._projects():
                for tag, said in self._read(project)[1]:
                    other = self._meant(said.get("Project", ""), project) if tag == "Import" else ""
                    if other.endswith(SHARED):
                        found.setdefault(other, set()).add(project)
            self._sharing = {path: frozenset(projects) for path, projects in found.items()}
        return self._sharing


def _using(module: str, alias: str) -> Import:
    if not alias:
        return Import(module=module, names=(("*", "*"),))
    scope, _, name = module.rpartition(".")
    return Import(module=scope, names=((name, alias),))
