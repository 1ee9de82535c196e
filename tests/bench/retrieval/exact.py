"""How long complete answers to literals and regular expressions take, dense ones among them."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import psutil

from surveyor.client.blocking import Client, connect
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.search import SearchRequest
from tests.bench.retrieval import product

LITERALS = (
    *("fn", "if", "=", "==", "return", "the", "self", "import", "def ", "(", "e", "->"),
    *("TODO", "Result<", "useEffect", "not found", "ValidationError(", "deprecated"),
    *("TOKIO_WORKER_THREADS", "no such text anywhere"),
)
REGEXES = (
    *(r"\bfn\b", r"self\.\w+\(", r"def test_\w+_error\b", r"(?i)not found", r"[A-Z]\w+Error\b"),
    *(r"^import ", r"\d{3,}", r"TODO|FIXME", r"https?://[^\s\"')]+", r"=\s*None$"),
)
PAGE = 20
REPEATS = 5


@dataclass(slots=True)
class Took:
    """What a pattern found and cost; milliseconds."""

    mode: Mode
    text: str
    matches: int = 0
    files: int = 0
    wall: list[float] = field(default_factory=list)
    """The caller's; the first may have to read what later ones find in memory."""
    spent: float = 0.0
    """CPU of the engine, each."""


def measure(client: Client, root: Path) -> list[Took]:
    """All patterns, each asked several times in a row."""
    engine = psutil.Process(client.call(StatusRequest()).pid)
    found = []
    asked: tuple[tuple[Mode, tuple[str, ...]], ...] = (("literal", LITERALS), ("regex", REGEXES))
    for mode, texts in asked:
        for text in texts:
            took = Took(mode, text)
            before = _cpu(engine)
            for _ in range(REPEATS):
                answer, milliseconds = _timed(client, root, mode, text)
                took.wall.append(milliseconds)
                took.matches, took.files = answer
            took.spent = (_cpu(engine) - before) * 1000 / REPEATS
            found.append(took)
    return found


def _timed(client: Client, root: Path, mode: Mode, text: str) -> tuple[tuple[int, int], float]:
    request = SearchRequest(query=text, project=str(root), mode=mode, limit=PAGE, context_lines=2)
    started = perf_counter()
    answer = client.call(request)
    milliseconds = (perf_counter() - started) * 1000
    return (answer.matches or 0, answer.files or 0), milliseconds


def _cpu(engine: psutil.Process) -> float:
    times = engine.cpu_times()
    return float(times.user + times.system)


def report(folder: Path, data: Path | None) -> None:
    """Print each pattern, then the middle and the 95th of a hundred of all answers."""
    with product.engine(data):
        root = folder.resolve()
        product.index(root, force=data is None)
        with connect() as client:
            rows = measure(client, root)
    for each in rows:
        walls = sorted(each.wall)
        sys.stdout.write(
            f"{each.mode:8}{each.text:26}{each.matches:>9} in {each.files:>6} files"
            f"  first {each.wall[0]:6.0f}  p50 {statistics.median(walls):6.0f} ms"
            f"  CPU {each.spent:6.0f} ms\n"
        )
    for mode in ("literal", "regex"):
        every = sorted(wall for each in rows if each.mode == mode for wall in each.wall)
        spent = sorted(each.spent for each in rows if each.mode == mode)
        sys.stdout.write(
            f"{mode}: wall p50 {_at(every, 0.5):.0f}, p95 {_at(every, 0.95):.0f} ms;"
            f" CPU p50 {_at(spent, 0.5):.0f}, p95 {_at(spent, 0.95):.0f} ms\n"
        )


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
