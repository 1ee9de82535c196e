"""The newest release, asked of where the user's package manager looks: only when a person asks.

pip is the one that can say it without installing anything (`--dry-run --report`, version 1 of its
format), whoever installed Surveyor; where the environment has none, uv or pipx lends one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from surveyor.errors import UsageError
from surveyor.installation.origin import DISTRIBUTION

ASK_S = 60.0
"""How long a package manager may take; it tries again by itself when the network is slow."""
RETRIES = "1"
"""Of a package manager by itself; by default pip says nothing for half a minute."""
MARK = "mcp-name: io.github.surveyor/surveyor"
"""In our description: what the registry of MCP servers knows us by. Whoever else may have taken the
name of the distribution somewhere has not got it."""

_NOTHING_FOUND = b"No matching distribution found"
"""What pip ends with where no release is there, and also where it could ask nobody."""
_NOT_ASKED = re.compile(rb"(?im)^WARNING: .*\b(?:connection|ssl|certificate|proxy|fetch|trusted)\b")
_OTHER_PYTHON = re.compile(rb"(?m)^(?:ERROR: )?(Ignored the following versions that require .*)$")


@dataclass(frozen=True)
class Release:
    """What a package manager would install."""

    version: str
    is_ours: bool
    """Whether it is this project, not another of the same name."""
    summary: str


def newest() -> Release | None:
    """What would be installed now for this interpreter; `None` where nothing is published.

    Raises `UsageError` where nobody can be asked.
    """
    said = ""
    for command in _commands():
        try:
            asked = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=ASK_S,
                check=False,
                cwd=os.path.dirname(sys.executable),  # noqa: PTH120
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            said = said or str(error)
            continue
        if asked.returncode == 0:
            return release_of(asked.stdout)
        if _NOTHING_FOUND in asked.stderr:
            hindrance = _hindrance(asked.stderr)
            if not hindrance:
                return None
            said = said or hindrance
            continue
        if b"No module named pip" not in asked.stderr:
            said = said or _last_line(asked.stderr)
    raise UsageError(  # exit code 2: nothing is known
        f"the newest release is not known: {said or 'neither pip nor uv nor pipx is there'}",
        "What is installed goes on working.",
    )


def release_of(report: bytes) -> Release:
    """What a report of pip says of us. Raises `UsageError` for what is none."""
    try:
        found: dict[str, Any] = json.loads(report)["install"][0]["metadata"]
        return Release(
            version=str(found["version"]),
            is_ours=MARK in str(found.get("description", "")),
            summary=str(found.get("summary", "")),
        )
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(
            "the package manager's answer was not understood", f"It lacks {error}."
        ) from error


def is_newer(version: str, than: str) -> bool:
    """Whether one version comes after another (PEP 440)."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version) > Version(than)
    except InvalidVersion:
        return version != than


def _commands() -> Iterator[list[str]]:
    asking = [
        "install", "--quiet", "--retries", RETRIES, "--disable-pip-version-check", "--no-input",
        "--dry-run", "--no-deps",
        "--ignore-installed", "--only-binary", ":all:", "--report", "-", DISTRIBUTION,
    ]  # fmt: skip
    yield [sys.executable, "-m", "pip", *asking]
    if uv := shutil.which("uv"):
        yield [uv, "tool", "run", "pip", "--python", sys.executable, *asking]
    if pipx := shutil.which("pipx"):
        yield [pipx, "runpip", DISTRIBUTION, *asking]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        yield [pip, "--python", sys.executable, *asking]


def _hindrance(stderr: bytes) -> str:
    """Why nothing was found, where that does not mean that nothing is published."""
    if _NOT_ASKED.search(stderr):
        return "your package manager could not reach its index"
    needs_another = _OTHER_PYTHON.search(stderr)
    return needs_another[1].decode(errors="replace").strip() if needs_another else ""


def _last_line(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")
