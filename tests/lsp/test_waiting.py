"""A server that starts, restarts, reads its files or is silent is waited for, and then answers.

What the index has to say comes after a second in all; where it has nothing only the server's answer
counts, an error where there will be none. The router alone, on real processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from surveyor.lsp import relay
from surveyor.lsp.host import EditorHost
from surveyor.lsp.hover import Hover
from surveyor.lsp.relay import INDEXED, LOADING_S, RequestRouter, RoutingParams, is_empty
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings, LanguageMode
from surveyor.servers import messages, requests
from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.errors import REQUEST_FAILED, ResponseError
from surveyor.servers.lifecycle import LifecycleTimeouts
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.methods import METHODS
from surveyor.servers.uris import to_uri
from tests.lsp.conftest import EVERYTHING, MakeFake, Start
from tests.lsp.rawclient import place
from tests.servers.support import PATIENCE_S, Fake, make_fake, until

HOVER = "textDocument/hover"
DEFINITION = "textDocument/definition"
OFFERS = {
    **EVERYTHING,
    "completionProvider": {},
    "signatureHelpProvider": {},
    "codeActionProvider": True,
    "documentFormattingProvider": True,
}
ASKED = [
    HOVER,
    DEFINITION,
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareTypeHierarchy",
    "workspace/symbol",
]
ASKED_OF_FULL = [
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/codeAction",
    "textDocument/formatting",
]
TRUE = [{"from": "server"}]
KNOWN = [{"from": "index"}]


class Host:
    """Of the editor: only what a question needs."""

    attached = False
    capabilities: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *given: frozenset() if name == "relayed" else None

    @contextlib.contextmanager
    def relaying(self, upstream: Any, tokens: set[Any]) -> Iterator[None]:
        yield


class Asker:
    """A router with one document in one scripted server; `known` is what the index has."""

    def __init__(self, folder: Path, fake: Fake, known: Any, **table: Any) -> None:
        self.fake, self.known = fake, known
        self.documents, roots, host = OpenDocuments(), Roots(), cast(EditorHost, Host())
        roots.change([{"uri": to_uri(folder)}], [])
        self.manager = UpstreamManager(
            UpstreamConfig(
                upstream={
                    "fake": {
                        "command": list(fake.spec.command),
                        "extensions": [".fake"],
                        "readiness": {"kind": "immediate"},
                        "timeouts": {**dict.fromkeys(METHODS, PATIENCE_S), "silent": 0.05},
                        **table,
                    }
                },
                limits=LifecycleTimeouts(backoff_s=(0.01, 600.0)),
            ),
            documents=self.documents,
        )
        configured = asyncio.Event()
        configured.set()
        settings = EditorSettings(default_mode=LanguageMode("full"))
        self.router = RequestRouter(
            self.documents, roots, host, lambda: self.manager, lambda: settings, configured
        )
        self.router.fallback = self._index
        self.hover = Hover(self.router, self.documents, lambda: settings, self._section)
        self.uri = to_uri(folder / "a.fake")
        self.documents.open(self.uri, "fake", 1, "word +", EDITOR)

    async def _index(self, method: str, target: RoutingParams) -> Any:
        return self.known

    async def _section(self, *given: Any) -> bool:
        return False

    async def ask(self, method: str = DEFINITION, character: int = 1) -> Any:
        params = msgspec.Raw(messages.encode(place(self.uri, 0, character)))
        serve = self.hover.serve(params) if method == HOVER else self.router.serve(method, params)
        answer = await serve
        return messages.decode(answer) if isinstance(answer, msgspec.Raw) else answer

    def later(self, method: str = DEFINITION) -> asyncio.Task[Any]:
        return asyncio.ensure_future(self.ask(method))

    @property
    def upstream(self) -> Any:
        return self.manager.all()[0]


MakeAsker = Callable[..., Asker]


@pytest.fixture
async def asker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeAsker]:
    monkeypatch.setattr(relay, "SILENT_S", 0.05)
    monkeypatch.setattr(relay, "AHEAD_S", 0.02)
    made: list[Asker] = []

    def make(script: dict[str, Any], known: Any = None, **table: Any) -> Asker:
        answers = {name: [{"result": TRUE}] for name in METHODS}
        script = {
            "capabilities": OFFERS,
            **script,
            "answers": {**answers, **script.get("answers", {})},
        }
        made.append(Asker(tmp_path, make_fake(tmp_path / "fake", script), known, **table))
        return made[-1]

    yield make
    for each in made:
        await each.manager.close()


async def passed(seconds: float, *waiting: asyncio.Task[Any]) -> None:
    """Some time in which none of some questions is answered."""
    done, _ = await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    assert not done, [task.result() for task in done]


@pytest.mark.parametrize("mode", ["proxy", "full"])
async def test_whatever_is_asked_of_a_server_that_starts_is_answered_when_it_is_there(
    window: Start, project: Path, fake: MakeFake, mode: str
) -> None:
    sign = project / "go"
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}
    symbol = {"name": "word", "kind": 12, "location": {"uri": "file:///w", "range": span}}
    asked = ASKED + (ASKED_OF_FULL if mode == "full" else [])
    answers = {name: [{"result": TRUE}] for name in asked}
    provides = {**OFFERS, "workspaceSymbolProvider": True}
    made = fake(
        {
            "initialize_when": str(sign),
            "capabilities": provides,
            "answers": {**answers, "workspace/symbol": [{"result": [symbol]}]},
        }
    )
    path = project / "a.fake"
    path.write_text("word")
    # An editor that takes no registrations would have `initialize` wait for the server's offers.
    names = ["completion", "signatureHelp", "codeAction", "formatting"]
    takes = {"textDocument": {name: {"dynamicRegistration": True} for name in names}}
    editor = await window(project, capabilities=takes, options={"mode": mode})
    uri = editor.open(path, "fake")
    params = {**place(uri, 0, 1), "context": {}, "query": "word"}
    waiting = [asyncio.ensure_future(editor.request(method, params)) for method in asked]
    given_up = asyncio.ensure_future(editor.at(DEFINITION, uri, 0, 1))
    await passed(1.5 * relay.SILENT_S, *waiting, given_up)
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    sign.touch()
    found = dict(zip(asked, await asyncio.gather(*waiting), strict=True))
    assert [item["name"] for item in found.pop("workspace/symbol")] == ["word"]
    assert found == dict.fromkeys(found, TRUE)
    assert len(made.received(DEFINITION)) == 1  # not that which the editor gave up


async def test_a_start_that_never_ends_costs_the_indexs_answers_a_second_once(
    asker: MakeAsker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "SILENT_S", 0.5)
    asks = asker({"initialize_never": True}, KNOWN)
    assert await asks.ask() == KNOWN
    monkeypatch.setattr(relay, "SILENT_S", 600.0)
    methods = [name for name in sorted(INDEXED) if name.startswith("textDocument/")]
    assert [await asks.ask(name) for name in methods] == [KNOWN] * len(methods)
    asks.known = None
    await passed(0.1, asks.later(), asks.later(HOVER), asks.later("textDocument/typeDefinition"))


async def test_the_next_program_is_waited_for_where_the_first_is_no_server(
    asker: MakeAsker, tmp_path: Path
) -> None:
    asks = asker({"exit_first": 99})
    assert await asks.ask() is None  # there is no server: the index alone answers
    assert await asks.ask(HOVER) is None


async def test_what_is_asked_of_a_server_that_crashed_waits_for_its_restart(
    asker: MakeAsker, tmp_path: Path
) -> None:
    asks = asker({"answers": {DEFINITION: [{"exit": 1}]}})
    with pytest.raises(ResponseError) as caught:  # what ended it is not asked again
        await asks.ask()
    assert caught.value.number == REQUEST_FAILED
    methods = [HOVER, "textDocument/references", "textDocument/completion"]
    assert await asyncio.gather(*map(asks.ask, methods)) == [TRUE] * len(methods)
    assert asks.upstream.restarts == 1
    with pytest.raises(ResponseError):
        await asks.ask()
    # It will start again in ten minutes: that is said, and is not waited for.
    for method in methods:
        with pytest.raises(ResponseError, match="restarting in 600 s"):
            await asks.ask(method)
    asks.known = KNOWN
    assert await asks.ask("textDocument/references") == KNOWN


async def test_what_is_asked_of_a_server_that_a_setting_ends_is_asked_of_the_next(
    asker: MakeAsker,
) -> None:
    methods = [DEFINITION, "textDocument/completion"]
    asks = asker({"answers": {method: [{"never": True}] for method in methods}})
    script = asks.fake.folder / "script.json"
    waiting = [asks.later(method) for method in methods]
    await until(lambda: all(asks.fake.received(method) for method in methods))
    answers = {method: [{"result": TRUE}] for method in methods}
    script.write_text(json.dumps({**asks.fake.script, "answers": answers}))
    table = asks.manager.config.upstream["fake"]
    asks.manager.configure(
        replace(asks.manager.config, upstream={"fake": {**table, "settings": {"other": 1}}})
    )
    assert await asyncio.gather(*waiting) == [TRUE, TRUE]


async def test_a_silent_server_is_waited_for_unless_the_index_has_an_answer(
    asker: MakeAsker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "HANGS_S", 0.3)
    late = {"delay_s": 0.2, "result": TRUE}
    asks = asker({"answers": {DEFINITION: [late, {"never": True}], HOVER: [{"never": True}]}})
    assert await asks.ask() == TRUE
    for method in (DEFINITION, HOVER):  # until it is taken to hang, which is said
        with pytest.raises(ResponseError, match="says nothing"):
            await asks.ask(method)
    asks.known = KNOWN
    assert await asks.ask() == KNOWN
    await until(lambda: len(asks.fake.received("$/cancelRequest")) == 3)


@pytest.mark.parametrize("method", sorted(m for m in LOADING_S if m[:4] == "text"))
async def test_nothing_from_a_server_that_reads_its_files_is_asked_again_when_it_has(
    asker: MakeAsker, method: str
) -> None:
    nothing: Any = {"items": []} if method == "textDocument/completion" else []
    ready = {"kind": "notification", "method": "x/ready", "field": "on", "value": True}
    asks = asker(
        {
            "capabilities": {**OFFERS, "renameProvider": {"prepareProvider": True}},
            "answers": {method: [{"result": nothing}, {"result": TRUE}]},
        },
        readiness=ready,
    )
    waiting = asks.later(method)
    await until(lambda: asks.fake.received(method))
    await passed(0.1, waiting)
    asks.upstream.notify("test/send", [{"method": "x/ready", "params": {"on": True}}])
    assert await waiting == TRUE
    assert await asks.ask(method) == TRUE


async def test_while_files_are_read_nothing_is_believed_where_no_name_is(asker: MakeAsker) -> None:
    ready = {"kind": "notification", "method": "x/ready", "field": "on", "value": True}
    answers: dict[str, Any] = {
        DEFINITION: [{"result": []}],
        "textDocument/references": [{"result": []}],
    }
    asks = asker({"answers": answers}, readiness=ready)
    assert await asks.ask(character=6) == []
    waiting = asks.later()
    asks.known = KNOWN  # the index has come to know it
    assert await asks.ask() == KNOWN
    assert not waiting.done() or waiting.result() == KNOWN
    waiting.cancel()


async def test_a_server_partial_over_the_workspace_alone_is_believed_about_a_document(
    asker: MakeAsker,
) -> None:
    ready = {"kind": "notification", "method": "x/ready", "field": "on", "value": True}
    answers: dict[str, Any] = {
        DEFINITION: [{"result": []}],
        "textDocument/references": [{"result": []}],
    }
    asks = asker({"answers": answers}, readiness={**ready, "partial": "workspace"})
    assert await asks.ask() == []
    await passed(0.1, asks.later("textDocument/references"))


async def test_a_method_that_is_registered_after_the_start_is_waited_for(asker: MakeAsker) -> None:
    item = {"id": "d", "method": DEFINITION, "registerOptions": {}}
    register = {"id": 1, "method": "client/registerCapability", "params": {"registrations": [item]}}
    asks = asker({"capabilities": {"textDocumentSync": 1, "hoverProvider": True}})
    assert await asks.ask(HOVER) == TRUE
    waiting = asks.later()
    asks.upstream.notify("test/send", [register])
    assert await waiting == TRUE


@pytest.mark.parametrize(
    "said", ["null", "[]", '{"items":[]}', '{"contents":""}', '{"contents":[]}']
)
def test_nothing_has_many_forms(said: str) -> None:
    assert is_empty(msgspec.Raw(said.encode()))
    assert not is_empty(msgspec.Raw(b'[{"uri":"x"}]')) and not is_empty(msgspec.Raw(b"{}"))
