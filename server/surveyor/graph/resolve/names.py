"""What a bare name means in a file: through definitions around it, imports, packages, includes."""

from __future__ import annotations

import posixpath

from surveyor.graph.facts import Link, Name
from surveyor.graph.resolve.files import Files, Modules
from surveyor.graph.resolve.model import (
    CALLABLE_KINDS,
    NAMESPACE_KINDS,
    TYPE_KINDS,
    File,
    Value,
)
from surveyor.graph.resolve.parts import MAX_DEPTH, Parts

__all__ = ["NameLookup", "is_import"]

_IMPLICIT_THIS = frozenset({"java", "csharp", "cpp", "ruby"})


class NameLookup:
    """Finds names in one checkout's files."""

    def __init__(self, parts: Parts, files: Files, modules: Modules) -> None:
        self._parts = parts
        self._files = files
        self._modules = modules
        self._includes: dict[str, list[str]] = {}
        self._outer: dict[tuple[str, str], list[Value]] = {}

    def imported(self, file: File, link: Link, name: str) -> list[Value]:
        """What an import binds a local name to."""
        if not link.module:  # export { a as b }: this file's own a
            return self.bare(file, name, -1) if name else []
        for module in (link.module, *(other for mark, other in link.names if mark == "|")):
            values, _ = self._modules.modules(module, file)
            if values:
                break
        else:
            return []
        if name in ("", "*"):
            if file.language == "python" and not link.alias and name == "":
                head = link.module.split(".")[0]  # import a.b binds a
                found, _ = self._modules.modules(head, file)
                return found
            return values
        if name == "=":
            assigned = [m for v in values for m in self._parts.members.member(v, "=", file)]
            return assigned or values
        return [
            member for value in values for member in self._parts.members.member(value, name, file)
        ]

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
            return self._bare(file, name, enclosing, types_only)
        finally:
            self._parts.open.discard(guard)

    def _bare(self, file: File, name: str, enclosing: int, types_only: bool) -> list[Value]:
        if (name in file.contained or file.language in _IMPLICIT_THIS) and (
            found := self._enclosed(file, name, enclosing, types_only)
        ):
            return found
        key = (file.path, name)
        if key in self._outer:
            return self._outer[key]
        found = self._visible(file, name)
        if found or len(self._parts.open) == 1:  # nothing that is open elsewhere was left out
            self._outer[key] = found
        return found

    def _visible(self, file: File, name: str) -> list[Value]:
        """What a name means everywhere in a file: the same for all its uses."""
        top = file.top(name)
        if top is not None and is_import(file, top):
            top = None
        if top is not None and (
            file.language not in ("c", "cpp") or top.kind not in ("function", "method")
        ):
            return [Value("node", file.path, top.qualname)]
        if name in file.imported:
            link, original = file.imported[name]
            if found := self.imported(file, link, original):
                return found
            if link.kind != "reexport" and top is None:
                return []
        if found := self._package_scope(file, name):
            return found
        for link in file.stars:
            if link.kind == "reexport" and file.family == "ecmascript":
                continue  # export * binds nothing here
            if file.family == "c" and link.kind != "namespace":
                continue
            values, _ = self._modules.modules(link.module, file)
            for value in values:
                if found := self._parts.members.member(value, name, file):
                    return found
        if file.family == "c":
            found = self._included(file, name)
            if top is not None:
                found = [Value("node", file.path, top.qualname), *found]
            return list(dict.fromkeys(found))
        return [Value("node", file.path, top.qualname)] if top is not None else []

    def _enclosed(self, file: File, name: str, enclosing: int, types_only: bool) -> list[Value]:
        """Through the definitions around a use, from the inside out."""
        index = enclosing
        names = file.facts.names
        innermost = True
        while 0 <= index < len(names):
            around = names[index]
            member = file.members.get(file.qualnames[index], {}).get(name)
            is_type = around.kind in TYPE_KINDS
            visible = (
                not is_type
                or (innermost and file.language == "python")
                or file.language in _IMPLICIT_THIS
                or around.kind in NAMESPACE_KINDS
            )
            if types_only and member is not None and names[member].kind not in TYPE_KINDS:
                visible = False
            if file.family == "ecmascript" and around.kind not in NAMESPACE_KINDS:
                visible = False  # what a function defines was found when its uses were read
            if member is not None and names[member].kind == "constructor":
                return [Value("node", file.path, file.qualnames[index])]
            if member is not None and visible:
                return [Value("node", file.path, file.qualnames[member])]
            if is_type and file.language in _IMPLICIT_THIS and not types_only:
                owner = Value("node", file.path, around.qualname)
                split = file.language in ("cpp", "csharp", "ruby")  # elsewhere, perhaps
                of = (
                    self._parts.members.member(owner, name, file)
                    if split
                    else self._parts.members.inherited(owner, name, file)
                )
                if of:
                    return of
            innermost = innermost and not is_type and around.kind not in CALLABLE_KINDS
            outer = file.by_qualname.get(around.container) if around.container else None
            if outer is None and around.container and file.language in ("cpp", "csharp"):
                for owner in self.owners(file, around.container):
                    found = self._parts.members.member(owner, name, file)
                    if types_only:
                        found = [
                            v for v in found if (n := self._files.name(v)) and n.kind in TYPE_KINDS
                        ]
                    if found:
                        return found
            index = -1 if outer is None or outer == index else outer
        return []

    def fixture(self, name: str, file: File) -> list[Value]:
        """pytest's fixture of a name: the file's own, else the nearest conftest.py's."""
        folder = file.folder
        paths = [file.path, posixpath.join(folder, "conftest.py")]
        while folder:
            folder = posixpath.dirname(folder)
            paths.append(posixpath.join(folder, "conftest.py"))
        for path in paths:
            other = self._files.file(path)
            for value in self.bare(other, name, -1) if other is not None else ():
                if (found := self._files.name(value)) is not None and found.kind in CALLABLE_KINDS:
                    return [value]
        return []

    def _package_scope(self, file: File, name: str) -> list[Value]:
        if file.language == "go":
            return self._modules.package_scope("go:" + file.folder, file).get(name, [])
        package = file.facts.package
        if file.language in ("java", "csharp", "php") and package:
            parts = package.split(".")
            while parts:  # C# sees the enclosing namespaces too
                if found := self._modules.package_scope(".".join(parts), file).get(name):
                    return found
                if file.language != "csharp":
                    break
                parts.pop()
        return []

    def _included(self, file: File, name: str) -> list[Value]:
        """C: declarations in included headers, and the definitions that those headers are of."""
        found = []
        for path in self._closure(file):
            other = self._files.file(path)
            top = other.top(name) if other is not None else None
            if top is not None:
                found.append(Value("node", path, top.qualname))
        declared = [
            v for v in found if (n := self._files.name(v)) is not None and n.kind == "function"
        ]
        if declared and len(declared) == len(found):
            headers = {v.path for v in declared}
            for path, qualname, kind in self._files.named(name):
                other = self._files.file(path)
                if (
                    kind in CALLABLE_KINDS and path not in headers
                    and other is not None and other.family == "c"
                    and headers.intersection(self._closure(other))
                ):  # fmt: skip
                    found.append(Value("node", path, qualname))
        return found

    def _closure(self, file: File) -> list[str]:
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


def is_import(file: File, top: Name) -> bool:
    """`const x = require("y")` is a variable by its looks and an import by what it does."""
    if top.kind not in ("variable", "constant") or top.name not in file.imported:
        return False
    return file.imported[top.name][0].line == top.line
