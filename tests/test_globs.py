"""Globs mean what they mean to git, to pathspec and to a shell, and cost what they are long."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec, PathSpec

from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, paths_spec, rules_spec, shell
from surveyor.parsing.ignore_rules import MAX_RULES, IgnoreRules, read_rules
from surveyor.search.globs import matcher
from surveyor.servers.lsp_globs import compile_glob
from tests.gitrepo import ENVIRONMENT, repository

PIECES = st.sampled_from(["a", "b", ".", "*", "**", "?", "/", "[ab]", "[!a]", "[a-b]", "ü", "\\*"])
LINES = st.lists(
    st.builds(
        lambda sign, parts: sign + "".join(parts),
        st.sampled_from(["", "", "!"]),
        st.lists(PIECES, min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=4,
)
NAMES = st.text("ab.ü", min_size=1, max_size=4).filter(lambda name: name.strip(".") != "")
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def readable(lines: list[str]) -> bool:
    try:
        GitIgnoreSpec.from_lines(lines)
        PathSpec.from_lines("gitignore", lines)
    except ValueError:
        return False
    return True


@given(LINES, st.lists(PATHS, min_size=1, max_size=8))
def test_rules_match_what_pathspec_matches(lines: list[str], paths: list[str]) -> None:
    assume(readable(lines))
    spec = GitIgnoreSpec.from_lines(lines, backend="simple")
    documented = PathSpec.from_lines("gitignore", lines, backend="simple")
    for path in paths:
        assert rules_spec(lines).match_file(path) == spec.match_file(path)
        assert paths_spec(lines).match_file(path) == documented.match_file(path)


@given(st.lists(PIECES, min_size=1, max_size=8).map("".join), PATHS)
def test_a_shell_s_pattern_matches_what_fnmatch_matches(pattern: str, path: str) -> None:
    assert (shell(pattern).fullmatch(path) is not None) == fnmatch.fnmatchcase(path, pattern)


def test_rules_say_what_git_says(tmp_path: Path) -> None:
    """Every pattern of up to four pieces out of a few, for every path of up to two folders."""
    pieces = ["a", "b", "*", "?", "/", "**/", "[ab]"]
    patterns = {""}
    for _ in range(4):
        patterns |= {pattern + piece for pattern in patterns for piece in pieces}
    # Where `**` is no component of its own, git has whims that no other reader shares.
    whims = re.compile(r"//|[^/]\*\*|\*\*[^/]|^/*$")
    chosen = sorted(pattern for pattern in patterns if not whims.search(pattern))[::11]
    names = ["a", "b", "ab", "ba", "aab"]
    paths = [*names, *(f"{x}/{y}" for x in names for y in names)]
    repo = repository(tmp_path / "repo")
    for pattern in chosen:
        (repo / ".gitignore").write_text(pattern + "\n")
        done = subprocess.run(
            ["git", "check-ignore", "--no-index", "--stdin"],
            cwd=repo,
            env=ENVIRONMENT,
            input="\n".join(paths),
            capture_output=True,
            text=True,
            check=False,
        )
        rules = IgnoreRules([pattern])

        def ignored(path: str, rules: IgnoreRules = rules) -> bool:
            parent = path.rpartition("/")[0]
            return bool(parent and rules.says(parent, True)) or bool(rules.says(path, False))

        assert {p for p in paths if ignored(p)} == set(done.stdout.split()), pattern


STARS = ["*a" * 25, "/" + "**/*a" * 12, "*[!c]" * 25 + "x", "a*" * 30 + "b"]


@pytest.mark.parametrize("pattern", STARS)
@pytest.mark.timeout(60)
def test_what_no_machine_could_try_out_is_matched_at_once(pattern: str) -> None:
    """Each of these takes a backtracking matcher longer than the universe is old."""
    path = "a" * 2000 + "c"
    assert rules_spec([pattern]).match_file(path) in (True, False)
    assert paths_spec([pattern]).match_file("/".join([path] * 3)) in (True, False)
    assert IgnoreRules([pattern]).says(path, False) in (True, False, None)
    assert matcher([pattern])(path) in (True, False)
    assert shell(pattern).fullmatch(path) is None or pattern
    assert compile_glob(pattern).fullmatch(path) is None or pattern


@pytest.mark.timeout(60)
def test_braces_of_a_language_server_are_matched_at_once() -> None:
    assert compile_glob("{*a,*a,*aa}" * 20 + "b").fullmatch("a" * 1000) is None
    assert compile_glob("**/*.{ts,js}").fullmatch("src/in/x.ts")
    with pytest.raises(PatternError):
        compile_glob("{" * 50)


@pytest.mark.parametrize("pattern", ["a" * 1001, "*" * 65, "[z-a]"])
def test_what_is_no_pattern_is_said(pattern: str) -> None:
    with pytest.raises(PatternError):
        rules_spec([pattern])
    with pytest.raises(UsageError):
        matcher([pattern])
    assert list(IgnoreRules(["good", pattern, "also"]).problems) == [2]
    assert IgnoreRules(["good", pattern, "also"]).says("also", False)


def test_patterns_are_bounded_in_number(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="patterns are more than"):
        matcher(["a"] * 1000)
    rules = IgnoreRules(f"name{n}" for n in range(MAX_RULES + 10))
    assert list(rules.problems) == [MAX_RULES + 1] and rules.says("name7", False)
    file = tmp_path / "rules"
    file.write_text("first\n" + "a" * 900 + "\n" + ("x" * 99 + "\n") * 5000)
    found = read_rules(file)
    assert found is not None and found.says("first", False) and found.problems
