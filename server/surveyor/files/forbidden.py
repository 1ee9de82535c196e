"""Which folders are never projects, whoever asks: the system's, homes, keys, the temporary one.

A folder is recognised by its real path and by its number on the disk, so that neither a link, a
second mount nor another case of its letters makes it something else.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from surveyor.platform import users

Kind = Literal["system", "above_homes", "keys", "home", "temporary"]

SYSTEM = (
    # Filesystem Hierarchy Standard, and what distributions add
    *("/bin", "/boot", "/dev", "/efi", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/lost+found", "/nix", "/ostree", "/proc", "/run", "/sbin", "/snap", "/sys", "/sysroot"),
    *("/usr", "/var"),
    # macOS
    *("/Applications", "/Library", "/System", "/cores", "/private"),
    # Windows seen from its Linux
    *("/mnt/c/Windows", "/mnt/c/Program Files", "/mnt/c/Program Files (x86)", "/mnt/c/ProgramData"),
)
"""With everything below them."""
SYSTEM_VARIABLES = ("SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramData")
"""Windows names its own folders in these."""

WITHIN_SYSTEM = (
    *("/usr/home", "/usr/src", "/usr/local/src", "/var/home", "/var/tmp", "/var/www"),
    *("/dev/shm", "/run/media", "/private/tmp", "/private/var/tmp", "/private/var/folders"),
    "/System/Volumes/Data/Users",
)
"""What lies below these is people's, though they lie in the system's."""

ONLY_ITSELF = (
    *("/opt", "/srv", "/mnt", "/media", "/Volumes", "/net"),
    *(f"/mnt/{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
)
"""Roots of many things; what lies below them may be a project."""

HOMES = ("/home", "/Users", "/var/home", "/usr/home", "/mnt/c/Users", "/export/home")
"""Folders of homes."""

MOUNTED_PARTS = 2
"""Names of so many parts (`/etc`) are looked for under other names, too; that costs a call each."""

TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm")

KEYS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".pki"),
    *(".config/gcloud", ".config/gh", ".config/op", ".local/share/keyrings"),
    *("Library/Keychains", "Library/Cookies", "AppData/Roaming/Microsoft/Credentials"),
)
"""Below a home: keys and passwords, with everything beneath."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a folder is no project."""

    kind: Kind
    message: str
    hint: str

    @property
    def is_final(self) -> bool:
        """Whether not even `--force` makes it one."""
        return self.kind not in ("home", "temporary")


PROJECT_HINT = "Give a project's folder."
FORCE_HINT = "Give a project's folder, or --force if you mean it."


def refusal_of(folder: Path) -> Refusal | None:
    """Why a folder (its real path) is no project; None where it can be one."""
    if folder.parent == folder:
        return Refusal("system", f"{folder} is the whole file system", PROJECT_HINT)
    homes = _homes()
    if folder in homes or _is_somebodys_home(folder):
        return Refusal("home", f"{folder} is a home and holds far more than a project", FORCE_HINT)
    if _is_one_of(folder, HOMES) or any(folder in home.parents for home in homes):
        return Refusal("above_homes", f"{folder} holds homes, not a project", PROJECT_HINT)
    if _holds_keys(folder, homes):
        return Refusal("keys", f"{folder} is where keys are kept and is never read", PROJECT_HINT)
    if is_temporary(folder):
        said = f"{folder} is the folder for everybody's temporary files"
        return Refusal("temporary", said, FORCE_HINT)
    if _is_systems(folder, homes):
        said = f"{folder} belongs to the system and is never indexed"
        return Refusal("system", said, PROJECT_HINT)
    return None


def is_never_read(folder: Path) -> bool:
    """Whether nothing in a folder is for an agent, even if it had been registered once."""
    refusal = refusal_of(folder)
    return refusal is not None and refusal.is_final


def is_temporary(folder: Path) -> bool:
    """Whether a folder is the system's, or this user's, for temporary files."""
    return _is_one_of(folder, TEMPORARY) or folder == _temporary()


def is_in_temporary(folder: Path) -> bool:
    """Whether a folder is one for temporary files, or in one."""
    return any(is_temporary(each) for each in (folder, *folder.parents))


def _temporary() -> Path | None:
    with contextlib.suppress(OSError):
        return Path(tempfile.gettempdir()).resolve()
    return None


def _homes() -> set[Path]:
    """This user's homes: as the environment says, and as the system's list of users does."""
    found = []
    with contextlib.suppress(RuntimeError, OSError):
        found.append(Path.home().resolve())
    listed = users.account_home()
    if listed is not None:
        with contextlib.suppress(OSError):
            found.append(listed.resolve())
    return {home for home in found if _can_be_home(home)}


def _can_be_home(folder: Path) -> bool:
    """Whether it is one of its own: a daemon's is often `/` or a folder of the system's."""
    if folder.parent == folder:
        return False
    return not _is_systems(folder, set()) or folder.parent.parent == Path("/var")


def _is_somebodys_home(folder: Path) -> bool:
    """Whether a folder is the home of a user of this machine."""
    return _is_one_of(folder.parent, HOMES) and users.has_account(folder.name)


def _holds_keys(folder: Path, homes: set[Path]) -> bool:
    lines = (folder, *folder.parents)
    keys = [home / name for home in homes for name in KEYS]
    return any(_same(each, key) for key in keys for each in lines)


def _is_systems(folder: Path, homes: set[Path]) -> bool:
    if _is_one_of(folder, ONLY_ITSELF):
        return True
    peoples = (*_as_paths(WITHIN_SYSTEM), *homes)
    for above in (folder, *folder.parents):
        for system in _systems():
            if _same(above, system):
                meant = system / folder.relative_to(above)
                return not any(each in meant.parents for each in peoples)
    return False


def _systems() -> Iterator[Path]:
    if sys.platform == "win32":
        yield from (Path(os.environ[name]) for name in SYSTEM_VARIABLES if name in os.environ)
    else:
        yield from _as_paths(SYSTEM)


def _is_one_of(folder: Path, names: tuple[str, ...]) -> bool:
    return any(_same(folder, each) for each in _as_paths(names))


@cache
def _as_paths(names: tuple[str, ...]) -> tuple[Path, ...]:
    """Made once: to make five hundred for each folder took most of the time of its judgement, on
    the event loop of an engine that starts with many projects."""
    return tuple(Path(each) for each in names)


def _same(one: Path, other: Path) -> bool:
    """Whether two paths name one folder, also through a second mount or another case."""
    if one == other or os.path.normcase(one) == os.path.normcase(other):
        return True
    if one.name.casefold() != other.name.casefold() and len(other.parts) > MOUNTED_PARTS:
        return False
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False
