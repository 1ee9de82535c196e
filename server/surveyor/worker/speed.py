"""How fast an index worker is on this machine: its own code, over this package's own sources.

Nothing is estimated: files are read, masked, parsed and embedded as those of a project are, for as
long as the caller allows, and counted.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from surveyor.embedding.chunk_text import chunk_text, embed_text, header_words
from surveyor.errors import SurveyorError
from surveyor.worker.main import Worker
from surveyor.worker.messages import FileJob, Outcome, WorkerSetup

__all__ = ["WorkerSpeed", "measure"]

SOURCES = Path(__file__).parents[1]
FILE_BYTES = range(1500, 7000)
"""Sizes of the files that are read: their chunks have 550 characters in the mean, as those of the
repositories in docs/benchmarks.md; smaller files have shorter ones."""
LEAST_S = 0.5
"""For reading files, however long the model took to load: without any there is no figure."""
ENOUGH_S = 0.5
"""Of work on files, after which more of it does not change the figure."""
STATE_NAME = "state.db"


@dataclass(frozen=True, slots=True)
class WorkerSpeed:
    """What one worker did in a time."""

    chunks: int
    tokens: int
    """Of these chunks, as the model cuts them and as many as it reads of each."""
    model_s: float
    """Seconds by the clock that the model took for them."""
    total_s: float
    """The same with reading, masking, parsing and the words' weights."""
    cpu_s: float
    """Processor time of all that, of all threads."""
    load_s: float
    """Seconds by the clock until the model and the grammar were ready."""
    device: str
    """ONNX Runtime's name of the accelerator that computed; empty: the processor did."""

    @property
    def chunks_per_s(self) -> float:
        """Chunks that the model embeds in a second."""
        return self.chunks / self.model_s

    @property
    def tokens_per_s(self) -> float:
        """Tokens that the model embeds in a second."""
        return self.tokens / self.model_s


def measure(model: str, threads: int, chunk_chars: int, seconds: float) -> WorkerSpeed:
    """Let a worker do files of ours until `seconds` from now are over, or enough is known.

    It ends before a file that would take longer than what is left, so that a slow model is asked
    for few chunks. Loading a model cannot be interrupted; it counts, but for `LEAST_S`.

    Raises `SurveyorError` where the model cannot be used or no temporary file be written.
    """
    started = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory(prefix="surveyor-speed-") as folder:
            state = Path(folder) / STATE_NAME
            state.touch()
            setup = WorkerSetup(
                state_path=str(state),
                model=model,
                threads=threads,
                chunk_chars=chunk_chars,
                max_file_size=1 << 20,
                version="",
                k1=1.5,
                b=0.75,
            )
            return _run(Worker(setup), started, seconds)
    except OSError as error:
        raise SurveyorError(f"The speed cannot be measured: {error}") from error


def _run(worker: Worker, started: float, seconds: float) -> WorkerSpeed:
    first, *files = _files()
    _done(worker, first)  # compiles the grammar's queries and loads the model
    begun, cpu_begun = time.perf_counter(), time.process_time()
    load_s = begun - started
    until = max(started + seconds, begun + LEAST_S)
    chunks, read_bytes, model_s, texts = 0, 0, 0.0, list[str]()
    for path in files:
        size = path.stat().st_size
        spent = time.perf_counter() - begun
        left = until - time.perf_counter()
        per_byte = spent / read_bytes if read_bytes else load_s / first.stat().st_size
        if chunks and (spent > ENOUGH_S or size * per_byte > left):
            break
        outcome = _done(worker, path)
        assert outcome.parsed is not None
        read_bytes += size
        chunks += len(outcome.parsed.chunks)
        model_s += outcome.timing.dense
        name = path.relative_to(SOURCES).as_posix()
        for chunk in outcome.parsed.chunks:
            text = chunk_text(name, chunk)
            texts.append(embed_text(text, header_words(text)))
    total_s, cpu_s = time.perf_counter() - begun, time.process_time() - cpu_begun
    tokens = worker.embedder.count_tokens(texts)
    device = worker.embedder.accelerator
    return WorkerSpeed(chunks, tokens, model_s, total_s, cpu_s, load_s, device)


def _done(worker: Worker, path: Path) -> Outcome:
    relative = path.relative_to(SOURCES).as_posix()
    outcome = worker.run(FileJob(str(SOURCES), relative, "", anew=True))
    if outcome.status != "parsed":
        raise SurveyorError(outcome.detail or f"{relative} cannot be read: {outcome.status}")
    return outcome


def _files() -> list[Path]:
    """Sources of this package: the smallest first, which is to warm up, then any of them."""
    sized = [(path.stat().st_size, path) for path in SOURCES.rglob("*.py")]
    fitting = [(size, path) for size, path in sized if size in FILE_BYTES]
    first = min(fitting)[1]
    return [first, *sorted(path for _, path in fitting if path != first)]
