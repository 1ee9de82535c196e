"""What editors say in a session, replayed to a server directly and through `surveyor lsp`.

tests/data/sessions has what the editors themselves sent in `mode = "full"` with the entries of
docs/other-editors.md, on the small project beside it: Emacs 28.2 with eglot 1.9 and with lsp-mode
8.0, Vim 9.0 with ALE 3.3, Kate 22.12; Neovim 0.11.4 with the plugin and VS Code 1.139 with the
extension, but for their own requests.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.errors import ResponseError
from surveyor.servers.process import ServerProcess
from tests.lsp.rawclient import CHECKOUT, RawEditor, environment
from tests.servers.real import python_servers
from tests.servers.support import eventually

SESSIONS = CHECKOUT / "tests/data/sessions"

OURS = {"initialize", "workspace/symbol"}
"""What differs: who answers, and symbols, which come from the index as well."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder, and so one host of servers, for all sessions."""
    return tmp_path_factory.mktemp("data")


@pytest.mark.parametrize("editor", ["eglot", "lsp-mode", "ale", "kate", "neovim", "vscode"])
async def test_a_session_gets_through_us_what_the_server_gives_directly(
    tmp_path: Path, data: Path, editor: str
) -> None:
    root = tmp_path / "shop"
    shutil.copytree(SESSIONS / "shop", root)
    (root / ".git").mkdir()
    recorded = (SESSIONS / f"{editor}.jsonl").read_text().replace("$ROOT", str(root))
    session = [json.loads(line) for line in recorded.splitlines()]
    path = os.pathsep.join([str(python_servers()), os.environ["PATH"]])
    env = {**environment(data), "PATH": path}
    direct, theirs = await play(session, ["ty", "server"], root, env, None)
    command = [sys.executable, "-m", "surveyor", "lsp"]
    through, ours = await play(session, command, root, env, {"mode": "full", "engine": False})
    try:
        assert len(theirs) > 4
        compared = [(method, a, b) for (method, a), (_, b) in zip(theirs, ours, strict=True)]
        assert [(m, b) for m, a, b in compared if m not in OURS and a != b] == [], compared
        pulls = any(method == "textDocument/diagnostic" for method, _ in theirs)  # shown, then
        found = {} if pulls else await eventually(lambda: shown(direct), bool, 20)
        await eventually(lambda: shown(through), lambda now: now == found, 20)
    finally:
        await direct.close()
        through.session.notify("shutdown")
        through.session.notify("exit")
        assert await through.process.process.wait() == 1
        await through.close()


async def play(
    session: list[dict[str, Any]], command: list[str], root: Path, env: dict[str, str], options: Any
) -> tuple[RawEditor, list[tuple[str, Any]]]:
    """Say it all, each request after the answer to the one before; the answers by method."""
    editor = RawEditor(await ServerProcess.spawn(command, cwd=root, env=env))
    editor.answers["client/registerCapability"] = None
    answers: list[tuple[str, Any]] = []
    for message in session:
        method, params = message["method"], dict(message.get("params") or {})
        if method in ("textDocument/didClose", "shutdown"):
            continue  # its diagnostics are looked at; Kate's shutdown, without id, below
        if method == "initialize":
            params["initializationOptions"] = options
            general = params["capabilities"].get("general", {})
            # Surveyor's positions are UTF-16 whatever is offered: the server's shall be, too.
            general.pop("positionEncodings", None)
        if "id" not in message:
            editor.session.notify(method, params)
            continue
        try:
            answers.append((method, normal(await editor.request(method, params))))
        except ResponseError as error:
            answers.append((method, error.number))
    return editor, answers


async def shown(editor: RawEditor) -> Any:
    """The last diagnostics of each document."""
    found = {}
    for method, params in editor.told:
        if method == "textDocument/publishDiagnostics":
            found[params["uri"]] = sorted(json.dumps(each) for each in params["diagnostics"])
    return {uri: items for uri, items in found.items() if items}


def normal(value: Any) -> Any:
    """References come in another order from one process to the next, reports under other names."""
    if isinstance(value, dict) and "resultId" in value:
        value = {key: item for key, item in value.items() if key != "resultId"}
    if isinstance(value, list) and all(isinstance(item, dict) and "uri" in item for item in value):
        return sorted(value, key=json.dumps)
    return value
