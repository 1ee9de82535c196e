"""The languages that Surveyor knows, as data: one folder each with `language.toml` and queries,
and one file, `others.toml`, for those that need no grammar.

This package owns the registry (which language is this file in?) and the version of what cuts a file
into chunks. `grammar.py` beside it loads parsers and queries.
`docs/languages.md` says how a language is added; no code has to change for one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "CHUNKER_VERSION",
    "Language",
    "find_language",
    "is_file_name",
    "language_of",
    "languages",
]

CHUNKER_VERSION = "20"
"""Raised whenever the same file would be of another type or give other chunks or symbols than
before, queries included. Indexes made by another version answer `stale` until they are rebuilt."""

FIRST_BYTES = 16_384
"""How much of a file `language_of` may want to see: enough to tell C from C++ in a header."""

Layout = Literal["code", "markdown", "notebook", "sections", "embedded", "lines"]


@dataclass(frozen=True, slots=True)
class Language:
    """What a `language.toml` says. Names are lower case; extensions have their dot."""

    name: str
    title: str
    folder: Path
    layout: Layout
    """How a file is cut: by symbols (`code`), by headings (`markdown`, `sections`), by cell
    (`notebook`), by the scripts inside it (`embedded`) or by overlapping lines (`lines`)."""
    grammar: str | None
    """Name of the grammar in tree-sitter-language-pack; None where no tree is needed."""
    family: str
    """The name that users filter by: `typescript` for tsx."""
    aliases: tuple[str, ...]
    extensions: tuple[str, ...]
    filenames: tuple[str, ...]
    shebangs: tuple[str, ...]
    """Interpreters, without version digits."""
    inherits: tuple[str, ...]
    """Folders whose queries are put before this language's own."""
    constructors: frozenset[str]
    """Names of methods that construct."""
    constructor_is_class_name: bool
    """A method named like its class constructs, as in C++."""
    merge_clauses: bool
    """Neighbouring definitions of one name are clauses of one function, as in Haskell."""
    containers: frozenset[str]
    """Symbol kinds that are split into their members even where the whole would fit."""
    content_extensions: tuple[str, ...]
    """Extensions shared with another language, claimed when `content` is found in the file."""
    content: re.Pattern[bytes] | None

    def __hash__(self) -> int:
        return hash(self.name)

    def query_files(self, name: str) -> list[Path]:
        """The files `name` of this language and of those it inherits from, in query order."""
        folders = [self.folder.parent / parent for parent in self.inherits] + [self.folder]
        return [path for folder in folders if (path := folder / name).is_file()]


_CLASSES = ("class", "interface", "struct", "trait", "module", "namespace", "object", "enum")
_ROOT = Path(__file__).parent


def _language(name: str, data: Mapping[str, Any], layout: Layout) -> Language:
    content = data.get("content")
    return Language(
        name=name,
        title=data.get("title", name.capitalize()),
        folder=_ROOT / name,
        layout=data.get("layout", layout),
        grammar=data.get("grammar"),
        family=data.get("family", name),
        aliases=tuple(data.get("aliases", ())),
        extensions=tuple(data.get("extensions", ())),
        filenames=tuple(data.get("filenames", ())),
        shebangs=tuple(data.get("shebangs", ())),
        inherits=tuple(data.get("inherits", ())),
        constructors=frozenset(data.get("constructors", ())),
        constructor_is_class_name=data.get("constructor_is_class_name", False),
        merge_clauses=data.get("merge_clauses", False),
        containers=frozenset(data.get("containers", _CLASSES)),
        content_extensions=tuple(data.get("content_extensions", ())),
        content=re.compile(content.encode(), re.MULTILINE) if content else None,
    )


@cache
def languages() -> Mapping[str, Language]:
    """All languages by name; their files are read once per process."""
    others = tomllib.loads((_ROOT / "others.toml").read_text(encoding="utf-8"))
    found = {name: _language(name, data, "lines") for name, data in others.items()}
    for path in sorted(_ROOT.glob("*/language.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        found[path.parent.name] = _language(path.parent.name, data, "code")
    return found


@dataclass(frozen=True, slots=True)
class _Lookup:
    extension: Mapping[str, Language]
    filename: Mapping[str, Language]
    shebang: Mapping[str, Language]
    content: Mapping[str, tuple[Language, ...]]
    name: Mapping[str, Language]


@cache
def _lookup() -> _Lookup:
    every = languages().values()
    content: dict[str, tuple[Language, ...]] = {}
    for language in every:
        for extension in language.content_extensions:
            content[extension] = (*content.get(extension, ()), language)
    names = {alias: language for language in every for alias in language.aliases}
    names |= {extension[1:]: language for language in every for extension in language.extensions}
    names |= {language.title.lower(): language for language in every}
    names |= {language.name: language for language in every}
    return _Lookup(
        extension={e: language for language in every for e in language.extensions},
        filename={f.lower(): language for language in every for f in language.filenames},
        shebang={s: language for language in every for s in language.shebangs},
        content=content,
        name=names,
    )


_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z]+)")


def language_of(path: str, first_bytes: bytes = b"") -> Language | None:
    """The language of a file by its name, then by its first bytes; None when unknown.

    `first_bytes` (up to FIRST_BYTES) decides between languages that share an extension and
    reads the `#!` line of files without one, or whose extension says no more than that they are
    data (`pihole.service`, `install.conf`).
    """
    lookup = _lookup()
    name = path.rpartition("/")[2].lower()
    if found := lookup.filename.get(name):
        return found
    parts = name.split(".")
    for start in range(1, len(parts)):  # the longest extension first: .d.ts before .ts
        extension = "." + ".".join(parts[start:])
        for language in lookup.content.get(extension, ()):
            if language.content is not None and language.content.search(first_bytes[:FIRST_BYTES]):
                return language
        if found := lookup.extension.get(extension):
            script = _script(first_bytes) if found.grammar is None else None
            return found if script is None or script.grammar is None else script
    if len(parts) > 1 and (found := lookup.filename.get(parts[0] + ".*")):
        return found  # Dockerfile.prod
    return _script(first_bytes)


def _script(first_bytes: bytes) -> Language | None:
    """The language that a `#!` line says."""
    if first_bytes.startswith(b"#!") and (match := _SHEBANG.match(first_bytes[:256])):
        return _lookup().shebang.get(match[1].decode())
    return None


def is_file_name(text: str) -> bool:
    """Whether a word ends as files of some language do: `router.py`, not `Router.use`."""
    return language_of(text) is not None


def find_language(name: str) -> Language | None:
    """The language that a person means by `py`, `C++`, `tsx` or `Python`; None when unknown."""
    return _lookup().name.get(name.strip().lower().lstrip("."))
