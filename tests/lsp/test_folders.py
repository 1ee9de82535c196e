"""Several folders in one window, and files without one, with a real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.errors import ResponseError
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import Start, write
from tests.lsp.indexed import NO_SERVER, healthy, symbols


async def test_two_folders_are_searched_together_and_one_added_later_too(
    window: Start, project: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other", {"ship.py": "def send_parcel():\n    return 'by ship'\n"})
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    editor.session.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": to_uri(other), "name": "other"}], "removed": []}},
    )
    await healthy(editor, other, files=1)
    new = await symbols(editor, "send_parcel", "send_parcel")
    assert new[0]["location"]["uri"] == to_uri(other / "ship.py")
    await symbols(editor, "total", "total")
    found = await editor.request("surveyor/search", {"query": "send parcel by ship", "limit": 5})
    assert found["results"][0]["symbol"] == "send_parcel"
    # Together, as the engine ranks: a search of each folder alone gives scores of its own.
    with_all = {"query": "waiting longer after every failure", "limit": 5}
    found = await editor.request("surveyor/search", with_all)
    assert found["results"][0]["symbol"] == "call_again"
    kept = [item["score"] for item in found["results"]]
    assert kept == sorted(kept, reverse=True)
    assert {item["project"] for item in found["results"]} == {"project", "other"}


async def test_a_file_without_a_folder_is_searched_with_its_project(
    window: Start, project: Path
) -> None:
    (project / ".git").mkdir()
    first = await window(project, engine=True, options=NO_SERVER)
    await healthy(first, project)
    editor = await window(engine=True, options=NO_SERVER)
    with pytest.raises(ResponseError, match="no folder to search"):
        await editor.request("surveyor/search", {"query": "retry with backoff"})
    editor.open(project / "shop/price.py", "python")
    editor.open(project / "shop/cart.py", "python")
    await symbols(editor, "call_again", "call_again")
    found = await editor.request("surveyor/search", {"query": "retry with backoff"})
    assert found["results"][0]["symbol"] == "call_again"
    why = {"query": "retry with backoff", "id": found["results"][0]["id"]}
    assert (await editor.request("surveyor/explain", why))["parts"]


async def test_folders_that_come_and_go_cost_nobody_the_engine(
    window: Start, project: Path, tmp_path: Path
) -> None:
    """The session stays; unsaved buffers are shown of the folders that are open, and no others."""
    other = write(tmp_path / "other", {"ship.py": "def send_parcel():\n    return 'by ship'\n"})
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    uri = to_uri(other / "ship.py")
    text = "def burn_lighthouse_oil():\n    return 'fog'\n"
    editor.open(other / "ship.py", "python", text)
    folder = {"uri": to_uri(other), "name": "other"}

    def change(**event: Any) -> None:
        whole = {"event": {"added": [], "removed": [], **event}}
        editor.session.notify("workspace/didChangeWorkspaceFolders", whole)

    def names(uri: str) -> dict[str, Any]:
        return {"query": "burn_lighthouse_oil", "uri": uri}

    change(added=[folder])
    await healthy(editor, other, files=1)
    await editor.eventually(
        "surveyor/search",
        names(uri),
        lambda found: [each["unsavedVersion"] for each in found["results"]][:1] == [1],
    )
    change(removed=[folder])
    await editor.eventually(
        "surveyor/search",
        names(uri),
        lambda found: all(each["unsavedVersion"] is None for each in found["results"]),
    )
    change(added=[folder])
    await editor.eventually(
        "surveyor/search",
        names(uri),
        lambda found: [each["unsavedVersion"] for each in found["results"]][:1] == [1],
    )
    messages = [params["message"] for name, params in editor.told if name.startswith("window/")]
    assert sum("engine" in message for message in messages) == 1, messages


async def test_two_folders_of_one_project_are_searched_alone(
    window: Start, project: Path, tmp_path: Path
) -> None:
    (project / "tools").mkdir()
    (project / "tools/call.py").write_text("def call_again():\n    return 1\n")
    (project / "docs").mkdir()
    (project / "docs/call.py").write_text("def call_again():\n    return 2\n")
    first = await window(project, engine=True, options=NO_SERVER)
    await healthy(first, project, files=7)
    editor = await window(project / "tools", project / "docs", engine=True, options=NO_SERVER)
    found = await editor.eventually(
        "surveyor/search", {"query": "call_again", "limit": 9}, lambda said: said["results"]
    )
    assert {item["path"] for item in found["results"]} == {"tools/call.py", "docs/call.py"}
