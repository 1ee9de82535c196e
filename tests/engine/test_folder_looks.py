"""A folder that does not answer is known as such, and asked by nobody else."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from surveyor.engine.index import watch_control
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.projects import folder_looks, registration
from surveyor.engine.projects.folder_looks import FolderLooks, is_remote
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import FolderStalledError
from surveyor.store.state import State


class Drive:
    """A file system that answers, or waits."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.asked: list[str] = []

    def look(self, root: str) -> None:
        self.asked.append(root)
        if root.startswith("/drive"):
            self.free.wait()
            raise FileNotFoundError(root)


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Drive:
    monkeypatch.setattr(folder_looks, "STALLED_S", 0.05)
    monkeypatch.setattr(folder_looks, "FRESH_S", 0.0)
    monkeypatch.setattr(folder_looks, "MOUNTS", Path("/nowhere"))
    return Drive()


def test_network_drives_are_known_by_their_mounts() -> None:
    mounts = (
        "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "45 22 0:40 / /home/me/a\\040drive rw - nfs4 host:/x rw\n"
        "46 22 0:41 / /mnt/s rw - fuse.sshfs me@host:/ rw\n"
        "47 46 0:42 / /mnt/s/tmp rw - tmpfs tmpfs rw\n"
    )
    roots = ["/home/me", "/home/me/a drive/x", "/mnt/s", "/mnt/s/tmp/x", "/mnt/stuff"]
    assert [is_remote(root, mounts) for root in roots] == [False, True, True, False, False]


async def test_a_disk_that_has_answered_is_not_asked_before_each_question(drive: Drive) -> None:
    looks = FolderLooks(drive.look)
    for _ in range(3):
        assert await looks.answers("/drive/a")
    assert len(drive.asked) == 1
    drive.free.clear()
    assert await looks.answers("/drive/a")
    assert await looks.stalled(["/drive/a"]) == {"/drive/a"}
    assert not await looks.answers("/drive/a")
    drive.free.set()


async def test_a_folder_that_does_not_answer_is_asked_once(drive: Drive) -> None:
    looks = FolderLooks(drive.look)
    assert await looks.stalled(["/drive/a", "/here"]) == set()
    drive.free.clear()
    drive.asked.clear()
    assert await looks.stalled(["/drive/a", "/here"]) == {"/drive/a"}
    assert not await looks.answers("/drive/a") and looks.is_stalled("/drive/a")
    assert not looks.is_stalled("/here") and not looks.is_stalled("/never/asked")
    assert drive.asked.count("/drive/a") == 1
    drive.free.set()
    while looks.is_stalled("/drive/a"):
        await asyncio.sleep(0.001)
    assert await looks.answers("/drive/a")


async def test_questions_about_it_are_refused_and_the_others_are_not(
    drive: Drive, tmp_path: Path
) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
            for name, root in (("1", "/drive/a"), ("2", str(tmp_path))):
                await tx.execute(
                    "INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, 'p', ?)",
                    (name, root),
                )
        registry = ProjectRegistry(state, lambda: None)
        registry.looks = FolderLooks(drive.look)
        drive.free.clear()
        assert [each.root for each in await registry.all()] == ["/drive/a", str(tmp_path)]
        for named in ("/drive/a", "/drive/a/", "/drive/a/src/x.py", "1"):
            with pytest.raises(FolderStalledError, match="/drive/a does not answer"):
                await registry.require_answering(None, named)
        await registry.require_answering(str(tmp_path), "/drive/another", None)
        drive.free.set()
        while registry.looks.is_stalled("/drive/a"):
            await asyncio.sleep(0.001)
        await registry.require_answering("/drive/a")
    finally:
        drive.free.set()
        await state.close()


async def test_what_a_drive_is_asked_ends_in_time_and_says_what_it_answered(drive: Drive) -> None:
    looks = FolderLooks(drive.look)
    assert await looks.ask("/drive/a", lambda: 7) == 7
    with pytest.raises(FileNotFoundError):
        await looks.ask("/drive/a", lambda: drive.look("/drive/a"))
    drive.free.clear()
    with pytest.raises(FolderStalledError, match="/drive/a does not answer"):
        await looks.ask("/drive/a", lambda: drive.look("/drive/a"))
    assert await looks.ask("/drive/b", lambda: 8) == 8, "another's answer is not waited for"
    assert await looks.stalled(["/drive/a"]) == {"/drive/a"}
    with pytest.raises(FolderStalledError):
        await looks.ask("/drive/a", lambda: pytest.fail("it is asked all the same"))
    drive.free.set()


async def test_folders_elsewhere_are_looked_after_while_a_drive_is_silent(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked of all folders, on the event loop, held the engine until the drive answered."""
    looks = FolderLooks(drive.look)
    here = {str(tmp_path): True, "/drive/a": True, str(tmp_path / "none"): False}

    def is_there(root: str) -> bool:
        drive.look(root)
        return here[root]

    monkeypatch.setattr(registration, "is_there", is_there)
    drive.free.clear()
    gone = [root for root in here if await registration.is_gone(looks, root)]
    assert gone == [str(tmp_path / "none")]
    drive.free.set()


def test_the_settings_of_such_a_folder_are_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = LiveSettings()
    settings.is_stalled = lambda root: root == str(tmp_path)

    def refuse(*_: object) -> None:
        raise AssertionError("the folder was asked")

    monkeypatch.setattr("surveyor.engine.process.live_settings._signature", refuse)
    assert settings.walk(str(tmp_path)).max_file_size > 0
    assert settings.ranking([str(tmp_path)]) == settings.ranking([])


def test_a_folder_of_any_size_is_registered_by_its_first_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million names take longer than a folder may take to answer."""

    def all_names(_: object) -> list[str]:
        raise AssertionError("all its names were read")

    monkeypatch.setattr(os, "listdir", all_names)
    root, _ = registration._root_at(tmp_path, [], explicit=True, force=True)
    assert root == tmp_path


async def test_the_rules_of_a_folder_are_read_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Git lists what is tracked though it is ignored: a second or more of a large repository."""
    read_in: list[int] = []
    monkeypatch.setattr(watch_control, "Ignore", lambda *_: read_in.append(threading.get_ident()))
    watcher = SimpleNamespace(add=lambda *_: None)
    watching = SimpleNamespace(watching=SimpleNamespace(enabled=True))
    live = SimpleNamespace(walk=lambda _: "rules", settings=watching)
    folder = SimpleNamespace(root="/r", watched=True)
    await WatchControl(cast(Any, watcher), cast(Any, live)).watch(cast(Any, folder))
    assert len(read_in) == 1 and threading.get_ident() not in read_in
