"""Where the lines of the saved text are in an edited buffer, and back.

The index knows a file as it was saved. Lines that an edit did not touch are the same lines at
another place: what the index knows of them still holds.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from surveyor.servers.documents import OpenDocument, OpenDocuments

MAX_EDITED_LINES = 600
"""Most lines between the first and the last edit that are compared one by one."""


class LineMapping:
    """The lines that two versions of a text have in common; all numbers are 0-based."""

    def __init__(self, saved: str, now: str) -> None:
        old, new = saved.splitlines(), now.splitlines()
        first = 0
        most = min(len(old), len(new))
        while first < most and old[first] == new[first]:
            first += 1
        last = 0
        while last < most - first and old[-1 - last] == new[-1 - last]:
            last += 1
        blocks = [(0, 0, first)]
        middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
        if 0 < len(middle_old) <= MAX_EDITED_LINES and len(middle_new) <= MAX_EDITED_LINES:
            matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
            blocks += [(first + a, first + b, n) for a, b, n in matcher.get_matching_blocks()]
        blocks.append((len(old) - last, len(new) - last, last))
        self._blocks = [block for block in blocks if block[2]]

    def to_saved(self, line: int) -> int | None:
        """The saved line that a line of the buffer was; `None` for one that was edited."""
        for old, new, size in self._blocks:
            if new <= line < new + size:
                return old + line - new
        return None

    def to_buffer(self, line: int) -> int | None:
        """Where a saved line is now; `None` for one that was edited or is gone."""
        for old, new, size in self._blocks:
            if old <= line < old + size:
                return new + line - old
        return None


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
