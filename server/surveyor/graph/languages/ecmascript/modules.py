"""JavaScript and TypeScript: specifiers to files, with tsconfig.json and package.json."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from surveyor.files.structured import MAX_BYTES, StructureError, mapping, parse_json, sequence, text
from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["ScriptModules", "parse_script_json"]

_TS_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json",
                  ".vue", ".svelte")  # fmt: skip
_JS_EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs", ".json", *_TS_EXTENSIONS)
"""Scripts before what may be compiled to them, where both lie in a folder."""
_JS_TO_TS = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",),
             ".cjs": (".cts",)}  # fmt: skip
_ENTRIES = ("src/index", "index", "src/main", "lib/index", "source/index")
_DECLARING = ".d.ts"
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx")
_BUILT = frozenset({"dist", "build", "lib", "out", "esm", "cjs"})
_TSCONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json",
              "tsconfig.lib.json")  # fmt: skip


MAX_EXTENDS = 20
"""Files that a tsconfig may extend at once, and one after another."""


class ScriptModules(ModuleFinder):
    """Files by relative path, by `paths` of a tsconfig, and by the name of a workspace package."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._manifests: dict[str, Any] = {}
        self._options: dict[str, dict[str, Any] | None] = {}
        self._depth = 0
        self._of_script = False
        """Whether what is looked for is imported by a script, which runs no file but scripts."""
        self._npm: dict[str, list[str]] | None = None

    @classmethod
    def place(cls, path: str) -> str:
        """Its folder, and whether it is a script."""
        return posixpath.dirname(path) + ("*" if path.endswith(_SCRIPTS) else "")

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """What a specifier means in the folder of a file; when nothing, why. A script and the file
        beside it that declares its types are one module."""
        self._of_script = path.endswith(_SCRIPTS)
        found, reason = self._module(module, path)
        beside = self._beside(found[0].path) if len(found) == 1 else []
        return [*found, *(Value("module", other) for other in beside)], reason

    def _beside(self, path: str) -> list[str]:
        """The script that a file declares the types of, or the file that declares a script's."""
        if path.endswith(_DECLARING):
            stem = path.removesuffix(_DECLARING)
            return [s for s in (stem + end for end in _SCRIPTS) if s in self._tree.files][:1]
        stem, ending = posixpath.splitext(path)
        if ending not in _SCRIPTS:
            return []
        return [stem + _DECLARING] if stem + _DECLARING in self._tree.files else []

    def _module(self, module: str, path: str) -> tuple[list[Value], str]:
        folder = posixpath.dirname(path)
        if module.startswith(".") or module.startswith("/"):
            base = posixpath.normpath(posixpath.join(folder, module.lstrip("/") or "."))
            base = "" if base == "." else base
            found = self._script_file(base) or self._script_file(self._entry(base) or base)
            found = found or self._built_from(base)
            return ([Value("module", found)], "") if found else ([], MISSING)
        for candidate in self._mapped(module, folder):
            if found := self._script_file(candidate):
                return [Value("module", found)], ""
        if module.startswith("#"):
            found = self._declared(self._package_of(folder), "imports", module)
            return ([Value("module", found)], "") if found else ([], MISSING)
        for name, bases in self._workspace().items():
            if module == name or module.startswith(name + "/"):
                rest = module[len(name) + 1 :]
                for base in sorted(bases, key=lambda each: _distance(each, folder)):
                    if found := self._in_package(base, rest):
                        return [Value("module", found)], ""
                return [], MISSING
        return [], EXTERNAL

    def _in_package(self, base: str, rest: str) -> str:
        """What is imported from the package in a folder; `rest` is the path in it, empty for the
        package itself."""
        # What a package says that it exports comes before what lies in its folder.
        if found := self._declared(base, "exports", f"./{rest}" if rest else "."):
            return found
        for entry in (
            [f"{base}/{rest}", f"{base}/src/{rest}"]
            if rest
            else [self._entry(base), *(f"{base}/{e}" for e in _ENTRIES)]
        ):
            if entry and (found := self._script_file(entry.lstrip("/"))):
                return found
        return ""

    def _package_of(self, folder: str) -> str:
        """The nearest folder with a package.json."""
        while folder and self._json(posixpath.join(folder, "package.json")) is None:
            folder = posixpath.dirname(folder)
        return folder

    def _declared(self, base: str, field: str, module: str) -> str:
        """A file by `imports` or `exports` of the package.json in a folder.

        What is built is looked for where it is built from.
        """
        declared = (self._json(posixpath.join(base, "package.json")) or {}).get(field)
        if isinstance(declared, str):
            declared = {".": declared}
        for key, targets in declared.items() if isinstance(declared, dict) else ():
            prefix, star, suffix = str(key).partition("*")
            if star and module.startswith(prefix) and module.endswith(suffix):
                middle = module[len(prefix) : len(module) - len(suffix) or None]
            elif key == module:
                middle = ""
            else:
                continue
            for target in _strings(targets):
                path = posixpath.normpath(posixpath.join(base, target.replace("*", middle)))
                if found := self._script_file(path) or self._built_from(path):
                    return found
        return ""

    def _built_from(self, path: str) -> str:
        """The source of a file that is built: `dist/a.js` of `src/a.ts`, in the same package."""
        folder, base = posixpath.dirname(path), posixpath.basename(path)
        below = base
        while folder and posixpath.basename(folder) not in _BUILT:
            folder, name = posixpath.dirname(folder), posixpath.basename(folder)
            below = f"{name}/{below}"
        if posixpath.basename(folder) not in _BUILT:
            return ""
        package = posixpath.dirname(folder)
        for place in (posixpath.join(package, "src", below), posixpath.join(package, below)):
            if found := self._script_file(place):
                return found
        return ""

    def _script_file(self, base: str) -> str:
        if base in self._tree.files:
            return base
        stem, extension = posixpath.splitext(base)
        for other in _JS_TO_TS.get(extension, ()):
            if stem + other in self._tree.files:
                return stem + other
        extensions = _JS_EXTENSIONS if self._of_script else _TS_EXTENSIONS
        for extension in extensions:
            if base + extension in self._tree.files:
                return base + extension
        for extension in extensions:
            index = posixpath.join(base, "index" + extension)
            if index in self._tree.files:
                return index
        return ""

    def _mapped(self, module: str, folder: str) -> list[str]:
        """Candidates by the nearest tsconfig's `paths` and `baseUrl`."""
        while True:
            for name in _TSCONFIGS:
                path = posixpath.join(folder, name)
                options = self._ts_options(path)
                if options is None or (not options.get("paths") and options.get("baseUrl") is None):
                    continue
                base = options["_base"]
                found = []
                for pattern, targets in mapping(options.get("paths")).items():
                    prefix, star, suffix = pattern.partition("*")
                    if star and module.startswith(prefix) and module.endswith(suffix):
                        middle = module[len(prefix) : len(module) - len(suffix) or None]
                    elif pattern == module:
                        middle = ""
                    else:
                        continue
                    found += [
                        posixpath.normpath(posixpath.join(base, str(t).replace("*", middle, 1)))
                        for t in sequence(targets)
                    ]
                if options.get("baseUrl") is not None:
                    found.append(posixpath.normpath(posixpath.join(base, module)))
                return found
            if not folder:
                return []
            folder = posixpath.dirname(folder)

    def _ts_options(self, path: str) -> dict[str, Any] | None:
        """`compilerOptions` of a file, with those that it extends; `_base` is where they lie.

        Each file is read once: one that extends itself, however indirectly, adds nothing.
        """
        if path not in self._options:
            self._options[path] = None
            self._options[path] = self._read_options(path)
        return self._options[path]

    def _read_options(self, path: str) -> dict[str, Any] | None:
        data = self._json(path)
        if data is None:
            return None
        options = dict(mapping(data.get("compilerOptions")))
        folder = posixpath.dirname(path)
        if "paths" in options or "baseUrl" in options:
            options["_base"] = posixpath.normpath(
                posixpath.join(folder, text(options.get("baseUrl")) or ".")
            ).lstrip("./")
        extends = data.get("extends")
        for parent in ([extends] if isinstance(extends, str) else sequence(extends))[:MAX_EXTENDS]:
            if not text(parent).startswith("."):
                continue
            target = posixpath.normpath(posixpath.join(folder, parent))
            target = target if target.endswith(".json") else target + ".json"
            if self._depth >= MAX_EXTENDS:
                break
            self._depth += 1
            inherited = self._ts_options(target)
            self._depth -= 1
            options = {**(inherited or {}), **options}
        options.setdefault("_base", folder)
        return options

    def _json(self, path: str) -> dict[str, Any] | None:
        if path not in self._manifests:
            text = self._tree.read(path)
            self._manifests[path] = parse_script_json(text) if text is not None else None
        data = self._manifests[path]
        return data if isinstance(data, dict) else None

    def _workspace(self) -> dict[str, list[str]]:
        """Names of the project's own npm packages, longest first, with their folders: a test's
        may have the name of another."""
        if self._npm is None:
            found: dict[str, list[str]] = {}
            for path in self._tree.by_name.get("package.json", ()):
                data = self._json(path) or {}
                if isinstance(data.get("name"), str):
                    found.setdefault(data["name"], []).append(posixpath.dirname(path))
            self._npm = dict(sorted(found.items(), key=lambda item: -len(item[0])))
        return self._npm

    def _entry(self, base: str) -> str:
        data = self._json(posixpath.join(base, "package.json")) or {}
        for key in ("source", "module", "main", "types"):
            entry = data.get(key)
            if isinstance(entry, str):
                candidate = posixpath.normpath(posixpath.join(base, entry))
                if self._script_file(candidate):
                    return candidate
        return ""


def _distance(package: str, folder: str) -> tuple[bool, int]:
    """Order of packages of one name as a folder means them: the one that it is in, the nearest."""
    is_around = not package or f"{folder}/".startswith(f"{package}/")
    return not is_around, -shared_folders(package, folder)


def _strings(value: Any) -> Iterator[str]:
    """All targets of a declaration, whatever conditions they have."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


# What is not ended goes to the end: looking again at each later beginning would be quadratic.
_COMMENTS = re.compile(r'("(?:\\(?:.|\Z)|[^"\\])*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_TRAILING = re.compile(r'("(?:\\(?:.|\Z)|[^"\\])*+(?:"|\Z))|,(?=\s*+[}\]])', re.S)


def parse_script_json(text: str) -> Any:
    """JSON with comments and trailing commas, as tsconfig files have them; None if it is not."""
    if len(text) > MAX_BYTES:
        return None
    text = _COMMENTS.sub(lambda match: match[1] or "", text.lstrip("\ufeff"))
    text = _TRAILING.sub(lambda match: match[1] or "", text)
    try:
        return parse_json(text)
    except StructureError:
        return None
