"""The graph's work in the index worker: outlines, edges and ranks, read from `state.db`.

The worker only reads; what it returns the engine writes (`graph/update`). A resolver is kept from
job to job of one round of an update, because the jobs of a round see the same files.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from surveyor.files.contained_paths import read_below
from surveyor.graph import IMPORT_SCAN_LIMIT
from surveyor.graph.facts import (
    KIND_CODES,
    FileFacts,
    Row,
    decode_blobs,
    decode_facts,
    decode_references,
    name_hash,
)
from surveyor.graph.jobs import (
    FIELD_KINDS,
    MAX_MANIFEST_BYTES,
    MEMBERS_APART,
    NEW_IDS,
    EdgeRow,
    ExtractedGraph,
    FormerImport,
    FormerUse,
    GraphJob,
    GraphRanks,
    NodeRow,
    OutlinedFile,
    PreviewedFile,
    ResolvedFile,
)
from surveyor.graph.languages.readers import PROJECT
from surveyor.graph.left_uses import encode_left
from surveyor.graph.outlines import outline_of
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.tree import LEFT_OUT, Tree
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS
from surveyor.parsing.types import Symbol
from surveyor.store import worker_graph_reads as reads
from surveyor.worker.kept_trees import KeptTrees

if TYPE_CHECKING:
    from surveyor.graph.resolve.hints import Hints
    from surveyor.graph.resolve.layout import Layout
    from surveyor.graph.resolve.resolver import Resolver
    from surveyor.graph.update.rank import RankedGraph

__all__ = ["GraphWorker"]

ASKED_ALONE = 100
"""Names whose definitions are asked for one by one, before all are read at once."""
LOADED_DEFINITIONS = 100_000
"""Definitions of the largest checkout of which all are read at once, some 400 bytes each."""
KEPT_DEFINITIONS = 100_000
"""Of a larger one: so many are kept of those that were asked for."""
RESOLVER_FILES = 6_000
"""Files that a resolver reads, some 25 KB each with what it works out, before another takes its
place: it would grow with the project, to gigabytes. Not memory in use: what is freed is used again,
and hardly ever given back."""
KEPT_FACTS = 400
"""Files whose facts a worker keeps for previews, some 30 KB each."""
KEPT_PATHS = 20_000
"""Files of the largest checkout of which a worker keeps for previews what is where."""
KEPT_EDGES = 1_000_000
"""Uses in the largest graph that a worker keeps for maps, 24 bytes each."""


class DatabaseSource:
    """A checkout's files, read from `state.db` as they are asked for."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        checkout_id: str,
        root: Path,
    ) -> None:
        self._connection = connection
        self._checkout_id = checkout_id
        self._root = root
        self._paths: dict[str, str] | None = None
        self._named: dict[str, list[tuple[str, str, str]]] = {}
        self._nodes: dict[str, dict[str, int]] = {}
        self._file_ids: dict[str, int] | None = None
        self._asked = 0
        self._has_all = False
        self._rows_kept = 0
        self.files_read = 0
        """Files whose facts were asked for."""
        self._may_load: bool | None = None

    def paths(self) -> Mapping[str, str]:
        """All files of the checkout, with the package of those that have one."""
        if self._paths is None:
            self._paths = reads.packages_by_path(self._connection, self._checkout_id)
        return self._paths

    def facts(self, path: str) -> FileFacts | None:
        """What a file offers."""
        self.files_read += 1
        found = self.document(path)
        return found[1] if found is not None else None

    def document(self, path: str) -> tuple[int, FileFacts] | None:
        """A file's document and facts."""
        row = reads.encoded_facts(self._connection, self._checkout_id, path)
        return (row[0], decode_facts(row[1])) if row is not None else None

    def references(self, path: str) -> tuple[int, list[Row]] | None:
        """A file's document and references."""
        row = reads.encoded_references(self._connection, self._checkout_id, path)
        return (row[0], decode_references(row[1])) if row else None

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """All definitions of a name in the checkout."""
        if name not in self._named:
            if self._has_all:
                return ()
            self._asked += 1
            if self._asked > ASKED_ALONE and self._is_small():
                self._load()
                return self._named.get(name, ())
            found = reads.definitions_named(self._connection, self._checkout_id, name)
            self._keep(len(found))
            self._named[name] = found
        return self._named[name]

    def _is_small(self) -> bool:
        if self._may_load is None:
            limit = LOADED_DEFINITIONS
            self._may_load = reads.has_at_most(self._connection, self._checkout_id, limit)
        return self._may_load

    def _keep(self, rows: int) -> None:
        """Make room for rows that were asked for."""
        self._rows_kept += rows + 1
        if self._rows_kept > KEPT_DEFINITIONS:
            self._named.clear()
            self._nodes.clear()
            self._rows_kept = rows + 1

    def _load(self) -> None:
        """All definitions of the checkout: cheaper than asking for each name by itself."""
        self._named.clear()
        self._nodes.clear()
        rows = reads.nodes_of_checkout(self._connection, self._checkout_id)
        for path, qualname, kind, name, node_id in rows:
            self._named.setdefault(name, []).append((path, qualname, kind))
            self._nodes.setdefault(path, {})[qualname] = node_id
        self._has_all = True

    def importing_for_all(self) -> list[str]:
        """Files that import something for all that they are built with."""
        wanted = name_hash(PROJECT)
        return reads.files_with_name(self._connection, self._checkout_id, wanted)

    def read(self, path: str) -> str | None:
        """Text of a manifest from the disk."""
        try:
            data = read_below(self._root, path, MAX_MANIFEST_BYTES + 1)
        except OSError:
            return None
        return data.decode("utf-8", "replace") if len(data) <= MAX_MANIFEST_BYTES else None

    def node(self, path: str, qualname: str) -> int:
        """The id of a stored node; 0 when there is none."""
        if path not in self._nodes and not self._has_all:
            found = reads.node_ids(self._connection, self._checkout_id, path)
            self._keep(len(found))
            self._nodes[path] = found
        return self._nodes.get(path, {}).get(qualname, 0)

    def file_ids(self) -> dict[str, int]:
        """Ids of the checkout's files in the graph."""
        if self._file_ids is None:
            self._file_ids = reads.file_ids(self._connection, self._checkout_id)
        return self._file_ids


class KeptSource(DatabaseSource):
    """What is stored, kept from one preview to the next: it is the same until an update."""

    def __init__(self, connection: sqlite3.Connection, job: GraphJob) -> None:
        super().__init__(connection, job.checkout_id, Path(job.root))
        self._decoded: dict[str, tuple[int, FileFacts] | None] = {}

    def document(self, path: str) -> tuple[int, FileFacts] | None:
        """A file's document and facts."""
        if path not in self._decoded:
            if len(self._decoded) >= KEPT_FACTS:
                self._decoded.clear()
            self._decoded[path] = super().document(path)
        return self._decoded[path]


class BufferSource:
    """Files that are stored, with unsaved ones in place of what is stored of them."""

    def __init__(self, stored: DatabaseSource, job: GraphJob) -> None:
        self._stored = stored
        self._blobs = {path: decode_blobs(graph) for path, graph in job.buffers.items()}
        self._facts = {path: decode_facts(each.facts) for path, each in self._blobs.items()}
        ids = stored.file_ids()
        self.ids = {path: ids.get(path, 0) for path in self._blobs}
        """Of the unsaved files."""
        self.node_ids: dict[str, dict[str, int]] = {}
        """Of what the unsaved files define, by qualified name."""
        last = NEW_IDS
        for path, facts in self._facts.items():
            known = {name.qualname: stored.node(path, name.qualname)
                     for name in facts.names}  # fmt: skip
            for missing in [qualname for qualname, node_id in known.items() if not node_id]:
                last += 1
                known[missing] = last
            if not self.ids[path]:
                last += 1
                self.ids[path] = last
            self.node_ids[path] = known

    def paths(self) -> Mapping[str, str]:
        """All files of the checkout, with those that are not saved yet."""
        stored = self._stored.paths()
        own = {path: each.package for path, each in self._facts.items()}
        return stored if own.items() <= stored.items() else {**stored, **own}

    def facts(self, path: str) -> FileFacts | None:
        """What a file offers."""
        found = self.document(path)
        return found[1] if found is not None else None

    def importing_for_all(self) -> list[str]:
        """Files that import something for all that they are built with."""
        unsaved = [p for p, f in self._facts.items() if any(i.kind == PROJECT for i in f.imports)]
        stored = [path for path in self._stored.importing_for_all() if path not in self._facts]
        return sorted([*stored, *unsaved])

    def read(self, path: str) -> str | None:
        """Text of a manifest from the disk."""
        return self._stored.read(path)

    def document(self, path: str) -> tuple[int, FileFacts] | None:
        """A file's document (0: of a buffer) and facts."""
        facts = self._facts.get(path)
        return (0, facts) if facts is not None else self._stored.document(path)

    def references(self, path: str) -> tuple[int, list[Row]] | None:
        """A file's document (0: of a buffer) and references."""
        blobs = self._blobs.get(path)
        return (0, decode_references(blobs.references)) if blobs else self._stored.references(path)

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """All definitions of a name in the checkout."""
        stored = [each for each in self._stored.named(name) if each[0] not in self._facts]
        unsaved = [
            (path, each.qualname, each.kind)
            for path, facts in self._facts.items()
            for each in facts.names
            if each.name == name
        ]
        return [*stored, *unsaved]

    def node(self, path: str, qualname: str) -> int:
        """The id of a node; 0 when there is none."""
        if path in self.node_ids:
            return self.node_ids[path].get(qualname, 0)
        return self._stored.node(path, qualname)

    def file_ids(self) -> dict[str, int]:
        """Ids of the checkout's files."""
        return {**self._stored.file_ids(), **self.ids}


class FormerSource:
    """Files as they are stored, with what was in some of them and is gone."""

    def __init__(self, stored: DatabaseSource, job: GraphJob) -> None:
        self._stored = stored
        self._facts: dict[str, FileFacts] = {}
        for path, graph in job.buffers.items():
            was = decode_facts(decode_blobs(graph).facts)
            now = _with_gone(stored.facts(path), was, job.gone.get(path, ()))
            self._facts[path] = _with_bases(now, was, job.rebased.get(path, ()))

    def paths(self) -> Mapping[str, str]:
        """All files of the checkout, with those that are gone."""
        stored = self._stored.paths()
        own = {path: each.package for path, each in self._facts.items() if path not in stored}
        return {**stored, **own} if own else stored

    def facts(self, path: str) -> FileFacts | None:
        """What a file offers."""
        return self._facts.get(path) or self._stored.facts(path)

    def importing_for_all(self) -> list[str]:
        """Files that import something for all that they are built with."""
        return self._stored.importing_for_all()

    def read(self, path: str) -> str | None:
        """Text of a manifest from the disk."""
        return self._stored.read(path)

    def references(self, path: str) -> tuple[int, list[Row]] | None:
        """A file's document and references: those that it has now."""
        return self._stored.references(path)

    def named(self, name: str) -> Iterable[tuple[str, str, str]]:
        """All definitions of a name."""
        found = [
            (path, each.qualname, each.kind)
            for path, facts in self._facts.items()
            for each in facts.names
            if each.name == name
        ]
        return [*(each for each in self._stored.named(name) if each[0] not in self._facts), *found]


def _with_gone(now: FileFacts | None, was: FileFacts, gone_names: Sequence[str]) -> FileFacts:
    """What a file offers, with what it offered and does not any more: also a method of which it has
    a field of the name still."""
    if now is None:
        return was
    known = {name.qualname for name in now.names}
    known -= _shadowed(now, gone_names)
    missing = [name for name in was.names if name.qualname not in known]
    gone = tuple(name.qualname for name in missing)
    types = {key: fact for key, fact in was.types.items() if key.startswith(gone)}
    return msgspec.structs.replace(
        now,
        names=[*now.names, *missing],
        types={**types, **now.types},
        bases={**{key: was.bases[key] for key in gone if key in was.bases}, **now.bases},
        parameters={
            **{key: was.parameters[key] for key in gone if key in was.parameters},
            **now.parameters,
        },
    )


def _shadowed(now: FileFacts | None, gone_names: Iterable[str]) -> set[str]:
    """Methods that are gone while a field has their name."""
    if now is None or now.language not in MEMBERS_APART:
        return set()
    kinds: dict[str, set[str]] = {}
    for name in now.names:
        kinds.setdefault(name.qualname, set()).add(name.kind)
    return {each for each in gone_names if kinds.get(each) and kinds[each] <= FIELD_KINDS}


def _with_bases(now: FileFacts, was: FileFacts, types: Sequence[str]) -> FileFacts:
    """What a file offers, with what types of it extended, and what was imported for that."""
    if not types:
        return now
    known = {(link.module, link.names, link.alias) for link in now.imports}
    return msgspec.structs.replace(
        now,
        bases={**now.bases, **{each: was.bases[each] for each in types if each in was.bases}},
        imports=[
            *now.imports,
            *(e for e in was.imports if (e.module, e.names, e.alias) not in known),
        ],
    )


_Source = DatabaseSource | BufferSource


class GraphWorker:
    """Runs jobs on one connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        import_scan_limit: int = IMPORT_SCAN_LIMIT,
        trees: KeptTrees | None = None,
    ) -> None:
        self._connection = connection
        self._trees = trees or KeptTrees()
        self._scan_limit = import_scan_limit
        self._stored: _PreviewBase | None = None
        """What the last preview read: with each pause in typing a file asks for it again."""
        self._kept: tuple[tuple[str, int], DatabaseSource, Resolver, dict[str, int]] | None = None
        self._ranked: tuple[tuple[str, int], RankedGraph] | None = None
        """What the last map was drawn from: while somebody types, the next one is asked soon."""

    def run(self, job: GraphJob) -> bytes:
        """Returns the job's result, encoded: a list of `OutlinedFile` or `ResolvedFile`, or one
        `GraphRanks`."""
        if job.kind == "rank":
            return msgspec.msgpack.encode(self._rank(job))
        if job.kind == "extract":
            drawn = (self._extract(job, path) for path in job.paths)
            return msgspec.msgpack.encode([item for item in drawn if item is not None])
        if job.kind == "preview":
            return msgspec.msgpack.encode(self._preview(job))
        if job.kind == "former":
            return msgspec.msgpack.encode(self._former(job))
        if job.kind == "importers":
            return msgspec.msgpack.encode(self._importers(job))
        if job.kind == "outline":
            self._kept = None
            source = DatabaseSource(self._connection, job.checkout_id, Path(job.root))
            found = (_outline(source, path) for path in job.paths)
            return msgspec.msgpack.encode([item for item in found if item is not None])
        source, resolver, files = self._kept_resolver(job)
        results = (self._resolve(source, resolver, files, path) for path in job.paths)
        encoded = msgspec.msgpack.encode([item for item in results if item is not None])
        if source.files_read > RESOLVER_FILES:
            self._kept = None
            del source, resolver
            gc.collect()  # a resolver's parts know each other
        return encoded

    def _rank(self, job: GraphJob) -> GraphRanks:
        from surveyor.graph.update.rank import read_ranked_graph  # numpy: not for other jobs

        if not job.start:
            self._ranked = None
            return GraphRanks(*read_ranked_graph(self._connection, job.checkout_id).ranks())
        key = (job.checkout_id, reads.data_version(self._connection))
        if self._ranked is None or self._ranked[0] != key:
            self._ranked = None  # its memory first
            self._ranked = (key, read_ranked_graph(self._connection, job.checkout_id))
        graph = self._ranked[1]
        if len(graph.sources) > KEPT_EDGES:
            self._ranked = None
        return GraphRanks(graph.personal_ranks(job.start, job.below, job.limit), [])

    def _extract(self, job: GraphJob, path: str) -> ExtractedGraph | None:
        """A file's graph, unless it has changed since it was indexed: then its turn comes again."""
        from surveyor.graph.extract.file_graph import (  # a worker starts sooner
            graph_of,
            graph_of_tree,
        )

        document = reads.pending_document(self._connection, job.checkout_id, path)
        if document is None:
            return None
        stored = reads.symbols_of(self._connection, document.doc_id)
        symbols = [Symbol(*each) for each in stored]
        limit = self._scan_limit
        kept = self._trees.take(job.root, path)
        if kept is not None and kept.content_hash == document.content_hash:
            graph = graph_of_tree(kept.tree, symbols, kept.file_type, import_scan_limit=limit)
        else:
            data = _unchanged(job.root, path, document.content_hash)
            if data is None:
                return None
            graph = graph_of(path, data, symbols, import_scan_limit=limit)
        return ExtractedGraph(document.doc_id, graph)

    def _kept_resolver(self, job: GraphJob) -> tuple[DatabaseSource, Resolver, dict[str, int]]:
        key = (job.checkout_id, job.generation)
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # its memory first
            source = DatabaseSource(self._connection, job.checkout_id, Path(job.root))
            self._kept = (key, source, _resolver(source, job), source.file_ids())
        return self._kept[1:]

    def _preview(self, job: GraphJob) -> list[PreviewedFile]:
        stored = self._stored_of(job)
        source = BufferSource(stored.source, job)
        resolver, files = stored.resolver(source, job), source.file_ids()
        found: list[PreviewedFile] = []
        for path in job.buffers:
            outlined = _outline(source, path)
            resolved = self._resolve(source, resolver, files, path)
            if outlined is not None and resolved is not None:
                ids = [source.node(path, node.qualname) for node in outlined.nodes]
                found.append(PreviewedFile(source.ids[path], outlined, ids, resolved))
        return found

    def _former(self, job: GraphJob) -> list[FormerUse]:
        """What files use of what is gone, as if it were there; what else they use by the same
        names is left out."""
        stored = self._stored_of(job)
        source = FormerSource(stored.source, job)
        resolver = stored.resolver(source, job)
        gone = {(path, each) for path, qualnames in job.gone.items() for each in qualnames}
        shadowed = {
            (path, each)
            for path, qualnames in job.gone.items()
            for each in _shadowed(stored.source.facts(path), qualnames)
        }
        names = {qualname.rpartition(".")[2] for _, qualname in gone}
        found: list[FormerUse] = []
        for path in job.paths:
            document = source.references(path)
            rows = [row for row in document[1] if row[0] in names] if document else []
            for edge in resolver.edges(path, rows):
                is_meant = edge.target not in shadowed or edge.kind == KIND_CODES["call"]
                if edge.target in gone and edge.score >= CERTAIN and is_meant:
                    use = FormerUse(path, edge.line, edge.column, *edge.target, edge.score)
                    found.append(use)
        return found

    def _importers(self, job: GraphJob) -> list[FormerImport]:
        """What files import of those that are gone, as if they were there."""
        stored = self._stored_of(job)
        resolver = stored.resolver(FormerSource(stored.source, job), job)
        return [
            FormerImport(path, edge.line, edge.module, edge.kind, edge.target)
            for path in job.paths
            for edge in resolver.imports(path)
            if edge.target in job.buffers and edge.kind != "trace"
        ]

    def _stored_of(self, job: GraphJob) -> _PreviewBase:
        key = (job.checkout_id, job.generation)
        if self._stored is None or self._stored.key != key:
            self._stored = None  # its memory first
            stored = _PreviewBase(key, KeptSource(self._connection, job))
            if len(stored.source.paths()) > KEPT_PATHS:
                return stored
            self._stored = stored
        return self._stored

    def _resolve(
        self, source: _Source, resolver: Resolver, files: dict[str, int], path: str
    ) -> ResolvedFile | None:
        document = source.references(path)
        if document is None:
            return None
        doc_id, references = document
        resolution = resolver.resolve(path, references)
        rows: dict[tuple[int, int, int], EdgeRow] = {}
        for edge in resolution.edges:
            target = source.node(edge.target.path, edge.target.qualname)
            if target:
                owner = source.node(edge.source_path or path, edge.source) if edge.source else 0
                row = EdgeRow(
                    edge.line,
                    edge.column,
                    target,
                    edge.kind,
                    edge.end_column,
                    owner,
                    edge.score,
                )
                rows.setdefault((edge.line, edge.column, target), row)
        return ResolvedFile(
            path=path,
            doc_id=doc_id,
            edges=list(rows.values()),
            imports=[
                (
                    item.line,
                    item.module,
                    item.kind,
                    target := files.get(item.target, 0),
                    item.reason if target or not item.target else LEFT_OUT,
                )
                for item in resolution.imports
            ],
            left=encode_left(resolution.left),
        )


class _PreviewBase:
    """What previews have in common: the stored files, and how names of modules lead to them."""

    def __init__(self, key: tuple[str, int], source: KeptSource) -> None:
        self.key = key
        self.source = source
        self._common: tuple[Hints, Layout] | None = None

    def resolver(self, source: BufferSource | FormerSource, job: GraphJob) -> Resolver:
        """Of stored files and others in place of them: anew where one of these is not stored, or of
        another package than it was."""
        if source.paths() is not self.source.paths():
            return _resolver(source, job)
        from surveyor.graph.resolve.layout import Layout  # as in `_resolver`
        from surveyor.graph.resolve.resolver import Resolver

        if self._common is None:
            stored = self.source
            self._common = _hints(stored, job), Layout(Tree(stored.paths(), stored.read))
        return Resolver(source, *self._common)


def _hints(source: _Source | FormerSource, job: GraphJob) -> Hints:
    # An outline needs neither, nor a resolver: most workers parse before they resolve, if ever.
    from surveyor.graph.resolve.hints import IMPORT_MAP, IMPORT_TRACES, Hints

    return Hints.read(
        source.read(IMPORT_MAP),
        source.read(IMPORT_TRACES) if job.traces else None,
        source.paths(),
    )


def _resolver(source: _Source | FormerSource, job: GraphJob) -> Resolver:
    from surveyor.graph.resolve.resolver import Resolver  # as above

    return Resolver(source, _hints(source, job))


def _unchanged(root: str, path: str, content_hash: bytes) -> bytes | None:
    """A file's bytes, masked; None when it has changed since it had this hash."""
    from surveyor.parsing.hashing import digest  # a worker starts sooner
    from surveyor.secrets import mask_bytes

    try:
        data = read_below(Path(root), path)
    except OSError:
        return None
    return mask_bytes(data, path) if digest(data) == content_hash else None


def _outline(source: _Source, path: str) -> OutlinedFile | None:
    document = source.document(path)
    if document is None:
        return None
    doc_id, facts = document
    nodes: dict[str, NodeRow] = {}
    for name in facts.names:
        place = (name.start_line, name.end_line, name.line, name.column, name.end_column)
        known = nodes.get(name.qualname)
        if known is None:
            nodes[name.qualname] = NodeRow(name.qualname, name.name, name.kind, *place, [])
        elif place[2:] == (known.line, known.column, known.end_column):
            continue
        elif name.kind in TYPE_KINDS and known.kind in CALLABLE_KINDS:
            # what makes one stands before the type of its name, which says what it is
            first = (known.start_line, known.end_line, known.line, known.column, known.end_column)
            places = [first, *known.places]
            nodes[name.qualname] = NodeRow(name.qualname, name.name, name.kind, *place, places)
        else:
            known.places.append(place)
    return OutlinedFile(
        path=path,
        doc_id=doc_id,
        package=facts.package,
        is_test=facts.is_test,
        outline=outline_of(facts),
        nodes=list(nodes.values()),
    )
