"""A search service of the user's choice: an instance of SearXNG, or one that wants a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

import msgspec

from surveyor.errors import SurveyorError, UsageError
from surveyor.web.addresses import PageAddress, parse_address
from surveyor.web.allowed_hosts import AllowedHosts
from surveyor.web.fetch import Fetcher, FetchLimits
from surveyor.web.public_addresses import LookUp, look_up

__all__ = ["FoundPage", "SearchService", "SearchServiceError"]

MAX_QUERY_CHARS = 300
MAX_ANSWER_BYTES = 2 << 20
MAX_EXCERPT_CHARS = 1000


class SearchServiceError(SurveyorError):
    """The service is away, refused, or answers something else."""

    code = "search_service"


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that the service names, with its own excerpt."""

    address: PageAddress
    title: str
    excerpt: str


class _Result(msgspec.Struct):
    url: str = ""
    title: str | None = None
    content: str | None = None
    """SearXNG's excerpt."""
    description: str | None = None
    """Brave's."""


class _BraveResults(msgspec.Struct):
    results: list[_Result] = []


class _ServiceAnswer(msgspec.Struct):
    results: list[_Result] = []
    web: _BraveResults | None = None


@dataclass(frozen=True, slots=True)
class SearchService:
    """One service at one address. `key` is sent to it and to no other."""

    address: str
    kind: Literal["searxng", "brave"]
    key: str | None
    timeout_s: float
    look: LookUp = look_up

    @property
    def host(self) -> str:
        """Where questions go."""
        return self._base.origin

    @property
    def _base(self) -> PageAddress:
        parts = urlsplit(self.address)
        # A user and password in it are not sent; the key has a setting of its own.
        return parse_address(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")

    async def find(self, question: str) -> list[FoundPage]:
        """Pages, best first. Raises `SearchServiceError`."""
        try:
            asked = self._question(question)
            headers = {"Accept": "application/json"}
            if self.key and self.kind == "brave":
                headers["X-Subscription-Token"] = self.key
            elif self.key:
                headers["Authorization"] = f"Bearer {self.key}"
            # Its own host and port, which the user has named, and no redirect to another.
            host = f"[{asked.host}]" if ":" in asked.host else asked.host
            own = AllowedHosts(True, [], [f"{host}:{asked.port}"])
            limits = FetchLimits(MAX_ANSWER_BYTES, self.timeout_s)
            async with Fetcher.opened(lambda: own, limits, self.look) as fetcher:
                page = await fetcher.get(asked, headers=headers)
        except (SurveyorError, UnicodeError) as error:
            said = error.message if isinstance(error, SurveyorError) else "a bad key"
            raise SearchServiceError(f"no pages were found: {said}") from None
        if page.status != 200:
            hint = "JSON must be among its formats." if page.status == 403 else ""
            raise SearchServiceError(f"{self.host} answers {page.status}", hint)
        return _read(page.data, self.host)

    def _question(self, question: str) -> PageAddress:
        words = quote(" ".join(question.split())[:MAX_QUERY_CHARS], safe="")
        base = str(self._base).rstrip("/")
        if self.kind == "brave":
            return parse_address(f"{base}/res/v1/web/search?q={words}")
        return parse_address(f"{base.removesuffix('/search')}/search?format=json&q={words}")


def _read(data: bytes, host: str) -> list[FoundPage]:
    try:
        answer = msgspec.json.decode(data, type=_ServiceAnswer)
    except (msgspec.MsgspecError, RecursionError):
        raise SearchServiceError(
            f"what {host} answers is no list of pages", "See `web.search` and `web.search_kind`."
        ) from None
    found: dict[PageAddress, FoundPage] = {}
    for each in [*answer.results, *(answer.web.results if answer.web else [])]:
        try:
            address = parse_address(each.url)
        except UsageError:
            continue
        excerpt = (each.content or each.description or "")[:MAX_EXCERPT_CHARS]
        found.setdefault(address, FoundPage(address, (each.title or "")[:300], excerpt))
    return list(found.values())
