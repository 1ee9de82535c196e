"""A page of the web: its main text, where it leads, and what it says of itself.

A page that marks its main part is believed. Of another, trafilatura says where its own text begins
and ends; headings, lists and code come from the reader of HTML files, which keeps them better, as
does what is in between: trafilatura takes a section on cookies for a banner.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urljoin

from bs4 import BeautifulSoup
from bs4.element import Tag

from surveyor.formats.document import DocumentSection, ExtractedDocument, one_line
from surveyor.formats.html import read_soup
from surveyor.formats.page_facts import PageFacts

__all__ = ["decoded", "read_page"]

MAX_LINKS = 5000
LEAST_KEPT = 0.4
"""Share of a page's words: where less would be left, trafilatura has missed the text."""
RUN_WORDS = 3
"""Words in a row that two texts share where one has a part of the other."""
SHARED = 0.5
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
_REFRESH = re.compile(r"(?i)\burl\s*=\s*[\"']?\s*([^\"'\s]+)")
_WORD = re.compile(r"\w+")


def decoded(data: bytes, said: str) -> str:
    """A page's text. `said` is the charset of the answer's head, which is often wrong: bytes that
    are UTF-8 throughout are hardly ever anything else."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(name, "replace")
    meta = _META_CHARSET.search(data[:4096])
    named = [said, meta[1].decode("ascii", "replace") if meta else ""]
    seven_bits = any(
        each.lower().startswith(("utf-16", "utf-7", "iso-2022", "hz")) for each in named
    )
    for name in filter(None, [*named, "utf-8"] if seven_bits else ["utf-8", *named]):
        try:
            return data.decode(name)
        except (LookupError, UnicodeError):
            continue
    return data.decode("cp1252", "replace")


def read_page(text: str, name: str) -> tuple[ExtractedDocument, PageFacts]:
    """The main text of a page by its headings, and its facts. Raises `ExtractionError`."""
    soup = BeautifulSoup(text, "lxml")
    facts = _facts(soup)
    is_marked = soup.find("main") is not None or soup.find(role="main") is not None
    document = read_soup(soup, name)
    if is_marked:
        return document, facts
    return replace(document, sections=_main(document.sections, text)), facts


def _main(sections: tuple[DocumentSection, ...], text: str) -> tuple[DocumentSection, ...]:
    """The sections without the paragraphs before and behind the page's own."""
    import trafilatura  # heavy, and only for pages

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # what is broken, is said by us
    own = trafilatura.extract(
        text, output_format="txt", favor_recall=True, include_comments=False, include_tables=True
    )
    runs = _runs(_WORD.findall((own or "").lower()))
    blocks = [(at, block) for at, one in enumerate(sections) for block in one.text.split("\n\n")]
    own_at = [number for number, (_, block) in enumerate(blocks) if _is_among(block, runs)]
    if not own_at:
        return sections
    kept: dict[int, list[str]] = {}
    for at, block in blocks[own_at[0] : own_at[-1] + 1]:
        kept.setdefault(at, []).append(block)
    main = tuple(replace(sections[at], text="\n\n".join(some)) for at, some in kept.items())
    return main if _words(main) >= LEAST_KEPT * _words(sections) else sections


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + RUN_WORDS]) for at in range(max(len(words) - RUN_WORDS + 1, 1))}


def _is_among(block: str, runs: set[tuple[str, ...]]) -> bool:
    """Whether a paragraph is in the main text; of a few words nobody can tell."""
    own = _runs(_WORD.findall(block.lower()))
    return len(own & runs) >= SHARED * len(own)


def _words(sections: Iterable[DocumentSection]) -> int:
    return sum(len(_WORD.findall(each.text)) for each in sections)


def _facts(soup: BeautifulSoup) -> PageFacts:
    base = soup.find("base", href=True)
    start = str(base["href"]) if isinstance(base, Tag) else ""
    links: dict[str, None] = {}
    for each in soup.find_all(("a", "area"), href=True, limit=MAX_LINKS):
        if "nofollow" not in each.get_attribute_list("rel"):
            href = one_line(str(each["href"]))
            links[urljoin(start, href) if start else href] = None
    for each in soup.find_all(("frame", "iframe"), src=True, limit=MAX_LINKS):
        links[urljoin(start, one_line(str(each["src"])))] = None
    for each in soup.find_all("meta", attrs={"http-equiv": re.compile(r"(?i)^refresh$")}):
        # The first page of many sites does nothing but lead to the newest version.
        target = _REFRESH.search(str(each.get("content", "")))
        if target is not None:
            links[urljoin(start, target[1])] = None
    canonical = soup.find("link", rel="canonical", href=True)
    wishes = {
        wish.strip().lower()
        for each in soup.find_all("meta", attrs={"name": re.compile(r"(?i)^(robots|surveyor)$")})
        for wish in str(each.get("content", "")).split(",")
    }
    return PageFacts(
        links=list(links),
        canonical=str(canonical["href"]) if isinstance(canonical, Tag) else "",
        is_indexed=not wishes & {"noindex", "none"},
        is_followed=not wishes & {"nofollow", "none"},
    )
