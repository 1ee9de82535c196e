"""Names that stand as strings or symbols in code, by which things can be reached.

`getattr(handler, "on_start")()`, `before_action :sign_in`, `f"visit_{kind}"`: nobody follows those,
but who asks for the uses of `on_start` is told of it. A string is kept like a name that is used,
under another spelling: `"on_start`, and `"visit_*` for the beginning of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["REACHES", "names_in_strings", "spellings_of"]

REACHES = '"'
"""Stands for: this file reaches something by a name that is computed."""
MIN_CHARS = 3
"""Shorter names stand in strings by chance."""

_QUOTED = re.compile(rb"""(["'])([A-Za-z_]\w{1,63}[!?]?)\1|["'`]([A-Za-z_]\w{1,63})(?:\$?\{|%s)""")
_SYMBOL = re.compile(rb"(?<![\w:]):([A-Za-z_]\w{1,63}[!?]?)(?![\w:])")
_EXPORTS = re.compile(rb"__all__\s*\+?=\s*[\[(][^\])]*[\])]")
"""Of Python: a list of names that makes nothing run."""
_WITH_SYMBOLS = frozenset({"ruby", "elixir", "julia"})
_JAVA = re.compile(rb"\bget(?:Declared)?Method\b|\bMethodHandles\b|\bfindVirtual\b")
_BY_NAME: dict[str, re.Pattern[bytes]] = {
    "python": re.compile(
        rb"\b(?:getattr|attrgetter|methodcaller|globals|locals|vars|__dict__)\b|\]\s*\("
    ),
    "ecmascript": re.compile(rb"\]\s*(?:\?\.)?\(|\]\s*\.(?:call|apply|bind)\(|\bReflect\."),
    "ruby": re.compile(rb""),  # a symbol is how methods are handed on
    "php": re.compile(rb"\bcall_user_func|->\$|::\$\w+\(|\$\w+\(|\bis_callable\b|\bReflection"),
    "java": _JAVA,
    "kotlin": _JAVA,
    "scala": _JAVA,
    "csharp": re.compile(rb"\bGetMethods?\b|\bGetProperty\b|\bInvokeMember\b"),
    "go": re.compile(rb"\b(?:Method|Field)ByName\b"),
    "elixir": re.compile(rb"\bapply\b|\{\s*[A-Z_][\w.]*\s*,\s*:\w"),
    "lua": re.compile(rb"\]\s*\(|\b_G\b|\bload(?:string)?\b"),
    "c": re.compile(rb"\bdlsym\b|\bGetProcAddress\b"),
    "swift": re.compile(rb"\bSelector\b|\bperform\("),
    "julia": re.compile(rb"\bgetfield\b|\bgetproperty\b|\beval\b"),
    "bash": re.compile(rb"""\beval\b|^\s*"?\$\{?\w""", re.M),
    "zig": re.compile(rb"@field\b"),
    "dart": re.compile(rb"\bFunction\.apply\b"),
}
"""How a family reaches something by a name that is computed; the others cannot."""


def names_in_strings(data: bytes, family: str) -> set[str]:
    """What strings of a file may name, as `spellings_of` says it; and `REACHES`, if it does so."""
    by_name = _BY_NAME.get(family)
    if by_name is None:
        return set()
    if b"__all__" in data:
        data = _EXPORTS.sub(b"", data)
    found = set(_written(data, family))
    if by_name.search(data):
        found.add(REACHES)
    return found


def _written(data: bytes, family: str) -> Iterator[str]:
    for match in _QUOTED.finditer(data):
        name = (match[2] or match[3]).decode("ascii", "replace")
        if len(name) < MIN_CHARS:
            continue
        if match[2]:
            yield f'"{name}'
        if match[3] or name.endswith("_"):
            yield f'"{name}*'
    if family in _WITH_SYMBOLS:
        for symbol in _SYMBOL.findall(data):
            if len(symbol) >= MIN_CHARS:
                yield f'"{symbol.decode("ascii", "replace")}'


_PARTS = re.compile(r"[A-Z]?[a-z0-9]+_*|[A-Z]+(?![a-z])_*|_+")


def spellings_of(name: str) -> list[str]:
    """How a string may name something: by all of the name, or by its beginning."""
    if len(name) < MIN_CHARS:
        return []
    ends = [match.end() for match in _PARTS.finditer(name)][:-1]
    return [f'"{name}', *(f'"{name[:end]}*' for end in ends if end >= MIN_CHARS)]
