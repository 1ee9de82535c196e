"""Every scenario of docs/language-servers.md, against a scripted server in its own process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.documents import OpenDocuments
from surveyor.servers.errors import (
    ResponseError,
    UnsupportedMethodError,
    UpstreamDeadError,
    UpstreamLostError,
    UpstreamTimeoutError,
)
from surveyor.servers.process import ServerProcess
from surveyor.servers.readiness import ReadinessStrategy
from surveyor.servers.upstream import LifecycleState, LifecycleTimeouts, Upstream
from tests.servers.support import (
    ALL,
    FAST,
    PATIENCE_S,
    Editor,
    Fake,
    alive,
    make_fake,
    open_in,
    start,
    until,
)

Run = Callable[..., Upstream]
HOVER = {"contents": {"kind": "markdown", "value": "it"}, "x-vendor": {"kept": [1, 2.50]}}


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    started: list[Upstream] = []

    def begin(fake: Fake, **options: Any) -> Upstream:
        if os.environ.get("TRY_SHARED"):
            from surveyor.servers.host.client import Sharing

            options["sharing"] = Sharing(tmp_path / "sd", "test", 0.0)
        upstream = start(fake, **options)
        started.append(upstream)
        return upstream

    yield begin
    await asyncio.gather(*(upstream.stop() for upstream in started))
    for upstream in started:
        assert upstream.pid is None


async def test_an_answer_comes_back_as_the_bytes_that_were_sent(tmp_path: Path, run: Run) -> None:
    upstream = run(make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": HOVER}]}}))
    answer = await upstream.request("textDocument/hover", {})
    assert answer.complete and answer.value() == HOVER
    assert b'"x-vendor": {"kept": [1, 2.5]}' in bytes(answer.raw)


async def test_a_method_that_was_not_advertised_is_never_sent(tmp_path: Path, run: Run) -> None:
    fake = make_fake(tmp_path, {})
    upstream = run(fake)
    with pytest.raises(UnsupportedMethodError):
        await upstream.request("textDocument/implementation", {})
    await upstream.stop()
    assert fake.received("textDocument/implementation") == []


async def test_cancelling_tells_the_server_and_a_late_answer_is_dropped(
    tmp_path: Path, run: Run
) -> None:
    hover = [{"result": "late", "delay_s": 0.3}, {"result": "second"}]
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": hover}})
    upstream = run(fake)
    await upstream.wait_running(60)
    task = asyncio.ensure_future(upstream.request("textDocument/hover", {}))
    await until(lambda: fake.received("textDocument/hover"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: fake.received("$/cancelRequest"))
    number = fake.received("textDocument/hover")[0]["id"]
    assert fake.received("$/cancelRequest")[0]["params"] == {"id": number}
    await asyncio.sleep(0.4)  # the late answer arrives meanwhile
    assert (await upstream.request("textDocument/hover", {})).value() == "second"


async def test_a_server_that_fails_after_a_cancel_is_told_of_none(tmp_path: Path, run: Run) -> None:
    method = "textDocument/references"
    answers = {method: [{"result": ["late"], "delay_s": 0.1}, {"result": ["second"]}]}
    upstream = run(fake := make_fake(tmp_path, {"answers": answers}, uncancellable=(method,)))
    await upstream.wait_running(60)
    task = asyncio.ensure_future(upstream.request(method, {}))
    await until(lambda: fake.received(method))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await upstream.request(method, {})).value() == ["second"]
    assert fake.received("$/cancelRequest") == []


async def test_a_server_that_never_answers_is_given_up_after_the_limit_and_told(
    tmp_path: Path, run: Run
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"never": True}]}})
    upstream = run(fake)
    await upstream.wait_running(60)
    with pytest.raises(UpstreamTimeoutError):
        await upstream.request("textDocument/hover", {}, timeout=0.2)
    await until(lambda: fake.received("$/cancelRequest"))
    assert upstream.running


async def test_a_crash_fails_everything_pending_at_once_and_keeps_its_last_words(
    tmp_path: Path, run: Run
) -> None:
    answers = {
        "textDocument/hover": [{"never": True}],
        "textDocument/definition": [{"exit": 7}],
    }
    fake = make_fake(tmp_path, {"answers": answers})
    slow = LifecycleTimeouts(backoff_s=(600.0,))
    upstream = run(fake, limits=slow)
    await upstream.wait_running(60)
    pending = asyncio.ensure_future(upstream.request("textDocument/hover", {}, timeout=60))
    await until(lambda: fake.received("textDocument/hover"))
    with pytest.raises(UpstreamDeadError):
        await upstream.request("textDocument/definition", {}, timeout=60)
    with pytest.raises(UpstreamDeadError):
        await pending
    await until(lambda: upstream.state is LifecycleState.DEAD)
    assert "status 7" in upstream.reason and "told to crash" in upstream.reason
    with pytest.raises(UpstreamDeadError):  # at once while dead, not after its limit
        await asyncio.wait_for(upstream.request("textDocument/hover", {}, timeout=600), 60)


async def test_what_one_is_asked_that_is_stopped_and_started_at_once_can_be_asked_again(
    tmp_path: Path, run: Run
) -> None:
    """Also by who hears of the stop when it runs again: nothing tells it from a crash then."""
    answers = {"textDocument/hover": [{"never": True}, {"never": True}, {"result": HOVER}]}
    upstream = run(fake := make_fake(tmp_path, {"answers": answers}))
    await upstream.wait_running(60)
    pending = [
        asyncio.ensure_future(upstream.request("textDocument/hover", {}, timeout=60))
        for _ in range(2)
    ]
    await until(lambda: len(fake.received("textDocument/hover")) == 2)
    await upstream.restart()
    for failed in await asyncio.gather(*pending, return_exceptions=True):
        assert isinstance(failed, UpstreamLostError)


async def test_after_a_crash_it_restarts_with_the_unsaved_buffers_open_again(
    tmp_path: Path, run: Run
) -> None:
    hover = [{"exit": 1}]
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": hover}})
    documents = OpenDocuments()
    upstream = run(fake, documents=documents)
    document = open_in(upstream, documents, "a.fake", "on disk")
    await upstream.wait_running(60)
    document.version, document.dirty = 2, True
    document.replace("not saved")
    upstream.change(document, {"textDocument": {"uri": document.uri, "version": 2}})
    with pytest.raises(UpstreamDeadError):
        await upstream.request("textDocument/hover", {})
    await until(lambda: len(fake.received("textDocument/didOpen")) == 2)
    again = fake.received("textDocument/didOpen")[1]["params"]["textDocument"]
    assert (again["text"], again["version"]) == ("not saved", 2)
    assert upstream.restarts == 1


async def test_a_crash_loop_ends_with_a_reason(tmp_path: Path, run: Run) -> None:
    fake = make_fake(
        tmp_path, {"initialized": [], "answers": {"textDocument/hover": [{"exit": 1}]}}
    )
    upstream = run(fake)
    for life in range(FAST.max_restarts + 1):
        await until(lambda life=life: upstream.restarts == life and upstream.running)  # type: ignore[misc]
        with pytest.raises(UpstreamDeadError):
            await upstream.request("textDocument/hover", {})
    await until(lambda: "times" in upstream.reason)
    assert upstream.state is LifecycleState.DEAD and "4 times" in upstream.reason
    assert upstream.restarts == FAST.max_restarts
    with pytest.raises(UpstreamDeadError, match="restart the language server"):
        await upstream.request("textDocument/hover", {})


async def test_a_program_that_never_comes_up_is_not_tried_again(tmp_path: Path, run: Run) -> None:
    fake = make_fake(tmp_path, {"exit_first": 9})
    upstream = run(fake)
    await until(lambda: upstream.state is LifecycleState.DEAD)
    assert not upstream.started_ever and len(fake.log()) == 2


async def test_a_request_waits_for_a_slow_initialize_within_its_own_limit(
    tmp_path: Path, run: Run
) -> None:
    answers = {"textDocument/hover": [{"result": HOVER}]}
    sign = tmp_path / "go"
    fake = make_fake(tmp_path, {"initialize_when": str(sign), "answers": answers})
    upstream = run(fake)
    with pytest.raises(UpstreamTimeoutError):
        await upstream.request("textDocument/hover", {}, timeout=0.1)
    waiting = asyncio.ensure_future(upstream.request("textDocument/hover", {}, timeout=60))
    await asyncio.sleep(0)
    sign.touch()
    assert (await waiting).value() == HOVER


async def test_an_initialize_that_never_ends_is_ended_by_its_deadline(
    tmp_path: Path, run: Run
) -> None:
    fake = make_fake(tmp_path, {"initialize_never": True})
    upstream = run(fake, limits=LifecycleTimeouts(initialize_s=0.3))
    await until(lambda: upstream.state is LifecycleState.DEAD)
    assert "initialize" in upstream.reason
    await until(lambda: not any(alive(pid) for pid in fake.pids()))


async def test_a_megabyte_on_stderr_blocks_nothing_and_its_end_is_kept(
    tmp_path: Path, run: Run
) -> None:
    answers = {"textDocument/hover": [{"result": HOVER}]}
    upstream = run(make_fake(tmp_path, {"stderr_bytes": 1 << 20, "answers": answers}))
    assert (await upstream.request("textDocument/hover", {}, timeout=60)).value() == HOVER
    await until(lambda: "the last line" in upstream.stderr_tail())
    assert len(upstream.stderr_tail()) < 200_000


async def test_unknown_enum_values_and_notifications_pass_through(tmp_path: Path, run: Run) -> None:
    odd = [{"name": "x", "kind": 999, "tags": ["?"], "range": None}]
    script = {
        "capabilities": {**ALL, "documentSymbolProvider": {"label": 3}},
        "answers": {"textDocument/documentSymbol": [{"result": odd}]},
        "initialized": [{"method": "$/unheardOf", "params": {"a": 1}}, {"method": "x/y"}],
    }
    editor = Editor()
    upstream = run(make_fake(tmp_path, script), host=editor)
    assert (await upstream.request("textDocument/documentSymbol", {})).value() == odd
    assert ("$/unheardOf", {"a": 1}) in editor.told and ("x/y", None) in editor.told


REQUESTS: list[dict[str, Any]] = [
    {
        "id": "c",
        "method": "workspace/configuration",
        "params": {"items": [{"section": "a.b"}, {"section": "none"}, {"scopeUri": "x"}]},
    },
    {"id": "f", "method": "workspace/workspaceFolders"},
    {"id": "e", "method": "workspace/applyEdit", "params": {"edit": {}}},
    {"id": "m", "method": "window/showMessageRequest", "params": {"message": "?", "type": 1}},
    {"id": "p", "method": "window/workDoneProgress/create", "params": {"token": 1}},
    {"id": "r", "method": "workspace/inlayHint/refresh"},
    {"id": "u", "method": "nobody/knows", "params": {}},
]


async def test_requests_from_the_server_in_parallel_all_get_a_definite_answer_without_an_editor(
    tmp_path: Path, run: Run
) -> None:
    fake = make_fake(tmp_path, {"initialized": REQUESTS}, settings={"a": {"b": 5}})
    run(fake)
    await until(lambda: all(fake.answered(r["id"]) for r in REQUESTS))
    answers = {r["id"]: fake.answered(r["id"]) or {} for r in REQUESTS}
    assert answers["c"]["result"] == [5, None, {"a": {"b": 5}}]
    assert answers["f"]["result"][0]["uri"].startswith("file:///")
    assert answers["e"]["result"]["applied"] is False and answers["e"]["result"]["failureReason"]
    assert answers["m"]["result"] is None and answers["p"]["result"] is None
    assert answers["r"]["result"] is None
    assert answers["u"]["error"]["code"] == -32601


async def test_with_an_editor_configuration_is_asked_of_it_and_ours_wins_where_set(
    tmp_path: Path, run: Run
) -> None:
    editor = Editor(answers={"workspace/configuration": [{"c": 1}, "theirs", None]})
    usual = {"a": {"b": 4, "c": 4}, "d": 4}
    fake = make_fake(tmp_path, {"initialized": REQUESTS}, settings={"a": {"b": 5}}, defaults=usual)
    run(fake, host=editor)
    await until(lambda: fake.answered("c"))
    whole = {"a": {"b": 5, "c": 4}, "d": 4}
    assert (fake.answered("c") or {})["result"] == [5, "theirs", whole]
    (told,) = fake.received("workspace/didChangeConfiguration")
    assert told["params"] == {"settings": whole}
    forwarded = {
        "workspace/applyEdit",
        "window/showMessageRequest",
        "window/workDoneProgress/create",
    }
    await until(lambda: forwarded <= {method for method, _ in editor.asked})


async def test_references_before_ready_are_marked_partial_and_complete_afterwards(
    tmp_path: Path, run: Run
) -> None:
    def progress(kind: str, **more: Any) -> dict[str, Any]:
        value = {"kind": kind, **more}
        return {"method": "$/progress", "params": {"token": "t", "value": value}}

    references = [
        {"result": [1]},
        {"result": [1, 2, 3], "before": [progress("end")]},
        {"result": [1, 2, 3]},
    ]
    script = {
        "opened": [progress("begin", title="Initializing JS/TS language features")],
        "answers": {"textDocument/references": references},
    }
    strategy = ReadinessStrategy(kind="progress", pattern="Initializing JS/TS", grace_s=30)
    documents = OpenDocuments()
    upstream = run(make_fake(tmp_path, script, readiness=strategy), documents=documents)
    open_in(upstream, documents, "a.fake", "")
    await until(lambda: upstream.state is LifecycleState.INDEXING)
    assert not (await upstream.request("textDocument/references", {})).complete
    assert not (await upstream.request("textDocument/references", {})).complete
    assert upstream.ready
    third = await upstream.request("textDocument/references", {})
    assert third.complete and third.value() == [1, 2, 3]


async def test_an_answer_during_which_new_work_began_is_not_complete(
    tmp_path: Path, run: Run
) -> None:
    def progress(kind: str, **more: Any) -> dict[str, Any]:
        return {"method": "$/progress", "params": {"token": "t", "value": {"kind": kind, **more}}}

    title = "Initializing JS/TS language features"
    loading = [progress("begin", title=title)]
    loaded = [progress("begin", title=title), progress("end")]
    references = [
        {"result": [1], "before": loading},
        {"result": [1], "before": [progress("end"), *loaded]},
        {"result": [1, 2]},
    ]
    script = {"opened": loaded, "answers": {"textDocument/references": references}}
    strategy = ReadinessStrategy(kind="progress", pattern="Initializing JS/TS", grace_s=30)
    documents = OpenDocuments()
    upstream = run(make_fake(tmp_path, script, readiness=strategy), documents=documents)
    open_in(upstream, documents, "a.fake", "")
    assert await upstream.wait_ready(30)
    assert not (await upstream.request("textDocument/references", {})).complete
    assert not (await upstream.request("textDocument/references", {})).complete
    third = await upstream.request("textDocument/references", {})
    assert third.complete and third.value() == [1, 2]


async def test_no_sign_of_work_within_the_grace_means_ready(tmp_path: Path, run: Run) -> None:
    strategy = ReadinessStrategy(kind="progress", pattern="never", grace_s=0.05)
    documents = OpenDocuments()
    upstream = run(make_fake(tmp_path, {}, readiness=strategy), documents=documents)
    open_in(upstream, documents, "a.fake", "")
    assert await upstream.wait_ready(60)


async def test_a_workspace_that_is_never_read_to_the_end_is_degraded_but_answers(
    tmp_path: Path, run: Run
) -> None:
    strategy = ReadinessStrategy(kind="log", pattern="never", grace_s=60, deadline_s=0.1)
    answers = {"textDocument/references": [{"result": [1]}]}
    upstream = run(make_fake(tmp_path, {"answers": answers}, readiness=strategy))
    await until(lambda: upstream.state is LifecycleState.DEGRADED)
    answer = await upstream.request("textDocument/references", {})
    assert answer.value() == [1] and not answer.complete


@pytest.mark.parametrize("tells", [True, False])
async def test_a_server_that_tells_of_its_progress_is_waited_for_beyond_its_deadline(
    tells: bool, tmp_path: Path, run: Run
) -> None:
    told = {"method": "$/progress", "params": {"token": "t", "value": {"kind": "begin"}}}
    references = [{"result": [1], "before": [told] if tells else []}]
    script = {"answers": {"textDocument/references": references}}
    strategy = ReadinessStrategy(kind="log", pattern="never", deadline_s=3600)
    upstream = run(make_fake(tmp_path, script, readiness=strategy))
    await upstream.request("textDocument/references", {})
    upstream._deadline_over()  # as its timer does
    expected = LifecycleState.INITIALIZED if tells else LifecycleState.DEGRADED
    assert upstream.state is expected


async def test_a_server_that_could_not_read_the_workspace_is_not_ready(
    tmp_path: Path, run: Run
) -> None:
    """rust-analyzer without a working cargo has ended its work, and knows nothing."""

    def status(health: str) -> dict[str, Any]:
        params = {"quiescent": True, "health": health, "message": "Failed to load workspaces."}
        return {"method": "test/status", "params": params}

    answers = {
        "textDocument/references": [
            {"result": [1], "before": [status("error")]},
            {"result": [1], "before": [status("ok")]},
        ],
    }
    strategy = ReadinessStrategy(
        kind="notification", method="test/status", field="quiescent", value=True, health="health"
    )
    upstream = run(make_fake(tmp_path, {"answers": answers}, readiness=strategy))
    assert not (await upstream.request("textDocument/references", {})).complete
    assert (upstream.state, upstream.reason) == (
        LifecycleState.DEGRADED,
        "Failed to load workspaces; answers may be partial",
    )
    await upstream.request("textDocument/references", {})
    assert upstream.ready


async def test_without_a_signal_references_are_repeated_until_their_count_is_stable(
    tmp_path: Path, run: Run
) -> None:
    references = [{"result": [1]}, {"result": [1, 2]}, {"result": [1, 2, 3]}]
    fake = make_fake(
        tmp_path,
        {"answers": {"textDocument/references": references}},
        readiness=ReadinessStrategy(kind="stable"),
    )
    upstream = run(fake)
    answer = await upstream.request("textDocument/references", {}, timeout=60)
    assert answer.complete and answer.value() == [1, 2, 3] and upstream.ready


async def test_without_a_signal_a_server_that_computes_nothing_any_more_is_ready(
    tmp_path: Path, run: Run
) -> None:
    documents = OpenDocuments()
    script: dict[str, Any] = {"answers": {"textDocument/documentSymbol": [{"result": []}]}}
    fake = make_fake(tmp_path, script, readiness=ReadinessStrategy(kind="stable", grace_s=0.0))
    upstream = run(fake, documents=documents)
    open_in(upstream, documents, "a.fake", "x")
    assert await upstream.wait_ready(PATIENCE_S)


async def test_a_method_can_be_registered_and_unregistered_while_it_runs(
    tmp_path: Path, run: Run
) -> None:
    registration = {"id": "1", "method": "textDocument/implementation", "registerOptions": {}}
    fake = make_fake(
        tmp_path,
        {
            "initialized": [
                {
                    "id": 1,
                    "method": "client/registerCapability",
                    "params": {"registrations": [registration]},
                }
            ],
            "answers": {"textDocument/implementation": [{"result": []}]},
        },
    )
    upstream = run(fake)
    await until(lambda: upstream.supports("textDocument/implementation"))
    assert (await upstream.request("textDocument/implementation", {})).value() == []
    params = {"unregisterations": [{"id": "1", "method": "textDocument/implementation"}]}
    request = {"id": 2, "method": "client/unregisterCapability", "params": params}
    upstream.notify("test/send", [request])
    await until(lambda: not upstream.supports("textDocument/implementation"))
    await until(lambda: fake.answered(2) is not None)
    assert (fake.answered(2) or {})["result"] is None


async def test_content_modified_is_tried_again(tmp_path: Path, run: Run) -> None:
    modified = {"error": {"code": -32801, "message": "content modified"}}
    answers = {"textDocument/hover": [modified, modified, {"result": HOVER}]}
    upstream = run(make_fake(tmp_path, {"answers": answers}))
    assert (await upstream.request("textDocument/hover", {}, timeout=60)).value() == HOVER


async def test_another_error_comes_back_with_its_data(tmp_path: Path, run: Run) -> None:
    error = {"code": -32803, "message": "no", "data": {"why": 1}}
    upstream = run(make_fake(tmp_path, {"answers": {"textDocument/hover": [{"error": error}]}}))
    with pytest.raises(ResponseError) as caught:
        await upstream.request("textDocument/hover", {})
    assert caught.value.number == -32803 and b'"why"' in bytes(caught.value.raw or b"")


async def test_two_servers_at_once_do_not_mix_their_answers(tmp_path: Path, run: Run) -> None:
    first = run(make_fake(tmp_path / "a", {"answers": {"textDocument/hover": [{"result": "a"}]}}))
    second = run(make_fake(tmp_path / "b", {"answers": {"textDocument/hover": [{"result": "b"}]}}))
    asked = [up.request("textDocument/hover", {}) for _ in range(20) for up in (first, second)]
    answers = await asyncio.gather(*asked)
    assert [answer.value() for answer in answers] == ["a", "b"] * 20


async def test_five_thousand_locations_arrive_whole(tmp_path: Path, run: Run) -> None:
    place = {
        "uri": "file:///somewhere/deep/in/a/project/module.py",
        "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 9}},
    }
    references = [{"result": {"repeat": place, "times": 5000}}]
    upstream = run(make_fake(tmp_path, {"answers": {"textDocument/references": references}}))
    answer = await upstream.request("textDocument/references", {})
    assert answer.value() == [place] * 5000


async def test_a_server_that_stops_reading_blocks_nobody(tmp_path: Path, run: Run) -> None:
    fake = make_fake(tmp_path, {"deaf_after": 3})
    documents = OpenDocuments()
    upstream = run(fake, documents=documents)
    document = open_in(upstream, documents, "a.fake", "x" * 1_000_000)
    await until(lambda: fake.received("textDocument/didOpen"))
    for version in range(2, 12):  # ten megabytes that nobody reads
        document.version = version
        upstream.change(document, {"contentChanges": [{"text": document.text}]})
    with pytest.raises(UpstreamTimeoutError):
        await upstream.request("textDocument/hover", {}, timeout=0.2)


async def test_stopping_ends_the_whole_group_also_what_ignores_politeness(
    tmp_path: Path, run: Run
) -> None:
    fake = make_fake(tmp_path, {"child": True})
    upstream = run(fake)
    await upstream.wait_running(60)
    await until(lambda: len(fake.pids()) == 2)
    await upstream.stop()
    await until(lambda: not any(alive(pid) for pid in fake.pids()))
    assert fake.received("shutdown") and fake.received("exit")


@pytest.mark.skipif(sys.platform == "win32", reason="process groups and the guard are POSIX")
async def test_a_killed_parent_leaves_no_children(tmp_path: Path) -> None:
    fake = make_fake(tmp_path, {"child": True, "ignore_exit": True})
    code = (
        "import asyncio,sys\n"
        "from pathlib import Path\n"
        "from tests.servers.support import make_fake, start\n"
        "async def main():\n"
        f"    fake = make_fake(Path({str(tmp_path)!r}), {fake.script!r})\n"
        "    up = start(fake)\n"
        "    await up.wait_running(60)\n"
        "    print('up', flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "server"), str(root)])}
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=subprocess.PIPE, env=env
    )
    assert parent.stdout is not None and await parent.stdout.readline() == b"up\n"
    await until(lambda: len(fake.pids()) == 2)
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    await until(lambda: not any(alive(pid) for pid in fake.pids()))


async def test_work_that_begins_after_the_grace_is_waited_for(tmp_path: Path, run: Run) -> None:
    """A busy machine: the grace is over before the server has read its first document."""
    begin = {"kind": "begin", "title": "Loading"}
    progress = {"method": "$/progress", "params": {"token": "t", "value": begin}}
    probe = {"result": [], "delay_s": 0.5, "before": [progress]}
    script = {
        "capabilities": {**ALL, "documentSymbolProvider": True},
        "answers": {"textDocument/documentSymbol": [probe]},
    }
    strategy = ReadinessStrategy(kind="progress", pattern="Loading", grace_s=0.01)
    documents = OpenDocuments()
    upstream = run(make_fake(tmp_path, script, readiness=strategy), documents=documents)
    open_in(upstream, documents, "a.fake", "")
    await until(lambda: upstream.state is LifecycleState.INDEXING)
    assert not upstream.ready


async def test_a_server_that_uses_too_much_memory_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surveyor.servers.process.MEMORY_LOOK_S", 0.02)
    reasons: list[str] = []

    class Remembering(Editor):
        def changed(self, upstream: Upstream) -> None:
            reasons.append(upstream.reason)

    upstream = start(make_fake(tmp_path, {}, memory_limit=1 << 20), host=Remembering())
    leaks = lambda _: 5 << 20 if upstream.running and not upstream.restarts else 0  # noqa: E731
    monkeypatch.setattr(ServerProcess, "memory_bytes", leaks)
    try:
        await until(lambda: upstream.restarts and upstream.ready)
    finally:
        await upstream.stop()
    assert any("it used 5 MB of memory, and may use 1 MB" in reason for reason in reasons)
