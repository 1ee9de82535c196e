"""From a git diff to the definitions that it touches, in real repositories."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.errors import UsageError
from surveyor.graph.queries.diff import changed_nodes, diff_arguments, read_diff, read_old
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.uncompared import uncompared
from tests.gitrepo import git, repository, write
from tests.graph.support import CHECKOUT, Checkout

FIRST = """\
import os

LIMIT = 1


def one():
    return 1


class Box:
    size = 1

    def get(self):
        return self.size

    def put(self):
        self.size = 2


def two():
    return one()
"""


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    git(made.root, "init", "-q", "-b", "main")
    await commit(made, {"a.py": FIRST, "b.py": "from a import two\n"})
    yield made
    await made.close()


async def commit(checkout: Checkout, files: dict[str, str]) -> None:
    await checkout.write(files)
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-q", "-m", "change")


async def touched(checkout: Checkout, what: str, path: str | None = None) -> set[str]:
    diff = await read_diff(checkout.root, what, path)
    nodes = await changed_nodes(StoredGraph(checkout.state, CHECKOUT), diff)
    return {node.qualname or f"{node.path} itself" for node in nodes}


async def test_the_innermost_definition_of_each_changed_line(checkout: Checkout) -> None:
    text = FIRST.replace("return 1", "return 11").replace("self.size = 2", "self.size = 3")
    await checkout.write({"a.py": text})
    assert await touched(checkout, "working") == {"one", "Box.put"}
    git(checkout.root, "commit", "-qam", "x")
    assert await touched(checkout, "working") == set()
    assert await touched(checkout, "HEAD~1..HEAD") == {"one", "Box.put"}
    assert await touched(checkout, "HEAD~1") == {"one", "Box.put"}


async def test_imports_are_the_files_own_and_comments_are_nobodys(checkout: Checkout) -> None:
    await commit(checkout, {"a.py": FIRST.replace("import os\n", "import os\n\n# why\n")})
    assert await touched(checkout, "HEAD~1..HEAD") == set()
    await commit(checkout, {"a.py": FIRST.replace("import os\n", "import os\nimport re\n")})
    assert await touched(checkout, "HEAD~1..HEAD") == {"a.py itself"}


async def test_a_method_that_is_added_is_not_the_whole_class(checkout: Checkout) -> None:
    added = (
        "\n    def more(self):\n        return 3\n\n    # said about the next\n    def next(self):"
    )
    text = FIRST.replace(
        "    def put(self):", added.lstrip("\n") + "\n        ...\n\n    def put(self):"
    )
    await checkout.write({"a.py": text})
    assert await touched(checkout, "working") == {"Box.more", "Box.next"}
    await checkout.write({"a.py": text.replace("    size = 1", "    size = 1\n    register(size)")})
    assert "Box" in await touched(checkout, "working")


async def test_staged_lines_are_followed_through_what_was_edited_since(checkout: Checkout) -> None:
    staged = FIRST.replace("return one()", "return one() + 1")
    write(checkout.root, {"a.py": staged})
    git(checkout.root, "add", "a.py")
    await checkout.write({"a.py": "# a\n# b\n# c\n# d\n# e\n# f\n# g\n# h\n" + staged})
    assert await touched(checkout, "staged") == {"two"}


async def test_a_range_that_ends_before_head_means_what_stands_there_now(
    checkout: Checkout,
) -> None:
    second = FIRST.replace("self.size = 2", "self.size = 3")
    await commit(checkout, {"a.py": second})
    third = "def zero():\n    return 0\n\n\n" + second.replace("LIMIT = 1\n", "")
    await commit(checkout, {"a.py": third})
    assert await touched(checkout, "HEAD~2..HEAD~1") == {"Box.put"}
    git(checkout.root, "mv", "a.py", "c.py")
    await checkout.remove()
    git(checkout.root, "commit", "-qm", "moved")
    await checkout.write({"c.py": third})
    assert await touched(checkout, "HEAD~3..HEAD~2") == {"Box.put"}


async def test_new_files_count_as_a_whole_and_a_path_limits(checkout: Checkout) -> None:
    await checkout.write({"pkg/new.py": "def fresh(): ...\n", "b.py": "from a import one\n"})
    assert await touched(checkout, "working") == {"pkg/new.py itself", "fresh", "b.py itself"}
    assert await touched(checkout, "working", "pkg") == {"pkg/new.py itself", "fresh"}
    assert await touched(checkout, "working", "b.py") == {"b.py itself"}


async def test_a_file_that_was_moved_without_git_is_one_that_moved(checkout: Checkout) -> None:
    write(checkout.root, {"b/same.py": "same = 1\n" * 3, "other.py": "print()\n" * 9})
    git(checkout.root, "add", "-A")
    git(checkout.root, "commit", "-qm", "more")
    root = checkout.root
    (root / "a.py").rename(root / "b" / "moved.py")
    (root / "b" / "same.py").rename(root / "b" / "equal.py")
    (root / "other.py").unlink()
    text = (root / "b" / "moved.py").read_text()
    (root / "b" / "moved.py").write_text(text.replace("def one():", "def first():"))
    write(root, {"new.py": "import sys\nsys.exit()\n"})
    found = {file.path: file for file in await read_diff(root, "working")}
    assert set(found) == {"b/moved.py", "b/equal.py", "other.py", "new.py"}
    moved, equal = found["b/moved.py"], found["b/equal.py"]
    assert (moved.old_path, moved.whole, moved.deleted) == ("a.py", False, False)
    (hunk,) = moved.hunks
    assert (hunk.first, hunk.last, hunk.old_first, hunk.old_last) == (6, 6, 6, 6)
    assert (await read_old(root, moved)).decode() == FIRST
    assert (equal.old_path, equal.hunks) == ("b/same.py", [])
    assert found["other.py"].deleted and found["new.py"].whole


@pytest.mark.parametrize(
    "name", ["moved.py", "so called.py", 'quo"ted.py', "tab\tbed.py", "ümlaut.py"]
)
async def test_what_a_file_held_that_git_has_renamed_as_it_was_can_be_read(
    checkout: Checkout, name: str
) -> None:
    """Such a file has no line in a diff that names what it held."""
    git(checkout.root, "mv", "a.py", name)
    for what in ("working", "staged"):
        (moved,) = await read_diff(checkout.root, what)
        assert (moved.path, moved.old_path, moved.hunks) == (name, "a.py", [])
        assert (await read_old(checkout.root, moved)).decode() == FIRST
    git(checkout.root, "commit", "-qm", "moved")
    (moved,) = await read_diff(checkout.root, "HEAD~1..HEAD")
    assert (await read_old(checkout.root, moved)).decode() == FIRST
    (within,) = await read_diff(checkout.root, "HEAD~1..HEAD", name)
    assert within.whole


async def test_every_overload_counts(checkout: Checkout) -> None:
    overloads = """\
from typing import overload

@overload
def edit(a: int) -> int: ...
@overload
def edit(a: str) -> str: ...
def edit(a):
    return a
"""
    await commit(checkout, {"o.py": overloads})
    await commit(checkout, {"o.py": overloads.replace("return a\n", "return (a)\n")})
    assert await touched(checkout, "HEAD~1..HEAD") == {"edit"}


async def test_what_was_there_before_can_be_read(checkout: Checkout) -> None:
    await commit(checkout, {"a.py": FIRST.replace("def one", "def uno")})
    (changed,) = await read_diff(checkout.root, "HEAD~1..HEAD")
    assert (await read_old(checkout.root, changed)).decode() == FIRST
    assert [(h.old_first, h.old_last) for h in changed.hunks] == [(6, 6)]


async def test_removed_lines_that_look_like_heads_of_files_are_lines(checkout: Checkout) -> None:
    sql = "-- a/one\n-- b/two\nselect 1;\n"
    await commit(checkout, {"q.sql": sql, "z.py": "def z():\n    return 1\n"})
    await commit(checkout, {"q.sql": "select 2;\n", "z.py": "def z():\n    return 2\n"})
    diff = await read_diff(checkout.root, "HEAD~1..HEAD")
    assert sorted(file.path for file in diff) == ["q.sql", "z.py"]
    assert await touched(checkout, "HEAD~1..HEAD") >= {"z"}


@pytest.mark.parametrize("what", ["--output=x", "nonsense..HEAD", "a b"])
async def test_what_git_does_not_know_is_refused(checkout: Checkout, what: str) -> None:
    with pytest.raises(UsageError):
        await read_diff(checkout.root, what)
    assert not (checkout.root / "x").exists()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nonsense..HEAD", "git knows no revision 'nonsense' here"),
        ("nosuch.js", "git knows no revision 'nosuch.js' here, and there is no file 'nosuch.js'"),
        ("a.py", "'a.py' is a file, and no revision that git knows"),
        ("main...gone~2", "git knows no revision 'gone' here"),
        ("HEAD~9..HEAD", "there is no 'HEAD~9': 'HEAD' has fewer commits before it"),
        ("main^^^", "there is no 'main^^^': 'main' has fewer commits before it"),
        ("a..b..c", "'a..b..c' is no git range"),
    ],
)
async def test_what_is_wrong_with_a_range_is_said(checkout: Checkout, what: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        await read_diff(checkout.root, what)
    assert (caught.value.message, bool(caught.value.hint)) == (said, True)


@pytest.mark.parametrize("what", ["HEAD~1..HEAD", "HEAD", "..HEAD", "@~2"])
async def test_a_repository_without_commits_has_no_range(tmp_path: Path, what: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    with pytest.raises(UsageError) as caught:
        await read_diff(tmp_path, what)
    assert caught.value.message == "there is no commit here yet"
    assert await read_diff(tmp_path, "staged") == await read_diff(tmp_path, "working") == []


async def test_an_environment_that_nothing_ignores_is_no_change(checkout: Checkout) -> None:
    await checkout.write({"a.py": FIRST})
    write(
        checkout.root,
        {
            "env/pyvenv.cfg": "",
            "env/lib/x.py": "a = 1\n",
            "web/node_modules/y/index.js": "var a\n",
            "web/new.js": "var a\n",
        },
    )
    found = {file.path for file in await read_diff(checkout.root, "working")}
    assert found == {"web/new.js"}


async def said_of(root: Path, what: str) -> list[str]:
    return await uncompared(root, diff_arguments(what), changed=True)


async def test_before_the_first_commit_all_files_are_new(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, {"a.py": FIRST, "b.py": FIRST})
    git(tmp_path, "add", "a.py")
    write(tmp_path, {"a.py": FIRST + "more = 1\n"})
    found = await read_diff(tmp_path, "working")
    assert {(file.path, file.whole) for file in found} == {("a.py", True), ("b.py", True)}


async def test_a_branch_that_cannot_be_read_is_not_one_without_commits(checkout: Checkout) -> None:
    (checkout.root / ".git" / "HEAD").write_text(f"{'1' * 40}\n")
    with pytest.raises(UsageError):
        await read_diff(checkout.root, "working")


async def test_what_git_does_not_show_of_a_change_is_said(checkout: Checkout) -> None:
    root = checkout.root
    await commit(checkout, {"a.py": FIRST, "d/c.py": FIRST})
    assert await said_of(root, "working") == []
    inner = repository(root.parent / "inner", {"x.py": FIRST})
    git(root, "submodule", "add", "-q", str(inner), "vendor/inner")
    git(root, "commit", "-qm", "with a submodule")
    assert await said_of(root, "working") == []
    write(root, {"vendor/inner/x.py": FIRST + "more = 1\n"})
    submodules = ["submodules are looked at from inside of them (vendor/inner)"]
    assert await said_of(root, "working") == submodules
    assert await said_of(root, "staged") == []
    git(root / "vendor/inner", "commit", "-qam", "moved")
    git(root, "add", "vendor/inner")
    assert await said_of(root, "staged") == submodules
    git(root, "commit", "-qm", "moved")
    assert await said_of(root, "HEAD~1..HEAD") == submodules
    git(root, "sparse-checkout", "set", "--no-cone", "/a.py")
    sparse = ["files that this sparse checkout leaves out were not looked at"]
    assert await said_of(root, "working") == sparse
    assert await uncompared(root, diff_arguments("working"), changed=False) == []
    git(root, "sparse-checkout", "disable")
    assert await said_of(root, "working") == []


async def test_files_in_conflict_are_said_not_to_be_compared_where_they_are_staged(
    checkout: Checkout,
) -> None:
    root = checkout.root
    git(root, "checkout", "-q", "-b", "other")
    await commit(checkout, {"a.py": FIRST.replace("one", "other")})
    git(root, "checkout", "-q", "main")
    await commit(checkout, {"a.py": FIRST.replace("one", "main")})
    with pytest.raises(AssertionError):  # git merges with exit code 1
        git(root, "merge", "-q", "other")
    assert await said_of(root, "staged") == ["1 file is in conflict and not compared (a.py)"]
    assert await said_of(root, "working") == []
