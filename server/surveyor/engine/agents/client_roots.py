"""The folders that a client says are open: its answer to `roots/list`."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from surveyor.engine.agents.agent import Agent


async def offer(agent: Agent, uris: list[str]) -> list[str]:
    """Take the client's folders for its session's; returns why some cannot be."""
    folders = {uri: folder_of(uri) for uri in uris}
    refused = [f"{uri[:200]} is no folder here" for uri in uris if not folders[uri]]
    return refused + await agent.offer_roots([each for each in folders.values() if each])


def folder_of(uri: str) -> str | None:
    """The path in a root's address; None for one that is no folder of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    return unquote(parts.path) or None
