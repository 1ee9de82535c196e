"""What a package says of itself: README, metadata, docstrings, declarations and their comments."""

from __future__ import annotations

import csv
import email.message
import importlib.metadata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from surveyor.files.safe_read import read_text, read_up_to
from surveyor.files.structured import StructureError, mapping, parse_json, text
from surveyor.formats import DocumentSection, ExtractedDocument, ExtractionError, extract
from surveyor.knowledge.dependencies import comments
from surveyor.knowledge.dependencies.packages import Package
from surveyor.knowledge.foreign_files import matching

FILE_MAX_BYTES = 1 << 20
PACKAGE_MAX_FILES = 400
"""Of the largest packages, enough of what their users import; the top levels come first."""


@dataclass(frozen=True, slots=True)
class PackageDocument:
    """A document of a package. `name` is dotted, below the package: `requests.sessions`."""

    name: str
    path: Path
    document: ExtractedDocument


def documents(package: Package) -> Iterator[PackageDocument]:
    """All documents of a package; what cannot be read is left out."""
    if package.ecosystem == "python":
        yield from _python(package)
    elif package.ecosystem == "npm":
        yield from _npm(package)
    else:
        yield from _readme(package)
        suffix = ".rs" if package.ecosystem == "cargo" else ".go"
        top = package.root / "src" if package.ecosystem == "cargo" else package.root
        for path in _sources(top if top.is_dir() else package.root, suffix):
            if path.name.endswith("_test.go"):
                continue
            relative = path.relative_to(package.root).with_suffix("")
            found = comments.read(_text(path), suffix)
            if document := _document(relative.as_posix(), found, suffix[1:]):
                name = ".".join(part for part in relative.parts if part not in ("src", "lib"))
                yield PackageDocument(name or package.name, path, document)


def _python(package: Package) -> Iterator[PackageDocument]:
    known = importlib.metadata.distributions(name=package.name, path=[str(package.root)])
    distribution = next(iter(known), None)
    if distribution is None or not distribution.metadata:
        return
    about = cast("email.message.Message", distribution.metadata)
    body = about.get_payload()
    description = body if isinstance(body, str) and body.strip() else about.get("Description", "")
    kind = about.get("Description-Content-Type", "text/x-rst")
    chosen = "markdown" if "markdown" in kind else "rst" if "rst" in kind else "text"
    summary = about.get("Summary") or ""
    facts = f"{about['Name']} {package.version}: {summary}".strip(": ")
    document = _extracted(f"{facts}\n\n{description or ''}".encode(), "README", chosen)
    if document:
        path = Path(str(distribution.locate_file(""))) / f"{package.name}"
        yield PackageDocument(
            "README",
            path,
            ExtractedDocument(facts[:100], "metadata", document.sections, document.topics),
        )
    try:
        listed = distribution.files or []
    except (OSError, ValueError, csv.Error):  # half installed, or written by hand
        listed = []
    files = [
        file
        for file in listed
        if ".." not in file.parts
        and not file.is_absolute()
        and file.suffix in (".py", ".pyi")
        # A private top level may be all there is: `pytest` only re-exports `_pytest`.
        and not any(p.startswith("_") and p != "__init__.py" for p in file.parts[1:])
        and not {"tests", "test", "testing", "vendor", "_vendor"} & set(file.parts)
    ]
    files.sort(key=lambda file: (len(file.parts), file.suffix, str(file)))
    seen: set[str] = set()
    for file in files[:PACKAGE_MAX_FILES]:
        module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        path = Path(str(file.locate()))
        if module in seen or module == "setup":
            continue
        if document := _document(module, comments.docstrings(_text(path), module), "python"):
            seen.add(module)
            yield PackageDocument(module, path, document)


def _npm(package: Package) -> Iterator[PackageDocument]:
    yield from _readme(package)
    roots = [package.root]
    types = package.root.parent / "@types" / package.name
    if "/" not in package.name and types.is_dir():
        roots.append(types)
    for root in roots:
        for path in _sources(root, ".d.ts"):
            relative = path.relative_to(root)
            found = comments.declarations(_text(path))
            name = relative.as_posix().removesuffix(".d.ts")
            if document := _document(name, found, "typescript"):
                yield PackageDocument(name.replace("/", "."), path, document)


def _readme(package: Package) -> Iterator[PackageDocument]:
    about = {}
    if package.ecosystem == "npm":
        try:
            about = mapping(parse_json(_text(package.root / "package.json")))
        except StructureError:
            about = {}
    summary = text(about.get("description"))
    for path in matching(package.root, "*"):
        if path.stem.lower() != "readme" or not path.is_file():
            continue
        document = _extracted(read_up_to(path, FILE_MAX_BYTES - 1)[0], path.name, None)
        if document:
            title = f"{package.name} {package.version}" + (f": {summary}" if summary else "")
            yield PackageDocument(
                "README", path, ExtractedDocument(title[:200], document.format, document.sections)
            )
            return
    if summary:
        sections = (DocumentSection(f"{package.name}: {summary}"),)
        yield PackageDocument(
            "README",
            package.root / "package.json",
            ExtractedDocument(package.name, "metadata", sections),
        )


def _sources(root: Path, suffix: str) -> list[Path]:
    """Files by how deep they lie, then by name; other packages inside are not this one's."""
    found = [
        path
        for path in matching(root, f"**/*{suffix}")
        if path.is_file()
        and not {"node_modules", "vendor", "testdata", "internal", "tests"}
        & set(path.relative_to(root).parts)
    ]
    found.sort(key=lambda path: (len(path.parts), str(path)))
    return found[:PACKAGE_MAX_FILES]


def _document(
    title: str, found: list[comments.DocumentedName], kind: str
) -> ExtractedDocument | None:
    sections = tuple(
        DocumentSection(one.text, (title, *one.path), None, one.line, one.line) for one in found
    )
    return ExtractedDocument(title, kind, sections) if sections else None


def _extracted(data: bytes, name: str, kind: str | None) -> ExtractedDocument | None:
    try:
        return extract(data, name, kind)
    except ExtractionError:
        return None


def _text(path: Path) -> str:
    try:
        return read_text(path, FILE_MAX_BYTES, errors="replace")
    except OSError:
        return ""
