"""Filters of requests: languages, kinds and types as they are asked for, checked."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from surveyor.errors import UsageError
from surveyor.parsing.languages import find_language, languages
from surveyor.protocol.enumerations import FILE_TYPES


def languages_meant(names: Sequence[str]) -> tuple[str, ...]:
    """Languages as the index calls them, from `py`, `C++` or `Python`. Raises `UsageError`."""
    meant = []
    for name in names:
        found = find_language(name)
        if found is None:
            raise UsageError(f"no language {name!r}", known_languages(name))
        meant.append(found.family)
    return tuple(meant)


def known_languages(name: str) -> str:
    """The languages that there are, those with a name like this one first."""
    known = sorted(languages())
    near = difflib.get_close_matches(name.lower(), known)
    meant_one = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{meant_one}One of: {', '.join(known)}."


def check_kinds(asked: Sequence[str], known: Sequence[str]) -> None:
    """Raise `UsageError` for a kind that is not known."""
    for name in asked:
        if name not in known:
            kinds = ", ".join(sorted(set(known)))
            raise UsageError(f"no kind {name!r}", f"One of: {kinds}.")


def check_types(asked: Sequence[str]) -> None:
    """Raise `UsageError` for a file type that there is not."""
    for name in asked:
        if name not in FILE_TYPES:
            raise UsageError(f"no file type {name!r}", f"One of: {', '.join(FILE_TYPES)}.")
