"""Values that messages, tool schemas, the command line and settings share, each written once."""

from __future__ import annotations

from typing import Literal

Mode = Literal["hybrid", "semantic", "keyword"]

FileType = Literal["code", "doc", "test", "config", "note", "artifact"]

Status = Literal["healthy", "indexing", "stale", "uncertain", "degraded"]

Corpus = Literal["code", "rules", "libraries", "notes", "history"]

Precision = Literal["exact", "partial", "syntax", "text"]

Scope = Literal["current", "other", "all"]

Exact = Literal["auto", "always", "never"]
"""Whether a language server is asked."""

Picture = Literal["mermaid", "dot"]

RuleScope = Literal["global", "project"]

DocumentSource = Literal["user_input", "web", "file"]
