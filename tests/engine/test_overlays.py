"""Unsaved buffers of several editors on one folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor.client.blocking import Client, open_session
from surveyor.protocol.search import SearchRequest, SymbolsRequest
from surveyor.protocol.sessions import Hello, OverlayRequest
from tests.product import Product, until, write_tree

NAME = "quokka_smile"


@pytest.fixture
def shop(surveyor: Product, tmp_path: Path) -> Path:
    folder = write_tree(tmp_path / "shop")
    surveyor.index(folder)
    return folder


@pytest.fixture
def windows(surveyor: Product, shop: Path) -> Iterator[tuple[Client, Client]]:
    """Two editors that have the folder open; the first has unsaved text."""
    first, second = _window(surveyor, shop), _window(surveyor, shop)
    text = f"def {NAME}():\n    return 1\n"
    first.call(OverlayRequest(path=str(shop / "shop/cart.py"), version=3, text=text))
    yield first, second
    first.close()
    second.close()


def _window(surveyor: Product, shop: Path) -> Client:
    connection = open_session(surveyor.data)
    assert connection is not None
    client = Client(connection)
    client.greet(Hello(client="lsp", version="1", pid=os.getpid(), roots=[str(shop)]))
    return client


def _versions(window: Client, shop: Path) -> list[int | None]:
    found = window.call(SymbolsRequest(query=NAME, cwd=str(shop))).results
    return [each.unsaved_version for each in found]


def test_a_file_that_another_window_opens_stays_unsaved_in_the_first(
    windows: tuple[Client, Client], shop: Path
) -> None:
    first, second = windows
    second.call(OverlayRequest(path=str(shop / "shop/cart.py"), version=1, text=None))
    assert _versions(first, shop) == _versions(second, shop) == [3]
    first.call(OverlayRequest(path=str(shop / "shop/cart.py"), version=4, text=None))
    assert _versions(second, shop) == []


def test_a_window_that_closes_takes_its_own_buffers_along(
    windows: tuple[Client, Client], shop: Path
) -> None:
    first, second = windows
    first.close()
    until(lambda: _versions(second, shop) == [])


def test_exact_text_follows_the_disk_and_what_is_not_saved(
    windows: tuple[Client, Client], surveyor: Product, shop: Path
) -> None:
    _, second = windows
    wanted = SearchRequest(query="def $F($$$A): $$$B", cwd=str(shop), mode="pattern", kinds=[])
    found = {each.captures["$F"]: each for each in second.call(wanted).results}
    assert found[NAME].unsaved_version == 3

    def places(text: str) -> list[tuple[str, int | None]]:
        found = second.call(SearchRequest(query=text, cwd=str(shop), mode="literal"))
        return [(each.path, each.unsaved_version) for each in found.results]

    assert places(NAME) == [("shop/cart.py", 3)]
    assert not places("value added tax"), "the disk's text counts no more"
    (shop / "shop/retry.py").rename(shop / "moved.py")
    (shop / "config.toml").write_text('[cache]\nurl = "redis://"\n')
    until(lambda: places("call_with_backoff") == [("moved.py", None)])
    until(lambda: places("redis://") == [("config.toml", None)])
    assert not places("sqlite:///")
    surveyor.kill_engine()
    after = surveyor.search("redis://", shop, "--mode", "literal")
    assert [each["path"] for each in after["results"]] == ["config.toml"]
