"""Reading text: a chunk by its id, a file or a range of it by its path."""

from __future__ import annotations

import asyncio
import difflib
from pathlib import Path, PurePosixPath

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.projects.registry import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.files.inside import below, read_below, shown
from surveyor.protocol.search import RetrieveRequest, RetrieveResponse
from surveyor.secrets import mask_bytes

NEAR = 5
"""Most files that are named in place of one that is not there."""


@operation(RetrieveRequest)
async def retrieve(engine: Engine, request: RetrieveRequest, _: Call) -> RetrieveResponse:
    """The text of a chunk by id, or of a file or range by path."""
    if request.id is not None:
        return await _retrieve_chunk(engine, request)
    if request.path is None:
        raise UsageError("neither id nor path given", "Give one of them.")
    checkout = await engine.resolve(request.cwd, request.project)
    path = relative(checkout, request.path)
    text, version = await read_text(engine, checkout, path)
    return await _range(engine, checkout, path, text, version, request.start_line, request.end_line)


async def _retrieve_chunk(engine: Engine, request: RetrieveRequest) -> RetrieveResponse:
    for checkout in await engine.projects.all():
        overlaid = engine.overlays.chunk(checkout.checkout_id, request.id or "")
        if overlaid is not None:
            overlay, chunk = overlaid
            text, version = await read_text(engine, checkout, overlay.path)
            where = chunk.candidate
            return await _range(
                engine, checkout, overlay.path, text, version, where.start_line, where.end_line
            )
    row = await engine.state.one(
        """SELECT d.path, f.checkout_id, c.start_line, c.end_line FROM chunks c
           JOIN documents d USING (doc_id) JOIN files f USING (doc_id) WHERE c.point_id = ?""",
        (request.id,),
    )
    if row is None:
        raise NotFoundError(
            f"no chunk {request.id}", "It may have changed since: search again, or give a path."
        )
    checkout = await engine.projects.get(row["checkout_id"])
    text, version = await read_text(engine, checkout, row["path"])
    return await _range(
        engine, checkout, row["path"], text, version, row["start_line"], row["end_line"]
    )


async def _range(
    engine: Engine,
    checkout: Checkout,
    path: str,
    text: str,
    version: int | None,
    start: int,
    end: int | None,
) -> RetrieveResponse:
    lines = text.splitlines()
    last = min(end or len(lines), len(lines))
    if start < 1 or (lines and start > len(lines)):
        raise UsageError(f"{path} has {len(lines)} lines", f"Ask for lines 1 to {len(lines)}.")
    if lines and last < start:
        raise UsageError(f"line {end} comes before line {start}", "Ask for the earlier line first.")
    fresh = await engine.freshness(checkout)
    return RetrieveResponse(
        path=path,
        root=checkout.root,
        start_line=start,
        end_line=last,
        total_lines=len(lines),
        text="\n".join(lines[start - 1 : last]),
        unsaved_version=version,
        **fresh.freshness(),
    )


async def read_text(engine: Engine, checkout: Checkout, path: str) -> tuple[str, int | None]:
    """An indexed file's text: the unsaved buffer, else what is on disk.

    Raises `NotFoundError` for what the index does not hold: secrets and ignored files are not
    read for anybody.
    """
    buffer = engine.overlays.text(checkout.checkout_id, path)
    if buffer is not None:
        return buffer
    row = await engine.state.one(
        "SELECT status, reason FROM files WHERE checkout_id = ? AND path = ?",
        (checkout.checkout_id, path),
    )
    if row is None or row["status"] != "indexed":
        why = f" ({row['reason']})" if row is not None else ""
        error = NotFoundError(
            f"{shown(path)} is not in the index{why}",
            "See `surveyor status --skipped` for what is not.",
        )
        error.details["near"] = await _near(engine, checkout, path)
        raise error
    try:
        data = await asyncio.to_thread(read_below, Path(checkout.root), path)
    except OSError as error:
        raise NotFoundError(
            f"{path} cannot be read: {error.strerror}", "It may have changed: search again."
        ) from error
    # A key in the middle of code is shown to nobody either.
    return mask_bytes(data, path).decode("utf-8-sig", errors="replace"), None


async def _near(engine: Engine, checkout: Checkout, path: str) -> list[str]:
    """Indexed files that may have been meant: of that name elsewhere, or of one like it."""
    rows = await engine.state.read(
        "SELECT path FROM files WHERE checkout_id = ? AND status = 'indexed' ORDER BY path",
        (checkout.checkout_id,),
    )
    by_name: dict[str, list[str]] = {}
    for row in rows:
        by_name.setdefault(PurePosixPath(row["path"]).name.lower(), []).append(row["path"])
    wanted = PurePosixPath(path).name.lower()
    alike = difflib.get_close_matches(wanted, by_name, n=NEAR)
    found = [each for name in alike for each in by_name[name]]
    found.sort(key=lambda each: -difflib.SequenceMatcher(None, path, each).ratio())
    return found[:NEAR]


def relative(checkout: Checkout, path: str) -> str:
    """A path relative to the root. Raises `UsageError` for one outside it."""
    return below(Path(checkout.root), path)
