"""One server for several clients: who shares it, what is told to whom, crashes, ends."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from surveyor import paths
from surveyor.servers.host.attach import STATUS, STOP
from surveyor.servers.host.client import SOCKET, ask
from surveyor.servers.host.main import Host
from surveyor.servers.readiness import ReadinessStrategy
from surveyor.servers.registry import ServerSpec
from surveyor.servers.uris import to_uri
from tests.servers.support import (
    ALL,
    PATIENCE_S,
    alive,
    make_fake,
    until,
)
from tests.servers.windows import HOVER, Open, places


async def test_two_windows_use_one_process_and_it_ends_with_the_last(
    tmp_path: Path, window: Open, host: Host
) -> None:
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    path = fake.folder / "a.fake"
    path.write_text("one\n")
    first, second = window(fake), window(fake)
    documents = first.open(path), second.open(path)
    for each, document in zip((first, second), documents, strict=True):
        assert await each.at("textDocument/hover", document, 0) == HOVER
    assert len(fake.pids()) == 1
    assert first.upstream.pid == second.upstream.pid == fake.pids()[0]
    assert len(fake.received("initialize")) == len(fake.received("textDocument/didOpen")) == 1
    assert fake.received("initialize")[0]["params"]["processId"] == os.getpid()
    row = host.status()["servers"][0]
    assert len(row["clients"]) == 2 and row["pid"] == first.upstream.pid
    await first.upstream.stop()
    assert await second.at("textDocument/hover", documents[1], 0) == HOVER
    await second.upstream.stop()
    await until(lambda: not alive(fake.pids()[0]))
    assert fake.received("exit")


async def test_other_settings_or_another_environment_have_a_server_of_their_own(
    tmp_path: Path, window: Open
) -> None:
    fake = make_fake(tmp_path / "f", {})
    others = [
        replace(fake, spec=replace(fake.spec, settings={"strict": True})),
        replace(fake, spec=replace(fake.spec, env={"GOFLAGS": "-x"})),
        replace(fake, spec=replace(fake.spec, initialization_options={"x": 1})),
    ]
    windows = []
    for each in (fake, fake, *others):
        windows.append(window(each))
        await windows[-1].upstream.wait_running(PATIENCE_S)
    assert windows[0].upstream.pid == windows[1].upstream.pid
    assert len({each.upstream.pid for each in windows}) == 4


async def test_a_confined_client_uses_the_server_of_a_window_that_trusts_the_folder(
    tmp_path: Path, window: Open
) -> None:
    """One of its own would be a second process, and no safer. A window uses no confined one."""
    fake = make_fake(tmp_path / "f", {})
    confined = replace(
        fake.spec,
        settings={"proxy": "nowhere"},
        initialization_options={"own": True},
        env={"GOPROXY": "off"},
        unconfined=fake.spec,
    )

    async def pid(spec: ServerSpec, **able: Any) -> int | None:
        opened = window(replace(fake, spec=spec), **able)
        await opened.upstream.wait_running(PATIENCE_S)
        return opened.upstream.pid

    first = await pid(confined)
    assert (trusting := await pid(fake.spec)) != first
    assert await pid(confined) == trusting
    more = {
        "capabilities": {"textDocument": {"diagnostic": {}}},
        "features": frozenset({"textDocument/diagnostic"}),
    }
    able = await pid(confined, **more)
    assert able not in (first, trusting)
    assert await pid(fake.spec) == trusting
    assert await pid(fake.spec, **more) != able


async def test_who_can_do_more_has_another_server_and_who_can_do_less_uses_that(
    tmp_path: Path, window: Open
) -> None:
    fake = make_fake(tmp_path / "f", {})
    more = {
        "capabilities": {"textDocument": {"diagnostic": {}}},
        "features": frozenset({"textDocument/diagnostic"}),
    }
    full = window(fake, **more)
    await full.upstream.wait_running(PATIENCE_S)
    usual = window(fake)
    again = window(fake, **more)
    for each in (usual, again):
        await each.upstream.wait_running(PATIENCE_S)
    assert full.upstream.pid == usual.upstream.pid == again.upstream.pid
    for each in (full, again):
        await each.upstream.stop()
    await usual.upstream.stop()
    await until(lambda: not alive(fake.pids()[0]))
    first = window(fake)
    await first.upstream.wait_running(PATIENCE_S)
    other = window(fake, **more)
    await other.upstream.wait_running(PATIENCE_S)
    assert first.upstream.pid != other.upstream.pid


async def test_what_a_server_said_before_is_told_to_who_comes_later(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\n")
    registration = {"id": "r", "method": "textDocument/implementation", "registerOptions": {}}
    begin = {"kind": "begin", "title": "reading"}
    fake = make_fake(
        tmp_path / "f",
        {
            "initialized": [
                {
                    "id": 7,
                    "method": "client/registerCapability",
                    "params": {"registrations": [registration]},
                },
                {"method": "$/progress", "params": {"token": "t", "value": begin}},
                {"method": "$/fakeVersion", "params": {"version": "9"}},
                {"method": "fake/status", "params": {"type": "Starting", "message": "first"}},
                {"method": "fake/status", "params": {"type": "Started", "message": "done"}},
                {"method": "fake/status", "params": {"type": "Starting", "message": "last"}},
                {"method": "fake/regions", "params": {"textDocument": {"uri": "file:///x"}}},
                {"method": "telemetry/event", "params": {"x": 1}},
            ],
            "opened": [
                {
                    "method": "textDocument/publishDiagnostics",
                    "params": {"uri": to_uri(path), "diagnostics": [{"message": "bad"}]},
                }
            ],
        },
        readiness=ReadinessStrategy(kind="progress", pattern="reading", grace_s=600),
    )
    first = window(fake)
    first.open(path)
    await until(lambda: first.told("textDocument/publishDiagnostics"))
    second = window(fake)
    second.open(path)
    await until(lambda: second.told("textDocument/publishDiagnostics"))
    await until(lambda: second.upstream.registrations)
    await until(lambda: second.upstream.readiness.working)
    assert second.upstream.supports("textDocument/implementation")
    end = {"method": "$/progress", "params": {"token": "t", "value": {"kind": "end"}}}
    first.upstream.notify("test/send", [end])
    await until(lambda: first.upstream.ready and second.upstream.ready)
    third = window(fake)
    await until(lambda: third.upstream.ready)
    # The last that it said of itself, but nothing of what it did for others.
    assert third.told("$/fakeVersion") == [{"version": "9"}]
    assert [each["message"] for each in third.told("fake/status")] == ["done", "last"]
    assert not third.told("fake/regions") and not third.told("telemetry/event")


async def test_what_was_said_of_a_document_is_told_to_who_opens_it_later(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\nb\nc\n")

    def regions(line: int) -> dict[str, Any]:
        where = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}
        return {"textDocument": {"uri": to_uri(path), "version": 1}, "regions": [where]}

    said = [{"method": "fake/regions", "params": regions(line)} for line in (0, 2)]
    said.append({"method": "fake/status", "params": {"uri": to_uri(path), "state": "read"}})
    fake = make_fake(tmp_path / "f", {"opened": said})
    first, without = window(fake), window(fake)
    document = first.open(path)
    await until(lambda: first.told("fake/status"))
    assert first.told("fake/regions") == [regions(0), regions(2)]
    second = window(fake)
    assert not second.told("fake/regions")
    second.open(path)
    await until(lambda: second.told("fake/status"))
    assert second.told("fake/regions") == [regions(2)]  # the last of it
    first.type(document, "new\na\nb\nc\n")
    third = window(fake)
    third.open(path)
    more = [{"method": "fake/regions", "params": regions(3)}]
    first.upstream.notify("test/send", more)
    await until(lambda: third.told("fake/regions"))
    # Its text has not the line above: what is said later stands where it has it.
    await until(lambda: third.told("fake/regions")[-1]["regions"] == regions(2)["regions"])
    assert "version" not in third.told("fake/regions")[-1]["textDocument"]
    assert not without.told("fake/regions") and not without.told("fake/status")


async def test_the_same_token_of_two_windows_is_two_tokens(tmp_path: Path, window: Open) -> None:
    hover = [{"result": HOVER, "delay_s": 0.2}]
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": hover}})
    windows = [window(fake), window(fake)]
    for each in windows:
        await each.upstream.wait_running(PATIENCE_S)
    asking = [
        asyncio.ensure_future(each.upstream.request("textDocument/hover", {"workDoneToken": 1}))
        for each in windows
    ]
    await until(lambda: len(fake.received("textDocument/hover")) == 2)
    tokens = [m["params"]["workDoneToken"] for m in fake.received("textDocument/hover")]
    assert len(set(tokens)) == 2
    report = {"kind": "report", "message": "for the second"}
    params = {"token": tokens[1], "value": report}
    windows[0].upstream.notify("test/send", [{"method": "$/progress", "params": params}])
    await asyncio.gather(*asking)
    told = [each.told("$/progress") for each in windows]
    assert sorted(told, key=len) == [[], [{"token": 1, "value": report}]]


async def test_a_cancelled_request_is_cancelled_at_the_server_and_no_other(
    tmp_path: Path, window: Open
) -> None:
    hover = [{"never": True}, {"result": HOVER, "delay_s": 0.3}]
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": hover}})
    first, second = window(fake), window(fake)
    for each in (first, second):
        await each.upstream.wait_running(PATIENCE_S)
    asking = asyncio.ensure_future(first.upstream.request("textDocument/hover", {}))
    await until(lambda: fake.received("textDocument/hover"))
    other = asyncio.ensure_future(second.upstream.request("textDocument/hover", {}))
    asking.cancel()
    assert (await other).value() == HOVER
    await until(lambda: fake.received("$/cancelRequest"))
    numbers = [m["id"] for m in fake.received("textDocument/hover")]
    assert [m["params"]["id"] for m in fake.received("$/cancelRequest")] == numbers[:1]


async def test_what_a_server_asks_goes_to_the_window_that_it_concerns(
    tmp_path: Path, window: Open
) -> None:
    path = tmp_path / "f" / "a.fake"
    path.parent.mkdir()
    path.write_text("a\nb\n")
    edit = {"changes": {to_uri(path): [{**places("", 1)[0], "newText": "z"}]}}
    ask_edit = {"id": 90, "method": "workspace/applyEdit", "params": {"edit": edit}}
    scoped = {"items": [{"scopeUri": to_uri(path), "section": "x"}]}
    fake = make_fake(
        tmp_path / "f",
        {
            "capabilities": {**ALL, "executeCommandProvider": {"commands": ["x"]}},
            "answers": {
                "workspace/executeCommand": [{"result": None, "before": [ask_edit], "delay_s": 0.3}]
            },
        },
    )
    applied = {"workspace/applyEdit": {"applied": True}, "workspace/configuration": ["mine"]}
    owner, commanding = window(fake, answers=applied), window(fake, answers=applied)
    owner.open(path)
    await owner.upstream.wait_running(PATIENCE_S)
    await commanding.upstream.wait_running(PATIENCE_S)
    await until(lambda: fake.received("textDocument/didOpen"))
    await commanding.upstream.request("workspace/executeCommand", {"command": "x"})
    await until(lambda: fake.answered(90))
    assert [m for m, _ in owner.editor.asked if m == "workspace/applyEdit"] == []
    assert [m for m, _ in commanding.editor.asked if m == "workspace/applyEdit"]
    asking = {"id": 91, "method": "workspace/configuration", "params": scoped}
    commanding.upstream.notify("test/send", [asking])
    await until(lambda: fake.answered(91))
    assert fake.answered(91)["result"] == ["mine"]  # type: ignore[index]
    assert [m for m, _ in owner.editor.asked if m == "workspace/configuration"]
    assert [m for m, _ in commanding.editor.asked if m == "workspace/configuration"] == []


async def test_a_crash_restarts_it_once_with_the_documents_of_all(
    tmp_path: Path, window: Open, host: Host
) -> None:
    hover = [{"exit": 9}, {"result": HOVER}]
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/definition": hover}})
    first, second = window(fake), window(fake)
    documents = []
    for each, name in ((first, "a.fake"), (second, "b.fake")):
        (fake.folder / name).write_text(name)
        documents.append(each.open(fake.folder / name))
    for each in (first, second):
        await each.upstream.wait_running(PATIENCE_S)
    await until(lambda: len(fake.received("textDocument/didOpen")) == 2)
    first.type(documents[0], "unsaved")
    os.kill(fake.pids()[0], signal.SIGKILL)
    await until(lambda: first.upstream.restarts == second.upstream.restarts == 1)
    for each in (first, second):
        await each.upstream.wait_running(PATIENCE_S)
    await until(lambda: len(fake.received("textDocument/didOpen")) == 4)
    again = [m["params"]["textDocument"]["text"] for m in fake.received("textDocument/didOpen")]
    assert sorted(again[2:]) == ["b.fake", "unsaved"]
    assert len(fake.pids()) == 2
    assert first.upstream.pid == second.upstream.pid
    assert host.status()["servers"][0]["restarts"] == 1


async def test_one_that_is_started_anew_is_another_process_for_all(
    tmp_path: Path, window: Open, host: Host
) -> None:
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    path = fake.folder / "a.fake"
    path.write_text("one")
    first, second = window(fake, grace_s=60.0), window(fake, grace_s=60.0)
    documents = first.open(path), second.open(path)
    for each in (first, second):
        await each.upstream.wait_running(PATIENCE_S)
    before = fake.pids()[0]
    await first.upstream.renew()
    await until(lambda: not alive(before))
    for each, document in zip((first, second), documents, strict=True):
        await each.upstream.wait_running(PATIENCE_S, PATIENCE_S)
        assert await each.at("textDocument/hover", document, 0) == HOVER
    assert len(fake.pids()) == 2
    assert first.upstream.pid == second.upstream.pid == fake.pids()[1]
    assert len(host.status()["servers"]) == 1


async def test_a_program_that_cannot_be_started_is_missing(tmp_path: Path, window: Open) -> None:
    fake = make_fake(tmp_path / "f", {})
    fake = replace(fake, spec=replace(fake.spec, command=("/nowhere/server",)))
    broken = window(fake)
    await until(lambda: "cannot be started" in broken.upstream.reason)
    assert broken.upstream.state.value == "dead"


async def test_a_server_that_was_kept_hears_what_changed_meanwhile(
    tmp_path: Path, window: Open
) -> None:
    watchers = {"watchers": [{"globPattern": "**/*.fake"}]}
    registration = {
        "id": "w",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": watchers,
    }
    registering = {
        "id": 7,
        "method": "client/registerCapability",
        "params": {"registrations": [registration]},
    }
    fake = make_fake(tmp_path / "f", {"initialized": [registering]})
    kept = {"changed.fake": "1", "gone.fake": "2", "other.txt": "3"}
    for name, text in kept.items():
        (fake.folder / name).write_text(text)
    first = window(fake, grace_s=PATIENCE_S)
    await until(lambda: first.upstream.registrations)
    await first.upstream.stop()
    await asyncio.sleep(0.3)  # the host notes what is there
    (fake.folder / "changed.fake").write_text("longer")
    (fake.folder / "gone.fake").unlink()
    (fake.folder / "new.fake").write_text("")
    (fake.folder / "other.txt").write_text("longer")
    second = window(fake, grace_s=PATIENCE_S)
    await second.upstream.wait_running(PATIENCE_S)
    await until(lambda: fake.received("workspace/didChangeWatchedFiles"))
    changes = fake.received("workspace/didChangeWatchedFiles")[0]["params"]["changes"]
    found = {change["uri"].rpartition("/")[2]: change["type"] for change in changes}
    assert found == {"new.fake": 1, "changed.fake": 2, "gone.fake": 3}
    assert len(fake.pids()) == 1


async def test_a_host_that_is_told_to_stop_says_what_runs_and_ends(
    tmp_path: Path, window: Open, host: Host
) -> None:
    fake = make_fake(tmp_path / "f", {})
    one = window(fake)
    await one.upstream.wait_running(PATIENCE_S)
    status = await ask(tmp_path / "d", STATUS)
    assert [row["name"] for row in status["servers"]] == ["fake"]
    assert status["servers"][0]["clients"][0]["client"] == "test"
    assert os.environ["PATH"] not in str(status)
    await ask(tmp_path / "d", STOP)
    assert host.stopping.is_set()
    socket = paths.runtime_dir(tmp_path / "d") / SOCKET
    assert socket.stat().st_mode & 0o777 == 0o600


async def test_a_full_window_that_comes_later_leaves_one_server(
    tmp_path: Path, window: Open, host: Host
) -> None:
    registration = {"id": "r", "method": "textDocument/implementation", "registerOptions": {}}
    register = {
        "id": 7,
        "method": "client/registerCapability",
        "params": {"registrations": [registration]},
    }
    script = {"initialized": [register], "answers": {"textDocument/hover": [{"result": HOVER}]}}
    fake = make_fake(tmp_path / "f", script)
    path = tmp_path / "f" / "a.fake"
    path.write_text("a\n")
    usual = window(fake)
    document = usual.open(path, "unsaved\n")
    await until(lambda: usual.upstream.ready)
    before = usual.upstream.pid
    full = window(
        fake,
        features=["textDocument/completion"],
        capabilities={"textDocument": {"completion": {"contextSupport": True}}},
    )
    await until(lambda: full.upstream.ready)
    await until(lambda: usual.upstream.pid == full.upstream.pid != before)
    await until(lambda: not alive(before or 0))
    (row,) = host.status()["servers"]
    assert len(row["clients"]) == 2
    assert usual.upstream.restarts == 0 and usual.upstream.ready
    assert usual.upstream.process is not None and usual.upstream.process.memory_bytes() > 0
    assert await usual.at("textDocument/hover", document, 0) == HOVER
    opened = fake.received("textDocument/didOpen")
    assert [each["params"]["textDocument"]["text"] for each in opened] == ["unsaved\n"] * 2
    await until(lambda: list(usual.upstream.registrations) == ["r"])
    await full.upstream.stop()
    await asyncio.sleep(0)
    assert await usual.at("textDocument/hover", document, 0) == HOVER
