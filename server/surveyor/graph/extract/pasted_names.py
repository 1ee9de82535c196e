"""Names that macros of C make of what they are handed: `#define TEST(name) test_##name`.

Nobody follows those, but who asks for the uses of `test_open` is told of it. What such a name
begins and ends with is kept like a name that is used, under another spelling: `##test_*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["pasted_names", "spellings_of_pasted"]

MIN_CHARS = 3
"""Of beginning and end together: what is shorter is in too many names."""
_DEFINED = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+\w+\(([^()\n]*)\)((?:[^\n]*\\\r?\n)*[^\n]*)", re.MULTILINE
)
_PASTED = re.compile(rb"[A-Za-z0-9_]+(?:[ \t]*##[ \t]*[A-Za-z0-9_]+)+")
_BOUNDARY = re.compile(r"(?<=_)(?!_)|(?<!_)(?=_)|(?<=[a-z0-9])(?=[A-Z])")
"""Where a name may be put together."""
_MAX_BOUNDARIES = 8
_ONE, _SEVERAL = b"*", b"**"


def pasted_names(data: bytes) -> Iterator[str]:
    """What the names begin and end with that macros of a file make, as `spellings_of_pasted`."""
    if b"##" not in data:
        return
    for match in _DEFINED.finditer(data):
        parameters = {name.strip() for name in match[1].split(b",")}
        for pasted in _PASTED.findall(match[2]):
            parts = [part.strip() for part in pasted.split(b"##")]
            given = [index for index, part in enumerate(parts) if part in parameters]
            if given:
                before, after = b"".join(parts[: given[0]]), b"".join(parts[given[-1] + 1 :])
                if len(before + after) >= MIN_CHARS:
                    made = (before + (_ONE if len(given) == 1 else _SEVERAL) + after).decode()
                    yield f"##{made}"


def spellings_of_pasted(name: str) -> dict[str, str]:
    """How a name may be made: what is kept of the macro, and the name that it has to be handed;
    empty where that is several."""
    cuts = [0, *(match.start() for match in _BOUNDARY.finditer(name)), len(name)]
    cuts = list(dict.fromkeys(cuts))[:_MAX_BOUNDARIES]
    found = {}
    for first in cuts:
        for last in cuts:
            if first < last and first + len(name) - last >= MIN_CHARS:
                found[f"##{name[:first]}*{name[last:]}"] = name[first:last]
                found[f"##{name[:first]}**{name[last:]}"] = ""
    return found
