"""What an import may have meant, by how it is written."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["may_name"]

_WORDS = re.compile(r"[\w$]+")
MIN_SAME_PARTS = 2
"""Of a path in an import that have to be those of the file."""
_RELATIVE = (".", "crate::", "self::", "super::")
_RELATIVE_WORDS = frozenset({"crate", "self", "super"})
_SUFFIXES = frozenset({"js", "mjs", "cjs", "jsx", "ts", "tsx", "h", "hpp", "php", "rb"})


def may_name(module: str, path: str, user: str) -> bool:
    """Whether an import may have meant a file of the project that is gone: `std::error` is no
    `src/error.rs`, nor is `queue` the `src/jobs/queue.py` of another folder."""
    is_relative = module.startswith(_RELATIVE)
    file = PurePosixPath(path)
    words = [word for word in _WORDS.findall(module) if word not in _RELATIVE_WORDS]
    if words and words[-1] in _SUFFIXES:  # "./lib/error.js"
        words.pop()
    parts = [*file.parent.parts, file.name.partition(".")[0]]
    same = 0
    for word, part in zip(reversed(words), reversed(parts), strict=False):
        if word != part:
            break
        same += 1
    if len(words) != 1:
        return same >= MIN_SAME_PARTS
    beside = file.parent == PurePosixPath(user).parent or len(file.parent.parts) < MIN_SAME_PARTS
    return same == 1 and (is_relative or beside)
