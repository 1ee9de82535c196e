"""Which server an item came from that the editor wants resolved: the item alone does not say.

With one server the answers are left as they came. With several the items' `data`, which is the
servers' own, is wrapped with a note of ours, and unwrapped when it comes back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.upstream import Upstream

NOTE = "surveyor.origin"

ServerKey = tuple[str, Path]
"""Language and root of a server."""


class ItemOrigins:
    """Marks items of features that have a `resolve` request, and reads the marks."""

    def __init__(self) -> None:
        self._servers: dict[str, list[ServerKey]] = {}
        """Those that have given items of a feature; a note is an index into this."""

    def mark(self, feature: str, upstream: Upstream, answer: msgspec.Raw) -> Any:
        """An answer with items, marked where more than one server gives such items."""
        servers = self._servers.setdefault(feature, [])
        key = (upstream.language, upstream.root)
        if key not in servers:
            servers.append(key)
        number = servers.index(key)
        if number == 0:
            return answer
        value = messages.decode(answer)
        items = value.get("items") if isinstance(value, dict) else value
        for item in items if isinstance(items, list) else []:
            # A `Command` among code actions is not resolved.
            if isinstance(item, dict) and not isinstance(item.get("command"), str):
                item["data"] = wrapped(item, number)
        defaults = value.get("itemDefaults") if isinstance(value, dict) else None
        if isinstance(defaults, dict) and "data" in defaults:
            defaults["data"] = wrapped(defaults, number)
        return value

    def mark_one(self, feature: str, upstream: Upstream, answer: msgspec.Raw) -> Any:
        """A resolved item, marked again: it may be asked about once more."""
        number = self._servers[feature].index((upstream.language, upstream.root))
        item = messages.decode(answer) if number else None
        if not isinstance(item, dict):
            return answer
        item["data"] = wrapped(item, number)
        return item

    def of(self, feature: str, params: msgspec.Raw) -> tuple[ServerKey | None, Any]:
        """The server of an item, and the item as that server gave it.

        What bears no note is the first's: only its items are left as they came.
        """
        servers = self._servers.get(feature)
        if not servers:
            return None, params
        if len(servers) == 1:
            return servers[0], params
        item = messages.decode(params)
        data = item.get("data") if isinstance(item, dict) else None
        if not isinstance(data, dict) or NOTE not in data:
            return servers[0], params
        number = data[NOTE]
        if "data" in data:
            item["data"] = data["data"]
        else:
            del item["data"]
        if not isinstance(number, int) or not 0 <= number < len(servers):
            return None, item
        return servers[number], item


def wrapped(item: dict[str, Any], number: int) -> dict[str, Any]:
    """The `data` of an item with our note around it."""
    return {NOTE: number, **({"data": item["data"]} if "data" in item else {})}
