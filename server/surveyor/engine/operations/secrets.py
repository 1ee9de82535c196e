"""What is masked in a project's files, and allowing it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import (
    AllCheckouts,
    ResolveCheckout,
    ScanCheckout,
    SpawnTask,
)
from surveyor.engine.projects.checkouts import Checkout
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
from surveyor.secrets.allowed import AllowedSecrets
from surveyor.secrets.masking import find_all
from surveyor.store.state import State
from surveyor.store.state.files import indexed_paths, mark_outdated


class SecretOperations:
    """What is masked in a project's files, and allowing it."""

    def __init__(
        self,
        state: State,
        data_dir: Path,
        resolve: ResolveCheckout,
        checkouts: AllCheckouts,
        count_stale: Callable[[], Awaitable[None]],
        scan: ScanCheckout,
        writing: Callable[[], AbstractAsyncContextManager[None]],
        mask_anew: Callable[[], None],
        wipe_when_settled: Callable[[], Coroutine[Any, Any, None]],
        spawn: SpawnTask,
    ) -> None:
        self._state = state
        self._data_dir = data_dir
        self._resolve = resolve
        self._checkouts = checkouts
        self._count_stale = count_stale
        self._scan = scan
        self._writing = writing
        self._mask_anew = mask_anew
        self._wipe_when_settled = wipe_when_settled
        self._spawn = spawn

    @operation(SecretsRequest)
    async def secrets(self, request: SecretsRequest, _: Caller) -> SecretsResponse:
        """What is masked in the indexed files, as they are on disk now; never the values."""
        checkout = await self._resolve(request.cwd, request.project)
        found = await asyncio.to_thread(_found, checkout.root, await self._paths(checkout))
        using = allowed.current()
        return SecretsResponse(
            root=checkout.root,
            secrets=found[: request.limit],
            more=max(0, len(found) - request.limit),
            allowed_fingerprints=sorted(using.fingerprints),
            allowed_paths=list(using.paths),
        )

    @operation(AllowSecretRequest)
    async def allow(self, request: AllowSecretRequest, _: Caller) -> SecretsAllowedResponse:
        """Leave a value or a file's values as they are from now on."""
        changed = allowed.current().with_(request.fingerprint, request.path)
        files = await self._go_by(changed, request.fingerprint, request.path)
        return SecretsAllowedResponse(
            message=f"{request.fingerprint or request.path} is not masked any more.", files=files
        )

    @operation(DisallowSecretRequest)
    async def disallow(self, request: DisallowSecretRequest, _: Caller) -> SecretsAllowedResponse:
        """Mask again."""
        changed = allowed.current().without(request.fingerprint, request.path)
        files = await self._go_by(changed, request.fingerprint, request.path)
        if files:  # what was stored meanwhile
            self._spawn(self._wipe_when_settled())
        return SecretsAllowedResponse(
            message=f"{request.fingerprint or request.path} is masked again.", files=files
        )

    async def _go_by(
        self, changed: AllowedSecrets, fingerprint: str | None, pattern: str | None
    ) -> int:
        """Store what is allowed and read the files again that it concerns; how many there are."""
        try:
            await asyncio.to_thread(allowed.save, self._data_dir, changed)
        except OSError as error:
            raise SurveyorError(
                f"{self._data_dir / allowed.FILE} cannot be written: {error.strerror}"
            ) from error
        before = allowed.current()
        allowed.use(changed)
        self._mask_anew()
        files = 0
        for checkout in await self._checkouts():
            paths = await self._paths(checkout)
            if fingerprint is not None:
                found = await asyncio.to_thread(_found, checkout.root, paths)
                concerned = sorted({one.path for one in found if one.fingerprint == fingerprint})
            else:
                concerned = [path for path in paths if before.covers(path) != changed.covers(path)]
            await self._read_again(checkout, concerned)
            files += len(concerned)
        return files

    async def _read_again(self, checkout: Checkout, paths: list[str]) -> None:
        if not paths:
            return
        async with self._writing(), self._state.transaction() as tx:
            await mark_outdated(tx, checkout.checkout_id, paths)
        await self._count_stale()
        await self._scan(checkout)

    async def _paths(self, checkout: Checkout) -> list[str]:
        return await indexed_paths(self._state, checkout.checkout_id)


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
