"""Addresses of services in settings: a word that is none is refused, with what to write."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

__all__ = ["model_url", "search_url", "store_url"]

_STORE = "http://localhost:6333"
_HOST_AND_PORT = re.compile(r"[^/?#@\s]+:\d+/?")


def store_url(value: str | None) -> str | None:
    """The address of a Qdrant server, which its own clients take as host:port, too."""
    if value and "://" not in value and _HOST_AND_PORT.fullmatch(value):
        _url(f"http://{value}", _STORE)
        return value
    return _url(value, _STORE)


def model_url(value: str | None) -> str | None:
    """The address of a chat model."""
    return _url(value, "http://localhost:11434/v1")


def search_url(value: str | None) -> str | None:
    """The address of a search service."""
    return _url(value, "https://searx.example.org")


def _url(value: str | None, example: str) -> str | None:
    """An address of a service of the web. Raises `ValueError` for any other word."""
    if not value:
        return value
    try:
        parts = urlsplit(value)
        fits = bool(parts.hostname) and parts.port != 0 and not any(c.isspace() for c in value)
        fits = fits and not parts.netloc.endswith(":")  # the port was forgotten: not 80 is meant
    except ValueError:  # a port that is no number, half of an IPv6 address
        parts, fits = urlsplit(""), False
    if not fits or parts.scheme not in ("http", "https"):
        raise ValueError(
            f"that is no address: begin with http:// or https://, as in {example};"
            ' with "" there is none'
        )
    return value
