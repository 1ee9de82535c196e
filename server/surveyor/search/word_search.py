"""Chunks by the words in their texts, from the state alone: for as long as a shard is damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from surveyor.embedding.tokens import raw_words
from surveyor.store.vectors.contract import Filter, Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from surveyor.search.scope import SearchInput, SearchTarget, Side
    from surveyor.store.state import State

MOST_WORDS = 8
LEAST_CHARS = 2


class StoreQuery(Protocol):
    """A question to the store."""

    @property
    def side(self) -> Side:
        """What is compared: words or meaning."""

    @property
    def where(self) -> Filter:
        """Conditions on payload fields, of which file types and languages are heeded here."""

    @property
    def limit(self) -> int:
        """Most hits."""


async def by_words(
    state: State, place: SearchTarget, sought: SearchInput, asks: Sequence[StoreQuery]
) -> list[list[Hit]]:
    """Hits of each question by how many of the query's words a text has; none by meaning."""
    words = words_of(sought.query.keywords)
    return [
        await _hits(state, place.project_id, words, ask) if ask.side == "sparse" and words else []
        for ask in asks
    ]


def words_of(query: str) -> list[str]:
    """Distinct words to look for, in lower case."""
    found = dict.fromkeys(word.lower() for word in raw_words(query) if len(word) >= LEAST_CHARS)
    return list(found)[:MOST_WORDS]


async def _hits(state: State, project_id: str, words: Sequence[str], ask: StoreQuery) -> list[Hit]:
    conditions, parameters = ["d.project_id = ?"], [project_id]
    for fields, word in ((ask.where.must, "IN"), (ask.where.must_not, "NOT IN")):
        for name in ("file_type", "language"):
            if name in fields:
                conditions.append(
                    f"lower(coalesce(d.{name}, '')) {word} (SELECT value FROM json_each(?))"
                )
                parameters.append(json.dumps([str(value).lower() for value in fields[name]]))
    score = " + ".join(["(instr(lower(t.text), ?) > 0)"] * len(words))
    rows = await state.read(
        f"""SELECT point_id, max(score) AS score FROM (
              SELECT c.point_id, {score} AS score
              FROM documents d JOIN chunks c USING (doc_id) JOIN texts t USING (text_hash)
              WHERE {" AND ".join(conditions)})
            WHERE score > 0 GROUP BY point_id ORDER BY score DESC, point_id LIMIT ?""",
        [*words, *parameters, ask.limit],
    )
    return [Hit(str(row[0]), float(row[1])) for row in rows]
