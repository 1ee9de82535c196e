"""LSP's base protocol on asyncio streams: headers, lengths and bytes; no JSON in here."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from surveyor.servers.errors import CharsetError, FramingError

MAX_HEADER_BYTES = 8 * 1024
"""Longest header section accepted; real ones are under 100 bytes."""

MAX_JUNK_BYTES = 256 * 1024
"""How much text before a header is forgiven: some servers print a banner to stdout."""

MAX_BODY_BYTES = 512 * 1024 * 1024
"""Largest message accepted; above it the length itself is not believed."""

MAX_LENGTH_DIGITS = 18

CHARSETS = frozenset({"", "utf-8", "utf8"})
"""What a message may be encoded in; `utf8` is what LSP's first clients wrote."""

PRINTED_BEFORE = re.compile(rb"(?i)content-length[ \t]*:[ \t]*(\d+)\Z")
"""A header behind what a server printed without a line's end."""

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
    Raises `FramingError` when the stream cannot be followed any further, and `CharsetError` for a
    message in another encoding: it has been read, the next one can be.
    """
    length: int | None = None
    charset = ""
    spent = 0
    begun = False
    while True:
        try:
            line = await reader.readline()
        except ValueError as error:  # asyncio's limit: a line longer than the read-ahead
            raise FramingError("a header line without an end") from error
        if not line:
            if begun and not forgive_junk:
                raise FramingError("the stream ended within a header")
            return None
        spent += len(line)
        if spent > MAX_HEADER_BYTES + MAX_JUNK_BYTES or (length is None and spent > MAX_JUNK_BYTES):
            if length is None:
                raise FramingError("the stream is not LSP: no Content-Length in 256 KB")
            raise FramingError("a header section without an end")
        text = line.strip()
        if not text:
            if length is not None:
                break
            if begun and not forgive_junk:
                raise FramingError("a header without Content-Length")
            continue
        begun = True
        name, colon, value = text.partition(b":")
        key = name.strip().lower()
        if colon and key == b"content-length":
            found = parse_length(value)
            if length is not None and found != length:
                raise FramingError(f"two lengths for one message: {length} and {found}")
            length = found
        elif colon and key == b"content-type":
            charset = parse_charset(value)
        elif not forgive_junk:
            if not is_header(name, colon):
                raise FramingError(f"not a header: {shown(text)}")
        elif printed := PRINTED_BEFORE.search(text):
            length = parse_length(printed[1])
    try:
        body = await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if not forgive_junk:
            missing = length - len(error.partial)
            raise FramingError(f"the stream ended {missing} bytes before its message") from error
        return None
    if charset not in CHARSETS:
        raise CharsetError(f"the charset {charset[:40]!r} is not read: messages are UTF-8")
    return body


def is_header(name: bytes, colon: bytes) -> bool:
    """Whether a line may be a header that is not known here."""
    return bool(colon) and re.fullmatch(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) is not None


def parse_length(value: bytes) -> int:
    """Value of a Content-Length header in bytes; `FramingError` when it is not one."""
    text = value.strip()
    if not text.isdigit():
        raise FramingError(f"bad Content-Length: {shown(text)}")
    # Python refuses to read numbers of thousands of digits.
    length = int(text) if len(text) <= MAX_LENGTH_DIGITS else MAX_BODY_BYTES + 1
    if length > MAX_BODY_BYTES:
        raise FramingError(
            f"a Content-Length of {shown(text)} bytes is not believed: at most {MAX_BODY_BYTES}"
        )
    return length


def parse_charset(value: bytes) -> str:
    """The charset of a Content-Type header; empty when it names none."""
    for part in value.decode("latin-1").split(";")[1:]:
        name, _, given = part.partition("=")
        if name.strip().lower() == "charset":
            return given.strip().strip("\"'").lower()
    return ""


def shown(text: bytes) -> str:
    """Bytes of a stream for use in a message."""
    return repr(text[:40].decode("latin-1")) + ("…" if len(text) > 40 else "")
