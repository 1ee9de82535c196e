from collections.abc import Callable
from pathlib import Path

import pytest

from surveyor.git.errors import GitError
from surveyor.knowledge.history import gitlog, reachable_commits
from surveyor.knowledge.history.gitlog import CommitFileChange, read_log

Make = Callable[..., str]
Git = Callable[..., str]


def test_commits_come_newest_first_with_message_author_and_files(
    repository: Path, commit: Make
) -> None:
    first = commit("Add the parser\n\nIt reads words.", {"a.py": "x = 1\n"})
    second = commit("Fix: ünïcode ✓", {"a.py": "x = 2\n", "dir/b c.py": ""}, author="Émile Zola")

    newest, oldest = read_log(repository)

    assert (newest.id, oldest.id) == (second, first)
    assert newest.parents == (first,)
    assert newest.subject == "Fix: ünïcode ✓"
    assert newest.author == "Émile Zola"
    assert newest.files == (CommitFileChange("a.py", "M"), CommitFileChange("dir/b c.py", "A"))
    assert oldest.body == "It reads words."
    assert newest.committed > oldest.committed


def test_odd_paths_and_messages_do_not_confuse_the_reader(repository: Path, commit: Make) -> None:
    names = {":100644 x": "1", "new\nline": "2", "tab\there": "3", "ö.py": "4"}
    made = commit(":100644 100644 a b M\n\ncommit deadbeef", names)

    (found,) = read_log(repository)

    assert found.id == made
    assert {one.path for one in found.files} == set(names)
    assert found.subject == ":100644 100644 a b M"


def test_a_renamed_file_is_paired(repository: Path, commit: Make, git: Git) -> None:
    commit("Add", {"old.py": "def f():\n    return 1\n"})
    git("mv", "old.py", "new.py")
    commit("Move", {})

    newest = next(iter(read_log(repository)))

    assert newest.files == (CommitFileChange("new.py", "R", "old.py"),)


def test_only_what_is_new_is_read(repository: Path, commit: Make) -> None:
    first = commit("One", {"a": "1"})
    commit("Two", {"a": "2"})
    commit("Empty", {})

    assert [c.subject for c in read_log(repository, (f"{first}..HEAD",))] == ["Empty", "Two"]
    assert [c.subject for c in read_log(repository, limit=1, skip=1)] == ["Two"]
    assert [c.subject for c in read_log(repository, paths=("b",))] == []
    assert reachable_commits.count(repository, ["HEAD"]) == 3


def test_merges_are_commits_too(repository: Path, commit: Make, git: Git) -> None:
    commit("Base", {"a": "1"})
    git("checkout", "-q", "-b", "side")
    commit("Side", {"b": "1"})
    git("checkout", "-q", "main")
    commit("Main", {"c": "1"})
    git("merge", "-q", "--no-ff", "-m", "Merge side", "side")

    found = {c.subject: c for c in read_log(repository)}

    assert len(found["Merge side"].parents) == 2
    assert found["Merge side"].files == ()
    assert set(found) == {"Base", "Side", "Main", "Merge side"}


def test_an_empty_repository_has_no_head_and_a_plain_folder_is_an_error(
    repository: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert gitlog.head(repository) is None
    with pytest.raises(GitError, match="in no git repository"):
        gitlog.head(plain)
    with pytest.raises(GitError):
        list(read_log(repository))


def test_the_repository_cannot_make_git_start_a_program(
    repository: Path, commit: Make, git: Git, tmp_path: Path
) -> None:
    witness = tmp_path / "started"
    git("config", "diff.external", f"touch {witness}")
    git("config", "core.fsmonitor", f"touch {witness}")
    git("config", "diff.evil.textconv", f"touch {witness}; cat")
    commit("One", {"a": "1\n", ".gitattributes": "* diff=evil\n"})
    commit("Two", {"a": "2\n"})
    git("config", "filter.evil.clean", f"touch {witness}; cat")
    (repository / ".gitattributes").write_text("* diff=evil filter=evil\n")
    (repository / "a").write_text("2\n3\n")
    witness.unlink(missing_ok=True)  # git add of the test itself may have run fsmonitor

    from surveyor.knowledge.history import lines

    for ask in (
        lambda: list(read_log(repository)),
        lambda: list(lines.summarise_hunks(repository, limit=5)),
        lambda: lines.trace_range(repository, "a", 1, 1),
        lambda: lines.trace_file(repository, "a"),
        lambda: lines.last_change(repository, "a", 1, 1),
    ):
        assert ask()
        assert not witness.exists()
