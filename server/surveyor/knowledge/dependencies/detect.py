"""Which packages a project declares, and where they are installed. Reads files, runs nothing."""

from __future__ import annotations

import glob
import importlib.metadata
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.files.structured import (
    StructureError,
    mapping,
    parse_json,
    parse_toml,
    read_text,
    sequence,
    text,
)
from surveyor.knowledge.dependencies.packages import Package, normalised
from surveyor.knowledge.foreign_files import matching
from surveyor.paths import is_file, is_folder

MANIFEST_DEPTH = 3
"""Folders below the root in which a monorepo's manifests are looked for."""
PRUNED = frozenset(
    ("node_modules", "site-packages", "vendor", "target", "dist", "build", "__pycache__", "venv")
)

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


@dataclass(frozen=True, slots=True)
class PackageFolders:
    """Where installed packages are looked for besides the project itself.

    `python`: environments or site-packages folders, the first that has a package wins;
    `cargo_home`, `go_modules`: the caches of these tools.
    """

    python: tuple[Path, ...] = ()
    cargo_home: Path | None = None
    go_modules: Path | None = None
    fallback_python: tuple[Path, ...] = field(default=())
    """Used only when neither the project nor `python` has an environment."""

    @classmethod
    def of_environment(cls, variables: dict[str, str]) -> PackageFolders:
        """The usual places, for a user's environment variables."""
        home = Path(variables.get("HOME") or variables.get("USERPROFILE") or Path.home())
        environments = [
            Path(variables[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if variables.get(name)
        ]
        go_path = Path(variables.get("GOPATH", "").split(os.pathsep)[0] or home / "go")
        return cls(
            python=tuple(environments),
            cargo_home=Path(variables.get("CARGO_HOME") or home / ".cargo"),
            go_modules=Path(variables.get("GOMODCACHE") or go_path / "pkg" / "mod"),
            fallback_python=_interpreter(variables.get("PATH", "")),
        )


def detect(project: Path, places: PackageFolders, *, transitive: bool = False) -> list[Package]:
    """Installed packages that the project declares, by ecosystem and name.

    With `transitive`, everything in the project's own environment and lock files. A Python
    project that declares nothing counts as declaring all that its own environment holds.
    """
    manifests = _manifests(project)
    found: dict[str, Package] = {}
    for finder in (_python, _npm, _cargo, _go):
        for package in finder(project, manifests, places, transitive):
            found.setdefault(package.key, package)
    return sorted(found.values(), key=lambda one: one.key)


def not_installed(project: Path, found: Sequence[Package]) -> list[tuple[str, str]]:
    """Ecosystem and name of what the project declares and is not among the packages found."""
    declared: set[tuple[str, str]] = set()
    for path in _manifests(project):
        declared |= {("python", normalised(name)) for name in _python_names(path)}
        if path.name == "package.json":
            declared |= {("npm", name) for name in _npm_names(_json(path))}
        elif path.name == "Cargo.toml":
            declared |= {("cargo", name) for name in _cargo_names(_toml(path))}
        elif path.name == "go.mod":
            declared |= {
                ("go", name)
                for name, _, rest in _go_required(read_text(path))
                if "// indirect" not in rest
            }
    return sorted(declared - {(one.ecosystem, one.name) for one in found})


def _manifests(project: Path) -> list[Path]:
    """All manifests of the project, its own first."""
    wanted = re.compile(
        r"pyproject\.toml|setup\.cfg|Pipfile|requirements.*\.txt|package\.json|Cargo\.(toml|lock)"
        r"|go\.mod"
    )
    found = []
    for folder, names, files in os.walk(project):
        depth = len(Path(folder).relative_to(project).parts)
        names[:] = sorted(
            name
            for name in names
            if depth < MANIFEST_DEPTH and name not in PRUNED and not name.startswith(".")
        )
        found += [Path(folder, name) for name in sorted(files) if wanted.fullmatch(name)]
    return found


# --- Python -------------------------------------------------------------------------------


def _python(
    project: Path, manifests: list[Path], places: PackageFolders, transitive: bool
) -> Iterator[Package]:
    declared = {normalised(name) for path in manifests for name in _python_names(path)}
    own = [path.parent for path in matching(project, "*/pyvenv.cfg")]
    own.sort(key=lambda folder: folder.name.startswith("."))
    environments = [*places.python, *own]
    is_python = bool(declared or own) or bool(matching(project, "*.py"))
    if not is_python:
        return
    everything = transitive or (not declared and bool(own))
    for site in _sites(environments or places.fallback_python):
        for distribution in importlib.metadata.distributions(path=[str(site)]):
            try:
                about = distribution.metadata
                name, version = text(about["Name"]), text(about["Version"])
            except (OSError, ValueError, LookupError, AttributeError, TypeError):
                continue  # half installed, or written by hand
            if name and (normalised(name) in declared or (everything and environments)):
                yield Package("python", normalised(name), version or "0", site)


def _sites(environments: Sequence[Path]) -> Iterator[Path]:
    for environment in environments:
        if environment.name in ("site-packages", "dist-packages"):
            yield environment
            continue
        yield from matching(environment, "lib/python3*/site-packages")
        yield from (one for one in [environment / "Lib" / "site-packages"] if one.is_dir())


def _python_names(path: Path) -> list[str]:
    if path.name == "pyproject.toml":
        return _pyproject_names(_toml(path))
    if path.name == "Pipfile":
        pipfile = _toml(path)
        return [*mapping(pipfile.get("packages")), *mapping(pipfile.get("dev-packages"))]
    if path.name.startswith("requirements"):
        lines = read_text(path).splitlines()
        return [m[1] for line in lines if (m := _NAME.match(line))]
    if path.name == "setup.cfg":
        block = re.search(
            r"^install_requires\s*=((?:.*\n?)(?:[ \t]+.*\n?)*)", read_text(path), re.M
        )
        return [
            m[1] for line in (block[1] if block else "").split("\n") if (m := _NAME.match(line))
        ]
    return []


def _pyproject_names(document: dict[str, Any]) -> list[str]:
    about = mapping(document.get("project"))
    lines = [*sequence(about.get("dependencies"))]
    for group in (about.get("optional-dependencies"), document.get("dependency-groups")):
        lines += [line for entries in mapping(group).values() for line in sequence(entries)]
    names = [m[1] for line in lines if isinstance(line, str) and (m := _NAME.match(line))]
    poetry = mapping(mapping(document.get("tool")).get("poetry"))
    names += [name for name in mapping(poetry.get("dependencies")) if name != "python"]
    for group in mapping(poetry.get("group")).values():
        names += mapping(mapping(group).get("dependencies"))
    return names


def _interpreter(search_path: str) -> tuple[Path, ...]:
    """Site-packages of the Python on a PATH, found by where it lies, without starting it."""
    found = shutil.which("python3", path=search_path) or shutil.which("python", path=search_path)
    if not found:
        return ()
    prefix = Path(found).resolve().parent.parent
    return tuple(
        one
        for one in (prefix, Path("/usr/lib/python3/dist-packages"))
        if one.name != "dist-packages" or one.is_dir()
    )


# --- JavaScript ---------------------------------------------------------------------------


def _npm(
    project: Path, manifests: list[Path], places: PackageFolders, transitive: bool
) -> Iterator[Package]:
    for manifest in manifests:
        if manifest.name != "package.json":
            continue
        names = _npm_names(_json(manifest))
        folder = manifest.parent / "node_modules"
        if transitive and is_folder(folder):
            names |= {
                path.parent.relative_to(folder).as_posix()
                for pattern in ("*/package.json", "@*/*/package.json")
                for path in matching(folder, pattern)
            }
        for name in sorted(names):
            if root := _node_module(manifest.parent, project, name):
                version = text(_json(root / "package.json").get("version"))
                yield Package("npm", name, version or "0", root)


def _npm_names(manifest: dict[str, Any]) -> set[str]:
    return {
        name
        for section in ("dependencies", "devDependencies", "peerDependencies")
        for name in mapping(manifest.get(section))
        if _is_name(name)
    }


def _node_module(start: Path, project: Path, name: str) -> Path | None:
    """Nearest `node_modules` upwards, as Node itself looks, within the project."""
    for folder in (start, *start.parents):
        found = folder / "node_modules" / name
        if is_file(found / "package.json"):
            return found
        if folder == project:
            return None
    return None


# --- Rust and Go --------------------------------------------------------------------------


def _cargo(
    project: Path, manifests: list[Path], places: PackageFolders, transitive: bool
) -> Iterator[Package]:
    declared: set[str] = set()
    for path in manifests:
        if path.name == "Cargo.toml":
            declared |= _cargo_names(_toml(path))
    for path in manifests:
        if path.name != "Cargo.lock":
            continue
        for entry in map(mapping, sequence(_toml(path).get("package"))):
            name, version = text(entry.get("name")), text(entry.get("version"))
            if not (_is_name(name) and _is_name(version)):
                continue
            if not entry.get("source") or not (transitive or name in declared):
                continue
            candidates = [
                path.parent / "vendor" / name,
                path.parent / "vendor" / f"{name}-{version}",
            ]
            if places.cargo_home:
                sources = places.cargo_home / "registry" / "src"
                candidates += matching(sources, f"*/{glob.escape(name)}-{glob.escape(version)}")
            if root := next((one for one in candidates if is_folder(one)), None):
                yield Package("cargo", name, version, root)


def _cargo_names(document: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    tables = [document, document.get("workspace"), *mapping(document.get("target")).values()]
    for table in tables:
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in mapping(mapping(table).get(section)).items():
                names.add(text(mapping(value).get("package")) or name)
    return names


_GO_PATH = re.compile(r"[\w./~-]+")


def _go(
    project: Path, manifests: list[Path], places: PackageFolders, transitive: bool
) -> Iterator[Package]:
    for path in manifests:
        if path.name != "go.mod":
            continue
        for name, version, rest in _go_required(read_text(path)):
            if "// indirect" in rest and not transitive:
                continue
            if not (_is_name(name) and _is_name(version)):
                continue
            candidates = [path.parent / "vendor" / name]
            if places.go_modules:
                candidates.insert(0, places.go_modules / f"{_go_escaped(name)}@{version}")
            if root := next((one for one in candidates if is_folder(one)), None):
                yield Package("go", name, version, root)


def _go_required(manifest: str) -> Iterator[tuple[str, str, str]]:
    """Path, version and the rest of the line of each module that a go.mod requires."""
    for line in manifest.splitlines():
        words = line.split(None, 3)
        if words[:1] == ["require"]:
            words = words[1:]
        else:
            words[2:] = [" ".join(words[2:])]
        name, version, rest = [*words, "", "", ""][:3]
        if "." in name.strip(".") and _GO_PATH.fullmatch(name) and version.startswith("v"):
            yield name, version, rest


def _go_escaped(path: str) -> str:
    """Capitals as `!` and the small letter: the cache must work on any file system."""
    return re.sub(r"[A-Z]", lambda m: "!" + m[0].lower(), path)


# --- reading ------------------------------------------------------------------------------


def _is_name(name: str) -> bool:
    """Whether a name or a version leads to no other place where it becomes a part of a path."""
    return bool(name) and "\0" not in name and not {"", ".", ".."} & set(name.split("/"))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path))
    except StructureError:
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        return mapping(parse_json(read_text(path)))
    except StructureError:
        return {}
