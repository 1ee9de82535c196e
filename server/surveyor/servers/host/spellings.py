"""URIs of one file that clients spell differently: the server knows each file by one of them.

One editor writes `%28x%29` for what another writes as `(x)`. A server that is told of both has two
texts of one file, and forgets it when either is closed.
"""

from __future__ import annotations

from typing import Any

from surveyor.servers import messages


class Spellings:
    """How one client spells documents that the server has open under another URI."""

    def __init__(self) -> None:
        self._to_server: dict[str, str] = {}
        self._to_client: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._to_server)

    def add(self, theirs: str, known: str) -> None:
        """The client's URI of a document, and the server's, which may be the same."""
        if theirs != known:
            self._to_server[theirs] = known
            self._to_client[known] = theirs

    def remove(self, theirs: str) -> None:
        """The client has closed the document."""
        known = self._to_server.pop(theirs, None)
        if known is not None:
            self._to_client.pop(known, None)

    def of_client(self, known: str) -> str:
        """The client's URI of what the server knows under one."""
        return self._to_client.get(known, known)

    def to_server(self, raw: bytes) -> bytes:
        """Params of the client's, with the URIs that the server knows."""
        return respelled(raw, self._to_server)

    def to_client(self, raw: bytes) -> bytes:
        """A message for the client, with its own URIs."""
        return respelled(raw, self._to_client)


def respelled(raw: bytes, uris: dict[str, str]) -> bytes:
    """JSON with some URIs put in place of others, wherever they stand alone."""
    before = messages.decode(raw)
    after = _replaced(before, uris)
    return raw if after == before else messages.encode(after)


def _replaced(value: Any, uris: dict[str, str]) -> Any:
    if isinstance(value, str):
        return uris.get(value, value)
    if isinstance(value, list):
        return [_replaced(item, uris) for item in value]
    if isinstance(value, dict):
        return {uris.get(key, key): _replaced(item, uris) for key, item in value.items()}
    return value
