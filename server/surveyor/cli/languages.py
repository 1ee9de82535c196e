"""`surveyor languages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.completion import language_names

if TYPE_CHECKING:
    from surveyor.protocol.languages import LanguageInfo


def languages(
    name: Annotated[
        str | None,
        typer.Argument(help="A language, alias or extension.", autocompletion=language_names),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Languages that are known, what each gives, and the versions of their grammars."""
    from surveyor.client.blocking import call
    from surveyor.protocol.languages import LanguagesRequest

    with output.friendly_errors():
        answer = call(LanguagesRequest(name=name))
    if json:
        output.print_json(answer)
        return
    if name is None:
        width = max(len(each.name) for each in answer.languages)
        for each in sorted(answer.languages, key=lambda each: (-len(each.offers), each.name)):
            gives = ", ".join(each.offers) or f"cut by {each.cut}"
            output.say(f"{each.name:<{width}}  {gives}")
    else:
        _show(answer.languages[0])
    output.note(f"grammars {answer.grammars}; an index is of {answer.index_version}")


def _show(language: LanguageInfo) -> None:
    rows = {
        "names": ", ".join([language.name, *language.aliases]),
        "files": ", ".join([*language.extensions, *language.filenames]),
        "counted as": language.family if language.family != language.name else "",
        "cut by": language.cut,
        "gives": ", ".join(language.offers),
        "grammar": _grammar(language),
        "servers": ", ".join(language.servers),
    }
    output.say(language.title)
    for label, value in rows.items():
        if value:
            output.say(f"  {label:<10}  {value}")


def _grammar(language: LanguageInfo) -> str:
    if language.grammar is None or language.problem:
        return language.problem or ""
    version = f" {language.grammar_version}" if language.grammar_version else ""
    return f"{language.grammar}{version}, ABI {language.abi}"
