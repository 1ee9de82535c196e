"""How the room for a question's pieces is shared: what the user laid down first, then code.

The shares are docdex' (its SDS, "Context assembly"): of what is not the model's own, a quarter to
rules and notes, the rest to code, documents and history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from surveyor.protocol.ask import AskPiece
from surveyor.protocol.search import SearchResult

__all__ = ["MEMORY_SHARE", "PieceBudget", "cited", "estimate", "room_for"]

MEMORY_SHARE = 0.25
OWN = ("rules", "notes")
"""Corpora that the user, or an agent for the user, wrote."""
CHARS_PER_TOKEN = 3.6
"""Of code and prose, with common tokenizers."""
LEAST_PIECE_TOKENS = 40
"""A smaller rest of a piece says nothing."""


def estimate(text: str) -> int:
    """Tokens that a text takes, roughly."""
    return round(len(text) / CHARS_PER_TOKEN)


def room_for(tokens: int) -> int:
    """Characters that so many tokens are, roughly."""
    return int(tokens * CHARS_PER_TOKEN)


def cited(result: SearchResult) -> str:
    """Where a piece is from, as it is cited."""
    if result.source == "code":
        return f"{result.path}:{result.start_line}-{result.end_line}"
    if result.source == "history":
        return f"commit {result.symbol or result.path}"
    return result.title or result.path


class PieceBudget:
    """Takes pieces as long as there is room."""

    def __init__(self, tokens: int) -> None:
        self._room = tokens
        self.pieces: list[AskPiece] = []

    def take(self, results: Sequence[SearchResult], share: float = 1.0) -> int:
        """Keep the best of some results within a share of the room; returns how many."""
        return self.take_pieces([_piece(each) for each in results], share)

    def take_pieces(self, pieces: Sequence[AskPiece], share: float = 1.0) -> int:
        """Keep the best of some pieces within a share of the room, numbered; returns how many."""
        room = int(self._room * share)
        taken = 0
        for piece in pieces:
            text, size = piece.text, estimate(piece.text)
            if size > room:
                if room < LEAST_PIECE_TOKENS or taken:
                    break
                text = text[: room_for(room)].rpartition("\n")[0] or text[:200]
                size = estimate(text)
            room -= size
            self._room -= size
            taken += 1
            self.pieces.append(
                msgspec.structs.replace(piece, number=len(self.pieces) + 1, text=text)
            )
        return taken

    def put_surest_first(self, worth: Callable[[AskPiece], float]) -> None:
        """Order the pieces by the best of their corpus, what the user laid down before all, and
        number them anew: who has room for the first ones only is to have those that answer."""
        best: dict[str, float] = {}
        for piece in self.pieces:
            best[piece.corpus] = max(best.get(piece.corpus, 0.0), worth(piece))
        ordered = sorted(self.pieces, key=lambda each: (each.corpus not in OWN, -best[each.corpus]))
        self.pieces = [
            msgspec.structs.replace(piece, number=number)
            for number, piece in enumerate(ordered, start=1)
        ]


def _piece(result: SearchResult) -> AskPiece:
    return AskPiece(
        number=0,
        corpus=result.source,
        cited=cited(result),
        path=result.path,
        root=result.root,
        start_line=result.start_line,
        end_line=result.end_line,
        text=result.snippet,
        confidence=result.confidence,
        title=result.title,
    )
