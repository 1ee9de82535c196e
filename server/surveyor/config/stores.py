"""Which address of a Qdrant server may come from a variable of the environment.

A repository can set variables of what is started in it, and an index has its neighbours' code: an
address that only a variable names counts where it is this machine's, or the user has allowed it.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from surveyor.config.addresses import without_user

__all__ = ["refuse_unknown"]

PORTS = {"http": 80, "https": 443}
QDRANT_PORT = 6333
"""Of an address without a scheme."""


def refuse_unknown(said: dict[str, Any], users: Mapping[str, Any], warnings: list[str]) -> None:
    """Take an address, and the key beside it, out of what variables say, unless it may count.

    `users` is what the user's own file says; no project's has these sections.
    """
    section = said.get("qdrant")
    url = section.get("url") if isinstance(section, dict) else None
    if not isinstance(section, dict) or not isinstance(url, str) or not url:
        return
    listed = _value(users, "trust", "stores")
    stores = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    named = _value(users, "qdrant", "url")
    known = [*stores, *([named] if isinstance(named, str) else [])]
    if _is_here(url) or _place(url) in {_place(each) for each in known}:
        return
    said["qdrant"] = {key: value for key, value in section.items() if key not in ("url", "api_key")}
    shown = without_user(url)
    command = json.dumps([*stores, shown])
    warnings.append(
        f"qdrant.url: a variable names {shown}, which you have not allowed: nothing is sent there."
        f" To allow it: surveyor config set trust.stores '{command}'; then surveyor engine restart"
    )


def _value(values: Mapping[str, Any], section: str, key: str) -> object:
    table = values.get(section)
    return table.get(key) if isinstance(table, dict) else None


def _is_here(url: str) -> bool:
    """Whether an address is this machine's, by its name alone: nothing is looked up."""
    host = _place(url)[1]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _place(url: str) -> tuple[str, str, int]:
    """Scheme, host and port; empty where it is no address."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        port = parts.port or PORTS.get(parts.scheme, QDRANT_PORT)
    except ValueError:
        return "", "", 0
    return parts.scheme, (parts.hostname or "").lower(), port
