"""Every kind of change in every language: which calls `check` says do not fit any more."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from tests.change.cases import CASES, FRAMES, Case, Frame
from tests.change.edge_cases import EDGE_CASES, EDGE_FRAMES
from tests.change.held_cases import HELD_CASES
from tests.change.member_cases import MEMBER_CASES
from tests.gitrepo import git, write
from tests.product import product

NAMES = re.compile(r"\b(f|F|g|G|fetchAll|FetchAll|fetch_all|LoadAll|loadAll|load_all|Box2?|Lib)\b")
"""What is named after its case, so that the projects have nothing to do with each other."""
MARK = re.compile(r" *(?://|#)!$", re.MULTILINE)
ALL = {
    (language, name): (case, frames[language])
    for table, frames in (
        (CASES, FRAMES),
        (EDGE_CASES, EDGE_FRAMES),
        (HELD_CASES, EDGE_FRAMES),
        (MEMBER_CASES, EDGE_FRAMES),
    )
    for language, cases in table.items()
    for name, case in cases.items()
}


def marked_files(
    language: str, name: str, case: Case, frame: Frame, definition: str
) -> dict[str, str]:
    folder = f"{language}/{name}"
    found = {
        f"{folder}/{frame.path}": frame.text.replace("{c}", name).replace("@", definition),
        f"{folder}/{frame.use_path}": frame.use_text.replace("{c}", name).replace("@", case.uses),
    }
    path, text = case.more
    return found | ({f"{folder}/{path}": text.replace("{c}", name)} if path else {})


def files_of(language: str, name: str, case: Case, frame: Frame, definition: str) -> dict[str, str]:
    folder = f"{language}/{name}"
    found = marked_files(language, name, case, frame, definition)
    if language == "c" and "static" not in definition:
        found[f"{folder}/lib.h"] = re.sub(r" \{.*\}", ";", definition)
    if language == "rust":
        found[f"{folder}/Cargo.toml"] = f'[package]\nname = "{name}"\nversion = "1.0.0"\n'
    return {path: NAMES.sub(rf"\1_{name}", MARK.sub("", text)) for path, text in found.items()}


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `check` says of all changes, made at once."""
    root = tmp_path_factory.mktemp("work") / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for (language, name), (case, frame) in ALL.items():
        was = replace(case, uses=case.uses_before or case.uses)
        write(root, files_of(language, name, was, frame, case.before))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        for (language, name), (case, frame) in ALL.items():
            write(root, files_of(language, name, case, frame, case.after))
        return made.json(
            "check", "--project", str(root), "--wait", "50", "--no-diagnostics", "-n", "10000"
        )


@pytest.fixture(scope="module")
def told(answer: Any) -> dict[str, dict[int, str]]:
    """By path of each file: what is said, by line."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for each in answer["results"]:
        found[each["path"]][each["line"]] = f"{each['certainty']} {each['message']}"
    return found


@pytest.mark.parametrize(("language", "name"), ALL, ids=["-".join(each) for each in ALL])
def test_what_a_change_leaves_behind_is_told_and_nothing_else(
    told: dict[str, dict[int, str]], language: str, name: str
) -> None:
    case, frame = ALL[language, name]
    for path, text in marked_files(language, name, case, frame, case.after).items():
        marked = {at for at, line in enumerate(text.split("\n"), 1) if MARK.search(line)}
        said = told.get(path, {})
        assert set(said) == marked, (path, said)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("f_held_handed", "python/held_handed/use.py"),
        ("Lib_handed_along.f_handed_along", "java/handed_along/Use.java"),
        ("Lib_handed.g_handed", "java/handed/Use.java"),
        ("Box_handed", "kotlin/handed/Use.kt"),
        ("f_handed", "c/handed/use.c"),
        ("f_held_twice", "python/held_twice/use.py"),
        ("f_held_passed", "python/held_passed/use.py"),
        ("f_e_handed", "javascript/e_handed/use.js"),
        ("F_e_handed", "go/e_handed/use.go"),
    ],
)
def test_what_may_be_run_without_its_name_is_said_not_to_be_compared(
    answer: Any, name: str, file: str
) -> None:
    assert not answer["complete"]
    said = re.compile(
        rf"may run {name} without its name, and what is passed there is not compared \({file}:"
    )
    assert said.search(answer["notice"])


@pytest.mark.parametrize(
    "name",
    [
        "Box_held_static.f_held_static",
        "Box_held_bound.put",
        "Lib_held.F_held",
        "f_held_module",
        "F_held_block",
        "Lib_handed_types.f_handed_types",
    ],
)
def test_what_is_only_called_by_its_variable_is_not_said_to_be_left_out(
    answer: Any, name: str
) -> None:
    assert f"may run {name} " not in answer["notice"]
