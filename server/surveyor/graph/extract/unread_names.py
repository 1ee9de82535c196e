"""Names in code that was left out so that the rest could be read: a conditional's other branches.

`#ifdef A … if (b) { … #else … if (open(c)) { … #endif` cannot be read as it stands: one branch is,
and what the others use is not followed. A name in them is kept like one that is used, under another
spelling (`#open`), so that who asks for its uses is told. So are names in what is nested too deeply
to be read (`##open`), and in what the grammar could not read and made an error of (`###open`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.parsing.code_words import code_of
from surveyor.parsing.preprocessor import code_alone

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "UNPARSED_FILE",
    "deep_names",
    "renamed_names",
    "spelling_of_deep",
    "spelling_of_renamed",
    "spelling_of_unparsed",
    "spelling_of_unparsed_base",
    "spelling_of_unread",
    "unparsed_names",
    "unread_names",
]

MIN_CHARS = 3
"""Shorter names are mostly those of variables."""
_WORD = re.compile(rb"\b[A-Za-z_]\w{%d,}\b" % (MIN_CHARS - 1))
UNPARSED_FILE = "###"
"""Kept of a file a part of which could not be parsed."""
_NEGLIGIBLE_LINES = 1
"""Errors within so many lines hide no definition, and names in them are kept all the same."""
_CLASS_ALIAS = re.compile(
    rb"\bclass_alias\s*\(\s*(?:['\"]\\*([\w\\]+)['\"]|\\?([\w\\]+)\s*::\s*class\b)"
)
_LINE = re.compile(rb"[^\n]*\S[^\n]*")


def unread_names(data: bytes, read: bytes) -> Iterator[str]:
    """What stands in a source and is blank in what was read of it, as `spelling_of_unread`."""
    for line in _LINE.finditer(code_alone(data)):
        words = _WORD.findall(line[0]) if read[line.start() : line.end()].isspace() else ()
        if not all(word.isupper() for word in words):  # a macro in a line of its own is known
            for word in words:
                yield spelling_of_unread(word.decode("ascii", "replace"))


def spelling_of_unread(name: str) -> str:
    """How a name is kept that stands in code which was not read."""
    return f"#{name}"


def deep_names(data: bytes, parts: Sequence[tuple[int, int]]) -> Iterator[str]:
    """What stands in parts of a source that are nested too deeply, as `spelling_of_deep`."""
    for start, end in parts:
        for word in set(_WORD.findall(data, start, end)):
            yield spelling_of_deep(word.decode("ascii", "replace"))


def spelling_of_deep(name: str) -> str:
    """How a name is kept that stands in code which is nested too deeply to be read."""
    return f"##{name}"


def unparsed_names(
    root: Node,
    data: bytes,
    language: str,
    known: Container[tuple[str, int]],
    bases: Container[tuple[str, int]],
) -> Iterator[str]:
    """What stands in the errors of a tree and is neither in a comment or string nor `known` by its
    name and line, as `spelling_of_unparsed`; what is none of the `bases` that are known, as
    `spelling_of_unparsed_base`; and `UNPARSED_FILE`, where definitions may be hidden."""
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.is_error:
            stack.extend(node.children if node.has_error else ())
            continue
        first = node.start_point[0] + 1
        if node.end_point[0] + 1 - first >= _NEGLIGIBLE_LINES:
            yield UNPARSED_FILE
        text = code_of(data[node.start_byte : node.end_byte], language)
        for line, part in enumerate(text.split(b"\n"), first):
            for word in _WORD.findall(part):
                name = word.decode("ascii", "replace")
                if (name, line) not in bases:
                    yield spelling_of_unparsed_base(name)
                    if (name, line) not in known:
                        yield spelling_of_unparsed(name)


def spelling_of_unparsed(name: str) -> str:
    """How a name is kept that stands in code which could not be parsed."""
    return f"###{name}"


def spelling_of_unparsed_base(name: str) -> str:
    """How a name is kept that stands in code which could not be parsed, and may be extended."""
    return f"####{name}"


def renamed_names(data: bytes) -> Iterator[str]:
    """The classes of a PHP file's `class_alias`, by their last names, as `spelling_of_renamed`."""
    for match in _CLASS_ALIAS.finditer(data) if b"class_alias" in data else ():
        name = (match[1] or match[2]).rpartition(b"\\")[2]
        yield spelling_of_renamed(name.decode("utf-8", "replace"))


def spelling_of_renamed(name: str) -> str:
    """How a type's name is kept that is given another one where the program runs."""
    return f"#={name}"
