"""What a change is said to reach."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.impact import impact_of
from surveyor.graph.lookup import Stored
from tests.graph.support import CHECKOUT, Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "a.py": "import os\n\n\ndef one(): ...\n",
            "b.py": "import a\n\n\ndef two():\n    a.one()\n",
            "c.py": "import b\n",
        }
    )
    yield made
    await made.close()


async def inbound(
    checkout: Checkout, *, whole_files: bool = True, name: str = ""
) -> set[tuple[str, str]]:
    stored = Stored(checkout.state, CHECKOUT)
    file = await stored.file("a.py")
    assert file is not None
    asked = [file] if not name else await stored.inside("a.py")
    found = await impact_of(stored, asked, 3, None, whole_files=whole_files)
    return {(item.path, item.name) for item in found.inbound}


async def test_a_file_reaches_what_uses_and_imports_it_at_any_distance(checkout: Checkout) -> None:
    assert await inbound(checkout, whole_files=True) == {("b.py", "two"), ("c.py", "")}


async def test_the_top_level_of_a_file_reaches_only_what_names_the_file(checkout: Checkout) -> None:
    assert await inbound(checkout, whole_files=False) == {("b.py", "two")}


async def test_importing_what_imports_a_name_is_no_use_of_it(checkout: Checkout) -> None:
    await checkout.write({"d.py": "from a import one\n", "e.py": "import d\n"})
    assert await inbound(checkout, name="one") == {("b.py", "two"), ("d.py", "")}


async def test_what_a_module_does_with_a_name_matters_to_its_importers(checkout: Checkout) -> None:
    await checkout.write({"d.py": "from a import one\none()\n", "e.py": "import d\n"})
    assert ("e.py", "") in await inbound(checkout, name="one")
