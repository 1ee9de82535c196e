"""What a change is said to reach."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.impact import impact_of, nearest
from surveyor.graph.lookup import Stored
from surveyor.graph.models import ImpactItem
from surveyor.graph.questions import unresolved_imports
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


def item(number: int, *, is_test: bool) -> ImpactItem:
    return ImpactItem(
        path=f"{number}.py", line=1, name="f", kind="function", start_line=1, end_line=2, depth=1,
        source="", target="", edge="call", is_test=is_test,
    )  # fmt: skip


def test_many_tests_do_not_crowd_out_code() -> None:
    items = [item(n, is_test=n < 90) for n in range(100)]
    kept = nearest(items, 20)
    assert [i.path for i in kept if not i.is_test] == [f"{n}.py" for n in range(90, 100)]
    assert len(kept) == 20 and kept == sorted(kept, key=items.index)
    assert nearest(items, 100) == items
    few = [item(n, is_test=n < 5) for n in range(100)]
    assert sum(i.is_test for i in nearest(few, 50)) == 5 and len(nearest(few, 50)) == 50


async def test_imports_without_a_file_are_those_of_the_files_concerned(checkout: Checkout) -> None:
    load = "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n"
    await checkout.write(
        {"near.py": "from . import gone\nimport os\n", "far.py": load, "web.js": "import(x)\n"}
    )
    stored = Stored(checkout.state, CHECKOUT)
    listed, elsewhere = await unresolved_imports(stored, ["near.py"], 10)
    assert [(i.path, i.line, bool(i.reason)) for i in listed] == [("near.py", 1, True)]
    assert elsewhere == 1
    assert (await unresolved_imports(stored, ["far.py", "near.py"], 1))[0][0].path == "far.py"
