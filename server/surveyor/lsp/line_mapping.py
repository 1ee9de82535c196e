"""Where the lines of the saved text are in an edited buffer, and back.

The index knows a file as it was saved. Lines that an edit did not touch are the same lines at
another place: what the index knows of them still holds.
"""

from __future__ import annotations

from surveyor.servers.documents import OpenDocument, OpenDocuments
from surveyor.servers.line_mapping import LineMapping


class LineMappings:
    """Drifts of open buffers, each made once for a version."""

    def __init__(self, documents: OpenDocuments) -> None:
        self._documents = documents
        self._made: dict[str, tuple[int, LineMapping]] = {}

    def to_saved(self, uri: str, line: int) -> int | None:
        """The saved line that a line of a document was; `None` where it is not known."""
        document = self._documents.get(uri)
        if document is None or not document.dirty:
            return line
        line_mapping = self._of(document)
        return line_mapping.to_saved(line) if line_mapping is not None else None

    def to_buffer(self, uri: str, line: int) -> int:
        """Where a saved line is now: as it was, where that is not known."""
        document = self._documents.get(uri)
        line_mapping = self._of(document) if document is not None and document.dirty else None
        now = line_mapping.to_buffer(line) if line_mapping is not None else None
        return line if now is None else now

    def _of(self, document: OpenDocument) -> LineMapping | None:
        if document.saved is None:
            return None
        made = self._made.get(document.uri)
        if made is None or made[0] != document.version:
            made = (document.version, LineMapping(document.saved, document.text))
            self._made = {document.uri: made}  # one buffer is asked about at a time
        return made[1]
