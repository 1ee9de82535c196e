"""Commands that benches run: git in a clone, and the product."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def git(clone: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=clone, check=True, capture_output=True, text=True
    ).stdout


def surveyor(*arguments: str) -> str:
    """What a command prints; its code says whether something was found."""
    command = [sys.executable, "-m", "surveyor", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout
