"""A typing editor and an agent's `edit` on one file, again and again: no key lost, no edit by half.

`python -m tests.bench.edit_races [RACES] [--silent]`: the editor types at the top of a file while
the agent counts up a number at its bottom; with `--silent` the editor refuses an edit of an older
version without saying so, as some do. Fails where a key or an edit is missing, or is there twice.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from surveyor.client.asynchronous import AsyncClient, hello
from surveyor.errors import SurveyorError
from surveyor.protocol.edits import EditRequest, EditStep
from surveyor.servers.documents import OpenDocument
from surveyor.servers.uris import to_uri
from tests.gitrepo import git, write
from tests.lsp.rawclient import RawEditor
from tests.product import product

CAPABILITIES = {
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
}


class TypingEditor:
    """A window whose user types while it applies edits."""

    def __init__(self, editor: RawEditor, file: Path, silent: bool) -> None:
        self._editor = editor
        self._silent = silent
        self.document = OpenDocument(to_uri(file), "python", 1, file.read_text())
        self.typed = 0
        self.refused = 0
        editor.answers["workspace/applyEdit"] = self._apply

    def _tell(self, changes: list[dict[str, Any]]) -> None:
        self.document.version += 1
        self._editor.session.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.document.uri, "version": self.document.version},
                "contentChanges": changes,
            },
        )

    def _apply(self, params: dict[str, Any]) -> dict[str, Any]:
        for change in params["edit"]["documentChanges"]:
            if change["textDocument"]["version"] != self.document.version:
                self.refused += 1
                return {"applied": self._silent}
            edits = [
                {"range": each["range"], "text": each["newText"]}
                for each in reversed(change["edits"])
            ]
            self.document.apply(edits)
            self._tell(edits)
        return {"applied": True}

    def type_key(self) -> None:
        """One key, at the end of the first line."""
        at = {"line": 0, "character": len(self.document.line(0))}
        change = {"range": {"start": at, "end": at}, "text": chr(97 + self.typed % 26)}
        self.document.apply([change])
        self.typed += 1
        self._tell([change])

    async def type_on(self) -> None:
        """Keys without end, in bursts."""
        while True:
            for _ in range(random.randint(1, 6)):
                self.type_key()
                await asyncio.sleep(random.choice((0, 0.001, 0.01, 0.03)))
            await asyncio.sleep(random.choice((0, 0.05, 0.2)))


async def race(races: int, silent: bool) -> int:
    """How many edits were made; raises where something is lost."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repo"
        root.mkdir()
        git(root, "init", "-q")
        write(root, {"a.py": "# \n\nx = 1\n\nagent = 0\n", "b.py": "agent = 0\n"})
        git(root, "add", "-A")
        git(root, "commit", "-qm", "first")
        with product(Path(folder) / "home") as made:
            made.index(root)
            return await _race(made, root, races, silent)


async def _race(made: Any, root: Path, races: int, silent: bool) -> int:
    editor = await RawEditor.start(made.data, env=made.environment, cwd=root)
    await editor.initialize(root, capabilities=CAPABILITIES, options={"engine": True})
    file = root / "a.py"
    editor.open(file, "python")
    await editor.eventually("surveyor/status", None, lambda said: said["engine"]["state"] == "up")
    typing = TypingEditor(editor, file, silent)
    os.environ["SURVEYOR_DATA_DIR"] = str(made.data)
    agent = AsyncClient(hello("cli", [str(root)]), start=False)
    agent.open()
    while not agent.connected:
        await asyncio.sleep(0.05)
    keys = asyncio.ensure_future(typing.type_on())
    done = failed = 0
    began = time.monotonic()
    try:
        while done + failed < races:
            steps = [
                EditStep(path=name, old=f"agent = {done}\n", new=f"agent = {done + 1}\n")
                for name in ("a.py", "b.py")
            ]
            try:
                await agent.call(EditRequest(steps=steps, cwd=str(root)), timeout_s=60)
                done += 1
            except SurveyorError as error:
                failed += 1
                print(f"refused: {error.message}")
    finally:
        keys.cancel()
        await agent.close()
        await editor.close()
    text = typing.document.text
    wanted = "".join(chr(97 + number % 26) for number in range(typing.typed))
    assert text == f"# {wanted}\n\nx = 1\n\nagent = {done}\n", (done, text[-60:])
    assert (root / "b.py").read_text() == f"agent = {done}\n", (root / "b.py").read_text()
    took = time.monotonic() - began
    print(
        f"{done} edits of {races}, {failed} refused; {typing.typed} keys, {typing.refused} edits of"
        f" an older version, {took:.0f} s: nothing lost"
    )
    return done


def main() -> None:
    """As in the module's docstring."""
    parser = argparse.ArgumentParser()
    parser.add_argument("races", type=int, nargs="?", default=100)
    parser.add_argument("--silent", action="store_true")
    given = parser.parse_args()
    sys.exit(0 if asyncio.run(race(given.races, given.silent)) else 1)


if __name__ == "__main__":
    main()
