"""Hooks of coding agents: what an agent says of an event on stdin, and `surveyor hint`.

Whoever waits for a hook does not work: an engine is asked only where one runs, for 2 s at most, and
what goes wrong is silent.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from surveyor.cli.hook_deadline import hook_deadline
from surveyor.platform.processes import parents_of
from surveyor.platform.streams import is_readable

if TYPE_CHECKING:
    from surveyor.client.blocking import Client

__all__ = ["hint", "note_written", "read_event", "searched_names", "session_of", "within_time"]

LEAST_S = 0.01
"""A socket's time has to be more than none."""
EVENT_S = 0.2
"""How long an event is waited for: agents write it before they start the hook, or never."""
MAX_EVENT_BYTES = 16 << 20
MAX_PARENTS = 12
MAX_NAMES = 3
_GREPS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack"})
_WITH_VALUE = frozenset("ABCefgmtTj")
"""Options of theirs that take the next word."""
_DEFINES = re.compile(
    r"^(?:(?:async|def|class|function|func|fn|struct|interface|type|const|enum)(?:\\s[+*]?|\s+))+"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")

A = TypeVar("A")


def hint() -> None:
    """For hooks: what the index knows of the name that an agent has just searched for in files.

    Reads the event of a Claude Code hook from stdin and answers as such a hook; silent where there
    is nothing to say, no engine runs, or `mcp.search_hints` is off.
    """
    from surveyor.errors import SurveyorError
    from surveyor.protocol.agent_hooks import SearchHintRequest

    event = read_event()
    names = searched_names(event)
    if not names:
        return
    request = SearchHintRequest(
        names=names,
        session=session_of(event),
        cwd=str(event.get("cwd") or Path.cwd()),
    )
    try:
        answer = within_time(lambda client: client.call(request))
    except (SurveyorError, TimeoutError):
        return
    if answer.text:
        said = {"hookEventName": "PostToolUse", "additionalContext": answer.text}
        sys.stdout.write(json.dumps({"hookSpecificOutput": said}) + "\n")


def within_time(ask: Callable[[Client], A], *, start: bool = False) -> A:
    """What a running engine, or with `start` one that is started, answers in the time that a hook
    has. Raises `SurveyorError`, `TimeoutError`."""
    from surveyor.client.blocking import connect

    deadline = hook_deadline()
    with connect(start=start, greet_s=deadline.left_s() or LEAST_S) as client:
        client.limit(deadline.left_s() or LEAST_S)
        answer = ask(client)
    deadline.met()
    return answer


def read_event() -> dict[str, Any]:
    """The event on stdin; empty where there is none."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stdin is None or sys.stdin.isatty():
            return {}
        event = json.loads(_read_all(sys.stdin.fileno()))
        return event if isinstance(event, dict) else {}
    return {}


def session_of(event: dict[str, Any]) -> str:
    """The agent's own name of its session; empty where the event has none."""
    names = (event.get(key) for key in ("session_id", "conversation_id"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _read_all(stream: int) -> bytes:
    """What comes until the end, or until nothing more does: not everybody closes it."""
    data = b""
    while len(data) < MAX_EVENT_BYTES and is_readable(stream, EVENT_S):
        block = os.read(stream, 1 << 16)
        if not block:
            break
        data += block
    return data


def note_written(client: Client, event: dict[str, Any]) -> None:
    """Tell the engine what an agent has written with a tool of its own."""
    from surveyor.errors import SurveyorError
    from surveyor.protocol.agent_hooks import AgentWroteRequest

    given = event.get("tool_input")
    if not isinstance(given, dict):
        return
    path = given.get("file_path")
    if not isinstance(path, str) or not Path(path).is_absolute():
        return
    several = given.get("edits")
    edits = several if isinstance(several, list) else [given]
    texts = [
        each["new_string"]
        for each in edits
        if isinstance(each, dict) and isinstance(each.get("new_string"), str)
    ]
    with contextlib.suppress(SurveyorError):
        above = os.getppid()
        parents = [above, *parents_of(above, MAX_PARENTS - 1)]
        client.call(AgentWroteRequest(path=path, texts=texts, parents=parents))


def searched_names(event: dict[str, Any]) -> list[str]:
    """The names that a search tool's call looks for; none where it looks for anything else."""
    given = event.get("tool_input")
    if not isinstance(given, dict):
        return []
    if event.get("tool_name") == "Grep":
        pattern = str(given.get("pattern", ""))
    elif event.get("tool_name") == "Bash":
        pattern = _grepped(str(given.get("command", "")))
    else:
        return []
    found = []
    for part in re.split(r"\\?\|", pattern):
        bare = part.strip().replace(r"\b", "").strip("^$")
        bare = _DEFINES.sub("", bare).removesuffix("(").removesuffix("\\").removesuffix("\\s*")
        if not _NAME.fullmatch(bare):
            return []
        found.append(bare)
    return found[:MAX_NAMES]


def _grepped(command: str) -> str:
    """The pattern of a command that searches files; empty for any other."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return ""
    begins = True  # what stands behind a pipe searches another command's output
    for number, word in enumerate(words):
        if begins and word == "git" and words[number + 1 : number + 2] == ["grep"]:
            continue
        is_first = begins or (word == "grep" and words[number - 1 : number] == ["git"])
        if is_first and word.rpartition("/")[2] in _GREPS:
            return _pattern(words[number + 1 :])
        begins = word in ("&&", "||", ";", "&", "(")
    return ""


def _pattern(words: list[str]) -> str:
    takes = False
    for word in words:
        if word in ("|", "&&", "||", ";", ">", "<"):
            return ""
        if takes:
            takes = False
        elif word in ("-e", "--regexp"):
            continue
        elif word.startswith("-") and len(word) > 1:
            takes = len(word) == 2 and word[1] in _WITH_VALUE
        else:
            return word
    return ""
