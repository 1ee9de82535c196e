"""Names of what is read from the web: of libraries by their hosts, of documents by their paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote

from surveyor.formats.formats import FORMATS
from surveyor.knowledge.names import NAME_MAX_CHARS
from surveyor.web.addresses import PageAddress

__all__ = ["document_name", "library_name"]

_PAGE_SUFFIXES = frozenset(
    (".php", ".asp", ".aspx", ".jsp", *(end for ends in FORMATS.values() for end in ends))
)
_MORE_CHARS = 12
"""Room for what tells two documents apart."""


def library_name(address: PageAddress) -> str:
    """`docs-python-org` for https://docs.python.org/3/."""
    return re.sub(r"[^\w]+", "-", address.host).strip("-") or "web"


def document_name(library: str, address: PageAddress, below: str, taken: Mapping[str, str]) -> str:
    """`rust-book.ch04.moves` for the page `ch04/moves.html`. `taken` are names with addresses."""
    url = str(address)
    inside = url.removeprefix(below) if below and url.startswith(below) else address.path
    path = PurePosixPath(unquote(inside.partition("?")[0]).strip("/"))
    parts = [*path.parts]
    if parts and path.suffix.lower() in _PAGE_SUFFIXES:
        parts[-1] = path.stem
    words = [re.sub(r"[^\w-]+", "-", part).strip("-") or "_" for part in parts] or ["index"]
    name = ".".join((library, *words))
    if address.query or len(name) > NAME_MAX_CHARS - _MORE_CHARS or taken.get(name, url) != url:
        mark = hashlib.blake2b(url.encode(), digest_size=4).hexdigest()
        name = f"{name[: NAME_MAX_CHARS - _MORE_CHARS].rstrip('.-')}-{mark}"
    return name
