"""How this Surveyor was installed, and so by which command it is brought up to date.

Each tool leaves a mark: pip and uv name themselves in `INSTALLER`, a folder or archive stands in
`direct_url.json` (PyPA's "Recording installed projects" and "direct URL" specifications), uv tool
and pipx leave files at the root of the environment.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from surveyor import paths

DISTRIBUTION = "surveyor"
"""The package's name where packages are found."""

UV_CACHES = ("archive-v0", "environments-v2")
"""Folders of uv's cache that hold environments of `uvx`."""


@dataclass(frozen=True)
class Origin:
    """Who installed this Surveyor."""

    kind: str
    """In words, for people."""
    update: str
    """The command that brings it up to date; a sentence where there is none."""
    is_released: bool = True
    """Whether it came from where releases are found."""


def origin() -> Origin:
    """How the Surveyor that runs was installed."""
    try:
        installed = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return Origin("not installed: run from a folder of source", "git pull", is_released=False)
    return origin_of(installed, Path(sys.prefix), Path(sys.executable))


def origin_of(installed: Distribution, prefix: Path, python: Path) -> Origin:
    """How a distribution in an environment was installed."""
    if (found := _by_hand(installed)) is not None:
        return found
    if is_ephemeral(python):
        return Origin("uvx", f"uvx {DISTRIBUTION}@latest")
    if (prefix / "uv-receipt.toml").exists():
        return Origin("uv tool", f"uv tool upgrade {DISTRIBUTION}")
    if (prefix / "pipx_metadata.json").exists():
        return Origin("pipx", f"pipx upgrade {DISTRIBUTION}")
    if prefix.is_relative_to(paths.data_dir() / "environments"):
        return Origin("the VS Code extension", "The extension brings it up to date with itself.")
    if "Cellar" in prefix.parts:
        return Origin("Homebrew", f"brew upgrade {DISTRIBUTION}")
    if prefix.is_relative_to("/nix/store"):
        return Origin("Nix", "Update the flake or channel that it comes from.")
    location = Path(str(installed.locate_file("")))
    if location.parts[-2:] == ("python3", "dist-packages"):
        return Origin("a package of the system", f"apt install --only-upgrade {DISTRIBUTION}")
    if (prefix / "conda-meta" / "history").exists() and _installer(installed) == "conda":
        return Origin("conda", f"conda update {DISTRIBUTION}")
    quoted = shlex.quote(str(python))
    if _installer(installed) == "uv":
        return Origin("uv pip", f"uv pip install --python {quoted} --upgrade {DISTRIBUTION}")
    if not location.is_relative_to(prefix):
        return Origin("pip --user", f"{quoted} -m pip install --user --upgrade {DISTRIBUTION}")
    return Origin("pip", f"{quoted} -m pip install --upgrade {DISTRIBUTION}")


def is_ephemeral(python: Path) -> bool:
    """Whether an interpreter belongs to an environment that its maker may remove at any time."""
    return any(folder in python.parts for folder in UV_CACHES)


def _installer(installed: Distribution) -> str:
    return (installed.read_text("INSTALLER") or "").strip()


def _by_hand(installed: Distribution) -> Origin | None:
    """From a folder, an archive or a repository that somebody named."""
    try:
        direct = json.loads(installed.read_text("direct_url.json") or "null")
        address = direct["url"]
    except (ValueError, TypeError, KeyError):
        return None
    if "vcs_info" in direct:
        return Origin(f"from {address}", f"Install it anew from {address}.", is_released=False)
    place = unquote(urlsplit(address).path) if address.startswith("file:") else address
    if direct.get("dir_info", {}).get("editable"):
        update = f"git -C {shlex.quote(place)} pull"
        return Origin(f"a clone ({place})", update, is_released=False)
    return Origin(f"from {place}", f"Install it anew from {place}.", is_released=False)
