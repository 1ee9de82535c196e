"""Names that stand as strings or symbols in code, by which things can be reached.

`getattr(handler, "on_start")()`, `before_action :sign_in`, `f"visit_{kind}"`: nobody follows those,
but who asks for the uses of `on_start` is told of it. A string is kept like a name that is used,
under another spelling: `"on_start`, and `"visit_*` for the beginning of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from surveyor.graph.languages.traits import Traits

__all__ = ["REACHES", "names_in_strings", "spellings_of"]

REACHES = '"'
"""Stands for: this file reaches something by a name that is computed."""
_MAX_WORD = 64
MIN_CHARS = 3
"""Shorter names stand in strings by chance."""

_QUOTED = re.compile(
    rb"""(["'`])(?:(?<!`)([A-Za-z_]\w{1,63}[!?]?)\1|([A-Za-z_]\w{1,63})(?:\$?\{|%s))"""
)
"""Begins with a set of characters, outside of all choices: so it is found three times as fast."""
_SYMBOL = re.compile(rb"(?<![\w:]):([A-Za-z_]\w{1,63}[!?]?)(?![\w:])")
_WORDS = re.compile(rb"%[wWiI](?:\[([^\]]*)\]|\(([^)]*)\)|\{([^}]*)\}|<([^>]*)>)")
"""Ruby's lists of words: `%w[open close]`."""
_EXPORTS = re.compile(rb"__all__\s*\+?=\s*[\[(][^\])]*[\])]")
"""Of Python: a list of names that makes nothing run."""


def names_in_strings(data: bytes, traits: Traits) -> set[str]:
    """What strings of a file may name, as `spellings_of` says it; and `REACHES`, if it does so."""
    if traits.by_computed_name is None:
        return set()
    if b"__all__" in data:
        data = _EXPORTS.sub(b"", data)
    found = set(_written(data, with_symbols=traits.symbols_are_names))
    if _compiled(traits.by_computed_name).search(data):
        found.add(REACHES)
    return found


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


def _written(data: bytes, *, with_symbols: bool) -> Iterator[str]:
    for match in _QUOTED.finditer(data):
        name = (match[2] or match[3]).decode("ascii", "replace")
        if len(name) < MIN_CHARS:
            continue
        if match[2]:
            yield f'"{name}'
        if match[3] or name.endswith("_"):
            yield f'"{name}*'
    if with_symbols:
        for symbol in _SYMBOL.findall(data):
            if len(symbol) >= MIN_CHARS:
                yield f'"{symbol.decode("ascii", "replace")}'
        for match in _WORDS.finditer(data):
            for word in match[match.lastindex or 1].decode("ascii", "replace").split():
                if MIN_CHARS <= len(word) <= _MAX_WORD and word.rstrip("!?=").isidentifier():
                    yield f'"{word}'


_PARTS = re.compile(r"[A-Z]?[a-z0-9]+_*|[A-Z]+(?![a-z])_*|_+")


def spellings_of(name: str) -> list[str]:
    """How a string may name something: by all of the name, or by its beginning."""
    if len(name) < MIN_CHARS:
        return []
    ends = [match.end() for match in _PARTS.finditer(name)][:-1]
    return [f'"{name}', *(f'"{name[:end]}*' for end in ends if end >= MIN_CHARS)]
