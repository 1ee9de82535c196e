"""An answer about impact as a tree: what depends on something, through what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surveyor.terminal_text import written_out
from surveyor.tui.code_target import CodeTarget

if TYPE_CHECKING:
    from surveyor.protocol.graph import ImpactItem, ImpactResponse

SHOWN_SUBJECTS = 100


@dataclass(slots=True)
class ImpactBranch:
    """A line of the tree and what is below it."""

    label: str
    note: str = ""
    target: CodeTarget | None = None
    below: list[ImpactBranch] = field(default_factory=list)


def impact_branches(answer: ImpactResponse) -> list[ImpactBranch]:
    """What was asked about, what depends on it, its tests, what it depends on, what is not known.

    What is reached through something stands below that, where that is in the answer as well.
    """
    code = [item for item in answer.inbound if not item.is_test]
    tests = [item for item in answer.inbound if item.is_test]
    found = [_subjects(answer)]
    for title, items in (
        ("Depends on it", code), ("Tests", tests), ("It depends on", answer.outbound),
    ):  # fmt: skip
        if items:
            found.append(ImpactBranch(f"{title} ({len(items)})", below=_nested(items, answer.root)))
    if answer.unresolved:
        missing = [
            ImpactBranch(
                written_out(f"{each.path}:{each.line}"),
                written_out(f"{each.module}: {each.reason}"),
                CodeTarget(answer.root, each.path, each.line),
            )
            for each in answer.unresolved
        ]
        found.append(ImpactBranch(f"Imports without a file ({len(missing)})", below=missing))
    return found


def _subjects(answer: ImpactResponse) -> ImpactBranch:
    shown = [
        ImpactBranch(
            written_out(item.symbol or item.path),
            written_out(f"{item.path}:{item.line}")
            + (" (removed)" if item.kind == "removed" else ""),
            CodeTarget(
                answer.root, item.path, item.line, item.column, item.start_line, item.end_line,
                language=item.language, name=item.symbol,
            ),
        )
        for item in answer.subjects[:SHOWN_SUBJECTS]
    ]  # fmt: skip
    if len(shown) == 1:
        return shown[0]
    if len(answer.subjects) > len(shown):
        shown.append(ImpactBranch(f"… and {len(answer.subjects) - len(shown)} more"))
    return ImpactBranch(f"Changed ({len(answer.subjects)})", below=shown)


def _nested(items: Sequence[ImpactItem], root: str) -> list[ImpactBranch]:
    branches: dict[str, ImpactBranch] = {}
    top: list[ImpactBranch] = []
    for item in sorted(items, key=lambda each: (each.depth, len(each.via))):  # ranking stays
        branch = _branch(item, root)
        above = next((branches[name] for name in reversed(item.via) if name in branches), None)
        (above.below if above is not None else top).append(branch)
        branches.setdefault(f"{item.path}::{item.name}", branch)
    return top


def _branch(item: ImpactItem, root: str) -> ImpactBranch:
    where = f"{item.path}:{item.line}"
    sure = "" if item.precision == "syntax" else f" [{item.precision}]"
    note = f"{where}  {item.edge}{sure}" if item.name else f"{item.edge}{sure}"
    return ImpactBranch(
        written_out(item.name or where),
        written_out(note),
        CodeTarget(
            root, item.path, item.line, None, item.start_line, item.end_line,
            language=item.language, name=item.name,
        ),
    )  # fmt: skip


def count(branches: Iterable[ImpactBranch]) -> int:
    """Lines of a tree."""
    return sum(1 + count(branch.below) for branch in branches)
