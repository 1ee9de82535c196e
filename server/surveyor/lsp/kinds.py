"""Symbol kinds of the index as LSP's numbers, and back."""

from __future__ import annotations

KINDS = {
    "file": 1,
    "module": 2,
    "namespace": 3,
    "package": 4,
    "class": 5,
    "struct": 23,
    "method": 6,
    "property": 7,
    "field": 8,
    "constructor": 9,
    "enum": 10,
    "interface": 11,
    "trait": 11,
    "protocol": 11,
    "mixin": 11,
    "function": 12,
    "macro": 12,
    "variable": 13,
    "constant": 14,
    "string": 15,
    "object": 19,
    "key": 20,
    "enum_member": 22,
    "member": 8,
    "event": 24,
    "operator": 25,
    "type": 26,
    "type_alias": 26,
    "typedef": 26,
    "union": 23,
    "impl": 5,
    "extension": 5,
    "section": 15,
    "heading": 15,
}
"""LSP 3.17 SymbolKind by our names."""

VARIABLE = 13


def number(kind: str | None) -> int:
    """SymbolKind of one of our kinds; unknown ones count as variables."""
    return KINDS.get((kind or "").lower(), VARIABLE)
