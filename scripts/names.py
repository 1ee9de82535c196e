"""Whether the distribution's name is free: `python scripts/names.py [NAME]`.

PyPI is asked, where it would be published, and npm, where somebody may look for it; both through
their own clients, as they are set up here. Exit code 1 where PyPI says that it is taken.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import identity

ASK_S = 20
CHANGE = (
    f"If it is not ours, change `distribution` in {identity.SOURCE} and run scripts/identity.py."
)
TAKEN = "TAKEN"
UNUSED = "nothing of Surveyor is published there, but who looks there finds something else."


def _ask(*command: str) -> subprocess.CompletedProcess[str] | None:
    """A command with what it prints; None where it is not there or does not answer."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=ASK_S)
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return None


def on_pypi(name: str, version: str = "") -> str:
    """What PyPI says of a name, as a sentence; whether it has this version of ours."""
    done = _ask(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "0"),
        *("index", "versions", name),  # older ones have no --json
    )
    found = re.search("^Available versions: (.+)$", done.stdout, re.MULTILINE) if done else None
    if found:
        versions = found[1].split(", ")
        own = "this version is among them" if version in versions else "not this version"
        return f"PyPI: {name} is {TAKEN}, with {', '.join(versions[:5])} ({own}). {CHANGE}"
    if done and _is_unknown(done.stderr, "No matching distribution"):
        return f"PyPI: {name} is free, as far as pip is told"
    return f"PyPI: {name} could not be asked for"


def on_npm(name: str) -> str:
    """What npm says of a name, as a sentence."""
    done = _ask("npm", "view", "--fetch-retries=0", name, "name", "version", "--json")
    if done and done.returncode == 0:
        return f"npm: {name} is {TAKEN}, at {json.loads(done.stdout)['version']}. No harm: {UNUSED}"
    if done and _is_unknown(done.stderr, "E404"):
        return f"npm: {name} is free"
    return f"npm: {name} could not be asked for"


def _is_unknown(said: str, word: str) -> bool:
    """Whether the index was reached and does not know the name."""
    return word in said and "connection" not in said.lower()


def main() -> int:
    """Ask both."""
    name = sys.argv[1] if sys.argv[1:] else identity.identity().distribution
    answers = [on_pypi(name), on_npm(name)]
    print("\n".join(answers))
    return 1 if TAKEN in answers[0] else 0


if __name__ == "__main__":
    sys.exit(main())
