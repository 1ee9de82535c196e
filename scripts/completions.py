"""Write the scripts by which shells complete commands, for those who package Surveyor.

python scripts/completions.py

They are what `surveyor --show-completion` prints in each shell, under the name by which the shell
finds them in the folder that the wheel puts them in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "packaging" / "completions"
FILES = {"bash": "surveyor", "zsh": "_surveyor", "fish": "surveyor.fish"}
"""By shell: its folder is `packaging/completions/SHELL`."""

ZSH_TAIL = "compdef _surveyor_completion surveyor"
ZSH_AUTOLOADED = """\
if [ "$funcstack[1]" = "_surveyor" ]; then
  _surveyor_completion "$@"
else
  compdef _surveyor_completion surveyor
fi"""
"""zsh reads the file when completion is first asked for, and calls it then: it has to answer."""


def script(shell: str) -> str:
    """What the file of a shell holds."""
    command = Path(sys.executable).with_name("surveyor")
    # The option would detect the shell that it is called from.
    environment = os.environ | {"_SURVEYOR_COMPLETE": f"source_{shell}"}
    said = subprocess.run(
        [command], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert shell != "zsh" or ZSH_TAIL in said
    return said.replace(ZSH_TAIL, ZSH_AUTOLOADED).strip() + "\n"


def target(shell: str) -> Path:
    """Where the file of a shell lies."""
    return FOLDER / shell / FILES[shell]


if __name__ == "__main__":
    for shell in FILES:
        target(shell).parent.mkdir(parents=True, exist_ok=True)
        target(shell).write_text(script(shell), encoding="utf-8")
