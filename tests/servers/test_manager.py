"""The manager: one server per language and root, headless questions, file events, idle stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.documents import EDITOR
from surveyor.servers.errors import ResponseError
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.upstream import LifecycleState
from surveyor.servers.uris import to_uri
from tests.servers.support import Fake, make_fake, until


def manager_for(fake: Fake, **config: Any) -> UpstreamManager:
    table = {
        "command": list(fake.spec.command),
        "extensions": [".fake"],
        "readiness": {"kind": "immediate"},
    }
    return UpstreamManager(UpstreamConfig(upstream={"fake": table}, **config))


@pytest.fixture
async def closing() -> AsyncIterator[list[UpstreamManager]]:
    managers: list[UpstreamManager] = []
    yield managers
    for manager in managers:
        await manager.close()


async def test_parallel_questions_start_one_process_and_open_the_file_once(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": "$URI"}]}})
    (tmp_path / "a.fake").write_text("text")
    manager = manager_for(fake)
    closing.append(manager)
    path = tmp_path / "a.fake"
    answers = await asyncio.gather(
        *(manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60) for _ in range(8))
    )
    assert {answer.value() for _, answer in answers} == {to_uri(path)}
    assert sum("life" in entry for entry in fake.log()) == 1
    assert len(fake.received("textDocument/didOpen")) == 1


async def test_a_file_changed_on_disk_is_sent_anew_before_the_next_question(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": 1}]}})
    path = tmp_path / "a.fake"
    path.write_text("old")
    manager = manager_for(fake)
    closing.append(manager)
    await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    path.write_text("new")
    await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    changes = fake.received("textDocument/didChange")
    assert changes[0]["params"]["contentChanges"] == [{"text": "new"}]
    order = [e["received"].get("method") for e in fake.log() if "received" in e]
    assert order.index("textDocument/didChange") < len(order) - 1 - order[::-1].index(
        "textDocument/hover"
    )


async def test_at_most_32_files_stay_open_for_headless_questions(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": 1}]}})
    manager = manager_for(fake)
    closing.append(manager)
    for number in range(35):
        path = tmp_path / f"{number}.fake"
        path.write_text("")
        await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    await until(lambda: len(fake.received("textDocument/didClose")) == 3)


async def test_file_events_go_to_those_who_registered_for_them(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    watchers = [{"globPattern": "**/*.fake"}]
    registration = {
        "id": "w",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": watchers},
    }
    request = {
        "id": 9,
        "method": "client/registerCapability",
        "params": {"registrations": [registration]},
    }
    fake = make_fake(tmp_path, {"initialized": [request]})
    manager = manager_for(fake)
    closing.append(manager)
    upstream = await manager.get("fake", tmp_path)
    await until(lambda: upstream.registrations)
    mine = {"uri": to_uri(tmp_path / "x.fake"), "type": 2}
    manager.watched([mine, {"uri": to_uri(tmp_path / "x.py"), "type": 2}])
    await until(lambda: fake.received("workspace/didChangeWatchedFiles"))
    assert fake.received("workspace/didChangeWatchedFiles")[0]["params"] == {"changes": [mine]}


async def test_pyright_like_servers_get_an_open_and_close_for_a_created_file(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {})
    manager = manager_for(fake)
    closing.append(manager)
    name = manager.registry.languages["fake"].servers[0]
    spec = replace(manager.registry.servers[name], reopen_created=True)
    manager.registry = replace(manager.registry, servers={**manager.registry.servers, name: spec})
    upstream = await manager.get("fake", tmp_path)
    await upstream.wait_running(60)
    (tmp_path / "new.fake").write_text("made")
    manager.watched([{"uri": to_uri(tmp_path / "new.fake"), "type": 1}])
    await until(lambda: fake.received("textDocument/didClose"))
    assert fake.received("textDocument/didOpen")[0]["params"]["textDocument"]["text"] == "made"


async def test_an_idle_server_is_stopped_and_starts_again_when_asked(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": 1}]}})
    (tmp_path / "a.fake").write_text("")
    manager = manager_for(fake, idle_stop_s=0.2)
    closing.append(manager)
    path = tmp_path / "a.fake"
    upstream, _ = await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    await until(lambda: upstream.state is LifecycleState.STOPPED)
    _, answer = await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    assert answer.value() == 1 and len(fake.received("initialize")) == 2


async def test_stopping_a_root_stops_its_servers_only(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {})
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    manager = manager_for(fake)
    closing.append(manager)
    one = await manager.get("fake", tmp_path / "one")
    two = await manager.get("fake", tmp_path / "two")
    await one.wait_running(60)
    await two.wait_running(60)
    await manager.stop_root(tmp_path / "one")
    assert one.state is LifecycleState.STOPPED and two.running
    assert [item["root"] for item in manager.status()] == [str(tmp_path / "two")]


async def test_another_configuration_of_a_language_replaces_its_server_alone(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    table, tables = {}, {}
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        fake = make_fake(tmp_path / name, {"answers": {"textDocument/hover": [{"result": name}]}})
        table[name] = list(fake.spec.command)
    path, other = tmp_path / "a.fake", tmp_path / "a.other"
    for each in (path, other):
        each.write_text("text")
    ready = {"readiness": {"kind": "immediate"}}
    tables["other"] = {"command": table["first"], "extensions": [".other"], **ready}

    def config(name: str) -> UpstreamConfig:
        fake = {"command": table[name], "extensions": [".fake"], **ready}
        return UpstreamConfig(upstream={**tables, "fake": fake})

    manager = UpstreamManager(config("first"))
    closing.append(manager)

    async def hover(file: Path) -> Any:
        return await manager.request(file, tmp_path, "textDocument/hover", {}, timeout=60)

    (old, answer), (beside, _) = await hover(path), await hover(other)
    assert answer.value() == "first"
    manager.configure(config("first"))
    assert (await hover(path))[0] is old
    manager.configure(config("second"))
    new, answer = await hover(path)
    assert answer.value() == "second"
    await until(lambda: old.state is LifecycleState.STOPPED)
    assert (await hover(other))[0] is beside
    assert set(manager.all()) == {new, beside}


async def test_an_editors_question_given_up_for_one_of_the_engine_is_asked_again(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    modified = {"error": {"code": -32801, "message": "content modified"}, "delay_s": 0.3}
    answers = {"textDocument/hover": [modified, {"result": 1}, modified]}
    fake = make_fake(tmp_path, {"answers": answers})
    manager = manager_for(fake)
    closing.append(manager)
    for name in ("a.fake", "b.fake"):
        (tmp_path / name).write_text("text")
    document = manager.documents.open(to_uri(tmp_path / "a.fake"), "fake", 1, "text", EDITOR)
    upstream = await manager.get("fake", tmp_path)
    upstream.attach(document)
    await until(lambda: upstream.ready)

    async def ask() -> Any:
        params = {"textDocument": {"uri": document.uri}}
        found = await upstream.request("textDocument/hover", params, timeout=60, retries=0)
        return found.value()

    asking = asyncio.ensure_future(ask())
    await until(lambda: fake.received("textDocument/hover"))
    manager.open_headless(upstream, tmp_path / "b.fake")
    assert await asking == 1
    with pytest.raises(ResponseError):  # nothing happened: what the server says is passed on
        await ask()


async def test_a_folder_with_an_environment_of_its_own_is_a_root(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    manager = UpstreamManager(UpstreamConfig())
    closing.append(manager)
    python, go = (manager.registry.languages[name] for name in ("python", "go"))
    file = tmp_path / "backend" / "app" / "main.py"
    file.parent.mkdir(parents=True)
    elsewhere = tmp_path / "frontend" / "tool.py"
    assert manager.root_of(python, elsewhere, tmp_path) == tmp_path
    for folder in (tmp_path / "backend", tmp_path, tmp_path.parent):
        (folder / ".venv").mkdir()
        (folder / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert manager.root_of(python, file, tmp_path) == tmp_path / "backend"
    assert manager.root_of(python, tmp_path / "tool.py", tmp_path) == tmp_path
    inside = tmp_path / "backend" / ".venv" / "lib" / "dep.py"
    assert manager.root_of(python, inside, tmp_path) == tmp_path / "backend"
    assert manager.root_of(go, file, tmp_path) == tmp_path


async def test_a_project_in_a_workspace_that_is_none_is_a_root(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    manager = UpstreamManager(UpstreamConfig())
    closing.append(manager)
    python = manager.registry.languages["python"]
    tools, project = "[tool.ruff]\nline-length = 90\n", "[project]\nname = 'x'\n"

    def root_of(name: str, **manifests: str) -> Path:
        workspace = tmp_path / name
        file = workspace / "services" / "cart" / "src" / "cart" / "pay.py"
        file.parent.mkdir(parents=True)
        for place, text in manifests.items():
            folder = workspace / {"root": "", "services": "services"}.get(place, "services/cart")
            (folder / "pyproject.toml").write_text(text)
        if name == "packages":
            (workspace / "services" / "__init__.py").write_text("")
        if name == "environment":
            (workspace / ".venv").mkdir()
            (workspace / ".venv" / "pyvenv.cfg").write_text("")
        return manager.root_of(python, file, workspace).relative_to(workspace)

    cart = Path("services") / "cart"
    assert root_of("monorepo", root=tools, cart=project) == cart
    assert root_of("poetry", cart="[tool.poetry]\nname = 'x'\n") == cart
    assert root_of("outermost", services=project, cart=project) == Path("services")
    assert root_of("project", root=project, cart=project) == Path()
    assert root_of("environment", root=tools, cart=project) == Path()
    assert root_of("packages", root=tools, cart=project) == Path()
    assert root_of("broken", root=tools, cart="[project") == Path()
    assert root_of("configured", cart=tools) == Path()


async def test_what_works_on_a_folder_of_a_workspace_ends_with_the_workspace(
    tmp_path: Path, closing: list[UpstreamManager]
) -> None:
    fake = make_fake(tmp_path, {"answers": {"textDocument/hover": [{"result": 1}]}})
    manager = manager_for(fake)
    closing.append(manager)
    known = manager.registry.languages["fake"]
    spec = replace(known, environments=("env",))
    manager.registry = replace(manager.registry, languages={"fake": spec})
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.fake").write_text("text")
    (tmp_path / "a" / "env").write_text("")
    for name in ("a", "b"):
        path = tmp_path / name / "x.fake"
        await manager.request(path, tmp_path, "textDocument/hover", {}, timeout=60)
    assert {each.root for each in manager.all()} == {tmp_path / "a", tmp_path}
    assert len(manager.on(tmp_path)) == 2
    await manager.stop_root(tmp_path)
    assert not manager.all()
