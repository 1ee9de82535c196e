"""Titles of headings as a reader sees them, without the markup that they are written with."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

__all__ = ["shown_title"]

MAX_TITLE_CHARS = 300
MARKUP_CHARS = 2000
"""So much of a heading is looked at: badges in front of a name take a few hundred each."""

_MARKED = re.compile(r"[\[\]<>`*_\\&|:]")
_HELD = "\x00"

_IN_BRACKETS = r"\[((?:[^\[\]]|\[[^\[\]]*\])*+)\]"
_TARGET = r"(?:\((?:[^()]|\([^()]*\))*+\)|\[[^\[\]]*\])"
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IMAGE = re.compile(rf"!{_IN_BRACKETS}{_TARGET}")
_LINK = re.compile(rf"(?<!!){_IN_BRACKETS}{_TARGET}")
_COMMENT = re.compile(r"<!--.*?-->")
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|br|center|code|del|div|em|font|h[1-6]|i|img|ins|kbd|mark|p|picture|s|small"
    r"|source|span|strike|strong|sub|sup|svg|u)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_STARS = re.compile(r"(?<!\w)(\*{1,3})(?=[^\s*])(.*?[^\s*])\1(?![\w*])")
_UNDERSCORES = re.compile(r"(?<!\w)(?!__\w+__(?!\w))(_{1,3})(?=[^\s_])(.*?[^\s_])\1(?!\w)")
"""`__init__` is a name more often than emphasis, whatever a renderer makes of it."""
_ENTITY = re.compile(r"&(?:#\w+|\w+);")

_RST_ROLE = re.compile(r":[\w:+.-]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_RST_LINK = re.compile(r"(?<!`)`([^`<]+?)\s*(?:<[^`]*>)?`_{1,2}")
_RST_IMAGE = re.compile(r"\|[^|\s](?:[^|]*[^|\s])?\|_{0,2}(?!\w)")
_RST_CODE = re.compile(r"``(.+?)``")

_ADOC_IMAGE = re.compile(r"image:[^\s\[]+\[[^\]]*\]")
_ADOC_LINK = re.compile(r"(?:link:|xref:|(?=https?://))[^\s\[]+\[([^\]]*)\]")
_ORG_LINK = re.compile(r"\[\[[^\[\]]+\]\[([^\[\]]+)\]\]")


def shown_title(written: str, language: str) -> str:
    """The title of a heading in Markdown, reStructuredText, AsciiDoc or Org.

    Of pictures nothing is kept where there are words beside them, of links their text. What is
    all markup and has no word stays as it is written.
    """
    written = written.strip()
    if _MARKED.search(written) is None:
        return written[:MAX_TITLE_CHARS]
    looked_at = written[:MARKUP_CHARS].replace(_HELD, " ")
    shown = _SHOWN.get(language, _as_written)(looked_at)
    return (" ".join(shown.split()) or " ".join(looked_at.split()))[:MAX_TITLE_CHARS]


def _as_written(title: str) -> str:
    return title


def _markdown(title: str) -> str:
    held: list[str] = []

    def hold(text: str) -> str:
        held.append(text)
        return f"{_HELD}{len(held) - 1}{_HELD}"

    title = _ESCAPED.sub(lambda found: hold(found[1]), _code_held(title, hold))
    title = _TAG.sub("", _COMMENT.sub("", title))
    title = _AUTOLINK.sub(lambda found: hold(found[1]), title)
    words = _LINK.sub(r"\1", _IMAGE.sub("", title))
    if not any(each.isalnum() for each in words.replace(_HELD, "")) and not held:
        words = _LINK.sub(r"\1", _IMAGE.sub(r"\1", title))
    words = _UNDERSCORES.sub(r"\2", _STARS.sub(r"\2", words))
    words = _ENTITY.sub(lambda found: html.unescape(found[0]), words)
    for number in reversed(range(len(held))):
        words = words.replace(f"{_HELD}{number}{_HELD}", held[number])
    return words


def _code_held(title: str, hold: Callable[[str], str]) -> str:
    return _CODE.sub(lambda found: hold(found[2].strip() or found[2]), title)


def _rst(title: str) -> str:
    title = _RST_CODE.sub(r"\1", _RST_ROLE.sub(r"\1", title))
    title = _RST_IMAGE.sub("", _RST_LINK.sub(r"\1", title))
    return _STARS.sub(r"\2", title)


def _asciidoc(title: str) -> str:
    return _ADOC_LINK.sub(r"\1", _ADOC_IMAGE.sub("", title)).replace("`", "")


def _org(title: str) -> str:
    return _ORG_LINK.sub(r"\1", title)


_SHOWN = {"markdown": _markdown, "restructuredtext": _rst, "asciidoc": _asciidoc, "org": _org}
