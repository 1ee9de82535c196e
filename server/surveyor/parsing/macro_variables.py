"""Variables that macros of C and C++ define: invocations at file scope, with a semicolon behind.

`static DEFINE_MUTEX(lock);` defines `lock`, `DEFINE_PER_CPU(struct stat, all);` `all`. The grammar
reads some as variables of that type in brackets, some as calls and some, with what follows them,
as broken. Other such invocations name what is defined elsewhere (`EXPORT_SYMBOL(run);`,
`MODULE_LICENSE("GPL");`), so the macro has to say in its name that it defines something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LANGUAGES", "MacroVariable", "variables_of_macros"]

LANGUAGES = frozenset({"c", "cpp"})
_SAYS_SO = {
    "c": re.compile(
        rb"(?:^|_)(?:DEFINE|DECLARE|LIST_HEAD|HLIST_HEAD)(?=_|$)"
        rb"|^BPF_(?:\w+_)?(?:ARRAY|HASH|HISTOGRAM|OUTPUT|QUEUE|STACK|TABLE|TRACE|TRIE)$"
    ),
    "cpp": re.compile(rb"(?:^|_)DEFINE(?=_|$)"),
}
"""What a macro of C++ declares is mostly a type that stands elsewhere (Q_DECLARE_METATYPE)."""
_WORDS = (b"DEFINE", b"DECLARE", b"LIST_HEAD", b"BPF_")
_DERIVED = re.compile(rb"_ATTRIBUTE$|_OPS$")
"""These are handed a stem, and define `stem_fops`: nothing has the name that stands there."""
_INVOKED = re.compile(
    rb"^(?:(?:static|extern|const)[ \t]+)*(?P<macro>[A-Z][A-Z0-9_]+)[ \t]*"
    rb"\((?P<handed>[^()\";{}]*)\)[ \t]*;",
    re.MULTILINE,
)
_NAME = re.compile(rb"\s*([A-Za-z_]\w*)\s*")


class MacroVariable(NamedTuple):
    """A variable that an invocation of a macro defines."""

    macro: Node
    """The macro's name, which the grammar may take for that of a function."""
    name: Node | None
    """None where what is defined is not called as anything that stands there."""
    node: Node
    """As much of the invocation as is one node."""


def variables_of_macros(root: Node, data: bytes, grammar: str) -> Iterator[MacroVariable]:
    """What invocations at the beginning of a line define, in the order of the source."""
    says_so = _SAYS_SO[grammar]
    if not any(word in data for word in _WORDS):
        return
    for match in _INVOKED.finditer(data):
        macro = root.descendant_for_byte_range(*match.span("macro"))
        if macro is None or says_so.search(match["macro"]) is None:
            continue
        place = None if _DERIVED.search(match["macro"]) else _name_in(match)
        name = root.descendant_for_byte_range(*place) if place is not None else None
        if name is not None and (name.start_byte, name.end_byte) != place:
            name = None
        node = name or macro
        while (outer := node.parent) is not None and (
            match.start() <= outer.start_byte and outer.end_byte <= match.end()
        ):
            node = outer
        yield MacroVariable(macro, name, node)


def _name_in(match: re.Match[bytes]) -> tuple[int, int] | None:
    """Where the name is: the first argument, or the second behind a type."""
    start = match.start("handed")
    parts = []
    for part in match["handed"].split(b","):
        parts.append((start, part))
        start += len(part) + 1
    for start, part in parts[:2]:
        found = _NAME.fullmatch(part)
        if found is None:
            continue  # `struct stat`, `u64 *`
        if b"PER_CPU" in match["macro"] and (start, part) == parts[0] and len(parts) > 1:
            continue  # `DEFINE_PER_CPU(u64, count)`
        return start + found.start(1), start + found.end(1)
    return None
