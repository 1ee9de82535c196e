"""Answering questions: local context first, one step after the other, then the user's own model."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from surveyor.answering.budget import MEMORY_SHARE, PieceBudget, estimate
from surveyor.answering.chat_model import (
    ChatModel,
    ChatModelError,
    ContextTooLargeError,
    Sampling,
)
from surveyor.answering.prompt import cited_beyond, messages_for
from surveyor.config.settings import AskSection
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import Search
from surveyor.errors import UsageError
from surveyor.knowledge.web_passages import WebPassages
from surveyor.protocol.ask import AskModel, AskPiece, AskRequest, AskResponse, AskStep
from surveyor.protocol.base import Freshness
from surveyor.protocol.enumerations import Corpus, PieceSource
from surveyor.protocol.search import SearchRequest, SearchResponse
from surveyor.search.confidence import LOW
from surveyor.units import counted

__all__ = ["AskOperations", "QuestionState"]

MAX_QUESTION_CHARS = 20_000
ENOUGH = 0.5
"""Confidence of code below which documents and history are looked at too."""
RESULTS = 8
"""Of one corpus."""
SOURCES: tuple[PieceSource, ...] = ("code", "libraries", "history")
"""What a question is answered from; rules and notes go with it."""
COMMIT_CONFIDENCE = 0.8
"""A commit below says nothing of whether a question is answered: of 36 questions about what three
projects do not have, 35 found one of 0.15 or more, most of them up to 0.71."""
CUT = {
    "length": "it had no more room for it",
    "content_filter": "what was to follow was filtered where the model runs",
}
"""Reasons for an end that is not the answer's own, as OpenAI's interface calls them."""
MEMORY_CONFIDENCE = 0.15
"""Rules and notes below have nothing to do with the question."""


@dataclass(slots=True)
class QuestionState:
    """A question on its way: what was found so far, and the answer as far as it came."""

    request: AskRequest
    budget: PieceBudget
    steps: list[AskStep] = field(default_factory=list)
    fresh: Freshness = field(default_factory=Freshness)
    caller: Caller = field(default_factory=Caller)
    model: ChatModel | None = None
    model_name: str = ""
    sampling: Sampling | None = None
    prompt_tokens: int = 0
    """Of what was sent to the model, roughly."""
    text: str = ""
    notice: str = ""
    has_failed: bool = False
    """The model gave no answer, or not the whole of one."""
    web: str = ""
    """Where the question was sent to find pages."""
    started: float = field(default_factory=time.perf_counter)

    @property
    def best(self) -> float:
        """Confidence of the best piece."""
        return max(map(_counted, self.budget.pieces), default=0.0)

    def response(self) -> AskResponse:
        """What there is to say."""
        sent = self.model is not None and any(step.name == "model" for step in self.steps)
        return AskResponse(
            answer=self.text or None,
            pieces=self.budget.pieces,
            steps=self.steps,
            confidence=self.best,
            known=self.best >= LOW,
            took_ms=round((time.perf_counter() - self.started) * 1000, 2),
            model=AskModel(endpoint=self.model.host, name=self.model_name)
            if sent and self.model is not None
            else None,
            web=self.web or None,
            notice=self.notice or None,
            failed=self.has_failed,
            **self.fresh.freshness(),
        )


class AskOperations:
    """Answering questions."""

    def __init__(
        self,
        search: Search,
        settings: Callable[[], AskSection],
        web: Callable[[str], Awaitable[WebPassages]],
        answered: Callable[[QuestionState], object] = lambda _: None,
    ) -> None:
        """`web` finds passages of pages, or says why it does not.

        `answered` is told of each question at its end, however it ended.
        """
        self._search = search
        self._settings = settings
        self._web = web
        self._answered = answered

    @operation(AskRequest)
    async def ask(self, request: AskRequest, caller: Caller) -> AskResponse:
        """The pieces that answer a question, and what the user's model makes of them."""
        asking = await self.begin(request, caller)
        async for _text in self.answer(asking):
            pass
        return asking.response()

    async def begin(
        self, request: AskRequest, caller: Caller, sampling: Sampling | None = None
    ) -> QuestionState:
        """Find the pieces: rules and notes, code, and where code is not sure, all else."""
        if not request.question.strip():
            raise UsageError("there is no question")
        if len(request.question) > MAX_QUESTION_CHARS:
            raise UsageError(f"the question is longer than {MAX_QUESTION_CHARS} characters")
        settings = self._settings()
        tokens = settings.tokens if request.tokens is None else request.tokens
        if not 200 <= tokens <= 1_000_000:
            raise UsageError("tokens must be from 200 to 1000000")
        asking = QuestionState(request, PieceBudget(tokens), caller=caller, sampling=sampling)
        if settings.endpoint and not request.pieces_only:
            asking.model_name = settings.model
            asking.model = ChatModel(
                settings.endpoint, settings.model, settings.api_key, settings.timeout
            )
        await self._step(asking, caller, "memory", ["rules", "notes"], tokens, MEMORY_SHARE)
        await self._step(asking, caller, "code", ["code"], tokens)
        sure = max((p.confidence for p in asking.budget.pieces if p.corpus == "code"), default=0.0)
        for name, corpus in (("libraries", "libraries"), ("history", "history")):
            if sure >= ENOUGH:
                note = f"code is sure enough ({sure:.2f})"
                asking.steps.append(AskStep(name=name, note=f"left out: {note}"))
            else:
                await self._step(asking, caller, name, [corpus], tokens)  # type: ignore[list-item]
        await self._web_step(asking)
        asking.budget.put_surest_first(_counted)
        if asking.best < LOW:
            asking.notice = "Nothing here matches this well: I don't know. What follows is nearest."
        return asking

    async def _web_step(self, asking: QuestionState) -> None:
        """Look for pages where nothing here is sure enough, and the user has the web on."""
        started = time.perf_counter()
        sure = max((_counted(p) for p in asking.budget.pieces if p.corpus in SOURCES), default=0.0)
        if sure >= ENOUGH:
            note = f"left out: what is here is sure enough ({sure:.2f})"
            asking.steps.append(AskStep(name="web", note=note))
            return
        found = await self._web(asking.request.question)
        asking.web = found.asked
        pieces = [
            AskPiece(
                number=0, corpus="web", cited=each.url, path=each.url, root="", start_line=1,
                end_line=1, text=each.text, confidence=each.confidence, title=each.title,
            )
            for each in found.passages
            if each.confidence >= LOW
        ]  # fmt: skip
        asking.steps.append(
            AskStep(
                name="web",
                found=len(found.passages),
                kept=asking.budget.take_pieces(pieces),
                best=max((each.confidence for each in found.passages), default=0.0),
                took_ms=round((time.perf_counter() - started) * 1000, 2) if found.asked else 0.0,
                note=found.note,
            )
        )

    async def answer(self, asking: QuestionState) -> AsyncIterator[str]:
        """What the model says, as it comes; nothing without one, or where nothing was found."""
        try:
            async for text in self._said_by_model(asking):
                asking.text += text
                yield text
        finally:
            self._answered(asking)

    async def _said_by_model(self, asking: QuestionState) -> AsyncIterator[str]:
        if asking.model is None:
            if not asking.notice and not asking.request.pieces_only:
                asking.notice = "No model is set (`ask.endpoint`): these are the places."
            return
        if asking.best < LOW:
            asking.steps.append(AskStep(name="model", note="left out: nothing to answer from"))
            asking.model = None
            return
        started = time.perf_counter()
        step = AskStep(name="model")
        asking.steps.append(step)
        pieces: Sequence[AskPiece] = asking.budget.pieces
        said = False
        while True:
            try:
                messages = messages_for(asking.request.question, pieces, asking.request.earlier)
                asking.prompt_tokens = sum(estimate(each.content) for each in messages)
                async for text in asking.model.stream(messages, asking.sampling):
                    said = True
                    yield text
                break
            except ContextTooLargeError as error:
                if len(pieces) < 2 or said:
                    asking.notice, asking.has_failed = f"{error.sentence}.", True
                    break
                pieces = pieces[: len(pieces) // 2]
                step.note = (
                    f"with the first {counted(len(pieces), 'piece')}: it takes no more at once"
                )
            except ChatModelError as error:
                asking.notice = f"{error.sentence.rstrip('.')}."
                asking.has_failed = True
                step.note = "broke off" if said else "did not answer"
                break
        if said:
            _say_how_it_ended(asking, asking.model.finish_reason, len(pieces))
        step.kept = len(pieces)
        step.took_ms = round((time.perf_counter() - started) * 1000, 2)

    async def _step(
        self,
        asking: QuestionState,
        caller: Caller,
        name: str,
        corpora: list[Corpus],
        tokens: int,
        share: float = 1.0,
    ) -> None:
        """Search some corpora, and keep what there is room for."""
        started = time.perf_counter()
        request = asking.request
        found: SearchResponse = await self._search(
            SearchRequest(
                query=request.question,
                cwd=request.cwd,
                project=request.project,
                corpora=corpora,
                limit=RESULTS,
                diff=request.diff if "code" in corpora else None,
                token_budget=max(int(tokens * share), 100),
            ),
            caller,
        )
        asking.fresh = found
        results = found.results
        least = {"memory": MEMORY_CONFIDENCE, "history": COMMIT_CONFIDENCE}.get(name, 0.0)
        results = [each for each in results if each.confidence >= least]
        kept = asking.budget.take(results, share)
        asking.steps.append(
            AskStep(
                name=name,
                found=len(found.results),
                kept=kept,
                best=max((each.confidence for each in found.results), default=0.0),
                took_ms=round((time.perf_counter() - started) * 1000, 2),
            )
        )


def _say_how_it_ended(asking: QuestionState, reason: str, read: int) -> None:
    """Tell what an answer lacks, how much of the pieces it rests on, and what it made up."""
    sentences = [asking.notice] if asking.notice else []
    is_limited = asking.sampling is not None and asking.sampling.max_tokens is not None
    if reason in CUT and not (reason == "length" and is_limited):
        sentences.append(f"The model's answer ends in the middle: {CUT[reason]}.")
        asking.has_failed = True
    every = len(asking.budget.pieces)
    if not sentences and read < every:
        sentences.append(f"The model read the first {read} of {every} pieces.")
    if made_up := cited_beyond(asking.text, read):
        listed = ", ".join(f"[{number}]" for number in made_up)
        sentences.append(f"Nothing that the model read is {listed}, which its answer cites.")
    asking.notice = " ".join(sentences)


def _counted(piece: AskPiece) -> float:
    """The confidence of a piece, as far as it says that the question is answered."""
    is_vague = piece.corpus == "history" and piece.confidence < COMMIT_CONFIDENCE
    return 0.0 if is_vague else piece.confidence
