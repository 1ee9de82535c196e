"""LSP's base protocol on asyncio streams: headers, lengths and bytes; no JSON in here."""

from __future__ import annotations

import asyncio
from typing import Protocol

from surveyor.upstream.errors import FramingError

MAX_HEADER_BYTES = 8 * 1024
"""Longest header section accepted; real ones are under 100 bytes."""

MAX_JUNK_BYTES = 256 * 1024
"""How much text before a header is forgiven: some servers print a banner to stdout."""

MAX_BODY_BYTES = 512 * 1024 * 1024
"""Largest message accepted; above it the length itself is not believed."""

STREAM_LIMIT_BYTES = 4 * 1024 * 1024
"""Read-ahead of a stream; large answers arrive in fewer wake-ups."""


class ByteReader(Protocol):
    """The part of `asyncio.StreamReader` that framing needs."""

    async def readline(self) -> bytes:
        """One line with its end, or what is left before the end of the stream."""
        ...

    async def readexactly(self, n: int, /) -> bytes:
        """Exactly `n` bytes, or `asyncio.IncompleteReadError`."""
        ...


def frame(body: bytes) -> bytes:
    """Return `body` with the header that announces it."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def read_frame(reader: ByteReader, *, forgive_junk: bool = True) -> bytes | None:
    """Read one message body; `None` at the end of the stream.

    Header names are case-insensitive, a bare `\\n` ends a line, and unknown headers are ignored.
    `forgive_junk` skips lines before the first header (a server's banner).
    Raises `FramingError` when the stream cannot be followed any further.
    """
    length: int | None = None
    spent = 0
    while True:
        try:
            line = await reader.readline()
        except ValueError as error:  # asyncio's limit: a line longer than the read-ahead
            raise FramingError("a header line without an end") from error
        if not line:
            return None
        spent += len(line)
        text = line.strip()
        if not text:
            if length is not None:
                break
            continue
        name, colon, value = text.partition(b":")
        if colon and name.strip().lower() == b"content-length":
            length = parse_length(value)
        elif length is None and not (colon and name.strip().lower() == b"content-type"):
            if not forgive_junk:
                raise FramingError(f"not a header: {text[:80]!r}")
            if spent > MAX_JUNK_BYTES:
                raise FramingError("the stream is not LSP: no Content-Length in 256 KB")
            continue
        if length is not None and spent > MAX_HEADER_BYTES + MAX_JUNK_BYTES:
            raise FramingError("a header section without an end")
    try:
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None


def parse_length(value: bytes) -> int:
    """Value of a Content-Length header in bytes; `FramingError` when it is not one."""
    text = value.strip()
    if not text.isdigit():
        raise FramingError(f"bad Content-Length: {text[:40]!r}")
    length = int(text)
    if length > MAX_BODY_BYTES:
        raise FramingError(f"Content-Length of {length} bytes is not believed")
    return length
