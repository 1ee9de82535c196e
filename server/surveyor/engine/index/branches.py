"""Branches of checkouts: what one held when it was left is remembered until it is deleted."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from surveyor.engine.index.commit import Committer
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.files.safe_read import LARGE_FILE_BYTES, read_text
from surveyor.git.project import describe
from surveyor.store.state import State, documents, files
from surveyor.store.state import projects as rows


class Branches:
    """Keeps what is known of branches true to the repositories."""

    def __init__(self, state: State, projects: ProjectRegistry, committer: Committer) -> None:
        self._state = state
        self._projects = projects
        self._committer = committer

    async def follow(self, checkout: Checkout) -> None:
        """Remember what a branch held when it is left, and forget branches that are deleted."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        alive = await asyncio.to_thread(branch_names, info.common_dir)
        kept = await files.kept_branches(self._state, [checkout.project_id])
        gone = [branch for branch in kept if alive and branch not in alive]
        switched = info.branch != checkout.branch
        if not switched and not gone:
            return
        async with self._state.transaction() as tx:
            outdated: list[int] = []
            if switched and checkout.branch is not None:
                outdated = await files.remember_branch(
                    tx, checkout.project_id, checkout.branch, checkout.checkout_id
                )
            await rows.set_branch(tx, checkout.checkout_id, info.branch, info.head)
            for branch in gone:
                outdated += await files.delete_branch(tx, checkout.project_id, branch)
            await documents.drop_unused(tx, outdated)
        self._projects.forget()
        await self._committer.sweep_dead_points(checkout.project_id)


def branch_names(common_dir: Path | None) -> set[str]:
    """Local branches of a repository, loose and packed."""
    if common_dir is None:
        return set()
    heads = common_dir / "refs" / "heads"
    names = {
        Path(folder, name).relative_to(heads).as_posix()
        for folder, _, files in os.walk(heads)
        for name in files
    }
    try:
        packed = read_text(common_dir / "packed-refs", LARGE_FILE_BYTES, errors="replace")
    except OSError:
        return names
    prefix = "refs/heads/"
    for line in packed.splitlines():
        _, _, ref = line.partition(" ")
        if ref.startswith(prefix):
            names.add(ref[len(prefix) :])
    return names
