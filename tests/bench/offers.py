"""What the language servers on the PATH offer to an editor that can everything.

    python -m tests.bench.offers [SERVER …]

Each is started on a folder with one small file and asked for a hover. Prints a row for
docs/language-servers.md; one that is not there, or does not start, is said to be missing.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.errors import UpstreamError
from surveyor.servers.methods import FEATURES, LISTED, Relay
from surveyor.servers.registry import ServerSpec, builtin
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri
from tests.lsp.rawclient import place
from tests.servers.support import Editor

LIMIT_S = 120.0
HOVER = "textDocument/hover"
TEXTS = {
    "python": ("a.py", "def total(items: list[int]) -> int:\n    return sum(items)\n", (0, 5)),
    "typescript": ("a.ts", "export function total(items: number[]) { return items; }\n", (0, 18)),
    "cpp": ("a.cpp", "int total(int items) { return items; }\n", (0, 5)),
    "go": ("a.go", "package main\n\nfunc main() {}\n", (2, 6)),
    "rust": ("src/main.rs", "fn main() {}\n", (0, 4)),
    "java": ("A.java", "class A {\n    int total() {\n        return 1;\n    }\n}\n", (1, 9)),
    "bash": ("a.sh", "total() { echo 1; }\ntotal\n", (1, 1)),
    "yaml": ("a.yaml", "total: 1\n", (0, 1)),
    "json": ("a.json", '{"total": 1}\n', (0, 3)),
    "css": ("a.css", "a { color: red; }\n", (0, 5)),
    "html": ("a.html", "<p>total</p>\n", (0, 1)),
    "php": ("a.php", "<?php\nfunction total() { return 1; }\n", (1, 10)),
}
MORE = {
    "go": {"go.mod": "module example.com/a\n\ngo 1.21\n"},
    "rust": {"Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'},
}
COMPLETION = {"completionItem": {"snippetSupport": True, "resolveSupport": {"properties": []}}}
SYMBOLS = {"hierarchicalDocumentSymbolSupport": True}
ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}}}
TOKENS: dict[str, Any] = {
    "requests": {"full": {"delta": True}, "range": True},
    "tokenTypes": ["function", "variable"],
    "tokenModifiers": [],
    "formats": ["relative"],
}


def editor_capabilities() -> dict[str, Any]:
    """An editor that can everything, and takes registrations."""
    names = {feature.client.partition(".")[2] for feature in FEATURES.values()}
    text: dict[str, Any] = {name: {"dynamicRegistration": True} for name in names if name}
    shapes: dict[str, dict[str, Any]] = {
        "completion": COMPLETION,
        "documentSymbol": SYMBOLS,
        "codeAction": ACTIONS,
        "semanticTokens": TOKENS,
        "rename": {"prepareSupport": True},
        "foldingRange": {},
    }
    for name, more in shapes.items():
        text[name] = {**text.get(name, {}), **more}
    files = {f"{when}{what}": True for when in ("will", "did") for what in ("Create", "Rename")}
    operations = {"dynamicRegistration": True, **files}
    return {"textDocument": text, "workspace": {"fileOperations": operations, "applyEdit": True}}


async def row(spec: ServerSpec, language: str, root: Path) -> str:
    """What a server offers, and how long its first answer took."""
    name, text, (line, column) = TEXTS[language]
    for path, content in {**MORE.get(language, {}), name: text}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    documents = OpenDocuments()
    host = Editor(capabilities=editor_capabilities(), features=LISTED)
    upstream = Upstream(spec, spec.command, root, host=host, documents=documents, language=language)
    begin = time.perf_counter()
    upstream.start()
    uri = to_uri(root / name)
    upstream.attach(documents.open(uri, language, 1, text, EDITOR))
    try:
        await upstream.wait_running(LIMIT_S)
        started = time.perf_counter() - begin
        if not upstream.supports(HOVER):  # it registers what it has when it has read its files
            await upstream.wait_ready(LIMIT_S)
            await upstream.until_offered(HOVER)
        asked = place(uri, line, column)
        hover = (await upstream.request(HOVER, asked, timeout=LIMIT_S)).value()
        answered = time.perf_counter() - begin
        ready = await upstream.wait_ready(LIMIT_S)
        said = "answered" if hover else "nothing"
        if not hover and (await upstream.request(HOVER, asked, timeout=LIMIT_S)).value():
            said = "answered when ready"
        memory = upstream.status()["memoryBytes"] >> 20
        offered = [
            feature.method.rpartition("/")[2]
            for feature in FEATURES.values()
            if feature.relay is Relay.LISTED and upstream.options(feature)
        ]
    except UpstreamError as error:
        return f"| {spec.name} | {error.message[:60]} | | | |"
    finally:
        await upstream.stop()
    return (
        f"| {spec.name} | {started:.1f} s | {said}, {answered:.1f} s | "
        f"{'yes' if ready else 'no'}, {memory} MB | {', '.join(offered)} |"
    )


async def main(names: list[str]) -> None:
    """Print a row for each server."""
    registry = builtin()
    for language in TEXTS:
        for name in registry.languages[language].servers:
            if names and name not in names:
                continue
            spec = registry.servers[name]
            if shutil.which(spec.command[0]) is None:
                print(f"| {name} | missing | | | |", flush=True)
                continue
            with tempfile.TemporaryDirectory() as folder:
                print(await row(spec, language, Path(folder)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("servers", nargs="*")
    asyncio.run(main(parser.parse_args().servers))
