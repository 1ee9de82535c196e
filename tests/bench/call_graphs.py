"""How far calls agree with call graphs that others have written down by hand.

    python -m tests.bench.call_graphs python|javascript|java FOLDER [--misses] [--json]

FOLDER is fetched by hand and never committed: `micro-benchmark/snippets` of vitsalis/PyCG, or one
of the folders below `benchmarks` of secure-software-engineering/SWARM-CG. Every folder below it
with a `callgraph.json` (`{"caller": ["callee", …]}`) is a project of its own, and is read in
memory. What counts are edges whose both ends the project defines; a constructor stands for the
class where it has none.

The truth of Java (`java/cats`) names only the calls that each project is about, with what runs in
the end: of the virtual call `target.run()` the methods that override `run`, not the one that is
named. So an edge of ours counts as theirs where it leads to what that method overrides, as
`implementations` and `impact` go on from there; and of our other edges only those are too many that
begin in a function of the truth at a call of a name of which the truth says where it leads.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.graph.facts import KIND_CODES, FileFacts
from surveyor.graph.library import MemoryGraph, build
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import CALLABLE_KINDS
from surveyor.parsing.languages.grammar import parser as tree_parser

if TYPE_CHECKING:
    from tree_sitter import Node

Edge = tuple[str, str]
ENDINGS = {"python": (".py",), "javascript": (".js", ".mjs"), "java": (".java",)}
CALLS = frozenset(KIND_CODES[kind] for kind in ("call", "instantiation", "implicit"))
_CONSTRUCTORS = {"python": "__init__", "javascript": "constructor", "java": "<init>"}
_TYPES = frozenset({"class", "interface", "enum"})


@dataclass(slots=True)
class Agreement:
    """Edges of one group of projects."""

    both: int = 0
    ours: int = 0
    theirs: int = 0
    sound: int = 0
    """Projects of which every edge is found."""
    complete: int = 0
    """Projects with no edge too many."""
    projects: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, ours: set[Edge], theirs: set[Edge]) -> None:
        """One project's edges."""
        self.both += len(ours & theirs)
        self.ours += len(ours)
        self.theirs += len(theirs)
        self.sound += theirs <= ours
        self.complete += ours <= theirs
        self.projects += 1
        self.wrong += [f"- {name}: {a} -> {b}" for a, b in sorted(theirs - ours)]
        self.wrong += [f"+ {name}: {a} -> {b}" for a, b in sorted(ours - theirs)]

    def join(self, other: Agreement) -> None:
        """Add another group's."""
        for each in ("both", "ours", "theirs", "sound", "complete", "projects"):
            setattr(self, each, getattr(self, each) + getattr(other, each))

    @property
    def precision(self) -> float:
        """Of our edges, those that are theirs."""
        return self.both / self.ours if self.ours else 1.0

    @property
    def recall(self) -> float:
        """Of their edges, those that are ours."""
        return self.both / self.theirs if self.theirs else 1.0


def module_name(path: str, facts: FileFacts) -> str:
    """What the truth calls a file."""
    if facts.language == "java":
        return facts.package
    name = path.rpartition(".")[0].replace("/", ".")
    return name.removesuffix(".__init__" if facts.language == "python" else ".index")


@dataclass(slots=True)
class Functions:
    """Functions of a JavaScript file, as the truth has them."""

    arrows: dict[str, str] = field(default_factory=dict)
    """The constant that holds an arrow function -> its name: `main.<arrow1>`, by its number."""
    wrapped: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The constant that holds what a call makes of a function -> that function's bytes."""


def functions_of(data: bytes) -> Functions:
    """Read from the tree: what the graph names by its constant, the truth does not."""
    found = Functions()
    counts: dict[str, int] = defaultdict(int)

    def walk(node: Node, around: str) -> None:
        if node.type == "arrow_function":
            counts[around] += 1
            holder = node.parent
            name = holder.child_by_field_name("name") if holder is not None else None
            if name is not None and name.type == "identifier":
                arrow = f"<arrow{counts[around]}>"
                found.arrows[_join(around, _text(name))] = _join(around, arrow)
                around = _join(around, _text(name))
        elif node.type in _NAMED_NODES and (name := node.child_by_field_name("name")) is not None:
            around = _join(around, _text(name))
        elif node.type == "variable_declarator":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            listed = value.child_by_field_name("arguments") if value is not None else None
            first = listed.named_children[0] if listed and listed.named_children else None
            if name is not None and first is not None and first.type in _ANONYMOUS:
                found.wrapped[_join(around, _text(name))] = (first.start_byte, first.end_byte)
        for child in node.named_children:
            walk(child, around)

    walk(tree_parser("javascript").parse(data).root_node, "")
    return found


_ANONYMOUS = frozenset({"arrow_function", "function_expression"})
_NAMED_NODES = frozenset({"function_declaration", "class_declaration", "method_definition"})


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _join(around: str, name: str) -> str:
    return f"{around}.{name}" if around else name


def our_edges(
    made: MemoryGraph, language: str, files: dict[str, bytes], known: set[str]
) -> set[Edge]:
    """Calls between definitions of a project, named as the truth (`known`) names them."""
    found = set()
    scripts = language == "javascript"
    functions = {path: functions_of(data) for path, data in files.items()} if scripts else {}
    for path, resolution in made.resolutions.items():
        for edge in resolution.edges:
            if edge.kind not in CALLS or edge.score < CERTAIN:
                continue
            target = _callee(made.facts[edge.target.path], edge.target.qualname, language)
            if not target:
                continue
            caller = _around(made.facts[path], edge.source, edge.line)
            if language == "java" and _is_constructor(made.facts[path], caller):
                caller = _constructor(caller, language)
            if scripts:
                mine, theirs = functions[path], functions[edge.target.path]
                byte = _byte(files[path], edge.line, edge.column)
                first, end = mine.wrapped.get(caller, (0, byte + 1))
                if not first <= byte < end:  # `const f = wrap(function () {})` runs `wrap` around f
                    caller = caller.rpartition(".")[0]
                ends = ((path, caller, mine.arrows), (edge.target.path, target, theirs.arrows))
                first_name, last_name = (
                    name if (name := _named(made, at, arrows.get(end, end))) in known
                    else _named(made, at, end)
                    for at, end, arrows in ends
                )  # fmt: skip
                found.add((first_name, last_name))
                continue
            found.add((_named(made, path, caller), _named(made, edge.target.path, target)))
    return found


def _byte(data: bytes, line: int, column: int) -> int:
    return sum(len(each) + 1 for each in data.split(b"\n")[: line - 1]) + column


def _named(made: MemoryGraph, path: str, qualname: str) -> str:
    module = module_name(path, made.facts[path])
    # The truth writes `Box[Symbol.iterator]`, and in one place `Box.[Symbol.iterator]`.
    return _join(module, qualname).replace(".[", "[") if qualname else module


def _callee(facts: FileFacts, qualname: str, language: str) -> str:
    """A function by its name; a class that writes no constructor is no callee."""
    kinds = {name.qualname: name.kind for name in facts.names}
    kind = kinds.get(qualname, "")
    if kind in CALLABLE_KINDS or kind == "property":
        return _constructor(qualname, language) if kind == "constructor" else qualname
    if kind in _TYPES and language != "python":
        own = f"{qualname}.{_CONSTRUCTORS[language]}"
        written = language == "java" and f"{qualname}.{qualname.rpartition('.')[2]}"
        return own if own in kinds or written in kinds else ""
    return ""


def _is_constructor(facts: FileFacts, qualname: str) -> bool:
    return any(n.qualname == qualname and n.kind == "constructor" for n in facts.names)


def _constructor(qualname: str, language: str) -> str:
    return f"{qualname.rpartition('.')[0]}.{_CONSTRUCTORS[language]}"


def _around(facts: FileFacts, qualname: str, line: int) -> str:
    """The function that runs a use, or the file: a decorator is run by what is around."""
    kinds = {name.qualname: name.kind for name in facts.names}
    if any(name.qualname == qualname and line < name.line for name in facts.names):
        qualname = qualname.rpartition(".")[0]
    while qualname and kinds.get(qualname) not in CALLABLE_KINDS and kinds.get(qualname) != "class":
        qualname = qualname.rpartition(".")[0]
    return qualname


_JAVA = re.compile(r"^(.*):([^:(]+)\(.*$")


def their_edges(truth: dict[str, list[str]], made: MemoryGraph, language: str) -> set[Edge]:
    """Edges of the truth inside of the project."""
    roots = {module_name(path, facts) for path, facts in made.facts.items()}
    names = {
        _named(made, path, name.qualname)
        for path, facts in made.facts.items()
        for name in facts.names
        if name.kind in _TYPES
    }

    def plain(name: str) -> str:
        match = _JAVA.match(name)
        name = f"{match[1]}.{match[2]}" if match else name
        return name.replace("$", ".").replace(".[", "[")

    def inside(name: str) -> bool:
        if language == "java":
            return name.rpartition(".")[0] in names
        return any(name == root or name.startswith(f"{root}.") for root in roots)

    return {
        (plain(caller), plain(callee))
        for caller, callees in truth.items()
        for callee in callees
        if inside(plain(caller)) and inside(plain(callee))
    }


def judged_by_overriding(ours: set[Edge], theirs: set[Edge], made: MemoryGraph) -> set[Edge]:
    """Java: our edges as the truth has them, without those that it says nothing about."""
    above = _above(made)
    said = {(caller, callee.rpartition(".")[2]) for caller, callee in theirs}
    found = set()
    for caller, callee in ours:
        owner, _, name = callee.rpartition(".")
        run = {
            edge
            for edge in theirs
            if edge[0] == caller
            and edge[1].rpartition(".")[2] == name
            and (edge[1] == callee or owner in above.get(edge[1].rpartition(".")[0], ()))
        }
        found |= run
        if not run and (caller, name) in said:
            found.add((caller, callee))
    return found


def _above(made: MemoryGraph) -> dict[str, set[str]]:
    """Full name of each type -> those of all that it extends or implements."""
    direct: dict[str, set[str]] = defaultdict(set)
    for path, resolution in made.resolutions.items():
        for edge in resolution.edges:
            if edge.kind == KIND_CODES["inheritance"]:
                base = _named(made, edge.target.path, edge.target.qualname)
                direct[_named(made, edge.source_path or path, edge.source)].add(base)

    def all_of(name: str, seen: set[str]) -> set[str]:
        for base in direct.get(name, ()):
            if base not in seen:
                seen.add(base)
                all_of(base, seen)
        return seen

    return {name: all_of(name, set()) for name in list(direct)}


def projects(folder: Path, language: str) -> Iterator[tuple[str, dict[str, bytes], Path]]:
    """(name, files, the truth) of every project below a folder."""
    for truth in sorted(folder.rglob("callgraph.json")):
        root = truth.parent
        files = {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.suffix in ENDINGS[language] and path.is_file()
        }
        if files:
            yield str(root.relative_to(folder)), files, truth


def measure(folder: Path, language: str) -> dict[str, Agreement]:
    """Agreement by the topmost folder of each project."""
    groups: dict[str, Agreement] = defaultdict(Agreement)
    for name, files, truth in projects(folder, language):
        made = build(files)
        theirs = their_edges(json.loads(truth.read_text()), made, language)
        known = {end for edge in theirs for end in edge}
        ours = our_edges(made, language, files, known)
        if language == "java":
            ours = judged_by_overriding(ours, theirs, made)
        groups[name.partition("/")[0]].add(name, ours, theirs)
    return dict(groups)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("language", choices=sorted(ENDINGS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true", help="list the edges that differ")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    groups = measure(arguments.folder, arguments.language)
    if not groups:
        sys.exit(f"no callgraph.json with files of {arguments.language} below {arguments.folder}")
    total = Agreement()
    for each in groups.values():
        total.join(each)
    rows = {**groups, "all": total}
    if arguments.json:
        print(json.dumps({name: [row.both, row.ours, row.theirs] for name, row in rows.items()}))
        return
    for name, row in rows.items():
        print(
            f"{name:24} P {row.precision:.2f}  R {row.recall:.2f}  edges {row.both:4} of "
            f"{row.theirs:4}, ours {row.ours:4}; sound {row.sound}, complete {row.complete} "
            f"of {row.projects}"
        )
        if arguments.misses:
            print("\n".join(f"    {line}" for line in row.wrong))


if __name__ == "__main__":
    main()
