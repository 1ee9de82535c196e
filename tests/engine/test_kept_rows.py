"""Searches between changes: each answer is of the folder as it is, whatever was kept before."""

from __future__ import annotations

import time
from pathlib import Path

from tests.product import Product, git, until, write_tree

LEAST_S = 1.0
"""Searches go on for so long before a change, so that there is something kept to be wrong."""


def busy(surveyor: Product, folder: Path, query: str) -> list[tuple[str, int, str]]:
    """What a query finds all the time; each answer shows its text."""
    deadline = time.monotonic() + LEAST_S
    while True:
        found = surveyor.search(query, folder)["results"]
        assert all(each["snippet"] for each in found)
        if time.monotonic() > deadline:
            return [(each["path"], each["end_line"], each["symbol"]) for each in found]


def finds(surveyor: Product, folder: Path, query: str, expected: tuple[str, int, str]) -> bool:
    found = surveyor.search(query, folder)["results"]
    assert all(each["snippet"] for each in found)
    return expected in [(each["path"], each["end_line"], each["symbol"]) for each in found]


def test_edits_branches_and_worktrees_between_searches(surveyor: Product, tmp_path: Path) -> None:
    shop, other = write_tree(tmp_path / "shop"), tmp_path / "other"
    git(shop, "init", "-q", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "one")
    git(shop, "worktree", "add", "-q", str(other), "-b", "aside")
    for folder in (shop, other):
        surveyor.index(folder)
    query = "call_with_backoff"
    at = ("shop/retry.py", 10, query)
    for folder in (shop, other):
        assert at in busy(surveyor, folder, query)

    retry = shop / "shop/retry.py"
    retry.write_text("# a line\n" + retry.read_text())
    lower = ("shop/retry.py", 11, query)
    until(lambda: finds(surveyor, shop, query, lower))
    assert at not in busy(surveyor, shop, query)
    assert at in busy(surveyor, other, query), "the other worktree is as it was"

    git(shop, "checkout", "-q", ".")
    until(lambda: finds(surveyor, shop, query, at))
    assert lower not in busy(surveyor, shop, query)

    git(other, "rm", "-q", "shop/retry.py")
    until(lambda: not finds(surveyor, other, query, at))
    assert at in busy(surveyor, shop, query)
    git(other, "commit", "-qm", "without")
    git(shop, "checkout", "-q", "--detach", "aside")
    until(lambda: not finds(surveyor, shop, query, at))
    git(shop, "checkout", "-q", "main")
    until(lambda: finds(surveyor, shop, query, at))
    assert not any(path == at[0] for path, _, _ in busy(surveyor, other, query))
