"""What an editor sends, message by message: what cannot be read is answered here.

A message that is wrong costs its sender an error under its own id; a stream whose framing is lost
cannot be followed any further, and ends the session with a word to the window.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from surveyor.protocol.wire import clipped, id_of, is_json, mended
from surveyor.servers import messages
from surveyor.servers.errors import INVALID_REQUEST, PARSE_ERROR, CharsetError, FramingError
from surveyor.servers.transport import read_frame

log = logging.getLogger(__name__)

Write = Callable[[bytes], None]

ERROR_TYPE = 1
"""LSP's `MessageType.Error`."""


async def envelopes(reader: asyncio.StreamReader, write: Write) -> AsyncIterator[messages.Envelope]:
    """Messages until the stream ends. Raises `FramingError` when it cannot be followed."""
    while True:
        try:
            body = await read_frame(reader, forgive_junk=False)
        except CharsetError as error:
            write(failure(None, PARSE_ERROR, error.message))
            continue
        if body is None:
            return
        message = read(body, write)
        if message is not None:
            yield message


def read(body: bytes, write: Write) -> messages.Envelope | None:
    """One message; `None` for one that has been answered with why it cannot be read."""
    try:
        message = decoded(body)
    except msgspec.ValidationError:
        text = "not a JSON-RPC message: an object with a method, or with an answer's id"
        write(failure(id_of(body), INVALID_REQUEST, text))
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        write(failure(id_of(body), PARSE_ERROR, f"not JSON: {clipped(str(error))}"))
        return None
    except RecursionError:
        write(failure(id_of(body), PARSE_ERROR, "the message is nested too deeply"))
        return None
    says_nothing = not bytes(message.result) and not bytes(message.error)
    if message.method is None and says_nothing:
        number = None if message.id is msgspec.UNSET else message.id
        write(failure(number, INVALID_REQUEST, "neither a request nor an answer: no method"))
        return None
    return message


def decoded(body: bytes) -> messages.Envelope:
    """A message's envelope, mended where only a surrogate pair is broken."""
    try:
        return messages.decode_envelope(body)
    except msgspec.ValidationError:
        # What is beyond the wrong member has not been looked at.
        if not is_json(body):
            raise msgspec.DecodeError("JSON is malformed") from None
        raise
    except msgspec.DecodeError:
        whole = mended(body)
        if whole == body:
            raise
        return messages.decode_envelope(whole)


def lost(error: FramingError, write: Write) -> None:
    """Answer what cannot be followed any further, and tell the window that this is the end."""
    log.error("the editor's stream cannot be followed: %s", error.message)
    write(failure(None, PARSE_ERROR, error.message))
    text = (
        f"Surveyor ends: what the editor sends cannot be read any further ({error.message})."
        " Restart the language server; see its log."
    )
    said = {"type": ERROR_TYPE, "message": text}
    write(messages.splice_notification("window/showMessage", messages.encode(said)))


def failure(number: Any, code: int, text: str) -> bytes:
    """An error response."""
    return messages.splice_error(number, messages.error_object(code, text))
