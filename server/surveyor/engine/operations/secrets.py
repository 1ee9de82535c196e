"""What is masked in a project's files, and allowing it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.projects.registry import Checkout
from surveyor.errors import SurveyorError
from surveyor.protocol.secrets import (
    AllowSecretRequest,
    DisallowSecretRequest,
    MaskedSecret,
    SecretsAllowedResponse,
    SecretsRequest,
    SecretsResponse,
)
from surveyor.secrets import allowed
from surveyor.secrets.allowed import Allowed
from surveyor.secrets.masking import find_all
from surveyor.store.state.sql_lists import batches, marks


async def attach(engine: Engine) -> None:
    """Mask what an earlier version stored, in the background."""
    engine.spawn(engine.remasking.run())


@operation(SecretsRequest)
async def secrets(engine: Engine, request: SecretsRequest, _: Call) -> SecretsResponse:
    """What is masked in the indexed files, as they are on disk now; never the values."""
    checkout = await engine.resolve(request.cwd, request.project)
    found = await asyncio.to_thread(_found, checkout.root, await _paths(engine, checkout))
    using = allowed.current()
    return SecretsResponse(
        root=checkout.root,
        secrets=found[: request.limit],
        more=max(0, len(found) - request.limit),
        allowed_fingerprints=sorted(using.fingerprints),
        allowed_paths=list(using.paths),
    )


@operation(AllowSecretRequest)
async def allow(engine: Engine, request: AllowSecretRequest, _: Call) -> SecretsAllowedResponse:
    """Leave a value or a file's values as they are from now on."""
    changed = allowed.current().with_(request.fingerprint, request.path)
    files = await _go_by(engine, changed, request.fingerprint, request.path)
    return SecretsAllowedResponse(
        message=f"{request.fingerprint or request.path} is not masked any more.", files=files
    )


@operation(DisallowSecretRequest)
async def disallow(
    engine: Engine, request: DisallowSecretRequest, _: Call
) -> SecretsAllowedResponse:
    """Mask again."""
    changed = allowed.current().without(request.fingerprint, request.path)
    files = await _go_by(engine, changed, request.fingerprint, request.path)
    if files:  # what was stored meanwhile
        engine.spawn(engine.remasking.wipe_when_settled())
    return SecretsAllowedResponse(
        message=f"{request.fingerprint or request.path} is masked again.", files=files
    )


async def _go_by(
    engine: Engine, changed: Allowed, fingerprint: str | None, pattern: str | None
) -> int:
    """Store what is allowed and read the files again that it concerns; how many there are."""
    try:
        await asyncio.to_thread(allowed.save, engine.data_dir, changed)
    except OSError as error:
        raise SurveyorError(
            f"{engine.data_dir / allowed.FILE} cannot be written: {error.strerror}"
        ) from error
    before = allowed.current()
    allowed.use(changed)
    engine.pool.change(engine.worker_setup())
    files = 0
    for checkout in await engine.projects.all():
        paths = await _paths(engine, checkout)
        if fingerprint is not None:
            found = await asyncio.to_thread(_found, checkout.root, paths)
            concerned = sorted({one.path for one in found if one.fingerprint == fingerprint})
        else:
            concerned = [path for path in paths if before.covers(path) != changed.covers(path)]
        await _read_again(engine, checkout, concerned)
        files += len(concerned)
    return files


async def _read_again(engine: Engine, checkout: Checkout, paths: list[str]) -> None:
    if not paths:
        return
    async with engine.writing(), engine.state.transaction() as tx:
        for part in batches(paths):
            await tx.execute(
                f"""UPDATE documents SET version = '' WHERE doc_id IN (SELECT doc_id FROM files
                    WHERE checkout_id = ? AND path IN ({marks(part)}))""",
                (checkout.checkout_id, *part),
            )
    await engine.index_freshness.count_stale()
    await engine.scanner.scan(checkout)


async def _paths(engine: Engine, checkout: Checkout) -> list[str]:
    rows = await engine.state.read(
        "SELECT path FROM files WHERE checkout_id = ? AND status = 'indexed' ORDER BY path",
        (checkout.checkout_id,),
    )
    return [str(row[0]) for row in rows]


def _found(root: str, paths: Iterable[str]) -> list[MaskedSecret]:
    using = allowed.current()
    found = []
    for path in paths:
        try:
            data = Path(root, path).read_bytes()
        except OSError:
            continue
        for one in find_all(data, path):
            fingerprint = using.fingerprint(data[one.start : one.end])
            found.append(
                MaskedSecret(
                    path=path,
                    line=data.count(b"\n", 0, one.start) + 1,
                    rule=one.rule,
                    fingerprint=fingerprint,
                    allowed=fingerprint in using.fingerprints or using.covers(path),
                )
            )
    return found
