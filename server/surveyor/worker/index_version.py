"""The version of everything that turns a file into an index."""

from __future__ import annotations

from functools import cache
from importlib import metadata

from surveyor.embedding.ngrams import NGRAMS_VERSION
from surveyor.graph import EXTRACT_VERSION
from surveyor.parsing.languages import CHUNKER_VERSION
from surveyor.parsing.stored_text import STORED_TEXT_VERSION
from surveyor.secrets.masking import MASKING_VERSION

__all__ = ["index_version"]


@cache
def index_version() -> str:
    """Identifies what a worker makes of a file: chunker, graph, grammars, masking and stored
    texts, as one string."""
    try:
        grammars = metadata.version("tree-sitter-language-pack")
    except metadata.PackageNotFoundError:
        grammars = "none"
    made = f"chunker-{CHUNKER_VERSION}+graph-{EXTRACT_VERSION}+grammars-{grammars}"
    texts = f"texts-{STORED_TEXT_VERSION}.{NGRAMS_VERSION}"
    return f"{made}+masking-{MASKING_VERSION}+{texts}"
