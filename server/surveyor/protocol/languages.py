"""What is known of programming languages and other formats, and which grammars read them."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from surveyor.protocol.base import Model, Request

__all__ = [
    "LANGUAGE_OFFERS",
    "LanguageInfo",
    "LanguageOffer",
    "LanguagesRequest",
    "LanguagesResponse",
]

LanguageOffer = Literal[
    "symbols", "uses", "imports", "inheritance", "injections", "calls", "patterns", "tests"
]
"""What a language can have: definitions; the graph's uses, imports and base types; scripts of other
languages inside; calls compared with signatures by `check`; structural search; a test runner."""
LANGUAGE_OFFERS: tuple[LanguageOffer, ...] = get_args(LanguageOffer)


class LanguageInfo(Model, kw_only=True):
    """One language."""

    name: str
    title: str
    family: str
    """The name that it is counted and filtered under."""
    aliases: list[str]
    extensions: list[str]
    filenames: list[str]
    cut: str
    """How a file is cut: `code`, `markdown`, `sections`, `notebook`, `embedded`, `lines`."""
    offers: list[LanguageOffer]
    grammar: str | None = None
    """Name in tree-sitter-language-pack, or of the package that has it."""
    grammar_version: str | None = None
    """As the grammar itself says; None where it does not, or it was not asked for."""
    abi: int | None = None
    """Of tree-sitter, that the grammar was made for."""
    problem: str | None = None
    """Why the grammar cannot be used."""
    servers: list[str] = []
    """Language servers, in the order in which they are tried."""


class LanguagesResponse(Model, kw_only=True):
    """Languages by name, and the versions that an index depends on."""

    languages: list[LanguageInfo]
    index_version: str
    """An index made by another one is `stale` and is made again in the background."""
    grammars: str
    """Version of tree-sitter-language-pack."""


class LanguagesRequest(Request[LanguagesResponse], kw_only=True):
    """Languages that are known."""

    operation: ClassVar[str] = "languages"
    answer: ClassVar[type[Any]] = LanguagesResponse

    name: str | None = None
    """Only this one: a name, an alias or an extension; its grammar is loaded."""
