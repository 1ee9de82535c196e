"""One product for all tests of a module that only read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product import Product, product, write_tree


@pytest.fixture
def surveyor(tmp_path: Path) -> Iterator[Product]:
    with product(tmp_path / "home") as made:
        made.home.mkdir()
        yield made


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Path]]:
    home = tmp_path_factory.mktemp("home")
    shop = write_tree(tmp_path_factory.mktemp("work") / "shop")
    with product(home) as made:
        made.index(shop)
        yield made, shop
