"""The host as a process: started once, killed, of another version, not to be had."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor import paths
from surveyor.engine_lock import holder_of, is_held
from surveyor.servers import lifecycle
from surveyor.servers.host import attach
from surveyor.servers.host import client as host_client
from surveyor.servers.host.client import (
    LOCK,
    SOCKET,
    HostGoneError,
    HostUnavailableError,
    Sharing,
    open_server,
)
from surveyor.servers.host.main import Host
from tests.servers.support import FAST, PATIENCE_S, alive, make_fake, until
from tests.servers.windows import HOVER, Window


@pytest.fixture
async def data(tmp_path: Path) -> AsyncIterator[Path]:
    """A data folder of its own; the host that was started for it is gone afterwards."""
    folder = tmp_path / "own"
    folder.mkdir()
    yield folder
    lock = paths.runtime_dir(folder) / LOCK
    holder = holder_of(lock)
    if holder is not None:
        os.kill(holder.pid, signal.SIGTERM)
    await until(lambda: not is_held(lock))


async def test_faces_that_start_at_once_have_one_host_and_what_is_killed_leaves_no_orphan(
    tmp_path: Path, data: Path
) -> None:
    fake = make_fake(
        tmp_path / "f", {"child": True, "answers": {"textDocument/hover": [{"result": HOVER}]}}
    )
    windows = [Window(fake, Sharing(data, "test", 0.0)) for _ in range(3)]
    for each in windows:
        await each.upstream.wait_running(PATIENCE_S)
    assert len({each.upstream.pid for each in windows}) == 1
    killed = set(fake.pids())
    assert len(killed) == 2  # the server and its child
    holder = holder_of(paths.runtime_dir(data) / LOCK)
    assert holder is not None
    os.kill(holder.pid, signal.SIGKILL)
    await until(lambda: not any(alive(pid) for pid in killed))
    for each in windows:
        await until(lambda: each.upstream.restarts == 1 and each.upstream.running)  # noqa: B023
    assert len({each.upstream.pid for each in windows}) == 1
    again = set(fake.pids()) - killed
    assert len(again) == 2
    for each in windows:
        assert (await each.upstream.request("textDocument/hover", {})).value() == HOVER
    for each in windows[:2]:
        await each.upstream.stop()
    assert all(alive(pid) for pid in again)
    windows[2].upstream.kill()  # as the system does it for a face that was killed
    await until(lambda: not any(alive(pid) for pid in fake.pids()))


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
async def test_a_host_that_ends_while_a_server_starts_is_no_fault_of_the_servers(
    tmp_path: Path, data: Path, by: signal.Signals
) -> None:
    sign = tmp_path / "go"
    fake = make_fake(tmp_path / "f", {"initialize_when": str(sign)})
    window = Window(fake, Sharing(data, "test", 0.0))
    await until(lambda: fake.received("initialize"))
    holder = holder_of(paths.runtime_dir(data) / LOCK)
    assert holder is not None
    os.kill(holder.pid, by)
    await until(lambda: len(fake.received("initialize")) == 2)
    sign.touch()
    await window.upstream.wait_running(PATIENCE_S)
    assert "dead" not in window.editor.states
    await window.upstream.stop()


async def test_a_server_is_not_given_up_for_hosts_that_are_killed(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "LOST_PAUSES_S", (0.0,))
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    window = Window(fake, Sharing(data, "test", 0.0))
    for time in range(FAST.max_restarts + 2):
        await until(lambda: window.upstream.restarts == time and window.upstream.running)  # noqa: B023
        holder = holder_of(paths.runtime_dir(data) / LOCK)
        assert holder is not None
        os.kill(holder.pid, signal.SIGKILL)
        # Asked at the moment of the kill: it waits for the next.
        await until(lambda: not window.upstream.running)
        await window.upstream.wait_running(PATIENCE_S)
        assert (await window.upstream.request("textDocument/hover", {})).value() == HOVER
    await window.upstream.stop()


async def test_a_face_works_alone_where_there_is_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    (tmp_path / "d").mkdir()
    alone = Window(fake, Sharing(tmp_path / "d", "test", 0.0))
    assert (await alone.upstream.request("textDocument/hover", {})).value() == HOVER
    await alone.upstream.stop()


async def test_only_a_newer_client_replaces_a_host_that_it_cannot_speak_to(
    tmp_path: Path,
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = make_fake(tmp_path / "f", {})
    wish = Window(fake, Sharing(tmp_path / "d")).upstream._wish()
    wish.protocol = (0, 0)
    with pytest.raises(HostUnavailableError, match="of another version"):
        await open_server(tmp_path / "d", wish)
    assert not host.stopping.is_set()
    wish.protocol = (attach.PROTOCOL[1] + 1, attach.PROTOCOL[1] + 1)
    with pytest.raises(HostGoneError):
        await open_server(tmp_path / "d", wish)
    assert host.stopping.is_set()


async def test_what_is_no_client_does_no_harm(tmp_path: Path, host: Host) -> None:
    address = str(paths.runtime_dir(tmp_path / "d") / SOCKET)
    for said in (
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: 7\r\n\r\nnot {}!",
        b'Content-Length: 41\r\n\r\n{"id":1,"method":"surveyor/attach","x":1}',
        b"Content-Length: 2\r\n\r\n{}",
    ):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(connection, address)
            await loop.sock_sendall(connection, said)
            connection.shutdown(socket.SHUT_WR)
            while await loop.sock_recv(connection, 4096):
                pass
    fake = make_fake(tmp_path / "f", {"answers": {"textDocument/hover": [{"result": HOVER}]}})
    window = Window(fake, Sharing(tmp_path / "d", "test", 0.0))
    assert (await window.upstream.request("textDocument/hover", {})).value() == HOVER
    await window.upstream.stop()


@pytest.mark.parametrize("ending", ["kill -9 $$", "exit 0"])
async def test_a_host_that_is_ended_before_it_listens_is_started_again(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """Who had started it kept all others from starting one, and went without for a minute."""
    start = host_client._spawn
    started: list[subprocess.Popen[bytes]] = []

    def spawn(folder: Path) -> subprocess.Popen[bytes]:
        first = not started
        started.append(subprocess.Popen(["/bin/sh", "-c", ending]) if first else start(folder))
        return started[-1]

    monkeypatch.setattr(host_client, "_spawn", spawn)
    fake = make_fake(tmp_path / "f", {})
    window = Window(fake, Sharing(data, "test", 0.0))
    await window.upstream.wait_running(PATIENCE_S)
    holder = holder_of(paths.runtime_dir(data) / LOCK)
    assert holder is not None and [each.pid for each in started][1:] == [holder.pid]
    await window.upstream.stop()


async def test_who_met_a_host_that_ends_takes_the_one_that_another_started_meanwhile(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is held all the while: by the one that ended, then by the other."""
    fake = make_fake(tmp_path / "f", {})
    first = Window(fake, Sharing(data, "first", 60.0))
    await first.upstream.wait_running(PATIENCE_S)
    attempts = 0
    open_once = host_client.open_server

    async def met_the_end(folder: Path, wish: attach.Attach) -> host_client.HostedServer:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise HostGoneError("the host of language servers went away")
        return await open_once(folder, wish)

    monkeypatch.setattr(host_client, "open_server", met_the_end)
    monkeypatch.setattr(host_client, "START_S", 600.0)
    second = Window(fake, Sharing(data, "second", 60.0))
    await second.upstream.wait_running(PATIENCE_S)
    assert second.upstream.pid == first.upstream.pid and attempts == 2
    for each in (first, second):
        await each.upstream.stop()
