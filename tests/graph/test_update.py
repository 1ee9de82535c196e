from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.errors import SurveyorError
from surveyor.graph.jobs import GraphJob
from surveyor.graph.update import updater
from surveyor.graph.update.backlog import FEW_NAMES
from surveyor.graph.update.rows import store_documents
from surveyor.graph.update.updater import CHUNK_FILES
from surveyor.store.state.graph import documents
from surveyor.store.state.graph import files as graph_files
from surveyor.worker import graph_jobs
from tests.graph.support import CHECKOUT, Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


FILES = {
    "pkg/__init__.py": "from .core import run as run\n",
    "pkg/core.py": "def run():\n    return helper()\n\n\ndef helper():\n    return 1\n",
    "app.py": "import pkg\n\n\ndef main():\n    pkg.run()\n",
    "other.py": "def alone():\n    return alone\n",
}


async def test_callers_are_found_through_a_reexport(checkout: Checkout) -> None:
    await checkout.write(FILES)
    edges = await checkout.edges()
    assert ("app.py", 5, "main", "pkg/core.py", "run") in edges
    assert ("pkg/core.py", 2, "run", "pkg/core.py", "helper") in edges


async def test_an_edit_that_changes_no_definition_resolves_only_its_file(
    checkout: Checkout,
) -> None:
    await checkout.write(FILES)
    checkout.jobs.clear()
    await checkout.write({"pkg/core.py": "\n\n" + FILES["pkg/core.py"]})
    resolved = [path for job in checkout.jobs if job.kind == "resolve" for path in job.paths]
    assert resolved == ["pkg/core.py"]
    assert ("app.py", 5, "main", "pkg/core.py", "run") in await checkout.edges()


async def test_a_renamed_function_reaches_those_that_named_it_and_nobody_else(
    checkout: Checkout,
) -> None:
    await checkout.write(FILES)
    checkout.jobs.clear()
    await checkout.write({"pkg/core.py": FILES["pkg/core.py"].replace("run", "start")})
    resolved = {path for job in checkout.jobs if job.kind == "resolve" for path in job.paths}
    assert resolved == {"pkg/core.py", "pkg/__init__.py", "app.py"}
    assert not [edge for edge in await checkout.edges() if edge[4] == "run"]
    await checkout.write({"pkg/core.py": FILES["pkg/core.py"]})
    assert ("app.py", 5, "main", "pkg/core.py", "run") in await checkout.edges()


@pytest.mark.parametrize("count", [3, FEW_NAMES + 1, 400])
async def test_only_files_that_use_a_name_are_resolved_again_however_many_names_change(
    checkout: Checkout, count: int
) -> None:
    await checkout.write(FILES | {"user.py": f"def use(x):\n    x.added_{count - 1}()\n"})
    checkout.jobs.clear()
    methods = "".join(f"    def added_{n}(self): ...\n" for n in range(count))
    await checkout.write({"other.py": FILES["other.py"] + "\n\nclass Many:\n" + methods})
    resolved = {path for job in checkout.jobs if job.kind == "resolve" for path in job.paths}
    assert resolved == {"other.py", "user.py"}
    assert ("user.py", 2, "use", "other.py", f"Many.added_{count - 1}") in await checkout.edges()


async def test_a_file_that_appears_later_is_linked_and_one_that_goes_is_unlinked(
    checkout: Checkout,
) -> None:
    await checkout.write({path: FILES[path] for path in ("app.py", "pkg/__init__.py")})
    assert not [edge for edge in await checkout.edges() if edge[0] == "app.py" and edge[4]]
    await checkout.write({"pkg/core.py": FILES["pkg/core.py"]})
    assert ("app.py", 5, "main", "pkg/core.py", "run") in await checkout.edges()
    await checkout.remove("pkg/core.py")
    assert not [edge for edge in await checkout.edges() if edge[3] == "pkg/core.py"]


async def test_incremental_updates_end_where_a_fresh_build_does(
    checkout: Checkout, tmp_path: Path
) -> None:
    for path, text in FILES.items():
        await checkout.write({path: text})
    await checkout.write({"pkg/core.py": FILES["pkg/core.py"] + "\n\nclass New:\n    pass\n"})
    await checkout.write({"app.py": FILES["app.py"] + "\n\nfrom pkg.core import New\nNew()\n"})
    fresh = await Checkout.open(tmp_path / "fresh")
    files = {p: (checkout.root / p).read_text() for p in FILES}
    await fresh.write(files)
    assert await checkout.edges(0) == await fresh.edges(0)
    await fresh.close()


@pytest.mark.parametrize(
    ("whole", "hub", "made", "user"),
    [
        ("export * from './made'\n", "hub.ts", "export function run() {}\n",
         "import { run } from './hub'\nrun()\n"),
        ("from made import *\n", "hub.py", "def run(): ...\n", "from hub import run\nrun()\n"),
    ],
)  # fmt: skip
async def test_what_a_file_gives_others_as_a_whole_is_found_by_those_that_import_it(
    checkout: Checkout, whole: str, hub: str, made: str, user: str
) -> None:
    end = hub[3:]
    await checkout.write({f"made{end}": made, hub: made.replace("run", "go"), f"user{end}": user})
    await checkout.write({hub: whole})
    assert (f"user{end}", 2, "", f"made{end}", "run") in await checkout.edges(0)
    await checkout.write({hub: made.replace("run", "go")})
    assert not [e for e in await checkout.edges(0) if e[0] == f"user{end}" and e[4] == "run"]


@pytest.mark.parametrize("end", ["ts", "py"])
async def test_a_file_that_was_empty_is_found_by_those_that_import_it(
    checkout: Checkout, end: str
) -> None:
    user = {"ts": "import { run } from './hub'\nrun()\n", "py": "from hub import run\nrun()\n"}
    made = {"ts": "export function run() {}\n", "py": "def run(): ...\n"}
    others = {f"other{n}.{end}": made[end] for n in range(2)}
    await checkout.write({f"hub.{end}": "", f"user.{end}": user[end], **others})
    await checkout.write({f"hub.{end}": made[end]})
    assert (f"user.{end}", 2, "", f"hub.{end}", "run") in await checkout.edges(0)


async def test_an_interrupted_update_goes_on_after_a_restart(checkout: Checkout) -> None:
    await checkout.write(FILES)
    expected = await checkout.edges()
    async with checkout.state.transaction() as tx:
        await tx.execute("DELETE FROM graph_edges")
        await tx.execute("UPDATE graph_files SET doc_id = NULL")
    await checkout.graph.resume()
    assert await checkout.graph.wait(CHECKOUT, 30)
    assert await checkout.edges() == expected


@pytest.mark.parametrize("kind", ["resolve", "outline"])
async def test_a_file_that_a_worker_fails_at_costs_the_others_nothing(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Nor is it tried again and again: the graph comes to its end."""
    run = checkout.graph._run

    async def failing(job: GraphJob) -> bytes:
        if job.kind == kind and "other.py" in job.paths:
            raise SurveyorError("the graph worker failed: IndexError")
        return await run(job)

    monkeypatch.setattr(checkout.graph, "_run", failing)
    await checkout.write(FILES)
    edges = await checkout.edges()
    assert ("app.py", 5, "main", "pkg/core.py", "run") in edges
    assert not [edge for edge in edges if edge[0] == "other.py"]
    monkeypatch.setattr(checkout.graph, "_run", run)
    await checkout.write({"other.py": FILES["other.py"] + "\n"})
    assert ("other.py", 2, "alone", "other.py", "alone") in await checkout.edges()


async def test_a_file_that_a_worker_fails_at_once_is_tried_again(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = checkout.graph._run
    failed: list[str] = []

    async def busy(job: GraphJob) -> bytes:
        if job.kind == "resolve" and job.paths == ["other.py"] and not failed:
            failed.append("other.py")
            raise SurveyorError("the graph worker failed: took longer than 30 s")
        if job.kind == "resolve" and len(job.paths) > 1 and not failed:
            raise SurveyorError("the graph worker failed: took longer than 30 s")
        return await run(job)

    monkeypatch.setattr(checkout.graph, "_run", busy)
    await checkout.write(FILES)
    assert failed and not checkout.graph.given_up(CHECKOUT)
    assert ("other.py", 2, "alone", "other.py", "alone") in await checkout.edges()


async def test_an_update_that_ends_early_is_not_forgotten(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = checkout.graph._run

    async def failing(job: GraphJob) -> bytes:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(checkout.graph, "_run", failing)
    await checkout.write(FILES)
    assert checkout.graph.problem(CHECKOUT) == "RuntimeError: no such thing"
    assert checkout.graph.pending(CHECKOUT), "answers are not complete"
    monkeypatch.setattr(checkout.graph, "_run", run)
    await checkout.settle()
    assert not checkout.graph.problem(CHECKOUT) and not checkout.graph.pending(CHECKOUT)


async def test_a_graph_that_is_missing_for_a_moment_costs_no_edges(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    await checkout.write(FILES)
    before = await checkout.edges()
    (row,) = await checkout.state.read("SELECT doc_id FROM files WHERE path = 'pkg/core.py'")
    run = checkout.graph._run
    raced: list[GraphJob] = []

    async def racing(job: GraphJob) -> bytes:
        if job.kind == "resolve" and not raced:
            raced.append(job)  # parsed anew, and its graph left for later, just now
            async with checkout.state.transaction() as tx:
                await store_documents(tx, {}, [int(row[0])])
        return await run(job)

    monkeypatch.setattr(checkout.graph, "_run", racing)
    async with checkout.state.transaction() as tx:
        await tx.execute("UPDATE graph_files SET doc_id = NULL")
    await checkout.settle()
    assert raced and await checkout.edges() == before


async def test_what_was_edited_is_resolved_before_what_uses_its_names(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {f"a{n}.py": "def f(x):\n    x.rarely_named()\n" for n in range(CHUNK_FILES + 5)}
    await checkout.write(FILES | others)
    checkout.jobs.clear()
    held = asyncio.Event()
    run = checkout.graph._run

    async def slow(job: GraphJob) -> bytes:
        if job.kind == "resolve" and "zz.py" not in job.paths:
            await held.wait()
        return await run(job)

    monkeypatch.setattr(checkout.graph, "_run", slow)
    await checkout.store({"zz.py": "import app\n\n\nclass C:\n    def rarely_named(self): ...\n"})
    checkout.graph.touch(CHECKOUT, str(checkout.root))
    # The rest is not there yet, and is not waited for any longer than is said.
    assert not await checkout.graph.wait(CHECKOUT, 60, 0)
    rows = await checkout.state.read(
        "SELECT 1 FROM graph_imports i JOIN graph_files f USING (file_id) WHERE f.path = 'zz.py'"
    )
    assert rows and checkout.graph.pending(CHECKOUT)
    held.set()
    assert await checkout.graph.wait(CHECKOUT, 60)
    resolved = [job.paths for job in checkout.jobs if job.kind == "resolve"]
    assert resolved[0] == ["zz.py"] and len(resolved) > 1


async def test_a_project_too_large_for_its_definitions_to_be_kept_has_the_same_edges(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    await checkout.write(FILES)
    expected = await checkout.edges()
    monkeypatch.setattr(graph_jobs, "ASKED_ALONE", 0)
    monkeypatch.setattr(graph_jobs, "LOADED_DEFINITIONS", 2)
    monkeypatch.setattr(graph_jobs, "KEPT_DEFINITIONS", 1)
    monkeypatch.setattr(graph_jobs, "RESOLVER_FILES", 0)
    async with checkout.state.transaction() as tx:
        await tx.execute("DELETE FROM graph_edges")
        await tx.execute("UPDATE graph_files SET doc_id = NULL")
    await checkout.graph.resume()
    assert await checkout.graph.wait(CHECKOUT, 30)
    assert await checkout.edges() == expected
    assert checkout._worker._kept is None


async def test_what_waits_is_not_read_while_a_branch_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was, five times a second: most of the engine's time in a switch of 20,000 files."""
    behind = iter([0, 1, *[updater.BULK_FILES + 1] * 5, 1, 0])
    read: list[str] = []

    async def pending(*_: object) -> list[str]:
        read.append("pending")
        return ["a.py"] * (updater.BULK_FILES + 1)

    async def nothing(*_: object) -> list[str]:
        return []

    async def done(*_: object) -> bool:
        return len(read) > 0

    async def no(*_: object) -> bool:
        return False

    monkeypatch.setattr(updater, "BULK_POLL_S", 0.0)
    monkeypatch.setattr(documents, "pending_paths", pending)
    monkeypatch.setattr(graph_files, "files_to_outline", nothing)
    made: Any = updater.GraphUpdater.__new__(updater.GraphUpdater)
    made._files_behind = lambda _: next(behind)
    made._state, made._round, made._try_again = None, done, no
    await made._update("c", None)
    assert len(read) == 2
