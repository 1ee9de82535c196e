"""What tools have in common: their shape, and how an answer is put together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from surveyor.engine.agents.text import inline
from surveyor.protocol.enumerations import Status
from surveyor.protocol.tools import ToolDescription
from surveyor.units import counted

Values = dict[str, Any]
Built = dict[str, Any]
"""An answer of the engine as plain data."""

NOTICE_CHARS = 800
"""Of what is said of an answer as a whole: of all matches, of what was not searched."""
HEALTHY: Status = "healthy"
"""The status that is not said: nothing beside the text, and no line in it, means it."""

ALL = "all"
"""In place of a project's name: every one that is registered."""


class ToolContext(Protocol):
    """What a tool needs of the agent's session."""

    async def ask(self, operation: str, **parameters: Any) -> Built:
        """Call an operation of the engine. Raises `SurveyorError`."""

    def afterwards(self, operation: str, **parameters: Any) -> None:
        """Call an operation beside this call, which may be over by then."""

    def where(self, project: str | None) -> dict[str, str | None]:
        """`cwd` and `project` for a request. Raises `UsageError` when neither is known."""

    async def root_of(self, project: str | None) -> str:
        """The root of a project, or of this session's. Raises `SurveyorError`."""

    def roots_open(self) -> list[str]:
        """The folders of this session that are projects, the main one first."""

    async def open_projects(self) -> list[tuple[str, str]]:
        """Names and roots of the projects open in this session, each once, the main one first."""

    async def every_project(self) -> list[tuple[str, str]]:
        """Names and roots of all registered projects, those of this session first."""

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell the agent how far a long call is, if it asked to know."""


class ReadLines(NamedTuple):
    """Lines of a file that an answer shows."""

    root: str
    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers: compact text, and as data what programs need and the text lacks."""

    text: str
    beside: Built = field(default_factory=dict)
    read: Sequence[ReadLines] = ()
    """What of files it shows."""
    wrote: Sequence[ReadLines] = ()
    """What of files was changed for it."""


Run = Callable[[ToolContext, Values], Awaitable[ToolAnswer]]

Several = Literal["own", "each", "first", "one"]
"""How a call is answered that concerns several projects: by the tool itself, by each of them, by
the first that can, or not at all."""


def by_itself(values: Values) -> Several:
    """The tool sees to it."""
    return "own"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it is for its callers, and what answers it."""

    described: ToolDescription
    run: Run
    several: Callable[[Values], Several] = by_itself


def freshness(answer: Mapping[str, Any]) -> Built:
    """As data, that an answer is not to be trusted in full and why: the status and one word."""
    if answer.get("status", HEALTHY) == HEALTHY:
        return {}
    return {name: answer[name] for name in ("status", "reason") if answer.get(name)}


def sureness(answer: Mapping[str, Any], cut: int = 0) -> Built:
    """As data, that places may be missing; `cut` is how many were left out of the text."""
    return freshness(answer) | ({} if answer["complete"] and not cut else {"complete": False})


def status_of(beside: Mapping[str, Any]) -> Status:
    """The status of an answer, from what it says beside its text."""
    status: Status = beside.get("status", HEALTHY)
    return status


def said_of(answer: Mapping[str, Any]) -> list[str]:
    """What is to be known of an answer, as lines for the fence: both sentences may name files,
    symbols and ignore rules of a project."""
    notice = inline(answer.get("notice") or "", NOTICE_CHARS)
    return [*([f"Note: {notice}"] if notice else []), *freshness_lines(answer)]


def freshness_lines(answer: Mapping[str, Any]) -> list[str]:
    """One line about freshness, for the fence; none when all is well."""
    status = answer.get("status", HEALTHY)
    if status == HEALTHY:
        return []
    behind = answer.get("files_behind") or 0
    waiting = f", {counted(behind, 'file')} behind" if behind else ""
    said = answer.get("message") or answer.get("reason") or ""
    return [inline(f"[{status}{waiting}] {said}", NOTICE_CHARS)]


def joined(*parts: str) -> str:
    """Paragraphs without the empty ones."""
    return "\n".join(part for part in parts if part)
