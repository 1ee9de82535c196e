"""What the user stored a moment ago outlives a kill and a damaged `state.db`."""

from pathlib import Path

import pytest

from tests.product import Product, write_tree

PLACES = (
    "middle",
    pytest.param("whole", marks=pytest.mark.slow),
    pytest.param("byte", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("harm", PLACES)
def test_what_was_answered_is_brought_back(surveyor: Product, tmp_path: Path, harm: str) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    manual = tmp_path / "manual.md"
    manual.write_text("# Manual\n\nThe quokka valve opens counterclockwise.\n")
    surveyor.run("library", "ingest", str(manual), "--name", "plant.manual")
    surveyor.run("memory", "add", "--label", "tool", "--content", "Use quetzal", "--global")
    surveyor.kill_engine()
    manual.unlink()
    state = surveyor.data / "state.db"
    damage(surveyor, state, harm)
    done = surveyor.run("doctor", "--no-measure", check=False)
    assert done.returncode != 0
    assert "damaged" in done.stdout + done.stderr
    said = surveyor.run("doctor", "--no-measure", "--repair", check=False).stdout
    assert "brought back" in said and "1 rule" in said and "not brought back: nothing" in said
    assert "Use quetzal" in surveyor.run("memory", "list").stdout
    found = surveyor.json("library", "search", "quokka valve")
    assert "counterclockwise" in str(found)
    surveyor.settle(shop)
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0


def damage(surveyor: Product, state: Path, harm: str) -> None:
    log = state.with_name("state.db-wal")
    if harm != "whole":  # into the database first, so that the pages hold what was stored
        surveyor.run("engine", "start")
        surveyor.run("engine", "stop")
    content = state.read_bytes()
    if harm == "byte":
        assert b"Use quetzal" in content
        state.write_bytes(content.replace(b"Use quetzal", b"Use quetzam"))
        return
    log.unlink(missing_ok=True)
    keep = 0 if harm == "whole" else 3 * 4096
    state.write_bytes(content[:keep] + b"\xa5" * max(4096, len(content) - keep))
