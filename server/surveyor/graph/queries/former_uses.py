"""What a diff took away was used for: uses as they would be followed if it were still there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from surveyor.graph.facts import name_hash
from surveyor.graph.jobs import FormerUse, GraphJob
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.lookup import StoredGraph, language_of_path
from surveyor.graph.resolve.certainty import FOLLOWED_SCORE
from surveyor.store.state.graph.documents import files_with_any

__all__ = ["FormerDefinition", "FormerUses", "family_of", "files_naming", "find_former_uses"]

MAX_FILES = 400
"""Files that name what is gone and are resolved again: about a second of a worker's."""
_COMPOUND = re.compile(r"[a-z\d][A-Z_]|[a-zA-Z]_[a-zA-Z]")
"""A name of several words."""
_UNTYPED = frozenset({"python", "javascript", "ruby", "php"})
"""Where the type of a value is hardly ever written, be it the project's or a library's."""
_FORMER = msgspec.msgpack.Decoder(list[FormerUse])

Place = tuple[str, int, int]
"""Path, line and column."""


class FormerDefinition(NamedTuple):
    """A definition that is gone."""

    path: str
    qualname: str
    graph: bytes
    """Of its file as it was, encoded."""
    is_bare: bool = False
    """Whether it is named without what has it, as members of C's enumerations are."""

    @property
    def name(self) -> str:
        """As it is called."""
        return self.qualname.rpartition(".")[2]


class FormerUses(NamedTuple):
    """Places by the path and qualified name of what they meant, with how sure that is."""

    places: Mapping[tuple[str, str], Mapping[Place, float]] = {}
    left: int = 0
    """Files that may have more, and were not looked at."""


async def find_former_uses(
    stored: StoredGraph,
    gone: Sequence[FormerDefinition],
    job: GraphJob,
    run: Callable[[GraphJob], Awaitable[bytes]],
) -> FormerUses:
    """Who used definitions that are gone, by what is stored of the users now.

    `job` says of which checkout. Of the files that name what is gone those are looked at first
    that import its file, then those near it.
    """
    paths = await files_naming(stored, {each.name for each in gone}, [each.path for each in gone])
    if not paths:
        return FormerUses()
    qualnames: dict[str, list[str]] = {}
    for each in gone:
        qualnames.setdefault(each.path, []).append(each.qualname)
    former = msgspec.structs.replace(
        job,
        kind="former",
        paths=paths[:MAX_FILES],
        buffers={each.path: each.graph for each in gone},
        gone=qualnames,
    )
    bare = {(each.path, each.qualname) for each in gone if each.is_bare}
    places: dict[tuple[str, str], dict[Place, float]] = {}
    for use in _FORMER.decode(await run(former)):
        owner = use.qualname.rpartition(".")[0]
        is_whole = owner in qualnames.get(use.gone_path, ())  # where it was made is told already
        is_told = not is_whole and _is_telling(use)
        if use.score < FOLLOWED_SCORE and not is_told and (use.gone_path, use.qualname) not in bare:
            continue  # a value of another library's type may have a member of that name
        of = places.setdefault((use.gone_path, use.qualname), {})
        place = use.path, use.line, use.column
        of[place] = max(use.score, of.get(place, 0.0))
    return FormerUses(places, max(0, len(paths) - MAX_FILES))


async def files_naming(
    stored: StoredGraph, names: Collection[str], paths: Collection[str]
) -> list[str]:
    """Files that name one of these, of the languages of some files; where there are too many, first
    those that import these, then those beside them."""
    if not names:
        return []
    hashes = list({name_hash(name) for name in names})
    families = {family_of(path) for path in paths}
    naming = await files_with_any(stored.state, stored.checkout_id, hashes)
    found = [path for path, _ in naming if family_of(path) in families]
    if len(found) <= MAX_FILES:
        return found
    near = {path.rpartition("/")[0] for path in paths}
    importing: set[str] = set()
    for path in set(paths):
        if (file := await stored.file(path)) is not None:
            users = await stored.files(await stored.importing(file.file_id))
            importing.update(user.path for user in users.values())
    return sorted(
        found, key=lambda path: (path not in importing, path.rpartition("/")[0] not in near)
    )


def _is_telling(use: FormerUse) -> bool:
    """Whether a member that the project has once, called on a value of unknown type, is meant for
    its name alone."""
    name = use.qualname.rpartition(".")[2]
    return language_of_path(use.path) in _UNTYPED and _COMPOUND.search(name) is not None


def family_of(path: str) -> str:
    """Languages of one family, or of one platform, see each other's names."""
    traits = traits_of(language_of_path(path) or "")
    return traits.platform or traits.family
