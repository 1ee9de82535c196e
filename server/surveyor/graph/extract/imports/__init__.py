"""Readers of the statements by which a file names others, one module per family of languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.extract.imports import compiled, dynamic, ecmascript, python, scripts
from surveyor.graph.extract.imports.common import Found
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_default", "read_dynamic", "read_import", "read_package"]

_READERS = {
    "python": python.read,
    "javascript": ecmascript.read,
    "typescript": ecmascript.read,
    "tsx": ecmascript.read,
    "go": compiled.read_go,
    "rust": compiled.read_rust,
    "java": compiled.read_java,
    "csharp": compiled.read_csharp,
    "c": compiled.read_c,
    "cpp": compiled.read_c,
    "ruby": scripts.read_ruby,
    "php": scripts.read_php,
}


def read_import(node: Node, language: str) -> Found:
    """What an import statement declares, and the name nodes in it with the module of each."""
    reader = _READERS.get(language)
    return reader(node) if reader else ([], [])


def read_default(node: Node) -> list[Import]:
    """What an ECMAScript module exports as its whole."""
    return ecmascript.read_default(node)


def read_dynamic(root: Node, calls: list[Node], language: str, limit: int) -> list[Import]:
    """Imports by call, with their arguments computed where they are constant, up to a number."""
    return dynamic.read(root, calls, language, limit)


def read_package(node: Node) -> str:
    """The dotted name in a package clause or namespace declaration."""
    text = node.text.decode("utf-8", "replace") if node.text else ""
    words = text.replace("package", " ", 1).strip().rstrip(";").split()
    return words[-1].replace("\\", ".").replace("::", ".") if words else ""
