"""What tests of the graph's service have in common: a checkout, and servers that are made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from surveyor.graph.exact.servers import DiskChange, EditorChannel, ExactQuestion, ExactReply
from surveyor.graph.queries import questions
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from surveyor.protocol.graph import ReferencesRequest

CODE = {
    "a.py": "def target():\n    pass\n\n\ndef other():\n    pass\n",
    "b.py": "from a import target\n\n\ndef use():\n    target()\n",
    "c.py": "import b\n\nb.use()\n",
}


class Servers:
    """Says what it was told to."""

    def __init__(
        self, answer: ExactReply | None = None, *, runs: bool = True, reason: str = ""
    ) -> None:
        self.answer, self.runs, self.reason = answer, runs, reason
        self.asked: list[tuple[ExactQuestion, float]] = []
        self.told: list[dict[str, DiskChange]] = []
        self.open = True

    def editor_for(self, root: str, question: str) -> EditorChannel | None:
        return None

    async def ask(
        self, asked: ExactQuestion, editor: EditorChannel | None, *, wait_s: float
    ) -> ExactReply | None:
        self.asked.append((asked, wait_s))
        return self.answer

    def runs_for(self, root: str, path: str) -> bool:
        return self.runs

    def held_back(self, root: str, path: str) -> str:
        return self.reason

    def works_on(self, root: str) -> bool:
        return self.runs

    def files_changed(self, root: str, changes: Mapping[str, DiskChange]) -> None:
        self.told.append(dict(changes))

    async def stop_root(self, root: str) -> None:
        self.runs = False

    def status(self) -> list[dict[str, Any]]:
        return []

    async def close(self) -> None:
        self.open = False


def references(name: str = "target", **fields: Any) -> ReferencesRequest:
    return msgspec.convert({"name": name, **fields}, ReferencesRequest)


async def uses(context: QueryContext, meant: NameMeaning) -> MatchedItems:
    return await questions.references(context.stored, meant, ())
