"""Clients of a host of language servers, for tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments
from surveyor.servers.host.client import Sharing
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri
from tests.servers.support import (
    FAST,
    PATIENCE_S,
    Editor,
    Fake,
)

HOVER = {"contents": "it"}


class Window:
    """One client of the host: its own buffers, its own conversation."""

    def __init__(self, fake: Fake, sharing: Sharing, **editor: Any) -> None:
        self.documents = OpenDocuments()
        self.editor = Editor(**editor)
        self.upstream = Upstream(
            fake.spec,
            fake.spec.command,
            fake.folder,
            host=self.editor,
            documents=self.documents,
            language="fake",
            env=dict(os.environ),
            limits=FAST,
            sharing=sharing,
        )
        self.upstream.start()

    def open(self, path: Path, text: str | None = None) -> OpenDocument:
        saved = path.read_text() if path.exists() else None
        now = text if text is not None else saved or ""
        document = self.documents.open(to_uri(path), "fake", 1, now, EDITOR)
        self.upstream.attach(document)
        return document

    def open_as(self, uri: str, text: str) -> OpenDocument:
        document = self.documents.open(uri, "fake", 1, text, EDITOR)
        self.upstream.attach(document)
        return document

    def type(self, document: OpenDocument, text: str) -> None:
        """Replace the whole text of a document, as one change."""
        document.version += 1
        document.replace(text)
        self.upstream.change(
            document,
            {
                "textDocument": {"uri": document.uri, "version": document.version},
                "contentChanges": [{"text": text}],
            },
        )

    async def at(self, method: str, document: OpenDocument, line: int) -> Any:
        params = {
            "textDocument": {"uri": document.uri},
            "position": {"line": line, "character": 0},
            "context": {"includeDeclaration": True},
        }
        return (await self.upstream.request(method, params, timeout=PATIENCE_S)).value()

    def told(self, method: str) -> list[Any]:
        return [params for name, params in self.editor.told if name == method]


Open = Callable[..., Window]


def places(uri: str, *lines: int) -> list[dict[str, Any]]:
    return [
        {
            "uri": uri,
            "range": {"start": {"line": n, "character": 0}, "end": {"line": n, "character": 1}},
        }
        for n in lines
    ]


def lines_of(answer: list[dict[str, Any]]) -> list[int]:
    return [item["range"]["start"]["line"] for item in answer]
