"""HTML by its headings, without what surrounds the text: navigation, scripts, footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from bs4 import BeautifulSoup
from bs4.element import CData, NavigableString, PageElement, PreformattedString, Tag

from surveyor.formats.document import ExtractedDocument, SectionCollector, one_line

REMOVED = frozenset(
    ("script", "style", "noscript", "template", "svg", "nav", "header", "footer", "aside", "form",
     "button", "iframe", "head")
)  # fmt: skip
REMOVED_ROLES = ("navigation", "search", "banner", "contentinfo", "complementary")
REMOVED_CLASSES = frozenset(("headerlink", "toctree-wrapper", "sphinxsidebar", "related", "toc"))
BULLET = "\x02"
"""Stands for the start of a list item until blanks are cleaned; no page contains it."""
_SPACES = re.compile(r"\s+")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "ul", "ol", "dl", "dd", "table", "tr", "blockquote",
     "figure", "figcaption", "details", "summary", "body", "hr", "pre", "li", "dt")
)  # fmt: skip


def read(data: bytes, name: str) -> ExtractedDocument:
    """Sections by heading; the main part only, where the page marks one."""
    return read_soup(BeautifulSoup(data, "lxml"), name)


def read_soup(soup: BeautifulSoup, name: str) -> ExtractedDocument:
    """The same of a page that is parsed; it is taken apart."""
    title = one_line(soup.title.get_text()) if soup.title else ""
    keywords = soup.find("meta", attrs={"name": "keywords"})
    listed = str(keywords.get("content", "")) if isinstance(keywords, Tag) else ""
    outline = SectionCollector()
    body = main_part(soup)
    walk(body, outline)
    heading = next((one.headings[0] for one in outline.sections if one.headings), "")
    return ExtractedDocument(
        title or heading or PurePath(name).stem,
        "html",
        tuple(outline.sections),
        tuple(word for word in map(one_line, listed.split(",")) if word),
    )


def main_part(soup: BeautifulSoup) -> Tag:
    """The element that holds the text, freed of what does not belong to it."""
    for tag in list(_beside_the_text(soup)):
        tag.decompose()
    for found in (soup.find("main"), soup.find(role="main"), soup.body):
        if isinstance(found, Tag) and found.get_text(strip=True):
            return found
    return soup


def _beside_the_text(soup: BeautifulSoup) -> Iterator[Tag]:
    """The outermost elements that hold none of a page's text. One pass: asking each element for its
    parents, or whether it is decomposed (a search below it), is quadratic where pages nest."""
    stack: list[tuple[Tag, bool]] = [(soup, False)]
    while stack:
        parent, is_in_article = stack.pop()
        for tag in parent.contents:
            if not isinstance(tag, Tag):
                continue
            if (
                # An article's own header holds its title.
                (tag.name in REMOVED and not (tag.name == "header" and is_in_article))
                or tag.get("role") in REMOVED_ROLES
                or REMOVED_CLASSES.intersection(tag.get_attribute_list("class"))
            ):
                yield tag
            else:
                stack.append((tag, is_in_article or tag.name in ("article", "main")))


def walk(top: Tag, outline: SectionCollector, page: int | None = None) -> None:
    """Add the text under an element to an outline. Iterative: pages nest deeply."""
    said: list[str] = []
    running: list[str] = []

    def end_run() -> None:
        said.append(_cleaned("".join(running)))
        running.clear()

    def finish() -> None:
        end_run()
        outline.text("".join(said), page)
        said.clear()

    stack: list[PageElement] = [top]
    while stack:
        node = stack.pop()
        if isinstance(node, _Break):
            running.append(str(node))
        elif isinstance(node, NavigableString):
            # Comments, processing instructions and doctypes are no text.
            if not isinstance(node, PreformattedString) or isinstance(node, CData):
                running.append(_SPACES.sub(" ", str(node)))
        elif isinstance(node, Tag):
            if node.name in HEADINGS:
                finish()
                outline.heading(HEADINGS[node.name], one_line(node.get_text()).strip("§¶# "))
            elif node.name == "pre":
                end_run()
                said.append("\n\n" + node.get_text().strip("\n") + "\n\n")
            elif node.name == "br":
                running.append("\n")
            else:
                before, after = _breaks(node.name)
                stack += [_Break(after), *reversed(node.contents), _Break(before)]
    finish()


class _Break(NavigableString):
    """What stands between blocks, as opposed to text of the page."""

    __slots__ = ()


def _breaks(name: str) -> tuple[str, str]:
    if name == "li":
        return BULLET, "\n"
    if name in ("tr", "dt"):
        return "\n", "\n"
    if name in ("td", "th"):
        return "", " | "
    return ("\n\n", "\n\n") if name in BLOCKS else ("", "")


def _cleaned(text: str) -> str:
    """Blanks at line ends gone, at most one empty line, list items close together."""
    text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text))
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = re.sub(r"(?: \|)+$", "", text, flags=re.MULTILINE)
    return re.sub(rf"\s*{BULLET}\s*", "\n- ", text)
