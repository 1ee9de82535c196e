"""What a manifest says that imports depend on: most changes of one, such as another version of a
library, mean the same files to every import of the project."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from surveyor.files.structured import StructureError, mapping, parse_toml
from surveyor.graph.languages.csharp.projects import is_project_file, said_of_project
from surveyor.graph.languages.ecmascript.modules import parse_script_json

__all__ = ["declared"]

_PACKAGE_FIELDS = ("name", "source", "module", "main", "types", "imports", "exports")
_COMPILER_OPTIONS = ("paths", "baseUrl")
_GO = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PUBSPEC = re.compile(r"^name:\s*(\w+)", re.MULTILINE)


def declared(path: str, text: str) -> bytes:
    """What the manifest at a path says of it; the whole text where that is not known."""
    name = path.rpartition("/")[2]
    if name.startswith("tsconfig") or name == "jsconfig.json":
        said = _of_tsconfig(text)
    elif is_project_file(name):
        said = said_of_project(text)
    elif (read := _READERS.get(name)) is not None:
        said = read(text)
    else:
        said = text
    return msgspec.msgpack.encode(said)


def _of_package(text: str) -> Any:
    data = parse_script_json(text)
    return _fields(data, _PACKAGE_FIELDS) if isinstance(data, dict) else None


def _of_tsconfig(text: str) -> Any:
    data = parse_script_json(text)
    if not isinstance(data, dict):
        return None
    return data.get("extends"), _fields(mapping(data.get("compilerOptions")), _COMPILER_OPTIONS)


def _of_cargo(text: str) -> Any:
    try:
        data = parse_toml(text)
    except StructureError:
        return None
    return (
        _fields(mapping(data.get("package")), ("name",)),
        _fields(mapping(data.get("lib")), ("name", "path")),
    )


def _fields(data: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, Any]]:
    """The order of `exports` and `paths` counts: the first that matches is taken."""
    return [(name, data[name]) for name in names if name in data]


_READERS: Mapping[str, Callable[[str], Any]] = {
    "package.json": _of_package,
    "Cargo.toml": _of_cargo,
    "go.mod": _GO.findall,
    "pubspec.yaml": _PUBSPEC.findall,
}
