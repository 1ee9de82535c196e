"""What comes from the index, with a real engine: opened, indexed, found, hovered, edited."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from surveyor.servers.errors import ResponseError
from surveyor.servers.uris import to_uri
from tests.gitrepo import git
from tests.lsp.conftest import Start, write
from tests.lsp.indexed import NO_SERVER, healthy, symbols
from tests.lsp.rawclient import RawEditor, place
from tests.servers.support import eventually, until

HIERARCHICAL = {
    "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}},
    "window": {"workDoneProgress": True},
}


async def meant_at(
    editor: RawEditor, query: str, name: str, line: int, character: int
) -> list[dict[str, Any]]:
    """Symbols for a query by meaning, once the first is a name at its very place."""

    def good(found: Any) -> bool:
        start = {"line": line, "character": character}
        return bool(found) and (
            (found[0]["name"], found[0]["location"]["range"]["start"]) == (name, start)
        )

    found = await editor.eventually("workspace/symbol", {"query": query}, good)
    assert found[0]["data"]["meaning"]
    return list(found)


async def test_opening_a_folder_is_the_whole_set_up(window: Start, project: Path) -> None:
    """Registered, indexed with progress, searchable by name, fuzzily and by meaning, explained."""
    editor = await window(project, engine=True, capabilities=HIERARCHICAL)
    await healthy(editor, project)
    exact = await symbols(editor, "total", "total")
    assert exact[0]["location"]["uri"] == to_uri(project / "shop/price.py")
    assert exact[0]["location"]["range"]["start"] == {"line": 3, "character": 4}
    places = [
        (s["name"], s["location"]["uri"], s["location"]["range"]["start"]["line"]) for s in exact
    ]
    assert len(places) == len(set(places))
    await symbols(editor, "cllagn", "call_again")
    meant = await meant_at(editor, "retry with backoff", "call_again", 3, 4)
    assert "attempts=5" in meant[0]["data"]["detail"] and "containerName" not in meant[0]
    (pay,) = [each for each in await symbols(editor, "pay", "pay") if each["name"] == "pay"]
    assert pay["containerName"] == "Cart"
    # A name that there is not, and a sentence that nobody wrote.
    assert await symbols(editor, "retry_with_backoff") == []
    assert await symbols(editor, "Cart.retryWithBackoff") == []
    found = await editor.request("surveyor/search", {"query": "retry with backoff", "limit": 3})
    first = found["results"][0]
    assert (first["path"], first["symbol"], first["source"]) == (
        "shop/retry.py",
        "call_again",
        "code",
    )
    wanted = {"query": "CALL_AGAIN", "mode": "literal", "ignoreCase": True, "limit": 1}
    listed = await editor.request("surveyor/search", wanted)
    match = listed["results"][0]
    start, end = match["range"]["start"], match["range"]["end"]
    line = (project / match["path"]).read_text().split("\n")[start["line"]]
    assert line[start["character"] : end["character"]] == "call_again"
    assert (start["line"], match["line"] - 1, match["snippet"]) == (end["line"], end["line"], line)
    assert (listed["matches"], listed["files"], listed["nextOffset"]) == (1, 1, None)

    async def scores() -> tuple[float, float]:
        """What a search says, and what the explanation adds up to."""
        again = (await editor.request("surveyor/search", {"query": "retry with backoff"}))[
            "results"
        ]
        why = {"query": "retry with backoff", "id": again[0]["id"]}
        parts = (await editor.request("surveyor/explain", why))["parts"]
        return again[0]["score"], parts[-1]["score"]

    # The graph may come to be between the two, and lift the one that is asked for later.
    await eventually(scores, lambda said: said[1] == pytest.approx(said[0], rel=0.01))
    command = {"command": "surveyor.search", "arguments": [{"query": "total", "limit": 1}]}
    assert len((await editor.request("workspace/executeCommand", command))["results"]) == 1
    run = await editor.request("surveyor/reindex", {"uri": to_uri(project)})
    assert run["root"] == str(project)
    assert (await editor.request("surveyor/skipped", {"uri": to_uri(project)})) == {"files": []}


async def test_without_a_server_definitions_references_and_outlines_come_from_the_index_marked(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, capabilities=HIERARCHICAL, options=NO_SERVER)
    await healthy(editor, project)
    uri = editor.open(project / "shop/cart.py", "python")
    price = to_uri(project / "shop/price.py")
    await editor.eventually(
        "textDocument/definition",
        place(uri, 7, 17),
        lambda found: (
            [(p["uri"], p["range"]["start"]["line"]) for p in found or []] == [(price, 3)]
        ),
    )
    everywhere = {to_uri(project / f"shop/{n}.py") for n in ("price", "cart", "bill")}
    await editor.eventually(
        "textDocument/references",
        {**place(price, 3, 5), "context": {"includeDeclaration": True}},
        lambda used: {item["uri"] for item in used or []} == everywhere,
    )
    outline = await editor.eventually("textDocument/documentSymbol", place(uri, 0, 0))
    cart = outline[0]
    assert cart["name"] == "Cart" and "from the index" in cart["detail"]
    assert "pay" in [child["name"] for child in cart["children"]]
    status = await editor.request("surveyor/status")
    python = next(u for u in status["upstreams"] if u["language"] == "python")
    assert python["state"] == "missing" and "python" in python["reason"]


async def test_a_hover_has_the_upstreams_text_untouched_and_then_our_section(
    window: Start, project: Path
) -> None:
    markdown = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
    editor = await window(
        project, engine=True, capabilities=markdown, options={"hover": {"similar": False}}
    )
    await healthy(editor, project)
    uri = editor.open(project / "shop/cart.py", "python")
    await editor.wait_upstream("python")
    plain = await window(project, engine=False, capabilities=markdown)
    plain.open(project / "shop/cart.py", "python")
    await plain.wait_upstream("python")
    theirs = await plain.eventually("textDocument/hover", place(uri, 7, 17))
    remembered = await editor.request(
        "surveyor/remember",
        {
            **place(to_uri(project / "shop/price.py"), 3, 5),
            "label": "cents",
            "content": "Amounts are whole cents.",
            "scope": "project",
        },
    )
    assert remembered["status"] in ("done", "queued")
    wanted = (theirs["contents"]["value"], "Used", "Cart.pay", "cart.py#L8", "cents")
    merged = await editor.eventually(
        "textDocument/hover",
        place(uri, 7, 17),
        lambda hover: hover and all(text in hover["contents"]["value"] for text in wanted),
    )
    value = merged["contents"]["value"]
    assert value.startswith(theirs["contents"]["value"])
    assert merged["range"] == theirs["range"]
    section = value[len(theirs["contents"]["value"]) :]
    assert all(text in section for text in wanted[1:])
    rules = await editor.request("surveyor/rules", {"uri": uri})
    assert [rule["label"] for rule in rules["rules"]] == ["cents"]


async def test_in_companion_mode_the_hover_is_our_section_alone_and_symbols_are_by_meaning_only(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options={"mode": "companion"})
    await healthy(editor, project)
    uri = editor.open(project / "shop/cart.py", "python")
    # Its parts come one by one: "Used" is there once the graph is, and comes first.
    await editor.eventually(
        "textDocument/hover",
        place(uri, 7, 17),
        lambda hover: hover and hover["contents"]["value"].startswith("Used "),
    )
    assert await editor.at("textDocument/hover", uri, 2, 0) is None
    assert len(await symbols(editor, "retry with backoff", "call_again")) == 1
    assert "total" not in [s["name"] for s in await symbols(editor, "total")]
    # A server of ours may run for the engine's questions by now, but not for the editor's.
    status = await editor.request("surveyor/status")
    assert {upstream["mode"] for upstream in status["upstreams"]} <= {"companion"}


async def test_a_search_before_the_engine_is_there_waits_for_it(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    assert isinstance(
        (await editor.request("surveyor/search", {"query": "retry"}))["results"], list
    )


async def test_a_skipped_folder_is_left_alone_until_it_is_reindexed(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    folder = {"uri": to_uri(project)}
    await editor.request("surveyor/control", {**folder, "action": "skip"})
    second = await window(project, engine=True, options=NO_SERVER)
    await second.wait_told(
        "surveyor/status", lambda s: s["projects"][0]["reason"] == "not_indexed", 60
    )
    (project / "shop/late.py").write_text("def arrive_late():\n    return 1\n")
    found = await second.request("surveyor/search", {"query": "retry with backoff"})
    assert found["results"] == []
    await second.request("surveyor/reindex", folder)
    await healthy(second, project, files=6)
    await symbols(second, "arrive_late", "arrive_late")


async def test_a_reindexing_that_waits_because_indexing_is_paused_is_said_in_a_message(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    folder = {"uri": to_uri(project)}
    await editor.request("surveyor/control", {**folder, "action": "pause"})
    (project / "shop/late.py").write_text("def arrive_late():\n    return 1\n")
    answer = await editor.request("surveyor/reindex", folder)
    assert "paused" in answer["notice"]
    said = await editor.wait_told("window/showMessage", lambda told: "waits" in told["message"], 30)
    assert "paused" in said["message"]
    await editor.request("surveyor/control", {**folder, "action": "resume"})
    await symbols(editor, "arrive_late", "arrive_late")


async def test_a_rule_without_a_place_is_no_file_and_one_with_a_place_is(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    price = {"uri": to_uri(project / "shop/price.py")}
    at = {"textDocument": price, "position": {"line": 3, "character": 4}}
    for rule in (
        {"label": "umbrellas", "content": "Umbrellas are counted twice", "scope": "global"},
        {"label": "prices", "content": "Prices of umbrellas are in cents", **at},
    ):
        await editor.request("surveyor/remember", rule)

    async def uris() -> set[str]:
        params = {"query": "umbrellas", "in": ["rules"], "uri": to_uri(project)}
        found = await editor.request("surveyor/search", params)
        return {result["uri"] for result in found["results"]}

    async with asyncio.timeout(30):
        while await uris() != {"", price["uri"]}:
            await asyncio.sleep(0.05)
    changed = {"label": "prices", "content": "Prices are in euros", "uri": to_uri(project)}
    await editor.request("surveyor/remember", {**changed, "action": "update"})
    await editor.request(
        "surveyor/remember", {"label": "umbrellas", "action": "remove", "scope": "global"}
    )
    (left,) = (await editor.request("surveyor/rules", {"uri": to_uri(project)}))["rules"]
    assert (left["content"], left["anchor"]) == ("Prices are in euros", "shop/price.py#total")
    assert left["uri"] == price["uri"] and left["range"]["start"]["line"] == 3
    named = quote('[{"label": "prices", "scope": "project"}]', safe="")

    async def hover() -> dict[str, Any] | None:
        hovered: dict[str, Any] = await editor.request("textDocument/hover", at) or {}
        return hovered if "euros" in str(hovered) else None

    assert "command:" not in str(await eventually(hover))
    editor.session.notify(
        "workspace/didChangeConfiguration", {"settings": {"surveyor": {"ruleCommands": True}}}
    )

    async def linked() -> dict[str, Any] | None:
        hovered = await hover()
        return hovered if "command:" in str(hovered) else None

    assert f"[edit](command:surveyor.editRule?{named})" in str(await eventually(linked))


async def test_unsaved_text_is_seen_marked_and_gone_when_it_is_dropped(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    path = project / "shop/cart.py"
    uri = editor.open(path, "python")
    text = "def quarantine_parcel():\n    return 'isolate it'\n\n\n" + path.read_text()
    editor.session.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 7}, "contentChanges": [{"text": text}]},
    )

    async def seen() -> dict[str, Any] | None:
        found = await editor.request("surveyor/search", {"query": "quarantine parcel"})
        return next((r for r in found["results"] if r["symbol"] == "quarantine_parcel"), None)

    result = await eventually(seen)
    assert result is not None and result["unsavedVersion"] == 7
    await symbols(editor, "quarantine_parcel", "quarantine_parcel")
    await meant_at(editor, "isolate a parcel", "quarantine_parcel", 0, 4)
    editor.session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    await eventually(seen, lambda result: result is None)
    assert path.read_text() != text


async def test_impact_of_the_symbol_under_the_cursor(window: Start, project: Path) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    params = place(to_uri(project / "shop/price.py"), 3, 5)

    await editor.eventually(
        "surveyor/impact",
        params,
        lambda answer: "Cart.pay" in [item["name"] for item in answer["inbound"]],
    )
    one = await editor.request("surveyor/impact", {**params, "limit": 1})
    assert (len(one["inbound"]), one["complete"]) == (1, False) and one["omitted"] > 0
    drawn = await editor.request("surveyor/graph", {"about": "impact", **params})
    names = [box["name"] for box in drawn["boxes"]]
    (subject,) = [box for box in drawn["boxes"] if box["isSubject"]]
    assert subject["name"] == drawn["symbol"] and subject["range"]["start"]["line"] == 3
    assert (names.index("Cart.pay"), names.index(subject["name"])) in [
        (arrow["source"], arrow["target"]) for arrow in drawn["arrows"]
    ]
    whole = await editor.request("surveyor/graph", {"about": "map", "uri": to_uri(project)})
    files = {box["path"]: box for box in whole["boxes"]}
    assert files["shop/price.py"]["members"] and whole["filesTotal"] >= len(files)
    at = place(to_uri(project / "shop/price.py"), 0, 0)
    empty = {"range": {"start": at["position"], "end": at["position"]}}
    for method, hint in (("impact", "on a name"), ("similar", "or select lines")):
        with pytest.raises(ResponseError, match=rf"shop/price\.py:1\. Put the cursor .*{hint}"):
            await editor.request(f"surveyor/{method}", at | empty)
    scratch = "untitled:Untitled-1"
    copied = (project / "shop/retry.py").read_text().split("\n\n\n")[1]
    document = {"uri": scratch, "languageId": "python", "version": 1, "text": copied}
    editor.session.notify("textDocument/didOpen", {"textDocument": document})
    at["textDocument"]["uri"] = scratch
    with pytest.raises(ResponseError, match="no file yet"):
        await editor.request("surveyor/impact", at)
    (same, *_) = (await editor.request("surveyor/similar", at | empty))["results"]
    assert same["symbol"] == "call_again"


async def test_what_an_unsaved_change_leaves_behind(window: Start, project: Path) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    path = project / "shop/price.py"
    assert (await editor.request("surveyor/check", {}))["places"] == []
    changed = path.read_text().replace("def total(", "def total(currency, ")
    assert changed != path.read_text()
    uri = editor.open(path, "python")
    editor.session.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": changed}]},
    )
    answer = await editor.request("surveyor/check", {"uri": uri})  # at once, to the last key
    found = {(place["kind"], place["path"]) for place in answer["places"]}
    assert ("call", "shop/cart.py") in found
    cart = project / "shop/cart.py"
    renamed = cart.read_text().replace("def pay(", "def settle(")
    editor.open(
        cart, "python", renamed + "\n    def twice(self, n):\n        self.pay()\n", version=2
    )
    gone = await editor.request("surveyor/check", {"uri": uri})
    said = [place["message"] for place in gone["places"] if place["kind"] == "removed"]
    assert said == ["names Cart.pay, which is gone from shop/cart.py (now Cart.settle?)"]

    # The unsaved buffers' places are those of the files that have a history.
    price = place(uri, 3, 4)["position"]
    used = {"textDocument": {"uri": uri}, "range": {"start": price, "end": price}}
    history = await editor.request("surveyor/history", used)
    (commit,) = history["commits"]
    assert (history["symbol"], history["path"], commit["subject"]) == (
        "total", "shop/price.py", "first"
    )  # fmt: skip
    assert commit["introduced"] and "+def total(" in commit["diff"] and commit["removed"] == 0
    lines = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}
    of_lines = await editor.request("surveyor/history", {**used, "range": lines})
    assert of_lines["symbol"] is None and of_lines["commits"][0]["endLine"] == 2
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    outside = await editor.request("surveyor/history", {**used, "range": top})
    assert [each["subject"] for each in outside["commits"]] == ["first"]


async def test_what_a_saved_change_leaves_behind_in_unsaved_text(
    window: Start, project: Path
) -> None:
    """The places are those of the buffer, not of the file that it is of."""
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    cart = project / "shop/cart.py"
    text = "# a note\n\n\n" + cart.read_text()
    uri = editor.open(cart, "python", text, version=2)
    price = project / "shop/price.py"
    price.write_text(price.read_text().replace("def total(", "def summed("))
    answer = await editor.request("surveyor/check", {"uri": uri})
    said = {
        place["range"]["start"]["line"] + 1
        for place in answer["places"]
        if (place["kind"], place["path"]) == ("removed", "shop/cart.py")
    }
    named = {n for n, line in enumerate(text.split("\n"), 1) if re.search(r"\btotal\b", line)}
    assert said and said <= named


async def test_lenses_count_references_and_open_similar_code(window: Start, project: Path) -> None:
    editor = await window(project, engine=True, options={**NO_SERVER, "lens": {"references": True}})
    await healthy(editor, project)
    uri = editor.open(project / "shop/price.py", "python")
    about = {"textDocument": {"uri": uri}}
    lenses = await editor.eventually("textDocument/codeLens", about)
    assert [lens["range"]["start"]["line"] for lens in lenses] == [3]
    resolved = await editor.eventually(
        "codeLens/resolve",
        lenses[0],
        lambda lens: lens["command"]["title"].endswith("references"),
    )
    assert resolved["command"]["command"] == "surveyor.showReferences"


async def engine_pid(data: Path) -> int:
    from surveyor.client import blocking
    from surveyor.protocol.engine import StatusRequest

    os.environ["SURVEYOR_DATA_DIR"] = str(data)
    try:
        return int((await asyncio.to_thread(blocking.call, StatusRequest())).pid)
    finally:
        del os.environ["SURVEYOR_DATA_DIR"]


async def test_of_an_engine_too_busy_to_answer_the_last_word_stands(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    pid = await engine_pid(project.parent / "d")
    os.kill(pid, signal.SIGSTOP)
    try:
        status = await editor.request("surveyor/status")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [(p["status"], p["files"]) for p in status["projects"]] == [("healthy", 5)]


async def test_the_later_part_of_a_long_function_leads_to_its_definition(
    window: Start, project: Path
) -> None:
    body = "".join(f"    total = total * {n} + offset - {n}\n" for n in range(120))
    write(
        project,
        {
            "long.py": f"def compute(total, offset):\n{body}"
            "    # hibernating hedgehogs are counted twice\n"
            "    hedgehogs = total + hibernating(total)\n    return hedgehogs\n"
        },
    )
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project, files=6)
    await meant_at(editor, "count hibernating hedgehogs", "compute", 0, 4)


async def test_a_killed_engine_is_said_once_the_relay_goes_on_and_it_comes_back(
    window: Start, project: Path
) -> None:
    editor = await window(project, engine=True)
    await healthy(editor, project)
    uri = editor.open(project / "shop/cart.py", "python")
    await editor.wait_upstream("python")
    pid = await engine_pid(project.parent / "d")
    before = len(editor.told)
    os.kill(pid, signal.SIGKILL)

    def said() -> list[Any]:
        return [p for m, p in editor.told[before:] if m == "window/showMessage"]

    await until(said)
    assert "engine is not there" in said()[0]["message"]

    async def found() -> Any:  # the next engine is waited for within bounds, by a busy machine too
        try:
            return (await editor.request("surveyor/search", {"query": "retry"}))["results"]
        except ResponseError:
            return []

    await eventually(found)
    await editor.eventually("textDocument/definition", place(uri, 7, 17))
    await editor.eventually("surveyor/status", {}, lambda s: s["engine"]["state"] == "up")
    assert len(said()) == 1


async def test_similar_code_is_apart_from_the_range_where_it_lies_now(
    window: Start, project: Path
) -> None:
    twin = (project / "shop/retry.py").read_text().replace("call_again", "call_once_more")
    (project / "shop/other.py").write_text(twin)
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project, files=6)
    path = project / "shop/retry.py"
    text = path.read_text()
    uri = editor.open(path, "python", "# One line,\n# and another.\n\n" + text)
    first = text.splitlines().index("def call_again(action, attempts=5):") + 3
    asked = {
        "textDocument": {"uri": uri},
        # As editors select whole lines: to the beginning of the next one.
        "range": {
            "start": {"line": first, "character": 0},
            "end": {"line": first + 8, "character": 0},
        },
        "limit": 3,
    }
    found = await editor.eventually("surveyor/similar", asked, lambda said: said["results"])
    assert found["results"][0]["path"] == "shop/other.py"
    assert "call_again" not in [item["symbol"] for item in found["results"]]
    # An empty range means the definition around it.
    here = {"line": first + 3, "character": 2}
    asked |= {"range": {"start": here, "end": here}}
    twin_of = (await editor.request("surveyor/similar", asked))["results"][0]
    assert (twin_of["path"], twin_of["symbol"]) == ("shop/other.py", "call_once_more")
    assert twin_of["confidence"] > 0.9 and "same calls" in twin_of["reasons"]


async def test_an_agents_question_is_answered_by_the_editors_server_on_unsaved_text(
    window: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from surveyor.client import blocking
    from surveyor.protocol.engine import StatusRequest
    from surveyor.protocol.graph import ReferencesRequest

    editor = await window(project, engine=True)
    await healthy(editor, project)
    path = project / "shop/cart.py"
    uri = editor.open(path, "python")
    await editor.wait_upstream("python")
    text = "def brand_new() -> int:\n    return 1\n\n\n" + path.read_text() + "\nbrand_new()\n"
    editor.session.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": text}]},
    )
    await editor.eventually("textDocument/definition", place(uri, 13, 2))
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(project.parent / "d"))
    asked = ReferencesRequest(name="total", cwd=str(project), exact="always")
    answer = await eventually(
        lambda: asyncio.to_thread(blocking.call, asked),
        lambda a: (
            a.server == "ty"
            and ("shop/cart.py", 12, "exact")
            in [(item.path, item.line, item.precision) for item in a.results]
        ),
    )
    # It names no imports, and the graph is certain of them.
    assert answer.precision == "partial"
    assert "shop/bill.py:1 (import)" in (answer.notice or "")
    await eventually(
        lambda: asyncio.to_thread(blocking.call, StatusRequest()),
        lambda s: [(u["name"], u["for"].split()[0]) for u in s.upstreams] == [("ty", "editor")],
    )


async def test_hovers_and_definitions_find_their_lines_in_an_edited_buffer(
    window: Start, project: Path
) -> None:
    """Three lines typed above: what the index knows of the lines below still holds."""
    editor = await window(project, engine=True, options=NO_SERVER)
    await healthy(editor, project)
    path = project / "shop/cart.py"
    uri = editor.open(path, "python")
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    change = {"range": where, "text": "# one\n# two\n# three\n"}
    editor.session.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]},
    )
    price = to_uri(project / "shop/price.py")

    def is_total(found: Any) -> bool:
        return [(p["uri"], p["range"]["start"]["line"]) for p in found or []] == [(price, 3)]

    await editor.eventually("textDocument/definition", place(uri, 10, 17), is_total)
    # Who uses `total` is linked where it is in the buffer now: line 8 has become line 11.
    await editor.eventually(
        "textDocument/hover",
        place(uri, 10, 17),
        lambda hover: hover and "cart.py#L11" in hover["contents"]["value"],
    )


async def test_an_engine_that_is_only_slow_is_not_said_to_have_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from surveyor.client import blocking
    from surveyor.lsp import engine_link as module

    started = threading.Event()
    monkeypatch.setattr(module, "PATIENCE_S", 0.05)
    monkeypatch.setattr(blocking, "open_session", lambda data: started.wait())
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    index = module.EngineLink(
        on_state=lambda up, message: told.set_result(message), on_notification={}, on_request={}
    )
    index.start([])
    try:
        assert "is waited for" in await told
    finally:
        await index.close()
        started.set()
