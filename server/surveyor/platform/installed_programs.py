"""Where programs and their settings lie: environments of Python, applications of the desktop."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["application_folder", "python_names", "python_of", "scripts_folder", "xdg_folder"]


def scripts_folder() -> str:
    """The folder of an environment's programs, below it."""
    return "Scripts" if sys.platform == "win32" else "bin"


def python_names() -> tuple[str, ...]:
    """Where an environment may have its Python, below it."""
    return ("Scripts/python.exe",) if sys.platform == "win32" else ("bin/python", "bin/python3")


def python_of(environment: Path) -> Path:
    """The Python of an environment that was just made."""
    return environment / python_names()[0]


def application_folder(name: str, config: Path) -> Path:
    """Where a desktop application keeps its files; `config` is `XDG_CONFIG_HOME`."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / name
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / name
    return config / name


def xdg_folder(name: str, config: Path) -> Path:
    """Where a program keeps its settings that follows XDG on macOS as well, and on Windows goes to
    `%APPDATA%`, with a capital."""
    return application_folder(name.title(), config) if sys.platform == "win32" else config / name
