"""What a file is by its path, and for tests its text: code, a test, documentation, configuration,
generated, vendored.

Two answers from one vocabulary, stored with each document. `file_type_of` is the one type that
people filter by. `labels_of` is what ranking reads: a file may have several labels, and they are
wider, so that what is merely like a test counts less, but is not found as one. Each list says what
both read first; what only one of them reads follows under its name.

A word in a name makes no test: where a language's convention leaves it open, the text decides
(`files/test_content.py`), and what stands in a folder of sources to ship is no test.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import cast

from surveyor.files.test_content import says_tests
from surveyor.protocol.enumerations import FileLabel, FileType

__all__ = [
    "DECLARING",
    "DEPENDENCY_FOLDERS",
    "GENERATED_NAME",
    "LABELS_VERSION",
    "file_type_of",
    "labels_of",
    "read_labels",
]

DECLARING = (".h", ".hpp", ".hh", ".hxx", ".pyi", ".d.ts")
"""Ends of the names of files that may only declare what another file defines."""
LABELS_VERSION = 5
"""Rises with any change of `labels_of`: what is stored is then made anew."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _any(names: Iterable[str]) -> str:
    """A pattern of literal names."""
    return "|".join(map(re.escape, sorted(names)))


# --- tests --------------------------------------------------------------------------------

_TEST_FOLDERS = _words("test tests __tests__ __test__ spec specs e2e step_definitions")
_TYPED_TEST_FOLDERS = _TEST_FOLDERS | _words(
    "integration_tests unittests androidtest commontest jvmtest"
)
"""Whatever the case of their letters."""
_TEST_PROJECT = re.compile(r"\.(?:unit|integration|functional)?(?:tests?|specs)$")
"""Folders of .NET's projects of tests: `App.Core.Tests`."""
_LABELLED_TEST_FOLDERS = (
    r"__(?:\w+_)?tests?__|__mocks__|testing|testdata|test[_-]?(?:utils?|helpers?)|fixtures"
    r"|[\w.-]+[_-]test(?:s|ing)?|androidTest|\w+Tests?|[\w.]+\.\w*Tests?|cypress"
)
_FIXTURE_FOLDERS = _words("fixtures testdata test_data __fixtures__ __snapshots__")

_TEST_STEM = r"test_.*|.*_tests?|.*[.-](?:test|spec)|.*_spec|conftest"
_TYPED_TEST_STEM = r".*[.-](?:cy|e2e)|.*(?<=[a-z0-9])(?:Test|Tests|TestCase|Spec|IT)|Test[A-Z].*"
_LABELLED_TEST_STEM = (
    r".*[.-]tests|tests?|[A-Z]\w*(?:Test|Tests|TestCase|Spec|Suite|IT)|test[_-]?helpers?\w*"
)

_CERTAIN_TEST_NAME = re.compile(
    r"^(?:test_.*|.*_tests?|conftest|tests)\.py$|^tests\.rs$|_test\.(?:go|exs|dart|zig|lua)$"
    r"|[.-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|_spec\.(?:rb|lua|cr)$|_(?:unit)?test\.(?:cc|cpp|cxx)$"
    r"|\.bats$"
)
"""Names that a language's tools take for tests; others are decided by the text, where known."""
_SHIPPED = re.compile(r"(?:^|/)(?:src/(?:main|\w+Main)|Sources)/|^(?:.*/)?lib/(?=.*\.ex$)")
"""Folders that hold what is shipped: Maven's and Kotlin's source sets, Swift's, Elixir's."""
_PACKAGED_TEST_FOLDER = re.compile(r"(?<=/)(?:test|testing)/(?=.*\.pyi?$)")
"""A module of a Python package that helps to test: its own tests are called as such."""

# --- documentation ------------------------------------------------------------------------

_DOC = _words("md mdx rst adoc txt")
_TYPED_DOC = _DOC | _words("markdown asciidoc org tex textile pod rdoc")
_LABELLED_DOC = _TYPED_DOC | _words("htm html ipynb")
_DOC_NAMES = _words(
    "readme license licence copying notice authors contributors changelog changes history"
    " news install todo faq thanks contributing security governance maintainers"
    " code_of_conduct"
)
_LABELLED_DOC_NAMES = _words("changelog changes history news")
"""Of the same names, those that begin a label's; the others say what code is about, too, where they
are not the whole name."""
_MAN_PAGE = r"[1-9](?:\.(?:in|prebuilt))?"
_NOTE_FOLDERS = _words("notes journal daily")

# --- configuration ------------------------------------------------------------------------

_CONFIG = _words(
    "json json5 yaml yml toml ini cfg conf properties xml cmake gradle mk m4 tmtheme tmlanguage"
    " csproj vbproj fsproj sln slnx props targets gemspec podspec cabal sbt rockspec nuspec"
)
_TYPED_CONFIG = _CONFIG | _words(
    "jsonc plist editorconfig tf hcl nix bazel bzl sublime-syntax sublime-settings sublime-commands"
)
_LABELLED_CONFIG = rf"{_any(_CONFIG)}|sublime-\w+|lock|in|ac|am|gradle\.kts"
_CONFIG_NAMES = _words("dockerfile makefile cmakelists.txt")
_TYPED_CONFIG_NAMES = _CONFIG_NAMES | _words(
    "containerfile gnumakefile rakefile gemfile procfile justfile"
    " vagrantfile jenkinsfile brewfile podfile build workspace codeowners"
    " go.mod go.work requirements.txt pipfile meson.build"
)
_LABELLED_CONFIG_NAMES = (
    rf"{_any(_CONFIG_NAMES)}|setup\.py|noxfile\.py|gruntfile\.\w+|.*\.config\.\w+"
)
_ARTIFACT = _words(
    "csv tsv log jsonl ndjson diff patch out snap geojson po pot srt vtt"
    " ipynb_out expected golden tap lst"
)

# --- generated, and other people's --------------------------------------------------------

_PROTOBUF = r"_pb2(?:_grpc)?\.pyi?"
GENERATED_NAME = re.compile(
    rf"(?:{_PROTOBUF}|\.pb\.(?:go|cc|h|swift)|_pb\.(?:js|ts|d\.ts)|\.pb\.gw\.go"
    r"|\.(?:g|freezed|gr|mocks)\.dart|\.designer\.(?:cs|vb)|\.g(?:\.i)?\.cs|\.generated\.\w+"
    r"|_generated\.\w+|\.gen\.(?:go|ts|tsx|js|py|rs)|_gen\.go|^zz_generated\..*|\.map|\.tsbuildinfo"
    r"|_string\.go|^mock_\w+\.go|\.snap)$",
    re.IGNORECASE,
)
"""Names of files that a program wrote for certain: they are not indexed."""
_LABELLED_GENERATED_NAME = rf"[._](?:pb|g|gen|generated|min)\.\w+$|{_PROTOBUF}$|\.pb\.\w+$"

_DEPENDENCIES = _words("node_modules bower_components")
DEPENDENCY_FOLDERS = _DEPENDENCIES | _words(
    "jspm_packages __pycache__ __pypackages__ site-packages"
    " .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .terraform"
    " .bundle .yarn .pnpm-store .turbo .next .nuxt .svelte-kit .parcel-cache .dart_tool"
    " .stack-work .eggs elm-stuff .direnv .cache .git .hg .svn .jj .bzr CVS"
)
"""Folders that hold other people's code or a tool's own files whatever ignore rules say: they are
not indexed."""
_LABELLED_VENDORED_FOLDERS = (
    rf"{_any(_DEPENDENCIES)}|_?vendor(?:ed)?|third[_-]?party|thirdparty|3rdparty|extern(?:al)?s?"
    r"|_?bundled|contrib/vendor|deps|wwwroot/lib"
)
_WRAPPERS = _words(
    "mvnw mvnw.cmd gradlew gradlew.bat config.guess config.sub install-sh ltmain.sh depcomp"
    " ltoptions.m4 libtool.m4 aclocal.m4"
)
"""Files that a build tool puts into a repository as they are."""

# --- the type -----------------------------------------------------------------------------


def _dotted(names: frozenset[str]) -> frozenset[str]:
    return frozenset(f".{name}" for name in names)


_DOC_SUFFIXES = _dotted(_TYPED_DOC)
_CONFIG_SUFFIXES = _dotted(_TYPED_CONFIG)
_ARTIFACT_SUFFIXES = _dotted(_ARTIFACT)
_TYPED_MAN_PAGE = re.compile(rf"\.{_MAN_PAGE}$")
_TYPED_TEST_NAME = re.compile(rf"^(?:{_TEST_STEM}|{_TYPED_TEST_STEM})$")
_LABELLED_TEST_NAME = re.compile(rf"^(?:{_TEST_STEM}|{_LABELLED_TEST_STEM})\.\w+$")


def file_type_of(path: str, data: bytes | None = None) -> FileType:
    """What a file is to a reader, by its path relative to the root, and its bytes where known."""
    pure = PurePosixPath(path)
    name, stem, suffix = pure.name, pure.stem, pure.suffix.lower()
    folders = [part.lower() for part in pure.parts[:-1]]
    lower = name.lower()
    if lower in _TYPED_CONFIG_NAMES or lower.split(".")[0] in ("dockerfile", "makefile"):
        return "config"
    if suffix in _ARTIFACT_SUFFIXES:
        return "artifact"
    if (
        suffix in _DOC_SUFFIXES
        or _TYPED_MAN_PAGE.search(lower)
        or (not suffix and lower.split("-")[0] in _DOC_NAMES)
    ):
        in_notes = any(folder in _NOTE_FOLDERS for folder in folders)
        return "note" if in_notes or name == "MEMORY.md" else "doc"
    if any(folder in _FIXTURE_FOLDERS for folder in folders) and suffix in _CONFIG_SUFFIXES:
        return "artifact"
    if suffix in _CONFIG_SUFFIXES or (name.startswith(".") and not suffix):
        return "config"
    tested = _test_folders(path).lower().split("/")
    if any(
        folder in _TYPED_TEST_FOLDERS or _TEST_PROJECT.search(folder) for folder in tested
    ) or _CERTAIN_TEST_NAME.search(name):
        return "test"
    if _SHIPPED.search(path):
        return "code"
    if data is None:
        return "test" if _TYPED_TEST_NAME.match(stem) else "code"
    called = _TYPED_TEST_NAME.match(stem) or _LABELLED_TEST_NAME.match(name)
    return "test" if called and says_tests(path, data) else "code"


def _test_folders(path: str) -> str:
    """The folders of a path that may say that it is of tests."""
    folder = path.rpartition("/")[0] + "/"
    shipped = _SHIPPED.search(path)
    if shipped is not None:
        return folder[: shipped.start()]
    return _PACKAGED_TEST_FOLDER.sub("", path).rpartition("/")[0] + "/"


# --- labels -------------------------------------------------------------------------------


def _folders(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{pattern})/")


_BUILT = _folders("dist|build|out|priv/static|public/(?:assets|build|packs)")
"""What a build puts its results in, outside of sources."""

_TESTS_FOLDER = _folders(f"{_any(_TEST_FOLDERS)}|{_LABELLED_TEST_FOLDERS}")
_FOLDERS: tuple[tuple[FileLabel, re.Pattern[str]], ...] = (
    ("tests", _TESTS_FOLDER),
    (
        "examples",
        _folders(
            r"_?examples?|samples?|demos?|docs?_src|playgrounds?|tutorials?"
            r"|(?:[\w.-]+[_-])?bench(?:es|marks?|marking)?|cookbook|templates?/examples"
        ),
    ),
    (
        "docs",
        _folders(
            "(?:docs?|documentation)(?:[_-](?:website|web|site|pages|content))?|website|site|wiki|man"
            "|(?:api|dev|user)[_-]docs?|changelogs?"
        ),
    ),
    ("vendored", _folders(_LABELLED_VENDORED_FOLDERS)),
    ("generated", _folders("generated|__generated__|gen")),
    ("generated", _BUILT),
    ("legacy", _folders("_?compat|legacy|deprecated|old|attic")),
    (
        "config",
        _folders(
            r"\.github|\.circleci|\.vscode|\.devcontainer|scripts?|ci|(?:shell[-_])?completions?"
        ),
    ),
)
_FILES: tuple[tuple[FileLabel, re.Pattern[str]], ...] = (
    ("tests", _LABELLED_TEST_NAME),
    ("types", re.compile(r"\.d\.[cm]?ts$|\.pyi$|[._-]test-d\.ts$")),
    ("generated", re.compile(_LABELLED_GENERATED_NAME)),
    ("vendored", re.compile(rf"^(?:{_any(_WRAPPERS)})$")),
    (
        "docs",
        re.compile(
            rf"(?i)\.(?:{_any(_LABELLED_DOC)}|{_MAN_PAGE})$|^(?:{_any(_LABELLED_DOC_NAMES)})[^.]*$"
            rf"|^(?:{_any(_DOC_NAMES)})(?:-[^.]*)?$"
        ),
    ),
    ("config", re.compile(rf"(?i)\.(?:{_LABELLED_CONFIG})$|^(?:{_LABELLED_CONFIG_NAMES})$")),
    (
        "examples",
        re.compile(r"^(?:bench_|benchmark|example)[^/]*\.\w+$|[_.-]bench(?:marks?)?\.\w+$"),
    ),
    ("legacy", re.compile(r"^_?(?:compat|legacy|deprecated)\.\w+$")),
)
_SOURCES = re.compile(r"(?:^|/)(?:src|lib|crates|internal|pkg)/")
"""Within these, a folder called `doc` or `build` holds code about docs or builds."""

_OUTSIDE_SOURCES = frozenset[FileLabel]({"docs", "config"})
"""What a folder's name says only outside the folders of sources."""


def labels_of(path: str, file_type: str = "") -> str:
    """What ranking calls a file, by its path relative to the root, and its type where its text has
    decided that; joined with commas."""
    folder, _, name = path.rpartition("/")
    labels = _folder_labels(folder) | _name_labels(name)
    if "tests" in labels and not _is_labelled_test(path, name, file_type):
        labels -= {"tests"}
    return ",".join(sorted(labels))


def _is_labelled_test(path: str, name: str, file_type: str) -> bool:
    if _CERTAIN_TEST_NAME.search(name) or _TESTS_FOLDER.search(_test_folders(path)):
        return True
    return file_type != "code" and not _SHIPPED.search(path)


@lru_cache(maxsize=1024)
def read_labels(labels: str) -> frozenset[FileLabel]:
    """The set that `labels_of` has joined."""
    return frozenset(cast("list[FileLabel]", labels.split(","))) if labels else frozenset()


@lru_cache(maxsize=1024)
def _folder_labels(folder: str) -> frozenset[FileLabel]:
    """What a folder, relative to the root, says of the files in it."""
    folders = folder + "/"
    return frozenset(label for label, pattern in _FOLDERS if _says(label, pattern, folders))


def _name_labels(name: str) -> frozenset[FileLabel]:
    """What a file's own name says of it."""
    return frozenset(label for label, pattern in _FILES if pattern.search(name))


def _says(label: FileLabel, pattern: re.Pattern[str], folders: str) -> bool:
    found = pattern.search(folders)
    if found is None:
        return False
    if label not in _OUTSIDE_SOURCES and pattern is not _BUILT:
        return True
    sources = _SOURCES.search(folders)
    return sources is None or found.start() < sources.start()
