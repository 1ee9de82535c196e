"""What an answer of exact text says of a query that stored texts cannot match as files would."""

from __future__ import annotations

import pytest

from surveyor.engine.operations.text_search import not_as_stored
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.search import SearchRequest


@pytest.mark.parametrize(
    ("mode", "query", "said"),
    [
        ("regex", r"end;\r$", "in \\n alone"),
        ("regex", r"end;\x0D\n", "in \\n alone"),
        ("regex", r"end;\r?\n", ""),
        ("regex", r"C:\\reports", ""),
        ("literal", "one\r\ntwo", ""),
        ("literal", "one\rtwo", "in \\n alone"),
        ("literal", r"\r", ""),
        ("literal", "AKIAQ3EGRK7WXMLP5DZB", "stored as asterisks"),
    ],
)
def test_what_cannot_be_found_as_it_is_written_is_said(mode: Mode, query: str, said: str) -> None:
    sentences = not_as_stored(SearchRequest(query=query, mode=mode))
    assert bool(sentences) == bool(said)
    assert said in " ".join(sentences)
