"""Names that a module does not export any more, though what they mean may still be there: a barrel
that passes on less, a default that has a name now; and who imports them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from surveyor.change.jobs import CallsJob, ModuleExports
from surveyor.engine.file_versions import ReadCalls, current_texts, is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.facts import ImportLink, decode_facts
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.parsing.source import utf16_length

__all__ = ["Exports", "LostExports", "is_exported_as_property"]

Exports = Mapping[str, tuple[ModuleExports | None, ModuleExports | None]]
"""What changed files exported, and export now, by path."""

MAX_MODULES = 60
"""Changed files that export less whose importers are looked at."""
MAX_USES = 200
"""Imports that are told of one file."""
MAX_DEPTH = 4
"""Modules that pass on all that another one has, one behind the other."""
MAX_LINES = 40
"""Lines of an import in which its names are looked for."""
_DEFAULT = "default"
_ALL = ("*", "*")
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py", ".pyi")
_ENTRY = {"python": "__init__", "typescript": "index", "javascript": "index"}
_SUFFIX = re.compile(r"\.[cm]?[jt]sx?$")
_DOTS = re.compile(r"(\.+)(.*)")
_STATIC = frozenset({"static", "reexport"})


@dataclass(slots=True)
class LostExports:
    """What one change does not export any more."""

    context: QueryContext
    read: ReadCalls
    exports: Exports
    _now: dict[str, ModuleExports | None] = field(default_factory=dict)
    """What other files export, by path."""

    async def uses(self, told: Set[tuple[str, int]]) -> list[LeftBehind]:
        """Imports of these names, but for those of lines (path and line) of which something is
        `told` already."""
        found: list[LeftBehind] = []
        looked_at = 0
        for path, (before, after) in self.exports.items():
            if before is None or after is None or looked_at == MAX_MODULES:
                continue
            lost = await self._lost(path, before, after)
            if lost:
                looked_at += 1
                found += self._listed(path, before, after)
                found += (await self._importing(path, lost, after))[:MAX_USES]
        places: dict[tuple[str, int, int], LeftBehind] = {}
        for each in found:
            if (each.path, each.line) not in told:
                places.setdefault((each.path, each.line, each.column), each)
        return list(places.values())

    async def _lost(self, path: str, before: ModuleExports, after: ModuleExports) -> set[str]:
        lost = set(before.names)
        for module in set(before.whole) - set(after.whole):
            passed_on = await self._of_former(path, module)
            lost |= passed_on - {_DEFAULT}
        lost -= set(after.names)
        if not lost or not lost - {_DEFAULT}:
            return lost
        now = await self._available(path, after, MAX_DEPTH)
        return {_DEFAULT} & lost if now is None else lost - now

    async def _of_former(self, path: str, module: str) -> set[str]:
        """What a module exports that a file passed on before; nothing where it is not known."""
        for candidate in _candidates(path, module):
            if await self.context.stored.file(candidate) is not None:
                exports = await self._exports(candidate)
                if exports is None:
                    return set()
                return await self._available(candidate, exports, MAX_DEPTH) or set(exports.names)
        return set()

    async def _available(self, path: str, own: ModuleExports, depth: int) -> set[str] | None:
        """Names that may be imported from a file; None where that may be any."""
        names = set(own.names)
        if not own.whole:
            return names
        stored = self.context.stored
        file = await stored.file(path)
        if file is None or not depth:
            return None
        followed = {
            each.module: each.other_id for each in await stored.imports([file.file_id], "out")
        }
        files = await stored.files(followed.values())
        for module in own.whole:
            target = files.get(followed.get(module, 0))
            exports = await self._exports(target.path) if target is not None else None
            if target is None or exports is None:
                return None
            passed_on = await self._available(target.path, exports, depth - 1)
            if passed_on is None:
                return None
            names |= passed_on - {_DEFAULT}
        return names

    async def _exports(self, path: str) -> ModuleExports | None:
        if path in self.exports:
            return self.exports[path][1]
        if path not in self._now:
            (text,) = await current_texts(self.context, [path])
            (answer,) = await self.read([CallsJob(path, text, reaches=True)])
            self._now[path] = answer.exports
        return self._now[path]

    async def _importing(self, path: str, lost: set[str], after: ModuleExports) -> list[LeftBehind]:
        """Imports of what is lost from a file, and from those that pass on all that it has."""
        found: list[LeftBehind] = []
        waiting, seen = [(path, lost)], {path}
        while waiting and len(seen) <= MAX_MODULES:
            module, names = waiting.pop()
            for user, link in await self._links_to(module):
                if _ALL in link.names:
                    own = None if user.path in seen else await self._exports(user.path)
                    seen.add(user.path)
                    left = await self._available(user.path, own, MAX_DEPTH) if own else None
                    if left is not None:
                        waiting.append((user.path, names - left - {_DEFAULT}))
                    continue
                for name, bound in link.names:
                    if name not in names or await self._is_submodule(module, name):
                        continue
                    found += self._place(user, link, name, bound, path, after)
        return found

    async def _links_to(self, path: str) -> list[tuple[Node, ImportLink]]:
        """The files that import one, with their imports of it."""
        stored = self.context.stored
        file = await stored.file(path)
        if file is None:
            return []
        led = await stored.imports([file.file_id], "in")
        users = await stored.files(each.other_id for each in led)
        found = []
        for user in users.values():
            facts = await stored.facts(user.path) if is_read(user.path) else None
            places = {(e.line, e.module) for e in led if e.other_id == user.file_id}
            for link in decode_facts(facts).imports if facts is not None else ():
                if (link.line, link.module) in places and link.kind in _STATIC:
                    found.append((user, link))
        return found

    async def _is_submodule(self, path: str, name: str) -> bool:
        """Whether a package of Python has a module of this name."""
        if language_of_path(path) != "python":
            return False
        folder = PurePosixPath(path).parent
        for each in (f"{name}.py", f"{name}.pyi", f"{name}.pyx", f"{name}/__init__.py"):
            if await self.context.stored.file(str(folder / each)) is not None:
                return True
        return False

    def _place(
        self,
        user: Node,
        link: ImportLink,
        name: str,
        bound: str,
        path: str,
        after: ModuleExports,
    ) -> Iterator[LeftBehind]:
        if language_of_path(path) == "python" and self._is_tried(user.path, link.line):
            return
        written = bound if name == _DEFAULT else name
        word = re.compile(rf"(?<![\w$]){re.escape(written)}(?![\w$])")
        for line in range(link.line, max(link.line, link.last_line) + MAX_LINES):
            text = self.context.lines.text(user.path, line, line)
            if (match := word.search(text)) is not None:
                yield LeftBehind(
                    user.path, line, utf16_length(text[: match.start()]),
                    _said(name, bound, path, after), path, "", user.is_test, is_sure=True,
                )  # fmt: skip
                return

    def _is_tried(self, path: str, line: int) -> bool:
        """Whether an import stands in a `try`, for what may not be there."""
        depth = _indentation(self.context.lines.text(path, line, line))
        while depth and line > 1:
            line -= 1
            text = self.context.lines.text(path, line, line)
            if text.strip() and _indentation(text) < depth:
                depth = _indentation(text)
                if text.lstrip().startswith(("try:", "except")):
                    return True
        return False

    def _listed(
        self, path: str, before: ModuleExports, after: ModuleExports
    ) -> Iterator[LeftBehind]:
        """Names in a module's `__all__` that it has no more."""
        gone = set(before.names) - set(after.names)
        for name, line in after.listed if not after.whole else ():
            if name in gone:
                column = max(0, self.context.lines.text(path, line, line).find(name))
                said = f"lists {name}, which the module does not have any more"
                yield LeftBehind(path, line, column, said, path, "", is_test=False, is_sure=True)


def is_exported_as_property(name: str, text: bytes, path: str) -> bool:
    """Whether a CommonJS module has a name as a property of what it exports: `module.exports = {
    name: 1 }` defines nothing of that name."""
    if language_of_path(path) not in ("javascript", "typescript") or b"exports" not in text:
        return False
    word = re.escape(name.encode())
    return bool(
        re.search(rb"\bmodule\.exports\b|\bexports\s*[.\[]", text)
        and re.search(rb"(?:[{,]\s*|\bexports\.)['\"]?" + word + rb"['\"]?\s*[:,(}=]", text)
    )


def _said(name: str, bound: str, path: str, after: ModuleExports) -> str:
    if name != _DEFAULT:
        said = f"imports {name}, which {path} does not export any more"
        return said + (" (now its default?)" if after.names == [_DEFAULT] else "")
    new = f" (now {{ {bound} }}?)" if bound in after.names else ""
    return f"imports the default of {path}, which has none now{new}"


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _candidates(path: str, module: str) -> Iterator[str]:
    """Files that a relative import may have meant."""
    language = language_of_path(path) or ""
    folder = PurePosixPath(path).parent
    if not module.startswith(".") or language not in _ENTRY:
        return
    if language == "python":
        match = _DOTS.fullmatch(module)
        dots, rest = (match[1], match[2]) if match is not None else (".", "")
        parts = folder.parts[: max(0, len(folder.parts) - len(dots) + 1)]
        target = "/".join((*parts, *(rest.split(".") if rest else ())))
    else:
        steps: list[str] = list(folder.parts)
        for part in module.split("/"):
            if part == ".." and steps:
                steps.pop()
            elif part not in (".", ".."):
                steps.append(part)
        target = "/".join(steps)
        yield target
    for stem in dict.fromkeys((target, _SUFFIX.sub("", target))):
        for ending in _ENDINGS:
            yield stem + ending
            yield f"{stem}/{_ENTRY[language]}{ending}"
