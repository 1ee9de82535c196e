"""What is stored of single definitions and files of the graph, for hovers."""

from __future__ import annotations

from surveyor.store.state.database import State


def was_asked(state: State, node_id: int, question: str) -> bool:
    """Whether a language server has ever been asked something about a definition."""
    return bool(
        state.read_inline(
            "SELECT 1 FROM graph_exact WHERE node_id = ? AND question = ?", (node_id, question)
        )
    )


async def facts_of_file(state: State, checkout_id: str, path: str) -> bytes | None:
    """What a file says of its names, as it was stored; None for one without a graph."""
    row = await state.one(
        """SELECT d.facts FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    )
    return row[0] if row is not None else None
