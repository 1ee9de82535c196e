"""`surveyor languages`: read off the data, so that what it says is what there is."""

from __future__ import annotations

import pytest

from surveyor.engine.operations import Caller
from surveyor.engine.operations.languages import LanguageOperations
from surveyor.errors import UsageError
from surveyor.parsing.languages import languages
from surveyor.protocol.languages import LanguagesRequest, LanguagesResponse
from surveyor.structural.grammars import MARKUPS


async def asked(name: str | None = None) -> LanguagesResponse:
    return await LanguageOperations().languages(LanguagesRequest(name=name), Caller())


async def test_every_language_is_listed_with_what_it_gives() -> None:
    found = {each.name: each for each in (await asked()).languages}
    assert found.keys() == languages().keys()
    everything = {"symbols", "uses", "imports", "inheritance", "calls", "patterns", "tests"}
    assert set(found["python"].offers) == everything
    assert set(found["vue"].offers) == {"injections", "patterns"}
    assert {name for name, each in found.items() if "injections" in each.offers} == MARKUPS
    assert found["toml"].offers == []
    assert "ty" in found["python"].servers


@pytest.mark.parametrize("name", ["py", "golang", "C#", "kotlin"])
async def test_one_language_has_the_version_of_its_grammar(name: str) -> None:
    (found,) = (await asked(name)).languages
    assert found.grammar and found.abi and found.problem is None


async def test_an_unknown_language_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UsageError) as refused:
        await asked("klingon")
    assert "python" in refused.value.hint
