"""Parsers and queries, made on first use and kept: only the grammars that are needed are loaded.

A grammar is one shared library inside tree-sitter-language-pack's `bindings` folder; each is
imported by itself, never the pack's own start-up code, and nothing is ever downloaded.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surveyor.errors import SurveyorError
from surveyor.parsing.languages import Language

if TYPE_CHECKING:
    import tree_sitter

__all__ = ["GrammarError", "grammar", "parser", "query"]

# The pack re-exports these from packages of their own.
_SEPARATE_PACKAGES = {
    "csharp": "tree_sitter_c_sharp",
    "yaml": "tree_sitter_yaml",
    "embeddedtemplate": "tree_sitter_embedded_template",
}


class GrammarError(SurveyorError):
    """A grammar is missing or does not fit this tree-sitter, or a query does not fit it."""


@cache
def grammar(name: str) -> tree_sitter.Language:
    """The tree-sitter grammar `name`.

    Raises:
        GrammarError: when it is not installed or its ABI is not understood.
    """
    import tree_sitter

    try:
        return tree_sitter.Language(_binding(name).language())
    except (ImportError, ValueError, AttributeError, OSError) as error:
        raise GrammarError(
            f"the grammar {name} cannot be loaded: {error}",
            hint="reinstall tree-sitter-language-pack (0.13.x)",
        ) from error


def _binding(name: str) -> Any:
    """The extension module of one grammar, loaded without running the pack's own start-up."""
    if separate := _SEPARATE_PACKAGES.get(name):
        return import_module(separate)
    pack = find_spec("tree_sitter_language_pack")
    if pack is None:
        raise ImportError("tree-sitter-language-pack is not installed")
    for folder in pack.submodule_search_locations or ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder) / "bindings" / f"{name}{suffix}"
            if path.is_file():
                # By its full name: an extension module registers itself under the name that it is
                # loaded by, and `json` or `html` would take the standard library's place.
                full = f"{pack.name}.bindings.{name}"
                loader = ExtensionFileLoader(full, str(path))
                spec = spec_from_file_location(full, path, loader=loader)
                assert spec is not None
                module = module_from_spec(spec)
                loader.exec_module(module)
                return module
    raise ImportError(f"tree-sitter-language-pack has no {name}")


@cache
def parser(name: str) -> tree_sitter.Parser:
    """The parser for the grammar `name`, shared: parse with one thread at a time."""
    import tree_sitter

    return tree_sitter.Parser(grammar(name))


@cache
def _query(name: str, paths: tuple[str, ...]) -> tree_sitter.Query:
    import tree_sitter

    text = "\n".join(Path(path).read_text(encoding="utf-8") for path in paths)
    try:
        return tree_sitter.Query(grammar(name), text)
    except tree_sitter.QueryError as error:
        raise GrammarError(f"the query {', '.join(paths)} is wrong for {name}: {error}") from error


@cache
def _query_of(language: Language, file: str) -> tree_sitter.Query | None:
    paths = tuple(str(path) for path in language.query_files(file))
    if language.grammar is None or not paths:
        return None
    return _query(language.grammar, paths)


def query(language: Language, file: str) -> tree_sitter.Query | None:
    """The query `file` (`symbols.scm`, `references.scm`) of a language, inherited parts included.

    None when the language has no grammar or no such file.

    Raises:
        GrammarError: when the query does not fit the grammar.
    """
    return _query_of(language, file)
