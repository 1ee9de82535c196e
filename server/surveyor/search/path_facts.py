"""What a path alone says about a file: its words, and whether it is a test, an example, a copy.

Computed once per path and remembered, because ranking asks for every candidate of every query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from surveyor.embedding.chunk_text import path_words
from surveyor.embedding.tokens import join_words, stem
from surveyor.search.query import Want

__all__ = ["PathFacts", "path_facts"]

CACHED_PATHS = 50_000

_BUILT = re.compile(r"(?:^|/)(?:dist|build|out)/")
"""What a build puts its results in, outside of sources."""

_FOLDERS: tuple[tuple[Want, re.Pattern[str]], ...] = (
    (
        "tests",
        re.compile(
            r"(?:^|/)(?:tests?|__(?:\w+_)?tests?__|__mocks__|specs?|testing|testdata"
            r"|test[_-]?utils?|fixtures|e2e|[\w.-]+[_-]test(?:s|ing)?|androidTest|\w+Tests?|cypress)/"
        ),
    ),
    (
        "examples",
        re.compile(
            r"(?:^|/)(?:_?examples?|samples?|demos?|docs?_src|playgrounds?|tutorials?"
            r"|(?:[\w.-]+[_-])?bench(?:es|marks?|marking)?|cookbook|templates?/examples)/"
        ),
    ),
    ("docs", re.compile(r"(?:^|/)(?:docs?|documentation|website|site|wiki|man|changelogs?)/")),
    (
        "vendored",
        re.compile(
            r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|thirdparty|3rdparty|extern(?:al)?s?|node_modules"
            r"|bower_components|_?bundled|contrib/vendor|deps)/"
        ),
    ),
    ("generated", re.compile(r"(?:^|/)(?:generated|__generated__|gen)/")),
    ("generated", _BUILT),
    ("legacy", re.compile(r"(?:^|/)(?:_?compat|legacy|deprecated|old|attic)/")),
    ("config", re.compile(r"(?:^|/)(?:\.github|\.circleci|\.vscode|\.devcontainer|scripts?|ci)/")),
)
_FILES: tuple[tuple[Want, re.Pattern[str]], ...] = (
    (
        "tests",
        re.compile(
            r"^(?:test_.*|.*_test|.*[._-](?:test|tests|spec)|conftest|tests?|.*_spec|.*_tests"
            r"|[A-Z]\w*(?:Test|Tests|TestCase|Spec|Suite|IT)|test[_-]?helpers?\w*)\.\w+$"
        ),
    ),
    ("types", re.compile(r"\.d\.[cm]?ts$|\.pyi$|[._-]test-d\.ts$")),
    (
        "generated",
        re.compile(r"[._](?:pb|g|gen|generated|min)\.\w+$|_pb2(?:_grpc)?\.pyi?$|\.pb\.\w+$"),
    ),
    (
        "docs",
        re.compile(
            r"(?i)\.(?:md|mdx|rst|adoc|txt|html?|ipynb|[1-9](?:\.(?:in|prebuilt))?)$"
            r"|^(?:changelog|changes|history|news)[^.]*$"
        ),
    ),
    (
        "config",
        re.compile(
            r"(?i)\.(?:json5?|ya?ml|toml|ini|cfg|conf|lock|properties|xml|gradle|cmake|in|ac|am|mk|m4"
            r"|tmtheme|tmlanguage|sublime-\w+|(?:cs|vb|fs)proj|slnx?|props|targets|gemspec|podspec"
            r"|cabal|sbt|rockspec|nuspec|gradle\.kts)$"
            r"|^(?:makefile|dockerfile|cmakelists\.txt|setup\.py|noxfile\.py|gruntfile\.\w+|.*\.config\.\w+)$"
        ),
    ),
    (
        "examples",
        re.compile(r"^(?:bench_|benchmark|example)[^/]*\.\w+$|[_.-]bench(?:marks?)?\.\w+$"),
    ),
    ("legacy", re.compile(r"^_?(?:compat|legacy|deprecated)\.\w+$")),
)
_SOURCES = re.compile(r"(?:^|/)(?:src|lib|crates|internal|pkg)/")
"""Within these, a folder called `doc` or `build` holds code about docs or builds."""

_OUTSIDE_SOURCES = frozenset[Want]({"docs", "config"})
"""What a folder's name says only outside the folders of sources."""

_REEXPORT = re.compile(r"^(?:__init__\.pyi?|package-info\.java|module-info\.java|index\.d\.ts)$")


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What ranking reads from a path."""

    flags: frozenset[Want]
    reexport_name: bool
    """Named as files are that only pass on what others define."""
    stem: str
    """The file's stem (its folder's for `index` and `__init__`), joined and lower case."""
    stem_words: frozenset[str]
    """Stemmed words of the stem."""
    folder_words: frozenset[str]
    """Stemmed words of the two folders nearest to the file."""
    words: frozenset[str]
    """Both."""


@lru_cache(maxsize=CACHED_PATHS)
def path_facts(path: str) -> PathFacts:
    """Facts about a path relative to its root, with forward slashes."""
    folder, _, name = path.rpartition("/")
    of_folder, in_folders = _folder_facts(folder)
    flags = {want for want, pattern in _FILES if pattern.search(name)}
    _, stem_words = path_words(path)
    in_stem = frozenset(map(stem, stem_words))
    return PathFacts(
        flags=of_folder | flags,
        reexport_name=bool(_REEXPORT.match(name)),
        stem=join_words("".join(stem_words)),
        stem_words=in_stem,
        folder_words=in_folders,
        words=in_stem | in_folders,
    )


@lru_cache(maxsize=CACHED_PATHS)
def _folder_facts(folder: str) -> tuple[frozenset[Want], frozenset[str]]:
    """What a folder says its files are, and the stemmed words of its last two names."""
    flags = frozenset(want for want, pattern in _FOLDERS if _says(want, pattern, folder + "/"))
    near = "/".join(folder.split("/")[-2:])
    words, _ = path_words(near + "/_") if near else ((), ())
    return flags, frozenset(map(stem, words))


def _says(want: Want, pattern: re.Pattern[str], folders: str) -> bool:
    found = pattern.search(folders)
    if found is None:
        return False
    if want not in _OUTSIDE_SOURCES and pattern is not _BUILT:
        return True
    sources = _SOURCES.search(folders)
    return sources is None or found.start() < sources.start()
