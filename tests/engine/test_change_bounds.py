"""Which files of a change are looked at, and which diagnostics are about the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.engine.change_bounds import MAX_FILES, looked_at, without_ignored
from surveyor.engine.change_review import ImportedModules
from surveyor.engine.environment_diagnostics import without_environment
from surveyor.engine.file_versions import FileVersions
from surveyor.engine.new_diagnostics import NewDiagnostic, NewDiagnostics
from surveyor.git.objects import read_blobs
from surveyor.graph.queries.diff import FileDiff
from surveyor.graph.queries.gone_files import GoneFile
from surveyor.graph.queries.removed import TakenAway
from tests.gitrepo import git, repository

ROOT = Path("/somewhere/repo")


def test_of_a_very_large_change_what_may_break_others_is_looked_at_and_the_rest_named() -> None:
    notes = [FileDiff(f"notes/{number}.md") for number in range(MAX_FILES)]
    new = [FileDiff(f"new/{number}.py", whole=True) for number in range(MAX_FILES)]
    old = [FileDiff(f"old/{number}.py") for number in range(10)]
    taken, lacks = looked_at([*notes, *new, *old], [], ROOT)
    assert taken[:10] == old
    assert len(taken) == MAX_FILES
    assert {file.path.partition("/")[0] for file in taken} == {"old", "new"}
    assert lacks == [
        f"{MAX_FILES + 10} of {2 * MAX_FILES + 10} changed files were not looked at"
        f" (new/{MAX_FILES - 10}.py, new/{MAX_FILES - 9}.py, new/{MAX_FILES - 8}.py, …):"
        " name folders for these"
    ]
    assert looked_at([*notes, *new, *old], [f"{ROOT}/old/"], ROOT) == (old, [])
    assert looked_at([*notes[:3], *old], [], ROOT) == ([*notes[:3], *old], []), "in their order"


async def test_what_blobs_hold_is_read_at_once(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.txt": "one\n", "b.txt": "", "large.txt": "x" * 2000})
    ids = {name: git(root, "rev-parse", f"HEAD:{name}") for name in ("a.txt", "b.txt", "large.txt")}
    absent = "1" * 40
    held = await read_blobs(root, [*ids.values(), absent], 1000)
    assert held == {ids["a.txt"]: b"one\n", ids["b.txt"]: b""}


class _Stored:
    """A graph in which `inside.go` imports a file of the project on line 2."""

    async def file(self, path: str) -> Any:
        return SimpleNamespace(file_id=1 if path == "inside.go" else 2)

    async def imports(self, ids: list[int], _: str) -> list[Any]:
        return [SimpleNamespace(line=2)] if ids == [1] else []


def told(path: str, line: int, text: str) -> NewDiagnostic:
    return NewDiagnostic(path, line, 0, "cannot import", "gopls", True, True, text)


BROKEN_BEFORE = told("a.go", 3, '\t"github.com/old/lib"')
NEW_IMPORT = told("a.go", 3, '\t"github.com/new/lib"')


@pytest.mark.parametrize(
    ("found", "before", "is_kept"),
    [
        (NEW_IMPORT, [BROKEN_BEFORE], False),
        (NEW_IMPORT, [], True),
        (NEW_IMPORT, [told("a.go", 9, "\treturn lib.Call()")], True),
        (told("a.go", 8, "\treturn lib.Call()"), [BROKEN_BEFORE], True),
        (told("inside.go", 2, '\t"repo/pay"'), [BROKEN_BEFORE], True),
    ],
    ids=["not installed before", "first of its kind", "other errors before", "no import", "ours"],
)
async def test_imports_that_the_machine_cannot_follow_are_not_the_changes_fault(
    found: NewDiagnostic, before: list[NewDiagnostic], is_kept: bool
) -> None:
    files = [FileVersions(path, b"x", b"y", [(1, 9)]) for path in ("a.go", "inside.go")]
    modules = {
        "a.go": ImportedModules(("github.com/old/lib",), ("github.com/new/lib",)),
        "inside.go": ImportedModules((), ("repo/pay",)),
    }
    asked = NewDiagnostics([found], [], before)
    answer = await without_environment(context_at("/"), asked, files, modules)
    assert answer.found == ([found] if is_kept else [])
    assert bool(answer.lacks) is not is_kept


@pytest.mark.parametrize(
    ("is_compared", "was_said", "is_kept"),
    [(False, False, False), (True, True, False), (True, False, True)],
    ids=["of unknown age", "said of another line before", "new"],
)
async def test_a_file_whose_imports_cannot_be_followed_is_read_with_holes(
    is_compared: bool, was_said: bool, is_kept: bool
) -> None:
    unfollowed = NewDiagnostic(
        "a.ts", 2, 0, "Cannot find module 'vitest'", "tsserver", True, is_compared, "from 'vitest'"
    )
    found = NewDiagnostic("a.ts", 8, 0, "no 'get' on App", "tsserver", True, is_compared)
    elsewhere = NewDiagnostic("b.ts", 8, 0, "no 'get' on App", "tsserver", True, is_compared)
    before = [unfollowed, *([replace(found, line=4)] if was_said else [])]
    modules = {"a.ts": ImportedModules(("vitest",), ("vitest",))}
    files = [FileVersions(path, b"x", b"y", [(1, 9)]) for path in ("a.ts", "b.ts")]
    asked = NewDiagnostics([unfollowed, found, elsewhere], [], before)
    answer = await without_environment(context_at("/"), asked, files, modules)
    assert answer.found == ([found] if is_kept else []) + [elsewhere]
    assert ("1 more that it says of these files" in "".join(answer.lacks)) is not is_kept


async def test_a_file_with_an_include_that_is_not_here_is_not_read_as_it_is_built() -> None:
    """The line of the include is no news itself: clangd cannot follow others either."""
    include = NewDiagnostic(
        "a.cpp", 1, 0, "'jni.h' file not found", "clangd", True, True, "#include <jni.h>"
    )
    found = NewDiagnostic("a.cpp", 3, 0, "unknown type name 'jint'", "clangd", True, True)
    files = [FileVersions("a.cpp", b"", b"y", [(1, 9)])]
    modules = {"a.cpp": ImportedModules((), ("<jni.h>",)), "b.cpp": ImportedModules((), ("x.h",))}
    other = NewDiagnostic("b.cpp", 1, 0, "'x.h' file not found", "clangd", True, True, "x.h")
    asked = NewDiagnostics([include, found, other], [])
    assert (await without_environment(context_at("/"), asked, files, modules)).found == []
    was = replace(include, path="gone.cpp")  # the line came from there
    files = [FileVersions("a.cpp", b"", b"#include <jni.h>\n", [(1, 9)])]
    asked = NewDiagnostics([found], [], [was])
    assert (await without_environment(context_at("/"), asked, files, modules)).found == []


def context_at(root: str) -> Any:
    return SimpleNamespace(stored=_Stored(), checkout=SimpleNamespace(root=root))


async def test_where_an_import_led_nowhere_before_only_the_written_lines_count() -> None:
    """A module that the change has moved is not on the disk any more for the text from before."""
    files = [FileVersions("a.go", b"x", b"y", [(3, 4)])]
    modules = {"a.go": ImportedModules(("repo/old",), ("repo/new",))}
    written, left_alone = told("a.go", 4, "\tnew.Call(1)"), told("a.go", 9, "\tnew.Call(2)")
    unfollowed = told("a.go", 3, '\t"repo/old"')
    for gone, kept in (([unfollowed], [written]), ([], [written, left_alone])):
        asked = NewDiagnostics([written, left_alone], [], [unfollowed], gone)
        answer = await without_environment(context_at("/"), asked, files, modules)
        assert answer.found == kept


@pytest.mark.parametrize(
    ("message", "before", "database", "is_kept"),
    [
        ("unknown type name 'Box'", False, "", True),
        ("unknown type name 'Box'", True, "", False),
        ("unknown type name 'Box'", True, "compile_commands.json", True),
        ("unknown type name 'Box'", True, "src/compile_flags.txt", True),
        ("'box.h' file not found", False, "", False),
        ("'box.h' file not found", False, "build/compile_commands.json", True),
    ],
)
async def test_files_that_are_read_otherwise_than_they_are_built_are_not_the_changes_fault(
    tmp_path: Path, message: str, before: bool, database: str, is_kept: bool
) -> None:
    if database:
        (tmp_path / database).parent.mkdir(exist_ok=True)
        (tmp_path / database).write_text("")
    found = NewDiagnostic("src/a.cpp", 3, 0, message, "clangd", True, True)
    was = [NewDiagnostic("src/a.cpp", 1, 0, "no 'x.h'", "clangd", True, True)] if before else []
    files = [FileVersions("src/a.cpp", b"x", b"y", [(1, 9)])]
    asked = NewDiagnostics([found], [], was)
    answer = await without_environment(context_at(str(tmp_path)), asked, files, {})
    assert answer.found == ([found] if is_kept else [])
    assert ("is not told how 1 file is built" in "".join(answer.lacks)) is not is_kept


async def test_what_is_deleted_and_ignored_now_is_built_and_not_gone(tmp_path: Path) -> None:
    root = repository(tmp_path, {"lib/a.js": "a", "out/b.js": "b", "src/c.js": "c"})
    git(root, "rm", "-qr", "lib", "out", "src")
    (root / ".gitignore").write_text("lib/\nb.js\n")
    files = [GoneFile(path, b"") for path in ("lib/a.js", "out/b.js", "src/c.js")]
    taken = await without_ignored(root, TakenAway([], [], files))
    assert [file.path for file in taken.files] == ["src/c.js"]
