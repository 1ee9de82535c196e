"""A window on a folder that the engine indexes: without a language server, and when it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lsp.rawclient import RawEditor

NO_SERVER = {"upstream": {"python": {"enabled": False}}}


async def healthy(editor: RawEditor, root: Path, files: int = 5) -> None:
    """Wait until a folder is indexed."""

    def done(status: Any) -> bool:
        return any(
            p["root"] == str(root) and p["status"] == "healthy" and p["files"] >= files
            for p in status["projects"]
        )

    await editor.wait_told("surveyor/status", done, 90)


async def symbols(editor: RawEditor, query: str, first: str = "") -> list[dict[str, Any]]:
    """Symbols for a query, once the one that is waited for comes first."""
    params = {"query": query}
    if not first:
        return list(await editor.request("workspace/symbol", params) or [])

    def good(found: Any) -> bool:
        return bool(found) and found[0]["name"] == first

    return list(await editor.eventually("workspace/symbol", params, good))
