"""Which project a folder is: its root, its identity, its git state. Reads git's files itself.

A project is a repository (by its normalised remote) or, without a remote, a real path; a checkout
is one clone or worktree of it. Asking `git` would cost 5-10 ms a call and fail where it is not
installed; only repositories with the reftable format need it, since only git can read that.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from surveyor.errors import NotFoundError, UsageError
from surveyor.forbidden import is_never_read, refusal_of
from surveyor.inside import checked
from surveyor.paths import data_dir, is_file, is_folder, is_there

ID_HEX_DIGITS = 12
"""Length of project and checkout ids (seeds' schema)."""

_DEFAULT_PORTS = {"ssh": 22, "git+ssh": 22, "http": 80, "https": 443, "git": 9418, "ftp": 21}
_PREFERRED_REMOTES = ("origin", "upstream")
_SCP_LIKE = re.compile(r"^(?:[^@/\\]+@)?(\[[^\]]+\]|[^:/\\\[\]]{2,}):(?!//)(.*)$")
"""`user@host:path`; a host of one letter would be a Windows drive."""
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
    return _digest(remote) if remote else _digest(str(root.resolve()))


def checkout_id(project: str, root: Path) -> str:
    """Id of one clone or worktree of a project."""
    return _digest(f"{project}\0{root.resolve()}")


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


def git_root_of(path: Path) -> Path | None:
    """The nearest folder at or above `path` that is the top of a git working tree."""
    for folder in (path, *path.parents):
        if _git_dir(folder) is not None:
            return folder
    return None


def _git_dir(folder: Path) -> Path | None:
    """The git folder of a working tree whose top is `folder`, also through a `.git` file."""
    dot_git = folder / ".git"
    try:
        if is_folder(dot_git):
            return dot_git if is_there(dot_git / "HEAD") else None
        if is_file(dot_git):
            text = dot_git.read_text(errors="surrogateescape")
            if text.startswith("gitdir:"):
                target = (folder / text[len("gitdir:") :].strip()).resolve()
                return target if is_there(target / "HEAD") else None
    except OSError:
        return None
    return None


def common_dir_of(git_dir: Path) -> Path:
    """The folder that all worktrees of a repository share."""
    with contextlib.suppress(OSError):
        return (git_dir / (git_dir / "commondir").read_text().strip()).resolve()
    return git_dir


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
    if root == data_dir().resolve():
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
    real = root.resolve()
    git_root = git_root_of(real)
    git_dir = _git_dir(git_root) if git_root is not None else None
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
    branch, head = read_head(git_dir, common)
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
        return normalise_remote(str((git_root / url).resolve()))
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
        folder = (git_root / values.get("path", "")).resolve()
        inside = folder != git_root and folder.is_relative_to(root)
        if inside and _git_dir(folder) is not None:
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


def read_head(git_dir: Path, common_dir: Path | None = None) -> tuple[str | None, str | None]:
    """The branch (None when detached) and the commit (None before the first) of a worktree."""
    common = common_dir or common_dir_of(git_dir)
    if is_folder(common / "reftable"):
        return _ask_git(git_dir)
    try:
        text = (git_dir / "HEAD").read_text(errors="surrogateescape").strip()
    except OSError:
        return (None, None)
    if not text.startswith("ref:"):
        return (None, text if re.fullmatch(r"[0-9a-f]{40,64}", text) else None)
    reference = text[len("ref:") :].strip()
    return (reference.removeprefix("refs/heads/"), _commit_of(reference, common))


def _commit_of(reference: str, common: Path) -> str | None:
    with contextlib.suppress(OSError):
        return (common / reference).read_text().strip() or None
    with (
        contextlib.suppress(OSError),
        (common / "packed-refs").open(encoding="utf-8", errors="surrogateescape") as packed,
    ):
        for line in packed:
            commit, _, name = line.rstrip("\n").partition(" ")
            if name == reference:
                return commit
    return None


def _ask_git(git_dir: Path) -> tuple[str | None, str | None]:
    def ask(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", f"--git-dir={git_dir}", *arguments],
                capture_output=True,
                text=True,
                timeout=_GIT_TIMEOUT_S,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() or None if done.returncode == 0 else None

    return (
        ask("symbolic-ref", "--quiet", "--short", "HEAD"),
        ask("rev-parse", "--quiet", "--verify", "HEAD"),
    )


def read_config(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """A git configuration file: (section, subsection) to its keys; the last value wins.

    Section names and keys are lower-cased, as git does. A file that cannot be read is empty.
    """
    sections: dict[tuple[str, str], dict[str, str]] = {}
    current: dict[str, str] = {}
    try:
        text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError:
        return sections
    for raw in re.sub(r"\\\r?\n", "", text).splitlines():
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        header = re.match(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)', line)
        if header:
            name = re.sub(r"\\(.)", r"\1", header.group(2) or "")
            current = sections.setdefault((header.group(1).lower(), name), {})
            line = header.group(3).strip()
            if not line or line[0] in "#;":
                continue
        key, equals, value = line.partition("=")
        current[key.strip().lower()] = _value(value) if equals else "true"
    return sections


def _value(raw: str) -> str:
    """A value with its quotes, escapes and comment resolved."""
    escapes = {"n": "\n", "t": "\t", "b": "\b"}
    out: list[str] = []
    quoted = False
    characters = iter(raw.strip())
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            out.append(escapes.get(following, following))
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            out.append(character)
    return "".join(out).strip()
