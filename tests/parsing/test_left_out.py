"""Why nothing of a folder is indexed: the rule, its file and line, and what to do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.gitrepo import git, write

from surveyor.parsing.ignore import Ignore, WalkSettings
from surveyor.parsing.left_out import MAX_ENTRIES, why_nothing
from surveyor.parsing.walk import WalkedFile, walk

CODE = {"README.md": "hello\n", "src/main.py": "def f(): ...\n"}


def why(root: Path, settings: WalkSettings | None = None) -> str:
    rules = Ignore(root, settings)
    assert not [found for found in walk(root, ignore=rules) if isinstance(found, WalkedFile)]
    return why_nothing(root, rules)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    write(root, CODE)
    git(root, "init", "-q")
    return root


@pytest.mark.parametrize(
    ("file", "lines", "rule", "line", "names"),
    [
        (".gitignore", "# a comment\n\n/*\n", "/*", 3, ".gitignore, README.md, src/"),
        (".gitignore", "*.py\n*\n", "*", 2, ".gitignore, README.md, src/"),
        (".git/info/exclude", "# all\r\n*.md\r\nsrc\r\n", "src", 3, "src/"),
        (".git/info/exclude", "**/*\n", "**/*", 1, "README.md, src/"),
        (".gitignore", "!*.md\n/*\n", "/*", 2, ".gitignore, README.md, src/"),
    ],
)
def test_gits_rule_is_named_with_its_file_and_line(
    repository: Path, file: str, lines: str, rule: str, line: int, names: str
) -> None:
    (repository / file).write_text(lines)
    said = why(repository)
    assert f"The rule `{rule}` ({repository / file}:{line}) leaves out {names}." in said
    checked = subprocess.run(
        ["git", "check-ignore", "-v", "src"], cwd=repository, capture_output=True, text=True
    )
    assert checked.stdout.split("\t")[0].endswith(f"{file}:{line}:{rule}")
    assert "add -f" in said  # what git tracks is indexed though a rule names it


def test_what_git_tracks_is_not_blamed_on_a_rule(repository: Path) -> None:
    (repository / ".gitignore").write_text("/*\n")
    git(repository, "add", "-f", "src/main.py")
    rules = Ignore(repository)
    found = {each.path for each in walk(repository, ignore=rules) if isinstance(each, WalkedFile)}
    assert found == {"src/main.py"}
    assert "src/" not in why_nothing(repository, rules)


def test_the_users_own_excludes_are_named(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    excludes = tmp_path / "everything"
    excludes.write_text("*\n")
    (tmp_path / "gitconfig").write_text(f"[core]\n\texcludesFile = {excludes}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    assert f"The rule `*` ({excludes}:1) leaves out README.md, src/." in why(repository)


def test_a_rule_of_the_repository_above_is_named(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.py\n")
    (repository / "src" / "picture.png").touch()  # else the folder itself would be left out
    said = why(repository / "src")
    assert f"The rule `*.py` ({repository / '.gitignore'}:1) leaves out main.py." in said


def test_our_own_rules_and_settings_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a", {**CODE, ".surveyorignore": "*\n"})
    own = why(tmp_path / "a")
    assert f"The rule `*` ({tmp_path / 'a' / '.surveyorignore'}:1) leaves out" in own
    assert own.endswith("Change that rule.")
    write(tmp_path / "b", CODE)
    patterns = why(tmp_path / "b", WalkSettings(patterns=("*.zig",)))
    assert "`watching.patterns` (*.zig) names none of README.md, src/main.py." in patterns
    assert patterns.endswith("Change that setting.")
    ignored = why(tmp_path / "b", WalkSettings(ignore_patterns=("*.md", "src/")))
    assert "The rule `src/` (`watching.ignore_patterns`) leaves out src/." in ignored
    assert ignored.endswith("Change these settings.")


def test_repositories_in_a_folder_are_named_with_what_indexes_them(tmp_path: Path) -> None:
    for name in ("a b", "c"):
        write(tmp_path / name, CODE)
        git(tmp_path / name, "init", "-q")
    said = why(tmp_path)
    assert "a b/, c/ are repositories of their own" in said
    assert f"surveyor index '{tmp_path}/a b'" in said


def test_other_peoples_code_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"node_modules/x/index.js": "x\n"})
    assert why(tmp_path) == "Not looked into: node_modules/ (other people's code)."


def test_an_empty_folder_has_no_reason(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    assert why(tmp_path) == ""


def test_a_large_folder_is_looked_at_in_part(repository: Path) -> None:
    for number in range(MAX_ENTRIES + 50):
        (repository / f"file{number:05}").touch()
    (repository / ".gitignore").write_text("*\n")
    assert f"and {MAX_ENTRIES - 3:,} more." in why(repository)
