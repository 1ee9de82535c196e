"""Which folders are worked in: a session's roots are active for as long as it lasts."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from surveyor.errors import SurveyorError

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.process.sessions import Session
    from surveyor.engine.projects.registry import Checkout


class Activity:
    """One engine's."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._roots: dict[str, list[Checkout]] = {}
        """By session."""

    @property
    def any(self) -> bool:
        """Whether somebody works somewhere."""
        return any(self._roots.values())

    async def opened(self, session: Session) -> None:
        """Its roots become active; unknown ones are registered and indexed by the face's wish."""
        self._engine.touch()
        for root in session.hello.roots:
            with contextlib.suppress(SurveyorError):
                await self.begin(session, await self._engine.projects.resolve(cwd=root))

    async def changed(self, session: Session, roots: list[str]) -> None:
        """Its folders are now these: what left them is not worked in any more."""
        session.hello.roots = roots
        now: dict[str, Checkout] = {}
        for root in roots:
            with contextlib.suppress(SurveyorError):
                checkout = await self._engine.projects.resolve(cwd=root)
                now[checkout.root] = checkout
        held = self._roots.get(session.id, [])
        self._roots[session.id] = [each for each in held if each.root in now]
        await self._end([each for each in held if each.root not in now])
        for checkout in now.values():
            await self.begin(session, checkout)

    async def begin(self, session: Session | None, checkout: Checkout) -> None:
        """A session works in this checkout from now on."""
        engine = self._engine
        if session is not None and session.hello.client in ("lsp", "mcp"):
            held = self._roots.setdefault(session.id, [])
            if all(c.root != checkout.root for c in held):
                held.append(checkout)
                await engine.projects.set_active(checkout, active=True)
                engine.searcher.prepare(checkout.checkout_id)
                if session.hello.client == "lsp":
                    engine.spawn(engine.symbol_index.prepare(checkout))

    async def closed(self, session: Session) -> None:
        """Whatever ended the connection, its activity ends with it."""
        engine = self._engine
        engine.touch()
        engine.overlays.drop_owner(session.id)
        await self._end(self._roots.pop(session.id, []))

    async def _end(self, held: list[Checkout]) -> None:
        """Some session has left these; another one may still be in them."""
        engine = self._engine
        still = {c.root for roots in self._roots.values() for c in roots}
        for checkout in held:
            if checkout.root not in still and not engine.stopping.is_set():
                with contextlib.suppress(Exception):
                    now = await engine.projects.current(checkout)
                    if now is not None:
                        await engine.projects.set_active(now, active=False)
