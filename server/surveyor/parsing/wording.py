"""Names, signatures and documentation as people read them, out of source text."""

from __future__ import annotations

import re

__all__ = [
    "MAX_DOCSTRING_CHARS",
    "MAX_NAME_CHARS",
    "MAX_SIGNATURE_CHARS",
    "clean_comment",
    "clean_string",
    "container_names",
    "end_signature",
    "module_name",
]

MAX_SIGNATURE_CHARS = 300
MAX_DOCSTRING_CHARS = 1200
MAX_NAME_CHARS = 200
_NOT_CONTAINERS = frozenset({"exports", "module", "prototype", "this", "self", "static", "window"})

_SIGNATURE_ENDS = ("=>", "->", "{", "=", ":", ";")
_SIGNATURE_END_WORDS = ("do", "where", "begin")


def end_signature(text: str) -> str:
    """A signature on one line, without what begins the body."""
    text = " ".join(text.split())[:MAX_SIGNATURE_CHARS]
    while True:
        rest = text.rstrip()
        if rest.endswith(_SIGNATURE_ENDS):
            text = rest[: -2 if rest.endswith(("=>", "->")) else -1].rstrip()
            continue
        if not rest.endswith(_SIGNATURE_END_WORDS):
            return text
        before = rest.removesuffix(next(w for w in _SIGNATURE_END_WORDS if rest.endswith(w)))
        if before[-1:].isalnum() or before[-1:] == "_":
            return text
        text = before.rstrip()


QUOTES = "\"'`<>"


def module_name(text: str) -> str:
    """An imported module as written, without quotes; `<stdio.h>` keeps its brackets."""
    text = text.strip()
    if text.startswith("<"):
        return text[:MAX_NAME_CHARS]
    text = text.strip(QUOTES + " ;\n").removeprefix("import ")
    return " ".join(text.split())[:MAX_NAME_CHARS]


_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


def container_names(text: str) -> list[str]:
    """The names in `Foo<T>::Bar` or `module.exports.Foo`, outermost first."""
    text = text[:MAX_NAME_CHARS]
    for _ in range(3):
        text = _GENERICS.sub("", text)
    return [
        part
        for part in re.findall(r"[\w$]+", text)
        if part not in _NOT_CONTAINERS and not part.isdigit()
    ]


_MARKERS = re.compile(
    r"^[ \t]*(?:/\*+!?|//[/!]*|#+[!|]?|--\[=*\[|--+(?:[ \t]*[|^])?|;+|%+|\{-[|^]?|\(\*+|\*(?!/))"
    r"[ \t]?",
    re.MULTILINE,
)
_CLOSERS = re.compile(r"(?:\*+/|-\}|\*+\)|\]=*\])[ \t]*$", re.MULTILINE)


def clean_comment(text: str) -> str:
    """A comment without its marks."""
    text = _CLOSERS.sub("", text[: 3 * MAX_DOCSTRING_CHARS])
    if "<summary>" in text:
        text = _XML_DOC.sub("", text)
    return _tidy(_MARKERS.sub("", text))


_XML_DOC = re.compile(r"</?(?:summary|para|remarks|returns|param)\b[^>]*>")
_STRING_START = re.compile(r"\s*[A-Za-z@~]*(\"\"\"|'''|\"|'|`)")


def clean_string(text: str) -> str:
    """A documentation string without its quotes and indentation."""
    text = text[: 3 * MAX_DOCSTRING_CHARS]
    if match := _STRING_START.match(text):
        quote, start, text = match[1], match.end(), text.rstrip()
        end = len(text) - len(quote) if text.endswith(quote) else len(text)
        text = text[start : end if end >= start else len(text)]
    return _tidy(text)


def _tidy(text: str) -> str:
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join(lines).strip()[:MAX_DOCSTRING_CHARS].rstrip()
