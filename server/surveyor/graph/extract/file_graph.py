"""A file's graph from the tree that parsing made of it: at once, or later from the file's bytes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from surveyor.files.file_class import file_type_of
from surveyor.graph import IMPORT_SCAN_LIMIT
from surveyor.graph.extract.names_in_strings import names_in_strings
from surveyor.graph.extract.pasted_names import pasted_names
from surveyor.graph.extract.reexports import may_reexport
from surveyor.graph.extract.unread_names import (
    deep_names,
    renamed_names,
    unparsed_names,
    unread_names,
)
from surveyor.parsing.cut import MAX_CHUNK_CHARS
from surveyor.parsing.parse import FileTree, parse_with_tree, tree_of
from surveyor.parsing.types import ParsedFile, Symbol

if TYPE_CHECKING:
    from surveyor.graph.extract.extracted import Extracted

__all__ = ["graph_of", "graph_of_tree", "parse_with_graph"]

log = logging.getLogger(__name__)


def parse_with_graph(
    path: str,
    data: bytes,
    *,
    max_chunk_chars: int = MAX_CHUNK_CHARS,
    graph: Literal["now", "later"] = "now",
    import_scan_limit: int = IMPORT_SCAN_LIMIT,
    keep: Callable[[FileTree], None] | None = None,
) -> ParsedFile:
    """What parsing makes of a file, with its graph, encoded.

    References cost as much as all else; `later` leaves them to `graph_of` and sets
    `graph_pending`, but for files that may be mere re-exports, which searches ask about. `keep`
    is handed the tree then, for `graph_of_tree`.
    """
    parsed, tree = parse_with_tree(path, data, max_chunk_chars=max_chunk_chars)
    if tree is None:
        return parsed
    if graph == "later" and not may_reexport(parsed.symbols):
        if keep is not None:
            keep(tree)
        return structs.replace(parsed, graph_pending=True)
    try:
        found = _extracted(tree, parsed.symbols, import_scan_limit)
    except Exception as error:  # chunks and symbols are good without their graph
        log.warning("no references: %r", error)
        problem = f"no references: {error!r}"[:300]
        return structs.replace(parsed, problems=(*parsed.problems, problem))
    encoded = _encoded(found, tree, parsed.file_type)
    return structs.replace(parsed, is_reexport=found.is_reexport, graph=encoded)


def graph_of(
    path: str,
    data: bytes,
    symbols: Sequence[Symbol],
    *,
    import_scan_limit: int = IMPORT_SCAN_LIMIT,
) -> bytes:
    """The graph that `parse_with_graph` left for later; `symbols` are those that it returned.

    Empty when the file has none after all.
    """
    tree = tree_of(path, data)
    if tree is None:
        return b""
    return graph_of_tree(
        tree, symbols, file_type_of(path, data), import_scan_limit=import_scan_limit
    )


def graph_of_tree(
    tree: FileTree,
    symbols: Sequence[Symbol],
    file_type: str,
    *,
    import_scan_limit: int = IMPORT_SCAN_LIMIT,
) -> bytes:
    """The same of a file whose tree was kept."""
    return _encoded(_extracted(tree, symbols, import_scan_limit), tree, file_type)


def _extracted(tree: FileTree, symbols: Sequence[Symbol], import_scan_limit: int) -> Extracted:
    # Importing it takes as long as a file: the first one that is saved does not wait for it.
    from surveyor.graph.extract.extract import extract

    return extract(
        tree.tree,
        tree.data,
        tree.language,
        symbols,
        read=tree.read,
        is_deep=bool(tree.deep),
        import_scan_limit=import_scan_limit,
    )


def _encoded(found: Extracted, tree: FileTree, file_type: str) -> bytes:
    from surveyor.graph.facts import encode_graph  # with `extract`
    from surveyor.graph.languages import traits_of  # with it, too

    language = tree.file_language.name
    traits = traits_of(language)
    strings = names_in_strings(tree.data, traits)
    if traits.includes_text:
        strings.update(pasted_names(tree.data))
    if traits.has_conditionals and tree.read is not tree.data:
        strings.update(unread_names(tree.data, tree.read))
    strings.update(deep_names(tree.data, tree.deep))
    if traits.renames_types:
        strings.update(renamed_names(tree.data))
    if tree.tree.root_node.has_error:
        known = {(each.name, each.line) for each in found.references}
        known |= {(each.name, each.line) for each in found.symbols}
        bases = {(each.name, each.line) for each in found.references if each.kind == "inheritance"}
        strings.update(unparsed_names(tree.tree.root_node, tree.read, language, known, bases))
    return encode_graph(found, language, strings, is_test=file_type == "test")
