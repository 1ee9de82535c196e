"""The robots.txt of each site that is asked, read once."""

from __future__ import annotations

from surveyor.errors import SurveyorError
from surveyor.web.addresses import PageAddress, parse_address
from surveyor.web.fetch import FetchedPage, Fetcher, NoAnswerError
from surveyor.web.pace import MAX_DELAY_S, Pace
from surveyor.web.robots import FORBIDDEN, MAX_ROBOTS_BYTES, RobotRules, parse_robots

__all__ = ["LeftOutError", "SiteRules"]


class LeftOutError(SurveyorError):
    """A page that is not wanted, or that its site does not want fetched."""

    code = "left_out"


class SiteRules:
    """What sites allow, and how fast they are asked."""

    def __init__(self, fetcher: Fetcher, pace: Pace) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._rules: dict[str, RobotRules] = {}

    async def permit(self, address: PageAddress) -> None:
        """Wait for a site's turn. Raises `LeftOutError` for what its robots.txt forbids."""
        rules = await self._of(address)
        path = address.path + (f"?{address.query}" if address.query else "")
        if not rules.allows(path):
            raise LeftOutError(f"robots.txt of {address.origin} does not want it fetched")
        if rules.delay_s > MAX_DELAY_S:
            raise LeftOutError(
                f"robots.txt of {address.origin} wants {rules.delay_s:g} s between two pages"
            )
        await self._pace.wait(address.host, rules.delay_s)

    async def _of(self, address: PageAddress) -> RobotRules:
        """A site's rules. Where it has none all is allowed; where it does not answer, nothing."""
        if address.origin not in self._rules:
            self._rules[address.origin] = await self._read(address)
        return self._rules[address.origin]

    async def _read(self, address: PageAddress) -> RobotRules:
        async def turn(hop: PageAddress) -> None:
            await self._pace.wait(hop.host)

        try:
            page: FetchedPage = await self._fetcher.get(
                parse_address(f"{address.origin}/robots.txt"),
                max_bytes=MAX_ROBOTS_BYTES,
                permit=turn,
            )
        except NoAnswerError as error:
            raise NoAnswerError(f"robots.txt: {error.message}", error.hint) from None
        if page.status == 200:
            return parse_robots(page.data.decode("utf-8", "replace"))
        return FORBIDDEN if page.status == 429 or page.status >= 500 else RobotRules()
