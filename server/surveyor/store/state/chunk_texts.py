"""The text of a chunk, in SQL: the lines of its document, or what is stored of it apart.

Nearly every chunk says what some lines of its document say, and those are stored once, in
`document_texts`. `texts` has the others: parts of a line that is longer than a chunk, cells of a
notebook, and chunks of documents whose text is not stored.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict

from zstandard import ZstdError

from surveyor.store.text_compression import decompressed

__all__ = ["CHUNK_TEXT", "LINES_OF", "DocumentLines"]

KEPT_DOCUMENTS = 8
"""Documents whose lines a connection keeps: its chunks are read one after the other."""

LINES_OF = "lines_of"
CHUNK_TEXT = f"""coalesce(
    (SELECT t.text FROM texts t WHERE t.text_hash = c.text_hash),
    (SELECT {LINES_OF}(x.doc_id, x.checksum, c.start_line, c.end_line,
         CAST(x.text AS BLOB))
     FROM document_texts x WHERE x.doc_id = c.doc_id))"""
"""Of a row `c` of `chunks`; NULL where nothing is stored of it, or that is damaged."""


class DocumentLines:
    """The SQL function `lines_of`, with the lines of the documents that it was called for last.

    One a connection: it is called on the thread that the connection is used on.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], list[str]] = OrderedDict()

    def __call__(
        self, doc_id: int, checksum: int, first: int, last: int, stored: bytes
    ) -> str | None:
        """Lines (1-based, the last one included) of a document's stored text."""
        key = (doc_id, checksum)
        lines = self._kept.get(key)
        if lines is None:
            lines = _lines(stored, checksum)
            if lines is None:
                return None
            self._kept[key] = lines
            if len(self._kept) > KEPT_DOCUMENTS:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return "\n".join(lines[first - 1 : last])


def _lines(stored: bytes, checksum: int) -> list[str] | None:
    if zlib.crc32(stored) != checksum:
        return None
    try:
        return decompressed(stored).decode().split("\n")
    except (ZstdError, UnicodeDecodeError):
        return None
