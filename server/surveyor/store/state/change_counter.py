"""Which statements change the catalog (files, documents, their texts and symbols, chunks), and how
often."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["ChangeCounter", "changes_catalog"]

_TABLES = "files|documents|document_texts|document_ngrams|chunks|symbols|texts"
_CHANGES_CATALOG = re.compile(
    r"\s*(?:(?:INSERT|REPLACE|UPDATE)(?:\s+OR\s+\w+)?(?:\s+INTO)?\s+"
    rf"(?:{_TABLES})"
    rf"|DELETE\s+FROM\s+(?:{_TABLES}|checkouts)"
    r"|WITH\b.*(?:INSERT|UPDATE|DELETE))\b",
    re.IGNORECASE | re.DOTALL,
)
"""A statement that changes which chunks, texts and symbols there are in which checkouts, or may do
so."""


class ChangeCounter:
    """Counts the changes of the catalog, so that what was read of it may be kept.

    `version` is odd from the first statement of a transaction that changes them until it has been
    committed or rolled back, and another one afterwards: what was read at an even version is true
    while the version is the same. All writing is done by this process, through `Transaction`.
    """

    def __init__(self) -> None:
        self.version = 0

    def before(self, sql: str) -> None:
        """A statement is about to run."""
        if not self.version % 2 and changes_catalog(sql):
            self.version += 1

    def after(self) -> None:
        """The transaction has ended, one way or the other."""
        self.version += self.version % 2


@lru_cache(maxsize=256)
def changes_catalog(sql: str) -> bool:
    """Whether a statement may change which chunks and texts there are, and where."""
    return _CHANGES_CATALOG.match(sql) is not None
