"""A language server and `surveyor lsp` in `full` mode beside it: everything asked of both.

    python -m tests.bench.beside --project PATH --server NAME [--command …] [--plain] [--names 20]

Two processes of one server on one project, one asked directly and one through the relay, by the
same client: what is advertised, every request that the server offers at names chosen at random and
what is resolved, pushed and pulled diagnostics, partial results, cancelling, commands, requests of
its own (`--own METHOD`, with a document, place or nothing). Prints a row for each method, and what
differs; what the direct server says otherwise when it is asked again is no difference. Exits with 1
when something differs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shlex
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surveyor.servers import messages
from surveyor.servers.errors import ResponseError, UpstreamError
from surveyor.servers.methods import FEATURES, capability, offered_options, own_server_keys
from surveyor.servers.process import ServerProcess
from surveyor.servers.readiness import Readiness
from surveyor.servers.registry import builtin
from surveyor.servers.uris import to_uri
from tests.bench.offers import TOKENS
from tests.lsp.rawclient import RawEditor, place
from tests.servers.support import eventually

LIMIT_S = 240.0
KINDS = ["", "quickfix", "refactor", "source", "refactor.extract", "source.organizeImports"]
SHOWN = 300
SETTLE_S = 3.0
"""How long without a word after the last diagnostics these are taken for the last."""


def capabilities(*, dynamic: bool) -> dict[str, Any]:
    """A modern editor's, with or without registrations."""
    properties = {"properties": ["documentation", "detail", "additionalTextEdits", "edit"]}
    markup = ["markdown", "plaintext"]
    text: dict[str, Any] = {
        "synchronization": {"didSave": True, "willSave": True, "willSaveWaitUntil": True},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "resolveSupport": properties,
                "documentationFormat": markup,
                "labelDetailsSupport": True,
            },
            "contextSupport": True,
        },
        "hover": {"contentFormat": markup},
        "signatureHelp": {
            "signatureInformation": {
                "documentationFormat": markup,
                "parameterInformation": {"labelOffsetSupport": True},
            }
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": KINDS}},
            "resolveSupport": {"properties": ["edit"]},
            "dataSupport": True,
            "isPreferredSupport": True,
        },
        "rename": {"prepareSupport": True},
        "foldingRange": {"lineFoldingOnly": True},
        "semanticTokens": {**TOKENS, "tokenTypes": TOKEN_TYPES, "tokenModifiers": ["static"]},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "diagnostic": {"relatedDocumentSupport": True},
        "inlayHint": {"resolveSupport": {"properties": ["tooltip", "label.location"]}},
        "colorProvider": {},
    }
    for name in ("definition", "declaration", "typeDefinition", "implementation"):
        text[name] = {"linkSupport": True}
    for feature in FEATURES.values():
        section, _, name = feature.client.partition(".")
        if section == "textDocument":
            text.setdefault(name, {})
    for name, table in text.items():
        if name not in ("synchronization", "publishDiagnostics"):
            table["dynamicRegistration"] = dynamic
    files = {
        f"{when}{what}": True for when in ("will", "did") for what in ("Create", "Rename", "Delete")
    }
    return {
        "textDocument": text,
        "workspace": {
            "applyEdit": True,
            "workspaceEdit": {
                "documentChanges": True,
                "resourceOperations": ["create", "rename", "delete"],
            },
            "configuration": True,
            "workspaceFolders": True,
            "didChangeWatchedFiles": {"dynamicRegistration": dynamic},
            "fileOperations": {"dynamicRegistration": dynamic, **files},
            "executeCommand": {"dynamicRegistration": dynamic},
            "symbol": {"dynamicRegistration": dynamic},
            "codeLens": {"refreshSupport": True},
            "diagnostics": {"refreshSupport": True},
            "semanticTokens": {"refreshSupport": True},
            "inlayHint": {"refreshSupport": True},
        },
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
        "general": {"positionEncodings": ["utf-16"]},
        "experimental": {"serverStatusNotification": True, "localDocs": False},
    }


TOKEN_TYPES = [
    "namespace", "type", "class", "enum", "interface", "struct", "typeParameter", "parameter",
    "variable", "property", "enumMember", "function", "method", "macro", "keyword", "comment",
    "string", "number", "operator",
]  # fmt: skip


class Side:
    """One of the two that are asked."""

    def __init__(self, name: str, editor: RawEditor) -> None:
        self.name = name
        self.editor = editor
        self.begun = time.perf_counter()
        self.result: dict[str, Any] = {}
        self.registered: dict[str, dict[str, Any]] = {}
        editor.answers["client/registerCapability"] = self._register
        editor.answers["client/unregisterCapability"] = self._unregister
        editor.answers["workspace/applyEdit"] = {"applied": True}

    def _register(self, params: dict[str, Any]) -> None:
        for item in params["registrations"]:
            self.registered[item["id"]] = item

    def _unregister(self, params: dict[str, Any]) -> None:
        for item in params["unregisterations"]:
            self.registered.pop(item["id"], None)

    async def initialize(self, root: Path, can: dict[str, Any], options: Any) -> None:
        """Greet it as one client on one folder."""
        params = {
            "processId": os.getpid(),
            "rootPath": str(root),
            "rootUri": to_uri(root),
            "workspaceFolders": [{"uri": to_uri(root), "name": root.name}],
            "capabilities": can,
        }
        if options is not None:
            params["initializationOptions"] = options
        self.result = await self.editor.request("initialize", params, LIMIT_S)
        self.editor.session.notify("initialized", {})

    async def answer(self, method: str, params: Any) -> Any:
        """The result, or the error as a list of its code and words."""
        try:
            return await self.editor.request(method, params, LIMIT_S)
        except ResponseError as error:
            return ["error", error.number, error.message]
        except UpstreamError as error:
            return ["none", error.message]

    def offers(self) -> dict[str, list[Any]]:
        """Options of what it has advertised, by feature."""
        found = {}
        for method, feature in FEATURES.items():
            told = offered_options(
                feature, self.result.get("capabilities", {}), self.registered.values()
            )
            if told:
                found[method] = told
        return found

    def diagnostics(self) -> dict[str, Any]:
        """The last that it has pushed of each document."""
        return {
            params["uri"]: params["diagnostics"]
            for method, params in self.editor.told
            if method == "textDocument/publishDiagnostics"
        }


def normal(value: Any) -> Any:
    """A value in which the order of lists, and what two processes cannot share, does not count."""
    if isinstance(value, list):
        return sorted((normal(item) for item in value), key=lambda each: json.dumps(each))
    if isinstance(value, dict):
        return {
            key: normal(item)
            for key, item in sorted(value.items())
            if key not in ("resultId", "data", "version", "cacheId")
        }
    return value


class Comparison:
    """What was the same, and what differed."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.differences: list[str] = []

    async def ask(
        self, direct: Side, through: Side, method: str, params: Any, name: str = ""
    ) -> tuple[Any, Any]:
        """Ask both, and again where they differ."""
        theirs = await direct.answer(method, params)
        ours = await through.answer(method, params)
        verdict = self.judge(theirs, ours)
        if verdict == "different":
            again = await direct.answer(method, params)
            if self.judge(again, ours) != "different":
                verdict = "same at another time"
            else:
                ours = await through.answer(method, params)
                if self.judge(again, ours) != "different":
                    verdict = "same at another time"
        name = name or method
        self.counts[name][verdict] += 1
        self.counts[name]["empty"] += theirs in (None, [], {})
        if verdict == "different":
            self.differences.append(
                f"{name} {json.dumps(params)[:SHOWN]}\n    direct  {json.dumps(theirs)[:SHOWN]}\n"
                f"    through {json.dumps(ours)[:SHOWN]}"
            )
        return theirs, ours

    @staticmethod
    def judge(theirs: Any, ours: Any) -> str:
        """How alike two answers are; of errors the codes count."""
        errors = [isinstance(each, list) and each[:1] == ["error"] for each in (theirs, ours)]
        if all(errors):
            return "same" if theirs[1] == ours[1] else "different"
        if theirs == ours:
            return "same"
        return "same" if normal(theirs) == normal(ours) else "different"


async def whole(arguments: argparse.Namespace) -> int:
    """Compare; the number of differences."""
    project = arguments.project.resolve()
    registry = builtin()
    spec = registry.servers[arguments.server]
    language = spec.languages[0]
    command = shlex.split(arguments.command) if arguments.command else list(spec.command)
    options = json.loads(arguments.options) if arguments.options else None
    can = capabilities(dynamic=not arguments.plain)
    with tempfile.TemporaryDirectory() as data:
        env = {"SURVEYOR_LSP__UPSTREAM_IDLE": "3600"}
        spawned = await ServerProcess.spawn(command, cwd=project, env=dict(os.environ))
        direct = Side("direct", RawEditor(spawned))
        await direct.initialize(project, can, options or {})
        ready = await until_ready(direct, spec, project, language)
        print(f"direct: ready after {ready:.0f} s", flush=True)
        through = Side("through", await RawEditor.start(Path(data), env=env))
        table: dict[str, Any] = {"server": spec.name, "timeouts": {"initialize": LIMIT_S}}
        if options is not None:
            table["initializationOptions"] = options
        if arguments.command:
            table |= {"command": command, "name": spec.name}
            table["readiness"] = asdict(spec.readiness)
        await through.initialize(
            project,
            can,
            {
                "mode": "full",
                "engine": False,
                "hover": False,
                "trusted": True,
                "statusNotifications": True,
                "upstream": {language: table},
            },
        )
        found = Comparison()
        try:
            await questions(arguments, found, direct, through, project, language)
        finally:
            await through.editor.close()
            await direct.editor.close()
    for name, counts in found.counts.items():
        print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counts.items() if n))
    for text in found.differences:
        print("DIFFERS " + text)
    total = sum(sum(counts.values()) - counts["empty"] for counts in found.counts.values())
    print(f"{spec.name} on {project.name}: {total} questions, {len(found.differences)} differ")
    return len(found.differences)


async def until_ready(side: Side, spec: Any, project: Path, language: str) -> float:
    """Wait until a direct server has given its signal; the seconds that it took."""
    readiness, seen = Readiness(spec.readiness), 0
    begun = time.perf_counter()
    path = sources(project, language)[0]
    side.editor.open(path, builtin().language_id(str(path)))

    async def now() -> bool:
        nonlocal seen
        for method, params in side.editor.told[seen:]:
            readiness.feed(method, params)
        seen = len(side.editor.told)
        over = time.perf_counter() - begun > spec.readiness.grace_s + 10
        if over and spec.readiness.kind in ("progress", "stable", "log") and not readiness.working:
            return True
        return readiness.ready

    await eventually(now, seconds=LIMIT_S)
    side.editor.session.notify("textDocument/didClose", {"textDocument": {"uri": to_uri(path)}})
    return time.perf_counter() - begun


def sources(project: Path, language: str) -> list[Path]:
    """Files of a language, of a middling size."""
    suffixes = builtin().languages[language].extensions
    return sorted(
        path
        for path in project.rglob("*")
        if path.suffix in suffixes
        and 500 < path.stat().st_size < 100_000
        and not {"node_modules", "target", ".git", "vendor"} & set(path.parts)
    )


async def questions(
    arguments: argparse.Namespace,
    found: Comparison,
    direct: Side,
    through: Side,
    project: Path,
    language: str,
) -> None:
    """Open the same files in both, and ask all there is."""
    chance = random.Random(arguments.seed)
    every = sources(project, language)
    files = chance.sample(every, min(arguments.files, len(every)))
    both = (direct, through)
    texts: dict[str, str] = {}
    for path in files:
        text = path.read_text(errors="replace")
        texts[to_uri(path)] = text
        for side in both:
            side.editor.open(path, builtin().language_id(str(path)), text)
    begun = time.perf_counter()
    first = files[0]
    line, column = names(texts[to_uri(first)], chance)[0]
    await through.answer("textDocument/hover", place(to_uri(first), line, column))
    print(f"through: first hover after {time.perf_counter() - through.begun:.1f} s", flush=True)
    await through.editor.wait_upstream(language, LIMIT_S)
    print(f"through: ready {time.perf_counter() - begun:.1f} s after opening", flush=True)
    await settled(both)
    advertised(found, direct, through)
    for uri, text in texts.items():
        await of_document(found, both, uri, text)
        for line, column in names(text, chance)[: arguments.names]:
            await of_place(found, both, uri, line, column)
        await own(arguments, found, both, uri, names(text, chance)[0])
    await of_workspace(arguments, found, both, files, texts)
    compare_pushed(found, direct, through, texts)


async def settled(both: tuple[Side, Side]) -> None:
    """Wait until neither has pushed anything for a while."""
    counts = (-1, -1)
    while counts != (now := (len(both[0].editor.told), len(both[1].editor.told))):
        counts = now
        await asyncio.sleep(SETTLE_S)


def names(text: str, chance: random.Random) -> list[tuple[int, int]]:
    """Places of names, in a random order."""
    found = [
        (number, len(line[: word.start() + 1].encode("utf-16-le")) // 2)
        for number, line in enumerate(text.split("\n"))
        for word in re.finditer(r"[A-Za-z_]\w{2,}", line)
    ]
    chance.shuffle(found)
    return found or [(0, 0)]


def advertised(found: Comparison, direct: Side, through: Side) -> None:
    """Which features both tell of, and the keys that only the server knows."""
    theirs, ours = direct.offers(), through.offers()
    always = {
        "textDocument/codeLens",
        "textDocument/hover",
        "workspace/symbol",
        "workspace/executeCommand",
    }
    for method in sorted(theirs.keys() | ours.keys()):
        same = method in always or (method in theirs) == (method in ours)
        found.counts["advertised"]["same" if same else "different"] += 1
        if not same:
            text = f"direct {json.dumps(theirs.get(method))} through {json.dumps(ours.get(method))}"
            found.differences.append(f"advertised {method} {text[:SHOWN]}")
    theirs_own = own_server_keys(direct.result["capabilities"])
    ours_own = own_server_keys(through.result["capabilities"])
    found.counts["own capabilities"]["same" if theirs_own == ours_own else "different"] += 1
    if theirs_own != ours_own:
        text = f"direct {json.dumps(theirs_own)} through {json.dumps(ours_own)}"
        found.differences.append(f"own capabilities {text[:SHOWN]}")


async def of_document(found: Comparison, both: tuple[Side, Side], uri: str, text: str) -> None:
    """What is asked of a whole document."""
    document = {"textDocument": {"uri": uri}}
    lines = text.split("\n")
    span = {
        "start": {"line": 0, "character": 0},
        "end": {"line": min(40, len(lines) - 1), "character": 0},
    }
    style = {"options": {"tabSize": 4, "insertSpaces": True}}
    offered = both[0].offers()
    for method in ("documentSymbol", "foldingRange", "documentColor", "diagnostic", "moniker"):
        if f"textDocument/{method}" in offered:
            await found.ask(*both, f"textDocument/{method}", document)
    for method in ("documentLink", "codeLens"):
        if f"textDocument/{method}" in offered:
            theirs, ours = await found.ask(*both, f"textDocument/{method}", document)
            resolver = f"{method}/resolve"
            if option(offered[f"textDocument/{method}"], "resolveProvider"):
                await resolve(found, both, resolver, theirs, ours)
    if "textDocument/formatting" in offered:
        await found.ask(*both, "textDocument/formatting", {**document, **style})
    if "textDocument/rangeFormatting" in offered:
        await found.ask(*both, "textDocument/rangeFormatting", {**document, **style, "range": span})
    if "textDocument/inlayHint" in offered:
        theirs, ours = await found.ask(*both, "textDocument/inlayHint", {**document, "range": span})
        if option(offered["textDocument/inlayHint"], "resolveProvider"):
            await resolve(found, both, "inlayHint/resolve", theirs, ours)
    if "textDocument/semanticTokens" in offered:
        for kind in ("full", "range"):
            if option(offered["textDocument/semanticTokens"], kind):
                more = {"range": span} if kind == "range" else {}
                await found.ask(*both, f"textDocument/semanticTokens/{kind}", {**document, **more})
    if "textDocument/willSaveWaitUntil" in offered:
        await found.ask(*both, "textDocument/willSaveWaitUntil", {**document, "reason": 1})


async def of_place(
    found: Comparison, both: tuple[Side, Side], uri: str, line: int, column: int
) -> None:
    """What is asked at a name."""
    at = place(uri, line, column)
    point = at["position"]
    offered = both[0].offers()
    for method in (
        "hover", "definition", "declaration", "typeDefinition", "implementation",
        "documentHighlight", "signatureHelp", "linkedEditingRange", "moniker",
    ):  # fmt: skip
        if f"textDocument/{method}" in offered:
            await found.ask(*both, f"textDocument/{method}", at)
    if "textDocument/references" in offered:
        context = {"context": {"includeDeclaration": True}}
        await found.ask(*both, "textDocument/references", {**at, **context})
    if "textDocument/selectionRange" in offered:
        params = {"textDocument": at["textDocument"], "positions": [point]}
        await found.ask(*both, "textDocument/selectionRange", params)
    if "textDocument/completion" in offered:
        theirs, ours = await found.ask(
            *both, "textDocument/completion", {**at, "context": {"triggerKind": 1}}
        )
        if option(offered["textDocument/completion"], "resolveProvider"):
            await resolve(found, both, "completionItem/resolve", items(theirs), items(ours))
    if "textDocument/rename" in offered:
        if option(offered["textDocument/rename"], "prepareProvider"):
            await found.ask(*both, "textDocument/prepareRename", at)
        await found.ask(*both, "textDocument/rename", {**at, "newName": "renamed_thing"})
    if "textDocument/codeAction" in offered:
        span = {"start": point, "end": point}
        params = {"textDocument": at["textDocument"], "range": span, "context": {"diagnostics": []}}
        theirs, ours = await found.ask(*both, "textDocument/codeAction", params)
        if option(offered["textDocument/codeAction"], "resolveProvider"):
            await resolve(found, both, "codeAction/resolve", theirs, ours)
    if "textDocument/onTypeFormatting" in offered:
        trigger = offered["textDocument/onTypeFormatting"][0]["firstTriggerCharacter"]
        style = {"options": {"tabSize": 4, "insertSpaces": True}, "ch": trigger}
        await found.ask(*both, "textDocument/onTypeFormatting", {**at, **style})
    for kind, below in (
        ("Call", ("incomingCalls", "outgoingCalls")),
        ("Type", ("supertypes", "subtypes")),
    ):
        method = f"textDocument/prepare{kind}Hierarchy"
        if method not in offered:
            continue
        theirs, ours = await found.ask(*both, method, at)
        if all(
            isinstance(each, list) and each and isinstance(each[0], dict) for each in (theirs, ours)
        ):
            for name in below:
                await pair(
                    found, both, f"{kind.lower()}Hierarchy/{name}",
                    {"item": theirs[0]}, {"item": ours[0]},
                )  # fmt: skip


async def resolve(
    found: Comparison, both: tuple[Side, Side], method: str, theirs: Any, ours: Any
) -> None:
    """The rest of the first items, each from who gave it."""
    if not (isinstance(theirs, list) and isinstance(ours, list)):
        return
    named = {json.dumps(normal(each)): each for each in ours}
    known = [(each, named.get(json.dumps(normal(each)))) for each in theirs]
    for mine, yours in [(a, b) for a, b in known if b is not None][:3]:
        await pair(found, both, method, mine, yours)


async def pair(
    found: Comparison, both: tuple[Side, Side], method: str, theirs: Any, ours: Any
) -> None:
    """The same of both, each with its own params."""
    left = await both[0].answer(method, theirs)
    right = await both[1].answer(method, ours)
    verdict = found.judge(left, right)
    found.counts[method][verdict] += 1
    if verdict == "different":
        found.differences.append(
            f"{method}\n    direct  {json.dumps(left)[:SHOWN]}\n"
            f"    through {json.dumps(right)[:SHOWN]}"
        )


async def own(
    arguments: argparse.Namespace,
    found: Comparison,
    both: tuple[Side, Side],
    uri: str,
    at: tuple[int, int],
) -> None:
    """The server's own requests, about a document and a place in it."""
    for method in arguments.own:
        params = {**place(uri, *at), "uri": uri, "textDocuments": [{"uri": uri}]}
        await found.ask(*both, method, params)


async def of_workspace(
    arguments: argparse.Namespace,
    found: Comparison,
    both: tuple[Side, Side],
    files: list[Path],
    texts: dict[str, str],
) -> None:
    """What names no document, and what goes wrong."""
    offered = both[0].offers()
    uri = to_uri(files[0])
    for query in ("main", "config") if "workspace/symbol" in offered else ():
        await found.ask(*both, "workspace/symbol", {"query": query}, "workspace/symbol")
    for method in ("workspace/nothingKnown", "textDocument/nothingKnown"):
        await found.ask(*both, method, place(uri, 0, 0))
    for word in arguments.own_nothing:
        await found.ask(*both, word, None)
    if "workspace/executeCommand" in offered:
        params = {"command": "no.such.command", "arguments": []}
        await found.ask(*both, "workspace/executeCommand", params, "unknown command")
    if "workspace/willRenameFiles" in offered:
        new = to_uri(files[0].with_name("renamed" + files[0].suffix))
        moved = {"files": [{"oldUri": uri, "newUri": new}]}
        await found.ask(*both, "workspace/willRenameFiles", moved)
    if "workspace/diagnostic" in offered or option(
        offered.get("textDocument/diagnostic", []), "workspaceDiagnostics"
    ):
        await found.ask(*both, "workspace/diagnostic", {"previousResultIds": []})
    await partial(found, both, uri, texts[uri])
    await cancelled(found, both, uri, texts[uri])
    await edited(found, both, uri, texts[uri])


async def partial(found: Comparison, both: tuple[Side, Side], uri: str, text: str) -> None:
    """References with tokens of both kinds: what comes in parts, and in the answer, together."""
    at = names(text, random.Random(1))[0]
    for token in ("a token", 7):
        sums = []
        for side in both:
            params = {
                **place(uri, *at),
                "context": {"includeDeclaration": True},
                "partialResultToken": token,
                "workDoneToken": f"work {token}",
            }
            answer = await side.answer("textDocument/references", params)
            parts = [
                item
                for method, told in side.editor.told
                if method == "$/progress" and told["token"] == token
                for item in told["value"] or []
            ]
            sums.append([*(answer or []), *parts])
        same = normal(sums[0]) == normal(sums[1])
        found.counts["partial results"]["same" if same else "different"] += 1
        if not same:
            found.differences.append(f"partial results: {len(sums[0])} and {len(sums[1])} places")


async def cancelled(found: Comparison, both: tuple[Side, Side], uri: str, text: str) -> None:
    """A request that is cancelled at once: an answer or -32800 (-32801, -32802)."""
    for side in both:
        at = place(uri, *names(text, random.Random(2))[0])
        context = {"context": {"includeDeclaration": True}}
        number, future = side.editor.session.send(
            "textDocument/references", messages.encode({**at, **context})
        )
        side.editor.session.notify("$/cancelRequest", {"id": number})
        side.editor.session.notify("$/cancelRequest", {"id": 987654})
        try:
            async with asyncio.timeout(LIMIT_S):
                await future
            outcome = "answered"
        except ResponseError as error:
            outcome = f"error {error.number}"
        found.counts[f"cancelled, {side.name}"][outcome] += 1


async def edited(found: Comparison, both: tuple[Side, Side], uri: str, text: str) -> None:
    """An edit, questions about the text after it, pushed diagnostics, and the edit undone."""
    lines = text.count("\n") + 1
    for version, what in ((2, "\n\nbroken ((( text\n"), (3, "")):
        for side in both:
            change = {"text": text + what}
            side.editor.session.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": uri, "version": version},
                    "contentChanges": [change],
                },
            )
        await found.ask(*both, "textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        if what:
            await found.ask(*both, "textDocument/hover", place(uri, lines + 1, 2))
            await settled(both)
            compare_pushed(found, *both, {uri: ""})
    for side in both:
        side.editor.session.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    await settled(both)


def compare_pushed(found: Comparison, direct: Side, through: Side, texts: dict[str, str]) -> None:
    """Diagnostics that both sent by themselves."""
    theirs, ours = direct.diagnostics(), through.diagnostics()
    for uri in texts:
        same = normal(theirs.get(uri, [])) == normal(ours.get(uri, []))
        found.counts["pushed diagnostics"]["same" if same else "different"] += 1
        found.counts["pushed diagnostics"]["empty"] += not theirs.get(uri)
        if not same:
            found.differences.append(
                f"pushed {uri}\n    direct  {json.dumps(theirs.get(uri))[:SHOWN]}\n"
                f"    through {json.dumps(ours.get(uri))[:SHOWN]}"
            )


def option(several: list[Any], path: str) -> bool:
    """Whether some options say yes to a key."""
    return any(capability(each, path) not in (None, False) for each in several)


def items(value: Any) -> Any:
    """Completions as a list."""
    return value.get("items") if isinstance(value, dict) else value


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--command", default="", help="another than the registry's")
    parser.add_argument("--options", default="", help="the server's initializationOptions, as JSON")
    parser.add_argument("--plain", action="store_true", help="a client without registrations")
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--names", type=int, default=8, help="places asked in each file")
    parser.add_argument("--own", nargs="*", default=[], help="requests about a document")
    parser.add_argument("--own-nothing", nargs="*", default=[], help="requests without params")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(whole(read_arguments()))))
