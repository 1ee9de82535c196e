"""A call of a tool, by whatever way it came: checked, answered, and what is wrong as an answer.

Nothing of the SDK is needed for it: an engine that has just started answers before that is there.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from surveyor.engine.agents.agent import Agent, CallingAgent, NoProjectError
from surveyor.engine.agents.arguments import check
from surveyor.engine.agents.text import fenced
from surveyor.engine.agents.tools import TOOLS, Tool, ToolAnswer, across_projects
from surveyor.engine.agents.tools.base import HEALTHY, Built, joined, status_of
from surveyor.engine.process.deadlines import LONG, deadline, task_named
from surveyor.errors import Quoting, SurveyorError
from surveyor.protocol.tools import META
from surveyor.protocol.wire import clipped, shown

log = logging.getLogger(__name__)

MESSAGE_CHARS = 1500
"""An error says no more, whatever it quotes."""

FOR_AGENTS = (
    ("Index it with `surveyor index PATH`.", "Index it: index action=index path=…"),
    ("run `surveyor index` there", "index action=index does it"),
    ("`surveyor symbols` finds by parts of names", "search finds by parts of names"),
    ("See `surveyor status --skipped` for what is not.", "search finds what is."),
    (
        "`surveyor status --skipped` says which files are left out, and why.",
        "search finds what is.",
    ),
    ("of the file: surveyor outline ", "of the file: symbol action=outline path="),
    ("Use `surveyor history file` for it.", "Give it as path."),
    ("See `surveyor library list`.", "search in=libraries finds without it."),
)
"""Hints that name a command of the terminal, and what an agent calls instead."""


Level = Literal["debug", "info", "error"]
Tell = Callable[[Level, str], Awaitable[None]]
"""Writes to the client's log."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call of a tool comes to: text, and what programs need beside it."""

    text: str
    beside: Built
    is_error: bool = False

    @property
    def meta(self) -> dict[str, Any] | None:
        """`_meta` of the result, None where the text says all."""
        return {META: self.beside} if self.beside else None


async def call_tool(
    named: str,
    given: dict[str, Any] | None,
    agent: Agent,
    calling: CallingAgent,
    request_timeout: Callable[[], float],
    tell: Tell,
) -> ToolOutcome:
    """The outcome of one call; raises nothing but `CancelledError`.

    `calling` is `agent` during this call.
    """
    tool = TOOLS.get(named)
    if tool is None:
        return failure(f"there is no tool {shown(named)!r}", f"Known: {', '.join(TOOLS)}.")
    await agent.ready()
    answered = await _answered(tool, given, agent, calling, request_timeout, tell)
    name = tool.described.name
    if isinstance(answered, ToolOutcome):
        agent.log_call(name, given or {}, answered.text, failed=True)
        return answered
    agent.log_call(name, given or {}, answered.text, answered.read, answered.wrote)
    return ToolOutcome(answered.text, answered.beside)


async def _answered(
    tool: Tool,
    given: dict[str, Any] | None,
    agent: Agent,
    calling: CallingAgent,
    request_timeout: Callable[[], float],
    tell: Tell,
) -> ToolAnswer | ToolOutcome:
    """What a tool answers, or a refusal."""
    name = tool.described.name
    started = time.perf_counter()
    try:
        arguments = check(tool.described.arguments, given)
        is_long = name in LONG or bool(arguments.get(tool.described.acts_with))
        with task_named(f"the tool {name}"):
            async with deadline(name, None if is_long else request_timeout()):
                answer = await across_projects.run(tool, calling, arguments)
                stale = await agent.stale_line(answer.read)
    except NoProjectError as error:
        if known := await agent.known():
            error.hint = f"Name one with `project`: {known}; or all. {error.hint}"
        return refusal(error)
    except SurveyorError as error:
        return refusal(error)
    except asyncio.CancelledError:
        raise
    except Exception as error:
        log.exception("the tool %s failed", name)
        await tell("error", f"{name} failed: {type(error).__name__}")
        return failure(
            f"{name} failed inside Surveyor ({type(error).__name__})",
            "Try again; `surveyor engine logs` has the details.",
            "internal",
        )
    took = 1000 * (time.perf_counter() - started)
    status = status_of(answer.beside)
    level: Level = "debug" if status == HEALTHY else "info"
    await tell(level, f"{name} answered in {took:.0f} ms, {status}")
    return replace(answer, text=joined(answer.text, stale))


def refusal(error: SurveyorError) -> ToolOutcome:
    """An error of ours as an answer, with what is near where something is known."""
    near = error.details.get("near")
    lines = [str(each) for each in near] if isinstance(near, list) else []
    hint = Quoting(error.hint) if error.hint_quotes else error.hint
    told = failure(error.message, hint, error.code, lines, quotes=error.quotes)
    if error.details.get("complete") is False:
        told.beside["complete"] = False
    return told


def failure(
    message: str,
    hint: str = "",
    code: str = "bad_request",
    near: Sequence[str] = (),
    *,
    quotes: bool = False,
) -> ToolOutcome:
    """An error that a model can act on; what it quotes from elsewhere stays fenced."""
    quoted = isinstance(hint, Quoting)
    message, hint = clipped(message, MESSAGE_CHARS), clipped(hint, MESSAGE_CHARS)
    for terminal, here in FOR_AGENTS:
        hint = hint.replace(terminal, here)
    hint = hint[:1].upper() + hint[1:]
    near = [clipped(each) for each in near]
    if quoted:
        near, hint = [hint, *near], ""
    said = message.strip().rstrip(".")
    ended = said if said.endswith("?") else f"{said}."
    is_ours = not quotes and said.isprintable() and len(said) < 300
    text = ended if is_ours else fenced([said])
    apart = " " if is_ours else "\n"
    text = joined(f"{text}{apart}{hint}".strip(), joined("Near:", fenced(near)) if near else "")
    return ToolOutcome(text, {"code": code}, is_error=True)
