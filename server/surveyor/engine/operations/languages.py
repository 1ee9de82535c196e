"""What is known of languages: read off the data that the parser, the graph and the others use."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from importlib import metadata

from surveyor.change.languages import READERS
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.filters import known_languages
from surveyor.errors import UsageError
from surveyor.parsing.languages import Language, find_language, languages
from surveyor.parsing.languages.grammar import GrammarError, grammar
from surveyor.protocol.languages import (
    LANGUAGE_OFFERS,
    LanguageInfo,
    LanguageOffer,
    LanguagesRequest,
    LanguagesResponse,
)
from surveyor.servers.registry import Registry, builtin
from surveyor.structural.grammars import MARKUPS, grammar_of
from surveyor.worker.index_version import index_version

__all__ = ["LanguageOperations"]

GRAMMARS = "tree-sitter-language-pack"
_CAPTURE = re.compile(r"@([\w.]+)")
_BY_CAPTURE: dict[LanguageOffer, str] = {
    "symbols": "definition.",
    "uses": "call.",
    "imports": "import.",
    "inheritance": "base.",
}
"""How a capture of a language's queries begins, with a dot behind it."""


class LanguageOperations:
    """What is known of languages."""

    @operation(LanguagesRequest)
    async def languages(self, request: LanguagesRequest, _: Caller) -> LanguagesResponse:
        """All languages, or one with what its grammar says of itself."""
        if request.name is None:
            chosen = [languages()[name] for name in sorted(languages())]
        else:
            found = find_language(request.name)
            if found is None:
                raise UsageError(
                    f"no language {request.name!r} is known",
                    f"{known_languages(request.name)} A file of another is searched by lines.",
                )
            chosen = [found]
        infos = await asyncio.to_thread(
            lambda: [_info(each, load=request.name is not None) for each in chosen]
        )
        return LanguagesResponse(
            languages=infos, index_version=index_version(), grammars=metadata.version(GRAMMARS)
        )


def _info(language: Language, *, load: bool) -> LanguageInfo:
    info = LanguageInfo(
        name=language.name,
        title=language.title,
        family=language.family,
        aliases=list(language.aliases),
        extensions=[*language.extensions, *language.content_extensions],
        filenames=list(language.filenames),
        cut=language.layout,
        offers=_offers(language),
        grammar=language.grammar,
        servers=_servers(language),
    )
    if load and language.grammar is not None:
        try:
            loaded = grammar(language.grammar)
        except GrammarError as error:
            info.problem = error.message
        else:
            info.abi = loaded.abi_version
            version = loaded.semantic_version
            info.grammar_version = ".".join(map(str, version)) if version else None
    return info


def _offers(language: Language) -> list[LanguageOffer]:
    # Not with the engine's start: see `test_runner.run`.
    from surveyor.test_runner.runners.table import has_runner

    captured = {
        capture
        for name in ("symbols.scm", "references.scm")
        for path in language.query_files(name)
        for capture in _CAPTURE.findall(path.read_text("utf-8"))
    }
    has = {
        offer: any(f"{capture}.".startswith(wanted) for capture in captured)
        for offer, wanted in _BY_CAPTURE.items()
    }
    has["injections"] = language.layout == "embedded"
    has["calls"] = language.family in READERS
    has["patterns"] = grammar_of(language.name) is not None or language.name in MARKUPS
    has["tests"] = any(has_runner(extension) for extension in language.extensions)
    return [offer for offer in LANGUAGE_OFFERS if has[offer]]


def _servers(language: Language) -> list[str]:
    spec = next(
        (
            found
            for extension in language.extensions
            if (found := _registry().language_of(path=f"a{extension}")) is not None
        ),
        None,
    )
    return list(spec.servers) if spec is not None else []


@cache
def _registry() -> Registry:
    return builtin()
