"""The index worker: a child of the engine that reads, parses and embeds, one file after another.

It talks with the engine as `messages` says. The worker writes nothing; it reads `state.db` to find
what is known already.
"""

from __future__ import annotations

import errno
import gc
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from surveyor.change.jobs import CallsJob
from surveyor.clones.jobs import FingerprintJob
from surveyor.embedding.chunk_text import (
    PATH_WEIGHT,
    ChunkText,
    chunk_text,
    embed_text,
    header_words,
    path_text,
    titled_text,
)
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.embedded import Embedded, packed, unpacked
from surveyor.embedding.sparse import document_vectors, document_words
from surveyor.embedding.tokens import raw_words
from surveyor.errors import SurveyorError
from surveyor.files import contained_paths
from surveyor.graph.jobs import GraphJob
from surveyor.knowledge.document_reading import ReadJob
from surveyor.parsing.hashing import digest
from surveyor.parsing.types import Chunk
from surveyor.platform.processes import be_ended_first
from surveyor.platform.streams import widen
from surveyor.process_memory import limit_own
from surveyor.secrets import allowed
from surveyor.store.worker_reads import (
    has_document,
    open_for_reading,
    points_at,
    stored_texts,
    vectors_of,
)
from surveyor.structural.jobs import PatternJob
from surveyor.units import format_size
from surveyor.worker.job_priority import by_priority
from surveyor.worker.kept_trees import KeptTree, KeptTrees
from surveyor.worker.messages import (
    AT_WORK,
    BROKEN,
    LENGTH,
    LOADING,
    PIPE_BYTES,
    ChunksJob,
    FileJob,
    Job,
    Outcome,
    TextJob,
    Timing,
    WorkerSetup,
    read_message,
)

if TYPE_CHECKING:
    from surveyor.parsing.parse import FileTree
    from surveyor.worker.graph_jobs import GraphWorker

GC_ALLOCATIONS = 200_000
"""Container objects made before cycles are looked for (700 by default)."""
TEXTS_BETWEEN_BEATS = 16
"""A transformer on a busy core takes seconds for so many; a file may have hundreds."""


class Worker:
    """One process's state: the model, once loaded, and a reading connection."""

    def __init__(self, setup: WorkerSetup, beat: Callable[[int], None] = lambda _: None) -> None:
        self._setup = setup
        allowed.use(allowed.load(Path(setup.state_path).parent))
        self._beat = beat
        """Called while a job goes on as it should, however long that takes."""
        self._embedder: Embedder | None = None
        self._state = open_for_reading(setup.state_path)
        self._paths: tuple[str, np.ndarray | None] = ("", None)
        self._graph: GraphWorker | None = None
        self._trees = KeptTrees()

    @property
    def embedder(self) -> Embedder:
        """The model; loading it is left until something has to be embedded."""
        if self._embedder is None:
            self._beat(LOADING)
            self._embedder = load_embedder(self._setup.model, threads=self._setup.threads)
            limit_own(self._setup.memory_limit)
            self._beat(AT_WORK)
        return self._embedder

    @property
    def has_model(self) -> bool:
        """Whether it is loaded."""
        return self._embedder is not None

    def run(self, job: Job) -> Outcome:
        """Do a job; whatever goes wrong is in the outcome."""
        try:
            if isinstance(job, FileJob):
                return self._file(job)
            if isinstance(job, ChunksJob):
                outcome = Outcome("embedded")
                self._embed_chunks(job.path, job.chunks, outcome)
                return outcome
            if isinstance(job, ReadJob):
                from surveyor.worker.document_jobs import read  # few workers do such jobs

                return Outcome("read", documents=read(job))
            if isinstance(job, CallsJob):
                from surveyor.change.calls import read_calls  # few workers do such jobs

                return Outcome("calls", calls=read_calls(job))
            if isinstance(job, PatternJob):
                return self._match(job)
            if isinstance(job, FingerprintJob):
                from surveyor.clones.extract import take_fingerprints  # few workers do such jobs

                return Outcome("fingerprints", fingerprints=take_fingerprints(job))
            if isinstance(job, GraphJob):
                return Outcome("graph", graph=self._graph_worker().run(job))
            return self._texts(job)
        except SurveyorError as error:
            return Outcome("failed", reason=error.code, detail=error.message)
        except MemoryError:
            limit = format_size(self._setup.memory_limit)
            return Outcome("failed", reason=BROKEN, detail=f"needs more than {limit} of memory")
        except RecursionError:
            return Outcome("failed", reason=BROKEN, detail="is nested too deeply to be read")
        except Exception as error:
            return Outcome("failed", reason="error", detail=f"{type(error).__name__}: {error}")

    def _match(self, job: PatternJob) -> Outcome:
        from surveyor.structural.matching import match  # few workers do such jobs

        stored = stored_texts(self._state, job.doc_ids)
        texts = [*(stored.get(doc_id) for doc_id in job.doc_ids), *job.texts]
        return Outcome("patterns", patterns=match(job, texts))

    def _graph_worker(self) -> GraphWorker:
        if self._graph is None:
            from surveyor.worker.graph_jobs import GraphWorker  # a worker starts sooner

            self._graph = GraphWorker(self._state, self._setup.import_scan_limit, self._trees)
        return self._graph

    def _file(self, job: FileJob) -> Outcome:
        from time import perf_counter

        from surveyor.graph.extract.file_graph import parse_with_graph  # a worker starts sooner
        from surveyor.parsing.file_types import skip_reason
        from surveyor.parsing.stored_text import stored_text
        from surveyor.secrets.masking import PARTS_MASKED, mask_bytes

        started = perf_counter()
        timing = Timing()
        limit = self._setup.max_file_size if job.max_file_size is None else job.max_file_size
        if job.data is None:
            try:
                data, status = _read(job.root, job.path, limit)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return Outcome("missing")
            except contained_paths.NotPlainError as error:
                return Outcome("skipped", reason="special", detail=str(error.strerror))
            except OSError as error:
                return _unread(os.path.join(job.root, job.path), error)  # noqa: PTH118
            size, mtime_ns = status.st_size, status.st_mtime_ns
        else:
            data, size, mtime_ns = job.data, len(job.data), 0
        content_hash = digest(data)
        skip = skip_reason(job.path, size, data, max_file_size=limit)
        outcome = Outcome(
            "parsed",
            size=size,
            mtime_ns=mtime_ns,
            content_hash=content_hash,
            version=self._setup.version,
            timing=timing,
        )
        if skip is not None:
            outcome.status, outcome.reason, outcome.detail = "skipped", skip.reason, skip.detail
            return outcome
        timing.read = perf_counter() - started
        if not (job.parse_known or job.anew) and self._known(job, content_hash):
            outcome.status = "known"
            return outcome
        started = perf_counter()
        read, data = data, mask_bytes(data, job.path)
        trees: list[FileTree] = []
        outcome.parsed = parse_with_graph(
            job.path,
            data,
            max_chunk_chars=self._setup.chunk_chars,
            import_scan_limit=self._setup.import_scan_limit,
            graph="now" if job.graph_now else "later",
            keep=trees.append,
        )
        if data is not read:
            problems = (*outcome.parsed.problems, PARTS_MASKED)
            outcome.parsed = msgspec.structs.replace(outcome.parsed, problems=problems)
        if job.data is None:  # what an editor shows is not stored
            outcome.text = stored_text(data, outcome.parsed.chunks)
            for tree in trees:
                kept = KeptTree(content_hash, outcome.parsed.file_type, tree)
                self._trees.add(job.root, job.path, kept)
        timing.parse = perf_counter() - started
        there = None
        if job.data is None and not (job.parse_known or job.anew):
            there = points_at(self._state, job.project_id, job.path, self._setup.version)
        self._embed_chunks(job.path, outcome.parsed.chunks, outcome, anew=job.anew, kept=there)
        return outcome

    def _known(self, job: FileJob, content_hash: bytes) -> bool:
        version = self._setup.version
        return has_document(self._state, job.project_id, job.path, content_hash, version)

    def _embed_chunks(
        self,
        path: str,
        chunks: Sequence[Chunk],
        outcome: Outcome,
        *,
        anew: bool = False,
        kept: Counter[bytes] | None = None,
    ) -> None:
        texts = [chunk_text(path, chunk) for chunk in chunks]
        if not texts:
            return
        along = self.embedder.embed_documents([path_text(path)])[0] * PATH_WEIGHT
        outcome.vectors = self._embed(texts, outcome.timing, along, anew=anew, kept=kept)
        outcome.model = self.embedder.fingerprint

    def _texts(self, job: TextJob) -> Outcome:
        texts = [
            titled_text(title, text) for title, text in zip(job.titles, job.texts, strict=True)
        ]
        outcome = Outcome("embedded")
        outcome.vectors = self._embed(texts, outcome.timing, None)
        return outcome

    def _embed(
        self,
        texts: list[ChunkText],
        timing: Timing,
        along: np.ndarray | None,
        *,
        anew: bool = False,
        kept: Counter[bytes] | None = None,
    ) -> list[Embedded]:
        """Vectors of texts, without those of texts whose points are `kept` (by their hashes)."""
        from time import perf_counter

        started = perf_counter()
        headers = [header_words(text) for text in texts]
        bodies = [embed_text(text, header) for text, header in zip(texts, headers, strict=True)]
        hashes = [digest(body.encode("utf-8", "surrogatepass")) for body in bodies]
        wanted = _without(hashes, kept) if kept else list(range(len(texts)))
        codes = {i: raw_words(texts[i].code) for i in wanted}
        sparse = document_vectors(
            [document_words(texts[i], codes[i]) for i in wanted], self._setup.k1, self._setup.b
        )
        timing.sparse = perf_counter() - started
        started = perf_counter()
        result = [Embedded(text_hash, b"", b"", b"") for text_hash in hashes]
        if not wanted:
            return result
        remembers = self.embedder.is_remembered
        known = self._remembered([hashes[i] for i in wanted]) if remembers and not anew else {}
        made: dict[bytes, bytes] = {}
        missing = {hashes[i]: i for i in wanted if hashes[i] not in known}
        order = list(missing)
        for start in range(0, len(order), TEXTS_BETWEEN_BEATS):
            if start:
                self._beat(AT_WORK)
            part = [missing[h] for h in order[start : start + TEXTS_BETWEEN_BEATS]]
            computed = self.embedder.embed_documents(
                [bodies[i] for i in part],
                [headers[i] + codes[i] if bodies[i].isascii() else None for i in part],
            )
            # As memory will give them: a point is the same whether its vector was known or not.
            bodies_made = packed(computed)
            for index, body in zip(part, bodies_made, strict=True):
                made[hashes[index]] = body
                known[hashes[index]] = unpacked(body, computed.shape[1])
        bodies_of = np.stack([known[hashes[i]] for i in wanted])
        dense = bodies_of if along is None else _units(bodies_of + along)
        for i, (indices, values), row in zip(wanted, sparse, dense.astype(np.float16), strict=True):
            text_hash = hashes[i]
            result[i] = Embedded(
                text_hash=text_hash,
                dense=row.tobytes(),
                indices=indices,
                values=values,
                body=made.get(text_hash) if remembers else None,
                is_new=text_hash in made,
            )
        timing.dense = perf_counter() - started
        return result

    def _remembered(self, hashes: list[bytes]) -> dict[bytes, np.ndarray]:
        found = vectors_of(self._state, self.embedder.fingerprint, hashes)
        return {text_hash: unpacked(dense, self.embedder.dimension) for text_hash, dense in found}


def _without(hashes: Sequence[bytes], kept: Counter[bytes]) -> list[int]:
    """Indexes of the hashes beyond as many equal ones as are kept: a text's points are numbered."""
    seen: Counter[bytes] = Counter()
    found = []
    for index, text_hash in enumerate(hashes):
        if seen[text_hash] >= kept[text_hash]:
            found.append(index)
        seen[text_hash] += 1
    return found


def _units(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths, lengths, 1.0)


def _read(root: str, path: str, limit: int) -> tuple[bytes, os.stat_result]:
    """At most one byte more than the limit: enough to see that a file is too large.

    What became a link after it was found is not followed.
    """
    with open(contained_paths.open_below(root, path), "rb") as file:  # noqa: PTH123 - read for every file
        status = os.fstat(file.fileno())
        data = file.read(min(status.st_size, limit) + 1)
        if len(data) > status.st_size:  # it has grown
            data += file.read(limit + 1 - len(data))
        return data, status


def _unread(path: str, error: OSError) -> Outcome:
    """What is known of a file that could not be read: closed, a link, gone, or nothing at all."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return Outcome("missing")
    except OSError as hidden:
        return Outcome("unseen", reason="unreadable", detail=str(hidden.strerror).lower())
    if stat.S_ISLNK(status.st_mode):
        return Outcome("skipped", reason="symlink", detail="a link")
    if error.errno == errno.ELOOP:  # a folder above it has become a link
        return Outcome("missing")
    closed = isinstance(error, PermissionError) and stat.S_ISREG(status.st_mode)
    said = str(error.strerror or error).lower()
    return Outcome("skipped" if closed else "unseen", reason="unreadable", detail=said)


def main() -> None:
    """Serve until stdin closes, which it does when the engine ends, however it ends."""
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    widen(sys.stdout.fileno(), PIPE_BYTES)
    # stdout is the channel: whatever a library prints must not get into it.
    sys.stdout = sys.stderr
    first = read_message(incoming)
    if first is None:
        return

    def beat(what: int) -> None:
        outgoing.write(LENGTH.pack(what))
        outgoing.flush()

    be_ended_first()
    setup = msgspec.msgpack.decode(first, type=WorkerSetup)
    limit_own(setup.memory_limit)
    worker = Worker(setup, beat)
    run = by_priority(worker.run, lambda: worker.has_model)
    decoder = msgspec.msgpack.Decoder(Job)
    encoder = msgspec.msgpack.Encoder()
    # What a file makes dies by its count; looking for cycles, of which it makes none, and through
    # what a resolver keeps, cost a tenth of the graph.
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS, 10, 10)
    beat(AT_WORK)
    while (message := read_message(incoming)) is not None:
        body = encoder.encode(run(decoder.decode(message)))
        try:
            outgoing.write(LENGTH.pack(len(body)) + body)
            outgoing.flush()
        except BrokenPipeError:  # the engine was killed
            os._exit(1)


if __name__ == "__main__":
    main()
