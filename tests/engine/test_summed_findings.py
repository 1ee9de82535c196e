"""Findings that follow from one thing that is gone are said once for a file."""

from __future__ import annotations

from surveyor.engine.summed_findings import summed
from surveyor.protocol.check import CheckFinding


def gone(path: str, line: int, name: str, about: str = "lib/pens.ts:3") -> CheckFinding:
    said = name if " " in name else f"names {name}, which is gone from lib/pens.ts"
    return CheckFinding(
        kind="removed", certainty="likely", path=path, line=line, column=0, message=said,
        symbol="", about=about, text="", is_test=False, unsaved_version=None,
    )  # fmt: skip


def test_what_a_dead_import_brings_is_counted_beside_it() -> None:
    dead = gone("use.ts", 1, "imports lib/pens.ts, which is gone", "lib/pens.ts")
    other = gone("other.ts", 1, "draw")
    uses = [gone("use.ts", line, "draw") for line in range(2, 20)]
    told = summed([dead, other, *uses])
    assert [(each.path, each.line) for each in told] == [("use.ts", 1), ("other.ts", 1)]
    assert told[0].message.endswith("; 18 more places name what is gone from lib/pens.ts")
    assert summed([dead, *uses[:3]]) == [dead, *uses[:3]]


def test_many_definitions_of_one_file_are_summed_and_all_places_of_one_are_told() -> None:
    many = [gone("use.ts", line, f"draw{line % 5}") for line in range(1, 40)]
    told = summed(many)
    assert len(told) == 4
    assert told[-1].message.endswith("; 35 more places name what is gone from lib/pens.ts")
    one = [gone("use.ts", line, "draw") for line in range(1, 40)]
    assert summed(one) == one
