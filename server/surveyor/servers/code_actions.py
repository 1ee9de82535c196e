"""The code actions that a language server offers in a document, without an editor: what they are
called, and what one of them changes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surveyor.servers.errors import UpstreamError
from surveyor.servers.manager import UpstreamManager
from surveyor.servers.published_diagnostics import (
    PublishedDiagnostics,
    ServerTurns,
    ShownDocuments,
)
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri

__all__ = ["ActionError", "ActionsAnswer", "CodeActions", "OfferedAction", "Span"]

READY_S = 12.0
"""How long a server may take to get ready: one that has not read the project offers too little."""
DIAGNOSED_S = 6.0
"""How long it may take to say what is wrong in the document: fixes belong to that."""
ANSWER_S = 15.0
"""How long the edit of an action may take."""
MAX_SAME = 10
"""Actions of one title whose edits are compared."""
ASKED_KINDS: tuple[tuple[str, ...], ...] = (
    (),
    ("source",),
    ("source.organizeImports",),
    ("refactor",),
)
"""Some servers offer these kinds only to those who ask for them."""

Span = tuple[tuple[int, int], tuple[int, int]]
"""First and last place, each a line from 0 and a column in UTF-16."""


class ActionError(UpstreamError):
    """Raised where an action cannot be applied."""

    code = "refused"


@dataclass(frozen=True, slots=True)
class OfferedAction:
    """A code action."""

    title: str
    kind: str
    disabled: str
    """Why it cannot be applied there, if so."""
    value: Mapping[str, Any]
    """`CodeAction` or `Command`, as the server sent it."""


@dataclass(frozen=True, slots=True)
class ActionsAnswer:
    """What a server offers, and the edits of the action that was asked for."""

    server: str
    offered: Sequence[OfferedAction]
    edits: Sequence[Mapping[str, Any]] = ()
    """`WorkspaceEdit`s, one after the other."""
    left_out: str = ""
    """A command that belongs after the edit, and is not run."""
    lacks: str = ""
    """Why there is no edit of the title that was asked for, if so."""


class CodeActions:
    """Asks the servers of one manager."""

    def __init__(
        self, manager: UpstreamManager, host: PublishedDiagnostics, turns: ServerTurns
    ) -> None:
        self._manager = manager
        self._host = host
        self._turns = turns

    async def ask(
        self, root: Path, texts: Mapping[Path, str], span: Span, title: str
    ) -> ActionsAnswer:
        """What is offered at a place of the first of some documents; of the action of a title,
        its edits.

        Raises `UpstreamError` where no server answers, or the action cannot be applied.
        """
        file = next(iter(texts))
        language = self._manager.language_of(to_uri(file))
        if language is None:
            raise UpstreamError(f"No language server knows {file.name}")
        at = self._manager.root_of(language, file, root)
        async with self._turns[language.name, at]:
            upstream = await self._manager.get(language.name, at)
            shown = ShownDocuments(self._manager, self._host, upstream)
            with self._host.listening(iter(texts)):
                try:
                    since = time.monotonic()
                    shown.show(texts)
                    if not await shown.is_ready(READY_S):
                        raise ActionError(
                            f"{upstream.name} is still loading", "Try again in a moment."
                        )
                    until = time.monotonic() + DIAGNOSED_S
                    found = await shown.items(file, since, until)
                    return await self._answer(upstream, file, span, _within(found, span), title)
                finally:
                    shown.close()

    async def _answer(
        self, upstream: Upstream, file: Path, span: Span, diagnostics: list[Any], title: str
    ) -> ActionsAnswer:
        offered = await _offered(upstream, file, span, diagnostics)
        if not title:
            return ActionsAnswer(upstream.name, offered)
        wanted = [each for each in offered if _plain(each.title) == _plain(title)]
        able = [each for each in wanted if not each.disabled]
        if not able:
            lacks = f"{upstream.name} offers no action of that title there"
            if wanted:
                lacks = f"{upstream.name} cannot do that there: {wanted[0].disabled}"
            return ActionsAnswer(upstream.name, offered, lacks=lacks)
        # What a command changes is known when it has run: only one is.
        if len(able) > 1 and any(_is_command(each.value) for each in able):
            raise ActionError(f"{len(able)} actions have that title there", "Give the column, too.")
        results = [await self._edits(upstream, each.value) for each in able[:MAX_SAME]]
        if any(each != results[0] for each in results):
            raise ActionError(f"{len(able)} actions have that title there", "Give the column, too.")
        edits, left_out = results[0]
        return ActionsAnswer(upstream.name, offered, edits, left_out)

    async def _edits(
        self, upstream: Upstream, action: Mapping[str, Any]
    ) -> tuple[list[Mapping[str, Any]], str]:
        """The edits of an action, and the command that it would run after them."""
        is_whole = _is_command(action) or isinstance(action.get("edit"), dict)
        if not is_whole and upstream.supports("codeAction/resolve"):
            action = await _asked(upstream, "codeAction/resolve", action) or action
        command = action if _is_command(action) else action.get("command")
        edit = action.get("edit")
        if isinstance(edit, dict):
            name = command.get("command", "") if isinstance(command, dict) else ""
            return [edit], str(name)
        if not isinstance(command, dict):
            raise ActionError(f"{upstream.name} gave no edit for it")
        name = str(command.get("command", ""))
        if name not in _commands(upstream):
            raise ActionError(f"it needs {name}, which only an editor has", "Apply it there.")
        params = {"command": name, "arguments": command.get("arguments") or []}
        with self._host.taking_edits(upstream) as taken:
            try:
                await upstream.request("workspace/executeCommand", params, timeout=ANSWER_S)
            except UpstreamError:
                if not taken:
                    raise
        if not taken:
            raise ActionError(f"{upstream.name} ran {name}, which sent no edit")
        return taken, ""


async def _offered(
    upstream: Upstream, file: Path, span: Span, diagnostics: list[Any]
) -> list[OfferedAction]:
    offered: list[OfferedAction] = []
    for kinds in ASKED_KINDS:
        context: dict[str, Any] = {"diagnostics": diagnostics, "triggerKind": 1}
        if kinds:
            context["only"] = list(kinds)
        params = {
            "textDocument": {"uri": to_uri(file)},
            "range": {"start": _position(span[0]), "end": _position(span[1])},
            "context": context,
        }
        if not kinds:
            answer = await _asked(upstream, "textDocument/codeAction", params)
        else:  # one that does not know the kind may say so with an error
            answer = None
            with contextlib.suppress(UpstreamError):
                answer = await _asked(upstream, "textDocument/codeAction", params)
        known = {each.title for each in offered}
        more = [_action(each) for each in (answer if isinstance(answer, list) else [])]
        offered += [each for each in more if each is not None and each.title not in known]
    return offered


async def _asked(upstream: Upstream, method: str, params: Any) -> Any:
    answer = await upstream.request(method, params, timeout=ANSWER_S)
    return answer.value()


def _action(value: Any) -> OfferedAction | None:
    if not isinstance(value, dict) or not isinstance(value.get("title"), str):
        return None
    disabled = value.get("disabled")
    reason = str(disabled.get("reason") or "disabled") if isinstance(disabled, dict) else ""
    return OfferedAction(value["title"], str(value.get("kind") or ""), reason, value)


def _is_command(action: Mapping[str, Any]) -> bool:
    return isinstance(action.get("command"), str)


def _commands(upstream: Upstream) -> set[str]:
    """The commands that the server itself runs."""
    offered = [upstream.capabilities.get("executeCommandProvider")]
    offered += [
        each.get("registerOptions")
        for each in upstream.registrations.values()
        if each.get("method") == "workspace/executeCommand"
    ]
    return {
        str(name)
        for options in offered
        if isinstance(options, dict)
        for name in options.get("commands") or ()
    }


def _within(diagnostics: Sequence[Any], span: Span) -> list[Any]:
    """Those on the lines of a span."""
    first, last = span[0][0], span[1][0]
    found = []
    for each in diagnostics:
        try:
            start, end = each["range"]["start"]["line"], each["range"]["end"]["line"]
        except (KeyError, TypeError):
            continue
        if start <= last and end >= first:
            found.append(each)
    return found


def _position(place: tuple[int, int]) -> dict[str, int]:
    return {"line": place[0], "character": place[1]}


def _plain(title: str) -> str:
    return " ".join(title.split()).casefold()
