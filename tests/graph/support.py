"""A checkout in a real state.db, with the graph's worker in this process."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from surveyor.errors import SurveyorError
from surveyor.graph.exact.servers import ExactServers
from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.jobs import GraphJob
from surveyor.graph.queries.lookup import language_of_path
from surveyor.graph.queries.query_context import UnsavedBuffer, UnsavedBuffers
from surveyor.graph.service import GraphService
from surveyor.graph.update.rows import store_documents
from surveyor.graph.update.updater import GraphUpdater
from surveyor.parsing.code_words import code_word_lines
from surveyor.parsing.types import ParsedFile
from surveyor.protocol.base import Freshness
from surveyor.store.state import State
from surveyor.store.state.projects import Checkout as Registered
from surveyor.worker.graph_jobs import GraphWorker
from surveyor.worker.kept_trees import KeptTrees

CHECKOUT = "c1"
PROJECT = "p1"


class OneFolder:
    """The registered folders, of which there is one."""

    def __init__(self, row: Registered, status: str = "healthy") -> None:
        self.row, self.status = row, status

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Registered:
        """The one."""
        return self.row

    async def wait_fresh(self, checkouts: Sequence[Registered], timeout_s: float) -> None:
        """Nothing waits."""

    async def freshness(self, checkout: Registered) -> Freshness:
        """As it was given."""
        return Freshness(status=self.status)  # type: ignore[arg-type]


class NoBuffers:
    """Editors that hold nothing unsaved."""

    def of(self, checkout_id: str) -> Sequence[UnsavedBuffer]:
        """None."""
        return ()

    def text(self, checkout_id: str, path: str) -> tuple[str, int] | None:
        """None."""
        return None

    def parsed(self, checkout_id: str) -> Mapping[str, tuple[int, ParsedFile]]:
        """None."""
        return {}


class Checkout:
    """Files on disk and their documents, written as the pipeline does."""

    def __init__(self, state: State, root: Path) -> None:
        self.state, self.root = state, root
        self.trees = KeptTrees()
        reading = sqlite3.connect(f"file:{state.path}?mode=ro", uri=True)
        self._worker = GraphWorker(reading, trees=self.trees)
        self.jobs: list[GraphJob] = []
        self.poisoned: set[str] = set()
        """Files at which the worker dies, in jobs of the kind `dies_at`."""
        self.dies_at = "extract"
        self.graph = GraphUpdater(state, self._run, lambda _: 0)

    @property
    def row(self) -> Registered:
        """As it is registered: followed, and worked in."""
        return Registered(
            checkout_id=CHECKOUT,
            project_id=PROJECT,
            root=str(self.root),
            name="repo",
            branch=None,
            parent_checkout_id=None,
            watched=True,
            active=True,
            paused=False,
            revision=1,
            last_scan=None,
            missing_since=None,
        )

    def service(self, servers: ExactServers, buffers: UnsavedBuffers | None = None) -> GraphService:
        """What answers from it; its updates are `graph`'s, not the service's own."""
        return GraphService(
            self.state,
            OneFolder(self.row),
            servers,
            buffers or NoBuffers(),
            run_job=self._run,
            files_behind=lambda _: 0,
            find_word=self._find_word,
            traces=True,
        )

    async def _find_word(self, _: Registered, word: str) -> list[tuple[str, int]]:
        """By what lies on disk; the engine reads stored texts."""
        paths = sorted(path for path in self.root.rglob("*") if path.is_file())
        return [
            (path.relative_to(self.root).as_posix(), line)
            for path in paths
            for line in code_word_lines(path.read_bytes(), word, language_of_path(path.name))
        ]

    async def _run(self, job: GraphJob) -> bytes:
        self.jobs.append(job)
        if job.kind == self.dies_at and self.poisoned & set(job.paths):
            raise SurveyorError("the worker died")
        return self._worker.run(job)

    @classmethod
    async def open(cls, folder: Path) -> Checkout:
        """A new state.db with one empty checkout."""
        root = folder / "repo"
        root.mkdir(parents=True, exist_ok=True)
        state = await State.open(folder / "state.db")
        async with state.transaction() as tx:
            await tx.execute(
                "INSERT OR IGNORE INTO projects (project_id, name) VALUES (?, 'repo')", (PROJECT,)
            )
            await tx.execute(
                "INSERT OR IGNORE INTO checkouts (checkout_id, project_id, root) VALUES (?, ?, ?)",
                (CHECKOUT, PROJECT, str(root)),
            )
        return cls(state, root)

    async def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files and index them; the graph is up to date afterwards."""
        await self.store(files)
        await self.settle()

    async def store(self, files: Mapping[str, str | bytes]) -> None:
        """Write files and store their documents, as the pipeline does before the graph's turn."""
        async with self.state.transaction() as tx:
            for path, text in files.items():
                data = text.encode() if isinstance(text, str) else text
                target = self.root / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                parsed = parse_with_graph(path, data, graph="later")
                digest = blake2b(data, digest_size=16).digest()
                doc_id = await tx.insert(
                    """INSERT INTO documents (project_id, path, content_hash, language, file_type,
                         version) VALUES (?, ?, ?, ?, ?, '1')
                       ON CONFLICT DO UPDATE SET version = '1' """,
                    (PROJECT, path, digest, parsed.language, parsed.file_type),
                )
                found = await tx.read(
                    "SELECT doc_id FROM documents WHERE path = ? AND content_hash = ?",
                    (path, digest),
                )
                doc_id = int(found[0][0])
                await tx.execute("DELETE FROM symbols WHERE doc_id = ?", (doc_id,))
                await tx.many(
                    """INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container,
                         start_line, end_line, line, "column", end_column, signature)
                       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                    [
                        (
                            *(doc_id, n, s.name, s.name.lower(), s.kind, s.container),
                            *(
                                s.start_line,
                                s.end_line,
                                s.line,
                                s.column,
                                s.end_column,
                                s.signature,
                            ),
                        )
                        for n, s in enumerate(parsed.symbols)
                    ],
                )
                await tx.execute("DELETE FROM chunks WHERE doc_id = ?", (doc_id,))
                await tx.many(
                    """INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line,
                         end_line) VALUES (?, ?, '', x'', ?, ?, ?)""",
                    [
                        (doc_id, n, chunk.kind, chunk.start_line, chunk.end_line)
                        for n, chunk in enumerate(parsed.chunks)
                    ],
                )
                pending = {doc_id} if parsed.graph_pending else set()
                await store_documents(tx, {doc_id: parsed.graph}, pending)
                await tx.execute(
                    """INSERT INTO files (checkout_id, path, size, mtime_ns, content_hash, doc_id,
                         status) VALUES (?, ?, ?, ?, ?, ?, 'indexed')
                       ON CONFLICT (checkout_id, path) DO UPDATE SET
                         size = excluded.size, mtime_ns = excluded.mtime_ns,
                         doc_id = excluded.doc_id, content_hash = excluded.content_hash""",
                    (CHECKOUT, path, len(data), target.stat().st_mtime_ns, digest, doc_id),
                )

    async def remove(self, *paths: str) -> None:
        """Delete files and their rows."""
        async with self.state.transaction() as tx:
            for path in paths:
                (self.root / path).unlink()
                await tx.execute(
                    "DELETE FROM files WHERE checkout_id = ? AND path = ?", (CHECKOUT, path)
                )
        await self.settle()

    async def settle(self) -> None:
        """Wait for the graph to follow."""
        self.graph.touch(CHECKOUT, str(self.root))
        assert await self.graph.wait(CHECKOUT, 60)

    async def close(self) -> None:
        """Stop everything."""
        await self.graph.close()
        await self.state.close()

    async def edges(self, score: float = 0.5) -> set[tuple[str, int, str, str, str]]:
        """(path, line, enclosing, target path, target) of all edges from a score on."""
        rows = await self.state.read(
            """SELECT f.path, e.line, coalesce(s.qualname, ''), tf.path, t.qualname
               FROM graph_edges e JOIN graph_files f ON f.file_id = e.file_id
               LEFT JOIN graph_nodes s ON s.node_id = e.source
               JOIN graph_nodes t ON t.node_id = e.target
               JOIN graph_files tf ON tf.file_id = t.file_id WHERE e.score >= ?""",
            (score,),
        )
        return {tuple(row) for row in rows}
