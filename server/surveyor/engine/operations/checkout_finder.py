"""Where a caller is, for what is kept beside the code: rules, documents, history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError
from surveyor.knowledge.anchors import AnchorFolder


class CheckoutFinder:
    """Finds the checkout of a caller, who may be where nothing is registered yet."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        copy_at: Callable[[str], Awaitable[Checkout | None]],
        register: Callable[[str], Awaitable[Checkout]],
    ) -> None:
        self._resolve = resolve
        self._copy_at = copy_at
        self._register = register

    async def of(self, cwd: str | None, project: str | None) -> AnchorFolder:
        """The caller's checkout. Raises `NotFoundError` where there is none."""
        checkout = await self._resolve(cwd, project)
        return AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)

    async def known(self, cwd: str | None, project: str | None) -> AnchorFolder | None:
        """The caller's checkout; None outside any project, unless one was named.

        A clone or worktree that nobody has opened yet has the rules of its repository, too.
        """
        if project is None and cwd is None:
            return None
        try:
            return await self.of(cwd, project)
        except NotFoundError:
            if project is not None or cwd is None:
                raise
            checkout = await self._copy_at(cwd)
            if checkout is None:
                return None
            return AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)

    async def registered(self, cwd: str | None, project: str | None) -> AnchorFolder:
        """The caller's checkout, registered if need be: a rule may come before the index."""
        try:
            return await self.of(cwd, project)
        except NotFoundError:
            folder = cwd if project is None else project
            if folder is None or (project is not None and not Path(project).is_dir()):
                raise  # a name that nothing has is not the folder that the caller is in
            checkout = await self._register(folder)
            return AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)
