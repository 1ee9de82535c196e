"""Values that messages, tool schemas, the command line and settings share, each written once.

The types that the Visual Studio Code client needs are generated from here
(`scripts/typescript_enumerations.py`).
"""

from __future__ import annotations

from typing import Literal, get_args

Mode = Literal["hybrid", "semantic", "keyword", "literal", "regex", "pattern"]
"""How a search compares: by both sides, by meaning, by words; or every place that says a text,
matches a regular expression or has a pattern's syntax."""
TEXT_MODES: tuple[Mode, ...] = ("literal", "regex", "pattern")
"""Those that rank nothing and leave nothing out."""
MODES: tuple[Mode, ...] = get_args(Mode)

FileType = Literal["code", "doc", "test", "config", "note", "artifact"]
"""What a file is to a reader."""
FILE_TYPES: tuple[FileType, ...] = get_args(FileType)

FileLabel = Literal[
    "tests", "docs", "examples", "config", "vendored", "generated", "types", "legacy"
]
"""What ranking knows of a file, and what a query may ask for."""

Status = Literal["healthy", "indexing", "stale", "uncertain", "degraded"]
"""How far an answer can be relied on, the best first."""
STATUSES: tuple[Status, ...] = get_args(Status)

Corpus = Literal["code", "rules", "libraries", "notes", "history"]
"""What can be searched."""
CORPORA: tuple[Corpus, ...] = get_args(Corpus)

PieceSource = Literal["code", "rules", "libraries", "notes", "history", "web"]
"""What an answer may rest on: what can be searched, and pages of the web."""

Precision = Literal["exact", "partial", "syntax", "text"]
"""How a question about the graph was answered, the surest first."""

FindingKind = Literal["call", "override", "case", "removed", "syntax", "diagnostic", "duplicate"]
"""What `check` finds wrong with a change."""

Certainty = Literal["certain", "likely"]
"""How sure a finding is."""

RunState = Literal["passed", "failed", "broken", "timeout", "empty"]
"""What became of one start of a test runner. `broken`: it ended with an error and named no test;
`empty`: it ran none."""

Scope = Literal["current", "other", "all"]
"""Of which projects code is searched."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

Exact = Literal["auto", "always", "never"]
"""Whether language servers are asked."""
EXACTS: tuple[Exact, ...] = get_args(Exact)

Picture = Literal["mermaid", "dot"]
"""Languages of pictures of the graph."""
PICTURES: tuple[Picture, ...] = get_args(Picture)

Expansion = Literal["off", "synonyms", "feedback"]
"""Where more words for a question in prose come from."""

ReferenceKind = Literal[
    "call", "read", "write", "import", "type", "inheritance", "instantiation", "implicit"
]
"""What a use of a name does; `implicit` runs what it does not name (`with`, an operator, a value
that is called). Stored as the position here: new ones go to the end."""
REFERENCE_KINDS: tuple[ReferenceKind, ...] = get_args(ReferenceKind)

SymbolKind = Literal[
    "function", "method", "constructor", "class", "interface", "struct", "enum", "enum_member",
    "trait", "type", "constant", "variable", "field", "property", "module", "namespace", "macro",
    "object", "section",
]  # fmt: skip
SYMBOL_KINDS: tuple[SymbolKind, ...] = get_args(SymbolKind)

ChunkKind = Literal[
    "preamble", "function", "method", "class", "struct", "trait", "interface", "enum", "module",
    "block", "section", "cell", "text",
]  # fmt: skip
CHUNK_KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)

RunMode = Literal["full", "incremental", "clean"]
"""How much of a project is indexed again."""

Phase = Literal["waiting", "scanning", "indexing", "done"]
"""How far a run of the index is."""

WriteStatus = Literal["done", "queued"]
"""What became of a write."""

RuleScope = Literal["global", "project"]
"""Whose a rule is."""
RULE_SCOPES: tuple[RuleScope, ...] = get_args(RuleScope)

RulesScope = Literal["current", "global", "project", "all"]
"""Which rules are meant; `current` are the global ones and those of the project here."""

RulesFormat = Literal["markdown", "json"]
"""How rules are written to a file."""

RuleAction = Literal["add", "update", "remove", "review"]
"""What is done to a rule."""

DocumentSource = Literal["user_input", "web", "file"]
"""Where a note came from."""
DOCUMENT_SOURCES: tuple[DocumentSource, ...] = get_args(DocumentSource)

LibraryMode = Literal["sync", "incremental"]
"""What happens to a library's documents whose files go away: they go, or they stay."""


def one_of(values: tuple[str, ...], last: str = "or") -> str:
    """The values as a person reads them: `a, b or c`."""
    return f"{', '.join(values[:-1])} {last} {values[-1]}"
