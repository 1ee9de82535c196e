"""The git folder that git is given in place of a repository's own.

Dozens of settings name a program (`core.fsmonitor`, `filter.*.process`, `remote.*.uploadpack`,
`include.path` that brings more of them), each version of git adds some, and the names of filters,
drivers and remotes are the repository's to choose. So git reads none of them. It works in a folder
made for the call: objects, branches and index are the repository's, reached through links; the
configuration is written here, with those few values carried over that say how files are to be read.
There are no hooks in it, no remotes that could be asked for objects, and no folder of the user's.

Git trusts a folder that it is given, whoever owns the files: there is nothing left to be trusted.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from surveyor.files.safe_read import is_regular, is_strange, read_bytes
from surveyor.git import leftovers
from surveyor.git.config_file import Config, user_config, user_excludes, write_value
from surveyor.git.errors import GitError
from surveyor.git.locate import Repository
from surveyor.paths import is_folder, is_there
from surveyor.platform.open_files import link_or_copy

HEAD_MAX_BYTES = 4096

_SHARED_FOLDERS = ("refs", "logs", "reftable")
_SHARED_FILES = ("packed-refs", "shallow", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD")
_INFO_FILES = ("exclude", "attributes", "grafts", "sparse-checkout")
_CARRIED = {
    "core": (
        "autocrlf", "checkstat", "eol", "filemode", "ignorecase", "longpaths", "precomposeunicode",
        "sparsecheckout", "sparsecheckoutcone", "symlinks", "trustctime",
    ),
    "extensions": ("objectformat", "refstorage"),
    "index": ("sparse",),
    "diff": ("algorithm", "renamelimit"),
}  # fmt: skip
"""How files, names and objects are read: words and numbers, no program among them."""
_WORD = re.compile(r"[A-Za-z0-9-]{1,32}")


@contextmanager
def view(repository: Repository) -> Iterator[dict[str, str]]:
    """Make the folder; yields the variables that point git to it, and removes it at the end.

    Raises `GitError` when the repository has something that cannot be read, such as a FIFO.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=leftovers.folder_name()))
    except OSError as error:
        raise GitError(f"no folder could be made for git: {error.strerror or error}") from error
    try:
        try:
            git_dir = _fill(folder, repository)
        except (OSError, ValueError) as error:
            raise GitError(
                f"the repository of {repository.root} cannot be read: {error}"
            ) from error
        yield {
            "GIT_DIR": str(git_dir),
            "GIT_WORK_TREE": str(repository.root),
            "GIT_INDEX_FILE": str(repository.git_dir / "index"),
            "GIT_OBJECT_DIRECTORY": str(repository.common_dir / "objects"),
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(folder: Path, repository: Repository) -> Path:
    """Links and configuration of the folder; returns the part that stands for the worktree's."""
    common, own = repository.common_dir, repository.git_dir
    for path in (own / "index", common / "objects" / "info" / "alternates"):
        _refuse_strange(path)
    (folder / "config").write_bytes(os.fsencode(_configuration(repository)))
    for name in _SHARED_FOLDERS:
        if is_folder(common / name):
            _link(common / name, folder / name)
    (folder / "refs").mkdir(exist_ok=True)
    for name in _SHARED_FILES:
        _link_file(common / name, folder / name)
    (folder / "info").mkdir()
    for name in _INFO_FILES:
        source = own if name == "sparse-checkout" else common
        _link_file(source / "info" / name, folder / "info" / name)
    if own == common:
        _fill_own(folder, own)
        return folder
    worktree = folder / "worktrees" / "one"
    worktree.mkdir(parents=True)
    (worktree / "commondir").write_text("../..\n")
    _fill_own(worktree, own)
    _link_file(own / "info" / "sparse-checkout", worktree / "info" / "sparse-checkout")
    for name in ("refs", "reftable", "logs"):
        if is_folder(own / name):
            _link(own / name, worktree / name)
    head = read_bytes(common / "HEAD", HEAD_MAX_BYTES) if is_there(common / "HEAD") else b""
    (folder / "HEAD").write_bytes(head or b"ref: refs/heads/none\n")
    return worktree


def _fill_own(folder: Path, own: Path) -> None:
    # A copy: git takes a link here for a symbolic reference.
    (folder / "HEAD").write_bytes(read_bytes(own / "HEAD", HEAD_MAX_BYTES))
    for shared in own.glob("sharedindex.*"):
        _link_file(shared, folder / shared.name)


def _link_file(target: Path, link: Path) -> None:
    _refuse_strange(target)
    if is_regular(target):
        link.parent.mkdir(exist_ok=True)
        _link(target, link)


def _refuse_strange(path: Path) -> None:
    if is_strange(path):
        raise GitError(f"{path} is not a regular file, so git is not asked about this repository")


def _link(target: Path, link: Path) -> None:
    if is_there(link) or link.is_symlink():
        return
    link_or_copy(target, link)


def _configuration(repository: Repository) -> str:
    config = repository.config
    users = _carried(user_config())
    carried = {key: value for key, value in users.items() if key[0] != "extensions"}
    carried |= _carried(config)
    is_extended = any(section == "extensions" for section, _ in carried)
    lines = [
        write_value("core", "", "repositoryformatversion", "1" if is_extended else "0"),
        write_value("core", "", "bare", "false"),
        *(write_value(section, "", key, value) for (section, key), value in carried.items()),
        *_upstreams(config),
    ]
    excludes = config.get(("core", ""), {}).get("excludesfile")
    ignored = Path(excludes).expanduser() if excludes else user_excludes()
    if is_regular(ignored):
        lines.append(write_value("core", "", "excludesFile", str(ignored)))
    return "".join(lines)


def _carried(config: Config) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for section, keys in _CARRIED.items():
        values = config.get((section, ""), {})
        for key in keys:
            if _WORD.fullmatch(value := values.get(key, "")):
                found[section, key] = value
    return found


def _upstreams(config: Config) -> Iterator[str]:
    """What `main@{upstream}` means; without addresses, nothing can be asked of a remote."""
    for (section, name), values in config.items():
        if section == "branch" and values.get("merge") and values.get("remote"):
            yield write_value("branch", name, "merge", values["merge"])
            yield write_value("branch", name, "remote", values["remote"])
        elif section == "remote" and values.get("fetch"):
            yield write_value("remote", name, "fetch", values["fetch"])
