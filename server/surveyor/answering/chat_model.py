"""A model behind an address that speaks OpenAI's chat completions, read as it answers.

Ollama, llama-server, vLLM and others have this interface. Nothing is sent but to the address that
the user has set; redirects are not followed, and proxies of the environment are not used.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from surveyor.errors import SurveyorError
from surveyor.protocol.ask import ChatMessage
from surveyor.units import counted

__all__ = ["ChatModel", "ChatModelError", "ContextTooLargeError", "Sampling", "without_thoughts"]

CONNECT_S = 5.0
MAX_ANSWER_CHARS = 200_000
MAX_LINE_BYTES = 2 << 20
"""Of one event, and of an answer that is not streamed: each character may be escaped in six."""
MAX_ERROR_CHARS = 300
THOUGHTS = ("<think>", "</think>")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_TOO_LARGE = ("context", "too long", "too large", "maximum", "exceed")
"""What servers say of a prompt that does not fit."""


class ChatModelError(SurveyorError):
    """The model is away, refused, or broke off."""

    code = "model_unavailable"


class ContextTooLargeError(ChatModelError):
    """The prompt is longer than the model takes."""

    code = "context_too_large"


class Sampling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a model is to write, as who asks wishes; what is not said is the model's own matter."""

    max_tokens: int | None = None
    stop: str | list[str] | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    error: Any = None


class ChatModel:
    """One model at one address."""

    def __init__(self, endpoint: str, name: str, api_key: str | None, timeout_s: float) -> None:
        self._url = f"{endpoint.rstrip('/')}/chat/completions"
        self._name = name
        # Compressed, a few bytes could be any number.
        self._headers = {"Accept-Encoding": "identity"}
        self._key = key = api_key or ""
        self._has_bad_key = not (key.isascii() and key.isprintable())
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._timeout_s = timeout_s
        self.finish_reason = "stop"
        """Why the last answer ended, as the model says: `length` where it had no more room,
        `content_filter` where it was not let."""

    @property
    def host(self) -> str:
        """Where text goes, without what a log should not have."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"

    async def stream(
        self, messages: Sequence[ChatMessage], sampling: Sampling | None = None
    ) -> AsyncIterator[str]:
        """The answer, piece by piece. Raises `ChatModelError`, also in the middle of it."""
        if self._has_bad_key:
            raise ChatModelError("`ask.api_key` has a character that no header can have")
        import httpx2  # loaded by whoever asks a model, and by nobody else

        body = {
            "model": self._name,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "stream": True,
            **msgspec.to_builtins(sampling or Sampling()),
        }
        self.finish_reason = "stop"
        timeout = httpx2.Timeout(self._timeout_s, connect=CONNECT_S)
        said = 0
        until = asyncio.get_running_loop().time() + self._timeout_s
        try:
            async with (
                httpx2.AsyncClient(timeout=timeout, trust_env=False) as client,
                _Answer(client, self._url, self._headers, body, until) as answer,
            ):
                if answer.status != 200:
                    said_why = await _start_of(answer)
                    if self._key:  # some servers repeat it
                        said_why = said_why.replace(self._key, "***")
                    raise _refused(answer.status, said_why, self.host)
                async for text in without_thoughts(self._texts(_lines(answer.parts()))):
                    said += len(text)
                    if said > MAX_ANSWER_CHARS:
                        raise ChatModelError(
                            f"the model's answer passed {MAX_ANSWER_CHARS} characters"
                        )
                    yield text
                if not said:
                    raise ChatModelError(
                        "the model answered without a text",
                        "`ask.timeout` and the model's own"
                        " limits decide how long it may think before it writes.",
                    )
        except TimeoutError:
            raise ChatModelError(
                f"the model at {self.host} did not answer within {self._timeout_s:g} s",
                "`ask.timeout` is the limit.",
            ) from None
        except httpx2.TimeoutException:
            raise ChatModelError(f"the model at {self.host} did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            after = f" after {counted(said, 'character')}" if said else ""
            why = str(error) or type(error).__name__
            raise ChatModelError(
                f"no answer from the model at {self.host}{after}: {why}",
                "Is it running? `ask.endpoint` says where it is looked for.",
            ) from None

    async def _texts(self, lines: AsyncIterator[str]) -> AsyncIterator[str]:
        """The texts of server-sent events. Raises `ChatModelError` where they end too soon."""
        plain: list[str] = []
        left = MAX_LINE_BYTES
        is_finished = False
        async for line in lines:
            if not line.startswith("data:"):
                is_said = line.strip() and not line.startswith((":", "event:", "id:"))
                plain += [line] if is_said else []
                left -= len(line) if plain else 0
                if left < 0:
                    raise ChatModelError("the model's answer is no chat completion, and has no end")
                continue
            data = line.removeprefix("data:").strip()
            if data == "[DONE]":
                return
            chunk = _chunk(data)
            is_finished = self._is_finished(chunk) or is_finished
            for text in _said(chunk):
                yield text
        if is_finished:  # some servers leave the last event out
            return
        if not plain:
            raise ChatModelError("the model broke off in the middle of its answer")
        whole = _chunk("\n".join(plain))  # it does not stream
        self._is_finished(whole)
        for text in _said(whole):
            yield text

    def _is_finished(self, chunk: _Chunk) -> bool:
        reason = next(
            (each.finish_reason for each in chunk.choices or () if each.finish_reason), ""
        )
        if reason in ("length", "content_filter"):
            self.finish_reason = reason
        return bool(reason)


class _Answer:
    """What a server answers, until a time.

    The time is not counted around what is done with the answer: a reader that is slow to take it
    would be cancelled in the place of the server.
    """

    def __init__(
        self, client: Any, url: str, headers: dict[str, str], body: object, until: float
    ) -> None:
        self._request = client.build_request("POST", url, json=body, headers=headers)
        self._client = client
        self._until = until
        self._response: Any = None

    async def __aenter__(self) -> _Answer:
        async with asyncio.timeout_at(self._until):
            self._response = await self._client.send(self._request, stream=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._response.aclose()

    @property
    def status(self) -> int:
        return int(self._response.status_code)

    @property
    def coding(self) -> str:
        """What it is compressed with; empty where it is as it was asked for."""
        coding = str(self._response.headers.get("content-encoding", "")).strip().lower()
        return "" if coding == "identity" else coding[:40]

    async def parts(self) -> AsyncIterator[bytes]:
        """Its bytes, as they come. Raises `ChatModelError` where they are compressed."""
        if self.coding:
            raise ChatModelError(
                f"the model's answer is in {self.coding!r}, and nobody asked for that"
            )
        parts = self._response.aiter_raw()
        while True:
            async with asyncio.timeout_at(self._until):
                part = await anext(parts, None)
            if part is None:
                return
            yield part


async def without_thoughts(texts: AsyncIterator[str]) -> AsyncIterator[str]:
    """An answer without what some models write first between `<think>` and `</think>`."""
    opening, closing = THOUGHTS
    begun, thinks, is_open = "", False, True
    async for text in texts:
        if not is_open:
            yield text
            continue
        begun += text
        if not thinks:
            begun = begun.lstrip()
            if opening.startswith(begun):
                continue
            thinks = begun.startswith(opening)
        if thinks:
            _, closed, rest = begun.partition(closing)
            begun = rest.lstrip() if closed else begun[-len(closing) :]
            if not closed:
                continue
            thinks = False
            if not begun:  # blank lines may follow before the answer
                continue
        is_open = False
        yield begun
    if is_open and begun and not thinks:
        yield begun


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Lines that end as those of events do: within JSON, other ends of lines are characters."""
    rest = bytearray()
    async for part in parts:
        rest += part
        if b"\n" in part or b"\r" in part:
            *whole, last = _LINE_END.split(bytes(rest))
            rest = bytearray(last)
            for line in whole:
                yield line.decode("utf-8", "replace")
        if len(rest) > MAX_LINE_BYTES:
            raise ChatModelError("the model's answer has a line without end")
    if rest:
        yield rest.decode("utf-8", "replace")


async def _start_of(answer: _Answer) -> str:
    if answer.coding:
        return ""
    data = b""
    async for part in answer.parts():
        data += part
        if len(data) > 4 * MAX_ERROR_CHARS:
            break
    return data.decode("utf-8", "replace")


def _refused(status: int, said: str, host: str) -> ChatModelError:
    text = " ".join(_message_in(said).split())[:MAX_ERROR_CHARS]
    is_told = status in (400, 422) and any(word in said.lower() for word in _TOO_LARGE)
    if is_told or status == 413:
        return ContextTooLargeError(f"the question is too long for the model at {host}: {text}")
    hint = "Set `ask.api_key`." if status in (401, 403) else ""
    if status == 404:
        hint = "The endpoint is what is before `/chat/completions`; `ask.model` names the model."
    if status == 429:
        hint = "It takes no more questions for now: ask again later."
    if 300 <= status < 400:
        hint = "Redirects are not followed: set `ask.endpoint` to where it answers itself."
    why = f": {text}" if text else ""
    return ChatModelError(f"the model at {host} answered {status}{why}", hint)


def _message_in(said: str) -> str:
    """The sentence of an error as servers put it into JSON; else what was said."""
    try:
        told = msgspec.json.decode(said)
    except (msgspec.MsgspecError, RecursionError):
        return said
    for key in ("error", "detail", "message"):
        if isinstance(told, dict) and told.get(key):
            told = told[key]
    return told if isinstance(told, str) else said


def _chunk(data: str) -> _Chunk:
    try:
        chunk = msgspec.json.decode(data, type=_Chunk)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ChatModelError(f"what the model answers is no chat completion: {error}") from None
    if chunk.error:
        said = msgspec.json.encode({"error": chunk.error}).decode()
        raise ChatModelError(f"the model says: {_message_in(said)[:MAX_ERROR_CHARS]}")
    return chunk


def _said(chunk: _Chunk) -> list[str]:
    """The text of a chunk's first choice. Raises `ChatModelError` where the model refuses."""
    said = [each.delta or each.message for each in (chunk.choices or ())[:1]]
    for each in said:
        if each is not None and each.refusal:
            raise ChatModelError(f"the model refuses: {each.refusal[:MAX_ERROR_CHARS]}")
    return [each.content for each in said if each is not None and each.content]
