"""Which names of strings and symbols are kept, in each family that can reach things by them."""

from __future__ import annotations

import pytest

from surveyor.graph.extract.names_in_strings import (
    REACHES,
    names_in_strings,
    spellings_of,
)
from surveyor.graph.languages import traits_of
from surveyor.parsing.languages import languages

REACHED = {
    "python": "getattr(handler, 'on_start')()",
    "javascript": "const name = 'on_start'; handler[name]()",
    "ruby": "before_action :on_start",
    "php": "call_user_func([$handler, 'on_start']);",
    "java": 'type.getMethod("on_start").invoke(handler);',
    "kotlin": 'type.getMethod("on_start").invoke(handler)',
    "scala": 'type.getMethod("on_start").invoke(handler)',
    "csharp": 'type.GetMethod("on_start").Invoke(handler, null);',
    "go": 'value.MethodByName("on_start").Call(nil)',
    "elixir": "apply(Handler, :on_start, [])",
    "lua": "local name = 'on_start'; handler[name](handler)",
    "c": 'dlsym(library, "on_start")',
    "swift": 'handler.perform(Selector("on_start"))',
    "julia": "getfield(Handler, :on_start)()",
    "bash": "eval \"$1\"; names=('on_start')",
    "zig": '@field(handler, "on_start")()',
    "dart": "Function.apply(handlers['on_start']!, [])",
}


def test_every_family_that_reaches_things_by_computed_names_is_tried() -> None:
    reaching = {
        traits.family
        for traits in map(traits_of, languages())
        if traits.by_computed_name is not None
    }
    assert reaching == {traits_of(language).family for language in REACHED}


@pytest.mark.parametrize("language", REACHED)
def test_a_name_in_a_string_is_kept_where_code_can_reach_it(language: str) -> None:
    found = names_in_strings(REACHED[language].encode(), traits_of(language))
    assert REACHES in found
    assert not found.isdisjoint(spellings_of("on_start"))
    assert found.isdisjoint(spellings_of("on_stop"))


def test_the_beginning_of_a_name_may_be_written_and_the_rest_computed() -> None:
    for code in ("f'visit_{kind}'", "'visit_' + kind", "'visit_%s' % kind"):
        found = names_in_strings(code.encode(), traits_of("python"))
        assert not found.isdisjoint(spellings_of("visit_call")), code
        assert found.isdisjoint(spellings_of("revisit_call")), code
    assert not names_in_strings(b"this[`get${name}`]()", traits_of("javascript")).isdisjoint(
        spellings_of("getName")
    )


def test_lists_of_exports_and_families_without_names_at_run_time_keep_nothing() -> None:
    assert names_in_strings(b"__all__ = [\n    'on_start',\n]\n", traits_of("python")) == set()
    assert names_in_strings(b'let name = "on_start";', traits_of("rust")) == set()
