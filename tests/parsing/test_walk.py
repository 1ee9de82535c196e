"""Walking real folders, with git and without."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.gitrepo import ENVIRONMENT, git, repository, write

from surveyor.errors import NotFoundError
from surveyor.git import runner
from surveyor.git.project import describe
from surveyor.parsing.ignore import Ignore, WalkSettings
from surveyor.parsing.walk import NestedRepository, RootError, SkippedPath, WalkedFile, walk


def files(root: Path, chosen: WalkSettings | None = None) -> set[str]:
    return {found.path for found in walk(root, chosen) if isinstance(found, WalkedFile)}


def skipped(root: Path) -> dict[str, str]:
    return {found.path: found.reason for found in walk(root) if isinstance(found, SkippedPath)}


TREE = {
    "a.py": "a = 1\n",
    "sub/b.py": "b = 1\n",
    "sub/deep/c.py": "c = 1\n",
    "sub/deep/skip.tmp": "",
    "build/out.py": "",
    "logs/x.log": "",
    ".gitignore": "*.tmp\nbuild/\n/logs\n",
    "sub/.gitignore": "!keep.tmp\n",
    "sub/keep.tmp": "",
    "node_modules/x/index.js": "x\n",
    "sub/node_modules/y/index.js": "y\n",
}


@pytest.fixture(params=["git", "folder"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    if request.param == "git":
        return repository(root, TREE)
    write(root, TREE)
    return root


def test_ignore_files_at_every_level_hold(tree: Path) -> None:
    expected = {"a.py", "sub/b.py", "sub/deep/c.py", ".gitignore", "sub/.gitignore", "sub/keep.tmp"}
    assert files(tree) == expected


def test_own_rules_come_on_top(tree: Path) -> None:
    write(tree, {".surveyorignore": "sub/b.py\n", "sub/deep/.surveyorignore": "*\n"})
    found = files(tree)
    assert "a.py" in found
    assert not {"sub/b.py", "sub/deep/c.py"} & found


@pytest.mark.parametrize("in_git", [True, False])
def test_our_own_data_is_nobodys_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_git: bool
) -> None:
    root = tmp_path / "home"
    write(root, {"a.py": "", "share/surveyor/logs/engine.log": "", "share/surveyor2/b.py": ""})
    if in_git:
        git(root, "init", "-q")
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(root / "share" / "surveyor"))
    assert files(root) == {"a.py", "share/surveyor2/b.py"}
    rules = Ignore(root)
    assert rules.ignores_folder("share/surveyor/logs") and not rules.ignores_folder("share")
    assert rules.ignores_file("share/surveyor/state.db")


def test_configured_patterns(tree: Path) -> None:
    assert files(tree, WalkSettings(patterns=("*.py",), ignore_patterns=("deep/",))) == {
        "a.py",
        "sub/b.py",
    }


def test_dependencies_are_named_once(tree: Path) -> None:
    named = skipped(tree)
    assert named.get("node_modules") == "dependencies"
    assert not [path for path in named if "index.js" in path]


def test_the_rules_of_the_repository_and_the_user_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "b.own": "", "c.user": ""})
    git(root, "rm", "-q", "--cached", "b.own", "c.user")
    (root / ".git" / "info" / "exclude").write_text("*.own\n")
    write(tmp_path, {"excludes": "*.user\n"})
    write(tmp_path, {"gitconfig": f"[core]\n\texcludesFile = {tmp_path}/excludes\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert files(root) == {"a.py"}
    assert Ignore(root).matches(["a.py", "b.own", "c.user"]) == {"b.own", "c.user"}


def test_what_git_tracks_is_there_although_ignored(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"build/kept.py": "", "a.py": ""})
    write(root, {".gitignore": "build/\n", "build/new.py": ""})
    assert files(root) == {"a.py", ".gitignore", "build/kept.py"}
    assert Ignore(root).matches(["build/kept.py", "build/new.py"]) == {"build/new.py"}


def test_untracked_counts_and_deleted_does_not(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "gone.py": ""})
    (root / "gone.py").unlink()
    write(root, {"new file ü.py": ""})
    assert files(root) == {"a.py", "new file ü.py"}


def test_a_subfolder_as_root_is_under_the_rules_above(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {".gitignore": "*.tmp\n", "p/a/x.py": "", "p/b/y.py": ""})
    write(root, {"p/a/z.tmp": ""})
    assert files(root / "p" / "a") == {"x.py"}
    assert Ignore(root / "p" / "a").matches(["z.tmp", "x.py"]) == {"z.tmp"}


def test_repositories_inside_are_named_and_not_entered(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"lib.py": ""})
    root = repository(tmp_path / "r", {"a.py": ""})
    git(root, "submodule", "--quiet", "add", str(library), "vendor/library")
    repository(root / "clone", {"inner.py": ""})
    git(root, "worktree", "add", "-q", str(root / "trees" / "next"))
    nested = {found.path for found in walk(root) if isinstance(found, NestedRepository)}
    assert nested == {"vendor/library", "clone", "trees/next"}
    assert files(root) == {"a.py", ".gitmodules"}
    assert Ignore(root).matches(["clone/inner.py", "a.py"]) == {"clone/inner.py"}


def test_links_are_not_followed_and_loops_are_harmless(tree: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.py": ""})
    (tree / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    (tree / "out.py").symlink_to(tmp_path / "outside" / "secret.py")
    (tree / "broken.py").symlink_to(tree / "nowhere")
    named = skipped(tree)
    assert {named[name] for name in ("loop", "out", "out.py", "broken.py")} == {"symlink"}
    assert not [path for path in files(tree) if path.startswith(("loop", "out"))]


def test_reasons_are_given(tree: Path) -> None:
    write(tree, {".env": "A=1", "x.png": "", "yarn.lock": "", "big.py": "x" * 2_000_000})
    os.mkfifo(tree / "pipe")
    named = skipped(tree)
    assert named[".env"] == "secret"
    assert named["x.png"] == "binary"
    assert named["yarn.lock"] == "lock_file"
    assert named["big.py"] == "too_large"
    assert named.get("pipe", "special") == "special"


def test_a_name_that_is_not_text_is_named_safely(tree: Path) -> None:
    os.close(os.open(os.fsencode(tree) + b"/bad\xff.py", os.O_CREAT | os.O_WRONLY))
    named = skipped(tree)
    assert named["bad\ufffd.py"] == "file_name"
    for found in walk(tree):
        found.path.encode()


def test_a_missing_root_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        list(walk(tmp_path / "nowhere"))


def test_a_broken_repository_is_walked_as_a_folder(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", TREE)
    (root / ".git" / "index").write_bytes(b"not an index")
    assert files(root) >= {"a.py", "sub/b.py", "sub/deep/c.py"}
    assert "build/out.py" not in files(root)


def test_a_repository_cannot_make_the_walk_start_a_program(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(program))
    assert files(root) == {"a.py"}
    assert not (tmp_path / "ran").exists()


def test_without_git_installed_the_answer_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "r", TREE)
    with_git = files(root)
    monkeypatch.setattr("surveyor.git.runner.git_program", lambda: None)
    assert files(root) == with_git


def test_a_folder_that_may_not_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests may read every folder, so git is made to say that it may not."""
    root = repository(tmp_path / "r", {"a.py": "", "build/b.py": "", ".gitignore": "build/\n"})
    program = tmp_path / "git"
    program.write_text(
        "#!/bin/sh\n"
        "echo \"warning: could not open directory 'closed/in/': Permission denied\" >&2\n"
        "echo \"warning: could not open directory 'node_modules/x/': Permission denied\" >&2\n"
        'echo "warning: could not open directory \'deep/in/cut-off-her" >&2\n'
        f'exec {runner.git_program()} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr("surveyor.git.runner.git_program", lambda: str(program))
    assert files(root) == {"a.py", ".gitignore"}
    assert skipped(root) == {"closed/in": "unreadable", "deep/in": "unreadable"}


def test_rules_are_read_again(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"a.py": "", "b.txt": ""})
    ignore = Ignore(root)
    assert not ignore.matches(["new.txt"])
    write(root, {".gitignore": "*.txt\n"})
    ignore.reload()
    assert ignore.matches(["new.txt", "a.py"]) == {"new.txt"}
    assert ignore.matches(["b.txt"]) == set(), "git tracks it"


NAME = st.sampled_from(["a", "b", "ab", "x.py", "y.txt", "build", "ü", "à"])
PATTERN = st.builds(
    lambda negate, anchor, parts, folder: f"{negate}{anchor}{'/'.join(parts)}{folder}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(
        st.sampled_from(["a", "b", "*", "**", "*.py", "build", "?", "??", "à", "[ab]"]),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["", "", "/"]),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(rules=["?", "[!a]"], inner=[], paths={"ü", "à"})
@example(rules=["a", "!??"], inner=[], paths={"ab/a/b"})
@example(rules=["build", "/*", "!/a"], inner=[], paths={"a/build/b", "a/x.py"})
@example(rules=["a/**", "!a/*.py"], inner=[], paths={"a/x.py", "a/b/x.py", "a/y.txt"})
@given(
    rules=st.lists(PATTERN, max_size=4),
    inner=st.lists(PATTERN, max_size=2),
    paths=st.sets(st.lists(NAME, min_size=1, max_size=4).map("/".join), min_size=1, max_size=12),
)
def test_our_rules_agree_with_git(
    tmp_path_factory: pytest.TempPathFactory, rules: list[str], inner: list[str], paths: set[str]
) -> None:
    root = tmp_path_factory.mktemp("agree")
    git(root, "init", "-q")
    write(root, {".gitignore": "\n".join(rules), "a/.gitignore": "\n".join(inner)})
    for path in sorted(paths):
        full = root / path
        if not full.exists() and not any(parent.is_file() for parent in full.parents):
            full.parent.mkdir(parents=True, exist_ok=True)
            full.touch()
    real = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
    real = {path for path in real if not path.startswith(".git/")}
    listed = set(
        git(root, "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard").split("\n")
    )
    assert real - Ignore(root).matches(real) == listed - {""}


def test_an_index_names_nothing_outside(tmp_path: Path) -> None:
    """What git's index says of a path is no proof that it lies in the folder."""
    outside = tmp_path / "outside"
    write(outside, {"secret.py": "", "deep/secret.py": ""})
    root = repository(tmp_path / "r", {"a.py": "", "xx/outside/secret.py": "", "way/secret.py": ""})
    index = root / ".git" / "index"
    # Of the same length, so that only the checksum at the end has to be made again.
    data = index.read_bytes()[:-20].replace(b"xx/outside", b"../outside")
    index.write_bytes(data + hashlib.sha1(data).digest())
    shutil.rmtree(root / "way")
    (root / "way").symlink_to(outside)
    found = files(root)
    assert "a.py" in found
    assert not {path for path in found if "secret" in path and not path.startswith("xx/")}


def test_git_is_asked_without_the_callers_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert not {"GIT_DIR", "GIT_INDEX_FILE"} & set(runner.environment({}))
    assert "GIT_DIR" not in ENVIRONMENT


def test_what_our_own_rules_leave_out_is_named_with_the_rule(tree: Path) -> None:
    write(tree, {".surveyorignore": "sub/b.py\n", "vendor/z.py": "z\n", "notes.md": "n\n"})
    chosen = WalkSettings(patterns=("*.py", "*.tmp"), ignore_patterns=("vendor/", "a.py"))
    said = {
        found.path: (found.reason, found.detail)
        for found in walk(tree, chosen)
        if isinstance(found, SkippedPath) and found.reason != "dependencies"
    }
    assert said["sub/b.py"] == ("excluded", "`sub/b.py` (.surveyorignore:1) names it")
    assert said["vendor"] == ("excluded", "watching.ignore_patterns names it")
    assert said["a.py"] == ("excluded", "watching.ignore_patterns names it")
    assert said["notes.md"] == ("excluded", "watching.patterns does not name it")
    assert files(tree, chosen) == {"sub/deep/c.py", "sub/keep.tmp"}
    assert not {"build", "build/out.py", "sub/deep/skip.tmp"} & said.keys()


def test_a_root_that_is_replaced_meanwhile_ends_the_walk(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / "a").mkdir(parents=True)
    (root / "a" / "one.py").write_text("x = 1\n")
    (root / "two.py").write_text("x = 1\n")
    found = walk(root)
    next(found)
    root.rename(tmp_path / "away")
    with pytest.raises(RootError, match="replaced"):
        list(found)
    root.write_text("a file")
    with pytest.raises(NotFoundError):
        list(walk(root))


def test_a_root_that_cannot_be_listed_ends_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(path: str) -> Iterator[os.DirEntry[str]]:
        raise OSError(errno.EIO, "Input/output error", path)

    monkeypatch.setattr(os, "scandir", failing)
    with pytest.raises(RootError, match="input/output error"):
        list(walk(tmp_path))


@pytest.mark.parametrize("with_git", [False, True])
def test_folders_deeper_than_functions_nest_are_walked(tmp_path: Path, with_git: bool) -> None:
    root = tmp_path / "work"
    root.mkdir()
    if with_git:
        git(root, "init", "-q")
    deep = "/".join("d" * 1500)
    subprocess.run(["mkdir", "-p", str(root / deep)], check=True)  # Python's recurse
    try:
        (root / deep / "deep.py").write_text("x = 1\n")
        (root / "top.py").write_text("x = 1\n")
        paths = {each.path for each in walk(root) if isinstance(each, WalkedFile)}
        assert paths == {"top.py", f"{deep}/deep.py"}
    finally:
        subprocess.run(["rm", "-rf", str(root)], check=False)  # `rmtree` recurses, too


def test_tracked_files_behind_a_link_are_not_this_projects(tmp_path: Path) -> None:
    root, outside = tmp_path / "work", tmp_path / "outside"
    (root / "lib").mkdir(parents=True)
    outside.mkdir()
    (root / "lib" / "x.py").write_text("x = 1\n")
    (outside / "x.py").write_text("secret = 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    (root / "lib" / "x.py").unlink()
    (root / "lib").rmdir()
    (root / "lib").symlink_to(outside)
    assert not [each for each in walk(root) if isinstance(each, WalkedFile)]


def test_a_folder_that_disappears_meanwhile_is_gone_and_ends_nothing(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text("x = 1\n")
    found = walk(tmp_path)
    assert next(found) == WalkedFile("a/x.py", 6, (tmp_path / "a/x.py").stat().st_mtime_ns)
    (tmp_path / "b" / "x.py").unlink()
    (tmp_path / "b").rmdir()
    assert [each.path for each in found if not isinstance(each, SkippedPath)] == ["c/x.py"]


def test_a_repository_that_leads_in_circles_describes_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    secret = tmp_path / "secret"
    secret.write_text("hidden\n")
    for text in (b"gitdir: ../loop", b"gitdir: a\0b", b"gitdir: " + b"x" * 300):
        root = tmp_path / "work"
        root.mkdir(exist_ok=True)
        (root / ".git").write_bytes(text)
        assert describe(root).head is None
    other = tmp_path / "other"
    git_dir = other / ".git"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: ../../secret\n")
    (git_dir / "commondir").write_bytes(b"../../loop\n")
    (other / ".gitmodules").write_text('[submodule "a"]\n\tpath = "../loop"\n')
    assert describe(other).head is None
    (git_dir / "commondir").unlink()
    assert describe(other).head is None  # not what is in `secret`
    (git_dir / "HEAD").write_bytes(b"ref: a\0b\n")
    assert describe(other).head is None
