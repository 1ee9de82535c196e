"""What differs between platforms, with another platform simulated where it can be."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import psutil
import pytest

from surveyor.files.contained_paths import NotPlainError, read_below
from surveyor.platform import (
    endpoints,
    event_loop,
    file_names,
    installed_programs,
    locks,
    open_files,
    processes,
    streams,
    users,
)
from surveyor.platform.job_objects import JobGuard
from surveyor.platform.load import MAX_SLOWNESS, slowness


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process takes itself for one on Windows, where that is asked."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR, raising=False)


def as_module(monkeypatch: pytest.MonkeyPatch, name: str, **functions: object) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(functions)
    monkeypatch.setitem(sys.modules, name, module)


# --- endpoints --------------------------------------------------------------------------------


def test_a_unix_socket_is_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "session.sock"
    path.write_text("left by one that was killed")
    with endpoints.listen(path) as listening:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert endpoints.is_unix_socket(listening) and endpoints.make_token(tmp_path) is None
        with endpoints.connect(path) as connection:
            assert endpoints.is_from_same_user(connection)


@pytest.mark.usefixtures("windows")
def test_without_unix_sockets_the_port_stands_where_the_socket_would_be(tmp_path: Path) -> None:
    path = tmp_path / "session.sock"
    token = endpoints.make_token(tmp_path)
    assert token is not None and endpoints.read_token(tmp_path) == token
    assert stat.S_IMODE((tmp_path / endpoints.TOKEN).stat().st_mode) == 0o600
    with endpoints.listen(path) as listening:
        assert listening.getsockname() == ("127.0.0.1", int(path.read_text()))
        with endpoints.connect(path) as connection:
            listening.setblocking(True)
            accepted, _ = listening.accept()
            with accepted:
                connection.sendall(b"hello")
                assert accepted.recv(5) == b"hello"
    with pytest.raises(ConnectionRefusedError):
        endpoints.connect(path)  # the file is still there, nobody listens
    path.write_text("")
    with pytest.raises(ConnectionRefusedError):
        endpoints.connect(path)
    assert endpoints.make_token(tmp_path) != token, "each that listens has its own"
    endpoints.remove_token(tmp_path)
    assert endpoints.read_token(tmp_path) is None


# --- locks ------------------------------------------------------------------------------------


def test_a_lock_on_windows_leaves_the_owners_number_readable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, windows: None
) -> None:
    locked: set[int] = set()

    def locking(handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        position = os.lseek(handle, 0, os.SEEK_CUR)
        if position in locked:
            raise PermissionError(13, "Permission denied")
        locked.add(position)

    as_module(monkeypatch, "msvcrt", locking=locking, LK_NBLCK=2)
    handle = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    try:
        assert locks.try_lock(handle)
        assert not locks.try_lock(handle)
        assert locked == {locks.LOCKED_BYTE} and locks.LOCKED_BYTE > 100
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, b"4711")
    finally:
        os.close(handle)
    assert (tmp_path / "lock").read_text() == "4711"
    assert not locks.can_lock_folders() and locks.closed_before_removal()


def test_a_lock_is_given_back_before_its_file_goes_on_windows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, windows: None
) -> None:
    from surveyor.engine_lock import FileLock

    as_module(monkeypatch, "msvcrt", locking=lambda *_: None, LK_NBLCK=2)
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire()
    handle = lock._handle
    assert handle is not None
    unlink = Path.unlink

    def refused_while_open(self: Path, missing_ok: bool = False) -> None:
        with pytest.raises(OSError):
            os.fstat(handle)
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused_while_open)
    lock.release()
    assert not (tmp_path / "lock").exists()


# --- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["C:", "..\\x", "a\\b", "file:stream", "NUL", "con.txt", "com1", "LPT\u00b9.log", "end.",
     "end ", "a*", "CONIN$", "tab\t"],
)  # fmt: skip
def test_on_windows_a_name_leads_nowhere_else(name: str) -> None:
    assert not file_names.is_part(name, "win32")
    assert file_names.is_part(name, "linux") and file_names.is_part(name, "darwin")


@pytest.mark.parametrize("name", ["console.py", "nullable", "com10", "a b.txt", ".git", "ünïcode"])
def test_ordinary_names_are_names_everywhere(name: str) -> None:
    assert all(file_names.is_part(name, each) for each in ("win32", "linux", "darwin"))


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("path", ["C:/Windows/win.ini", "a/..\\..\\secret", "NUL", "link/secret"])
def test_what_leads_out_of_a_project_is_not_read_without_descriptors(
    tmp_path: Path, path: str
) -> None:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_bytes(b"1\r\n2\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    (root / "link").symlink_to(tmp_path / "outside")
    assert read_below(root, "sub/file") == b"1\r\n2\n"
    with pytest.raises(NotPlainError):
        read_below(root, path)


def test_a_file_that_a_scanner_has_open_is_replaced_when_it_lets_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, target = tmp_path / "new", tmp_path / "old"
    source.write_text("new")
    target.write_text("old")
    replace, tries = os.replace, 0

    def busy(*arguments: Any, **keywords: Any) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            error = PermissionError(13, "in use")
            error.winerror = 32  # type: ignore[attr-defined]
            raise error
        replace(*arguments, **keywords)

    monkeypatch.setattr(os, "replace", busy)
    open_files.replace(source, target)
    assert (target.read_text(), tries) == ("new", 3)


def test_a_replacement_that_is_forbidden_is_tried_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tries = 0

    def refused(*_: str, **__: int | None) -> None:
        nonlocal tries
        tries += 1
        raise PermissionError(13, "no")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(PermissionError):
        open_files.replace(tmp_path / "new", tmp_path / "old")
    assert tries == 1


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("C:\\a b\\x.py", "file:///C:/a%20b/x.py"),
        ("c:\\x", "file:///C:/x"),
        ("\\\\host\\share\\x", "file://host/share/x"),
        ("\\\\?\\C:\\long", "file:///C:/long"),
        ("\\\\?\\UNC\\host\\share", "file://host/share"),
    ],
)
def test_paths_of_windows_as_uris(path: str, uri: str) -> None:
    assert file_names.uri_of(path, "win32") == uri


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("", "/c:/a b/x.py", "C:\\a b\\x.py"),
        ("", "/C:/x", "C:\\x"),
        ("host", "/share/x", "\\\\host\\share\\x"),
        ("localhost", "/d:/x", "D:\\x"),
    ],
)
def test_uris_as_paths_of_windows(host: str, path: str, expected: str) -> None:
    assert file_names.path_of_uri(host, path, "win32") == expected
    assert file_names.path_of_uri(host, path, "linux") == path
    assert file_names.is_reachable(host, "win32")
    assert file_names.is_reachable(host, "linux") is (host in ("", "localhost"))


def test_only_long_paths_of_windows_have_the_prefix() -> None:
    deep = "C:\\" + "d\\" * 150 + "x"
    assert file_names.extended(deep, "win32") == "\\\\?\\" + deep
    assert file_names.extended("\\\\?\\" + deep, "win32") == "\\\\?\\" + deep
    assert file_names.extended("\\\\host" + "\\d" * 150, "win32").startswith("\\\\?\\UNC\\host\\d")
    assert file_names.extended("C:\\x", "win32") == "C:\\x"
    assert file_names.extended("/" + "d/" * 300, "linux") == "/" + "d/" * 300


# --- processes --------------------------------------------------------------------------------

SLEEPER = (
    "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c',"
    " 'import time; time.sleep(60)']); print(p.pid, flush=True); time.sleep(60)"
)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_a_process_is_ended_with_what_it_has_started(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, **processes.apart()
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    monkeypatch.setattr(sys, "platform", platform)
    processes.end_group(parent.pid)
    monkeypatch.undo()
    assert parent.wait(10) == -signal.SIGKILL
    psutil.wait_procs([child], timeout=10)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    parent.stdout.close()


def test_each_platform_starts_processes_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes.apart() == {"start_new_session": True}
    monkeypatch.setattr(sys, "platform", "win32")
    assert processes.apart() == {"creationflags": 0x08000200}


def test_the_parents_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [each.pid for each in psutil.Process().parents() if each.pid > 1]
    assert processes.parents_of(os.getpid(), 50) == wanted
    assert processes.parents_of(os.getpid(), 1) == wanted[:1]
    monkeypatch.setattr(sys, "platform", "win32")
    assert processes.parents_of(os.getpid(), 50) == wanted
    monkeypatch.setattr(sys, "platform", "darwin")
    said = subprocess.CompletedProcess([], 0, stdout="  10  7\n   7  5\n   5  1\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: said)
    assert processes.parents_of(10, 50) == [7, 5]


def test_how_a_process_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes.was_ended_from_outside(-9) and not processes.was_ended_from_outside(1)
    monkeypatch.setattr(sys, "platform", "win32")
    assert processes.was_ended_from_outside(15) and not processes.was_ended_from_outside(3)


class Kernel:
    """What `JobGuard` calls of kernel32, and which processes are in a job that is open."""

    def __init__(self) -> None:
        self.handles = iter(range(100, 200))
        self.open: set[int] = set()
        self.members: dict[int, int] = {}
        self.flags: list[int] = []
        self.refused: set[int] = set()

    def _handle(self) -> int:
        made = next(self.handles)
        self.open.add(made)
        return made

    def CreateJobObjectW(self, security: None, name: None) -> int:
        return self._handle()

    def SetInformationJobObject(self, job: int, kind: int, limits: object, size: int) -> int:
        assert (kind, size) == (9, 144), "as on 64 bit Windows"
        self.flags.append(limits._obj.BasicLimitInformation.LimitFlags)  # type: ignore[attr-defined]
        return 1

    def OpenProcess(self, rights: int, inherit: int, pid: int) -> int:
        return 0 if pid in self.refused else self._handle()

    def AssignProcessToJobObject(self, job: int, process: int) -> int:
        self.members[job] = process
        return 1

    def CloseHandle(self, handle: int) -> int:
        self.open.remove(handle)
        return 1


def test_a_job_ends_with_its_guard() -> None:
    kernel = Kernel()
    guard = JobGuard(kernel)
    guard.add(4711)
    guard.add(4712)
    assert kernel.flags == [0x2000, 0x2000], "kill on close"
    assert kernel.open == set(kernel.members), "only jobs stay open"
    guard.remove(4711)
    guard.remove(4711)
    assert len(kernel.open) == 1
    guard.close()
    assert kernel.open == set()
    kernel.refused.add(4713)
    guard.add(4713)
    assert kernel.open == set(), "nothing of a process that may not be opened stays"


# --- streams and the loop ---------------------------------------------------------------------


def test_a_pipe_of_windows_is_waited_for_and_not_read(
    monkeypatch: pytest.MonkeyPatch, windows: None
) -> None:
    answers = iter([(0, 0), (0, 0), (5, 0)])
    as_module(monkeypatch, "_winapi", PeekNamedPipe=lambda handle, size: next(answers))
    as_module(monkeypatch, "msvcrt", get_osfhandle=lambda descriptor: descriptor)
    assert streams.is_readable(0, 5.0)
    as_module(monkeypatch, "_winapi", PeekNamedPipe=lambda handle, size: (0, 0))
    assert not streams.is_readable(0, 0.05)

    def broken(handle: int, size: int) -> tuple[int, int]:
        raise BrokenPipeError

    as_module(monkeypatch, "_winapi", PeekNamedPipe=broken)
    assert streams.is_readable(0, 0.05), "its end is something to read"
    assert not streams.can_poll(0)


def test_a_pipe_is_waited_for() -> None:
    reading, writing = os.pipe()
    assert not streams.is_readable(reading, 0.01)
    os.write(writing, b"x")
    assert streams.is_readable(reading, 5)
    os.close(writing)
    os.close(reading)


@pytest.mark.parametrize("platform", ["linux", "win32"])
async def test_the_loop_hears_that_the_process_shall_end(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[str] = loop.create_future()
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(sys, "platform", platform)
    event_loop.on_end_signals(loop, heard.set_result)
    try:
        signal.raise_signal(signal.SIGTERM)
        assert await asyncio.wait_for(heard, 5) == "SIGTERM"
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


# --- where things are -------------------------------------------------------------------------


def test_where_programs_and_settings_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    found = []
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr(sys, "platform", platform)
        application = installed_programs.application_folder("Code", tmp_path / ".config")
        zed = installed_programs.xdg_folder("zed", tmp_path / ".config")
        program = installed_programs.python_of(tmp_path / "venv")
        each = (application, zed, program)
        found.append([one.relative_to(tmp_path).as_posix() for one in each])
    assert found == [
        [".config/Code", ".config/zed", "venv/bin/python"],
        ["Library/Application Support/Code", ".config/zed", "venv/bin/python"],
        ["Roaming/Code", "Roaming/Zed", "venv/Scripts/python.exe"],
    ]


@pytest.mark.usefixtures("windows")
def test_windows_has_no_numbers_for_users(tmp_path: Path) -> None:
    status = tmp_path.stat()
    assert users.own_id() == 0 and users.is_mine(status) and not users.is_of_another(status)
    assert users.account_home() is None and users.has_account("anybody")


def test_a_busy_machine_is_as_many_times_slower_as_processes_wait_for_a_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for load, slower in ((0.1, 1.0), (2.0, 1.0), (5.0, 2.5), (900.0, MAX_SLOWNESS)):
        monkeypatch.setattr(os, "getloadavg", lambda said=load: (said, 0.0, 0.0), raising=False)
        assert slowness() == slower
    monkeypatch.delattr(os, "getloadavg")
    assert slowness() == 1.0
