"""One text per document for a server that several clients share.

The text is the unsaved one of the client that edits the document, else the disk's. The texts of
all clients are kept, so that places can be moved between them (`translation.py`). Where two
clients have different unsaved texts of one document, they are in conflict: the host gives the
second a server of its own for as long as that lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surveyor.files.safe_read import read_bytes
from surveyor.servers import messages
from surveyor.servers.documents import OpenDocument
from surveyor.servers.uris import SpelledFiles, to_path

MAX_COMPARED_BYTES = 32 << 20
"""A larger file is not compared with a client's text: that counts as unsaved."""

Notify = Callable[[str, Any], None]
Client = object
"""Whoever has documents open: compared by identity."""


@dataclass(slots=True)
class SharedDocument:
    """A document that the server has open. `text` and `version` are what the server was told."""

    uri: str
    language_id: str
    version: int
    text: str
    owner: Client
    """Whose text it is."""
    views: dict[Client, OpenDocument] = field(default_factory=dict)
    """The clients' own texts; `dirty` ones are unsaved."""
    disk: tuple[tuple[int, int] | None, str | None] = (None, None)
    """Time and size of the file, and its text, when it was last read."""

    def on_disk(self) -> str | None:
        """The file's text; `None` where there is none, or it is no text to compare with."""
        path = to_path(self.uri)
        if path is None:
            return None
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp != self.disk[0]:
                if status.st_size > MAX_COMPARED_BYTES:
                    return None
                data = read_bytes(path, MAX_COMPARED_BYTES)
                self.disk = (stamp, data.decode("utf-8-sig", errors="replace"))
        except OSError:
            return None
        return self.disk[1]

    def differs_on_disk(self) -> bool:
        """Whether the file has another text than the server."""
        disk = self.on_disk()
        if disk is None or disk != self.text:
            return disk is not None
        self.disk = (self.disk[0], self.text)  # one string: compared by identity from now on
        return False

    def differs_for(self, client: Client) -> bool:
        """Whether a client that has it open has another text than the server."""
        view = self.views.get(client)
        return view is not None and view.text != self.text

    def mark(self, view: OpenDocument) -> None:
        """Find out whether a view that was opened or changed is unsaved.

        One that the disk has left behind (written by somebody else) is not.
        """
        disk = self.on_disk()
        if view.text == disk or (view.saved is None and disk is not None):
            view.saved = disk
        view.dirty = view.text != (view.saved or "")

    @property
    def is_unsaved(self) -> bool:
        """Whether its owner has not saved the text that the server has."""
        view = self.views.get(self.owner)
        return view is not None and view.dirty and view.text == self.text


class SharedDocuments:
    """What a server has open, and who sees which text of it."""

    def __init__(self, notify: Notify, sync: Callable[[str, Any], Any]) -> None:
        """`notify` tells the server; `sync` is a member of its `textDocumentSync`."""
        self._notify = notify
        self._sync = sync
        self._documents: dict[str, SharedDocument] = {}
        self._spelled = SpelledFiles()
        self.foreign: dict[Client, int] = {}
        """How often a text was changed by somebody else, by client."""

    def __iter__(self) -> Iterator[SharedDocument]:
        return iter(self._documents.values())

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, uri: str) -> SharedDocument | None:
        """The document, while it is open."""
        return self._documents.get(uri)

    def spelling_of(self, uri: str) -> str:
        """The URI under which a file is open; the given one for any other document."""
        return self._spelled.same_as(uri)

    def views_of(self, client: Client) -> list[OpenDocument]:
        """What a client has open."""
        return [doc.views[client] for doc in self if client in doc.views]

    def has(self, client: Client, uri: str) -> bool:
        """Whether a client has a document open."""
        document = self._documents.get(uri)
        return document is not None and client in document.views

    # --- what clients do --------------------------------------------------------------

    def open(self, client: Client, view: OpenDocument) -> None:
        """A client opened a document."""
        document = self._documents.get(view.uri)
        if document is None:
            document = SharedDocument(view.uri, view.language_id, view.version, view.text, client)
            document.views[client] = view
            document.mark(view)
            self._documents[view.uri] = document
            self._spelled.add(view.uri)
            self._open(document)
            self._moved(client)
            return
        document.views[client] = view
        document.mark(view)
        self._settle(document)

    def change(self, client: Client, uri: str, version: int, changes: Any, raw: Any) -> None:
        """A client edited a document; `raw` are the params as they came."""
        document = self._documents.get(uri)
        view = document.views.get(client) if document is not None else None
        if document is None or view is None:
            return
        view.version = version
        view.apply(changes)
        document.mark(view)
        if document.owner is client:
            self._pass_on(document, view, raw)
        elif view.text == document.text:
            view.text = document.text  # one string: compared by identity from now on
        else:
            self._settle(document)

    def save(self, client: Client, uri: str, raw: Any) -> None:
        """A client wrote a document to disk."""
        document = self._documents.get(uri)
        view = document.views.get(client) if document is not None else None
        if document is None or view is None:
            return
        view.saved, view.dirty = view.text, False
        if view.text == document.text and self._sync("save", None):
            self._notify("textDocument/didSave", raw)
        self._settle(document)

    def close(self, client: Client, uri: str) -> None:
        """A client closed a document; its unsaved text is gone with it."""
        document = self._documents.get(uri)
        if document is None or document.views.pop(client, None) is None:
            return
        if not document.views:
            del self._documents[uri]
            self._spelled.remove(uri)
            self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self._moved(client)
            return
        if document.owner is client:
            unsaved = [c for c, v in document.views.items() if v.dirty]
            self._take(document, next(iter(unsaved or document.views)))
        self._settle(document)

    def close_all(self, client: Client) -> None:
        """A client is gone."""
        for document in list(self):
            self.close(client, document.uri)
        self.foreign.pop(client, None)

    # --- whose text counts ------------------------------------------------------------

    def in_conflict(self, client: Client) -> list[str]:
        """Documents of which a client has an unsaved text, and the server somebody else's."""
        return [
            document.uri
            for document in self
            if (view := document.views.get(client)) is not None
            and document.owner is not client
            and self._conflict(document, view)
        ]

    def admits(self, views: list[OpenDocument]) -> bool:
        """Whether a client could come in with these texts without a conflict."""
        return not any(
            (document := self._documents.get(self.spelling_of(view.uri))) is not None
            and self._conflict(document, view)
            for view in views
        )

    def _conflict(self, document: SharedDocument, view: OpenDocument) -> bool:
        return view.dirty and document.is_unsaved and view.text != document.text

    def differing(self, client: Client) -> dict[str, tuple[str, str]]:
        """Documents of which a client sees another text: the server's and its own."""
        found: dict[str, tuple[str, str]] = {}
        for document in self:
            if document.owner is client:
                continue
            view = document.views.get(client)
            if view is not None:
                if view.text is not document.text and view.text != document.text:
                    found[document.uri] = (document.text, view.text)
            elif document.differs_on_disk():
                found[document.uri] = (document.text, document.on_disk() or "")
        return found

    def versions(self, client: Client) -> dict[str, int | None]:
        """What a client calls the versions of documents that the server calls otherwise."""
        found: dict[str, int | None] = {}
        for document in self:
            view = document.views.get(client)
            if view is None or view.text != document.text:
                found[document.uri] = None
            elif view.version != document.version:
                found[document.uri] = view.version
        return found

    def texts(self) -> Mapping[str, str]:
        """The server's texts now."""
        return {document.uri: document.text for document in self}

    def _settle(self, document: SharedDocument) -> None:
        """Give the server the text of who has unsaved changes, where its own text is saved."""
        if document.is_unsaved or all(v.text == document.text for v in document.views.values()):
            return
        disk = document.on_disk()
        clients = [c for c, v in document.views.items() if v.dirty]
        clients = clients or [c for c, v in document.views.items() if v.text == disk]
        if clients:
            self._take(document, clients[0])

    def _take(self, document: SharedDocument, owner: Client) -> None:
        """The server gets a client's text."""
        document.owner = owner
        view = document.views[owner]
        if view.text == document.text:
            return
        document.text = view.text
        document.version = max(document.version + 1, view.version)
        self._send_text(document)
        self._moved(owner)

    def _pass_on(self, document: SharedDocument, view: OpenDocument, raw: Any) -> None:
        document.text = view.text
        document.version = max(document.version + 1, view.version)
        kind = self._sync("change", 1)
        if kind == 2 and document.version == view.version:
            self._notify("textDocument/didChange", raw)
        elif kind == 2:
            identifier = {"uri": document.uri, "version": document.version}
            self._notify("textDocument/didChange", {**decoded(raw), "textDocument": identifier})
        else:
            self._send_text(document)
        self._moved(document.owner)

    def _send_text(self, document: SharedDocument) -> None:
        if not self._sync("change", 1):
            return
        self._notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": document.uri, "version": document.version},
                "contentChanges": [{"text": document.text}],
            },
        )

    def _open(self, document: SharedDocument) -> None:
        item = {
            "uri": document.uri,
            "languageId": document.language_id,
            "version": document.version,
            "text": document.text,
        }
        self._notify("textDocument/didOpen", {"textDocument": item})

    def _moved(self, by: Client) -> None:
        """A text of the server has changed: answers under way may be about either."""
        for client in self.foreign:
            if client is not by:
                self.foreign[client] += 1


def decoded(raw: Any) -> dict[str, Any]:
    """Params as an object."""
    value = raw if isinstance(raw, dict) else messages.decode(raw)
    return value if isinstance(value, dict) else {}
