"""Which folders are worked in: a session's roots are active for as long as it lasts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import SurveyorError
from surveyor.search.pipeline import Searcher


class Activity:
    """The checkouts that sessions work in; what is asked of them first is made ready."""

    def __init__(
        self,
        lifetime: Lifetime,
        projects: ProjectRegistry,
        editor_buffers: EditorBuffers,
        searcher: Searcher,
        symbol_index: SymbolIndex,
        tasks: BackgroundTasks,
    ) -> None:
        self._lifetime = lifetime
        self._projects = projects
        self._editor_buffers = editor_buffers
        self._searcher = searcher
        self._symbol_index = symbol_index
        self._tasks = tasks
        self._roots: dict[str, list[Checkout]] = {}
        """By session."""
        self.closed_hooks: list[Callable[[str], None]] = []
        """Told of the id of each session that has ended."""

    @property
    def any(self) -> bool:
        """Whether somebody works somewhere."""
        return any(self._roots.values())

    async def opened(self, session: Session) -> None:
        """Its roots become active; unknown ones are registered and indexed by the face's wish."""
        self._lifetime.touch()
        for root in session.hello.roots:
            with contextlib.suppress(SurveyorError):
                await self.begin(session, await self._projects.resolve(cwd=root))

    async def changed(self, session: Session, roots: list[str]) -> None:
        """Its folders are now these: what left them is not worked in any more."""
        session.hello.roots = roots
        now: dict[str, Checkout] = {}
        for root in roots:
            with contextlib.suppress(SurveyorError):
                checkout = await self._projects.resolve(cwd=root)
                now[checkout.root] = checkout
        held = self._roots.get(session.id, [])
        self._roots[session.id] = [each for each in held if each.root in now]
        await self._end([each for each in held if each.root not in now])
        for checkout in now.values():
            await self.begin(session, checkout)

    async def begin(self, session: Session | None, checkout: Checkout) -> None:
        """A session works in this checkout from now on."""
        if session is not None and session.hello.client in ("lsp", "mcp"):
            held = self._roots.setdefault(session.id, [])
            if all(c.root != checkout.root for c in held):
                held.append(checkout)
                await self._projects.set_active(checkout, active=True)
                self._searcher.prepare(checkout.checkout_id)
                if session.hello.client == "lsp":
                    self._tasks.spawn(self._symbol_index.prepare(checkout))

    async def closed(self, session: Session) -> None:
        """Whatever ended the connection, its activity ends with it."""
        self._lifetime.touch()
        self._editor_buffers.drop_owner(session.id)
        for hook in self.closed_hooks:
            hook(session.id)
        await self._end(self._roots.pop(session.id, []))

    async def _end(self, held: list[Checkout]) -> None:
        """Some session has left these; another one may still be in them."""
        still = {c.root for roots in self._roots.values() for c in roots}
        for checkout in held:
            if checkout.root not in still and not self._lifetime.stopping.is_set():
                with contextlib.suppress(Exception):
                    now = await self._projects.current(checkout)
                    if now is not None:
                        await self._projects.set_active(now, active=False)
