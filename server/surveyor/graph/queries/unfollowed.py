"""Why an answer about uses may lack some: what could be a use and was not followed."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from surveyor.files.contained_paths import read_below
from surveyor.graph.expressions.bindings import CalledWith
from surveyor.graph.expressions.grammar import parse_qualifier
from surveyor.graph.expressions.keys import CALLED, without_arity
from surveyor.graph.expressions.model import Expression, Instance, Name
from surveyor.graph.extract.names_in_strings import REACHES, spellings_of
from surveyor.graph.extract.pasted_names import spellings_of_pasted
from surveyor.graph.extract.unread_names import (
    UNPARSED_FILE,
    spelling_of_deep,
    spelling_of_renamed,
    spelling_of_unparsed,
    spelling_of_unparsed_base,
    spelling_of_unread,
)
from surveyor.graph.facts import KIND_CODES, NAME_HASH_BYTES, decode_facts, name_hash
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.unnamed import runs_unnamed
from surveyor.graph.queries.items import LineReader, language_of_path
from surveyor.graph.queries.left_places import MEMBERS, left_places
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph
from surveyor.graph.queries.run_elsewhere import run_elsewhere
from surveyor.graph.queries.unread_languages import called_in_unread
from surveyor.graph.resolve.certainty import CERTAIN, MAX_CANDIDATES, MAX_COMMON, is_common
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS
from surveyor.protocol.graph import GraphItem
from surveyor.store.state.graph.documents import files_with_any, names_of_file
from surveyor.units import counted

__all__ = [
    "NOT_UNDERSTOOD",
    "files_naming",
    "guesses_among",
    "is_partly_unparsed",
    "left_out_by_language",
    "may_extend_unparsed",
    "naming",
    "pasting",
    "run_unnamed",
    "unfollowed",
    "unresolved_calls",
]

_ALIKE = frozenset((*MEMBERS, "member"))
"""The keys of what is written out in one place count among those that share a name."""
_RUNS_UNNAMED = frozenset({"method", "property", "function"})
_READ_BY_NAME = frozenset({"constant", "property", "field"})
"""What a string may read, as `GetProperty("Size")` does. So many strings are names of such that
only the file with the string says whether it does."""
_CALL = KIND_CODES["call"]
HARMLESS = frozenset(
    (
        *("binary", "vector_image", "data_file", "lock_file"),
        *("secret", "symlink", "special", "dependencies", "excluded", "pattern"),
    )
)
"""Why a file may be left out that says nothing about uses in this project: it is no code of it,
or the user wants it left out."""
NOT_UNDERSTOOD = "what it uses could not be read"
"""Why an indexed file of a language with uses has no graph: its extraction failed, or took too
long."""
_UNPARSED = "what could not be parsed"
MAX_LOOKED_INTO_BYTES = 4 << 20
"""Of a file that is left out."""
_SEGMENT = re.compile(r"[\w$-]+")
"""Of a module's path: `os.path` is known by its first, `net/http` by its last."""
LeftOut = Mapping[str, Sequence[tuple[str, str]]]
"""Path and reason of files that are not indexed, by language."""


def left_out_by_language(files: Sequence[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Files that are left out and could hold uses, given as path and reason."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path, reason in files:
        language = language_of_path(path)
        if language is not None and reason not in HARMLESS:
            found.setdefault(language, []).append((path, reason))
    return found


def guesses_among(uses: Iterable[GraphItem | EdgeAt]) -> int:
    """How many of some uses share a name only."""
    return sum(each.score < CERTAIN and each.kind != "subtype" for each in uses)


async def unfollowed(
    stored: StoredGraph,
    nodes: Sequence[Node],
    guesses: int,
    left_out: LeftOut,
    root: str,
    *,
    found: bool = True,
    unread: Sequence[str] = (),
) -> list[str]:
    """Why there may be more uses of a definition than those `found`, shortly; empty if nothing says
    so. Of those so many are `guesses_among` them; `root` is where the files are, and those `unread`
    whose language is not."""
    node = nodes[0]
    reasons, strings = await stored.state.in_one_thread(
        _of_graph(stored, nodes, guesses, found, LineReader(root))
    )
    reasons += await files_naming(root, left_out, node)
    if not reasons:
        reasons += await called_in_unread(root, unread, node)
    if strings:
        more = f" and {len(strings) - 1} more" if len(strings) > 1 else ""
        used = "called" if node.kind in CALLABLE_KINDS else "read"
        reasons.append(f"it may be {used} by a string in {strings[0]}{more}")
    return reasons


async def _of_graph(
    stored: StoredGraph, nodes: Sequence[Node], guesses: int, found: bool, lines: LineReader
) -> tuple[list[str], list[str]]:
    """Reasons that the graph knows, and the files with strings that may name a definition."""
    node, reasons = nodes[0], []
    if guesses:
        places = counted(guesses, "place shares", "places share")
        reasons.append(f"{places} the name only, on receivers of unknown type")
    elif node.kind in MEMBERS:
        # The resolver names no candidates where so many could be meant.
        alike = sum(each.kind in _ALIKE for each in await stored.named(node.name))
        if alike > (MAX_COMMON if is_common(node.name) else MAX_CANDIDATES):
            reasons.append(
                f"{alike} members are called {node.name}: uses on receivers of unknown type are"
                " not followed"
            )
    if node.kind == "variable" and traits_of(language_of_path(node.path) or "").skips_variables:
        reasons.append("uses of a file's variables are not followed in its language")
    if not reasons and (places := await left_places(stored, node)):
        reasons.append(places)
    if giving := await _giving(stored, node):
        reasons.append(f"{giving.key} may give it under the same name: ask who uses that too")
    unnamed = await run_unnamed(stored, node)
    reasons += unnamed or await run_elsewhere(stored, nodes, found=found, lines=lines)
    reasons += await _pasted(stored, node)
    reasons += await _unread(stored, node)
    reasons += await _renamed(stored, node)
    return reasons, await _strings_naming(stored, node)


async def run_unnamed(stored: StoredGraph, node: Node) -> list[str]:
    """That a definition is run by what does not name it, as operators and loops are, if so."""
    language = language_of_path(node.path) or ""
    if node.kind not in _RUNS_UNNAMED or ("." not in node.qualname and node.name[:1].isalpha()):
        return []
    if not runs_unnamed(language, node.name, None):
        return []
    how = runs_unnamed(language, node.name, await _implemented(stored, node))
    if not how:
        return []
    return [f"{how} may run it without naming it: not all such places are followed"]


async def _pasted(stored: StoredGraph, node: Node) -> list[str]:
    """That a macro may make a definition's name of what it is handed, if so."""
    if not traits_of(language_of_path(node.path) or "").includes_text:
        return []
    path = await pasting(stored, node.name)
    return [f"a macro in {path} may make its name (##)"] if path else []


async def pasting(stored: StoredGraph, name: str) -> str:
    """The file of a macro that may make a name of what it is handed; empty where there is none."""
    handed = {name_hash(made): part for made, part in spellings_of_pasted(name).items()}
    if not handed:
        return ""
    for path, names in await files_with_any(stored.state, stored.checkout_id, list(handed)):
        for made in _hashes(names) & handed.keys():
            if not handed[made] or await _is_used(stored, handed[made]):
                return path
    return ""


async def _renamed(stored: StoredGraph, node: Node) -> list[str]:
    """That a type, or that of a member, may have another name while the program runs, if so."""
    if not traits_of(language_of_path(node.path) or "").renames_types:
        return []
    owner = node.qualname if node.kind in TYPE_KINDS else node.qualname.rpartition(".")[0]
    spelled = name_hash(spelling_of_renamed(owner.rpartition(".")[2]))
    found = await files_with_any(stored.state, stored.checkout_id, [spelled] if owner else [])
    paths = [path for path, names in found if spelled in _hashes(names)]
    said = "may give it another name, by which uses are not followed"
    return [f"class_alias in {paths[0]} {said}"] if paths else []


async def may_extend_unparsed(stored: StoredGraph, node: Node) -> list[str]:
    """That a type's name stands in what could not be parsed, where it may be extended, if so."""
    wanted = {name_hash(spelling_of_unparsed_base(node.name)): _UNPARSED}
    return await _standing_in(stored, node, wanted)


async def is_partly_unparsed(stored: StoredGraph, path: str) -> bool:
    """Whether a part of a file could not be parsed, and may define what is not known."""
    names = await names_of_file(stored.state, stored.checkout_id, path)
    return name_hash(UNPARSED_FILE) in _hashes(names)


async def _unread(stored: StoredGraph, node: Node) -> list[str]:
    """That a definition's name stands in a branch of a conditional that was not read, in what is
    nested too deeply, or in what could not be parsed, if so."""
    wanted = {
        name_hash(spelling_of_deep(node.name)): "what is nested too deeply to be read",
        name_hash(spelling_of_unparsed(node.name)): _UNPARSED,
    }
    if traits_of(language_of_path(node.path) or "").has_conditionals:
        branch = "a branch of an #if that was not read"
        wanted[name_hash(spelling_of_unread(node.name))] = branch
    return await _standing_in(stored, node, wanted)


async def _standing_in(stored: StoredGraph, node: Node, wanted: Mapping[bytes, str]) -> list[str]:
    """In which files of a definition's family its name stands so, by the hash of each spelling."""
    family = traits_of(language_of_path(node.path) or "").family
    found = await files_with_any(stored.state, stored.checkout_id, list(wanted))
    reasons = []
    for spelled, where in wanted.items():
        paths = [
            path
            for path, names in found
            if spelled in _hashes(names)
            and traits_of(language_of_path(path) or "").family == family
        ]
        if paths:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            reasons.append(f"its name stands in {where}, in {paths[0]}{more}")
    return reasons


async def _is_used(stored: StoredGraph, name: str) -> bool:
    """Whether any file uses something of a name, or hands it to a macro that was not read."""
    wanted = {name_hash(name), name_hash(spelling_of_unread(name))}
    users = await files_with_any(stored.state, stored.checkout_id, list(wanted))
    return any(not wanted.isdisjoint(_hashes(names)) for _, names in users)


async def _implemented(stored: StoredGraph, node: Node) -> set[str] | None:
    """The last names of what a member's type implements, where its file says that."""
    data = await stored.facts(node.path)
    owner = node.qualname.rpartition(".")[0]
    facts = decode_facts(data) if data is not None else None
    if facts is None or not any(name.qualname == owner for name in facts.names):
        return None
    return {without_arity(base).rpartition(".")[2] for base in facts.bases.get(owner, ())}


async def _giving(stored: StoredGraph, node: Node) -> Node | None:
    """Another definition of the name that imports the file of this one inside of itself, as modules
    do that load what they export when it is asked for: `get run() { return require("./run") }`."""
    if node.kind not in CALLABLE_KINDS | TYPE_KINDS or "." in node.qualname:
        return None
    for other in await _named_as_exported(stored, node):
        inside = range(other.start_line, other.end_line + 1)
        imported = await stored.imports([other.file_id], "out")
        if any(each.other_id == node.file_id and each.line in inside for each in imported):
            return other
    return None


async def _named_as_exported(stored: StoredGraph, node: Node) -> list[Node]:
    """Callable definitions of the name in other files; for what is a module's whole and has no name
    itself, of the file's name."""
    stem = posixpath.basename(node.path).partition(".")[0]
    found = await stored.named(node.name if node.name != "exports" else stem)
    return [each for each in found if each.path != node.path and each.kind in CALLABLE_KINDS]


async def files_naming(root: str, left_out: LeftOut, node: Node) -> list[str]:
    """That files which are left out have a definition's name, if so."""
    name = node.name or posixpath.basename(node.path).partition(".")[0]
    files = left_out.get(language_of_path(node.path) or "", ())
    missing = await naming(root, files, name) if name else list(files)
    if not missing:
        return []
    path, reason = missing[0]
    if len(missing) == 1:
        return [f"1 file that has this name is left out ({path}: {reason})"]
    return [f"{len(missing)} files that have this name are left out ({path}: {reason})"]


async def naming(root: str, files: Sequence[tuple[str, str]], name: str) -> list[tuple[str, str]]:
    """Those of the files that are left out in which a name stands."""
    if not files:
        return []
    return await asyncio.to_thread(
        lambda: [each for each in files if _may_name(Path(root), each[0], name.encode())]
    )


def _may_name(root: Path, path: str, name: bytes) -> bool:
    """Whether a file has a name, as far as it is looked into: a longer one may have it."""
    try:
        data = read_below(root, path, MAX_LOOKED_INTO_BYTES + 1)
    except OSError:
        return False
    return name in data or len(data) > MAX_LOOKED_INTO_BYTES


async def _strings_naming(stored: StoredGraph, node: Node) -> list[str]:
    """Files in which a string has a definition's name, or its beginning, where it could be called
    by that: because the file with the string, or its own, reaches things by computed names."""
    hashes = [name_hash(each) for each in spellings_of(node.name)]
    if not hashes or node.kind not in CALLABLE_KINDS | _READ_BY_NAME:
        return []
    family = traits_of(language_of_path(node.path) or "").family
    rows = await files_with_any(stored.state, stored.checkout_id, hashes)
    found = {
        path: mine
        for path, names in rows
        if traits_of(language_of_path(path) or "").family == family
        and not (mine := _hashes(names)).isdisjoint(hashes)
    }
    reaches = name_hash(REACHES)
    is_called = node.kind in CALLABLE_KINDS
    if not found or (
        is_called
        and reaches in _hashes(await names_of_file(stored.state, stored.checkout_id, node.path))
    ):
        return list(found)
    return [path for path, names in found.items() if reaches in names]


def _hashes(names: bytes) -> set[bytes]:
    size = NAME_HASH_BYTES
    return {names[at : at + size] for at in range(0, len(names), size)}


async def unresolved_calls(stored: StoredGraph, nodes: Sequence[Node]) -> int:
    """How many calls inside definitions may mean something of the project that is not known.

    Those of a value that is computed, and of a member's name that the project defines on a
    receiver whose type is not known. What is imported from elsewhere is known to be foreign.
    """
    count = 0
    for path in dict.fromkeys(node.path for node in nodes):
        ranges = [(node.start_line, node.end_line) for node in nodes if node.path == path]
        file = await stored.file(path)
        if file is None:
            continue
        foreign = await _foreign_names(stored, file)
        known = {(edge.line, edge.column) for edge in await stored.of_files([file.file_id])}
        places: dict[tuple[int, int], str] = {}
        for name, kind, line, column, _, qualifier, _ in await stored.references(path):
            inside = any(first <= line <= last for first, last in ranges)
            if kind == _CALL and inside and (line, column) not in known:
                said = parse_qualifier(qualifier)
                value = said.before if isinstance(said, CalledWith) else said
                if type(value) is Expression and not _is_foreign(value, foreign):
                    places[line, column] = name
        for name in places.values():
            count += name == CALLED or await _is_member(stored, name, path)
    return count


async def _foreign_names(stored: StoredGraph, file: Node) -> set[str]:
    """The names by which a file knows what it imports from outside of the project."""
    data = await stored.facts(file.path)
    if data is None:
        return set()
    ours = {each.line for each in await stored.imports([file.file_id], "out")}
    names: set[str] = set()
    for link in decode_facts(data).imports:
        if link.line not in ours:
            names.update(alias or name for name, alias in link.names)
            parts = _SEGMENT.findall(link.module)
            names.update((link.alias,) if link.alias else (*parts[:1], *parts[-1:]))
    return names


def _is_foreign(value: Expression, foreign: set[str]) -> bool:
    """Whether a receiver is of a type that is known, or begins with what is imported."""
    head = value.head
    return type(head) is Instance or (type(head) is Name and head.name in foreign)


async def _is_member(stored: StoredGraph, names: str, path: str) -> bool:
    """Whether a member of such a name is defined in the same language."""
    language = language_of_path(path)
    found = [each for name in names.split("/") for each in await stored.named(name)]
    return any(each.kind in MEMBERS and language_of_path(each.path) == language for each in found)
