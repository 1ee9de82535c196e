"""What an agent is told of Surveyor where it reads its rules: `AGENTS.md`, Cursor's own file.

A file of the user's gets a block between two marks; what stands around it stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from surveyor.errors import UsageError
from surveyor.mcp import clients
from surveyor.mcp.clients import CLIENTS, FileEdit, McpClient, Scope
from surveyor.mcp.plugin import plugin_files

__all__ = ["RULES", "rules_change"]

BEGIN = "<!-- surveyor: begin -->"
END = "<!-- surveyor: end -->"
_BLOCK = re.compile(rf"(?:\r?\n)?{re.escape(BEGIN)}.*?{re.escape(END)}(?:\r?\n)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AgentRules:
    """Where an agent reads rules."""

    source: str
    """In `clients/agents`."""
    user: Callable[[], Path] | None
    project: str
    is_own: bool = False
    """The file holds our rules alone."""

    def file(self, scope: Scope, root: Path) -> Path | None:
        """None where there is none for this scope."""
        if scope == "project":
            return root / self.project
        return self.user() if self.user is not None else None


RULES: dict[str, AgentRules] = {
    "codex": AgentRules("codex/AGENTS.md", lambda: _beside("codex", "AGENTS.md"), "AGENTS.md"),
    "opencode": AgentRules(
        "opencode/AGENTS.md", lambda: _beside("opencode", "AGENTS.md"), "AGENTS.md"
    ),
    "cursor": AgentRules("cursor/surveyor.mdc", None, ".cursor/rules/surveyor.mdc", is_own=True),
}
"""By client. Cursor keeps its user's rules in its settings, not in a file."""


def rules_change(client: McpClient, scope: Scope, root: Path, *, remove: bool) -> FileEdit | None:
    """Puts the rules in, or takes them out; None where the client reads none from a file."""
    rules = RULES.get(client.name)
    file = rules.file(scope, root) if rules is not None else None
    if rules is None or file is None:
        return None
    before = clients.read_config(file)
    if remove:
        is_others = before is not None and rules.is_own and not _is_ours(before)
        if before is None or is_others or _is_needed(client, file, scope, root):
            return FileEdit(file, before, before, "detach")
        return clients.taken_out(file, before, lambda text: "" if rules.is_own else _without(text))
    text = (plugin_files() / rules.source).read_text("utf-8")
    if not rules.is_own:
        text = _with(before or "", text)
    elif before is not None and before != text and not _is_ours(before):
        raise UsageError(
            f"{file} is there and not ours", "It is left as it is: move it away first."
        )
    return FileEdit(file, before, text, "attach")


def _with(text: str, rules: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{rules.strip()}\n{END}\n".replace("\n", end)
    if _BLOCK.search(text):
        found = _BLOCK.search(text)
        assert found is not None
        lead = end if found[0].startswith(("\n", "\r\n")) else ""
        return text[: found.start()] + lead + block + text[found.end() :]
    if not text:
        return block
    return text + ("" if text.endswith("\n") else end) + end + block


def _without(text: str) -> str:
    return _BLOCK.sub("", text)


def _is_ours(text: str) -> bool:
    return "Surveyor's `search`" in text


def _is_needed(client: McpClient, file: Path, scope: Scope, root: Path) -> bool:
    """Whether another agent that has Surveyor reads the same file."""
    others = (CLIENTS[name] for name in RULES if name != client.name)
    return any(
        RULES[other.name].file(scope, root) == file and clients.detach(other, scope, root).is_needed
        for other in others
    )


def _beside(name: str, file: str) -> Path:
    """A file beside a client's own configuration."""
    return clients.file_of(CLIENTS[name], "user", Path()).with_name(file)
