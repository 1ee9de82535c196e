"""What an engine remembers of itself: values by key."""

from __future__ import annotations

from surveyor.store.state.database import State, Transaction

PAUSED = "paused"
"""There while indexing is paused."""
COMPACTED = "compacted_bytes"
"""The database's size when it was written anew last."""
MASKING = "masking"
"""The version by which everything in the database has been masked."""


async def value_of(state: State, key: str) -> str | None:
    """A value; None where there is none."""
    found = await state.value("SELECT value FROM settings WHERE key = ?", (key,))
    return None if found is None else str(found)


async def values_with(state: State, prefix: str) -> dict[str, str]:
    """Values whose keys begin with a prefix, by the rest of the key."""
    rows = await state.read(
        "SELECT key, value FROM settings WHERE substr(key, 1, ?) = ?", (len(prefix), prefix)
    )
    return {str(row[0]).removeprefix(prefix): str(row[1]) for row in rows}


async def remember(tx: Transaction, key: str, value: str) -> None:
    """Store a value, in place of an earlier one."""
    await tx.execute("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", (key, value))


async def forget(tx: Transaction, key: str) -> None:
    """Remove a value, if there is one."""
    await tx.execute("DELETE FROM settings WHERE key = ?", (key,))


def model_key(fingerprint: str) -> str:
    """Where the name is that a model's fingerprint stands for."""
    return f"model:{fingerprint}"
