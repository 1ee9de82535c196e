"""Every kind of change in every language: which calls `check` says do not fit any more."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.change.cases import CASES, FRAMES, Case, Frame
from tests.change.edge_cases import EDGE_CASES, EDGE_FRAMES
from tests.change.held_cases import HELD_CASES
from tests.change.member_cases import MEMBER_CASES
from tests.change.result_cases import RESULT_CASES
from tests.change.static_cases import FIELD_CASES, STATIC_CASES
from tests.change.type_edge_cases import TYPE_EDGE_CASES
from tests.gitrepo import git, write
from tests.product import product

NAMES = re.compile(r"\b(f|F|g|G|fetchAll|FetchAll|fetch_all|LoadAll|loadAll|load_all|Box2?|Lib)\b")
"""What is named after its case, so that the projects have nothing to do with each other."""
MARK = re.compile(r" *(?://|#)!$", re.MULTILINE)
Key = tuple[str, str]
"""Language and name of a case."""
ALL: dict[Key, tuple[Case, Frame]] = {
    (language, name): (case, frames[language])
    for table, frames in (
        (CASES, FRAMES),
        (RESULT_CASES, FRAMES),
        (EDGE_CASES, EDGE_FRAMES),
        (TYPE_EDGE_CASES, EDGE_FRAMES),
        (HELD_CASES, EDGE_FRAMES),
        (MEMBER_CASES, EDGE_FRAMES),
        (STATIC_CASES, EDGE_FRAMES),
        (FIELD_CASES, EDGE_FRAMES),
    )
    for language, cases in table.items()
    for name, case in cases.items()
}
MEMBERS = {key: ALL[key] for key in ALL if key[1] in MEMBER_CASES.get(key[0], {})}


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


def write_before(root: Path, cases: Mapping[Key, tuple[Case, Frame]]) -> None:
    """Commit projects as they are before their changes."""
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for (language, name), (case, frame) in cases.items():
        was = replace(case, uses=case.uses_before or case.uses)
        write(root, files_of(language, name, was, frame, case.before))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")


def write_after(root: Path, cases: Mapping[Key, tuple[Case, Frame]]) -> None:
    for (language, name), (case, frame) in cases.items():
        write(root, files_of(language, name, case, frame, case.after))


def by_path(answer: Any) -> dict[str, dict[int, str]]:
    """By path of each file: what is said, by line."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for each in answer["results"]:
        found[each["path"]][each["line"]] = f"{each['certainty']} {each['message']}"
    return found


def assert_told(told: dict[str, dict[int, str]], language: str, name: str) -> None:
    case, frame = ALL[language, name]
    for path, text in marked_files(language, name, case, frame, case.after).items():
        marked = {at for at, line in enumerate(text.split("\n"), 1) if MARK.search(line)}
        said = told.get(path, {})
        assert set(said) == marked, (path, said)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `check` says of all changes, made at once."""
    root = tmp_path_factory.mktemp("work") / "repo"
    write_before(root, ALL)
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        write_after(root, ALL)
        return made.json(
            "check", "--project", str(root), "--wait", "50", "--no-diagnostics", "-n", "10000"
        )


@pytest.fixture(scope="module")
def told(answer: Any) -> dict[str, dict[int, str]]:
    return by_path(answer)


@pytest.fixture(scope="module")
def told_by_later_index(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """The same of members, by an index that was first made when they had changed."""
    root = tmp_path_factory.mktemp("later") / "repo"
    write_before(root, MEMBERS)
    write_after(root, MEMBERS)
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        answer = made.json("check", "--project", str(root), "--wait", "50", "--no-diagnostics")
    return by_path(answer)


@pytest.mark.parametrize(("language", "name"), ALL, ids=["-".join(each) for each in ALL])
def test_what_a_change_leaves_behind_is_told_and_nothing_else(
    told: dict[str, dict[int, str]], language: str, name: str
) -> None:
    assert_told(told, language, name)


@pytest.mark.parametrize(("language", "name"), MEMBERS, ids=["-".join(each) for each in MEMBERS])
def test_members_are_followed_as_they_were_also_where_the_index_is_newer_than_the_change(
    told_by_later_index: dict[str, dict[int, str]], language: str, name: str
) -> None:
    assert_told(told_by_later_index, language, name)


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
