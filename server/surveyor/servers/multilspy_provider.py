"""The multilspy provider: servers that it knows how to fetch and how to launch.

multilspy pins packages that cannot share our environment, so it has one of its own, below the
servers folder, and a worker in it (`multilspy_worker.py`) that is asked over JSON lines. It fetches
in `surveyor servers install LANG --provider multilspy`; at launch it only says which command to
run, which our own client then runs like any other server: same limits, same group kill.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from surveyor.errors import UsageError
from surveyor.platform.installed_programs import scripts_folder
from surveyor.platform.processes import apart, end_group
from surveyor.servers.discovery import ServerProgram, user_environment
from surveyor.servers.errors import UpstreamError
from surveyor.servers.install import (
    InstallError,
    InstallRecord,
    Say,
    create_venv,
    pip_env,
    remove_folder,
    run,
    write_record,
)
from surveyor.servers.process import guard
from surveyor.servers.registry import LanguageSpec, Registry, ServerSpec, builtin

FETCH_TIMEOUT_S = 1800.0
LAUNCH_TIMEOUT_S = 20.0
PACKAGE = "multilspy>=0.1,<0.2"


@dataclass(frozen=True, slots=True)
class ProviderPaths:
    """Folders of the provider: its environment, and its records."""

    base: Path

    @property
    def venv(self) -> Path:
        """Its virtual environment."""
        return self.base / "multilspy" / "venv"

    @property
    def scripts(self) -> Path:
        """Programs of that environment."""
        return self.venv / scripts_folder()

    def language(self, name: str) -> Path:
        """What was fetched for a language."""
        return self.base / "multilspy" / "languages" / name


async def ask(paths: ProviderPaths, request: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Ask the worker one question; `UpstreamError` with its words when it cannot do it.

    The worker and whatever it started are ended as a group afterwards, in every case.
    """
    script = resources.files("surveyor.servers").joinpath("multilspy_worker.py")
    path = os.pathsep.join([str(paths.scripts), os.environ.get("PATH", os.defpath)])
    with resources.as_file(script) as file:
        process = await asyncio.create_subprocess_exec(
            str(paths.scripts / "python"),
            "-I",  # this folder is not to be searched for modules
            str(file),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**user_environment(), "PATH": path, "PYTHONNOUSERSITE": "1"},
            **apart(),
        )
        guard.add(process.pid)
        try:
            output, errors = await asyncio.wait_for(
                process.communicate(msgspec.json.encode(request) + b"\n"), timeout
            )
        except TimeoutError:
            raise UpstreamError(f"multilspy did not answer within {timeout:g} s") from None
        finally:
            end_group(process.pid)
            await process.wait()
            guard.remove(process.pid)
    for line in reversed(output.splitlines()):
        try:
            answer = msgspec.json.decode(line)
        except msgspec.DecodeError:
            continue
        if isinstance(answer, dict) and answer.get("ok"):
            result: dict[str, Any] = answer["result"]
            return result
        if isinstance(answer, dict) and "error" in answer:
            raise UpstreamError(f"multilspy: {answer['error']}")
    tail = errors.decode(errors="replace").strip()[-1000:]
    raise UpstreamError(f"multilspy's worker gave no answer: {tail}")


def install_language(registry: Registry, what: str, base: Path, say: Say) -> Path:
    """Make the provider's environment if need be and let it fetch a language's server."""
    language = registry.language_of(language_id=what)
    if language is None or not language.multilspy:
        known = ", ".join(sorted(n for n, spec in registry.languages.items() if spec.multilspy))
        raise UsageError(f"multilspy does not know {what!r}.", f"It knows {known}.")
    paths = ProviderPaths(base)
    if not paths.venv.exists():
        try:
            python = create_venv(paths.venv, say)
            run([python, "-m", "pip", "install", PACKAGE], say, env=pip_env())
        except BaseException:
            remove_folder(paths.venv)
            raise
    folder = paths.language(language.name)
    remove_folder(folder)
    folder.mkdir(parents=True)
    say(f"multilspy fetches its server for {language.name}")
    request = {"do": "fetch", "language": language.multilspy, "folder": str(folder)}
    try:
        asyncio.run(ask(paths, request, FETCH_TIMEOUT_S))
    except UpstreamError as error:
        remove_folder(folder)
        raise InstallError(error.message, "Its requirements are in multilspy's README.") from error
    except BaseException:
        remove_folder(folder)
        raise
    record = InstallRecord(f"multilspy-{language.name}", "multilspy", [PACKAGE], [language.name])
    write_record(folder, record)
    return folder


async def launch(base: Path | None, language: LanguageSpec, root: Path) -> ServerProgram | None:
    """What to run for a language that the provider has fetched; `None` when it has not.

    Raises `UpstreamError` when the worker fails. Fetches nothing.
    """
    if base is None or not language.multilspy:
        return None
    paths = ProviderPaths(base)
    folder = paths.language(language.name)
    if not (folder / "surveyor-install.json").is_file():
        return None
    request = {
        "do": "launch",
        "language": language.multilspy,
        "folder": str(folder),
        "root": str(root),
    }
    info = await ask(paths, request, LAUNCH_TIMEOUT_S)
    command = [str(part) for part in info["command"]]
    path = os.pathsep.join([str(paths.scripts), os.environ.get("PATH", os.defpath)])
    program = shutil.which(command[0], path=path)
    if program is None:
        raise UpstreamError(f"multilspy's program {command[0]} is not there.")
    spec = replace(
        known_spec(language, Path(program).name),
        initialization_options=info.get("initializationOptions"),
    )
    return ServerProgram(
        spec, (program, *command[1:]), "multilspy", {"PATH": path, **info.get("env", {})}
    )


def known_spec(language: LanguageSpec, program: str) -> ServerSpec:
    """Our data about the program that multilspy launches, under a name that says so."""
    for spec in builtin().servers.values():
        if spec.command[0] == program:
            return replace(spec, name=f"multilspy-{spec.name}", languages=(language.name,))
    return ServerSpec(f"multilspy-{language.name}", (program,), (language.name,))
