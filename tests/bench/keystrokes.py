"""What an editor gets while somebody types: from a language server directly and through us.

    python -m tests.bench.keystrokes [--server ty] [--keys 1000] [--rate 50] [--engine]

One file of 5,000 lines; every key is an edit, followed by what editors ask at such a key:
completion after a letter that begins a word or a dot, signature help after a bracket or a comma, a
hover at every fifth. Direct and through take turns of 100 keys, so that a busy machine slows both.
Prints how many of each were answered, with nothing, or with an error, and p50 and p95 in ms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.errors import ResponseError, UpstreamTimeoutError
from surveyor.servers.methods import LISTED
from surveyor.servers.registry import builtin
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri
from tests.bench.lsp import stop_engine
from tests.lsp.rawclient import RawEditor, place
from tests.servers.real import search_path
from tests.servers.support import Editor

TURN = 100
LIMIT_S = 20.0

CAPABILITIES: dict[str, Any] = {
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True}, "contextSupport": True},
        "signatureHelp": {},
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {},
    }
}


@dataclass(frozen=True, slots=True)
class Language:
    """A file to type in: a function repeated to 5,000 lines, and what is typed below them."""

    name: str
    path: str
    function: str
    before: str
    typed: str
    after: str
    column: int
    """Where a function's name is in the first line of `function`."""
    files: dict[str, str] = field(default_factory=dict)


LANGUAGES = {
    "python": Language(
        "python",
        "big.py",
        'def worker_{n}(value: int, more: str = "") -> int:\n'
        '    """Work number {n}."""\n'
        "    return value + {n}\n\n\n",
        "def typed(value: int, text: str) -> int:\n    first = 1\n",
        "    total = worker_7(value, text.strip()) + value.bit_length()\n",
        "    return first\n",
        5,
    ),
    "typescript": Language(
        "typescript",
        "big.ts",
        'export function worker{n}(value: number, more = ""): number {{\n'
        "  // Work number {n}.\n"
        "  return value + {n};\n"
        "}}\n\n",
        "export function typed(value: number, text: string): number {\n",
        "  total = worker7(value, text.trim()) + Number(value.toFixed(2));\n",
        "  return value;\n}\nlet total = 0;\n",
        17,
        {"tsconfig.json": '{"compilerOptions": {"strict": true}, "include": ["*.ts"]}'},
    ),
    "cpp": Language(
        "cpp",
        "big.cpp",
        "int worker_{n}(int value, int more = 0) {{\n"
        "  // Work number {n}.\n"
        "  return value + more + {n};\n"
        "}}\n\n",
        "struct Box {\n  int size() const { return 1; }\n};\nint typed(int value, Box box) {\n"
        "  int total = 0;\n",
        "  total = worker_7(value, box.size()) + worker_8(value, 2);\n",
        "  return total;\n}\n",
        5,
        {"compile_flags.txt": "-std=c++17\n"},
    ),
    "go": Language(
        "go",
        "big.go",
        "func worker{n}(value int, more string) int {{\n"
        "\t// Work number {n}.\n"
        "\treturn value + {n}\n"
        "}}\n\n",
        "func typed(value int, text string) int {\n\ttotal := 0\n",
        "\ttotal = worker7(value, strings.TrimSpace(text)) + len(text)\n",
        "\treturn total\n}\n",
        6,
        {"go.mod": "module example.com/big\n\ngo 1.21\n"},
    ),
    "rust": Language(
        "rust",
        "src/main.rs",
        "pub fn worker_{n}(value: usize, more: &str) -> usize {{\n"
        "    // Work number {n}.\n"
        "    value + more.len() + {n}\n"
        "}}\n\n",
        "pub fn typed(value: usize, text: &str) -> usize {\n    let mut total = 0;\n",
        "    total = worker_7(value, text.trim()) + value.count_ones() as usize;\n",
        "    total\n}\nfn main() {}\n",
        8,
        {"Cargo.toml": '[package]\nname = "big"\nversion = "0.1.0"\nedition = "2021"\n'},
    ),
}
HEADS = {"go": 'package main\n\nimport "strings"\n\nfunc main() {}\n\n'}


def text_of(language: Language) -> tuple[str, int]:
    """The file, and the line where typing begins."""
    lines = language.function.count("\n")
    head = HEADS.get(language.name, "") + "".join(
        language.function.format(n=n) for n in range(5000 // lines)
    )
    head += language.before
    return head + language.after, head.count("\n")


class Typist:
    """One client at one file: its edits, its questions and what came of them."""

    def __init__(
        self,
        ask: Callable[[str, Any], Awaitable[Any]],
        tell: Callable[[str, Any], None],
        uri: str,
        line: int,
        hovered: dict[str, Any],
        keys: str,
    ) -> None:
        self._ask, self._tell = ask, tell
        self._uri, self._line, self._column = uri, line, 0
        self._hovered = hovered
        self._keys = keys
        self._typed = 0
        self._waiting: set[asyncio.Task[None]] = set()
        self.times: dict[str, list[float]] = defaultdict(list)
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)

    async def type(self, keys: int, rate: float) -> None:
        """Type so many keys, and wait for what was asked."""
        begin = time.perf_counter()
        for number in range(keys):
            await asyncio.sleep(max(0.0, begin + number / rate - time.perf_counter()))
            self._key()
        if self._waiting:
            await asyncio.wait(self._waiting)

    def _key(self) -> None:
        key = self._keys[self._typed % len(self._keys)]
        before = self._keys[(self._typed - 1) % len(self._keys)]
        self._typed += 1
        where = {"line": self._line, "character": self._column}
        self._tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self._uri, "version": 1 + self._typed},
                "contentChanges": [{"range": {"start": where, "end": where}, "text": key}],
            },
        )
        if key == "\n":
            self._line, self._column = self._line + 1, 0
        else:
            self._column += 1
        here = place(self._uri, self._line, self._column)
        if key == "." or (key.isalpha() and not before.isalnum() and before not in "_."):
            context = {"triggerKind": 2, "triggerCharacter": "."} if key == "." else {}
            self._question(
                "textDocument/completion", {**here, "context": context or {"triggerKind": 1}}
            )
        elif key in "(,":
            self._question("textDocument/signatureHelp", here)
        if self._typed % 5 == 0:
            self._question("textDocument/hover", self._hovered)

    def _question(self, method: str, params: Any) -> None:
        task = asyncio.ensure_future(self._asked(method, params))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _asked(self, method: str, params: Any) -> None:
        begin = time.perf_counter()
        try:
            answer = await self._ask(method, params)
        except ResponseError as error:
            outcome = f"error {error.number}"
        except UpstreamTimeoutError:
            outcome = f"none in {LIMIT_S:g} s"
        else:
            items = answer.get("items", True) if isinstance(answer, dict) else answer
            outcome = "answered" if items else "nothing"
        self.outcomes[method][outcome] += 1
        self.times[method].append((time.perf_counter() - begin) * 1000)


async def main(server: str, keys: int, rate: float, engine: bool) -> None:
    """Measure and print."""
    os.environ["PATH"] = os.pathsep.join([search_path(), str(Path.home() / "go" / "bin")])
    spec = builtin().servers[server]
    language = LANGUAGES[spec.languages[0]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "project"
        text, line = text_of(language)
        for path, content in {**language.files, language.path: text}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        file = root / language.path
        uri = to_uri(file)
        first = HEADS.get(language.name, "").count("\n")
        hovered = place(uri, first + 3 * language.function.count("\n"), language.column + 1)
        direct = Upstream(
            spec,
            spec.command,
            root,
            host=Editor(capabilities=CAPABILITIES, features=LISTED),
            documents=(documents := OpenDocuments()),
            language=language.name,
        )
        direct.start()
        document = documents.open(uri, language.name, 1, text, EDITOR)
        direct.attach(document)
        await direct.wait_ready(120)
        editor = await RawEditor.start(folder / "data", env={"PATH": os.environ["PATH"]})
        options = {
            "mode": "full",
            "engine": engine,
            "upstream": {language.name: {"server": server}},
        }
        await editor.initialize(root, capabilities=CAPABILITIES, options=options)
        editor.open(file, language.name)
        await editor.wait_upstream(language.name, 120)

        async def ask_directly(method: str, params: Any) -> Any:
            return (await direct.request(method, params, timeout=LIMIT_S, retries=0)).value()

        async def ask_through(method: str, params: Any) -> Any:
            return await editor.request(method, params, LIMIT_S)

        one = Typist(ask_directly, direct.notify, uri, line, hovered, language.typed)
        other = Typist(ask_through, editor.session.notify, uri, line, hovered, language.typed)
        for turn in range(0, keys, TURN):
            for typist in (one, other) if turn % (2 * TURN) else (other, one):
                await typist.type(min(TURN, keys - turn), rate)
        print(f"{server}: {keys} keys at {rate:g}/s in {text.count(chr(10))} lines")
        for method in sorted(one.times):
            for label, typist in (("direct", one), ("through", other)):
                p50 = statistics.median(typist.times[method])
                p95 = statistics.quantiles(typist.times[method], n=20)[18]
                outcomes = json.dumps(dict(typist.outcomes[method]))
                print(f"{method:<27} {label:<8} p50 {p50:8.1f} p95 {p95:8.1f} ms  {outcomes}")
        await editor.close()
        await direct.stop()
        if engine:
            await stop_engine(folder / "data")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="ty")
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument(
        "--engine", action="store_true", help="with an index, and our hover section"
    )
    chosen = parser.parse_args()
    sys.exit(asyncio.run(main(chosen.server, chosen.keys, chosen.rate, chosen.engine)))
