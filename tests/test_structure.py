"""The house: who may import whom, no circles, no import hidden without a reason, SQL in the store.
And names: a class name is used once, and names that said too little do not come back.

Every import counts: at the top of a file, inside a function and under `TYPE_CHECKING`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SERVER = Path(__file__).parents[1] / "server"

ROOTS = (
    "errors", "paths", "units", "symbol_names", "user_path", "engine_lock", "process_memory",
    "dataclass_methods", "terminal_text", "files", "git", "secrets", "config", "machine",
    "platform",
)  # fmt: skip
"""Used by all. Among themselves only as in `MAY_IMPORT`."""
ROOMS = {
    "parsing",
    "formats",
    "embedding",
    "search",
    "graph",
    "change",
    "clones",
    "structural",
    "answering",
    "web",
    "knowledge",
}

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "platform": set(),
    "paths": {"errors", "platform"},
    "engine_lock": {"errors", "platform"},
    "process_memory": set(),
    "dataclass_methods": set(),
    "machine": set(),
    "files": {"errors", "paths", "protocol", "platform", "units"},
    "git": {"errors", "paths", "files", "platform"},
    "secrets": {"errors", "paths", "files", "platform"},
    "protocol": set(),
    "units": set(),
    "symbol_names": set(),
    "terminal_text": set(),
    "user_path": {"errors", "paths", "files"},
    "config": {"errors", "paths", "files", "units", "protocol"},
    "client": {*ROOTS, "protocol"},
    "servers": {*ROOTS, "protocol"},
    "store": {*ROOTS, "protocol"},
    "formats": {*ROOTS, "protocol", "store"},
    "embedding": {*ROOTS, "protocol", "store"},
    "parsing": {*ROOTS, "protocol", "store", "embedding"},
    "search": {*ROOTS, "protocol", "store", "embedding"},
    "graph": {*ROOTS, "protocol", "store", "parsing"},
    "change": {"parsing", "units"},
    "structural": {"errors", "parsing"},
    "answering": {"errors", "protocol", "units"},
    "web": {"errors", "units"},
    "clones": {"parsing", "embedding"},
    "knowledge": {*ROOTS, "protocol", "store", "formats", "embedding", "web"},
    "test_runner": {*ROOTS, "protocol", "servers"},
    "worker": {*ROOTS, "protocol", "store", *ROOMS},
    "engine": {*ROOTS, "protocol", "store", *ROOMS, "test_runner", "worker", "servers"},
    "lsp": {*ROOTS, "protocol", "client", "servers"},
    "mcp": {*ROOTS, "protocol", "client"},
    "installation": set(ROOTS),
    "cli": {*ROOTS, "protocol", "client", "installation"},
    "tui": {*ROOTS, "protocol", "client"},
    "__main__": {"cli", "process_memory", "dataclass_methods"},
}
"""What a package may import beside itself. `docs/architecture.md` has the picture."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("surveyor.__main__", "surveyor.engine.process.main"): "the process that becomes the engine",
    ("surveyor.__main__", "surveyor.mcp.relay"): "the process that becomes an agent's relay",
    ("surveyor.__main__", "surveyor.servers.host.main"): "the host of language servers",
    ("surveyor.__main__", "surveyor.lsp.main"): "the process that serves an editor's window",
    ("surveyor.cli.engine", "surveyor.engine.process.main"): "`surveyor engine run`",
    ("surveyor.cli.servers", "surveyor.lsp.main"): "`surveyor lsp`",
    ("surveyor.cli.mcp", "surveyor.mcp.relay"): "`surveyor mcp`",
    ("surveyor.cli", "surveyor.mcp.clients"): "`surveyor setup` and `uninstall`",
    ("surveyor.cli", "surveyor.mcp.agent_rules"): "`surveyor setup codex --plugin`, `uninstall`",
    ("surveyor.cli", "surveyor.mcp.plugin"): "`surveyor setup claude-code --plugin`, `uninstall`",
    ("surveyor.cli.servers", "surveyor.servers"): "`surveyor servers list` and `install`",
    ("surveyor.cli.engine_end", "surveyor.engine.process.shutdown"): "`surveyor engine stop`",
    ("surveyor.cli.ui", "surveyor.tui"): "`surveyor ui`",
    ("surveyor.cli.ui", "surveyor.servers.trust"): "whether the folder is trusted is shown",
    ("surveyor.cli.doctor", "surveyor.engine.process.repair"): "`doctor --repair`: no engine runs",
    ("surveyor.cli.store", "surveyor.engine.process"): "`surveyor store move`: no engine runs",
    ("surveyor.cli.doctor", "surveyor.store.state.second_copy"): "what there is to repair from",
    (
        "surveyor.cli.models",
        "surveyor.embedding",
    ): "a model is tried before it is set",
    ("surveyor.cli.hardware", "surveyor.worker.speed"): "what an index worker does here, measured",
    ("surveyor.cli.models", "surveyor.worker.speed"): "the same, as a type",
}
"""Arrows beside the table, from and to a module or what lies below it, with the reason."""

APP = "surveyor.engine.app"
KNOWS_APP = {"surveyor.engine.process.server"}
"""The composition root knows all parts; no part knows it, only what serves it."""

SQL = re.compile(
    r"\s*(SELECT\b|WITH (RECURSIVE )?\w+ AS|INSERT (OR \w+ )?INTO\b|REPLACE INTO\b|UPDATE \w+ SET\b"
    r"|DELETE FROM\b|PRAGMA \w|(CREATE|DROP|ALTER) (TABLE|INDEX|TRIGGER|VIEW)\b|VACUUM\b)"
    r"|.*\b(EXISTS|IN|FROM|JOIN) ?\(SELECT\b",
    re.DOTALL,
)
"""How a statement begins, or a part of one holds another. In capitals, as ours are and no prose."""

LAZY: dict[str, str] = {
    "surveyor.__main__": "each door imports only what it leads to",
    "surveyor.cli": "a command imports what it needs when it is called: `--help` takes 0.1 s",
}
"""Where imports inside functions are the rule and need no comment each."""


RETIRED_MODULES = {
    "remake": "vector_rebuild",
    "comparing": "vector_diff",
    "settling": "post_index",
    "recognising": "relocation",
    "following": "change_handler",
    "access": "store_executor",
    "preferences": "live_settings",
    "kept": "row_cache",
    "sheet": "score_table",
    "narrow": "symbol_narrowing",
    "places": "scope",
    "defining": "definition_boost",
    "whose": "project_option",
    "greeting": "initialize",
    "drift": "line_mapping",
    "section": "hover_section",
    "custom": "surveyor_requests",
    "keeper": "retention",
    "shelves": "document_search",
    "reading": "document_jobs, file_bindings",
    "selves": "receiver_keywords",
    "brief": "hover_facts",
    "asking": "query_context, requests",
    "givens": "type_arguments",
    "life": "lifecycle",
}
"""Names that modules had, and what says better what is in them."""
RETIRED_FUNCTIONS = {
    "keep": "enforce_limits",
    "tend": "maintain",
    "look": "scan, check",
    "hears": "on_notification",
    "glance": "read_inline",
    "room": "part",
    "piece": "document_chunk",
    "whose": "project_fields",
    "sheet": "table",
}
"""The same of functions and methods."""
RETIRED_CLASSES = {
    "Asked": "the question, or who is asked",
    "Asking": "QueryContext, RequestSender",
    "Following": "ChangeHandler",
    "Found": "what was found",
    "Housekeeping": "Maintenance",
    "Kept": "the cache",
    "Lines": "what is done with lines",
    "Overlays": "EditorBuffers",
    "Piece": "DocumentChunk",
    "Place": "what is there",
    "Preferences": "LiveSettings",
    "Remaker": "VectorRebuilder",
    "Settling": "PostIndexWork",
    "Shelves": "DocumentSearch",
    "Sought": "SearchInput, NameQuery",
}
"""The same of classes."""


class Import(NamedTuple):
    """One import of a module of ours."""

    source: str
    target: str
    line: int
    explained: bool
    """It stands at the top of its file, or a comment beside or above it says why not."""


@cache
def modules() -> dict[str, Path]:
    """Files by the name of their module."""
    found = {}
    for path in sorted((SERVER / "surveyor").rglob("*.py")):
        parts = path.relative_to(SERVER).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


class Facts(NamedTuple):
    """What the tests ask about a module, whose tree is read once and not kept."""

    imports: list[Import]
    classes: list[tuple[str, int]]
    """Names, and the lines where they are defined."""
    functions: list[tuple[str, int]]
    sql: list[int]
    """Lines of texts that are statements."""


@cache
def facts(name: str) -> Facts:
    """Of a module by its name."""
    text = modules()[name].read_text(encoding="utf-8")
    tree = ast.parse(text)
    classes, functions, sql = [], [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            classes.append((node.name, node.lineno))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, node.lineno))
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
        ):
            sql.append(node.lineno)
    return Facts(list(_imports(name, text, tree)), classes, functions, sql)


@cache
def imports() -> list[Import]:
    """Of all files, wherever they stand in them."""
    return [found for name in modules() for found in facts(name).imports]


def _imports(name: str, text: str, tree: ast.Module) -> Iterator[Import]:
    lines = text.splitlines()
    inside = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            targets = [_module(f"{node.module}.{alias.name}") for alias in node.names]
        else:
            continue
        explained = node not in inside or _has_comment(lines, node)
        for target in dict.fromkeys(targets):
            if target.split(".")[0] == "surveyor" and target != name:
                yield Import(name, target, node.lineno, explained)


def _module(name: str) -> str:
    """Of a module's name, or of what a module defines."""
    return name if name in modules() else name.rpartition(".")[0]


def _has_comment(lines: list[str], node: ast.stmt) -> bool:
    """Beside the import, or above the first of the imports that stand together."""
    if "#" in "".join(lines[node.lineno - 1 : node.end_lineno]):
        return True
    above = node.lineno - 2
    while re.match(r"\s*(from|import) ", lines[above]) and "#" not in lines[above]:
        above -= 1
    return "#" in lines[above]


def _is_below(name: str, ancestor: str) -> bool:
    return name == ancestor or name.startswith(ancestor + ".")


def _package(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def _is_allowed(found: Import) -> bool:
    source, target = _package(found.source), _package(found.target)
    if found.target == APP and found.source not in KNOWS_APP:
        return False
    return (
        not target  # the version, in the package itself
        or source == target
        or target in MAY_IMPORT[source]
        or any(
            _is_below(found.source, start) and _is_below(found.target, end)
            for start, end in EXCEPTIONS
        )
    )


def _circular(found: Iterable[Import]) -> set[tuple[str, str]]:
    """The imports, within one package, by which a file comes back to itself."""
    reached: dict[str, set[str]] = {}
    for each in found:
        if _package(each.source) == _package(each.target):
            reached.setdefault(each.source, set()).add(each.target)
    closure = {start: _closure(reached, start) for start in reached}
    return {
        (start, end)
        for start, ends in reached.items()
        for end in ends
        if start in closure.get(end, ())
    }


def _closure(arrows: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in arrows.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _said(found: Iterable[tuple[str, str]]) -> list[str]:
    return sorted({f"{source} -> {target}" for source, target in found})


def test_imports_point_one_way() -> None:
    """Move what is shared to the package below, or hand it in by the constructor.

    docs/architecture.md has who may import whom.
    """
    assert _said((each.source, each.target) for each in imports() if not _is_allowed(each)) == []


def test_no_files_of_a_package_import_each_other_in_a_circle() -> None:
    """Move what both need into a third file, or hand one of the two a callable or a Protocol.

    `TYPE_CHECKING` and an import inside a function hide a circle and do not open it.
    """
    assert _said(_circular(imports())) == []


def test_no_files_of_the_vscode_extension_import_each_other_in_a_circle() -> None:
    """An `import type` counts too: declare what is asked of the other where it is asked."""
    source = SERVER.parent / "clients" / "vscode" / "src"
    arrows: dict[str, set[str]] = {}
    for path in source.rglob("*.ts"):
        for target in re.findall(r'\bfrom "(\.[^"]+)"', path.read_text(encoding="utf-8")):
            file = (path.parent / f"{target}.ts").resolve()
            arrows.setdefault(str(path), set()).add(str(file))
    assert len(arrows) > 20
    assert [name for name in arrows if name in _closure(arrows, name)] == []


def test_an_import_inside_a_function_says_why() -> None:
    """Import at the top of the file, or say beside or above the import why it waits."""
    silent = (
        (each.source, each.target)
        for each in imports()
        if not each.explained and not any(_is_below(each.source, name) for name in LAZY)
    )
    assert _said(silent) == []


def test_every_package_has_its_rule() -> None:
    assert {_package(name) for name in modules()} - {""} == MAY_IMPORT.keys()


def test_the_allowed_arrows_have_no_circle() -> None:
    closure = {name: _closure(MAY_IMPORT, name) for name in MAY_IMPORT}
    assert [name for name, reached in closure.items() if name in reached] == []


def test_a_class_name_is_used_once() -> None:
    owners: dict[str, list[str]] = {}
    for module in modules():
        for name, _ in facts(module).classes:
            owners.setdefault(name, []).append(module)
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}


def test_names_that_said_too_little_do_not_come_back() -> None:
    back = [
        f"{name}: name it {RETIRED_MODULES[last]}"
        for name in modules()
        if (last := name.rpartition(".")[2]) in RETIRED_MODULES
    ]
    for module in modules():
        found = facts(module)
        for defined, retired in (
            (found.classes, RETIRED_CLASSES),
            (found.functions, RETIRED_FUNCTIONS),
        ):
            back += [
                f"{module}:{line} {name}: name it {retired[name]}"
                for name, line in defined
                if name in retired
            ]
    assert back == []


def test_every_exception_is_used() -> None:
    unused = [
        pair
        for pair in EXCEPTIONS
        if not any(_is_below(e.source, pair[0]) and _is_below(e.target, pair[1]) for e in imports())
    ]
    assert unused == []


def test_sql_is_in_the_store_only() -> None:
    """Make it an operation of the group of tables (`store/state`), with a row that has types."""
    found = [
        f"{name}:{line}"
        for name in modules()
        if _package(name) != "store"
        for line in facts(name).sql
    ]
    assert found == []


def test_sql_is_known_when_it_is_seen() -> None:
    statements = sum(len(facts(name).sql) for name in modules() if _package(name) == "store")
    assert statements > 300, "as many as the store has, and it is not about to have fewer"
