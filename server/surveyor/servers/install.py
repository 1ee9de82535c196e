"""`surveyor servers install`: PyPI and npm servers, in environments of our own.

The only place of this package, with `multilspy_provider.py`, that fetches anything, and
only when a person asks. One folder a server below the data folder; removing it removes everything.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from surveyor.errors import NotFoundError, SurveyorError, UsageError, reason_of
from surveyor.paths import make_private
from surveyor.platform.installed_programs import python_of
from surveyor.servers.discovery import RECORD
from surveyor.servers.registry import Registry, ServerSpec

INSTALL_TIMEOUT_S = 1800.0

Say = Callable[[str], None]


class InstallError(SurveyorError):
    """An installer failed; its output is in the message."""

    code = "install_failed"


class InstallRecord(msgspec.Struct):
    """What was installed in a server's folder."""

    server: str
    provider: str
    packages: list[str]
    languages: list[str]


def servers_folder(data: Path) -> Path:
    """Where installed servers are."""
    return data / "servers"


def choose(registry: Registry, what: str) -> ServerSpec:
    """The server that a language or server name means for installing.

    For a language: its first server that can be installed. Raises `UsageError` with what to do.
    """
    if what in registry.servers:
        spec = registry.servers[what]
        if spec.install.pypi or spec.install.npm:
            return spec
        raise UsageError(f"{what} is not on PyPI or npm.", spec.install.hint)
    language = registry.language_of(language_id=what)
    if language is None:
        known = ", ".join(sorted(registry.languages))
        raise UsageError(f"No language or server is called {what!r}.", f"Languages: {known}")
    candidates = registry.candidates(language.name)
    for spec in candidates:
        if spec.install.pypi or spec.install.npm:
            return spec
    hints = "; ".join(spec.install.hint for spec in candidates if spec.install.hint)
    raise UsageError(f"No server for {language.name} is on PyPI or npm.", hints)


def install(spec: ServerSpec, base: Path, say: Say) -> Path:
    """Install a server below `base` and return its folder; replaces an earlier install.

    Raises `InstallError` when a tool is missing or fails; nothing is left then.
    """
    make_private(base.parent)
    base.mkdir(exist_ok=True)
    folder = base / spec.name
    remove_folder(folder)
    folder.mkdir()
    try:
        packages = [*spec.install.pypi, *spec.install.npm]
        if spec.install.pypi:
            python = create_venv(folder / "venv", say)
            run([python, "-m", "pip", "install", *spec.install.pypi], say, env=pip_env())
        if spec.install.npm:
            npm = shutil.which("npm")
            if npm is None:
                raise InstallError(
                    f"{spec.name} comes from npm, which is not on PATH.",
                    "Install Node.js (https://nodejs.org) and try again.",
                )
            run(
                [
                    npm,
                    "install",
                    "--prefix",
                    str(folder),
                    "--no-audit",
                    "--no-fund",
                    "--loglevel=error",
                    *spec.install.npm,
                ],
                say,
            )
        write_record(folder, InstallRecord(spec.name, "packages", packages, list(spec.languages)))
    except BaseException:
        remove_folder(folder)
        raise
    return folder


def create_venv(folder: Path, say: Say) -> str:
    """Create a virtual environment and return its Python."""
    run([base_python(), "-m", "venv", str(folder)], say)
    return str(python_of(folder))


def base_python() -> str:
    """The interpreter that this one's environment was made from, where it can be found."""
    return getattr(sys, "_base_executable", None) or sys.executable


def pip_env() -> dict[str, str]:
    """Environment for pip: no questions, no advertising for itself."""
    return {**os.environ, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(
    command: Sequence[str],
    say: Say,
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> None:
    """Run an installer, telling what is run. Raises `InstallError` with the end of its output."""
    say("$ " + shlex.join(command))
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=None if env is None else dict(env),
                cwd=cwd,
                timeout=INSTALL_TIMEOUT_S,
                check=False,
            )
        except OSError as error:
            raise InstallError(f"{command[0]} cannot be run: {reason_of(error)}") from error
        except subprocess.TimeoutExpired as error:
            raise InstallError(f"{command[0]} did not end within 30 minutes") from error
        if done.returncode:
            output.seek(0)
            tail = output.read()[-3000:].decode(errors="replace").strip()
            raise InstallError(f"{' '.join(command)} ended with {done.returncode}:\n{tail}")


def write_record(folder: Path, record: InstallRecord) -> None:
    """Note in a server's folder what is in it; its presence marks a finished install."""
    (folder / RECORD).write_bytes(msgspec.json.encode(record))


def installed(base: Path) -> list[InstallRecord]:
    """Finished installs, multilspy's languages included."""
    records = []
    for path in sorted([*base.glob(f"*/{RECORD}"), *base.glob(f"multilspy/languages/*/{RECORD}")]):
        try:
            records.append(msgspec.json.decode(path.read_bytes(), type=InstallRecord))
        except (OSError, msgspec.DecodeError):
            continue
    return records


def remove(what: str, registry: Registry, base: Path) -> list[str]:
    """Remove a server, all of a language's, or `multilspy`; returns what was removed.

    Raises `NotFoundError` when nothing of that name is installed.
    """
    language = registry.language_of(language_id=what)
    names = {what} | (
        {spec.name for spec in registry.candidates(language.name)} if language else set()
    )
    removed = []
    for record in installed(base):
        if record.provider == "multilspy":
            if what != record.server and not (language and language.name in record.languages):
                continue
            folder = base / "multilspy" / "languages" / record.server.removeprefix("multilspy-")
        elif record.server in names:
            folder = base / record.server
        else:
            continue
        remove_folder(folder)
        removed.append(record.server)
    if what == "multilspy" and (base / "multilspy").exists():
        remove_folder(base / "multilspy")
        removed.append("multilspy")
    if not removed:
        have = ", ".join(record.server for record in installed(base)) or "nothing"
        raise NotFoundError(f"{what} is not installed by Surveyor.", f"Installed: {have}")
    return removed


def remove_folder(folder: Path) -> None:
    """Remove an install's folder if there is one."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
