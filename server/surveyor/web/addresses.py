"""Addresses of pages, in one spelling each, and what lies below a path."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from posixpath import normpath
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from surveyor.errors import UsageError

__all__ = ["DEFAULT_PORTS", "PageAddress", "host_of", "parse_address"]

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_ADDRESS_CHARS = 2000
_SESSION = re.compile(
    r"(?:(?:php|asp|j)?sess(?:ion)?_?id|sid|cfid|cftoken|zenid|s_id)", re.IGNORECASE
)
"""Names of parameters that tell visitors apart, and never pages."""
_TRACKING = re.compile(r"(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|ref_src)", re.IGNORECASE)
_SESSION_PATH = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#;]*", re.IGNORECASE)
_PLAIN_IN_PATHS = "~!$&'()*+,;=:@-._"
_PLAIN_IN_QUERIES = _PLAIN_IN_PATHS + "/?%"
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Where a page is. Without a fragment, a session or a user; equal ones are one page."""

    scheme: str
    host: str
    port: int
    path: str
    query: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    def __str__(self) -> str:
        """As it is asked for."""
        return f"{self.origin}{self.path}" + (f"?{self.query}" if self.query else "")

    def join(self, link: str) -> PageAddress | None:
        """Where a link on this page leads; None for what is no page."""
        try:
            return parse_address(urljoin(str(self), link.strip()))
        except (UsageError, ValueError):
            return None

    @property
    def folder(self) -> str:
        """What all pages beside and below this one begin with."""
        return self.origin + self.path[: self.path.rfind("/") + 1]

    def is_below(self, start: str) -> bool:
        """Whether it begins with an address that ends in a slash, or is that one."""
        return str(self).startswith(start) or str(self) == start.rstrip("/")


def host_of(text: str) -> str:
    """A host in one spelling. Raises `UsageError` for what is none."""
    host = text.strip().rstrip(".").lower()
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host.partition("%")[0]))
        except ValueError:
            raise UsageError(f"{text!r} is no host") from None
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        raise UsageError(f"{text!r} is no host") from None
    if not host or len(host) > 253 or not all(_LABEL.fullmatch(each) for each in host.split(".")):
        raise UsageError(f"{text!r} is no host")
    return host


def parse_address(text: str) -> PageAddress:
    """An address as the user or a page wrote it. Raises `UsageError` for what is no page's."""
    if len(text) > MAX_ADDRESS_CHARS:
        raise UsageError(f"an address is longer than {MAX_ADDRESS_CHARS} characters")
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{text!r} is no address: {error}") from None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        raise UsageError(f"{text!r} is no address of a page", "Give one with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "an address with a user or password in it is not fetched", "Leave out what is before @."
        )
    if port == 0:
        raise UsageError(f"{text!r} is no address: port 0")
    return PageAddress(
        scheme,
        host_of(parts.hostname),
        port or DEFAULT_PORTS[scheme],
        _path(parts.path),
        _query(parts.query),
    )


def _path(path: str) -> str:
    """Without dot segments, empty segments or sessions, escaped in one way."""
    segments = [
        quote(unquote_to_bytes(each), safe=_PLAIN_IN_PATHS)
        for each in _SESSION_PATH.sub("", path).split("/")
    ]
    made = re.sub(r"/{2,}", "/", "/" + "/".join(segments))
    tidy = normpath(made)
    return f"{tidy}/" if made.endswith(("/", "/.", "/..")) and tidy != "/" else tidy


def _query(query: str) -> str:
    """The parameters that tell pages apart, in one order."""
    kept = []
    for pair in quote(query, safe=_PLAIN_IN_QUERIES).split("&"):
        name = pair.partition("=")[0]
        if pair and not _SESSION.fullmatch(name) and not _TRACKING.fullmatch(name):
            kept.append(pair)
    return "&".join(sorted(kept))
