"""`surveyor doctor`: what is wrong, what to do, and a report to send."""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surveyor import __version__
from surveyor.cli import output
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.protocol.engine import Finding

INOTIFY_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
FEW_WATCHES = 16_384
NAMING_SETTINGS = {
    "watching": ("patterns", "ignore_patterns"),
    "memory": ("notes", "transcripts"),
    "search": ("reranker",),
    "ask": ("endpoint", "model", "api_key"),
}
"""Settings naming files, folders or servers, and keys: a report says only that there are any."""
LEFT_PATH = re.compile(r"(?<![\w>~.:/])(?:/[^\s/'\",:;)]+){2,}/?")
"""A path that is in none of the folders which a report has numbers for."""
PROBE_BYTES = 4096
"""An empty file can be made on a full disk."""


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Make again what is derived.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    report: Annotated[
        Path | None,
        typer.Option("--output", help="Write a report to send: no code, no secrets, no names."),
    ] = None,
    no_measure: Annotated[
        bool, typer.Option("--no-measure", help="Do not measure the model's speed (two seconds).")
    ] = False,
) -> None:
    """Find what is wrong, and repair what is derived; say what this machine carries.

    Exit codes: 0 nothing wrong (or all repaired), 1 something is wrong, 4 no engine can run.
    """
    from surveyor.errors import SurveyorError

    findings = _here() + outdated_hooks()
    advice, machine = _machine(not no_measure)
    findings += advice
    failure: SurveyorError | None = None
    try:
        if repair:
            findings += _repair_offline()
        asked = _ask_engine(repair)
        if repair and any(each.check == "state" and not each.ok for each in asked):
            from surveyor.cli.engine_end import end_engine

            end_engine(quietly=True)  # it cannot be repaired beneath an engine
            findings += _repair_offline()
            asked = _ask_engine(repair)
        findings += asked
    except SurveyorError as error:
        failure = error
        findings.append(_finding("engine", False, error.message, error.hint))
    if report is not None:
        with output.friendly_errors():
            _write_report(report, findings)
        output.note(f"Written to {report}; read it before you send it.")
    if json:
        output.print_json({"findings": findings, "machine": machine})
    else:
        for each in findings:
            mark = "ok  " if each.ok else "done" if each.repaired else "BAD "
            output.say(f"{mark} {each.check:<10} {each.message}")
            if each.hint and not each.ok:
                output.say(f"{'':15} {each.hint}")
    if failure is not None:
        raise typer.Exit(failure.exit_code)
    if any(not each.ok and not each.repaired for each in findings):
        raise typer.Exit(1)


def _finding(check: str, ok: bool, message: str, hint: str = "") -> Finding:
    from surveyor.protocol.engine import Finding

    return Finding(check=check, ok=ok, message=message, hint=hint)


def _here() -> list[Finding]:
    """What can be said without the engine."""
    from surveyor import paths
    from surveyor.errors import NO_ROOM_ERRNOS

    versions = (
        f"surveyor {__version__}, Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}, {platform.system()} {platform.release()}"
    )
    findings = [_finding("versions", True, versions)]
    data = paths.data_dir()
    try:
        paths.make_private(data)
        probe = data / ".writable"
        try:
            probe.write_bytes(bytes(PROBE_BYTES))
        finally:
            probe.unlink(missing_ok=True)
        findings.append(_finding("data", True, f"{data} can be written"))
    except OSError as error:
        findings.append(
            _finding(
                "data",
                False,
                f"{data} cannot be written: {error.strerror}",
                "Free some space, or set SURVEYOR_DATA_DIR to a folder on another disk."
                if error.errno in NO_ROOM_ERRNOS
                else "Give your user write access, or set SURVEYOR_DATA_DIR to another folder.",
            )
        )
    if INOTIFY_LIMIT.exists():
        limit = int(INOTIFY_LIMIT.read_text())
        findings.append(
            _finding(
                "inotify",
                limit >= FEW_WATCHES,
                f"{limit} folders can be watched",
                "As root: sysctl fs.inotify.max_user_watches=524288",
            )
        )
    return findings


def outdated_hooks() -> list[Finding]:
    """Hooks of agents that an earlier version set up, here and for the user."""
    from surveyor.mcp import clients, plugin

    hint = "`surveyor setup claude-code{}` writes it anew."
    scopes: tuple[tuple[clients.Scope, str], ...] = (("user", ""), ("project", " --project"))
    found = []
    for scope, option in scopes:
        file = clients.outdated_hook(scope, Path.cwd())
        if file is not None:
            said = f"the hook in {file} is of an earlier version, and may hold a session up"
            found.append(_finding("hooks", False, said, hint.format(option)))
    if plugin.is_outdated():
        said = "Claude Code's plugin is of an earlier version, and its hooks may hold a session up"
        found.append(_finding("hooks", False, said, hint.format(" --plugin")))
    return found


def _machine(measure: bool) -> tuple[list[Finding], dict[str, Any]]:
    """What this machine carries, in words and for JSON."""
    from surveyor.cli import hardware
    from surveyor.config import load

    settings = load().settings
    model = settings.model.name
    machine = hardware.survey()
    speed = hardware.measured(model, settings) if measure else None
    narrow = hardware.too_little(machine, settings)
    there = f"{hardware.cores_said(machine.cores)}, {hardware.memory_said(machine.memory)}{narrow}"
    findings = [
        _finding("machine", True, there),
        _finding("accelerator", True, hardware.accelerator_said(machine, speed)),
    ]
    fits = taken = None
    if isinstance(speed, str):
        hint = "`surveyor models list` names those that can be used."
        findings.append(_finding("model", False, f"{model}: {speed}", hint))
    elif speed is not None:
        fits, taken = hardware.carries(machine, speed, settings), hardware.speed_json(speed)
        findings.append(_finding("model", True, f"{model}: {hardware.speed_said(speed)}, measured"))
        findings.append(_finding("capacity", True, hardware.capacity_said(fits)))
    said = hardware.as_json(machine, fits)
    said["model"] = {"name": model, "speed": taken}
    return findings, said


def _repair_offline() -> list[Finding]:
    """A state.db that the engine cannot open is repaired before it is started."""
    from surveyor import paths
    from surveyor.engine_lock import is_held

    data = paths.data_dir()
    from surveyor.store.state.second_copy import spare_of

    path = data / "state.db"
    if not (path.exists() or spare_of(path).exists()):
        return []
    if is_held(paths.runtime_dir(data) / "engine.lock"):
        return []
    from surveyor.engine.process.repair import repair_state

    return repair_state(data)


def _ask_engine(repair: bool) -> list[Finding]:
    from surveyor.client.blocking import connect
    from surveyor.protocol.engine import DoctorRequest

    with connect() as client:
        assert client.welcome is not None
        answers = _finding("engine", True, f"engine {client.welcome.version} answers")
        return [answers, *client.call(DoctorRequest(repair=repair)).findings]


def _write_report(path: Path, findings: list[Finding]) -> None:
    """Versions, counts, settings and findings, with folders replaced by numbers."""
    from surveyor import paths
    from surveyor.client.blocking import call
    from surveyor.config import load
    from surveyor.errors import SurveyorError, UsageError
    from surveyor.files.writing import write_output
    from surveyor.protocol.engine import StatusRequest

    settings = load().settings.model_dump(mode="json")
    for section in ("qdrant", "environment", "upstream"):
        settings.pop(section, None)
    for section, keys in NAMING_SETTINGS.items():
        settings[section] = {
            key: "<hidden>" if key in keys and value else value
            for key, value in settings[section].items()
        }
    lines: list[Any] = [f"surveyor {__version__} on {sys.platform}", "", "## Findings"]
    lines += [f"{'ok' if f.ok else 'BAD'} {f.check}: {f.message}" for f in findings]
    lines += ["", "## Settings", *(f"{k}: {v}" for k, v in settings.items()), "", "## Projects"]
    names: dict[str, str] = {str(paths.data_dir()): "<data>", str(Path.home()): "~"}
    try:
        status = call(StatusRequest(), start=False)
        lines += [f"queue {status.queue}, memory {status.anonymous_bytes}"]
        for number, project in enumerate(status.projects, 1):
            names[project.root] = names[project.name] = f"<project {number}>"
            lines.append(
                f"<project {number}>: {project.status}, {counted(project.files, 'file')},"
                f" {counted(project.chunks, 'chunk')}, {project.skipped} skipped,"
                f" {project.languages}"
            )
    except SurveyorError as error:
        lines.append(f"no engine: {error.message}")
    text = "\n".join(str(line) for line in lines) + "\n"
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", names[name], text)
    text = LEFT_PATH.sub("<path>", text)
    try:
        write_output(path, text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
