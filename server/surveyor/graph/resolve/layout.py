"""From the name of a module, as written in an import, to files of the checkout.

Pure path arithmetic over the set of files, with the manifests that move names around:
tsconfig.json, package.json, go.mod, Cargo.toml. Manifests are read once per resolver.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections import defaultdict
from typing import Any

from surveyor.graph.resolve.model import File, Source, Value

__all__ = ["EXTERNAL", "Layout"]

EXTERNAL = "not in this project (installed or standard library)"
MISSING = "no file of the project matches"

_TS_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json",
                  ".vue", ".svelte")  # fmt: skip
_JS_TO_TS = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",),
             ".cjs": (".cts",)}  # fmt: skip
_NOWHERE: set[str] = set()
_ENTRIES = ("src/index", "index", "src/main", "lib/index", "source/index")


class Layout:
    """Module names to files, for all languages."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.files = source.paths()
        self.folders: set[str] = {""}
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = posixpath.dirname(folder)
        self.packages: dict[str, list[str]] = defaultdict(list)
        self.in_folder: dict[str, list[str]] = defaultdict(list)
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for path, package in sorted(self.files.items()):
            if package:
                self.packages[package].append(path)
            self.in_folder[posixpath.dirname(path)].append(path)
            self.by_name[posixpath.basename(path)].append(path)
        self._manifests: dict[str, Any] = {}
        self._python_roots: list[str] | None = None
        self._python_near: dict[str, list[str]] = {}
        self._python_tops: dict[str, set[str]] | None = None
        self._go: list[tuple[str, str]] | None = None
        self._crates: dict[str, str] | None = None
        self._npm: dict[str, str] | None = None
        self._memo: dict[tuple[str, str, str], tuple[list[Value], str]] = {}

    def module(self, module: str, file: File) -> tuple[list[Value], str]:
        """What a module name means in a file; when nothing, why."""
        key = (module, file.folder if file.language != "rust" else file.path, file.family)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._module(module, file, file.folder)
        return found

    def _module(self, module: str, file: File, folder: str) -> tuple[list[Value], str]:
        if module.startswith("file:"):
            found = self._path(module[5:], folder)
            return ([Value("module", found)], "") if found else ([], MISSING)
        match file.family:
            case "python":
                return self._python(module, folder)
            case "ecmascript":
                return self._ecmascript(module, folder)
            case "go":
                return self._go_package(module)
            case "rust":
                return self._rust(module, file)
            case "c":
                return self._include(module, folder)
            case "java" | "csharp" | "php" if module in self.packages:
                return [Value("package", module)], ""
            case "java":
                return self._java(module)
            case "ruby" | "php":
                return self._script(module, folder, file.family)
        return [], EXTERNAL

    def _path(self, path: str, folder: str) -> str:
        """A file by a path that is relative to the file's folder or to the root."""
        for base in (folder, ""):
            joined = posixpath.normpath(posixpath.join(base, path))
            if joined in self.files:
                return joined
        return ""

    # --- Python ---------------------------------------------------------------------------

    def python_roots(self) -> list[str]:
        """Folders that absolute imports start from: parents of outermost packages, and `src`."""
        if self._python_roots is None:
            roots = {""}
            for folder in self.folders:
                if posixpath.join(folder, "__init__.py") in self.files:
                    parent = posixpath.dirname(folder)
                    if posixpath.join(parent, "__init__.py") not in self.files:
                        roots.add(parent)
                elif posixpath.basename(folder) in ("src", "lib", "python"):
                    roots.add(folder)
            self._python_roots = sorted(roots, key=lambda root: (root.count("/"), root))
        return self._python_roots

    def _python(self, module: str, folder: str) -> tuple[list[Value], str]:
        if module.startswith("."):
            dots = len(module) - len(module.lstrip("."))
            base = folder
            for _ in range(dots - 1):
                base = posixpath.dirname(base)
            found = self._python_file(base, module[dots:])
            return (found, "") if found else ([], MISSING)
        head = module.partition(".")[0]
        roots = self._roots_of(head)
        if folder not in self._python_near:
            # The nearest root first: a project may vendor a package under the same name.
            near = sorted(self.python_roots(), key=lambda root: -_shared(root, folder))
            near = [folder, *(root for root in near if root != folder)]
            inside = posixpath.join(folder, "__init__.py") in self.files
            self._python_near[folder] = near[1:] if inside else near
        folders: list[Value] = []
        for root in self._python_near[folder] if roots else ():
            if root not in roots:
                continue
            found = self._python_file(root, module)
            if found and found[0].tag == "module":
                return found, ""
            folders.extend(found)
        if folders:
            return folders[:1], ""
        known = any(root in roots for root in self.python_roots())
        return [], MISSING if known else EXTERNAL

    def _roots_of(self, name: str) -> set[str]:
        """Folders that have a Python module, package or folder of a name."""
        if self._python_tops is None:
            self._python_tops = defaultdict(set)
            for path in self.folders:
                folder, base = posixpath.split(path)
                self._python_tops[base].add(folder)
            for path in self.files:
                if path.endswith((".py", ".pyi")):
                    folder, base = posixpath.split(path)
                    self._python_tops[base.partition(".")[0]].add(folder)
        return self._python_tops.get(name, _NOWHERE)

    def _python_file(self, root: str, module: str) -> list[Value]:
        inner = module.replace(".", "/")
        base = f"{root}/{inner}" if root and inner else root or inner
        for candidate in (
            f"{base}/__init__.py" if base else "__init__.py",
            f"{base}.py",
            f"{base}.pyi",
            f"{base}/__init__.pyi" if base else "__init__.pyi",
        ):
            if candidate in self.files:
                return [Value("module", candidate)]
        return [Value("folder", base)] if base in self.folders and module else []

    def submodule(self, value: Value, name: str) -> list[Value]:
        """`name` below a Python package or folder."""
        if value.tag == "folder":
            return self._python_file(value.path, name)
        if posixpath.basename(value.path).startswith("__init__."):
            return self._python_file(posixpath.dirname(value.path), name)
        return []

    # --- JavaScript and TypeScript ----------------------------------------------------------

    def _ecmascript(self, module: str, folder: str) -> tuple[list[Value], str]:
        if module.startswith(".") or module.startswith("/"):
            base = posixpath.normpath(posixpath.join(folder, module.lstrip("/") or "."))
            found = self._script_file("" if base == "." else base)
            return ([Value("module", found)], "") if found else ([], MISSING)
        for candidate in self._mapped(module, folder):
            if found := self._script_file(candidate):
                return [Value("module", found)], ""
        for name, base in self._workspace().items():
            if module == name or module.startswith(name + "/"):
                rest = module[len(name) + 1 :]
                for entry in (
                    [f"{base}/{rest}", f"{base}/src/{rest}"]
                    if rest
                    else [self._entry(base), *(f"{base}/{e}" for e in _ENTRIES)]
                ):
                    if entry and (found := self._script_file(entry.lstrip("/"))):
                        return [Value("module", found)], ""
                return [], MISSING
        return [], EXTERNAL

    def _script_file(self, base: str) -> str:
        if base in self.files:
            return base
        stem, extension = posixpath.splitext(base)
        for other in _JS_TO_TS.get(extension, ()):
            if stem + other in self.files:
                return stem + other
        for extension in _TS_EXTENSIONS:
            if base + extension in self.files:
                return base + extension
        for extension in _TS_EXTENSIONS:
            index = posixpath.join(base, "index" + extension)
            if index in self.files:
                return index
        return ""

    def _mapped(self, module: str, folder: str) -> list[str]:
        """Candidates by the nearest tsconfig's `paths` and `baseUrl`."""
        while True:
            for name in ("tsconfig.json", "jsconfig.json", "tsconfig.base.json"):
                path = posixpath.join(folder, name)
                options = self._ts_options(path, 0)
                if options is None or (not options.get("paths") and options.get("baseUrl") is None):
                    continue
                base = options["_base"]
                found = []
                for pattern, targets in (options.get("paths") or {}).items():
                    prefix, star, suffix = pattern.partition("*")
                    if star and module.startswith(prefix) and module.endswith(suffix):
                        middle = module[len(prefix) : len(module) - len(suffix) or None]
                    elif pattern == module:
                        middle = ""
                    else:
                        continue
                    found += [
                        posixpath.normpath(posixpath.join(base, str(t).replace("*", middle, 1)))
                        for t in targets
                    ]
                if options.get("baseUrl") is not None:
                    found.append(posixpath.normpath(posixpath.join(base, module)))
                return found
            if not folder:
                return []
            folder = posixpath.dirname(folder)

    def _ts_options(self, path: str, depth: int) -> dict[str, Any] | None:
        data = self._json(path)
        if data is None or depth > 5:
            return None
        options = dict(data.get("compilerOptions") or {})
        folder = posixpath.dirname(path)
        if "paths" in options or "baseUrl" in options:
            options["_base"] = posixpath.normpath(
                posixpath.join(folder, options.get("baseUrl") or ".")
            ).lstrip("./")
        extends = data.get("extends")
        for parent in [extends] if isinstance(extends, str) else extends or []:
            if not str(parent).startswith("."):
                continue
            target = posixpath.normpath(posixpath.join(folder, parent))
            inherited = self._ts_options(
                target if target.endswith(".json") else target + ".json", depth + 1
            )
            options = {**(inherited or {}), **options}
        options.setdefault("_base", folder)
        return options

    def _json(self, path: str) -> dict[str, Any] | None:
        if path not in self._manifests:
            text = self._source.read(path)
            self._manifests[path] = _parse_json(text) if text is not None else None
        data = self._manifests[path]
        return data if isinstance(data, dict) else None

    def _workspace(self) -> dict[str, str]:
        """Names of the project's own npm packages, longest first."""
        if self._npm is None:
            found = {}
            for path in self.by_name.get("package.json", ()):
                data = self._json(path) or {}
                if isinstance(data.get("name"), str):
                    found[data["name"]] = posixpath.dirname(path)
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

    # --- Go -------------------------------------------------------------------------------

    def _go_package(self, module: str) -> tuple[list[Value], str]:
        if self._go is None:
            self._go = []
            for path in self.by_name.get("go.mod", ()):
                match = re.search(r"^module\s+\"?([^\s\"]+)", self._source.read(path) or "", re.M)
                if match:
                    self._go.append((match[1], posixpath.dirname(path)))
            self._go.sort(key=lambda item: -len(item[0]))
        for name, base in self._go:
            if module == name or module.startswith(name + "/"):
                folder = posixpath.normpath(posixpath.join(base, module[len(name) + 1 :]))
                folder = "" if folder == "." else folder
                if any(path.endswith(".go") for path in self.in_folder.get(folder, ())):
                    return [Value("package", "go:" + folder)], ""
                return [], MISSING
        return [], EXTERNAL

    # --- Rust -----------------------------------------------------------------------------

    def crates(self) -> dict[str, str]:
        """Crate name -> its root module's file."""
        if self._crates is None:
            self._crates = {}
            for path in self.by_name.get("Cargo.toml", ()):
                try:
                    data = tomllib.loads(self._source.read(path) or "")
                except tomllib.TOMLDecodeError:
                    continue
                base = posixpath.dirname(path)
                name = (data.get("package") or {}).get("name")
                library = data.get("lib") or {}
                for root in (library.get("path"), "src/lib.rs", "src/main.rs"):
                    file = posixpath.normpath(posixpath.join(base, root)) if root else ""
                    if name and file in self.files:
                        crate = str(library.get("name") or name).replace("-", "_")
                        self._crates.setdefault(crate, file)
                        break
        return self._crates

    def crate_root(self, path: str) -> str:
        """The root module of the crate that a file belongs to."""
        folder = posixpath.dirname(path)
        while True:
            for name in ("lib.rs", "main.rs"):
                candidate = posixpath.join(folder, name)
                if candidate in self.files:
                    return candidate
            if not folder:
                return path
            folder = posixpath.dirname(folder)

    def _rust(self, module: str, file: File) -> tuple[list[Value], str]:
        parts = [part for part in module.split("::") if part]
        if not parts:
            return [Value("module", file.path)], ""
        head, rest = parts[0], parts[1:]
        if head == "crate":
            current = Value("module", self.crate_root(file.path))
        elif head == "self":
            current = Value("module", file.path)
        elif head == "super":
            current = self.rust_parent(file.path)
            while rest[:1] == ["super"]:
                current, rest = self.rust_parent(current.path), rest[1:]
        elif head in self.crates():
            current = Value("module", self.crates()[head])
        else:
            child = self.rust_child(Value("module", file.path), head)
            if child is None:
                return [], EXTERNAL
            current = child
        for index, part in enumerate(rest):
            child = self.rust_child(current, part)
            if child is None:
                # The rest is inside the file: an inline module, an enum, a re-export.
                return [Value("module", current.path, ".".join(rest[index:]))], ""
            current = child
        return [current], ""

    def rust_child(self, value: Value, name: str) -> Value | None:
        """The file of `mod name;` in a module."""
        folder, base = posixpath.split(value.path)
        stem = base.removesuffix(".rs")
        inside = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
        for candidate in (
            posixpath.join(inside, name + ".rs"), posixpath.join(inside, name, "mod.rs"),
        ):  # fmt: skip
            if candidate in self.files:
                return Value("module", candidate)
        return None

    def rust_parent(self, path: str) -> Value:
        """The module that a file's module is declared in."""
        folder, base = posixpath.split(path)
        if base == "mod.rs":
            folder = posixpath.dirname(folder)
        for candidate in ("mod.rs", "lib.rs", "main.rs"):
            joined = posixpath.join(folder, candidate)
            if joined in self.files and joined != path:
                return Value("module", joined)
        beside = folder + ".rs"
        return Value("module", beside if beside in self.files else path)

    # --- C, Java, Ruby, PHP -----------------------------------------------------------------

    def _include(self, module: str, folder: str) -> tuple[list[Value], str]:
        if module[:1] not in '"<':  # a C++ namespace
            return [Value("namespace", module.replace("::", "."))], ""
        name = module.strip('"<> ')
        if found := self._path(name, folder):
            return [Value("module", found)], ""
        matches = [
            path
            for path in self.by_name.get(posixpath.basename(name), ())
            if path == name or path.endswith("/" + name)
        ]
        if not matches:
            return [], EXTERNAL if module[0] == "<" else MISSING
        best = max(matches, key=lambda path: (_shared(path, folder), -len(path), path))
        return [Value("module", best)], ""

    def _java(self, module: str) -> tuple[list[Value], str]:
        """`a.b.C` where C is a class with static members or nested classes."""
        package, _, name = module.rpartition(".")
        parts = [name]
        while package:
            if package in self.packages:
                return [Value("package", package, ".".join(parts))], ""
            package, _, name = package.rpartition(".")
            parts.insert(0, name)
        return [], EXTERNAL

    def _script(self, module: str, folder: str, language: str) -> tuple[list[Value], str]:
        extension = ".rb" if language == "ruby" else ".php"
        name = module if module.endswith(extension) else module + extension
        if module.startswith("."):
            found = posixpath.normpath(posixpath.join(folder, name))
            return ([Value("module", found)], "") if found in self.files else ([], MISSING)
        for base in ("", "lib", "src", "app", folder):
            candidate = posixpath.normpath(posixpath.join(base, name))
            if candidate in self.files:
                return [Value("module", candidate)], ""
        for path in self.by_name.get(posixpath.basename(name), ()):
            if path.endswith("/lib/" + name) or path.endswith("/" + name):
                return [Value("module", path)], ""
        return [], EXTERNAL


def _shared(path: str, folder: str) -> int:
    """Folders that two places have in common."""
    count = 0
    for left, right in zip(path.split("/"), folder.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def _parse_json(text: str) -> Any:
    """JSON with comments and trailing commas, as tsconfig files have them; None if it is not."""
    text = _COMMENTS.sub(lambda match: match[1] or "", text.lstrip("\ufeff"))
    text = _TRAILING.sub(lambda match: match[1] or "", text)
    try:
        return json.loads(text)
    except ValueError:
        return None
