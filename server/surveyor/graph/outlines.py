"""What other files can see of a file, as a hash by name.

Where a hash differs from the one before, files that use the name are resolved again; one that
differs for nothing is paid for by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from zlib import crc32

from surveyor.graph.expressions.keys import of_arity, parse_detail, result_of
from surveyor.graph.facts import FileFacts, ImportLink
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.readers import PROJECT
from surveyor.graph.resolve.values import CALLABLE_KINDS, NAMESPACE_KINDS, TYPE_KINDS

__all__ = ["IMPORTS", "IS_CALLED", "IS_IMPORTED", "IS_MEMBER", "outline_of"]

IMPORTS = "#imports"
"""Under this, which is no name, the hash of what a file imports, where names are seen by import
alone."""
IS_IMPORTED = 1 << 32
"""Added to a hash where only files that import this one, themselves or through others, can mean
what it has under the name; but for guesses from a member's name."""
IS_MEMBER = 1 << 33
"""Added where the name is a member's: what is guessed of a receiver that is not known."""
IS_CALLED = 1 << 34
"""Added where it is a function's or a method's."""

_WORD = re.compile(r"[^\W\d]\w*")


def outline_of(facts: FileFacts) -> dict[str, int]:
    """A hash by name of everything that other files can see of a file under that name; under
    `PROJECT` of what it imports for all others, and under `IMPORTS` of what it imports at all."""
    links = _OwnImports(facts) if traits_of(facts.language).private_imports else None
    seen: dict[str, list[str]] = {}
    for name, what, said in _definitions(facts):
        meant = links.meant_by(said) if links is not None else ()
        seen.setdefault(name, []).append("|".join((what, said, *meant)))
    for link in facts.imports:
        if link.kind == PROJECT:
            seen.setdefault(PROJECT, []).append(f"{link.module}|{link.names}")
        if links is not None and not _is_seen(link):
            continue
        for original, local in link.names:
            meant = links.meant_by(original) if links is not None and not link.module else ()
            said = "|".join((link.kind, link.module, original, *meant))
            seen.setdefault(local, []).append(said)
        if link.alias:
            seen.setdefault(link.alias, []).append(f"{link.kind}|{link.module}")
    marks: dict[str, int] = {}
    others = 0
    if traits_of(facts.language).seen_by_import and not facts.extensions and PROJECT not in seen:
        marks, others = _marks(facts), IS_IMPORTED
        seen[IMPORTS] = [f"{link.module}|{link.kind}|{link.names}" for link in facts.imports]
    return {
        name: crc32("\n".join(sorted(what)).encode()) | marks.get(name, others)
        for name, what in seen.items()
    }


def _marks(facts: FileFacts) -> dict[str, int]:
    """What is added to the hashes of the names that a file defines."""
    kinds = {name.qualname: name.kind for name in facts.names}
    foreign = set(traits_of(facts.language).built_in_names).union(
        *(link.bound_names() for link in facts.imports)
    )
    found: dict[str, int] = {}
    for name in facts.names:
        around = list(_around(name.container))
        mark = (IS_MEMBER if around else 0) | (IS_CALLED if name.kind in CALLABLE_KINDS else 0)
        # Members of what extends a type are found from that, and types in others by their heirs; a
        # namespace is opened by others, and what another file defines is given members here.
        is_imported = (
            name.kind not in (TYPE_KINDS if around else NAMESPACE_KINDS)
            and not any(each not in kinds and _last(each) in foreign for each in around)
            and not any(kinds.get(e) in NAMESPACE_KINDS or e in facts.bases for e in around)
        )
        before = found.get(name.name, IS_IMPORTED)
        found[name.name] = (before | mark) if is_imported else (before | mark) & ~IS_IMPORTED
    return found


def _last(qualname: str) -> str:
    return qualname.rpartition(".")[2]


def _around(container: str) -> Iterator[str]:
    """A container and those around it, by their qualified names."""
    while container:
        yield container
        container = container.rpartition(".")[0]


def _definitions(facts: FileFacts) -> Iterable[tuple[str, str, str]]:
    """The name of each definition, what it is, and the types and values that it is said to have."""
    parameters: dict[str, list[str]] = {}
    for key, value in facts.types.items():
        qualname, which = parse_detail(key)
        if which:
            parameters.setdefault(qualname, []).append(f"{which}:{value}")
    for name in facts.names:
        qualname = name.qualname
        said = (
            facts.types.get(qualname, ""),
            facts.types.get(result_of(qualname), ""),
            ",".join(facts.bases.get(qualname, ())),
            *parameters.get(qualname, ()),
        )
        kind = f"{name.kind}{of_arity('', name.arity)}"
        yield name.name, f"{qualname}|{kind}", "|".join(said)


def _is_seen(link: ImportLink) -> bool:
    """Whether an import in a language whose imports are private gives something to others."""
    return link.kind not in ("static", "dynamic", PROJECT)


class _OwnImports:
    """Imports that nobody sees but through what a file's definitions say: the type of a field is
    what the file imports under its name."""

    def __init__(self, facts: FileFacts) -> None:
        self._named: dict[str, list[str]] = {}
        self._own = {name.name for name in facts.names}
        stars: list[str] = []
        traits = traits_of(facts.language)
        for link in facts.imports:
            if _is_seen(link):
                continue
            for original, local in link.names:
                if local == "*":
                    stars.append(link.module)
                else:
                    self._named.setdefault(local, []).append(f"{link.module}#{original}")
            if not link.names:
                for local in [link.alias] if link.alias else traits.heads(link.module):
                    self._named.setdefault(local, []).append(link.module)
        self._stars = ",".join(sorted(stars))

    def meant_by(self, said: str) -> list[str]:
        """The imports by which words get their meaning, each once."""
        meant: set[str] = set()
        for word in _WORD.findall(said):
            if word in self._named:
                meant.update(self._named[word])
            elif word not in self._own:
                meant.add(self._stars)
        return sorted(meant)
