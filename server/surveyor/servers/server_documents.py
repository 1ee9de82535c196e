"""The documents that one server has been told of: opened, changed, saved, closed, opened again.

What shall be open outlives the server's lives; what has been sent belongs to one life.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from surveyor.servers.documents import EDITOR, OpenDocument, OpenDocuments

Notify = Callable[[str, Any], None]


class Told(NamedTuple):
    """How often a server has been told of documents."""

    by_editor: int = 0
    for_questions: int = 0
    """Of documents that only a question of the engine has opened."""


class ServerDocuments:
    """The buffers that one server has been told are open, and their versions."""

    def __init__(
        self,
        documents: OpenDocuments,
        notify: Notify,
        capabilities: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._documents = documents
        self._notify = notify
        self._capabilities = capabilities
        self._attached: dict[str, None] = {}
        self.sent: set[str] = set()
        """URIs that the running server has been told of."""
        self._of_questions: set[str] = set()
        self.told = Told()

    def __len__(self) -> int:
        return len(self._attached)

    def __contains__(self, uri: str) -> bool:
        return uri in self._attached

    def attach(self, uri: str) -> bool:
        """Note that a document shall be open; whether that is new."""
        if uri in self._attached:
            return False
        self._attached[uri] = None
        return True

    def detach(self, uri: str) -> None:
        """The server need not know a document any more."""
        self._attached.pop(uri, None)
        if uri in self.sent:
            self.sent.discard(uri)
            self._count(uri)
            self._of_questions.discard(uri)
            self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def send_all(self) -> None:
        """Tell a server that has just come up of everything, with the full text."""
        for uri in list(self._attached):
            self.send(uri)

    def send(self, uri: str) -> None:
        """Tell the running server of one document."""
        document = self._documents.get(uri)
        if document is None or uri in self.sent:
            return
        self.sent.add(uri)
        self._count(uri)
        self._notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": uri,
                    "languageId": document.language_id,
                    "version": document.version,
                    "text": document.text,
                }
            },
        )

    def change(self, document: OpenDocument, params: Any) -> None:
        """Pass a change on: as it came where the server takes increments, else the full text."""
        if document.uri not in self.sent:
            return
        self._count(document.uri)
        kind = self._sync("change", 1)
        if kind == 2:
            self._notify("textDocument/didChange", params)
        elif kind == 1:
            self._notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": document.uri, "version": document.version},
                    "contentChanges": [{"text": document.text}],
                },
            )

    def save(self, document: OpenDocument) -> None:
        """Tell of a save, with the text when the server wants it."""
        wants = self._sync("save", None)
        if document.uri not in self.sent or not wants:
            return
        params: dict[str, Any] = {"textDocument": {"uri": document.uri}}
        if isinstance(wants, dict) and wants.get("includeText"):
            params["text"] = document.text
        self._notify("textDocument/didSave", params)

    def _count(self, uri: str) -> None:
        document = self._documents.get(uri)
        if document is not None:
            change = (
                self._of_questions.discard
                if EDITOR in document.owners
                else (self._of_questions.add)
            )
            change(uri)
        if uri in self._of_questions:
            self.told = self.told._replace(for_questions=self.told.for_questions + 1)
        else:
            self.told = self.told._replace(by_editor=self.told.by_editor + 1)

    def _sync(self, key: str, default: Any) -> Any:
        sync = self._capabilities().get("textDocumentSync")
        if isinstance(sync, int):
            return sync if key == "change" else True
        return sync.get(key, default) if isinstance(sync, dict) else default
