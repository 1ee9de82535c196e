"""What other files can see of a file, as a hash by name.

Where a hash differs from the one before, files that use the name are resolved again; one that
differs for nothing is paid for by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from zlib import crc32

from surveyor.graph.expressions.keys import of_arity, parse_detail, result_of
from surveyor.graph.facts import FileFacts, ImportLink
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.readers import PROJECT

__all__ = ["outline_of"]

_WORD = re.compile(r"[^\W\d]\w*")


def outline_of(facts: FileFacts) -> dict[str, int]:
    """A hash by name of everything that other files can see of a file under that name; under
    `PROJECT` of what it imports for all others."""
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
    return {name: crc32("\n".join(sorted(what)).encode()) for name, what in seen.items()}


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
