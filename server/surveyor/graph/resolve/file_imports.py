"""The files that a file's imports mean, or why none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surveyor.graph.expressions.keys import CANDIDATE
from surveyor.graph.facts import ImportLink
from surveyor.graph.resolve.evaluate import CheckoutEvaluation
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.tree import EXTERNAL, MISSING
from surveyor.graph.resolve.values import Value

__all__ = ["FileImports", "ImportEdge"]


@dataclass(frozen=True, slots=True)
class ImportEdge:
    """An import and the file that it means, or why none."""

    line: int
    module: str
    kind: str
    target: str
    reason: str


class FileImports:
    """Imports between the files of one checkout."""

    def __init__(self, meaning: CheckoutEvaluation, hints: Hints) -> None:
        self._meaning = meaning
        self._hints = hints

    def of(self, file: File) -> Iterable[ImportEdge]:
        """What a file depends on, with the reason where no file of the project is meant."""
        for link in file.facts.imports:
            yield from self._import(file, link)
        for target in self._hints.traced(file.path):
            if self._meaning.files.file(target) is not None:
                yield ImportEdge(0, target, "trace", target, "")

    def _import(self, file: File, link: ImportLink) -> Iterable[ImportEdge]:
        if not link.module:
            return
        if link.reason:
            expanded = self._hints.expanded(file.path, link.module)
            for target in expanded:
                yield ImportEdge(link.line, link.module, link.kind, target, "")
            if not expanded:
                yield ImportEdge(link.line, link.module, link.kind, "", link.reason)
            return
        targets: dict[str, None] = {}
        reason = EXTERNAL
        others = [other for mark, other in link.names if mark == CANDIDATE]
        for module in (link.module, *others):  # of several candidates the first that exists
            values, why = self._meaning.modules.modules(module, file)
            for value in values:
                targets.update(dict.fromkeys(self._files(value, link, file)))
            if targets:
                break
            if module == link.module:
                reason = "" if values else why
                if link.names and values and all(value.tag == "folder" for value in values):
                    reason = MISSING  # it has nothing but what is in it
        if targets.pop(file.path, "") is None:
            reason = ""  # the file itself
        for target in targets:
            yield ImportEdge(link.line, link.module, link.kind, target, "")
        if not targets and reason:
            yield ImportEdge(link.line, link.module, link.kind, "", reason)

    def _files(self, value: Value, link: ImportLink, file: File) -> Iterable[str]:
        """The files that an import of a value depends on."""
        named = [name for name, _ in link.names if name not in ("*", "=", "default", CANDIDATE)]
        if value.tag == "module":
            submodules = [
                other.path
                for name in named
                for other in self._meaning.modules.submodule(value, name, file)
            ]
            if not submodules or len(submodules) < len(named) or not named:
                yield value.path
            yield from submodules
        elif value.tag == "node":
            yield value.path
        elif value.tag == "folder":
            for name in named:
                for other in self._meaning.modules.submodule(value, name, file):
                    if other.tag == "module":
                        yield other.path
        elif value.tag == "package":
            if not named and value.qualname:
                named = [value.qualname.split(".")[0]]
            for name in named:
                top = value.qualname.split(".")[0] if value.qualname else name
                for member in self._meaning.members.member(Value("package", value.path), top, file):
                    yield member.path
            # Elsewhere a package is a space of names (`using System.IO`, `import a.*`): what is
            # used of it says which files are meant.
            if not named and file.traits.imports_packages:
                ending = file.traits.test_ending
                paths = self._meaning.modules.package_files(value.path, file)
                yield from (p for p in paths if not ending or not p.endswith(ending))
