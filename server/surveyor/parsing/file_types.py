"""What a file is to a reader (code, doc, test …), and which files are not worth or safe to read.

Every rule is by name or by the first bytes, so that deciding costs next to nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from surveyor.protocol.enumerations import FileType
from surveyor.secrets.files import is_private_key, is_secret_file

SkipReason = Literal[
    "too_large",
    "binary",
    "generated",
    "minified",
    "lock_file",
    "secret",
    "symlink",
    "special",
    "unreadable",
    "dependencies",
    "file_name",
    "excluded",
    "pattern",
]

HEAD_BYTES = 8192
"""How much of a file `skip_reason` wants to see."""

MAX_FILE_SIZE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Skip:
    """Why a file is not indexed: a stable reason, and words for the user."""

    reason: SkipReason
    detail: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOC = _words(".md .markdown .mdx .rst .txt .adoc .asciidoc .org .tex .textile .pod .rdoc")
_CONFIG = _words(
    ".json .jsonc .json5 .yaml .yml .toml .ini .cfg .conf .properties .xml .plist"
    " .editorconfig .tf .hcl .nix .cmake .gradle .bazel .bzl .mk .m4"
    " .tmtheme .tmlanguage .csproj .vbproj .fsproj .sln .slnx .props .targets .gemspec .podspec"
    " .cabal .sbt .rockspec .nuspec .sublime-syntax .sublime-settings .sublime-commands"
)
_ARTIFACT = _words(
    ".csv .tsv .log .jsonl .ndjson .diff .patch .out .snap .geojson .po .pot .srt .vtt"
    " .ipynb_out .expected .golden .tap .lst"
)
_DOC_NAMES = _words(
    "readme license licence copying notice authors contributors changelog changes history"
    " news install todo faq thanks contributing security governance maintainers"
    " code_of_conduct"
)
_MAN_PAGE = re.compile(r"\.[1-9](?:\.(?:in|prebuilt))?$")
_CONFIG_NAMES = _words(
    "dockerfile containerfile makefile gnumakefile rakefile gemfile procfile justfile"
    " vagrantfile jenkinsfile brewfile podfile build workspace codeowners cmakelists.txt"
    " go.mod go.work requirements.txt pipfile meson.build"
)
_TEST_FOLDERS = _words(
    "test tests __tests__ __test__ spec specs e2e integration_tests unittests androidtest"
    " commontest jvmtest"
)
_FIXTURE_FOLDERS = _words("fixtures testdata test_data __fixtures__ __snapshots__")
_NOTE_FOLDERS = _words("notes journal daily")
_TEST_NAME = re.compile(
    r"^(?:test_.*|.*_tests?|.*[.-](?:test|spec|cy|e2e)|.*_spec|conftest"
    r"|.*(?<=[a-z0-9])(?:Test|Tests|TestCase|Spec|IT)|Test[A-Z].*)$"
)

_BINARY = _words(
    ".png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .tif .tiff .psd .ai .eps .svg .svgz"
    " .xcf .mp3 .wav .ogg .flac .m4a .aac .mp4 .mov .avi .mkv .webm .ttf .otf .woff .woff2"
    " .eot .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .ear .whl .egg .gem .deb .rpm"
    " .apk .ipa .dmg .iso .img .nupkg .crx .vsix .cab .msi .o .a .so .dylib .dll .exe .lib"
    " .obj .pdb .class .pyc .pyo .pyd .wasm .bc .elf .ko .hex .rlib .rmeta .beam .dex .node"
    " .nib .pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .epub .mobi .db .sqlite"
    " .sqlite3 .mdb .parquet .arrow .feather .avro .orc .npy .npz .pkl .pickle .joblib .h5"
    " .hdf5 .onnx .pt .pth .ckpt .safetensors .gguf .tflite .pb .bin .dat .mat .rds .rdata"
    " .fbx .glb .blend .stl .swp .swo .lockb"
)
_LOCK_NAMES = _words(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb"
    " deno.lock poetry.lock pdm.lock uv.lock pipfile.lock pixi.lock conda-lock.yml cargo.lock"
    " gemfile.lock composer.lock go.sum go.work.sum mix.lock pubspec.lock podfile.lock"
    " package.resolved packages.lock.json project.assets.json paket.lock flake.lock"
    " gradle.lockfile .terraform.lock.hcl conan.lock cabal.project.freeze stack.yaml.lock"
    " shard.lock rebar.lock elm-stuff buf.lock cartfile.resolved"
)
_GENERATED_NAME = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|swift)|_pb\.(?:js|ts|d\.ts)|\.pb\.gw\.go"
    r"|\.(?:g|freezed|gr|mocks)\.dart|\.designer\.(?:cs|vb)|\.g(?:\.i)?\.cs|\.generated\.\w+"
    r"|_generated\.\w+|\.gen\.(?:go|ts|tsx|js|py|rs)|_gen\.go|^zz_generated\..*|\.map|\.tsbuildinfo"
    r"|_string\.go|^mock_\w+\.go|\.snap)$",
    re.IGNORECASE,
)
_MINIFIED_NAME = re.compile(r"[.-]min\.(?:js|mjs|cjs|css|html)$|\.bundle\.(?:js|css)$", re.I)
_PAGE = _words(".html .htm .xhtml")
_MARKUP = _PAGE | _words(".css .scss .sass .less .xsl .xslt")
_MINIFIABLE = _words(".js .mjs .cjs .css .html .htm .json .svg .xml .jsonc .geojson")

_COMMENT = re.compile(rb"^\s*(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|'''|\(\*|@|rem\b|dnl\b)", re.I)
_GENERATED_TEXT = re.compile(
    rb"code generated .*do not edit"
    rb"|^\W*@generated\b"
    rb"|\b(?:auto|automatically |machine )[- ]?generated\b.*\bdo not (?:edit|modify|change)"
    rb"|\bdo not (?:edit|modify|change)\b.*\bgenerated\b"
    rb"|\bgenerated (?:by|from|with|using)\b.*\bdo not (?:edit|modify|change)"
    rb"|\bthis (?:file|code|module) (?:is|was|has been) "
    rb"(?:auto-?|automatically |machine[- ])generated\b"
    rb"|\bthis file is generated\b.*\bdo not\b"
    rb"|^/\* a bison parser, made by gnu bison\b"
    rb"|^/\* a lexical scanner generated by flex\b",
    re.IGNORECASE,
)
GENERATED_HEAD_LINES = 20
_META = re.compile(rb"<meta\b([^<>]{1,300})>", re.IGNORECASE)
_GENERATOR = re.compile(rb"""\bname\s*=\s*["']?generator\b""", re.IGNORECASE)
_CONTENT = re.compile(rb"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_PAGE_MARKS = (
    (b"<!-- Generated by javadoc", "javadoc"),
    (b"dokka-", "Dokka"),
    (b"css/jazzy.css", "jazzy"),
    (b"<title>JSDoc: ", "JSDoc"),
    (b"Documentation by YARD ", "YARD"),
    (b"js/darkfish.js", "RDoc"),
    (b"haddock-bundle", "Haddock"),
    (b"_static/documentation_options.js", "Sphinx"),
)
"""What pages have near their beginning that a tool made of code, and that do not name it as HTML
provides: (mark, tool). A repository with its API's pages may have thirty of them a source file."""
_TEMPLATE_MARKS = (b"{{", b"{%", b"<%", b"<?php")
MINIFIED_LINE_BYTES = 1000
"""A file whose lines are this long on average was not written by hand."""

DEPENDENCY_FOLDERS = _words(
    "node_modules bower_components jspm_packages __pycache__ __pypackages__ site-packages"
    " .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .terraform"
    " .bundle .yarn .pnpm-store .turbo .next .nuxt .svelte-kit .parcel-cache .dart_tool"
    " .stack-work .eggs elm-stuff .direnv .cache .git .hg .svn .jj .bzr CVS"
)
"""Folders that hold other people's code or a tool's own files whatever ignore rules say."""


def file_type_of(path: str) -> FileType:
    """What a file is to a reader, by its path relative to the root."""
    pure = PurePosixPath(path)
    name, stem, suffix = pure.name, pure.stem, pure.suffix.lower()
    folders = [part.lower() for part in pure.parts[:-1]]
    lower = name.lower()
    if lower in _CONFIG_NAMES or lower.split(".")[0] in ("dockerfile", "makefile"):
        return "config"
    if suffix in _ARTIFACT:
        return "artifact"
    if (
        suffix in _DOC
        or _MAN_PAGE.search(lower)
        or (not suffix and lower.split("-")[0] in _DOC_NAMES)
    ):
        in_notes = any(folder in _NOTE_FOLDERS for folder in folders)
        return "note" if in_notes or name == "MEMORY.md" else "doc"
    if any(folder in _FIXTURE_FOLDERS for folder in folders) and suffix in _CONFIG:
        return "artifact"
    if suffix in _CONFIG or (name.startswith(".") and not suffix):
        return "config"
    if any(folder in _TEST_FOLDERS for folder in folders) or _TEST_NAME.match(stem):
        return "test"
    return "code"


def turn_of(path: str) -> int:
    """When a new index reads a file: code first, then tests, what describes them, and the rest."""
    kind = file_type_of(path)
    if kind == "code":
        return 0 if _suffix(path).lower() not in _MARKUP else 3
    return {"test": 1, "artifact": 3}.get(kind, 2)


def _suffix(name: str) -> str:
    """As `PurePosixPath(name).suffix`: asked of every file of a walk."""
    dot = name.rfind(".")
    return name[dot:] if 0 < dot < len(name) - 1 else ""


def skip_reason(
    path: str, size: int, head: bytes = b"", max_file_size: int = MAX_FILE_SIZE_BYTES
) -> Skip | None:
    """Why a file should not be indexed; None when it should.

    `head` is its first `HEAD_BYTES` bytes; without them only name and size decide, which is what
    the walk knows.
    """
    name = path.rsplit("/", 1)[-1]
    lower = name.lower()
    suffix = _suffix(lower)
    if is_secret_file(path):
        return Skip("secret", "its name says that it holds secrets")
    if lower in _LOCK_NAMES or suffix == ".lock":
        return Skip("lock_file", "written by a package manager")
    if suffix in _BINARY:
        return Skip("binary", f"{suffix} is not text")
    if size > max_file_size:
        return Skip("too_large", f"{_human(size)} is more than {_human(max_file_size)}")
    if _MINIFIED_NAME.search(lower):
        return Skip("minified", "its name says that it is minified")
    if _GENERATED_NAME.search(lower):
        return Skip("generated", "its name says that a program wrote it")
    return _by_content(path, suffix, head[:HEAD_BYTES]) if head else None


def _by_content(path: str, suffix: str, head: bytes) -> Skip | None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Skip("binary", "UTF-16 text is not supported")
    if b"\0" in head or _control_share(head) > (0.1 if _is_utf8(head) else 0.02):
        return Skip("binary", "it is not text")
    if is_private_key(head):
        return Skip("secret", "it is a private key")
    if suffix in _MINIFIABLE and _is_minified(head):
        return Skip("minified", f"its lines are longer than {MINIFIED_LINE_BYTES} characters")
    for line in head.splitlines()[:GENERATED_HEAD_LINES]:
        if _COMMENT.match(line) and _GENERATED_TEXT.search(line):
            words = line.decode(errors="replace").strip(" #/*-;<>!\"'")
            return Skip("generated", f"it says so: {words[:80]}")
    if suffix in _PAGE and (tool := _page_maker(head)):
        return Skip("generated", f"a page that {tool[:80]} made")
    return None


def _page_maker(head: bytes) -> str | None:
    """The program that wrote an HTML page; None for what somebody wrote, templates included."""
    if any(mark in head for mark in _TEMPLATE_MARKS):
        return None
    for meta in _META.finditer(head):
        if _GENERATOR.search(meta[1]) and (content := _CONTENT.search(meta[1])):
            return (content[1] or content[2] or content[3] or b"").decode(errors="replace")
    return next((tool for mark, tool in _PAGE_MARKS if mark in head), None)


def _is_utf8(head: bytes) -> bool:
    """Whether it is valid so far; its last character may be cut off."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _control_share(head: bytes) -> float:
    """Share of control characters that text does not have (escape, form feed and tab are fine)."""
    strange = sum(head.count(code) for code in (1, 2, 3, 4, 5, 6, 7, 14, 15, 16, 17, 18, 19, 127))
    return strange / len(head)


def _is_minified(head: bytes) -> bool:
    lines = head.count(b"\n") + 1
    return len(head) > 2 * MINIFIED_LINE_BYTES and len(head) / lines > MINIFIED_LINE_BYTES


def _human(size: int) -> str:
    amount = float(size)
    for unit in ("bytes", "KB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"
