"""Who the user is: the owner of files and processes, homes, and what new files are open to.

Windows has no numbers for users: what is another's there is so by access lists, which the user's
own folders have from the system.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

__all__ = [
    "account_home",
    "chown",
    "current_umask",
    "has_account",
    "is_mine",
    "is_of_another",
    "own_id",
    "usual_config_dir",
]


def own_id() -> int:
    """The user's number, for names of folders; 0 where there is none."""
    if sys.platform == "win32":
        return 0
    return os.getuid()


def is_mine(status: os.stat_result) -> bool:
    """Whether a file belongs to the user, as far as the system says whose it is."""
    return status.st_uid == own_id() or sys.platform == "win32"


def is_of_another(status: os.stat_result) -> bool:
    """Whether a file that the user makes anew would have another owner or group than this one.

    Root can give it any.
    """
    if sys.platform == "win32" or os.geteuid() == 0:
        return False
    return status.st_uid != os.geteuid() or status.st_gid not in {os.getegid(), *os.getgroups()}


def chown(file: Path, wanted: os.stat_result) -> None:
    """Give a file the owner and group of another, where the user may."""
    if sys.platform == "win32":
        return
    status = file.stat()
    if (wanted.st_uid, wanted.st_gid) != (status.st_uid, status.st_gid):
        with contextlib.suppress(PermissionError):
            os.chown(file, wanted.st_uid, wanted.st_gid)


def current_umask() -> int:
    """That of this process, which can only be read by setting it."""
    own = os.umask(0o077)
    os.umask(own)
    return own


def account_home() -> Path | None:
    """The user's home as the system's list of users has it, whatever the environment says."""
    if sys.platform == "win32":
        return None
    import pwd  # Windows has none

    with contextlib.suppress(KeyError, OSError):
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return None


def has_account(name: str) -> bool:
    """Whether the system knows a user by a name. On Windows each folder among the homes counts."""
    if sys.platform == "win32":
        return True
    import pwd  # Windows has none

    try:
        pwd.getpwnam(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


def usual_config_dir(program: str) -> Path:
    """Where a program's settings are when no variable says otherwise."""
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        return Path(platformdirs.user_config_dir(program, appauthor=False))
    return Path.home() / ".config" / program
