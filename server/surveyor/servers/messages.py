"""The JSON-RPC envelope: decoded once, its payload left as the bytes that came.

`splice_*` build messages around raw payloads without decoding them: that is what makes proxied
answers byte-faithful and cheap.
"""

from __future__ import annotations

from typing import Any

import msgspec

Id = int | str | None
NOTHING = msgspec.Raw(b"")


class Envelope(msgspec.Struct):
    """A message as read: `id`, `method` decoded, `params`, `result` and `error` raw."""

    id: int | str | float | msgspec.UnsetType | None = msgspec.UNSET
    method: str | None = None
    params: msgspec.Raw = NOTHING
    result: msgspec.Raw = NOTHING
    error: msgspec.Raw = NOTHING


class ErrorObject(msgspec.Struct):
    """A JSON-RPC error; `data` is only in the raw bytes."""

    code: int | float = 0
    message: str = ""


_envelope = msgspec.json.Decoder(Envelope)
_encoder = msgspec.json.Encoder()


def decode_envelope(body: bytes) -> Envelope:
    """Decode a message; raises `msgspec.DecodeError` when it is not a JSON object."""
    return _envelope.decode(body)


def encode(value: Any) -> bytes:
    """JSON bytes of anything msgspec knows, raw values spliced in as they are."""
    return _encoder.encode(value)


def decode(raw: bytes | msgspec.Raw) -> Any:
    """Python objects of JSON bytes; empty bytes are `None`."""
    data = bytes(raw)
    return msgspec.json.decode(data) if data else None


def splice_request(number: int | str, method: str, params: bytes) -> bytes:
    """A request around raw params (none when empty)."""
    tail = b',"params":%b}' % params if params else b"}"
    return b'{"jsonrpc":"2.0","id":%b,"method":%b%b' % (encode(number), encode(method), tail)


def splice_notification(method: str, params: bytes) -> bytes:
    """A notification around raw params (none when empty)."""
    tail = b',"params":%b}' % params if params else b"}"
    return b'{"jsonrpc":"2.0","method":%b%b' % (encode(method), tail)


def splice_result(number: Any, result: bytes) -> bytes:
    """A response around a raw result (`null` when empty)."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(number), result or b"null")


def splice_error(number: Any, error: bytes) -> bytes:
    """An error response around a raw error object."""
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (encode(number), error)


def error_object(code: int, message: str, data: Any = None) -> bytes:
    """JSON of an error object."""
    value: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        value["data"] = data
    return encode(value)


def to_raw(value: Any) -> bytes:
    """JSON bytes of a value that may already be raw."""
    if isinstance(value, msgspec.Raw):
        return bytes(value)
    if isinstance(value, bytes):
        return value
    return encode(value)
