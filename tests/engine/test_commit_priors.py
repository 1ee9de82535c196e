"""What commits taught is used where it helps the search, and said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.dense import load_embedder
from surveyor.engine.operations import commit_priors
from surveyor.engine.operations.commit_priors import CommitPriors
from surveyor.engine.projects.checkouts import Checkout
from surveyor.search.pipeline import Searcher, SearchExtras
from surveyor.store.state.history import (
    CommitFileRow,
    HistoryProgress,
    NewCommit,
    insert_commits,
    set_progress,
)
from tests.engine.support import Parts, parts_in
from tests.engine.test_parts import indexed
from tests.product import write_tree

FILES = {"src/cookies.py": "def sign():\n    pass\n", "src/hosts.py": "def match():\n    pass\n"}
SUBJECTS = {
    "src/cookies.py": "Sign sessions with a secret key",
    "src/names.py": "Match routes by the host's name",
}
"""The second file is called `hosts.py` today."""


class OneSidedSearcher:
    """Finds one file first whatever is asked, or, where `listens`, what the commits lead to."""

    def __init__(self, *, listens: bool) -> None:
        self.listens = listens

    async def search(self, text: str, *_: Any, extras: SearchExtras, **__: Any) -> Any:
        paths = ["src/cookies.py", "src/hosts.py"]
        if self.listens and extras.commit_prior is not None:
            led = extras.commit_prior.of(text, None)
            paths.sort(key=lambda path: -led.get(path, 0.0))
        ranked = [SimpleNamespace(candidate=SimpleNamespace(path=path)) for path in paths]
        return SimpleNamespace(ranked=ranked)


@pytest.fixture
async def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parts]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with parts_in(tmp_path / "data") as made:
        yield made


async def with_commits(parts: Parts, folder: Path) -> Checkout:
    checkout = await indexed(parts, write_tree(folder, FILES))
    commits = []
    for number in range(300):
        path, subject = list(SUBJECTS.items())[number % 2]
        files = [CommitFileRow(path, "M", "")]
        if number == 299:
            files = [CommitFileRow("src/hosts.py", "R", "src/names.py")]
        commits.append(
            NewCommit(f"{number:040}", f"p{number}", "A", "a@b.c", number, subject, "", files)
        )
    async with parts.state.transaction() as tx:
        await insert_commits(tx, checkout.project_id, commits)
        await set_progress(tx, checkout.project_id, HistoryProgress(["299"], True, 300))
    return checkout


@pytest.mark.parametrize("listens", [True, False])
async def test_it_is_used_where_commits_are_found_better_with_it(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, listens: bool
) -> None:
    monkeypatch.setattr(commit_priors, "PAUSE_S", 0.0)
    checkout = await with_commits(parts, tmp_path / "shop")
    embedder = load_embedder("")

    async def embedder_of(_: Any) -> Any:
        return embedder

    ranking = [RankSettings()]
    tasks: list[asyncio.Task[None]] = []
    priors = CommitPriors(
        parts.state,
        cast(Searcher, OneSidedSearcher(listens=listens)),
        parts.committer.space,
        embedder_of,
        lambda _: ranking[0],
        lambda _: False,
        lambda work: tasks.append(asyncio.create_task(work)),
    )
    assert priors.said(checkout) is None
    assert priors.of(checkout) is None
    await asyncio.gather(*tasks)
    prior, said = priors.of(checkout), priors.said(checkout)
    assert said is not None
    assert said.startswith("on, learned from 300 commits: +" if listens else "off: +0.000")
    if listens:
        assert prior is not None
        assert "src/hosts.py" in prior.of("the host's name", None)
        assert "src/names.py" not in prior.of("the host's name", None)
    else:
        assert prior is None
    ranking[0] = RankSettings(commits=False)
    assert priors.said(checkout) == "off: `search.commits` is false"
