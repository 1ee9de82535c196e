"""The service managers of Linux, macOS and Windows: what each is given, and told to do with it.

Only systemd has been met in person: the other two are driven as their manuals say.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path

from surveyor import paths
from surveyor.errors import SurveyorError, UsageError
from surveyor.installation import origin, service_files
from surveyor.installation.origin import DISTRIBUTION
from surveyor.installation.service_files import MARK, EngineProgram
from surveyor.platform import users

ANSWER_S = 20.0
"""How long a service manager may take to answer."""


class ServiceManager(ABC):
    """What keeps programs of the user running on one kind of system."""

    title: str
    program: str
    """Its command."""
    encoding = "utf-8"
    """That of its files."""

    @abstractmethod
    def files(self, engine: EngineProgram) -> dict[Path, bytes]:
        """The files that it is given, by where they belong."""

    @abstractmethod
    def enable(self) -> list[list[str]]:
        """Commands by which it takes the files up, and starts what is in them."""

    @abstractmethod
    def disable(self) -> list[list[str]]:
        """Commands by which it lets go of them; run before they are removed."""

    @abstractmethod
    def asking(self) -> list[str]:
        """A command that succeeds where the service is taken up."""

    def after_removal(self) -> list[list[str]]:
        """Commands for when the files are gone."""
        return []

    def problem(self) -> str:
        """Why its command cannot be used here; empty where it can."""
        return "" if shutil.which(self.program) else f"{self.program} is not there"


class Systemd(ServiceManager):
    """systemd for one user: it listens in the engine's place, and starts it for who connects."""

    title = "systemd"
    program = "systemctl"

    def _folder(self) -> Path:
        base = os.environ.get("XDG_CONFIG_HOME")
        return (Path(base) if base else Path.home() / ".config") / "systemd" / "user"

    def files(self, engine: EngineProgram) -> dict[Path, bytes]:
        """A service and its socket."""
        stem = self._folder() / service_files.NAME
        return {
            stem.with_suffix(".service"): service_files.systemd_service(engine).encode(),
            stem.with_suffix(".socket"): service_files.systemd_socket(engine).encode(),
        }

    def enable(self) -> list[list[str]]:
        """Read the units anew; listen now and at each login."""
        return [
            self._command("daemon-reload"),
            self._command("enable", "--now", f"{service_files.NAME}.socket"),
        ]

    def disable(self) -> list[list[str]]:
        """Stop listening."""
        units = [f"{service_files.NAME}.{kind}" for kind in ("socket", "service")]
        return [self._command("disable", "--now", *units)]

    def after_removal(self) -> list[list[str]]:
        """Forget the units."""
        return [self._command("daemon-reload")]

    def asking(self) -> list[str]:
        """Whether it listens."""
        return self._command("is-active", "--quiet", f"{service_files.NAME}.socket")

    def problem(self) -> str:
        """Also where this user has no manager: in a container, or after `su`."""
        return super().problem() or _said(self._command("show", "--property=Version"))

    def _command(self, *arguments: str) -> list[str]:
        return [self.program, "--user", *arguments]


class Launchd(ServiceManager):
    """launchd: the engine starts at login, and again after a crash."""

    title = "launchd"
    program = "launchctl"

    def files(self, engine: EngineProgram) -> dict[Path, bytes]:
        """One agent."""
        return {self._file(): service_files.launchd_agent(engine)}

    def _file(self) -> Path:
        return Path.home() / "Library" / "LaunchAgents" / f"{service_files.LABEL}.plist"

    def _domain(self) -> str:
        return f"gui/{users.own_id()}"

    def enable(self) -> list[list[str]]:
        """Load the agent, which starts it."""
        return [[self.program, "bootstrap", self._domain(), str(self._file())]]

    def disable(self) -> list[list[str]]:
        """Unload it."""
        return [[self.program, "bootout", f"{self._domain()}/{service_files.LABEL}"]]

    def asking(self) -> list[str]:
        """Whether it is loaded."""
        return [self.program, "print", f"{self._domain()}/{service_files.LABEL}"]


class TaskScheduler(ServiceManager):
    """Windows' Task Scheduler: the engine starts when the user logs on."""

    title = "Task Scheduler"
    program = "schtasks"
    encoding = "utf-16"

    def files(self, engine: EngineProgram) -> dict[Path, bytes]:
        """The task, kept beside the data: the scheduler has a copy of its own."""
        return {self._file(): service_files.windows_task(engine)}

    def _file(self) -> Path:
        return paths.data_dir() / "engine-task.xml"

    def enable(self) -> list[list[str]]:
        """Register and start it."""
        name = ["/TN", service_files.TASK]
        create = [self.program, "/Create", *name, "/XML", str(self._file()), "/F"]
        return [create, [self.program, "/Run", *name]]

    def disable(self) -> list[list[str]]:
        """Take it out."""
        return [[self.program, "/Delete", "/TN", service_files.TASK, "/F"]]

    def asking(self) -> list[str]:
        """Whether it is registered."""
        return [self.program, "/Query", "/TN", service_files.TASK]


def manager() -> ServiceManager:
    """That of this system."""
    if sys.platform == "win32":
        return TaskScheduler()
    return Launchd() if sys.platform == "darwin" else Systemd()


def engine_program() -> EngineProgram:
    """The engine of this installation and data folder."""
    data = paths.data_dir()
    runtime = paths.runtime_dir(data)
    return EngineProgram(
        python=Path(sys.executable),
        data=data,
        config=paths.config_file(),
        sockets=(runtime / "session.sock", runtime / "engine.sock"),
        log=paths.log_file(data),
    )


def check(engine: EngineProgram) -> None:
    """Raises `UsageError` for an installation that does not stay, and for a path that cannot be
    written into a service's file."""
    if origin.is_ephemeral(engine.python):
        raise UsageError(
            "this Surveyor is in uv's cache, which may be cleared at any time",
            f"Install it (`uv tool install {DISTRIBUTION}`), then"
            " `surveyor engine service install`.",
        )
    for part in (*engine.command, *engine.environment.values()):
        if not part.isprintable():
            raise UsageError(
                f"{part!r} has characters that a service's file cannot hold", "Rename that folder."
            )


def write_files(service: ServiceManager, engine: EngineProgram) -> list[Path]:
    """Write what is not there as it should be; returns it.

    Raises `SurveyorError` for a file that somebody else has written, before anything is changed.
    """
    wanted = service.files(engine)
    for file in wanted:
        if file.exists() and not is_ours(file):
            raise SurveyorError(
                f"{file} is there and was not written by Surveyor", "Move it away, then try again."
            )
    changed = [file for file, content in wanted.items() if _content(file) != content]
    for file in changed:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(wanted[file])
    return changed


def remove_files(service: ServiceManager, engine: EngineProgram) -> list[Path]:
    """Remove our files; returns those that were there."""
    removed = [file for file in service.files(engine) if file.exists() and is_ours(file)]
    for file in removed:
        file.unlink()
    return removed


def is_ours(file: Path) -> bool:
    """Whether a service's file was written by Surveyor."""
    content = _content(file) or b""
    return any(MARK.encode(encoding) in content for encoding in ("utf-8", "utf-16-le"))


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def run_all(commands: list[list[str]]) -> str:
    """Run commands until one fails; what it said, else nothing."""
    for command in commands:
        if said := _said(command):
            return f"`{' '.join(command)}`: {said}"
    return ""


def succeeds(command: list[str]) -> bool:
    """Whether a command ends with 0."""
    return not _said(command)


def _said(command: list[str]) -> str:
    """What a command that failed has said, in one line; empty where it succeeded."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=ANSWER_S, check=False
        )
    except FileNotFoundError:
        return f"{command[0]} is not there"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).decode(errors="replace").split("\n")
    return next((line.strip() for line in lines if line.strip()), f"exit code {done.returncode}")
