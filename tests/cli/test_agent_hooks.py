"""What hooks make of the events of agents, without an engine."""

from __future__ import annotations

from typing import Any

import pytest

from surveyor.cli.agent_hooks import note_written, searched_names
from surveyor.protocol.agent_hooks import AgentWroteRequest


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("grep -rn 'charge' src", ["charge"]),
        ("cd web && rg -t py 'def charge\\('", ["charge"]),
        ("git grep -n -e charge_card", ["charge_card"]),
        ("grep -rnE 'charge|refund' .", ["charge", "refund"]),
        ("/usr/bin/grep -A 3 '\\bcharge\\b' a.py", ["charge"]),
        ("cat a.py | grep charge", []),
        ("grep -rn 'no such file' .", []),
        ("grep -rn 'charge.*card' .", []),
        ("make test; ls", []),
        ("grep 'unended", []),
        ("grep", []),
    ],
)
def test_a_name_that_a_command_searches_files_for(command: str, names: list[str]) -> None:
    event = {"tool_name": "Bash", "tool_input": {"command": command}}
    assert searched_names(event) == names


def test_a_name_that_a_search_tool_looks_for() -> None:
    def found(pattern: object) -> list[str]:
        return searched_names({"tool_name": "Grep", "tool_input": {"pattern": pattern}})

    assert found("class\\s+Shop") == ["Shop"]
    assert found("^async def charge\\(") == ["charge"]
    assert found("TODO.*later") == []
    assert found("ab") == []
    assert searched_names({"tool_name": "Glob", "tool_input": {"pattern": "charge"}}) == []
    assert searched_names({"tool_name": "Grep", "tool_input": None}) == []
    assert searched_names({}) == []


class Told:
    def __init__(self) -> None:
        self.requests: list[AgentWroteRequest] = []

    def call(self, request: Any) -> None:
        self.requests.append(request)


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ({"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}, ["b"]),
        ({"file_path": "/p/a.py", "content": "all"}, []),
        ({"file_path": "/p/a.py", "edits": [{"new_string": "b"}, {"new_string": ""}]}, ["b", ""]),
    ],
)
def test_what_an_agent_wrote_is_told_with_its_texts(given: Any, texts: list[str]) -> None:
    client = Told()
    note_written(client, {"tool_name": "Edit", "tool_input": given})  # type: ignore[arg-type]
    (request,) = client.requests
    assert (request.path, request.texts) == ("/p/a.py", texts)
    assert request.parents


@pytest.mark.parametrize("given", [None, {}, {"file_path": 3}, {"file_path": "a.py"}])
def test_an_event_of_another_shape_tells_nothing(given: Any) -> None:
    client = Told()
    note_written(client, {"tool_input": given})  # type: ignore[arg-type]
    assert not client.requests
