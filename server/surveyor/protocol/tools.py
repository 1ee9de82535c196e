"""The MCP tools as agents see them: names, descriptions and arguments.

The engine checks by them and answers; the relay lists them while no engine can run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from surveyor.protocol.enumerations import (
    CORPORA,
    DOCUMENT_SOURCES,
    EXACTS,
    FILE_TYPES,
    MODES,
    PICTURES,
    RULE_SCOPES,
    SCOPES,
)

MCP_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Of the Model Context Protocol, those that begin with `initialize`; the last is offered for any
other."""

Kind = Literal["string", "integer", "number", "boolean", "strings", "object", "objects"]

EVERY_CORPUS = "all"
SYMBOL_ACTIONS = (
    "definition",
    "references",
    "callers",
    "callees",
    "implementations",
    "hierarchy",
    "outline",
    "hover",
)
TEXT_TOKENS = 3000
"""Longest answer about the graph, unless another length is asked for."""
PAGE_LINES = 200
PAGE_TOKENS = 8000

META = "surveyor/answer"
"""In `_meta` of a tool's result: what a program needs and the text does not say, as an object."""


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a tool."""

    name: str
    kind: Kind
    about: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    required: bool = False


def schema_of(arguments: Sequence[Arg]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, as short as it can be."""
    properties: dict[str, Any] = {}
    for each in arguments:
        described: dict[str, Any] = {"type": each.kind}
        if each.kind == "strings":
            items: dict[str, Any] = {"type": "string"}
            if each.choices:
                items["enum"] = list(each.choices)
            described = {"type": "array", "items": items}
        elif each.kind == "objects":
            described = {"type": "array", "items": {"type": "object"}}
        elif each.choices:
            described["enum"] = list(each.choices)
        if each.about:
            described["description"] = each.about
        if each.default is not None and each.kind != "strings" and each.default != 0:
            described["default"] = each.default
        properties[each.name] = described
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [each.name for each in arguments if each.required]
    if required:
        schema["required"] = required
    return schema


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """One tool."""

    name: str
    description: str
    arguments: Sequence[Arg]
    read_only: bool = True
    destructive: bool = False
    acts_with: str = ""
    """The argument with which alone it does more than read, for as long as that takes."""

    def only_reads(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments changes nothing."""
        return self.read_only or bool(self.acts_with and not arguments.get(self.acts_with))


PROJECT = Arg("project", "string", "Another project: name, id or folder; or all")
LINE = Arg("line", "integer", minimum=1)
MAX_TOKENS = Arg("max_tokens", "integer", default=TEXT_TOKENS, minimum=50, maximum=100_000)
WAIT = Arg("wait_until_fresh_ms", "integer", minimum=0, maximum=60_000)

SIMILAR_MODE = "similar"
"""Not a way to search a text: `query` is a place or code, and what does the same is found."""

SEARCH = ToolDescription(
    "search",
    "Find code by what it does, by name or by text; also rules, library documents, notes and git"
    " history (`in`). Use it first, whenever you do not know the file. Results are path:start-end"
    " with confidence; below 0.5 treat them as guesses. In place of grep: mode=literal or regex"
    " (RE2) lists every match as path:line:column, counted, unsaved text included. mode=pattern:"
    " ast-grep patterns (except $E: pass) or a YAML rule. Before you write a helper: mode=similar"
    " finds what does the same as `query` (path:line, or code).",
    (
        Arg(
            "query", "string", "What it does, a name, an error message or a question", required=True
        ),
        Arg("in", "strings", "", (*CORPORA, EVERY_CORPUS), default=["code"]),
        Arg("mode", "string", "", (*MODES, SIMILAR_MODE), default="hybrid"),
        Arg("scope", "string", "Of projects", SCOPES, default="current"),
        PROJECT,
        Arg("branch", "string", "Default: what is on disk; * for all"),
        Arg("library", "string", "Library or dotted prefix"),
        Arg("path", "strings", "Globs; !glob excludes"),
        Arg("language", "strings"),
        Arg("file_type", "strings", "", FILE_TYPES),
        Arg("kind", "strings", "Symbol kinds: function, class …"),
        Arg("tag", "strings"),
        Arg("score_threshold", "number", "Least confidence; 0: all", minimum=0, maximum=1),
        Arg("include_deleted", "boolean"),
        Arg("diff", "string", "Lift what changed: working, staged or a git range"),
        Arg("ignore_case", "boolean", "Of literal and regex"),
        Arg("context", "integer", "Lines around a match", minimum=0, maximum=20),
        Arg("rewrite", "string", "Of pattern: show the diff, write nothing"),
        Arg("offset", "integer", "Matches to skip", minimum=0),
        Arg("limit", "integer", "Default: 10, or 50 matches", minimum=1, maximum=100),
        Arg("max_tokens", "integer", minimum=50, maximum=100_000),
        Arg("detail", "string", "", ("concise", "full"), default="concise"),
        WAIT,
    ),
)

RETRIEVE = ToolDescription(
    "retrieve",
    "Read text: a search result by id, a file or line range by path, a definition by symbol, or"
    " what matches metadata. Shows unsaved editor buffers as they are. Long texts come in pages.",
    (
        Arg("id", "string", "Of a search result"),
        Arg("path", "string", "File; or a document's name"),
        Arg("branch", "string"),
        Arg("symbol", "string", "Name of a definition"),
        Arg(
            "metadata",
            "object",
            "Filters: file_path, language, file_type, symbol_kind, branch; tag, label,"
            " library_name",
        ),
        PROJECT,
        Arg("start_line", "integer", minimum=1),
        Arg("end_line", "integer", minimum=1),
        Arg(
            "limit", "integer", f"Lines (default {PAGE_LINES}) or results", minimum=1, maximum=5000
        ),
        Arg("offset", "integer", "Lines or results to skip", default=0, minimum=0),
        Arg("max_tokens", "integer", default=PAGE_TOKENS, minimum=50, maximum=100_000),
    ),
)

SYMBOL = ToolDescription(
    "symbol",
    "Navigate code: definition, references, callers, callees, implementations, hierarchy, outline"
    " of a file, hover. By name or position. Answers say how sure they are: exact (language"
    " server), partial, syntax, text.",
    (
        Arg("action", "string", "", SYMBOL_ACTIONS, default="definition"),
        Arg("name", "string", "func, Class.method, module.func or path:func"),
        Arg("path", "string", "With line (and column, 1-based) in place of a name; for outline"),
        LINE,
        Arg("column", "integer", minimum=1),
        Arg("depth", "integer", "Of callers and callees", default=1, minimum=1, maximum=10),
        Arg("exact", "string", "Language server", EXACTS, default="auto"),
        PROJECT,
        Arg("limit", "integer", default=50, minimum=1, maximum=2000),
        MAX_TOKENS,
        WAIT,
    ),
)

IMPACT = ToolDescription(
    "impact",
    "Before changing something: what depends on a symbol, a file or a git diff, directly and"
    " through others, with the tests to run.",
    (
        Arg("target", "string", "Symbol, or path of a file"),
        Arg("path", "string", "With line: a position"),
        LINE,
        Arg("diff", "string", "In place of target: working, staged or a git range"),
        Arg("depth", "integer", default=3, minimum=1, maximum=10),
        Arg("picture", "string", "", PICTURES),
        PROJECT,
        Arg("limit", "integer", default=50, minimum=1, maximum=1000),
        MAX_TOKENS,
        WAIT,
    ),
)

CHECK = ToolDescription(
    "check",
    "After editing: what the change leaves behind. Calls that no longer fit, names that are gone,"
    " overrides with the old parameters, and the tests to run.",
    (
        Arg(
            "diff",
            "string",
            "working (with unsaved buffers), staged or a git range",
            default="working",
        ),
        Arg("paths", "strings", "Only changes in these files and folders"),
        Arg("run", "boolean", "Run those tests too, where the user trusts the folder"),
        PROJECT,
        Arg("limit", "integer", default=50, minimum=1, maximum=1000),
        MAX_TOKENS,
        WAIT,
    ),
    read_only=False,
    acts_with="run",
)

EDIT_ACTIONS = ("replace", "before", "after", "rename", "code_action")
EDIT = ToolDescription(
    "edit",
    "Change files safely: in the editor's buffer where they are open there, else on disk; all"
    " `edits` or none. Replaces `old` (which must occur exactly `count` times), or a definition by"
    " `name`; inserts `new` before or after one; renames everywhere; applies the language server's"
    " code action titled `new` (none: lists titles) at a place. Refused, with what changed, where a"
    " file is not as you read it. Answers with what it leaves behind, as check does.",
    (
        Arg("action", "string", "", EDIT_ACTIONS, default="replace"),
        Arg("path", "string"),
        Arg("name", "string", "Definition to replace, insert beside or rename"),
        Arg("old", "string", "Text as it stands in the file"),
        Arg("new", "string", "Text, the new name or the title"),
        Arg("count", "integer", default=1, minimum=1, maximum=10_000),
        Arg("edits", "objects", "Several: {action, path, name, old, new, count} each"),
        Arg("line", "integer", "With path: what to rename, or where to act", minimum=1),
        Arg("column", "integer", minimum=1),
        Arg("preview", "boolean", "Only show the diff"),
        Arg("generated", "boolean", "Edit generated files, too"),
        PROJECT,
        MAX_TOKENS,
    ),
    read_only=False,
    destructive=True,
)

HISTORY = ToolDescription(
    "history",
    "Git history: commits by meaning, author, date or path; or when and why a symbol or line range"
    " changed, through renames.",
    (
        Arg("query", "string", "By meaning; empty: the newest"),
        Arg("symbol", "string", "When and why this definition changed"),
        Arg("path", "string", "File, folder or glob; with lines: their history"),
        Arg("start_line", "integer", minimum=1),
        Arg("end_line", "integer", minimum=1),
        Arg("author", "string"),
        Arg("since", "string", "2026-03-01 or 90d"),
        Arg("until", "string"),
        Arg("diffs", "boolean"),
        PROJECT,
        Arg("limit", "integer", default=10, minimum=1, maximum=200),
        Arg("max_tokens", "integer", default=3000, minimum=50, maximum=100_000),
    ),
)

MEMORY = ToolDescription(
    "memory",
    "Rules that hold beyond this session (preferences, conventions, decisions). When the user says"
    " 'always', 'never' or 'remember', add one. Ask before removing.",
    (
        Arg("action", "string", "", ("add", "update", "remove", "list", "recall"), required=True),
        Arg("label", "string", "Short and unique in its scope: prefer-uv"),
        Arg("content", "string", "The rule; for recall, what to look for"),
        Arg("title", "string"),
        Arg("tags", "strings"),
        Arg("scope", "string", "Default: global to write, both to read", RULE_SCOPES),
        Arg("anchor", "string", "Code it belongs to: PATH, PATH:LINE, PATH#SYMBOL or SYMBOL"),
        Arg("priority", "integer", minimum=1, maximum=10),
        PROJECT,
        Arg("limit", "integer", default=20, minimum=1, maximum=200),
    ),
    read_only=False,
    destructive=True,
)

STORE = ToolDescription(
    "store",
    "Keep reference text (documentation, a web page, notes from a book) in a library, to be found"
    " with search in=libraries. Never project code: that is indexed by itself.",
    (
        Arg("content", "string", required=True),
        Arg("library_name", "string", "May be dotted: book.chapter", required=True),
        Arg("title", "string"),
        Arg("source", "string", "", DOCUMENT_SOURCES, default="user_input"),
        Arg("url", "string"),
        Arg("metadata", "object"),
    ),
    read_only=False,
)

MAP = ToolDescription(
    "map",
    "An overview of the project for a token budget: the most important files and definitions."
    " Use it once, when a project is new to you.",
    (
        Arg("max_tokens", "integer", default=2000, minimum=100, maximum=50_000),
        Arg("query", "string", "Words or names: what is near them counts more"),
        Arg("files", "strings", "Files you work on"),
        PROJECT,
    ),
)

INDEX = ToolDescription(
    "index",
    "State of the index (files, languages, what is behind); index a folder or bring it up to date;"
    " clear it. Rarely needed: folders are indexed and followed by themselves.",
    (
        Arg("action", "string", "", ("status", "index", "reindex", "clear"), default="status"),
        Arg("path", "string", "A folder of this session; default: this project"),
        PROJECT,
        Arg("wait", "boolean", "Until it is done; a cancelled wait ends no indexing"),
        Arg("confirm", "boolean", "clear needs it"),
    ),
    read_only=False,
    destructive=True,
)

TOOLS: dict[str, ToolDescription] = {
    tool.name: tool
    for tool in (SEARCH, RETRIEVE, SYMBOL, IMPACT, EDIT, CHECK, HISTORY, MEMORY, STORE, MAP, INDEX)
}
"""In the order in which they are listed."""


def listed_tools() -> list[dict[str, Any]]:
    """All tools as `tools/list` answers them."""
    listed: list[dict[str, Any]] = []
    for tool in TOOLS.values():
        hints = {"readOnlyHint": tool.read_only}
        if not tool.read_only:
            hints["destructiveHint"] = tool.destructive
        listed.append(
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": schema_of(tool.arguments),
                "annotations": hints,
            }
        )
    return listed
