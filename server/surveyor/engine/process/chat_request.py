"""A request for a chat completion as OpenAI's clients send it.

Some of it is taken, some is refused, and the rest is left aside and named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from surveyor.answering.chat_model import Sampling
from surveyor.errors import UsageError
from surveyor.protocol.ask import ChatMessage
from surveyor.protocol.wire import clipped

__all__ = ["OWN_MODEL", "ChatParameterError", "CompletionRequest", "read_completion_request"]

OWN_MODEL = "surveyor"
MAX_STOPS = 4
_LARGEST = (1 << 63) - 1
_ROLES: dict[str, Literal["system", "user", "assistant"]] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
}  # fmt: skip
"""Roles of messages that are told to a model; `developer` is the newer name of `system`."""
_TOOL_ROLES = frozenset({"tool", "function"})
_WITHOUT_EFFECT = frozenset(
    ("metadata", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_retention",
     "safety_identifier", "service_tier", "store", "tool_choice", "function_call", "user")
)  # fmt: skip
"""Parameters that change nothing of an answer, or only with others that are told."""
_AT = re.compile(r" - at `\$\.?([^`]*)`$")
_NAME = re.compile(r"[\w-]{1,40}", re.ASCII)

_Limit = Annotated[int, msgspec.Meta(ge=1, le=_LARGEST)]
_Penalty = Annotated[float, msgspec.Meta(ge=-2, le=2)]


class ChatParameterError(UsageError):
    """A parameter of a request for a chat completion that cannot be served."""

    def __init__(self, message: str, parameter: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.parameter = parameter


class _TextPart(msgspec.Struct):
    type: str = "text"
    text: str = ""


class _ChatPrompt(msgspec.Struct):
    role: str
    content: str | list[_TextPart] | None = None

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.type == "text")

    @property
    def parts(self) -> list[_TextPart]:
        if isinstance(self.content, list):
            return self.content
        return [_TextPart(text=self.content)] if self.content else []


class _StreamOptions(msgspec.Struct):
    include_usage: bool = False


class _Given(msgspec.Struct):
    """What is taken of a request, as it is sent."""

    messages: list[_ChatPrompt]
    model: str = OWN_MODEL
    stream: bool | None = False
    stream_options: _StreamOptions | None = None
    n: int | None = None
    max_tokens: _Limit | None = None
    max_completion_tokens: _Limit | None = None
    """As `max_tokens`, whose newer name it is."""
    stop: str | Annotated[list[str], msgspec.Meta(max_length=MAX_STOPS)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    seed: Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)] | None = None
    presence_penalty: _Penalty | None = None
    frequency_penalty: _Penalty | None = None

    def sampling(self) -> Sampling:
        given = {name: getattr(self, name) for name in Sampling.__struct_fields__}
        given["max_tokens"] = self.max_completion_tokens or self.max_tokens
        return Sampling(**given)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What a request asks for."""

    model: str
    is_streamed: bool
    includes_usage: bool
    """The tokens are told at the end of a stream."""
    question: str
    """The last message of the user."""
    earlier: list[ChatMessage]
    """What was said before it, and what messages of the system lay down."""
    sampling: Sampling
    """How the model is to write."""
    left_aside: tuple[str, ...]
    """What was sent beside, by its names, and has no effect."""

    @property
    def unread(self) -> str:
        """What a person would miss of what was left aside, as a sentence; empty for nothing."""
        said = [_MISSED[name] for name in self.left_aside if name in _MISSED]
        return f"Left aside: {', '.join(dict.fromkeys(said))}." if said else ""


_MISSED = {
    "tools": "tools (none is called here)",
    "functions": "tools (none is called here)",
    "messages of tools": "what tools answered",
    "parts that are no text": "what is no text in earlier messages",
}


def read_completion_request(body: bytes) -> CompletionRequest:
    """What a request asks for. Raises `UsageError` for one that is none, and `ChatParameterError`
    for a parameter out of its range or one that an answer would have to follow, and cannot."""
    try:
        given = msgspec.json.decode(body)
        if not isinstance(given, dict):
            raise UsageError("this is no chat completion request: it is no object")
        asked = msgspec.convert(given, _Given)
    except msgspec.ValidationError as error:
        raise _invalid(str(error)) from None
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"this is no chat completion request: {error}") from None
    _refuse(given)
    last = _last_of_user(asked.messages)
    return CompletionRequest(
        model=asked.model,
        is_streamed=bool(asked.stream),
        includes_usage=asked.stream_options is not None and asked.stream_options.include_usage,
        question=asked.messages[last].text,
        earlier=[
            ChatMessage(role=_ROLES[message.role], content=message.text)
            for at, message in enumerate(asked.messages)
            if _ROLES.get(message.role) == "system"
            or (at < last and message.role in _ROLES and message.text)
        ],
        sampling=asked.sampling(),
        left_aside=tuple(dict.fromkeys(_left_aside(given, asked.messages))),
    )


def _invalid(said: str) -> UsageError:
    at = _AT.search(said)
    if at is None:
        return UsageError(f"this is no chat completion request: {said}")
    why = said[: at.start()]
    return ChatParameterError(f"this is no chat completion request: {at[1]}: {why}", at[1])


def _refuse(given: dict[str, Any]) -> None:
    """Raise `ChatParameterError` for what an answer would have to be, and is not here."""
    if given.get("n") not in (None, 1):
        said = f"n is {given['n']}, and there is one answer to a question"
        raise ChatParameterError(said, "n", "Leave n out.")
    for name in ("tool_choice", "function_call"):
        if given.get(name) not in (None, "none", "auto"):
            raise ChatParameterError(
                f"{name} says that a tool has to be called, and none is called here",
                name,
                f"Leave {name} out.",
            )
    form = given.get("response_format")
    if form is not None and form != {"type": "text"}:
        raise ChatParameterError(
            "response_format asks for another form than text, which is all that answers have here",
            "response_format",
            "Leave response_format out.",
        )
    if given.get("modalities") not in (None, [], ["text"]) or given.get("audio") is not None:
        raise ChatParameterError("answers are text, and have no sound", "modalities")
    if given.get("logprobs"):
        raise ChatParameterError(
            "logprobs are not known here", "logprobs", "Leave logprobs and top_logprobs out."
        )


def _last_of_user(messages: Sequence[_ChatPrompt]) -> int:
    """Which message is the question. Raises `ChatParameterError` where there is none, or one that
    is not only text."""
    for at, message in enumerate(messages):
        if message.role not in _ROLES and message.role not in _TOOL_ROLES:
            raise ChatParameterError(
                f"messages[{at}].role is {clipped(message.role)!r}",
                f"messages[{at}].role",
                f"One of: {', '.join((*_ROLES, *sorted(_TOOL_ROLES)))}.",
            )
    users = [at for at, message in enumerate(messages) if message.role == "user"]
    if not users:
        raise ChatParameterError("there is no message of the user", "messages")
    parts = messages[users[-1]].parts
    other = next((part.type for part in parts if part.type != "text"), None)
    if other is not None:
        raise ChatParameterError(
            f"the question has a part of the type {clipped(other)!r}, and only text is read here",
            f"messages[{users[-1]}].content",
        )
    return users[-1]


def _left_aside(given: dict[str, Any], messages: Sequence[_ChatPrompt]) -> Iterator[str]:
    known = {*_Given.__struct_fields__, *_WITHOUT_EFFECT}
    if given.get("tool_choice") == "none":
        known.add("tools")
    if given.get("function_call") == "none":
        known.add("functions")
    plain: dict[str, Any] = {"response_format": {"type": "text"}, "modalities": ["text"]}
    for name, value in given.items():
        if name not in known and value not in (None, False, [], {}) and value != plain.get(name):
            yield name if _NAME.fullmatch(name) else "a parameter without a proper name"
    if any(message.role in _TOOL_ROLES for message in messages):
        yield "messages of tools"
    if any(part.type != "text" for message in messages for part in message.parts):
        yield "parts that are no text"
