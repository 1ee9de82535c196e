"""Where a search looks: the checkouts, and folders in them, that a request means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.engine.operations.engine_callables import AllCheckouts, ResolveCheckout
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.paths import real_path
from surveyor.protocol.search import SearchRequest
from surveyor.search.scope import SearchTarget
from surveyor.store.vectors.contract import Space

APART = frozenset(("libraries", "rules", "notes"))
"""What there is outside of any project, too."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched: checkouts, each whole or a folder in it (with a slash at its end)."""

    folders: tuple[tuple[Checkout, str], ...]
    unknown: tuple[str, ...] = ()
    """Asked for beside them, and in no indexed project."""

    @property
    def checkouts(self) -> list[Checkout]:
        """Each once."""
        return list({each.checkout_id: each for each, _ in self.folders}.values())

    @property
    def prefix(self) -> str:
        """The folder, where there is only one."""
        return self.folders[0][1] if len(self.folders) == 1 else ""


class ScopeFinder:
    """Finds the checkouts and folders that a search request covers."""

    def __init__(self, resolve: ResolveCheckout, checkouts: AllCheckouts) -> None:
        self._resolve = resolve
        self._checkouts = checkouts

    async def of(self, request: SearchRequest) -> Scope:
        """Where to search. Raises `SurveyorError` when nothing of it is known."""
        known = await self._checkouts()
        if request.scope == "all":
            return Scope(tuple((each, "") for each in known))
        if request.projects and request.scope == "current":
            return await self._several(request.projects)
        try:
            current = await self._resolve(request.cwd, request.project)
        except NotFoundError:
            if request.project is not None or not APART.issuperset(request.corpora):
                raise
            return Scope(())
        if request.scope == "other":
            others = [each for each in known if each.checkout_id != current.checkout_id]
            return Scope(tuple((each, "") for each in others))
        cwd = request.cwd if request.project is None else None
        return Scope(((current, _folder_in(current, cwd)),))

    async def _several(self, names: Sequence[str]) -> Scope:
        """Projects, or folders in them: those that are known, and none that lies in another one."""
        found: dict[tuple[str, str], tuple[Checkout, str]] = {}
        unknown: dict[str, SurveyorError] = {}
        for name in dict.fromkeys(names):  # a program may send one thousands of times
            try:
                checkout = await self._resolve(name, name)
            except SurveyorError as error:
                unknown[name] = error
                continue
            prefix = _folder_in(checkout, name if "/" in name else None)
            found[checkout.checkout_id, prefix] = (checkout, prefix)
        if unknown and not found:
            raise next(iter(unknown.values()))
        folders = tuple(
            (checkout, prefix)
            for checkout, prefix in found.values()
            if not any(
                prefix != other and prefix.startswith(other)
                for whose, other in found
                if whose == checkout.checkout_id
            )
        )
        return Scope(folders, tuple(unknown))


def _folder_in(checkout: Checkout, folder: str | None) -> str:
    """A folder relative to the root, with a slash at its end; empty for all of the checkout."""
    if folder in (None, checkout.root):
        return ""
    inside = real_path(Path(folder).expanduser())
    if str(inside) == checkout.root or not inside.is_dir():
        return ""
    return inside.relative_to(checkout.root).as_posix() + "/"


def place_in(
    checkout: Checkout, space: Space, branch: str | None = None, prefix: str = ""
) -> SearchTarget:
    """Where the searcher looks: a space of a checkout, or the folder `prefix` in it."""
    return SearchTarget(
        checkout_id=checkout.checkout_id,
        project_id=checkout.project_id,
        root=checkout.root,
        project=checkout.name,
        branch=checkout.branch,
        space=space,
        other_branch=branch if branch not in (None, checkout.branch) else None,
        prefix=prefix,
    )
