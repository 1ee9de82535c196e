"""What a change brought, as a real server sees it: its old errors are no news."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.engine.change_diagnostics import ChangeDiagnostics
from surveyor.engine.new_diagnostics import ChangedDocument
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.published_diagnostics import PublishedDiagnostics
from surveyor.servers.uris import to_uri
from tests.servers.real import python_servers

BEFORE = "def total(items: list[int]) -> int:\n    return sum(items)\n\n\nold: int = 'text'\n"
AFTER = BEFORE.replace("-> int", "-> str").replace("sum(items)", "str(items)")
USER = "from price import total\n\nlater: int = total([1])\nwrong: int = 'text'\n"


def diagnostics_of(manager: UpstreamManager) -> ChangeDiagnostics:
    host = manager.host
    assert isinstance(host, PublishedDiagnostics)
    return ChangeDiagnostics(manager, host, defaultdict(asyncio.Lock))


@pytest.fixture
async def manager(tmp_path: Path) -> AsyncIterator[UpstreamManager]:
    (tmp_path / "price.py").write_text(AFTER)
    (tmp_path / "cart.py").write_text(USER)
    made = UpstreamManager(
        UpstreamConfig(upstream={"python": {"server": "ty"}}, user_path=str(python_servers())),
        host=PublishedDiagnostics(),
    )
    yield made
    await made.close()


async def test_only_what_the_change_brought_is_told_and_each_time_again(
    manager: UpstreamManager, tmp_path: Path
) -> None:
    diagnostics = diagnostics_of(manager)
    documents = [ChangedDocument("price.py", BEFORE, AFTER), ChangedDocument("cart.py")]
    for _ in range(2):
        answer = await diagnostics.of_change(tmp_path, documents, is_shared=False)
        assert [(each.path, each.line) for each in answer.found] == [("cart.py", 3)]
        assert answer.found[0].is_compared
        assert answer.found[0].is_error
        assert answer.lacks == []
    shown = manager.documents.get(to_uri(tmp_path / "price.py"))
    assert shown is None or shown.text == AFTER, "the text from before is put away again"
    unknown = await diagnostics.of_change(tmp_path, documents, is_shared=True)
    assert len(unknown.found) == 3, "beside a window nothing is shown to compare with"
    assert not any(each.is_compared for each in unknown.found)


async def test_what_a_moved_file_had_is_no_news(manager: UpstreamManager, tmp_path: Path) -> None:
    """Where its imports are others now, nobody tells for certain what it had."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("first = 1\n")
    before = "from .names import first\n\nold: int = 'text'\nother: str = first\n"
    after = before.replace(".names", "shop.names") + "new: int = 'text'\n"
    (tmp_path / "moved.py").write_text(after)
    documents = [ChangedDocument("moved.py", before, after, "shop/was.py")]
    answer = await diagnostics_of(manager).of_change(tmp_path, documents, is_shared=False)
    assert [each.line for each in answer.found] == [4, 5]
    assert not any(each.is_compared for each in answer.found)
    (tmp_path / "moved.py").write_text(before)
    documents = [ChangedDocument("moved.py", before, before, "shop/was.py")]
    answer = await diagnostics_of(manager).of_change(tmp_path, documents, is_shared=False)
    assert answer.found == []


async def test_what_stood_in_another_file_before_is_no_news(
    manager: UpstreamManager, tmp_path: Path
) -> None:
    part = "\n\ndef half(text: str) -> int:\n    return text\n"
    (tmp_path / "part.py").write_text(part + part.replace("half", "whole").replace("text", "all"))
    documents = [
        ChangedDocument("part.py", ""),
        ChangedDocument("price.py", BEFORE + part, BEFORE),
        ChangedDocument("gone.py", "other: int = 'text'\n", ""),
    ]
    answer = await diagnostics_of(manager).of_change(tmp_path, documents, is_shared=False)
    assert [(each.path, each.line) for each in answer.found] == [("part.py", 8)]


async def test_each_project_of_a_folder_is_looked_at_by_a_server_of_its_own(
    manager: UpstreamManager, tmp_path: Path
) -> None:
    """The one knows `price` by the sources of its project; from the other nothing is changed."""
    for name in ("cart", "bill"):
        source = tmp_path / name / "src"
        source.mkdir(parents=True)
        (tmp_path / name / "pyproject.toml").write_text(f"[project]\nname = '{name}'\n")
        (source / "price.py").write_text(AFTER)
        (source / "user.py").write_text(USER)
    documents = [
        ChangedDocument("cart/src/price.py", BEFORE, AFTER),
        ChangedDocument("cart/src/user.py"),
        ChangedDocument("bill/src/user.py"),
    ]
    answer = await diagnostics_of(manager).of_change(tmp_path, documents, is_shared=False)
    assert [(each.path, each.line) for each in answer.found] == [("cart/src/user.py", 3)]
    assert answer.lacks == ["1 file of bill, a python project of its own, not looked at"]
    assert [each.root for each in manager.all()] == [tmp_path / "cart"]


async def test_a_language_without_a_server_is_named(tmp_path: Path) -> None:
    config = UpstreamConfig(upstream={"go": {"command": ["/nowhere/gopls"]}})
    manager = UpstreamManager(config, host=PublishedDiagnostics())
    try:
        documents = [ChangedDocument("a.go", "package a\n", "package b\n")]
        answer = await diagnostics_of(manager).of_change(tmp_path, documents, is_shared=False)
        assert answer.found == []
        assert len(answer.lacks) == 1
        assert "go" in answer.lacks[0]
    finally:
        await manager.close()
