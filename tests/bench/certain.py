"""The product's answers that are wrong and yet certain, found by asking a language server the same.

    python -m tests.bench.certain LANGUAGE FOLDER… [--symbols 150] [--server NAME] [--cache DIR]
                                  [--skip FOLDER…] [--out FILE]

An engine of this checkout indexes the folder, without any language server, and is asked for the
references, callers, implementations and subtypes of a fixed sample of definitions. Then the
language's server (found as `surveyor lsp` finds it; `--server` names another of the registry) is
asked the same, as far as it offers that. An answer is

- right: no place of the server's is missing, and none that is certain is of something else;
- lacking: it misses places, and says that it may;
- certain: it misses places although it claims to be complete, or names a place as certain of which
  the server says that it is of another definition.

Each place of the latter is printed with its line of code: a server may be wrong, too. Places are
compared by line. What is not counted: see `graph.py`; a place that the server names among the uses
of one definition while it says that it is of another (uses of what a member implements or
overrides).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from surveyor.client.blocking import Client, connect
from surveyor.errors import SurveyorError
from surveyor.graph.library import MemoryGraph, build
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS, DefinitionKey
from surveyor.protocol.graph import (
    CallersRequest,
    GraphItem,
    GraphRequest,
    HierarchyRequest,
    ImplementationsRequest,
    ReferencesRequest,
)
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from tests.bench.graph import KINDS, READY_TIMEOUT_S, Comparison, Place
from tests.bench.graph_sample import FAMILIES, is_import, is_of_literal, read, sample
from tests.bench.questions.__main__ import settle
from tests.product import product

ASKED_KINDS = KINDS | {"property", "field", "enum_member"}
INDEX_S = 900.0
"""Until a repository is indexed, at most."""
MOST_PLACES = 5_000
"""Of one answer."""
SHOWN_PLACES = 6
"""Of one answer that is wrong."""

Subject = Literal["references", "callers", "implementations", "subtypes"]
REQUESTS: dict[Subject, type[GraphRequest]] = {
    "references": ReferencesRequest,
    "callers": CallersRequest,
    "implementations": ImplementationsRequest,
    "subtypes": HierarchyRequest,
}
OFFERED = {
    "references": "referencesProvider",
    "callers": "callHierarchyProvider",
    "implementations": "implementationProvider",
    "subtypes": "typeHierarchyProvider",
}
"""What a server says that offers the same."""

_HANDED_ON = re.compile(r"([\w$]+)\s*[:=]\s*(?:[\w$]+\.)*\1\b")
"""`module.exports = { Box: Box }`."""

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition that is asked about."""

    path: str
    line: int
    column: int
    name: str
    kind: str

    @property
    def subjects(self) -> Iterator[Subject]:
        """What is worth asking about it."""
        yield "references"
        if self.kind in CALLABLE_KINDS or self.kind in TYPE_KINDS:
            yield "callers"
            yield "implementations"
        if self.kind in TYPE_KINDS:
            yield "subtypes"


@dataclass(slots=True)
class Told:
    """What the product answers."""

    complete: bool
    items: list[GraphItem]
    notice: str = ""

    def has(self, place: Place, subject: Subject) -> bool:
        """Whether a line is named; of callers, whether what is around it is."""
        path, line, _ = place
        return any(
            item.path == path
            and (
                item.line == line
                or (subject == "callers" and item.start_line <= line <= item.end_line)
            )
            for item in self.items
        )

    def certain(self) -> list[Place]:
        """Places that are told as fact, and written out there."""
        return [
            (item.path, item.line, item.column)
            for item in self.items
            if item.precision != "text" and item.kind != "implicit"
        ]


@dataclass(slots=True)
class Judged:
    """One answer, compared with the server's."""

    symbol: Symbol
    subject: Subject
    complete: bool
    missing: list[Place] = field(default_factory=list)
    false: list[Place] = field(default_factory=list)
    found: int = 0
    """Places that both know."""

    @property
    def outcome(self) -> str:
        if self.false or (self.missing and self.complete):
            return "certain"
        if self.missing:
            return "lacking"
        return "right" if self.complete else "doubting"


def symbols_of(graph: MemoryGraph, count: int) -> list[Symbol]:
    """The sample: the same every run."""
    all_of_them = [
        (path, name.line, name.column, name.qualname, name.kind)
        for path, facts in graph.facts.items()
        for name in facts.names
        if name.kind in ASKED_KINDS
        and not name.name.startswith("__")
        and not is_of_literal(facts, name)
        and not is_import(facts, name)
    ]
    return [Symbol(*each) for each in sample(all_of_them, count)]


def ask_product(folder: Path, symbols: Iterable[Symbol]) -> dict[tuple[Symbol, Subject], Told]:
    """The answers of an engine that has no language server."""
    told: dict[tuple[Symbol, Subject], Told] = {}
    with (
        tempfile.TemporaryDirectory() as home,
        product(Path(home), SURVEYOR_GRAPH__ENRICH="false") as made,
    ):
        before = dict(os.environ)
        os.environ.update(made.environment)
        try:
            made.start("index", str(folder), "--json").communicate(timeout=INDEX_S)
            made.settle(folder)
            with connect() as client:
                settle(client, str(folder))
                for symbol in symbols:
                    for subject in symbol.subjects:
                        if answer := _told(client, folder, symbol, subject):
                            told[symbol, subject] = answer
        finally:
            os.environ.clear()
            os.environ.update(before)
    return told


def _told(client: Client, folder: Path, symbol: Symbol, subject: Subject) -> Told | None:
    """One answer; None where the product takes something else to be meant, or knows nothing."""
    request = REQUESTS[subject](
        path=symbol.path,
        line=symbol.line,
        column=symbol.column,
        cwd=str(folder),
        exact="never",
        limit=MOST_PLACES,
    )
    if isinstance(request, HierarchyRequest):
        request.direction, request.depth = "sub", 1
    try:
        answer = client.call(request)
    except SurveyorError as error:
        sys.stderr.write(f"  {subject} of {symbol.path}:{symbol.line} {symbol.name}: {error}\n")
        return None
    meant = answer.symbol
    if meant is not None and (meant.path, meant.line) != (symbol.path, symbol.line):
        return None
    complete = answer.complete and answer.status == "healthy" and answer.precision != "text"
    return Told(complete, answer.results, answer.notice or "")


class Oracle(Comparison):
    """A language server, asked what the product was asked."""

    @cached_property
    def _defined(self) -> set[Place]:
        return {
            (path, name.line, name.column)
            for path, facts in self.graph.facts.items()
            for name in facts.names
        }

    async def places(self, symbol: Symbol, subject: Subject) -> set[Place] | None:
        """Where it says that something is used, called, implemented or extended."""
        place = (symbol.path, symbol.line, symbol.column)
        if subject == "references":
            # Servers differ on whether an import declares; the definition is taken off later.
            context = {"includeDeclaration": True}
            return await self.ask("textDocument/references", place, context=context)
        if subject == "implementations":
            return await self.ask("textDocument/implementation", place)
        return await self._hierarchy(place, subject)

    async def _hierarchy(self, place: Place, subject: Subject) -> set[Place] | None:
        """Of the two questions that take two steps."""
        key = f"{subject} {place}"
        if key not in self.kept:
            found = await self._asked_in_steps(place, subject)
            self.kept[key] = None if found is None else sorted(found)
        known = self.kept[key]
        return None if known is None else {(p, line, column) for p, line, column in known}

    async def _asked_in_steps(self, place: Place, subject: Subject) -> set[Place] | None:
        path, line, column = place
        prepare, then = {
            "callers": ("textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"),
            "subtypes": ("textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes"),
        }[subject]
        position = {"position": {"line": line - 1, "character": column}}
        items = await self.answer(prepare, path, position)
        if not items:
            return None
        found: set[Place] = set()
        for item in items:
            answer = await self.answer(then, path, {"item": item})
            if answer is None:
                return None
            spans = [
                {"uri": each["from"]["uri"], "range": span}
                for each in answer
                if subject == "callers"
                for span in each["fromRanges"]
            ] or [{"uri": each["uri"], "range": each["selectionRange"]} for each in answer
                  if subject == "subtypes"]  # fmt: skip
            found |= self.places_of(spans)
        return found

    async def judge(self, symbol: Symbol, subject: Subject, told: Told) -> Judged | None:
        """Compare one answer; None where the server does not know the definition."""
        theirs = await self.places(symbol, subject)
        if theirs is None or (not theirs and subject in ("references", "implementations")):
            return None
        declared = self._declarations_of(symbol.path, symbol.name)
        family = {
            place[:2]
            for other in self.families.get(DefinitionKey(symbol.path, symbol.name), ())
            for place in self._declarations_of(*other)
        }
        declared |= self._declared_beside(symbol)
        own = {place[:2] for place in declared} | {(symbol.path, symbol.line)}
        theirs = {each for each in theirs if each[:2] not in own and not self._in_comment(each)}
        if subject in ("references", "callers"):
            theirs -= self._defined  # a member that overrides it is no use
        judged = Judged(symbol, subject, told.complete)
        for place in sorted(theirs):
            if told.has(place, subject):
                judged.found += 1
            elif subject in ("implementations", "subtypes") or await self._means(place, own):
                judged.missing.append(place)
        named = {place[:2] for place in theirs}
        for place in told.certain():
            if place[:2] in named or place[:2] in own or place[:2] in family:
                continue
            if subject in ("references", "callers") and not await self._means(place, own | family):
                judged.false.append(place)
        return judged

    def _declared_beside(self, symbol: Symbol) -> set[Place]:
        """A script and the `.d.ts` beside it are one thing to the product, two to the server."""
        is_declared = symbol.path.endswith(".d.ts")
        stem = symbol.path[: -len(".d.ts")] if is_declared else symbol.path.rpartition(".")[0]
        beside = [f"{stem}{end}" for end in (".d.ts", ".js", ".mjs", ".cjs")]
        return {
            place
            for path in beside
            if path != symbol.path and path in self.graph.facts
            for place in self._definitions_of(path, symbol.name)
        }

    async def _means(self, place: Place, own: set[Line]) -> bool:
        """Whether the server does not say that a place is of another definition."""
        said = await self.ask("textDocument/definition", place)
        if not said or all(
            each == place or self._is_binding(each, place) or self._is_handed_on(each)
            for each in said
        ):
            return True
        return any(each[:2] in own for each in said)

    def _is_handed_on(self, place: Place) -> bool:
        """Whether a module gives a name on there, which is all that the server knows of it."""
        column = place[2]
        return _HANDED_ON.match(self._text_at(place)[column:]) is not None

    def line_at(self, place: Place) -> str:
        """The line of code."""
        return self._text_at(place).strip()

    def _text_at(self, place: Place) -> str:
        path, line, _ = place
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text("utf-8", "replace").splitlines()
        return self.texts[path][line - 1]


async def compare(folder: Path, options: argparse.Namespace) -> tuple[str, list[Judged]]:
    """The server's name, and every answer that it knows something of."""
    graph = build(read(folder, options.language, frozenset(options.skip)))
    symbols = symbols_of(graph, options.symbols)
    told = ask_product(folder, symbols)
    chosen = {options.language: {"server": options.server}} if options.server else {}
    manager = UpstreamManager(
        UpstreamConfig(upstream=chosen, trusted=lambda _: True, idle_stop_s=3600)
    )
    try:
        upstream = await manager.get(options.language, folder)
        manager.open_headless(upstream, folder / next(iter(graph.facts)))
        await upstream.wait_ready(READY_TIMEOUT_S)
        oracle = Oracle(folder, graph, upstream, manager)
        kept = options.cache / f"{folder.name}-{upstream.name}.json" if options.cache else None
        if kept is not None and kept.exists():
            oracle.kept = json.loads(kept.read_text())
        offered = {each for each, name in OFFERED.items() if upstream.capabilities.get(name)}
        judged = []
        for (symbol, subject), answer in told.items():
            if subject in offered and (one := await oracle.judge(symbol, subject, answer)):
                judged.append(one)
                show(oracle, one, answer)
        if kept is not None:
            kept.write_text(json.dumps(oracle.kept))
        return upstream.name, judged
    finally:
        await manager.close()


def show(oracle: Oracle, judged: Judged, told: Told) -> None:
    """Print an answer that is wrong and certain, so that it can be read."""
    if judged.outcome != "certain":
        return
    symbol = judged.symbol
    claim = "complete" if told.complete else f"not complete: {told.notice}"
    say(
        f"\n{judged.subject} of {symbol.path}:{symbol.line} {symbol.name} ({symbol.kind}),"
        f" {judged.found} in common, {claim}"
    )
    for title, places in (("missing", judged.missing), ("false", judged.false)):
        if title == "missing" and not told.complete:
            continue
        for place in places[:SHOWN_PLACES]:
            path, line, column = place
            say(f"   {title} {path}:{line}:{column}  {oracle.line_at(place)[:140]}")
            said = oracle.kept.get(f"textDocument/definition {place}") or []
            for where in said[:2] if title == "false" else ():
                say(f"         -> {where[0]}:{where[1]}  {oracle.line_at(where)[:120]}")
        if len(places) > SHOWN_PLACES:
            say(f"   {title} and {len(places) - SHOWN_PLACES} more")


def table(rows: Iterable[tuple[str, str, list[Judged]]]) -> str:
    """Markdown, as in docs/graph.md."""
    head = ("repository", "server", "question", "asked", "right and complete",
            "right, said to lack", "lacking, said so", "wrong but certain", "complete")  # fmt: skip
    lines = [f"\n| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, server, judged in rows:
        by_subject: dict[str, list[Judged]] = defaultdict(list)
        for each in judged:
            by_subject[each.subject].append(each)
        for subject, answers in (*by_subject.items(), ("all", judged)):
            if answers:
                lines.append(f"| {name} | {server} | {subject} | {_cells(answers)} |")
    return "\n".join(lines)


def _cells(answers: list[Judged]) -> str:
    counts = Counter(each.outcome for each in answers)
    total, complete = len(answers), sum(each.complete for each in answers)
    columns = [counts[each] for each in ("right", "doubting", "lacking")]
    certain = f"{counts['certain']} ({100 * counts['certain'] / total:.1f} %)"
    return " | ".join(map(str, (total, *columns, certain, f"{100 * complete / total:.0f} %")))


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="tests.bench.certain", description=__doc__)
    parser.add_argument("language", choices=sorted(FAMILIES))
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--symbols", type=int, default=150)
    parser.add_argument("--server", help="a server of the registry; else the one that is found")
    parser.add_argument("--cache", type=Path, help="folder that keeps the server's answers")
    parser.add_argument("--skip", nargs="*", default=[], help="folders that are not looked into")
    parser.add_argument("--out", type=Path, help="keep every answer here, as JSON lines")
    options = parser.parse_args()
    rows = []
    for root in options.roots:
        server, judged = asyncio.run(compare(root.resolve(), options))
        rows.append((root.name, server, judged))
    if options.out:
        kept = [asdict(each) | {"outcome": each.outcome} for _, _, all_ in rows for each in all_]
        options.out.write_text("".join(f"{json.dumps(each)}\n" for each in kept))
    say(table(rows))


if __name__ == "__main__":
    main()
