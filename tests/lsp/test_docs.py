"""docs/lsp.md lists every capability, request, parameter, command and setting there is."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from surveyor.lsp.initialize import COMMANDS
from surveyor.lsp.navigation import METHODS
from surveyor.lsp.settings import HOVER_PARTS, LENSES, EditorSettings
from surveyor.lsp.surveyor_requests import SurveyorRequests
from surveyor.protocol import editor
from surveyor.servers.methods import FEATURES

PAGE = (Path(__file__).parents[2] / "docs" / "lsp.md").read_text()
SERVERS = (Path(__file__).parents[2] / "docs" / "language-servers.md").read_text()

PARAMS: dict[str, type[msgspec.Struct]] = {
    "search": editor.SearchParams,
    "similar": editor.SimilarParams,
    "explain": editor.ExplainParams,
    "impact": editor.ImpactParams,
    "graph": editor.GraphParams,
    "activity": editor.ActivityParams,
    "check": editor.CheckParams,
    "history": editor.HistoryParams,
    "test": editor.TestParams,
    "remember": editor.RememberParams,
    "rules": editor.RulesParams,
    "reindex": editor.ReindexParams,
    "control": editor.ControlParams,
    "skipped": editor.SkippedParams,
    "serverLog": editor.ServerParams,
    "restartServer": editor.ServerParams,
}
"""Of every custom request that has any; `status` has none."""

NAMES = {
    "default_mode": "mode",
    "modes": "mode",
    "proxy_methods": "proxy.methods",
    "distrusted": "trusted",
}
"""Settings whose field is called otherwise."""


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text.replace("```", "")))


def row(page: str, name: str) -> str:
    return next(line for line in page.splitlines() if line.startswith(f"| `{name}"))


@pytest.mark.parametrize("method", FEATURES)
def test_every_relayed_method(method: str) -> None:
    short = method.rpartition("/")[2]
    spoken = {"prepareCallHierarchy": "call hierarchy", "prepareTypeHierarchy": "type hierarchy"}
    assert quoted(PAGE) & {method, short} or spoken.get(short, "?") in PAGE


def test_every_custom_request_with_every_parameter_and_result() -> None:
    served = {name.removeprefix("surveyor/") for name in table()}
    assert served == PARAMS.keys() | {"status"}
    for name, params in PARAMS.items():
        text = row(PAGE, f"surveyor/{name}`")
        for field in msgspec.structs.fields(params):
            assert re.search(rf"\b{field.encode_name}\b", text), f"{name}: {field.encode_name}"
    results: dict[str, type[msgspec.Struct]] = {
        "`Result` is `": editor.SearchItem,
        "`Item` is `": editor.ReachedSymbol,
        "{rules: [": editor.EditorRule,
    }
    for begin, result in results.items():
        text = PAGE.partition(begin)[2].partition("}")[0]
        for field in msgspec.structs.fields(result):
            assert re.search(rf"\b{field.encode_name}\b", text), field.encode_name


def table() -> list[str]:
    """The custom requests, from an object without its parts: only its table is looked at."""
    nothing: list[None] = [None] * 15
    return list(SurveyorRequests(*nothing).handlers())  # type: ignore[arg-type]


@pytest.mark.parametrize("state", [editor.Status, editor.ProjectState, editor.UpstreamState])
def test_every_field_of_the_status(state: type[msgspec.Struct]) -> None:
    for field in msgspec.structs.fields(state):
        assert f'"{field.encode_name}"' in PAGE, field.encode_name


def test_every_command() -> None:
    assert {f"surveyor.{name}" for name in COMMANDS} <= quoted(PAGE)


def test_every_setting() -> None:
    for field in fields(EditorSettings):
        if field.name == "warnings":
            continue  # what is said of the others
        first, *rest = field.name.split("_")
        camel = first + "".join(word.title() for word in rest)
        assert row(PAGE, NAMES.get(field.name, camel))
    for part in (*HOVER_PARTS, *LENSES):
        assert part in PAGE


def test_every_question_of_the_engine() -> None:
    assert all(name.removeprefix("editor/") in PAGE for name in METHODS)


def test_the_time_limit_for_silence() -> None:
    assert "`silent`" in SERVERS
