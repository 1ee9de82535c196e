"""The text of a chunk, in SQL: the lines of its document, or what is stored of it apart.

Nearly every chunk says what some lines of its document say, and those are stored once, in
`document_texts`. `texts` has the others: parts of a line that is longer than a chunk, cells of a
notebook, and chunks of documents whose text is not stored.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict

import numpy as np
import numpy.typing as npt
from zstandard import ZstdError

from surveyor.store.text_compression import decompressed

__all__ = [
    "CHUNK_SIGNATURE",
    "CHUNK_TEXT",
    "KEPT_FOR_SEARCHES",
    "KEPT_TEXT",
    "LINES_OF",
    "DocumentLines",
]

KEPT_TEXT = 1024 * 1024
"""Bytes of documents' texts that a connection keeps: a document's chunks are read one after the
other."""
KEPT_FOR_SEARCHES = 4 * 1024 * 1024
"""The same of the connection that shown results are read with: who searches comes back to the same
documents, and to decompress one costs more than to find it."""

LINES_OF = "lines_of"
CHUNK_TEXT = f"""coalesce(
    (SELECT t.text FROM texts t WHERE t.text_hash = c.text_hash),
    (SELECT {LINES_OF}(x.doc_id, x.checksum, c.start_line, c.end_line,
         CAST(x.text AS BLOB))
     FROM document_texts x WHERE x.doc_id = c.doc_id))"""
"""Of a row `c` of `chunks`; NULL where nothing is stored of it, or that is damaged."""

CHUNK_SIGNATURE = """coalesce((SELECT signature FROM (
    SELECT s.signature, min(((s.start_line > c.end_line OR s.end_line < c.start_line) << 32)
      + abs(s.start_line - c.start_line))
    FROM symbols s INDEXED BY symbols_by_document
    WHERE s.doc_id = c.doc_id AND s.name = c.symbol_name AND s.kind = c.symbol_kind
      AND s.container = c.parent_symbol)), '')"""
"""The signature of what a row `c` of `chunks` is known by, of overloads that of the nearest: a
comment above it may be a chunk of its own. Empty where it is of nothing."""


class DocumentLines:
    """The SQL function `lines_of`, with the texts of the documents that it was called for last.

    One a connection: it is called on the thread that the connection is used on. It keeps as many
    bytes of texts as it is told, and the last text whatever its size.
    """

    def __init__(self, kept_bytes: int = KEPT_TEXT) -> None:
        self._kept: OrderedDict[tuple[int, int], _LinedText] = OrderedDict()
        self._room = kept_bytes

    def __call__(
        self, doc_id: int, checksum: int, first: int, last: int, stored: bytes
    ) -> str | None:
        """Lines (1-based, the last one included) of a document's stored text."""
        key = (doc_id, checksum)
        text = self._kept.get(key)
        if text is None:
            said = _decompressed(stored, checksum)
            if said is None:
                return None
            text = self._kept[key] = _LinedText(said)
            self._room -= text.size
            while self._room < 0 and len(self._kept) > 1:
                self._room += self._kept.popitem(last=False)[1].size
        else:
            self._kept.move_to_end(key)
        return text.lines(first, last).decode("utf-8", "replace")


class _LinedText:
    """A text by its lines. Who reads several of its chunks needs the ends of all lines, as
    splitting it for each would cost the square of its length; one chunk is read faster without."""

    def __init__(self, text: bytes) -> None:
        self.size = len(text)
        self._text = text
        self._was_read = False
        self._ends: npt.NDArray[np.intp] | None = None

    def lines(self, first: int, last: int) -> bytes:
        """Lines (1-based, the last one included), as far as there are any."""
        if not self._was_read:
            self._was_read = True
            return b"\n".join(self._text.split(b"\n", last)[first - 1 : last])
        if self._ends is None:
            self._ends = np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == ord("\n"))
        count = len(self._ends)
        if first > count + 1:
            return b""
        start = int(self._ends[first - 2]) + 1 if first > 1 else 0
        return self._text[start : int(self._ends[last - 1]) if last <= count else None]


def _decompressed(stored: bytes, checksum: int) -> bytes | None:
    if zlib.crc32(stored) != checksum:
        return None
    try:
        return decompressed(stored)
    except ZstdError:
        return None
