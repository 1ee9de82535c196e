from collections.abc import Callable
from pathlib import Path

import pytest

from surveyor.git.errors import GitError
from surveyor.knowledge.history.entries import summary_lines
from surveyor.knowledge.history.lines import (
    last_change,
    summarise_hunks,
    trace_file,
    trace_range,
)

Make = Callable[..., str]
Git = Callable[..., str]

BASE = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"


def test_a_range_is_followed_through_a_rename_and_only_its_commits_are_named(
    repository: Path, commit: Make, git: Git
) -> None:
    added = commit("Add three functions", {"m.py": BASE})
    commit("Change a", {"m.py": BASE.replace("return 1", "return 10")})
    git("mv", "m.py", "n.py")
    commit("Rename the module", {})
    text = BASE.replace("return 1", "return 10").replace("return 2", "-- 20")
    changed = commit("Change b because of the tax", {"n.py": text})

    found = trace_range(repository, "n.py", 5, 6)

    assert [one.commit.id for one in found] == [changed, added]
    assert [one.path for one in found] == ["n.py", "m.py"]
    assert (found[0].added, found[0].removed) == (1, 1)
    assert (found[0].start_line, found[0].end_line) == (5, 6)
    assert "-    return 2" in found[0].diff
    assert found[0].commit.subject == "Change b because of the tax"


@pytest.mark.parametrize("staged", [True, False])
def test_a_rename_that_is_not_committed_is_followed(
    repository: Path, commit: Make, git: Git, *, staged: bool
) -> None:
    added = commit("Add three functions", {"m.py": BASE, "other.py": "x = 1\n"})
    changed = commit("Change b", {"m.py": BASE.replace("return 2", "return 20")})
    if staged:
        (repository / "deep").mkdir()
        git("mv", "m.py", "deep/n.py")
    else:
        write(repository / "deep/n.py", (repository / "m.py").read_text())
        (repository / "m.py").unlink()
        (repository / "other.py").unlink()
    moved = repository / "deep/n.py"
    moved.write_text("# Moved.\n\n" + moved.read_text())

    found = trace_range(repository, "deep/n.py", 7, 8)

    assert [(one.commit.id, one.path) for one in found] == [(changed, "m.py"), (added, "m.py")]
    assert [one.id for one in trace_file(repository, "deep/n.py")] == [changed, added]
    last = last_change(repository, "deep/n.py", 7, 8)
    assert last is not None
    assert (last.commit, last.path) == (changed, "m.py")
    # From the folder alone: what has left it is not seen from there.
    with pytest.raises(GitError, match=r"git knows no file n\.py"):
        trace_range(repository / "deep", "n.py", 7, 8)


def test_a_file_that_is_new_or_gone(repository: Path, commit: Make, git: Git) -> None:
    added = commit("Add", {"m.py": BASE, "gone.py": "print('so long')\n"})
    git("rm", "-q", "gone.py")
    removed = commit("Remove", {})
    write(repository / "new.py", "import os\n\nprint(os.name)\n")

    with pytest.raises(GitError, match=r"git knows no file new\.py"):
        trace_range(repository, "new.py", 1, 2)
    assert last_change(repository, "new.py", 1, 2) is None
    assert trace_file(repository, "new.py") == []
    assert [one.id for one in trace_file(repository, "gone.py")] == [removed, added]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_lines_that_look_like_diff_headers_are_counted(repository: Path, commit: Make) -> None:
    commit("One", {"q.sql": "-- a comment\nselect 1;\n"})
    commit("Two", {"q.sql": "++ other\nselect 1;\n"})

    newest = trace_range(repository, "q.sql", 1, 2)[0]
    summaries = dict(summarise_hunks(repository, limit=1))

    assert (newest.added, newest.removed) == (1, 1)
    (summary,) = summaries[newest.commit.id]
    assert (summary.path, summary.added, summary.removed) == ("q.sql", 1, 1)


def test_what_has_no_hunks_and_what_git_quotes_has_its_name(
    repository: Path, commit: Make, git: Git
) -> None:
    commit("One", {"empty.py": "", "bin": "\0\1", 'a"é.py': "x\n", "old name.py": "1\n2\n3\n"})
    git("mv", "old name.py", "new b.py")
    (repository / "empty.py").chmod(0o755)
    commit("Two", {})

    newest, oldest = summarise_hunks(repository, limit=2)

    assert summary_lines(newest[1]) == ["empty.py", "new b.py"]
    assert summary_lines(oldest[1]) == ['a"é.py +1 -0', "bin", "empty.py", "old name.py +3 -0"]


def test_a_file_is_followed_to_its_first_name(repository: Path, commit: Make, git: Git) -> None:
    commit("Add", {"old.py": BASE})
    git("mv", "old.py", "new.py")
    commit("Move", {})
    commit("Edit", {"new.py": BASE + "\n# end\n"})

    found = trace_file(repository, "new.py")

    assert [one.subject for one in found] == ["Edit", "Move", "Add"]
    assert found[1].files[0].old_path == "old.py"
    assert found[2].files[0].path == "old.py"


def test_unsaved_lines_on_disk_are_translated_to_the_commit(repository: Path, commit: Make) -> None:
    commit("Add", {"m.py": BASE})
    (repository / "m.py").write_text("# one\n# two\n" + BASE.replace("    return 1\n", ""))

    assert [c.commit.subject for c in trace_range(repository, "m.py", 6, 7)] == ["Add"]


def test_last_change_is_the_newest_line_and_says_when_it_is_not_committed(
    repository: Path, commit: Make
) -> None:
    commit("Add", {"m.py": BASE})
    second = commit("Change b", {"m.py": BASE.replace("return 2", "return 20")}, author="Bo Ek")

    assert (found := last_change(repository, "m.py", 5, 6)) is not None
    assert (found.commit, found.author, found.subject) == (second, "Bo Ek", "Change b")
    assert (other := last_change(repository, "m.py", 1, 2)) is not None
    assert other.subject == "Add"

    (repository / "m.py").write_text(BASE.replace("return 3", "return 30"))
    assert (unsaved := last_change(repository, "m.py", 9, 10)) is not None
    assert unsaved.commit is None
    (repository / "new.py").write_text("x\n")
    assert last_change(repository, "new.py", 1, 1) is None


def test_hunks_name_the_functions_they_are_in(repository: Path, commit: Make) -> None:
    body = "def long():\n" + "".join(f"    x{i} = {i}\n" for i in range(20))
    commit("Add", {"m.py": body})
    made = commit("Edit", {"m.py": body.replace("x15 = 15", "x15 = 99")})

    (identity, (summary,)), *_ = summarise_hunks(repository, limit=5)

    assert identity == made
    assert summary.contexts == ("def long():",)
    assert (summary.added, summary.removed) == (1, 1)


def test_a_repository_without_commits_is_a_clear_error(tmp_path: Path, git: Git) -> None:
    git("init", "-q", str(tmp_path / "new"))
    (tmp_path / "new/n.py").write_text("one\n")
    with pytest.raises(GitError, match="no commit here yet"):
        trace_range(tmp_path / "new", "n.py", 1, 1)
    with pytest.raises(GitError, match="no commit here yet"):
        trace_file(tmp_path / "new", "n.py")


def test_a_file_that_git_does_not_know_is_a_clear_error(repository: Path, commit: Make) -> None:
    commit("Add", {"m.py": BASE})
    with pytest.raises(GitError, match=r"nothing\.py"):
        trace_range(repository, "nothing.py", 1, 2)


MOVED = """def total(items, rate):
    result = 0
    for item in items:
        result += item.price * rate
    return round(result, 2)
"""


def test_code_is_followed_from_file_to_file_also_when_it_is_renamed(
    repository: Path, commit: Make
) -> None:
    first = commit("Add totals", {"a.py": "X = 1\n\n\n" + MOVED + "\n\nY = 2\n", "b.py": "B = 1\n"})
    second = commit("Round", {"a.py": "X = 1\n\n\n" + MOVED.replace("2)", "3)") + "\n\nY = 2\n"})
    moved = MOVED.replace("2)", "3)").replace("def total", "def add_up")
    third = commit(
        "Move totals to b", {"a.py": "X = 1\n\n\nY = 2\n", "b.py": "B = 1\n\n\n" + moved}
    )
    fourth = commit("Rate first", {"b.py": "B = 1\n\n\n" + moved.replace("item.price *", "1 *")})

    found = trace_range(repository, "b.py", 4, 8)

    assert [one.commit.id for one in found] == [fourth, third, second, first]
    assert [one.path for one in found] == ["b.py", "b.py", "a.py", "a.py"]
    assert found[1].moved_from == "a.py:4-8"


def test_code_that_is_new_beside_other_removed_code_came_from_nowhere(
    repository: Path, commit: Make
) -> None:
    commit("Add", {"a.py": BASE})
    new = commit("Replace", {"a.py": "x = 1\n", "b.py": MOVED})
    assert [one.commit.id for one in trace_range(repository, "b.py", 1, 5)] == [new]


def test_paths_are_relative_to_a_folder_within_the_repository(
    repository: Path, commit: Make
) -> None:
    commit("Add", {"sub/a.py": MOVED, "sub/b.py": "B = 1\n"})
    commit("Move", {"sub/a.py": "A = 1\n", "sub/b.py": "B = 1\n" + MOVED})
    found = trace_range(repository / "sub", "b.py", 2, 6)
    assert [one.path for one in found] == ["b.py", "a.py"]
    *_, first = trace_file(repository / "sub", "b.py")
    assert [one.path for one in first.files] == ["b.py"]


BOX = """func Box(n int) Option {
\treturn OptionFunc(func(k *Kit) error {
\t\treturn k.put(n)
\t})
}
"""
BAG = BOX.replace("Box", "Bag").replace("put(n)", "put(n, true)")


def test_a_function_is_followed_to_the_commit_that_brought_it_and_not_into_its_neighbour(
    repository: Path, commit: Make
) -> None:
    before = BOX.replace("k.put(n)", "k.box(n)")
    commit("Box", {"m.go": f"package m\n\n{before}"})
    commit("Put", {"m.go": f"package m\n\n{BOX}"})
    both = f"package m\n\n{BOX.replace('put(n)', 'put(n, false)')}\n{BAG}"
    added = commit("Bag", {"m.go": both})
    later = commit("Both", {"m.go": both.replace("true", "1")})

    found = trace_range(repository, "m.go", 9, 13, symbol="Bag")

    assert [one.commit.id for one in found] == [later, added]
    assert [one.introduced for one in found] == [False, True]
    assert len(trace_range(repository, "m.go", 9, 13)) > 2, "git itself goes on"


def test_a_function_that_was_renamed_is_followed_to_where_its_old_name_was_brought(
    repository: Path, commit: Make
) -> None:
    commit("Begin", {"m.go": "package m\n"})
    first = commit("Box", {"m.go": f"package m\n\n{BOX}"})
    chest = BOX.replace("Box", "Chest")
    renamed = commit("Rename", {"m.go": f"package m\n\n{chest}"})
    last = commit("Edit", {"m.go": f"package m\n\n{chest.replace('put', 'push')}"})

    found = trace_range(repository, "m.go", 3, 7, symbol="Chest")

    assert [one.commit.id for one in found] == [last, renamed, first]
    assert [one.introduced for one in found] == [False, False, True]
    assert [one.renamed_from for one in found] == ["", "Box", ""]


def test_a_function_that_took_the_place_of_another_one_was_not_renamed(
    repository: Path, commit: Make
) -> None:
    commit("Begin", {"m.go": "package m\n"})
    commit("Box", {"m.go": f"package m\n\n{BOX}"})
    other = "func Quote(token string) string {\n\treturn shell.Join(token)\n}\n"
    made = commit("Anew", {"m.go": f"package m\n\n{other}"})

    (only,) = trace_range(repository, "m.go", 3, 5, symbol="Quote")

    assert (only.commit.id, only.introduced, only.renamed_from) == (made, True, "")


def test_a_function_that_was_written_anew_elsewhere_in_its_file_was_there_before(
    repository: Path, commit: Make
) -> None:
    commit("Begin", {"m.go": "package m\n"})
    first = commit("Box", {"m.go": f"package m\n\n{BOX}\n{BAG}"})
    other = "func Box[T any](n T) Option {\n\treturn kit().then(n)\n}\n"
    anew = commit("Anew", {"m.go": f"package m\n\n{BAG}\n{other}"})

    found = trace_range(repository, "m.go", 9, 11, symbol="Box")

    assert [one.commit.id for one in found] == [anew, first]
    assert [one.introduced for one in found] == [False, True]
    assert found[0].moved_from == "m.go:3-5"


def test_the_last_commit_of_a_shallow_clone_did_not_introduce_what_it_has(
    repository: Path, commit: Make, git: Git, tmp_path: Path
) -> None:
    commit("Box", {"m.go": f"package m\n\n{BOX}"})
    commit("Edit", {"m.go": f"package m\n\n{BOX.replace('put', 'push')}"})
    git("clone", "-q", "--depth", "1", repository.as_uri(), str(tmp_path / "shallow"))

    (only,) = trace_range(tmp_path / "shallow", "m.go", 3, 7, symbol="Box")

    assert not only.introduced
    assert trace_range(repository, "m.go", 3, 7, symbol="Box")[-1].introduced


def test_a_class_that_was_made_like_another_one_did_not_have_its_name_before(
    repository: Path, commit: Make
) -> None:
    plugin = "".join(f"  step{n}() {{ return {n} }}\n" for n in range(9))
    old, new = f"class Now {{\n{plugin}}}\n", f"class Twin {{\n{plugin}}}\n"
    commit("Begin", {"now.ts/now.ts": old})
    (repository / "now.ts/now.ts").unlink()
    made = commit("Twin", {"now/now.ts": old, "twin/twin.ts": new})

    (only,) = trace_range(repository, "twin/twin.ts", 1, 11, symbol="Twin")

    assert (only.commit.id, only.introduced, only.renamed_from) == (made, True, "")
    assert len(trace_range(repository, "twin/twin.ts", 1, 11)) == 2, "its lines are older"


def test_what_was_taken_out_of_a_class_is_new_by_its_name(repository: Path, commit: Make) -> None:
    body = "".join(f"  def part{n}\n    {n}\n  end\n" for n in range(6))
    commit("Begin", {"a.rb": f"class Whole < Node\n{body}end\n"})
    taken = commit(
        "Share", {"a.rb": "class Whole < Node\n  include Shared\nend\n",
                  "b.rb": f"module Shared\n{body}end\n"},
    )  # fmt: skip

    (only,) = trace_range(repository, "b.rb", 1, 20, symbol="Shared")

    assert (only.commit.id, only.introduced) == (taken, True)
    assert only.moved_from == "a.rb:2-19"


def test_a_function_that_was_taken_out_of_another_one_says_where_its_code_stood(
    repository: Path, commit: Make
) -> None:
    steps = "".join(f"    total += weight_{n} * scale_{n}\n" for n in range(6))
    head = "def report(total):\n    print('start of the report')\n"
    commit("Report", {"a.py": f"{head}{steps}    return total\n"})
    taken = commit(
        "Take out", {"a.py": f"{head}    return weighed(total)\n\n\ndef weighed(total):\n"
                     f"{steps}    return total\n"},
    )  # fmt: skip

    found = trace_range(repository, "a.py", 6, 13, symbol="weighed")

    assert [(one.commit.id, one.introduced) for one in found] == [(taken, True)]
