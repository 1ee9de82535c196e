"""`ask`: a question answered from what is indexed, by the user's own model where one is set."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Freshness, Model, Request
from surveyor.protocol.enumerations import PieceSource

__all__ = ["AskModel", "AskPiece", "AskRequest", "AskResponse", "AskStep", "ChatMessage"]


class ChatMessage(Model, kw_only=True):
    """A message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class AskPiece(Model, kw_only=True):
    """A text that an answer may rest on, and where it is from."""

    number: int
    """It is cited by, as `[1]`."""
    corpus: PieceSource
    cited: str
    """`path:start-end`, the name of a rule, a document or a commit, or a page's address."""
    path: str
    root: str
    start_line: int
    end_line: int
    text: str
    confidence: float
    title: str | None = None


class AskStep(Model, kw_only=True):
    """A step that was taken, or why it was not."""

    name: str
    found: int = 0
    kept: int = 0
    """Pieces within the budget."""
    best: float = 0.0
    """Confidence of the best."""
    took_ms: float = 0.0
    note: str = ""

    def in_words(self) -> str:
        """What was found and kept, with the best score; or why the step was left out."""
        if self.note and not self.kept:
            return self.note
        said = (
            f"{self.kept} of {self.found} kept, best {self.best:.2f}" if self.found else "nothing"
        )
        if self.name == "model":
            said = f"{self.kept} piece{'' if self.kept == 1 else 's'}"
        return f"{said}, {self.took_ms:.0f} ms{f' ({self.note})' if self.note else ''}"


class AskModel(Model, kw_only=True):
    """Where the question and its pieces were sent."""

    endpoint: str
    name: str


class AskResponse(Freshness, kw_only=True):
    """An answer, what it rests on, and how it came about."""

    answer: str | None
    """None where no model is set, or none answered: then the pieces are the answer."""
    pieces: list[AskPiece]
    steps: list[AskStep]
    confidence: float
    """Of the best piece."""
    known: bool
    """Whether anything found has to do with the question."""
    took_ms: float
    model: AskModel | None = None
    web: str | None = None
    """Where the question was sent to find pages; None: nowhere."""
    failed: bool = False
    """A model was asked and gave no answer, or not the whole of one; `notice` says why."""
    notice: str | None = None


class AskRequest(Request[AskResponse], kw_only=True):
    """Answer a question about a project from its code, rules, documents, notes and history."""

    operation: ClassVar[str] = "ask"
    answer: ClassVar[type[Any]] = AskResponse

    question: str
    cwd: str | None = None
    project: str | None = None
    tokens: int | None = None
    """For the pieces; without, `ask.tokens`."""
    pieces_only: bool = False
    """Send nothing to a model."""
    diff: str | None = None
    """`working`, `staged` or a git range: changed files and what depends on them count more."""
    earlier: list[ChatMessage] = []
    """What was said before, the oldest first."""
