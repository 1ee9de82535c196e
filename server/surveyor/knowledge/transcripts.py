"""Agent transcripts as readable sessions: Claude Code JSONL, OpenCode JSON, plain Markdown.

Reads only; the originals are never touched. Unknown or broken lines are passed over: these
formats belong to others and change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from surveyor.knowledge.foreign_files import matching

TOOL_TEXT_MAX_CHARS = 400
"""Of what tools were given; what they returned is left out (it is mostly files)."""

Agent = Literal["claude-code", "opencode", "markdown"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said. `at` is seconds since 1970, 0 when unknown."""

    role: str
    text: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation. `directory` is the folder that it was about, empty when unknown."""

    id: str
    agent: Agent
    title: str
    directory: str
    started: float
    ended: float
    turns: tuple[Turn, ...]

    def markdown(self) -> str:
        """The session as a document: a heading, then each turn under its own."""
        parts = [f"# {self.title}"]
        for turn in self.turns:
            when = (
                datetime.fromtimestamp(turn.at, UTC).strftime(" (%Y-%m-%d %H:%M)")
                if turn.at
                else ""
            )
            parts.append(f"## {turn.role.capitalize()}{when}\n\n{_quiet_headings(turn.text)}")
        return "\n\n".join(parts) + "\n"


def claude_code(path: Path) -> Transcript | None:
    """A session of Claude Code (`~/.claude/projects/<folder>/<session>.jsonl`); None if empty."""
    turns: list[Turn] = []
    directory = title = ""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            entry = _object(line)
            directory = directory or _text(entry.get("cwd"))
            if entry.get("type") == "summary":
                title = _text(entry.get("summary"))
            message = entry.get("message")
            if entry.get("type") not in ("user", "assistant") or not isinstance(message, dict):
                continue
            if entry.get("isMeta"):
                continue
            if text := _content(message.get("content")):
                turns.append(Turn(str(entry["type"]), text, _time(entry.get("timestamp"))))
    return _session(path.stem, "claude-code", title, directory, turns)


def opencode(storage: Path) -> Iterator[Transcript]:
    """Sessions under OpenCode's storage folder (`~/.local/share/opencode/storage`)."""
    for path in matching(storage / "session", "**/*.json"):
        if session := opencode_session(storage, path):
            yield session


def opencode_session(storage: Path, path: Path) -> Transcript | None:
    """One session: `session/<project>/<id>.json`, `message/<id>/*.json`, `part/<message>/*`."""
    info = _object(_read(path))
    identity = _text(info.get("id")) or path.stem
    turns: list[tuple[float, Turn]] = []
    for file in matching(storage / "message" / identity, "*.json"):
        message = _object(_read(file))
        parts = [
            _object(_read(part))
            for part in matching(
                storage / "part" / (_text(message.get("id")) or file.stem), "*.json"
            )
        ]
        at = _millis(message, "created")
        if text := _content(parts) or _content(message.get("content")):
            turns.append((at, Turn(_text(message.get("role")) or "user", text, at)))
    turns.sort(key=lambda one: one[0])
    return _session(
        identity,
        "opencode",
        _text(info.get("title")),
        _text(info.get("directory")),
        [turn for _, turn in turns],
        (_millis(info, "created"), _millis(info, "updated")),
    )


def markdown(path: Path) -> Transcript | None:
    """Any Markdown file as a session: the first heading is the title, the file's date its own."""
    text = _read(path).strip()
    if not text:
        return None
    heading = re.search(r"^#{1,6}\s+(.+)$", text, re.MULTILINE)
    directory = re.search(r"^\W*(?:cwd|directory|workspace|project)\W*:\s*`?([^`\n]+)", text, re.M)
    at = path.stat().st_mtime
    return Transcript(
        id=path.stem,
        agent="markdown",
        title=heading[1].strip() if heading else path.stem,
        directory=directory[1].strip() if directory else "",
        started=at,
        ended=at,
        turns=(Turn("notes", text, 0.0),),
    )


def _session(
    identity: str,
    agent: Agent,
    title: str,
    directory: str,
    turns: list[Turn],
    times: tuple[float, float] = (0.0, 0.0),
) -> Transcript | None:
    if not turns:
        return None
    first = next((turn.text for turn in turns if turn.role == "user"), turns[0].text)
    known = [turn.at for turn in turns if turn.at]
    return Transcript(
        id=identity,
        agent=agent,
        title=title or first.strip().split("\n")[0][:80],
        directory=directory,
        started=min(known, default=times[0]) or times[0],
        ended=max(known, default=times[1]) or times[1],
        turns=tuple(turns),
    )


def _content(content: Any) -> str:
    """Text of a message: a string, or a list of parts of which text and tool calls are kept."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    said = []
    for part in content:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text" and not part.get("synthetic"):
            said.append(_text(part.get("text")).strip())
        elif part.get("type") == "tool_use":
            said.append(_tool(_text(part.get("name")), part.get("input")))
        elif part.get("type") == "tool":
            state = part.get("state")
            given = state.get("input") if isinstance(state, dict) else None
            said.append(_tool(_text(part.get("tool")), given))
    return "\n\n".join(one for one in said if one)


def _tool(name: str, given: Any) -> str:
    shown = json.dumps(given, ensure_ascii=False) if given else ""
    return f"`{name}` {shown[:TOOL_TEXT_MAX_CHARS]}".strip()


def _quiet_headings(text: str) -> str:
    """Headings inside a turn go below the turn's own."""
    return re.sub(r"^(#{1,4}) ", r"##\1 ", text, flags=re.MULTILINE)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _time(value: Any) -> float:
    try:
        return datetime.fromisoformat(_text(value)).timestamp()
    except ValueError:
        return 0.0


def _millis(entry: dict[str, Any], name: str) -> float:
    times = entry.get("time")
    value = times.get(name) if isinstance(times, dict) else None
    return value / 1000 if isinstance(value, int | float) else 0.0
