"""Which project a folder is: its root, its identity, its git state. Reads git's files itself.

A project is a repository (by its normalised remote) or, without a remote, a real path; a checkout
is one clone or worktree of it. Asking `git` would cost 5-10 ms a call and fail where it is not
installed; only repositories with the reftable format need it, since only git can read that.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from surveyor.errors import NotFoundError, UsageError
from surveyor.files.contained_paths import checked
from surveyor.files.forbidden import is_never_read, refusal_of
from surveyor.files.safe_read import LARGE_FILE_BYTES, read_text
from surveyor.git.config_file import read_config
from surveyor.git.errors import GitError
from surveyor.git.locate import common_dir_of, git_dir_of, git_root_of
from surveyor.paths import data_dir, is_folder, real_path

ID_HEX_DIGITS = 12
"""Length of project and checkout ids (seeds' schema)."""

_DEFAULT_PORTS = {"ssh": 22, "git+ssh": 22, "http": 80, "https": 443, "git": 9418, "ftp": 21}
_PREFERRED_REMOTES = ("origin", "upstream")
_SCP_LIKE = re.compile(r"^(?:[^@/\\]+@)?(\[[^\]]+\]|[^:/\\\[\]]{2,}):(?!//)(.*)$")
"""`user@host:path`; a host of one letter would be a Windows drive."""
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}")
_GIT_TIMEOUT_S = 10


_ON_THIS_MACHINE = "file:/"
"""How the normalised remote starts where it is a path."""


def normalise_remote(url: str) -> str:
    """A remote's URL as `host/path`: the same for SSH, HTTPS and git, with or without `.git`.

    Credentials, default ports, case and slashes at the end do not count; a port that is not the
    protocol's own does. A path on this machine becomes `file:/path`, with its case kept.
    """
    text = url.strip()
    if re.match(r"^[a-zA-Z][a-zA-Z0-9+.-]*://", text):
        try:
            parts = urlsplit(text)
        except ValueError:  # an unclosed bracket
            return _local(text)
        if parts.scheme.lower() == "file":
            return _local(unquote(parts.path))
        host = (parts.hostname or "").lower()
        try:
            port = parts.port
        except ValueError:
            port = None
        if port is not None and port != _DEFAULT_PORTS.get(parts.scheme.lower()):
            host = f"{host}:{port}"
        return _join(host, parts.path)
    scp = _SCP_LIKE.match(text)
    if scp:
        return _join(scp.group(1).strip("[]").lower(), scp.group(2))
    return _local(text)


def _join(host: str, path: str) -> str:
    return f"{host}/{_bare(unquote(path)).lower()}".rstrip("/")


def _bare(path: str) -> str:
    path = re.sub(r"/{2,}", "/", path.replace("\\", "/")).strip("/")
    return path.removesuffix(".git").removesuffix(".GIT").rstrip("/")


def _local(path: str) -> str:
    return f"{_ON_THIS_MACHINE}{_bare(path)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:ID_HEX_DIGITS]


def project_id(remote: str | None, root: Path) -> str:
    """Id of a project: of its normalised remote, or of its real path where there is none."""
    return _digest(remote) if remote else _digest(str(real_path(root)))


def checkout_id(project: str, root: Path) -> str:
    """Id of one clone or worktree of a project."""
    return _digest(f"{project}\0{real_path(root)}")


@dataclass(frozen=True, slots=True)
class Submodule:
    """A submodule that is checked out: its path in the parent and its folder."""

    path: str
    root: Path


@dataclass(frozen=True)
class ProjectInfo:
    """What a folder says about itself."""

    root: Path
    """Real path."""
    name: str
    remote: str | None
    """Normalised; with `//sub/folder` at the end when the root lies inside a repository."""
    branch: str | None
    """None when there is no repository or HEAD is detached."""
    head: str | None
    """Commit; None before the first one."""
    git_root: Path | None
    """Top of the working tree that the root belongs to."""
    git_dir: Path | None
    """This worktree's own git folder: HEAD and index."""
    common_dir: Path | None
    """The repository's git folder: config and refs, shared by all worktrees."""
    is_worktree: bool = False
    """Whether this is a linked worktree (`git worktree add`)."""
    superproject: Path | None = None
    """Root of the repository that has this one as a submodule."""
    submodule_path: str | None = None
    submodules: tuple[Submodule, ...] = field(default=())

    @cached_property
    def identity_root(self) -> Path:
        """The path that stands for a project without a remote: the main worktree's."""
        if self.is_worktree and self.common_dir is not None and self.git_root is not None:
            main = self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir
            return main / self.root.relative_to(self.git_root)
        return self.root

    @cached_property
    def project_id(self) -> str:
        """Id of the project: shared by its clones and worktrees."""
        return project_id(self.remote, self.identity_root)

    @cached_property
    def checkout_id(self) -> str:
        """Id of this clone or worktree."""
        return checkout_id(self.project_id, self.root)


def find_root(
    path: Path, registered_roots: Iterable[Path] = (), explicit: bool = False, force: bool = False
) -> Path:
    """The root of the project that a path belongs to, as a real path.

    A folder given explicitly is the root itself. Otherwise it is the nearest registered root
    above, unless a repository of its own lies in between (a submodule, a clone inside a clone:
    the outer index does not hold it), else the top of the git working tree, else the folder.

    Raises `NotFoundError` for a path that does not exist, and `UsageError` for a file given
    explicitly, for the home folder and the temporary one without `force`, and for the system's.
    """
    try:
        real = Path(checked(str(path))).expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFoundError(
            f"there is no folder {path}", "check the path; a drive may not be mounted"
        ) from error
    registered = {Path(root) for root in registered_roots if not is_never_read(Path(root))}
    if not real.is_dir():
        if explicit:
            raise UsageError(f"{path} is a file, not a folder", f"give its folder: {real.parent}")
        real = real.parent
    if explicit:
        root = real
    else:
        root = _implicit_root(real, registered)
    if root == real_path(data_dir()):
        raise UsageError(f"{root} is Surveyor's own data", "give a project's folder")
    refusal = None if root in registered else refusal_of(root)
    if refusal is not None and (refusal.is_final or not force):
        raise UsageError(refusal.message, refusal.hint)
    return root


def _implicit_root(folder: Path, registered: set[Path]) -> Path:
    above = next((each for each in (folder, *folder.parents) if each in registered), None)
    git_root = git_root_of(folder)
    if git_root is not None and git_root != above and refusal_of(git_root) is not None:
        git_root = None  # dotfiles kept in a repository at $HOME do not make it a project
    if above is not None and (git_root is None or not git_root.is_relative_to(above)):
        return above
    if above is not None and git_root is not None:
        return git_root if git_root != above else above
    return git_root or folder


def describe(root: Path) -> ProjectInfo:
    """Read what a folder says about itself. Never raises on a damaged repository."""
    real = real_path(root)
    git_root = git_root_of(real)
    git_dir = git_dir_of(git_root) if git_root is not None else None
    if git_root is None or git_dir is None:
        return ProjectInfo(real, real.name or str(real), None, None, None, None, None, None)
    common = common_dir_of(git_dir)
    prefix = real.relative_to(git_root).as_posix()
    url = remote_url(common)
    remote = _resolved_remote(url, git_root) if url else None
    # A mirror on this machine is often called after what it is: `repo`, `bare`, `mirror.git`.
    is_named = remote is not None and not remote.startswith(_ON_THIS_MACHINE)
    name = remote.rsplit("/", 1)[-1] if remote and is_named else git_root.name
    if prefix != ".":
        remote = f"{remote}//{prefix}" if remote else None
        name = real.name
    branch, head = read_head(git_root, git_dir, common)
    superproject, submodule_path = (None, None)
    if common == git_dir and git_root / ".git" != git_dir and prefix == ".":
        superproject, submodule_path = _superproject(git_root)
    return ProjectInfo(
        root=real,
        name=name or real.name,
        remote=remote,
        branch=branch,
        head=head,
        git_root=git_root,
        git_dir=git_dir,
        common_dir=common,
        is_worktree=common != git_dir,
        superproject=superproject,
        submodule_path=submodule_path,
        submodules=tuple(_submodules(git_root, real)),
    )


def _resolved_remote(url: str, git_root: Path) -> str:
    if url.startswith(("./", "../")):
        return normalise_remote(str(real_path(git_root / url)))
    return normalise_remote(url)


def _superproject(git_root: Path) -> tuple[Path | None, str | None]:
    above = git_root_of(git_root.parent)
    if above is None:
        return (None, None)
    path = git_root.relative_to(above).as_posix()
    declared = {section.get("path", "") for section in _modules(above)}
    return (above, path) if path in declared else (None, None)


def _modules(git_root: Path) -> list[dict[str, str]]:
    return [
        values
        for (section, _), values in read_config(git_root / ".gitmodules").items()
        if section == "submodule"
    ]


def _submodules(git_root: Path, root: Path) -> Iterable[Submodule]:
    for values in _modules(git_root):
        folder = real_path(git_root / values.get("path", ""))
        inside = folder != git_root and folder.is_relative_to(root)
        if inside and git_dir_of(folder) is not None:
            yield Submodule(folder.relative_to(root).as_posix(), folder)


def remote_url(common_dir: Path) -> str | None:
    """URL of the remote that identifies a repository: `origin`, `upstream`, else the first."""
    remotes = {
        name: values["url"]
        for (section, name), values in read_config(common_dir / "config").items()
        if section == "remote" and values.get("url")
    }
    for preferred in _PREFERRED_REMOTES:
        if preferred in remotes:
            return remotes[preferred]
    return next(iter(remotes.values()), None)


def read_head(git_root: Path, git_dir: Path, common: Path) -> tuple[str | None, str | None]:
    """The branch (None when detached) and the commit (None before the first) of a worktree."""
    if is_folder(common / "reftable"):
        return _ask_git(git_root)
    try:
        text = read_text(git_dir / "HEAD", errors="surrogateescape").strip()
    except OSError:
        return (None, None)
    if not text.startswith("ref:"):
        return (None, _commit(text))
    reference = text[len("ref:") :].strip()
    return (reference.removeprefix("refs/heads/"), _commit_of(reference, common))


def _commit(text: str) -> str | None:
    return text if _COMMIT_ID.fullmatch(text) else None


def _commit_of(reference: str, common: Path) -> str | None:
    if not reference.startswith("refs/") or ".." in reference or "\0" in reference:
        return None  # it would be a file outside
    with contextlib.suppress(OSError):
        return _commit(read_text(common / reference, errors="surrogateescape").strip())
    with contextlib.suppress(OSError):
        packed = read_text(common / "packed-refs", LARGE_FILE_BYTES, errors="surrogateescape")
        for line in packed.split("\n"):
            commit, _, name = line.partition(" ")
            if name == reference:
                return _commit(commit)
    return None


def _ask_git(git_root: Path) -> tuple[str | None, str | None]:
    from surveyor.git.runner import ask  # most repositories keep their branches in files

    def answer(*arguments: str) -> str | None:
        try:
            return ask(git_root, *arguments, timeout=_GIT_TIMEOUT_S).decode().strip() or None
        except (GitError, UnicodeDecodeError):
            return None

    return (
        answer("symbolic-ref", "--quiet", "--short", "HEAD"),
        answer("rev-parse", "--quiet", "--verify", "HEAD"),
    )
