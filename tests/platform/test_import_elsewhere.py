"""The package can be imported where the modules of POSIX are missing, and decides by the platform
in few places."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[2] / "server"

POSIX_MODULES = {"fcntl", "grp", "posix", "pwd", "resource", "termios", "tty", "pty", "syslog"}
PLATFORM_MODULES = POSIX_MODULES | {"msvcrt", "_winapi", "winreg", "select"}
PLATFORM_NAMES = {
    "sys": {"platform", "getwindowsversion"},
    "os": {
        "O_DIRECTORY", "O_NOFOLLOW", "chown", "fchmod", "fork", "getegid", "geteuid", "getgid",
        "getgroups", "getpgid", "getuid", "kill", "killpg", "name", "nice", "set_blocking",
        "setsid", "supports_dir_fd", "sysconf", "waitid",
    },
    "signal": {"SIGBUS", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2"},
    "socket": {"AF_UNIX", "SO_PEERCRED"},
    "asyncio": {"open_unix_connection", "start_unix_server"},
    "loop": {"add_signal_handler"},
}  # fmt: skip
MENTIONED = re.compile(
    r"\b(?:"
    + "|".join(sorted(PLATFORM_MODULES.union(*PLATFORM_NAMES.values())))
    + r"|start_new_session|creationflags)\b"
)
ALLOWED = {
    "surveyor.process_memory": "memory: /proc, resource",
    "surveyor.machine.resources": "what the machine has",
    "surveyor.engine.index.observer": "which observer hears of changes",
    "surveyor.engine.index.inotify": "of Linux alone, imported there",
    "surveyor.installation.service_managers": "systemd, launchd, the Task Scheduler",
    "surveyor.files.forbidden": "the system's own folders",
    "surveyor.cli.doctor": "says on which system it runs",
}
"""Modules outside `surveyor.platform` that are the one for their subject."""


def _decisions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in PLATFORM_MODULES:
                    yield node.lineno, f"import {alias.name}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in PLATFORM_NAMES.get(node.value.id, ()):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg in ("start_new_session", "creationflags"):
            yield node.value.lineno, node.arg


def test_only_one_module_for_each_subject_decides_by_the_platform() -> None:
    """Put it into the module of `surveyor.platform` that has its subject, or make one."""
    found = []
    for path in sorted((SERVER / "surveyor").rglob("*.py")):
        name = ".".join(path.relative_to(SERVER).with_suffix("").parts)
        if name in ALLOWED or name.startswith("surveyor.platform."):
            continue
        text = path.read_text(encoding="utf-8")
        if MENTIONED.search(text) is None:  # parsing all takes seconds
            continue
        tree = ast.parse(text)
        found += [f"{name}:{line} {what}" for line, what in _decisions(tree)]
    assert found == []


def test_what_one_platform_lacks_is_imported_where_it_is_used() -> None:
    """Import it inside the function that needs it, behind its question for the platform."""
    found = []
    for path in sorted((SERVER / "surveyor").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if MENTIONED.search(text) is not None:
            found += [
                f"{path.name}: {alias.name}"
                for node in ast.parse(text).body
                if isinstance(node, ast.Import)
                for alias in node.names
                if alias.name in PLATFORM_MODULES - {"select"}
            ]
    assert found == []


def test_decisions_are_seen() -> None:
    text = "import fcntl\nif sys.platform == 'x': os.killpg(1, 9)\nf(start_new_session=True)"
    assert len(list(_decisions(ast.parse(text)))) == 4


HIDING = """
import importlib, pkgutil, sys
hidden = set(sys.argv[1].split(","))
# What the standard library or a dependency needs of them on this system is imported before.
import asyncio, subprocess, getpass, multiprocessing, psutil, watchdog.observers, textual.app
import pathlib, tarfile, shutil, mcp, uvicorn

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name in hidden:
            raise ModuleNotFoundError(name)

for name in hidden:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hide())
sys.path_importer_cache.clear()
import surveyor
failed = []
for found in pkgutil.walk_packages(surveyor.__path__, "surveyor."):
    if found.name.endswith(("__main__", ".inotify", ".multilspy_worker")):
        continue
    try:
        importlib.import_module(found.name)
    except ModuleNotFoundError as error:
        failed.append(f"{found.name}: {error}")
print("\\n".join(failed))
"""


@pytest.mark.slow
def test_every_module_can_be_imported_without_those_of_posix() -> None:
    hidden = sorted(POSIX_MODULES - {"posix"})
    done = subprocess.run(
        [sys.executable, "-c", HIDING, ",".join(hidden)],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": str(SERVER), "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
