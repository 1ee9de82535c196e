"""Our section of a hover, from the index: who uses it, rules about it, similar code, last change.

Each part is asked for by itself; one that fails or is late is left out.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from surveyor.errors import SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.line_mapping import LineMappings
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import RULE_COMMANDS
from surveyor.protocol.graph import EnrichmentRequest, EnrichmentResponse, GraphItem
from surveyor.protocol.history import LastChangeRequest
from surveyor.protocol.knowledge import RuleItem, RulesAtRequest
from surveyor.protocol.search import SearchResult, SimilarRequest
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.uris import to_path, to_uri
from surveyor.units import counted

PART_LIMIT_S = 0.4
RULE_CHARS = 200
MAX_RULES = 3
MAX_SIMILAR = 2
MAX_CALLERS = 3
SIMILAR_AT_LEAST = 0.5
"""Confidence below which code is not called similar."""

log = logging.getLogger(__name__)


ORDER = ("references", "rules", "similar", "history")


@dataclass(frozen=True, slots=True)
class Section:
    """Our part of a hover: what it is about, and what it says of it (Markdown; empty: nothing)."""

    subject: str = ""
    text: str = ""

    @property
    def alone(self) -> str:
        """The text below the name of what it is about: there is nothing above that says it."""
        return f"`{self.subject}`  \n{self.text}" if self.subject else self.text


class SectionDraft:
    """Parts of a section that are there so far, by name."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.subject = ""
        """Name of what the section is about."""
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once it is known what the section is about, and who uses it."""

    def begin(self) -> None:
        """The first part is there, or there is none: the others take longer."""
        if not self.begun.done():
            self.begun.set_result(None)

    @property
    def section(self) -> Section:
        """What it says so far, in the order of its parts."""
        text = "  \n".join(self.parts[name] for name in ORDER if self.parts.get(name))
        return Section(self.subject, text)


class HoverSection:
    """Builds our section of a hover: uses, callers, rules, similar code and the last change."""

    def __init__(
        self,
        index: EngineLink,
        documents: OpenDocuments,
        roots: Roots,
        root_of: Callable[[Path], Path],
    ) -> None:
        self._index = index
        self._documents = documents
        self._roots = roots
        self._root_of = root_of
        self._line_mappings = LineMappings(documents)

    async def compose(
        self, uri: str, line: int, character: int, parts: frozenset[str], draft: SectionDraft
    ) -> bool:
        """Fill a draft for a place, part by part; left empty when there is nothing to say.

        Lines and columns are LSP's. Whether that is all there will be to say: `False` when a part
        was late, or the graph is behind.
        """
        path = to_path(uri)
        if path is None or self._roots.of(path) is None:
            return True
        if not self._index.up:
            return False
        document = self._documents.get(uri)
        word = document.word_at(line, character) if document else ""
        if document is not None and not word:
            return True
        # The graph knows the file as it was saved; a line that was edited is known by its word.
        saved = self._line_mappings.to_saved(uri, line)
        known = await self._enrichment(path, saved, character, word)
        if known is None:
            return False
        definition = known.symbol if known.found else None
        if definition is None:
            return known.complete
        root = self._root_of(path)
        draft.subject = definition.symbol or definition.path
        if "references" in parts:
            draft.parts["references"] = self._used_by(known, root)
        draft.begin()
        makers: dict[str, Callable[[], Awaitable[str]]] = {
            "rules": lambda: self._rules(root, definition, linked=RULE_COMMANDS in parts),
            "similar": lambda: self._similar(root, definition),
            "history": lambda: self._history(root, definition),
        }

        async def fill(name: str) -> bool:
            try:
                draft.parts[name] = await makers[name]()
            except SurveyorError as error:
                log.debug("a part of a hover is left out: %s", error)
                return False
            return True

        filled = await asyncio.gather(*(fill(name) for name in makers if name in parts))
        return known.complete and all(filled)

    async def _enrichment(
        self, path: Path, line: int | None, character: int, name: str
    ) -> EnrichmentResponse | None:
        place: dict[str, Any] = (
            {"name": name}
            if line is None
            else {"path": str(path), "line": line + 1, "column": character, "enclosing": False}
        )
        try:
            return await self._index.call(
                EnrichmentRequest(
                    saved=True, **place, cwd=str(path.parent), callers=MAX_CALLERS, details=False
                ),
                limit_s=PART_LIMIT_S,
            )
        except SurveyorError as error:
            log.debug("no section: %s", error)
            return None

    async def _rules(self, root: Path, definition: GraphItem, *, linked: bool) -> str:
        answer = await self._index.call(
            RulesAtRequest(path=str(root / definition.path), line=definition.line),
            limit_s=PART_LIMIT_S,
        )
        lines = []
        for rule in answer.rules[:MAX_RULES]:
            text = " ".join(rule.content.split())
            short = text if len(text) <= RULE_CHARS else text[: RULE_CHARS - 1] + "…"
            review = " _(the code has changed since: review)_" if rule.needs_review else ""
            links = f" {_rule_links(rule)}" if linked else ""
            title = escape(rule.title or rule.label)
            lines.append(f"Rule **{title}**: {escape(short)}{review}{links}")
        return "  \n".join(lines)

    async def _similar(self, root: Path, definition: GraphItem) -> str:
        answer = await self._index.call(
            SimilarRequest(
                cwd=str(root),
                path=definition.path,
                start_line=definition.start_line,
                end_line=definition.end_line,
                limit=MAX_SIMILAR + 1,
            ),
            limit_s=PART_LIMIT_S,
        )
        found = [
            self._link(f"`{item.symbol or item.path}`", path_of(item), item.start_line)
            for item in answer.results
            if item.confidence >= SIMILAR_AT_LEAST
            and not (
                item.path == definition.path
                and overlaps(item.start_line, item.end_line, definition)
            )
        ]
        return f"Similar: {', '.join(found[:MAX_SIMILAR])}" if found else ""

    async def _history(self, root: Path, definition: GraphItem) -> str:
        change = await self._index.call(
            LastChangeRequest(
                path=str(root / definition.path),
                start_line=definition.start_line,
                end_line=definition.end_line,
            ),
            limit_s=PART_LIMIT_S,
        )
        if not change.known or change.commit is None:
            return ""
        when = age(change.date) if change.date else ""
        subject = escape(change.subject)
        return f"Last change `{change.commit[:8]}` {when} by {escape(change.author)}: {subject}"

    def _used_by(self, known: EnrichmentResponse, root: Path) -> str:
        """How often and by whom; a count that edges are missing for is not given as exact."""
        if not known.references:
            return ""
        about = "" if known.complete else "at least "
        text = f"Used {about}{counted(known.references, 'time')} in {counted(known.files, 'file')}"
        callers = [
            self._link(f"`{item.symbol or Path(item.path).name}`", root / item.path, item.line)
            for item in known.callers
        ]
        more = known.caller_count - len(callers)
        rest = f" and {more} more" if callers and more > 0 else ""
        return text + (f": {', '.join(callers)}{rest}" if callers else "")

    def _link(self, text: str, path: Path, line: int) -> str:
        """A Markdown link that editors open at a line: where it is in an edited buffer."""
        uri = to_uri(path)
        return f"[{text}]({uri}#L{self._line_mappings.to_buffer(uri, line - 1) + 1})"


def _rule_links(rule: RuleItem) -> str:
    """Links to the client's commands for a rule, which is named by label and scope."""
    named = quote(json.dumps([{"label": rule.label, "scope": rule.scope}]), safe="")
    commands = (("show", "showRule"), ("edit", "editRule"), ("delete", "deleteRule"))
    return " · ".join(f"[{said}](command:surveyor.{name}?{named})" for said, name in commands)


def path_of(item: SearchResult) -> Path:
    """The file of a result."""
    return Path(item.root) / item.path


def overlaps(start: int, end: int, item: GraphItem) -> bool:
    """Whether lines overlap a definition's."""
    return start <= item.end_line and end >= item.start_line


def escape(text: str) -> str:
    """Text from files and rules, so that it stays text in Markdown."""
    for char in "\\`*_[]<>#":
        text = text.replace(char, "\\" + char)
    return text


def age(date: str, now: datetime | None = None) -> str:
    """How long ago an ISO date was, in words."""
    try:
        then = datetime.fromisoformat(date)
    except ValueError:
        return ""
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    for size, name in ((31_557_600, "year"), (2_629_800, "month"), (86_400, "day"), (3600, "hour")):
        count = int(seconds // size)
        if count:
            return f"{counted(count, name)} ago"
    return "just now"
