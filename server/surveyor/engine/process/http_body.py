"""What a request over HTTP brings, as far as it is taken."""

from __future__ import annotations

from starlette.requests import Request

__all__ = ["body_of"]


async def body_of(request: Request, most: int) -> bytes | None:
    """The body; `None` for one that is too long, of which no more than `most` bytes are read."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and (len(announced) > 18 or int(announced) > most):
        return None
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)
