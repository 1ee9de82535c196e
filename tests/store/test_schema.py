"""The page on the schema of state.db."""

from pathlib import Path

import pytest

from surveyor.store.state import schema

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"


def test_the_page_is_what_the_migrations_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == schema.schema_page(), "run `make docs`"


def test_a_table_without_a_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {name: tables for name, tables in schema.GROUPS.items() if name != "Queue"}
    monkeypatch.setattr(schema, "GROUPS", groups)
    with pytest.raises(ValueError, match="unified_queue"):
        schema.schema_page()
