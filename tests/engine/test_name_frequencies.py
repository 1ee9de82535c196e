"""How telling names are, and which documents share the telling ones."""

from __future__ import annotations

from surveyor.engine.name_frequencies import NameIndex
from surveyor.graph.facts import name_hash


def index(*files: tuple[str, ...]) -> NameIndex:
    rows = [(number, b"".join(map(name_hash, names))) for number, names in enumerate(files, 1)]
    return NameIndex(rows)


def test_a_name_tells_the_more_the_fewer_files_use_it() -> None:
    names = index(*[("len", f"only_{number}") for number in range(20)])
    assert names.weight("len") < names.weight("only_3") <= names.weight("nowhere")


def test_files_that_share_rare_names_come_first_and_common_names_lead_nowhere() -> None:
    files: list[tuple[str, ...]] = [("len", f"own_{number}") for number in range(20)]
    files[7] = ("len", "sign", "unsign")
    files[9] = ("len", "sign")
    names = index(*files)
    assert names.sharing(["sign", "unsign", "len"], 5) == [8, 10]
    assert names.sharing(["len"], 5) == []
    assert index().sharing(["len"], 5) == []
