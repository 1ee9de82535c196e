"""Replacing a user's file in one step: whoever reads it sees the old text or the new one."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from surveyor.paths import make_private

PRIVATE = 0o600
COMMON = 0o666


def replace_text(file: Path, text: str, mode: int = COMMON) -> None:
    """Write a file with the permissions that it has, or `mode` less the umask where it is new.

    A link is followed, not replaced: many keep their settings elsewhere. Line ends stay as they
    are in `text`. Raises `OSError`, and leaves nothing behind then.
    """
    target = file.resolve()
    if mode == PRIVATE:
        make_private(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".surveyor-{os.urandom(4).hex()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
