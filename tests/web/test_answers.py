"""Pages that a question is about: where it is sent, what is read, and what a service gets wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio

from surveyor.config.settings import WebSection
from surveyor.knowledge.web_answers import WebAnswers
from tests.knowledge.parts import Parts, assemble
from tests.web.site import Reply, Site, html, served

OWL = "Owls hunt at night because their eyes and ears find mice in complete darkness."
KEY = "ghp_" + "0aZ9" * 9


@pytest.fixture(scope="module")
def one_site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest_asyncio.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    made = await assemble(tmp_path / "data")
    yield made
    await made.close()


@pytest.fixture
def site(one_site: Site) -> Site:
    one_site.reset()
    return one_site


def listed(site: Site, *found: dict[str, Any]) -> None:
    """What the service answers to every question."""
    body = json.dumps({"results": found, "web": {"results": found}})
    site.make = lambda path: Reply(body) if "/search?" in path else None


def answers(parts: Parts, site: Site, **settings: Any) -> WebAnswers:
    section = WebSection.model_validate(
        {
            "enabled": True,
            "private_hosts": [f"site.test:{site.port}"],
            "search": f"http://me:pw@search.test:{site.port}",
            "delay": 0,
        }
        | settings
    )

    async def here(_: str, __: int) -> list[str]:
        return ["127.0.0.1"]

    knowledge = parts.knowledge
    return WebAnswers(knowledge.library_queue.read, knowledge.points, lambda: section, here)


async def test_pages_that_are_allowed_are_read_and_of_others_the_excerpt_is_told(
    parts: Parts, site: Site
) -> None:
    site.pages["/owls"] = html(OWL)
    listed(
        site,
        {"url": site.url("/owls#x"), "title": "Owls", "content": "About owls."},
        {"url": site.url("/owls", "away.test"), "title": "Away", "content": f"{OWL} {KEY}"},
        {"url": "ftp://site.test/", "title": "no page"},
        {"url": site.url("/gone"), "title": "Gone", "content": None},
    )

    found = await answers(parts, site).find(f"how do owls hunt at night? {KEY}")

    assert found.asked == f"http://search.test:{site.port}"
    assert found.note == f"asked {found.asked}: 3 pages, 1 of them allowed and read"
    assert {each.url: each.text for each in found.passages} == {
        site.url("/owls"): OWL,
        site.url("/owls", "away.test"): f"{OWL} {'*' * len(KEY)}",
    }
    assert all(0 < each.confidence <= 1 for each in found.passages)
    (asked,) = [(path, sent) for path, sent in site.asked if path.startswith("/search")]
    query = parse_qs(urlsplit(asked[0]).query)
    assert KEY not in query["q"][0] and query["format"] == ["json"]
    assert "authorization" not in asked[1]
    assert not [path for path, sent in site.asked if sent["host"].startswith("away")]


async def test_a_service_with_a_key_is_asked_in_its_way(parts: Parts, site: Site) -> None:
    listed(site, {"url": site.url("/owls", "away.test"), "description": OWL})
    found = await answers(parts, site, search_kind="brave", api_key="k").find("owls at night")
    assert [each.text for each in found.passages] == [OWL]
    assert site.asked[0][0] == "/res/v1/web/search?q=owls%20at%20night"
    assert site.asked[0][1]["x-subscription-token"] == "k"


@pytest.mark.parametrize(
    ("settings", "reply", "said"),
    [
        ({"enabled": False}, Reply(), "left out: it is off"),
        ({"search": None}, Reply(), "left out: no search service is set"),
        ({}, Reply("<html>"), "is no list of pages"),
        ({}, Reply(status=403), "answers 403"),
        ({}, Reply(status=302, headers={"Location": "http://10.0.0.1/"}), "not among the hosts"),
        ({"search": "http://search.test:1"}, Reply(), "did not answer"),
    ],
)
async def test_why_there_are_no_pages_is_said(
    parts: Parts, site: Site, settings: dict[str, Any], reply: Reply, said: str
) -> None:
    site.make = lambda _: reply
    found = await answers(parts, site, **settings).find("owls")
    assert said in found.note and "pw" not in found.note
    assert found.passages == []
    assert len(site.asked) <= 1
