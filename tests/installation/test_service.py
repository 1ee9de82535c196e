"""The engine as a service: what managers are given, what they are told, and sockets handed over."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from surveyor.installation import service_files, service_managers
from surveyor.installation.service_files import EngineProgram
from tests.product import Product, until

STRANGE = Path('/home/an other/100% "sure" & <$HOME>')


def program(folder: Path) -> EngineProgram:
    # A socket's path has 108 bytes, and a test's folder is as long as whoever runs it makes it.
    run = Path("/run") / folder.name
    return EngineProgram(
        python=folder / "bin" / "python",
        data=folder / "data",
        config=folder / "surveyor.toml",
        sockets=(run / "session.sock", run / "engine.sock"),
        log=folder / "data" / "logs" / "engine.log",
    )


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_units_are_what_systemd_expects(tmp_path: Path) -> None:
    folder = tmp_path / '100% "sure" $HOME'
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    engine = program(folder)
    service = tmp_path / f"{service_files.NAME}.service"
    service.write_text(service_files.systemd_service(engine))
    listening = service.with_suffix(".socket")
    listening.write_text(service_files.systemd_socket(engine))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", "--man=no", str(service), str(listening)],
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_property_list_says_what_is_to_be_run() -> None:
    engine = program(STRANGE)
    listed = plistlib.loads(service_files.launchd_agent(engine))
    assert listed["ProgramArguments"] == engine.command
    assert listed["EnvironmentVariables"]["SURVEYOR_DATA_DIR"] == str(engine.data)
    assert listed["KeepAlive"] == {"SuccessfulExit": False}


def test_a_task_says_what_is_to_be_run() -> None:
    engine = program(STRANGE)
    root = ElementTree.fromstring(service_files.windows_task(engine))
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert root.findtext(".//t:Exec/t:Command", namespaces=space) == str(engine.python)
    assert root.findtext(".//t:Exec/t:Arguments", namespaces=space) == (
        "-m surveyor engine run --detached"
    )
    assert [part.tag.rpartition("}")[2] for part in root] == [
        "RegistrationInfo", "Triggers", "Principals", "Settings", "Actions",
    ]  # fmt: skip


@pytest.mark.parametrize("manager", [service_managers.Launchd(), service_managers.TaskScheduler()])
def test_every_manager_has_its_files_written_and_removed(
    manager: service_managers.ServiceManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))
    engine = program(tmp_path)
    (file,) = service_managers.write_files(manager, engine)
    assert service_managers.is_ours(file)
    assert any(str(file) in command for command in manager.enable())
    assert service_managers.write_files(manager, engine) == []
    assert service_managers.remove_files(manager, engine) == [file]
    assert not file.exists()


@pytest.fixture
def systemctl(surveyor: Product, tmp_path: Path) -> Path:
    """What a systemd that does as it is told was told."""
    told = tmp_path / "told"
    script = tmp_path / "bin" / "systemctl"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(told))}\n')
    script.chmod(0o755)
    surveyor.extra["PATH"] = f"{script.parent}:{os.environ['PATH']}"
    return told


@pytest.mark.skipif(sys.platform != "linux", reason="of systemd")
def test_a_service_is_put_in_said_to_be_there_and_taken_out(
    surveyor: Product, systemctl: Path
) -> None:
    assert surveyor.run("engine", "service", "status", check=False).returncode == 3
    said = surveyor.run("engine", "service", "install").stdout
    units = sorted((surveyor.home / ".config" / "systemd" / "user").iterdir())
    assert [unit.name for unit in units] == ["surveyor-engine.service", "surveyor-engine.socket"]
    assert all(f"wrote {unit}" in said for unit in units)
    assert "--user enable --now surveyor-engine.socket" in systemctl.read_text()
    status = surveyor.json("engine", "service", "status")
    assert (status["installed"], status["current"], status["active"]) == (True, True, True)
    units[0].write_text(units[0].read_text().replace("python", "old-python"))
    assert surveyor.json("engine", "service", "status")["current"] is False
    surveyor.run("engine", "service", "remove")
    assert not any(unit.exists() for unit in units)
    assert "--user disable --now surveyor-engine.socket surveyor-engine.service" in (
        systemctl.read_text()
    )


@pytest.mark.skipif(sys.platform != "linux", reason="of systemd")
def test_a_unit_of_somebody_else_stays_as_it_is(surveyor: Product, systemctl: Path) -> None:
    unit = surveyor.home / ".config" / "systemd" / "user" / "surveyor-engine.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    done = surveyor.run("engine", "service", "install", check=False)
    assert done.returncode == 1 and "was not written by Surveyor" in done.stderr
    assert not unit.with_suffix(".socket").exists()
    surveyor.run("engine", "service", "remove")
    assert unit.exists()


@contextmanager
def listening(folder: Path) -> Iterator[list[socket.socket]]:
    """As systemd listens: the sockets are there before any engine and after it."""
    folder.mkdir(parents=True, mode=0o700)
    opened = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    for one, name in zip(opened, ("session.sock", "engine.sock"), strict=True):
        one.bind(str(folder / name))
        one.listen()
    yield opened
    for one in opened:
        one.close()
    shutil.rmtree(folder)


def hand_over(sockets: list[socket.socket]) -> None:
    """Give a child its descriptors where sd_listen_fds(3) looks: from 3 on."""
    for number, copy in enumerate([os.dup(one.fileno()) for one in sockets], start=3):
        os.dup2(copy, number)


@pytest.mark.skipif(sys.platform == "win32", reason="of systemd")
def test_an_engine_takes_sockets_over_and_leaves_them(surveyor: Product) -> None:
    run = surveyor.runtime
    with listening(run) as sockets:
        # To ask is not to start one.
        assert surveyor.run("engine", "status", check=False).returncode == 3
        assert surveyor.run("engine", "stop").stdout == "No engine is running.\n"
        command = [sys.executable, "-m", "surveyor", "engine", "run", "--detached"]
        engine = subprocess.Popen(
            ["sh", "-c", f"LISTEN_PID=$$ LISTEN_FDS=2 exec {shlex.join(command)}"],
            env=surveyor.environment,
            pass_fds=(3, 4),
            preexec_fn=lambda: hand_over(sockets),
            stderr=subprocess.DEVNULL,
        )
        assert surveyor.run("engine", "start").stdout.endswith(f"pid {engine.pid}\n")
        surveyor.run("engine", "stop")
        engine.wait(30)
        until(lambda: not surveyor.processes())
        assert {one.name for one in run.iterdir()} >= {"session.sock", "engine.sock"}
        with socket.socket(socket.AF_UNIX) as caller:  # somebody still listens
            caller.connect(str(run / "session.sock"))
