"""Registered folders: which one a path or a name belongs to, and what is wanted of each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout, find_nearest
from surveyor.engine.projects.folder_looks import FolderLooks, does_not_answer
from surveyor.errors import FolderStalledError, NotFoundError, Quoting, UsageError
from surveyor.files import contained_paths
from surveyor.files.forbidden import is_never_read
from surveyor.paths import is_there
from surveyor.store.state import State
from surveyor.store.state import projects as rows
from surveyor.terminal_text import written_out

T = TypeVar("T")

NAMED = 10
"""Most projects that are named where another is meant."""


class ProjectRegistry:
    """The registry. Its rows are kept in memory until they change."""

    def __init__(self, state: State, wake: Callable[[], None]) -> None:
        """`wake` is called when there may be more to index than before."""
        self._state = state
        self._wake = wake
        self._known: dict[str, Checkout] | None = None
        self._hidden: frozenset[str] = frozenset()
        """Ids of what was registered once and is never for agents."""
        self._judged: dict[str, bool] = {}
        """Whether a root is never for agents: the system is asked once for each."""
        self._unjudged: set[str] = set()
        """Roots that did not answer when it was to be asked."""
        self._forgotten = 0
        self._naming = asyncio.Lock()
        self.looks = FolderLooks()
        """Whether the folders answer."""

    # --- looking up -----------------------------------------------------------------------

    async def all(self) -> list[Checkout]:
        """Every registered folder, by root; once ids that are just being changed have been.

        An agent does not see what is never read for one.
        """
        async with self._naming:
            if self._unjudged and not all(map(self.looks.is_stalled, self._unjudged)):
                self._known = None  # they answer again
            while self._known is None:
                as_of = self._forgotten
                found = await rows.all_checkouts(self._state)
                await self._judge([each.root for each in found])
                if as_of == self._forgotten:  # nothing was written while they were read
                    self._known = {each.checkout_id: each for each in found}
                    self._hidden = frozenset(
                        each.checkout_id for each in found if self._judged.get(each.root, True)
                    )
            hidden = self._hidden if boundary.reach() is not None else ()
            return [each for key, each in self._known.items() if key not in hidden]

    async def _judge(self, roots: Sequence[str]) -> None:
        """Ask the system once of each root whether it is never for agents; later, where the root
        does not answer: it is for nobody until then."""
        new = [root for root in roots if root not in self._judged]
        self._unjudged = await self.looks.stalled(new)
        for root in new:
            if root not in self._unjudged:
                try:
                    self._judged[root] = await self.looks.ask(
                        root, partial(is_never_read, Path(root))
                    )
                except FolderStalledError:
                    self._unjudged.add(root)

    async def ask(self, path: str, question: Callable[[], T]) -> T:
        """What the file system says of a path that somebody named: see `FolderLooks.ask`."""
        known = list((self._known or {}).values())
        below = (each.root for each in known if path.startswith(f"{each.root}/"))
        return await self.looks.ask(next(below, path), question)

    async def get(self, checkout_id: str) -> Checkout:
        """A checkout by id. Raises `NotFoundError`."""
        for checkout in await self.all():
            if checkout.checkout_id == checkout_id:
                return checkout
        raise NotFoundError(f"no registered folder has the id {checkout_id}")

    async def require_answering(self, *named: object) -> None:
        """Raise `FolderStalledError` where one of these, by which a caller may mean a checkout,
        names one whose folder does not answer. By their letters: to follow links is to ask."""
        given = [text.rstrip("/") for text in named if isinstance(text, str) and text]
        if not given:
            return
        for checkout in await self.all():
            root, names = checkout.root, (checkout.name, checkout.checkout_id, checkout.project_id)
            meant = any(t == root or t.startswith(f"{root}/") or t in names for t in given)
            if meant and not await self.looks.answers(root):
                raise does_not_answer(root)

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout that a caller means. Raises `NotFoundError` naming the known ones."""
        known = await self.all()
        if project:
            path = (
                str(await self.ask(project, partial(contained_paths.real, project)))
                if "/" in project
                else contained_paths.checked(project)
            )
            for checkout in known:
                if project in (checkout.checkout_id, checkout.project_id) or path == checkout.root:
                    return checkout
            named = [c for c in known if c.name == project]
            if len(named) == 1:
                return named[0]
            if named:
                raise UsageError(
                    f"{project!r} is the name of several projects: "
                    + ", ".join(c.root for c in named),
                    "Name one by its folder.",
                )
            if "/" not in project and (boundary.reach() is not None or not is_there(project)):
                raise _unknown(f"no project is called {contained_paths.shown(project)!r}", known)
            cwd = project
        if cwd is None:
            raise UsageError("no folder and no project given", "Name one.")
        for checkout in known:
            if cwd == checkout.root:  # as most callers have it; no folder need be looked at
                return checkout

        def check(path: str) -> tuple[Path, bool]:
            real = contained_paths.real(path)
            return real, is_there(real)

        real, there = await self.ask(cwd, partial(check, cwd))
        nearest = find_nearest(real, known)
        # Where a link leads, and what is outside, is not said to an agent.
        is_limited = boundary.reach() is not None
        said = contained_paths.shown(cwd) if is_limited else real
        if nearest is None:
            is_known_gone = not is_limited and not there
            wrong = f"there is no {said}" if is_known_gone else f"{said} is in no indexed project"
            raise _unknown(wrong, known)
        root = nearest.root
        if not is_limited and not there and await self.looks.ask(root, partial(is_there, root)):
            # Mistyped: the whole project in its place would answer what nobody asked.
            raise NotFoundError(f"there is no {said}", Quoting(f"{nearest.root} is indexed."))
        return nearest

    async def current(self, checkout: Checkout) -> Checkout | None:
        """The folder as it is known now: a gained remote may have changed its ids meanwhile."""
        known = await self.all()
        same = [each for each in known if each.checkout_id == checkout.checkout_id]
        same += [each for each in known if each.root == checkout.root]
        return same[0] if same else None

    # --- changing -------------------------------------------------------------------------

    @asynccontextmanager
    async def naming(self) -> AsyncIterator[None]:
        """While ids change or go, nobody is told of them. `all` is not to be called meanwhile."""
        async with self._naming:
            try:
                yield
            finally:
                self.forget()

    async def set_flags(
        self,
        checkout: Checkout,
        *,
        watched: bool | None = None,
        paused: bool | None = None,
    ) -> None:
        """Have a checkout followed or not, and indexed or not; None leaves it as it is."""
        wanted: dict[rows.Flag, bool | None] = {"watched": watched, "paused": paused}
        flags = {name: value for name, value in wanted.items() if value is not None}
        async with self._state.transaction() as tx:
            await rows.set_flags(tx, checkout.checkout_id, flags)
        self.forget()
        self._wake()

    async def set_active(self, checkout: Checkout, active: bool) -> None:
        """Mark a checkout with its parent and submodules as in use or not (seed 000)."""
        family = checkout.parent_checkout_id or checkout.checkout_id
        async with self._state.transaction() as tx:
            await rows.set_active(tx, family, active)
        self.forget()

    async def mark_missing(self, checkout: Checkout) -> None:
        """The root cannot be reached: keep everything, say so, and wait."""
        await self._set_missing(checkout, missing=True)

    async def found_again(self, checkout: Checkout) -> None:
        """A root that was missing can be reached."""
        if checkout.missing_since is not None:
            await self._set_missing(checkout, missing=False)

    async def _set_missing(self, checkout: Checkout, *, missing: bool) -> None:
        async with self._state.transaction() as tx:
            await rows.set_missing(tx, checkout.checkout_id, missing)
        self.forget()

    def forget(self) -> None:
        """The rows have changed: read them again."""
        self._known = None
        self._forgotten += 1


def _unknown(message: str, known: list[Checkout]) -> NotFoundError:
    roots = ", ".join(written_out(c.root) for c in known[:NAMED])
    roots += f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    hint = "Index it with `surveyor index PATH`."
    return NotFoundError(message, Quoting(f"{hint} Known: {roots}") if roots else hint)


__all__ = ["Checkout", "ProjectRegistry"]
