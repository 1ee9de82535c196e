"""Every table that holds an id of a project or checkout has its function for changing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.store.state import State, identity


async def _tables_with(state: State, column: str) -> set[str]:
    rows = await state.read(
        """SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c
           WHERE m.type = 'table' AND c.name = ?""",
        (column,),
    )
    return {str(row[0]) for row in rows}


async def test_no_table_with_an_id_is_forgotten(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        assert await _tables_with(state, "project_id") == set(identity.PROJECT_TABLES)
        assert await _tables_with(state, "checkout_id") == set(identity.CHECKOUT_TABLES)
    finally:
        await state.close()


@pytest.mark.parametrize("joins", [False, True])
async def test_what_a_project_has_gets_its_new_id(tmp_path: Path, joins: bool) -> None:
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            for name in ("old", "new"):
                await tx.execute("INSERT INTO projects (project_id, name) VALUES (?, 'p')", (name,))
            await tx.execute(
                "INSERT INTO checkouts (checkout_id, project_id, root) VALUES ('c', 'old', '/c')"
            )
            await tx.execute(
                """INSERT INTO documents (project_id, path, content_hash, file_type, version)
                   VALUES ('old', 'a', x'00', 'code', '1')"""
            )
            await tx.execute("INSERT INTO dead_points (project_id, point_id) VALUES ('old', 'x')")
        async with state.transaction() as tx:
            await identity.defer_references(tx)
            await (identity.join_project if joins else identity.move_project)(tx, "old", "new")
            await identity.move_checkout(tx, "c", "d")
            await identity.delete_project_without_documents(tx, "old" if not joins else "none")
        assert await state.value("SELECT project_id FROM dead_points") == "new"
        kept = "old" if joins else "new"
        assert await state.value("SELECT project_id FROM documents") == kept
        row = await state.one("SELECT checkout_id, project_id FROM checkouts")
        assert row is not None
        assert tuple(row) == ("d", kept)
    finally:
        await state.close()
