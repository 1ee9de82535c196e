"""Every kind of change in every language: which calls `check` says do not fit any more."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import pytest

from tests.change.cases import CASES, FRAMES, Case
from tests.gitrepo import git, write
from tests.product import product

NAMES = re.compile(r"\b(f|F|g|G|fetchAll|FetchAll|fetch_all|LoadAll|loadAll|load_all|Box2?|Lib)\b")
"""What is named after its case, so that the projects have nothing to do with each other."""
MARK = re.compile(r" *(?://|#)!$")
ALL = [(language, name) for language, cases in CASES.items() for name in cases]


def files_of(language: str, name: str, case: Case, definition: str) -> dict[str, str]:
    frame, folder = FRAMES[language], f"{language}/{name}"
    uses = "\n".join(MARK.sub("", line) for line in case.uses.split("\n"))
    found = {
        f"{folder}/{frame.path}": frame.text.replace("{c}", name).replace("@", definition),
        f"{folder}/{frame.use_path}": frame.use_text.replace("{c}", name).replace("@", uses),
    }
    if language == "c":
        declared = re.sub(r" \{.*\}", ";", definition)
        found[f"{folder}/lib.h"] = declared
    if language == "rust":
        found[f"{folder}/Cargo.toml"] = f'[package]\nname = "{name}"\nversion = "1.0.0"\n'
    return {path: NAMES.sub(rf"\1_{name}", text) for path, text in found.items()}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """By path of each file of uses: what is said, by line. All changes are made at once."""
    root = tmp_path_factory.mktemp("work") / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for language, name in ALL:
        case = CASES[language][name]
        write(root, files_of(language, name, case, case.before))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        for language, name in ALL:
            case = CASES[language][name]
            write(root, files_of(language, name, case, case.after))
        answer: Any = made.json(
            "check", "--project", str(root), "--wait", "50", "--no-diagnostics", "-n", "10000"
        )
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for each in answer["results"]:
        found[each["path"]][each["line"]] = f"{each['certainty']} {each['message']}"
    return found


@pytest.mark.parametrize(("language", "name"), ALL, ids=["-".join(each) for each in ALL])
def test_what_a_change_leaves_behind_is_told_and_nothing_else(
    told: dict[str, dict[int, str]], language: str, name: str
) -> None:
    case, frame = CASES[language][name], FRAMES[language]
    above = frame.use_text.partition("@")[0].count("\n")
    lines = case.uses.split("\n")
    marked = {above + at for at, line in enumerate(lines, 1) if MARK.search(line)}
    said = told.get(f"{language}/{name}/{frame.use_path}", {})
    assert set(said) == marked, said
