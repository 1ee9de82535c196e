"""Where Surveyor keeps its data, its sockets and its configuration."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path

from surveyor.errors import EngineUnavailableError
from surveyor.platform import endpoints, users

USER_PYTHONPATH = "_SURVEYOR_USER_PYTHONPATH"
"""Variable in which an engine is told the `PYTHONPATH` of who started it; its own is for itself."""
user_umask = -1
"""That of who started the engine, for programs that write into projects; -1: as ours."""
SOCKET_PATH_LIMIT_BYTES = 100
"""Longest path used for a Unix socket: `sun_path` holds 104 bytes on macOS, 108 on Linux."""


def data_dir() -> Path:
    """Folder that holds everything Surveyor stores; `SURVEYOR_DATA_DIR` moves it."""
    chosen = os.environ.get("SURVEYOR_DATA_DIR")
    if chosen:
        return Path(chosen).expanduser().resolve()
    import platformdirs

    return Path(platformdirs.user_data_dir("surveyor", appauthor=False))


def config_file() -> Path:
    """The user's configuration file; `SURVEYOR_CONFIG` moves it."""
    chosen = os.environ.get("SURVEYOR_CONFIG")
    if chosen:
        return Path(chosen).expanduser().resolve()
    if os.environ.get("SURVEYOR_DATA_DIR"):
        return data_dir() / "surveyor.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("surveyor", appauthor=False)) / "surveyor.toml"


def usual_config_file() -> Path:
    """Where the user's configuration file is when no variable says otherwise."""
    return users.usual_config_dir("surveyor") / "surveyor.toml"


REPOSITORY_MARKS = (
    ".git", ".hg", ".svn", ".jj",
    ".envrc", ".mcp.json", ".vscode", ".devcontainer", ".idea", ".zed",
)  # fmt: skip
"""What tells a folder that others may have written: checkouts, and what sets variables in them."""


def carrying_repository(file: Path) -> Path | None:
    """The folder of somebody's repository that a file lies in, if any.

    Variables say where settings are, and a repository can set those of what is started in it: a
    file that it carries is the repository's, whatever names it. The user's usual file never is,
    and folders are looked at up to the home folder, which is the user's.
    """
    if file == usual_config_file():
        return None
    home = Path.home()
    for folder in real_path(file).parents:
        if folder in (home, folder.parent):
            return None
        if any(is_there(folder / mark) for mark in REPOSITORY_MARKS):
            return folder
    return None


def last_good_file() -> Path:
    """What the settings files said when they could last be read; only the engine writes it."""
    return data_dir() / "settings.json"


def runtime_dir(data: Path) -> Path:
    """Folder (mode 0700) of the engine's sockets and lock for one data folder.

    Inside the data folder, unless that cannot be written or the path is too long: then in the
    user's runtime or temporary folder, under a name derived from the data folder, for as long as an
    engine runs. Raises `EngineUnavailableError` where somebody else has made that one.
    """
    inside = data / "run"
    fits = len(os.fsencode(inside / "session.sock")) <= SOCKET_PATH_LIMIT_BYTES
    if not endpoints.is_unix() or (fits and not is_read_only(data)):
        return inside
    import hashlib  # only here: every relay of an agent imports this module
    import tempfile

    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    short = Path(base) / f"surveyor-{users.own_id()}-{digest}"
    if len(os.fsencode(short / "session.sock")) > SOCKET_PATH_LIMIT_BYTES:
        short = Path("/tmp") / f"surveyor-{users.own_id()}-{digest}"
    with contextlib.suppress(FileNotFoundError):
        found = short.lstat()
        if not users.is_mine(found) or not stat.S_ISDIR(found.st_mode):
            raise EngineUnavailableError(
                f"{short} is not a folder of yours: whoever made it could read what you ask",
                "Set SURVEYOR_DATA_DIR to a folder with a shorter path.",
            )
    return short


def log_file(data: Path) -> Path:
    """The engine's log."""
    if is_read_only(data):
        return runtime_dir(data) / "engine.log"
    return data / "logs" / "engine.log"


def is_read_only(data: Path) -> bool:
    """Whether there is an index that can be read, in a folder that cannot be written."""
    return not os.access(data, os.W_OK) and os.access(data / "state.db", os.R_OK)


def make_folders(data: Path) -> Path:
    """Make what an engine needs before it can say anything; returns its runtime folder.

    New folders can be read by the user only: the index holds their code. Raises `OSError`.
    """
    runtime = runtime_dir(data)
    for folder in (data, log_file(data).parent, runtime):
        make_private(folder)
        if stat.S_IMODE(folder.stat().st_mode) & 0o077 and folder.is_relative_to(data):
            with contextlib.suppress(OSError):  # it was there before
                folder.chmod(0o700)
    runtime.chmod(0o700)
    return runtime


def make_private(folder: Path) -> None:
    """Make a folder that only the user can read, where it is not there yet. Raises `OSError`."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def close_to_others(data: Path) -> None:
    """Take every right of others from what is in the data folder, however it came there.

    Links are not followed; what belongs to somebody else stays as it is.
    """
    left = [str(data)]
    while left:
        folder = left.pop()
        with contextlib.suppress(OSError):
            _take_rights(folder, os.stat(folder).st_mode)  # noqa: PTH116
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        with contextlib.suppress(OSError):
                            _take_rights(entry.path, entry.stat(follow_symlinks=False).st_mode)


def _take_rights(path: str, mode: int) -> None:
    if mode & 0o077:
        os.chmod(path, stat.S_IMODE(mode) & 0o700)  # noqa: PTH101


def leave(data: Path) -> None:
    """Remove the runtime folder where it lies outside the data folder and nothing is in it."""
    runtime = runtime_dir(data)
    if runtime.parent != data:
        with contextlib.suppress(OSError):
            runtime.rmdir()  # but for a log in it


def import_path() -> list[str]:
    """Where a process that we start finds its modules: where we do, but for our working folder.

    `python -m surveyor` puts that first, and there may be a project in it.
    """
    try:
        here = str(Path.cwd())
    except FileNotFoundError:
        here = ""
    added = (
        not sys.flags.safe_path
        and sys.path[:1] == [here]
        and Path(here) != Path(__file__).parents[1]
    )
    return [entry for entry in sys.path[added:] if entry]


def disk_bytes(path: Path) -> int:
    """Bytes that a file, or all the files of a folder, take on disk; holes take none.

    What disappears while it is being counted is left out: folders of stores are replaced at any
    time. Links are not followed.
    """
    total, left = 0, [str(path)]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        with contextlib.suppress(OSError):
                            total += _occupied(entry.stat(follow_symlinks=False))
        except NotADirectoryError:
            with contextlib.suppress(OSError):
                total += _occupied(path.lstat())
        except OSError:
            continue
    return total


def _occupied(status: os.stat_result) -> int:
    blocks: int | None = getattr(status, "st_blocks", None)
    return status.st_size if blocks is None else min(status.st_size, blocks * 512)


# `Path`'s own raise where a folder above may not be entered. What may not be looked at is as good
# as not there.


def is_there(path: str | Path) -> bool:
    """Whether something is at a place where somebody else's folders may be above."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: str | Path) -> bool:
    """Whether a folder is at such a place."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Whether a file is at such a place."""
    return os.path.isfile(path)  # noqa: PTH113


def named_path(path: str | Path) -> Path:
    """A path as somebody wrote it, absolute and without links; it need not be there, nor be
    possible: a `~` of no user stays as it is, as in a shell."""
    return real_path(Path(os.path.expanduser(path)))  # noqa: PTH111 - which raises for those


def real_path(path: Path) -> Path:
    """A path without links and dots, whatever somebody else has put there.

    `Path.resolve` raises for links in a circle (until Python 3.13), for long chains of them and
    for a NUL in a name; such a path is given back absolute, as it is.
    """
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError, RecursionError):
        return Path(os.path.abspath(path))  # noqa: PTH100 - which looks at nothing
