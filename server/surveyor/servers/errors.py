"""What can go wrong between Surveyor and a real language server."""

from __future__ import annotations

import msgspec

from surveyor.errors import SurveyorError

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800
SERVER_CANCELLED = -32802
GIVEN_UP = (CONTENT_MODIFIED, SERVER_CANCELLED)
"""Errors by which a server gives a question up for something that it was told meanwhile."""

REPEATS = 5
"""How often a question is asked again that was given up for what its asker does not know of."""

OTHER_TEXT = -32091
"""The host's: the line asked about is not in the text that the server has."""


class UpstreamError(SurveyorError):
    """Any failure of an upstream language server."""

    code = "upstream_error"


class UpstreamMissingError(UpstreamError):
    """No runnable server was found for a language."""

    code = "upstream_missing"
    exit_code = 3


class UpstreamHeldBackError(UpstreamMissingError):
    """The servers of a language would run what the folder says, and nobody trusts it."""


class UpstreamDeadError(UpstreamError):
    """The server's process ended, or is waiting to be restarted."""

    code = "upstream_dead"


class UpstreamLostError(UpstreamDeadError):
    """Its host is gone, or it was ended on purpose: what was asked can be asked again."""

    code = "upstream_lost"


class UpstreamTimeoutError(UpstreamError):
    """The server did not answer in time; it was sent `$/cancelRequest`."""

    code = "upstream_timeout"


class UpstreamSilentError(UpstreamTimeoutError):
    """The server said nothing at all for as long as its caller was patient."""

    code = "upstream_silent"


class UnsupportedMethodError(UpstreamError):
    """The server did not advertise the method, so it was not asked."""

    code = "upstream_unsupported"


class OtherTextError(UnsupportedMethodError):
    """Another window edits the document: its text has not the line, so the server was not asked."""

    code = "upstream_other_text"


class FramingError(UpstreamError):
    """The byte stream is not LSP's base protocol."""

    code = "framing"


class CharsetError(FramingError):
    """One message is in an encoding that is not read; the stream can be followed further."""

    code = "charset"


class ResponseError(UpstreamError):
    """The server answered with an error; `raw` is its error object, byte for byte."""

    code = "upstream_response"

    def __init__(self, number: int, message: str, raw: msgspec.Raw | None = None) -> None:
        super().__init__(message)
        self.number = number
        self.raw = raw
