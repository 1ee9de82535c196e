"""The watcher on 10,000 folders: `pytest -m bench tests/bench/test_watching.py -s`."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from surveyor.engine.index.change_batches import ChangeBatch
from surveyor.engine.index.watch import Watcher
from surveyor.parsing.ignore import Ignore
from tests.gitrepo import git

FOLDERS = 10_000
IDLE_S = 10
EDITS = 30


@pytest.mark.bench
@pytest.mark.timeout(300)
async def test_ten_thousand_folders(tmp_path: Path) -> None:
    files = []
    for number in range(FOLDERS):
        folder = tmp_path / f"p{number // 100}" / f"q{number % 100}"
        folder.mkdir(parents=True)
        files.append(folder / "x.py")
        files[-1].write_text("x = 1\n")
    for number in range(1000):
        (tmp_path / "node_modules" / f"m{number}").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    batches: list[tuple[float, ChangeBatch]] = []
    news = asyncio.Event()

    async def on_change(changes: ChangeBatch) -> None:
        batches.append((time.perf_counter(), changes))
        news.set()

    watcher = Watcher(on_change)
    started = time.perf_counter()
    await asyncio.to_thread(watcher.add, tmp_path, Ignore(tmp_path))
    start_s = time.perf_counter() - started
    watched = watcher.watched_folders(tmp_path)

    cpu = time.process_time()
    await asyncio.sleep(IDLE_S)
    idle_share = (time.process_time() - cpu) / IDLE_S

    waits = []
    for number in range(EDITS):
        news.clear()
        batches.clear()
        at = time.perf_counter()
        files[number * 7].write_text(f"x = {number}\n")
        await asyncio.wait_for(news.wait(), 20)
        waits.append(batches[0][0] - at)

    batches.clear()
    at = time.perf_counter()
    await asyncio.to_thread(lambda: [path.write_text("y = 2\n" * 20) for path in files])
    written_s = time.perf_counter() - at
    seen: set[str] = set()
    while len(seen) < FOLDERS and not any(batch.overflow for _, batch in batches):
        news.clear()
        await asyncio.wait_for(news.wait(), 60)
        seen = set().union(*(batch.modified for _, batch in batches))
    storm_s = time.perf_counter() - at
    await asyncio.to_thread(watcher.close)

    waits.sort()
    print(f"\n| folders watched | {watched} (start {start_s:.2f} s) |")
    print(f"| idle CPU | {100 * idle_share:.2f} % |")
    print(f"| edit seen | p50 {1e3 * waits[EDITS // 2]:.0f} ms, max {1e3 * waits[-1]:.0f} ms |")
    print(f"| storm of {FOLDERS} | written {written_s:.2f} s, complete {storm_s:.2f} s |")
    assert watched < FOLDERS + 200, "ignored folders are not watched"
    assert len(seen) == FOLDERS or any(batch.overflow for _, batch in batches)
