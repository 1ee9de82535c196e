"""How far syntax edges agree with a real language server, on real repositories.

    python -m tests.bench.graph python path/to/repo [path/to/repo …] [--symbols 150] [--json]

Starts the language's server (found as `surveyor lsp` finds it) on a copy of nothing: the folder
itself, read only. Asks it for the references of a sample of symbols and for the definitions of a
sample of uses, and compares places (path, line, column) with what `surveyor.graph` says. Both
sides count inside the folder only, without the definition itself. The sample is the same every run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.library import MemoryGraph, build
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import DefinitionKey
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_path
from tests.bench.graph_sample import FAMILIES, families_of, is_import, is_of_literal, read, sample

KINDS = frozenset({"function", "method", "class", "interface", "type", "constant", "variable",
                   "enum", "struct", "trait", "macro"})  # fmt: skip
IMPLICIT = KIND_CODES["implicit"]
CALLS = frozenset({KIND_CODES["call"], KIND_CODES["instantiation"]})
READY_TIMEOUT_S = 60.0
ANSWER_TIMEOUT_S = 60.0
ATTEMPTS = 5
"""Of a question whose answer was not complete."""
OF_FAMILIES = frozenset({"typescript-language-server", "vtsls", "clangd", "jdtls", "intelephense"})
"""Servers whose references of a member are those of all that it implements or that override it."""
VERIFIED = 1000
"""Most uses of one symbol about which the server is asked once more."""
Place = tuple[str, int, int]
"""(path, 1-based line, UTF-16 column)."""


@dataclass(slots=True)
class Score:
    """Agreement of two sets of places, summed over a sample."""

    both: int = 0
    ours: int = 0
    theirs: int = 0

    def add(self, ours: set[Place], theirs: set[Place]) -> None:
        self.both += len(ours & theirs)
        self.ours += len(ours)
        self.theirs += len(theirs)

    @property
    def precision(self) -> float | None:
        """None where the server named no place at all: then nothing is judged."""
        return self.both / self.ours if self.ours and self.theirs else None

    @property
    def recall(self) -> float | None:
        """None as for `precision`."""
        return self.both / self.theirs if self.theirs else None


class Comparison:
    """One repository, both sides."""

    def __init__(
        self, root: Path, graph: MemoryGraph, upstream: Upstream, manager: UpstreamManager
    ) -> None:
        self.root, self.graph = root, graph
        self.upstream, self.manager = upstream, manager
        self.texts: dict[str, list[str]] = {}
        self.kept: dict[str, list[Place] | None] = {}
        """What the server has said, by the question."""
        self.references, self.calls, self.definitions = Score(), Score(), Score()
        self.uses: dict[DefinitionKey, set[Place]] = defaultdict(set)
        self.targets: dict[Place, set[DefinitionKey]] = defaultdict(set)
        self.kinds: dict[Place, int] = {}
        for path, rows in graph.references.items():
            for _, kind, line, column, _, _, _ in rows:
                if kind != IMPLICIT:
                    self.kinds[path, line, column] = kind
        for path, resolution in graph.resolutions.items():
            for edge in resolution.edges:
                if edge.score >= CERTAIN and edge.kind != IMPLICIT:  # servers answer for names
                    place = (path, edge.line, edge.column)
                    self.uses[edge.target].add(place)
                    self.targets[place].add(edge.target)
        self.families = families_of(graph) if upstream.name in OF_FAMILIES else {}
        self.differing: list[tuple[Place, list[Place], list[Place]]] = []
        self.worst: list[tuple[int, str, list[Place], list[Place]]] = []

    async def ask(self, method: str, place: Place, **params: Any) -> set[Place] | None:
        """A server's answer as places inside the root; None when it fails or knows nothing."""
        key = f"{method} {place}"
        if key not in self.kept:
            found = await self._ask(method, place, **params)
            self.kept[key] = None if found is None else sorted(found)
        known = self.kept[key]
        return None if known is None else {(p, line, column) for p, line, column in known}

    async def _ask(self, method: str, place: Place, **params: Any) -> set[Place] | None:
        path, line, column = place
        position = {"line": line - 1, "character": column}
        value = await self.answer(method, path, {"position": position, **params})
        if value is None or (not value and method == "textDocument/definition"):
            return None  # it does not know what this is: nothing to compare with
        return self.places_of(value)

    async def answer(self, method: str, path: str, params: dict[str, Any]) -> Any:
        """What a server says, once it says all that it knows; None when it fails."""
        try:
            for _ in range(ATTEMPTS):
                _, answer = await self.manager.request(
                    self.root / path,
                    self.root,
                    method,
                    params,
                    timeout=ANSWER_TIMEOUT_S,
                    wait_ready=READY_TIMEOUT_S,
                )
                if answer.complete:
                    return answer.value() or []
            raise TimeoutError("never complete")
        except Exception as error:
            sys.stderr.write(f"  {method} {path} {params.get('position', '')}: {error}" + "\n")
            return None

    def places_of(self, value: Any) -> set[Place]:
        """The places of an answer that are in the folder's files of the language."""
        places: set[Place] = set()
        for item in value if isinstance(value, list) else [value]:
            target = to_path(item.get("uri") or item.get("targetUri") or "")
            span = item.get("range") or item.get("targetSelectionRange") or {}
            if target is None or not target.is_relative_to(self.root):
                continue
            relative = target.relative_to(self.root).as_posix()
            if relative in self.graph.facts:
                start, end = span["start"], span["end"]
                places.add(
                    self._name_in(relative, start["line"] + 1, end["line"] + 1)
                    or (relative, start["line"] + 1, start["character"])
                )
        return places

    def _name_in(self, path: str, first: int, last: int) -> Place | None:
        """The first definition of a whole range, with which some servers answer for its name."""
        if first == last:
            return None
        names = [name for name in self.graph.facts[path].names if first <= name.line <= last]
        return min(((path, name.line, name.column) for name in names), default=None)

    async def compare_references(self, count: int) -> None:
        """References of a sample of symbols."""
        symbols = [
            (path, name.line, name.column, name.qualname)
            for path, facts in self.graph.facts.items()
            for name in facts.names
            if name.kind in KINDS
            and not name.name.startswith("__")
            and not is_of_literal(facts, name)
            and not is_import(facts, name)
        ]
        for path, line, column, qualname in sample(symbols, count):
            theirs = await self.ask(
                "textDocument/references",
                (path, line, column),
                # Servers differ on whether an import declares; the definition itself is taken
                # off on both sides.
                context={"includeDeclaration": True},
            )
            if theirs is None:
                continue
            declared = self._declarations_of(path, qualname)
            theirs = {place for place in theirs - declared if not self._in_comment(place)}
            ours = self.uses.get(DefinitionKey(path, qualname), set()) - declared
            for other in self.families.get(DefinitionKey(path, qualname), ()):
                own = self._declarations_of(*other)
                theirs -= own
                ours = (ours | self.uses.get(other, set())) - own - declared
            for place in sorted(ours - theirs)[:VERIFIED]:
                # What its references leave out its own definition may know.
                said = await self.ask("textDocument/definition", place)
                if said is None or (said and all(self._is_binding(p, place) for p in said)):
                    ours.discard(place)  # it knows no more of it
                elif {p[:2] for p in said} & {p[:2] for p in declared}:
                    theirs.add(place)
            self.references.add(ours, theirs)
            self.calls.add(
                {p for p in ours if self.kinds.get(p) in CALLS},
                {p for p in theirs if self.kinds.get(p) in CALLS},
            )
            missed, wrong = sorted(theirs - ours), sorted(ours - theirs)
            self.worst.append((len(missed) + len(wrong), f"{path}:{qualname}", missed, wrong))

    def _in_comment(self, place: Place) -> bool:
        """Whether a use is in a comment: `{@link Box}`."""
        path, line, column = place
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text("utf-8", "replace").splitlines()
        before = self.texts[path][line - 1][:column]
        return (
            re.match(r"\s*(//|/\*|\* )", before) is not None or "@see" in before or "{@" in before
        )

    def _definitions_of(self, path: str, qualname: str) -> set[Place]:
        return {
            (path, name.line, name.column)
            for name in self.graph.facts[path].names
            if name.qualname == qualname
        }

    def _declarations_of(self, path: str, qualname: str) -> set[Place]:
        """The definition itself; in C, where it is declared too: no side's use of it."""
        places = self._definitions_of(path, qualname)
        if self.graph.facts[path].language in ("c", "cpp", "java"):
            java = self.graph.facts[path].language == "java"
            for other, facts in self.graph.facts.items():
                if java and other != path:
                    continue
                places |= self._definitions_of(other, qualname)
                places |= {  # a class is named where its constructors and destructor are
                    (other, name.line, name.column + name.name.startswith("~") * past)
                    for name in facts.names
                    if name.container == qualname
                    and name.name.lstrip("~") == qualname.rpartition(".")[2]
                    for past in (0, 1)
                }
        return places

    def _is_binding(self, place: Place, use: Place) -> bool:
        """Whether a place is the import in the same file that binds a name."""
        path, line, column = place
        if path != use[0]:
            return False
        text = (self.root / path).read_text("utf-8", "replace").splitlines()[line - 1]
        name = re.match(r"[\w$]*", text[column:])
        imported = {local for link in self.graph.facts[path].imports for _, local in link.names} | {
            link.alias for link in self.graph.facts[path].imports
        }
        return name is not None and name[0] in imported

    def _is_key(self, path: str, line: int, column: int) -> bool:
        """Whether a use is the key of an object literal: those count among references only."""
        if self.graph.facts[path].language not in ("javascript", "typescript", "tsx"):
            return False
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text("utf-8", "replace").splitlines()
        lines = self.texts[path]
        before = lines[line - 1][:column].rstrip() or next(
            (text.rstrip() for text in reversed(lines[: line - 1]) if text.strip()), ""
        )
        return before[-1:] in ("{", ",") and bool(
            re.match(r"[\w$]+\s*(:(?!:)|\()", lines[line - 1][column:])
        )

    async def compare_definitions(self, count: int) -> None:
        """Definitions of a sample of uses."""
        uses = [
            (path, line, column)
            for path, rows in self.graph.references.items()
            for _, kind, line, column, _, qualifier, _ in rows
            if kind != IMPLICIT
            and qualifier != "!"  # a fixture: servers stop at the parameter
            and not self._is_key(path, line, column)
        ]
        for place in sample(uses, count):
            theirs = await self.ask("textDocument/definition", place)
            if theirs is None:
                continue
            if theirs == {place}:
                continue  # a definition, which is no use
            if theirs and all(self._is_binding(p, place) for p in theirs):
                continue  # the import that binds the name: the server knows no more of it
            ours = {
                spot
                for target in self.targets.get(place, ())
                for spot in self._declarations_of(target.path, target.qualname)
                or {(target.path, 1, 0)}
            }
            # One answer is right or wrong as a whole: overloads have several places. By line:
            # servers differ on whether an attribute's definition begins at `self`.
            hit = {p[:2] for p in ours} & {p[:2] for p in theirs}
            # A module itself: ours is its first line, a server's what it exports by default.
            modules = {path for path, line, column in ours if (line, column) == (1, 0)}
            hit |= {p[:2] for p in theirs if p[0] in modules}
            self.definitions.both += bool(hit)
            self.definitions.ours += bool(ours)
            self.definitions.theirs += bool(theirs)
            if bool(ours) + bool(theirs) and not hit:
                self.differing.append((place, sorted(ours), sorted(theirs)))


async def run(
    language: str,
    roots: list[Path],
    symbols: int,
    verbose: bool,
    cache: Path | None,
    skip: frozenset[str],
) -> list[dict[str, Any]]:
    """Compare on each root."""
    rows = []
    for root in roots:
        root = root.resolve()
        files = read(root, language, skip)
        started = time.perf_counter()
        graph = build(files)
        seconds = time.perf_counter() - started
        manager = UpstreamManager(UpstreamConfig(trusted=lambda _: True, idle_stop_s=3600))
        try:
            upstream = await manager.get(language, root)
            first = next(path for path in graph.facts)
            manager.open_headless(upstream, root / first)
            ready = await upstream.wait_ready(READY_TIMEOUT_S)
            comparison = Comparison(root, graph, upstream, manager)
            kept = cache / f"{root.name}.json" if cache else None
            if kept is not None and kept.exists():
                comparison.kept = json.loads(kept.read_text())
            await comparison.compare_references(symbols)
            await comparison.compare_definitions(symbols * 2)
            if kept is not None:
                kept.write_text(json.dumps(comparison.kept))
            rows.append(
                {
                    "repository": root.name,
                    "language": language,
                    "server": upstream.name,
                    "ready": ready,
                    "files": len(graph.facts),
                    "build_s": round(seconds, 1),
                    **{
                        f"{what}_{side}": _rounded(getattr(getattr(comparison, what), side))
                        for what in ("definitions", "references", "calls")
                        for side in ("precision", "recall")
                    },
                }
            )
            if verbose:
                comparison.worst.sort(key=lambda item: -item[0])
                for place, ours, theirs in comparison.differing:
                    line = files[place[0]].decode("utf-8", "replace").splitlines()[place[1] - 1]
                    sys.stderr.write(
                        f"{place} ours {ours[:4]} theirs {theirs[:4]}\n   {line.strip()}\n"
                    )
                for _, name, missed, wrong in comparison.worst[:25]:
                    sys.stderr.write(
                        f"{name}\n   missed {missed[:6]}\n   wrong  {wrong[:6]}" + "\n"
                    )
        finally:
            await manager.close()
    return rows


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 3)


def _pair(precision: float | None, recall: float | None) -> str:
    if precision is None or recall is None:
        return "not judged" if recall is None else f"– / {recall:.2f}"
    return f"{precision:.2f} / {recall:.2f}"


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown, as in docs/graph.md."""
    head = "| repository | server | files | definitions P / R | references P / R | calls P / R |"
    lines = [head, "|---|---|---|---|---|---|"]
    for row in rows:
        pairs = " | ".join(
            _pair(row[f"{what}_precision"], row[f"{what}_recall"])
            for what in ("definitions", "references", "calls")
        )
        lines.append(f"| {row['repository']} | {row['server']} | {row['files']} | {pairs} |")
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("language", choices=sorted(FAMILIES))
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--symbols", type=int, default=150)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="show the largest differences")
    parser.add_argument(
        "--cache", type=Path, help="folder that keeps the server's answers for the next run"
    )
    parser.add_argument(
        "--skip", nargs="*", default=[], help="folders that are no part of the server's project"
    )
    options = parser.parse_args()
    rows = asyncio.run(
        run(
            options.language,
            options.roots,
            options.symbols,
            options.verbose,
            options.cache,
            frozenset(options.skip),
        )
    )
    sys.stdout.write(json.dumps(rows, indent=1) if options.json else table(rows))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
