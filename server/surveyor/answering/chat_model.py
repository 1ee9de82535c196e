"""A model behind an address that speaks OpenAI's chat completions, read as it answers.

Ollama, llama-server, vLLM and others have this interface. Nothing is sent but to the address that
the user has set; redirects are not followed, and proxies of the environment are not used.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from surveyor.errors import SurveyorError
from surveyor.protocol.ask import ChatMessage

__all__ = ["ChatModel", "ChatModelError", "ContextTooLargeError"]

CONNECT_S = 5.0
MAX_ANSWER_CHARS = 200_000
MAX_LINE_CHARS = 1 << 20
MAX_ERROR_CHARS = 300
_TOO_LARGE = ("context", "too long", "too large", "maximum", "exceed")
"""What servers say of a prompt that does not fit."""


class ChatModelError(SurveyorError):
    """The model is away, refused, or broke off."""

    code = "model_unavailable"


class ContextTooLargeError(ChatModelError):
    """The prompt is longer than the model takes."""

    code = "context_too_large"


class _Delta(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    error: Any = None


class ChatModel:
    """One model at one address."""

    def __init__(self, endpoint: str, name: str, api_key: str | None, timeout_s: float) -> None:
        self._url = f"{endpoint.rstrip('/')}/chat/completions"
        self._name = name
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout_s = timeout_s

    @property
    def host(self) -> str:
        """Where text goes, without what a log should not have."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncIterator[str]:
        """The answer, piece by piece. Raises `ChatModelError`, also in the middle of it."""
        import httpx2  # loaded by whoever asks a model, and by nobody else

        body = {
            "model": self._name,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "stream": True,
        }
        timeout = httpx2.Timeout(self._timeout_s, connect=CONNECT_S)
        said = 0
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx2.AsyncClient(timeout=timeout, trust_env=False) as client,
                client.stream("POST", self._url, json=body, headers=self._headers) as response,
            ):
                if response.status_code != 200:
                    raise _refused(response.status_code, await _start_of(response), self.host)
                async for text in _texts(response.aiter_lines()):
                    said += len(text)
                    if said > MAX_ANSWER_CHARS:
                        raise ChatModelError(
                            f"the model's answer passed {MAX_ANSWER_CHARS} characters"
                        )
                    yield text
        except TimeoutError:
            raise ChatModelError(
                f"the model at {self.host} did not answer within {self._timeout_s:g} s",
                "`ask.timeout` is the limit.",
            ) from None
        except httpx2.TimeoutException:
            raise ChatModelError(f"the model at {self.host} did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            after = f" after {said} characters" if said else ""
            why = str(error) or type(error).__name__
            raise ChatModelError(
                f"no answer from the model at {self.host}{after}: {why}",
                "Is it running? `ask.endpoint` says where it is looked for.",
            ) from None


async def _start_of(response: Any) -> str:
    data = b""
    async for part in response.aiter_bytes():
        data += part
        if len(data) > 4 * MAX_ERROR_CHARS:
            break
    return data.decode("utf-8", "replace")


def _refused(status: int, said: str, host: str) -> ChatModelError:
    text = " ".join(said.split())[:MAX_ERROR_CHARS]
    if status in (400, 413, 422) and any(word in text.lower() for word in _TOO_LARGE):
        return ContextTooLargeError(f"the question is too long for the model at {host}: {text}")
    hint = "Set `ask.api_key`." if status in (401, 403) else ""
    if status == 404:
        hint = "The endpoint is what is before `/chat/completions`; `ask.model` names the model."
    return ChatModelError(f"the model at {host} answered {status}: {text}", hint)


async def _texts(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """The texts of server-sent events. Raises `ChatModelError` where they end too soon."""
    plain: list[str] = []
    async for line in lines:
        if len(line) > MAX_LINE_CHARS:
            raise ChatModelError("the model's answer has a line without end")
        if not line.startswith("data:"):
            plain += [line] if line.strip() and not line.startswith((":", "event:", "id:")) else []
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            return
        for text in _of(data):
            yield text
    if not plain:
        raise ChatModelError("the model broke off in the middle of its answer")
    for text in _of("\n".join(plain)):  # it does not stream
        yield text


def _of(data: str) -> list[str]:
    try:
        chunk = msgspec.json.decode(data, type=_Chunk)
    except msgspec.MsgspecError as error:
        raise ChatModelError(f"what the model answers is no chat completion: {error}") from None
    if chunk.error:
        raise ChatModelError(f"the model says: {str(chunk.error)[:MAX_ERROR_CHARS]}")
    said = [each.delta or each.message for each in chunk.choices[:1]]
    return [each.content for each in said if each is not None and each.content]
