"""Roots and identities on real repositories, worktrees, submodules and clones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import NotFoundError, UsageError
from surveyor.git.config_file import read_config
from surveyor.git.project import describe, find_root, normalise_remote, project_id
from tests.gitrepo import git, repository, write


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:User/Repo.git",
        "https://github.com/user/repo",
        "https://github.com/User/Repo.git",
        "https://github.com/user/repo.git/",
        "https://name:secret@github.com/user/repo.git",
        "https://github.com:443/user/repo",
        "http://github.com/user/repo/",
        "ssh://git@github.com/user/repo.git",
        "ssh://git@github.com:22/user/repo",
        "git+ssh://git@github.com/user/repo",
        "git://github.com/user/repo.git",
        "github.com:user/repo.git",
        "git@github.com:/user/repo.git",
        "https://github.com//user//repo",
        " https://github.com/user/repo\n",
    ],
)
def test_one_repository_has_one_name(url: str) -> None:
    assert normalise_remote(url) == "github.com/user/repo"


def test_what_is_another_repository_keeps_another_name() -> None:
    names = {
        normalise_remote(url)
        for url in (
            "https://git.example.org/a/b",
            "https://git.example.org:8443/a/b",
            "ssh://git@git.example.org:2222/a/b",
            "https://git.example.org/a/b/c",
            "/srv/git/a/b.git",
            "/srv/git/A/b.git",
        )
    }
    assert len(names) == 6
    assert normalise_remote("file:///srv/git/a/b.git") == normalise_remote("/srv/git/a/b")
    assert normalise_remote("alice@git.example.org:~bob/x.git") == "git.example.org/~bob/x"
    assert "secret" not in normalise_remote("https://x:secret@git.example.org:8443/a/b")


LABEL = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{1,12}", fullmatch=True)


@given(host=LABEL, owner=LABEL, name=LABEL)
def test_every_way_to_write_a_remote_is_the_same(host: str, owner: str, name: str) -> None:
    path = f"{owner}/{name}"
    forms = [f"https://{host}/{path}", f"git@{host}:{path}.git", f"ssh://u@{host}:22/{path}.git/"]
    assert {normalise_remote(form) for form in forms} == {f"{host}/{path}".lower()}


@given(st.one_of(st.text(), st.text().map("https://{}".format)))
def test_no_text_is_an_error(url: str) -> None:
    assert isinstance(normalise_remote(url), str)


def test_a_broken_address_is_no_error() -> None:
    assert normalise_remote("http://[::1/x")
    assert normalise_remote("ssh://git@[::1]:2222/x.git") == "::1:2222/x"


def test_a_repository_says_what_it_is(tmp_path: Path) -> None:
    root = repository(tmp_path / "folder", remote="git@github.com:user/thing.git")
    info = describe(root)
    assert (info.name, info.remote, info.branch) == ("thing", "github.com/user/thing", "main")
    assert info.head == git(root, "rev-parse", "HEAD")
    assert not info.is_worktree
    assert info.project_id == project_id("github.com/user/thing", Path("/anywhere"))
    git(root, "pack-refs", "--all")
    assert describe(root).head == info.head
    git(root, "checkout", "-q", "-b", "feature/x")
    assert describe(root).branch == "feature/x"
    git(root, "checkout", "-q", "--detach")
    assert (describe(root).branch, describe(root).head) == (None, info.head)


def test_a_clone_of_a_path_is_named_after_its_own_folder(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", remote=str(tmp_path / "mirrors" / "shop" / "repo"))
    assert describe(root).name == "shop"


def test_without_git_or_without_commits_nothing_fails(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert describe(plain).branch is None
    assert describe(plain).project_id == project_id(None, plain)
    git(plain, "init", "-q", "-b", "main")
    assert (describe(plain).branch, describe(plain).head) == ("main", None)
    (plain / ".git" / "HEAD").write_bytes(b"\xff\xfe garbage")
    assert describe(plain).head is None
    (plain / ".git" / "config").write_bytes(b'[remote "origin"\n\xff=\\')
    assert describe(plain).remote is None


def test_two_folders_of_one_name_are_two_projects(tmp_path: Path) -> None:
    first, second = repository(tmp_path / "a" / "same"), repository(tmp_path / "b" / "same")
    assert describe(first).project_id != describe(second).project_id


def test_a_clone_is_another_checkout_of_the_same_project(tmp_path: Path) -> None:
    first = repository(tmp_path / "one", remote="https://example.org/r.git")
    second = repository(tmp_path / "two", remote="git@example.org:r.git")
    assert describe(first).project_id == describe(second).project_id
    assert describe(first).checkout_id != describe(second).checkout_id


@pytest.mark.parametrize("remote", ["", "https://example.org/r.git"])
def test_a_worktree_shares_the_project_but_not_the_checkout(tmp_path: Path, remote: str) -> None:
    root = repository(tmp_path / "main", remote=remote)
    git(root, "worktree", "add", "-q", "-b", "next", str(tmp_path / "elsewhere" / "next"))
    info = describe(tmp_path / "elsewhere" / "next")
    assert info.is_worktree
    assert info.branch == "next"
    assert info.head == describe(root).head
    assert info.common_dir == root / ".git"
    assert info.project_id == describe(root).project_id
    assert info.checkout_id != describe(root).checkout_id


def test_a_submodule_is_its_own_project_and_knows_its_parent(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.py": "x = 1\n"})
    root = repository(tmp_path / "app")
    git(root, "submodule", "--quiet", "add", str(library), "vendor/library")
    parent, child = describe(root), describe(root / "vendor" / "library")
    assert [each.path for each in parent.submodules] == ["vendor/library"]
    assert parent.submodules[0].root == root / "vendor" / "library"
    assert child.superproject == root
    assert child.submodule_path == "vendor/library"
    assert child.project_id != parent.project_id
    assert not child.is_worktree
    assert find_root(root / "vendor" / "library", [root]) == root / "vendor" / "library"


def test_a_gained_remote_changes_the_identity(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    before = describe(root).project_id
    git(root, "remote", "add", "other", "https://example.org/fork.git")
    assert describe(root).remote == "example.org/fork"
    git(root, "remote", "add", "origin", "https://example.org/real.git")
    assert describe(root).remote == "example.org/real"
    assert describe(root).project_id != before


def test_roots(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"packages/a/x.py": "x = 1\n"})
    inner = root / "packages" / "a"
    assert find_root(inner) == root
    assert find_root(inner / "x.py") == root
    assert find_root(inner, explicit=True) == inner
    assert find_root(inner, [inner]) == inner
    assert find_root(root, [inner]) == root
    outside = tmp_path / "plain" / "deep"
    outside.mkdir(parents=True)
    assert find_root(outside) == outside.resolve()
    assert find_root(outside, [tmp_path.resolve()]) == tmp_path.resolve()
    clone = repository(root / "packages" / "b")
    assert find_root(clone, [root]) == clone


def test_a_folder_inside_a_repository_as_a_project_has_an_identity_of_its_own(
    tmp_path: Path,
) -> None:
    files = {"packages/a/x.py": "x = 1\n"}
    one = repository(tmp_path / "one", files, "https://example.org/mono.git")
    two = repository(tmp_path / "two", files, "https://example.org/mono.git")
    inner = describe(one / "packages" / "a")
    assert inner.project_id != describe(one).project_id
    assert inner.project_id == describe(two / "packages" / "a").project_id
    assert inner.name == "a"
    assert inner.branch == "main"


def test_what_is_no_project_is_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFoundError):
        find_root(tmp_path / "nowhere", explicit=True)
    write(tmp_path, {"file.py": ""})
    with pytest.raises(UsageError, match="is a file"):
        find_root(tmp_path / "file.py", explicit=True)
    home = repository(tmp_path / "home", {"code/x.py": ""})
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(UsageError) as raised:
        find_root(home, explicit=True)
    assert "--force" in raised.value.hint
    assert find_root(home, explicit=True, force=True) == home
    for never in ("/", "/etc", "/usr", str(tmp_path)):
        with pytest.raises(UsageError) as raised:
            find_root(Path(never), explicit=True, force=True)
        assert "--force" not in raised.value.hint
    assert find_root(home / "code") == home / "code"
    assert find_root(home / "code", [home]) == home


def test_git_configuration_is_read_as_git_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(
        '[core]\n\tbare = false ; comment\n[remote "a\\"b"] url = "x # y" # z\n'
        '[Remote "origin"]\n\tURL = one\\\ntwo\n\tfetch\n# [remote "no"]\n'
    )
    config = read_config(path)
    assert config[("core", "")] == {"bare": "false"}
    assert config[("remote", 'a"b')] == {"url": "x # y"}
    assert config[("remote", "origin")] == {"url": "onetwo", "fetch": "true"}
    assert read_config(tmp_path / "missing") == {}
