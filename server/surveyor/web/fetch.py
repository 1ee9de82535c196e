"""Getting one page: only from hosts that are allowed, within limits of size and time.

Each redirect is judged like the address that was asked for, each host is asked at the address that
was judged, and an answer is read no further than its limit, packed or unpacked. No cookies, no
proxies of the environment, no user or password.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surveyor import __version__
from surveyor.errors import SurveyorError
from surveyor.units import format_size
from surveyor.web.addresses import PageAddress
from surveyor.web.allowed_hosts import AllowedHosts
from surveyor.web.public_addresses import LookUp, PublicAddressError, addresses_to_ask, look_up
from surveyor.web.robots import AGENT

if TYPE_CHECKING:
    import httpx2

__all__ = ["FetchError", "FetchLimits", "FetchedPage", "Fetcher", "NoAnswerError", "retry_after_s"]

USER_AGENT = f"{AGENT}/{__version__} (documentation for one user; obeys robots.txt)"
MAX_REDIRECTS = 5
CONNECT_S = 10.0
MAX_ADDRESSES = 3
"""Of one host, that are tried."""
_REDIRECTS = (301, 302, 303, 307, 308)
_READ_AT_ONCE = 64 << 10


class FetchError(SurveyorError):
    """A page cannot be had: no answer, one that is too large, or a redirect that leads nowhere."""

    code = "not_fetched"


class NoAnswerError(FetchError):
    """A server is away, or too slow."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Of one page."""

    max_bytes: int
    timeout_s: float
    """From the first byte asked to the last one read, redirects included."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What a server answered, at the address where it did."""

    address: PageAddress
    status: int
    headers: Mapping[str, str]
    """By their names in lower case."""
    data: bytes

    @property
    def media_type(self) -> str:
        """Such as `text/html`; empty where none is said."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """What the server says that text is written in."""
        for part in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'")[:40]
        return ""

    @property
    def wishes(self) -> frozenset[str]:
        """What the server asks of robots for this page: `noindex`, `nofollow`, `none`.

        What stands behind another robot's name is meant for that one alone.
        """
        found: set[str] = set()
        agent = ""
        for part in self.headers.get("x-robots-tag", "").lower().split(","):
            name, is_named, wish = part.rpartition(":")
            agent = name.strip() if is_named else agent
            if agent in ("", "*", AGENT):
                found.add(wish.strip())
        return frozenset(found)


Permit = Callable[[PageAddress], Any]
"""Awaited before each address is asked, redirects included. Raises what forbids it."""


class Fetcher:
    """Asks for pages over connections that are kept while it is open."""

    def __init__(
        self,
        hosts: Callable[[], AllowedHosts],
        limits: FetchLimits,
        open_: AsyncExitStack,
        look: LookUp,
    ) -> None:
        self._hosts = hosts
        self._limits = limits
        self._open = open_
        self._look = look
        self._clients: dict[tuple[str, int], httpx2.AsyncClient] = {}
        """By host and port: connections are kept by the number that is asked, and hosts that share
        one must not share what was proven for one of them."""
        self._tls: ssl.SSLContext | None = None

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, hosts: Callable[[], AllowedHosts], limits: FetchLimits, look: LookUp = look_up
    ) -> AsyncIterator[Fetcher]:
        """A fetcher, until the block ends."""
        async with AsyncExitStack() as open_:
            yield cls(hosts, limits, open_, look)

    async def get(
        self,
        address: PageAddress,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
        permit: Permit | None = None,
    ) -> FetchedPage:
        """A page, after at most five redirects.

        Raises `NotAllowedError` for a host or address that is not allowed, `FetchError` for what
        fails, and what `permit` raises.
        """
        most = max_bytes or self._limits.max_bytes
        seen = {address}
        asked = dict(headers or {})
        waited = asyncio.get_running_loop().time
        left = self._limits.timeout_s
        while True:
            self._hosts().check(address)  # asked each time: the user may have changed it
            if permit is not None:
                await permit(address)
            # Waiting for permission is not the server's time.
            before = waited()
            page = await self._ask(address, asked, most, left)
            left = max(left - (waited() - before), 0.0)
            if page.status not in _REDIRECTS or "location" not in page.headers:
                return page
            target = address.join(page.headers["location"])
            address = _followed(address, target, seen)
            seen.add(address)
            asked = {}  # what was known of one page says nothing of another

    async def _ask(
        self, address: PageAddress, headers: Mapping[str, str], most: int, left_s: float
    ) -> FetchedPage:
        import httpx2  # as above

        try:
            async with asyncio.timeout(left_s):
                return await self._read(address, headers, most)
        except PublicAddressError as error:
            raise NoAnswerError(error.message) from None
        except (TimeoutError, httpx2.TimeoutException):
            raise NoAnswerError(
                f"{address.origin} did not answer within {self._limits.timeout_s:g} s"
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            why = str(error) or type(error).__name__
            raise NoAnswerError(f"{address.origin} did not answer: {why}") from None

    async def _read(
        self, address: PageAddress, headers: Mapping[str, str], most: int
    ) -> FetchedPage:
        import httpx2  # as above

        found = await addresses_to_ask(
            address, self._look, may_be_private=self._hosts().may_be_private(address)
        )
        *others, last = found[:MAX_ADDRESSES]
        for at in others:
            try:
                return await self._read_at(at, address, headers, most)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue  # `localhost` is two addresses, and a server often listens at one
        return await self._read_at(last, address, headers, most)

    async def _read_at(
        self, at: str, address: PageAddress, headers: Mapping[str, str], most: int
    ) -> FetchedPage:
        client = await self._client_of(address)
        client.cookies.clear()  # before the request is made, which takes them along
        shown = f"[{at}]" if ":" in at else at
        query = f"?{address.query}" if address.query else ""
        request = client.build_request(
            "GET",
            f"{address.scheme}://{shown}:{address.port}{address.path}{query}",
            headers={
                "Host": address.origin.partition("://")[2],
                "User-Agent": USER_AGENT,
                "Accept": "text/html, text/markdown, text/plain, application/pdf, */*;q=0.1",
                "Accept-Encoding": "gzip",
                **headers,
            },
            # The certificate must be the host's, though it is asked at its number.
            extensions={"sni_hostname": address.host},
        )
        response = await client.send(request, stream=True)
        try:
            answered = {name.lower(): value for name, value in response.headers.items()}
            data = b""
            if response.status_code == 200:
                data = await _body(response, answered.get("content-encoding", ""), most)
            return FetchedPage(address, response.status_code, answered, data)
        finally:
            await response.aclose()

    async def _client_of(self, address: PageAddress) -> httpx2.AsyncClient:
        import httpx2  # loaded by whoever goes to the web, and by nobody else

        key = (address.host, address.port)
        if key not in self._clients:
            timeout = httpx2.Timeout(
                self._limits.timeout_s, connect=min(CONNECT_S, self._limits.timeout_s)
            )
            if self._tls is None:  # reading the certificates takes a while
                self._tls = await asyncio.to_thread(httpx2.create_ssl_context, trust_env=False)
            self._clients[key] = await self._open.enter_async_context(
                httpx2.AsyncClient(
                    timeout=timeout, trust_env=False, follow_redirects=False, verify=self._tls
                )
            )
        return self._clients[key]


def _followed(
    source: PageAddress, target: PageAddress | None, seen: set[PageAddress]
) -> PageAddress:
    """Where a redirect leads. Raises `FetchError` where it must not be followed."""
    if target is None:
        raise FetchError(f"{source} redirects to what is no page")
    if target in seen:
        raise FetchError(f"{source} redirects in a circle")
    if len(seen) > MAX_REDIRECTS:
        raise FetchError(f"{source}: more than {MAX_REDIRECTS} redirects")
    if source.scheme == "https" and target.scheme == "http":
        raise FetchError(f"{source} redirects to {target}, which is not encrypted")
    return target


async def _body(response: httpx2.Response, coding: str, most: int) -> bytes:
    """What is answered, unpacked. Raises `FetchError` where it is more than the limit."""
    coding = coding.strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchError(f"the answer is packed as {coding[:40]!r}, and nobody asked for that")
    unpack = zlib.decompressobj(47) if coding not in ("", "identity") else None
    data = bytearray()
    read = 0
    async for part in response.aiter_raw(_READ_AT_ONCE):
        read += len(part)
        data += part if unpack is None else _unpacked(unpack, part, most - len(data) + 1)
        if max(read, len(data)) > most:
            raise FetchError(
                f"the page is larger than {format_size(most)}", "`web.max_page` is the limit."
            )
    return bytes(data)


def _unpacked(unpack: Any, part: bytes, most: int) -> bytes:
    """A part of an answer, unpacked as far as there is room: what is left over is too much."""
    try:
        made: bytes = unpack.decompress(part, most)
    except zlib.error as error:
        raise FetchError(f"the answer cannot be unpacked: {error}") from None
    return made


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a server asks to wait; None where it says nothing of it."""
    said = headers.get("retry-after", "").strip()
    if not said:
        return None
    if said.isdigit():
        return float(min(int(said[:9]), 10**8))
    from email.utils import parsedate_to_datetime  # few servers say it so

    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
