"""What a function calls: of its own local functions those that it or another of them calls, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.graph.queries import questions
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from tests.graph.support import CHECKOUT, Checkout

LOCAL = {
    "python": (
        "a.py",
        "def other(): ...\n\n\ndef attach(page):\n    def log(reason):\n        other()\n\n"
        "    if page:\n        log('x')\n    return page\n",
    ),
    "javascript": (
        "a.js",
        "function other() {}\nfunction attach(page) {\n  function log(reason) { other() }\n"
        "  if (page) log('x')\n  return page\n}\n",
    ),
    "typescript": (
        "a.ts",
        "function other(): void {}\nexport function attach(page: string) {\n"
        "  const log = (reason: string) => other();\n  if (page) log('x');\n  return page;\n}\n",
    ),
    "lua": (
        "a.lua",
        "local function other() end\nlocal function attach(page)\n"
        "  local function log(reason) other() end\n  if page then log('x') end\nend\nattach()\n",
    ),
    "kotlin": (
        "a.kt",
        "fun other() {}\nfun attach(page: String) {\n  fun log(reason: String) { other() }\n"
        '  log("x")\n}\n',
    ),
    "rust": (
        "a.rs",
        "fn other() {}\nfn attach(page: bool) {\n    fn log(reason: &str) { other() }\n"
        '    if page { log("x"); }\n}\n',
    ),
}


@pytest.mark.parametrize("language", LOCAL)
async def test_a_local_function_that_is_called_is_among_what_the_function_around_it_calls(
    tmp_path: Path, language: str
) -> None:
    path, code = LOCAL[language]
    assert await _called(tmp_path, path, code, "attach") == {"attach.log", "other"}


async def test_one_that_nobody_calls_is_not_and_the_methods_of_a_class_are_its_own(
    tmp_path: Path,
) -> None:
    code = (
        "def outer(run):\n    def told(): ...\n\n    def again(n):\n        again(n - 1)\n\n"
        "    run(told)\n\n\nclass Box:\n    def open(self):\n        self.lift()\n\n"
        "    def lift(self):\n        outer(None)\n"
    )
    assert await _called(tmp_path, "a.py", code, "outer") == set()
    assert await _called(tmp_path, "a.py", code, "Box") == {"outer"}


async def _called(folder: Path, path: str, code: str, name: str) -> set[str]:
    made = await Checkout.open(folder)
    await made.write({path: code})
    stored = StoredGraph(made.state, CHECKOUT)
    found = await questions.callees(stored, await find(stored, name), 1)
    await made.close()
    return {item.symbol for item in found.items}
