"""Which program to start for a language: found, allowed, and able to run.

Looked for, per server in the registry's order: in the project's own environment (trusted
workspaces only), on the process's PATH and on the user's PATH that the CLI recorded, among the
servers that Surveyor installed. Many servers run what a project names (build scripts, plugins, a
compiler of its own): in a confined folder only those count that are known not to, started so that
they do not. A program whose probe fails (a shim of a version manager without the tool behind it)
counts as missing.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from surveyor.paths import USER_PYTHONPATH
from surveyor.platform.installed_programs import scripts_folder
from surveyor.platform.processes import apart, end_group
from surveyor.servers.probes import Probes
from surveyor.servers.process import close_pipes
from surveyor.servers.registry import ServerSpec
from surveyor.servers.settings_layers import merge
from surveyor.servers.uris import is_inside

PROBE_TIMEOUT_S = 10.0
"""A program that has not ended by then does run: not every server knows `--version`."""

PROJECT_BIN_FOLDERS = (
    ".venv/bin",
    "venv/bin",
    ".venv/Scripts",
    "node_modules/.bin",
    "vendor/bin",
)
"""Where a project keeps executables of its own; used in trusted workspaces only."""

RECORD = "surveyor-install.json"
"""In the folder of a server that was installed to the end: what is in it."""

SHIM_COMPLAINTS = (
    "unknown binary",
    "is not installed for the toolchain",
    "command not found",
    "no version is set",
    "cannot find module",
)
"""What shims and broken installs say; some of them end with status 0."""


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A program that can be started for a server, with its arguments and environment."""

    spec: ServerSpec
    command: tuple[str, ...]
    origin: str
    """project, path, installed or configured."""
    env: Mapping[str, str] | None = None


@dataclass(slots=True)
class Discovery:
    """Finds programs."""

    user_path: str = ""
    installed: Path | None = None
    """Folder of Surveyor's own installs, one folder a server."""
    probes: Probes = field(default_factory=Probes)

    def search_path(self) -> list[str]:
        """Folders of the process's PATH and then of the user's, each once."""
        folders: dict[str, None] = {}
        for text in (os.environ.get("PATH", os.defpath), self.user_path):
            for folder in text.split(os.pathsep):
                if folder:
                    folders.setdefault(str(Path(folder).expanduser()))
        return list(folders)

    def environment(self) -> dict[str, str]:
        """Environment for servers: the user's, with the whole search path (they start tools)."""
        return {**user_environment(), "PATH": os.pathsep.join(self.search_path())}

    def places(
        self, spec: ServerSpec, root: Path | None, *, trusted: bool, confined: bool = False
    ) -> Iterable[ServerProgram]:
        """Candidate programs for one server, best first; not probed yet.

        `confined`: only such as run nothing of the root's, started so that they do not.
        """
        for found in self._programs(spec, root, trusted=trusted):
            if not confined:
                yield found
            elif root is None or not is_inside(Path(found.command[0]), root):
                as_started = _confined(found)
                if as_started is not None:
                    yield as_started

    def _programs(
        self, spec: ServerSpec, root: Path | None, *, trusted: bool
    ) -> Iterable[ServerProgram]:
        program, *arguments = spec.command
        if Path(program).is_absolute():
            if os.access(program, os.X_OK):
                yield ServerProgram(spec, spec.command, "configured")
            return
        if trusted and root is not None:
            for inside in PROJECT_BIN_FOLDERS:
                if path := shutil.which(program, path=str(root / inside)):
                    yield ServerProgram(spec, (path, *arguments), "project")
        for folder in self.search_path():
            # Relative folders (".", "bin") would run what an untrusted project brings along.
            if Path(folder).is_absolute() and (path := shutil.which(program, path=folder)):
                yield ServerProgram(spec, (path, *arguments), "path")
        if self.installed is not None:
            for own in installed_folders(self.installed, spec.name):
                if path := shutil.which(program, path=str(own)):
                    yield ServerProgram(spec, (path, *arguments), "installed")

    async def held_back(self, spec: ServerSpec, root: Path) -> bool:
        """Whether a server is here and runs, and is not started because nobody trusts the root."""
        if any(True for _ in self.places(spec, root, trusted=False, confined=True)):
            return False
        for found in self.places(spec, root, trusted=False):
            if await self.runs(found):
                return True
        return False

    async def runs(self, found: ServerProgram) -> bool:
        """Whether a program really runs, by its probe."""
        if not found.spec.probe:
            return True
        command = (found.command[0], *found.spec.probe)
        known = self.probes.known(command)
        if known is None:
            # Not in the folder that it is for: a shim (rustup's, mise's) runs what that names.
            folder = Path(found.command[0]).parent
            known = await probe(command, env=self.environment(), folder=folder)
            self.probes.note(command, known)
        return known

    async def find(
        self,
        specs: Sequence[ServerSpec],
        root: Path | None,
        *,
        trusted: bool,
        confined: bool = False,
    ) -> list[ServerProgram]:
        """Every server that runs, in order; one program each."""
        result: list[ServerProgram] = []
        for spec in specs:
            for found in self.places(spec, root, trusted=trusted, confined=confined):
                if await self.runs(found):
                    result.append(found)
                    break
        return result


def _confined(found: ServerProgram) -> ServerProgram | None:
    """A program as it is started where nobody trusts the folder; None where it is not."""
    confined = found.spec.confined
    if confined is None:
        return None
    options = dict(found.spec.initialization_options or {})
    options = merge(options, confined.initialization_options)
    for option, file in confined.own_files.items():
        own = _beside(Path(found.command[0]), file)
        if own is None:
            return None
        for name in reversed(option.split(".")):
            own = {name: own}
        options = merge(options, own)
    spec = replace(
        found.spec,
        initialization_options=options or found.spec.initialization_options,
        settings=merge(found.spec.settings, confined.settings),
        env={**found.spec.env, **confined.env},
    )
    if spec == found.spec:
        return found
    return replace(found, spec=replace(spec, unconfined=found.spec))


def _beside(program: Path, file: str) -> Any:
    """A file of a package that is installed with a program of npm's; None where there is none."""
    for folder in program.resolve().parents:
        own = folder / "node_modules" / file
        if own.is_file():
            return str(own)
    return None


def user_environment() -> dict[str, str]:
    """Our environment without what the engine was given to find its own packages.

    A Python server would take those for the project's: asked about click, for one, it would look
    into the click that Surveyor itself uses.
    """
    environment = dict(os.environ)
    theirs = environment.pop(USER_PYTHONPATH, None)
    if theirs is not None:
        environment.pop("PYTHONPATH", None)
        if theirs:
            environment["PYTHONPATH"] = theirs
    return environment


def installed_folders(base: Path, name: str) -> list[Path]:
    """Where the programs of an installed server are (virtual environment, npm prefix).

    Its own folder first, then the others': one package may bring several servers.
    """
    others = sorted(record.parent for record in base.glob(f"*/{RECORD}"))
    inside = (Path("venv") / scripts_folder(), Path("node_modules") / ".bin")
    return [folder / programs for folder in (base / name, *others) for programs in inside]


async def probe(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, folder: Path | None = None
) -> bool:
    """Run a program in a folder that should end by itself; whether it did so without complaint."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=None if env is None else dict(env),
            cwd=folder,
            **apart(),
        )
    except OSError:
        return False
    try:
        output, _ = await asyncio.wait_for(process.communicate(), PROBE_TIMEOUT_S)
    except TimeoutError:
        end_group(process.pid)
        await process.wait()
        await close_pipes(process)
        return True
    said = output[:4096].decode(errors="replace").lower()
    return process.returncode == 0 and not any(text in said for text in SHIM_COMPLAINTS)
