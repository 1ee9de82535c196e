"""What the index worker does for knowledge: documents, packages and sessions into pieces.

Runs in the worker process, so that a document that hangs or crashes a library costs itself only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from surveyor.files.safe_read import read_bytes
from surveyor.formats.document import ExtractedDocument, ExtractionError, document_chunks
from surveyor.formats.formats import extract, format_of, read_with
from surveyor.formats.page_facts import PageFacts
from surveyor.knowledge.document_reading import ReadDocument, ReadJob, content_hash
from surveyor.knowledge.names import holds_secrets
from surveyor.secrets import mask_bytes, mask_text
from surveyor.secrets.files import is_private_key

_PACKED = frozenset(("pdf", "docx", "epub"))
"""Formats whose bytes are no text: they are masked once they are read."""

PDF_PAGES_PER_JOB = 60
"""About five seconds of work; the rest of a long PDF comes with further jobs."""


def read(job: ReadJob) -> list[ReadDocument]:
    """Do a job. Raises `ExtractionError` when there is nothing to be read."""
    if job.kind == "document":
        return [_document(job)]
    if job.kind == "page":
        return [_page(job)]
    if job.kind == "package":
        return _package(job)
    return _session(job)


def _document(job: ReadJob) -> ReadDocument:
    data, mtime_ns = _bytes(job)
    file_name = Path(job.path).name or job.name
    kind = job.format or format_of(file_name, data[:512])
    if kind not in _PACKED:
        data = mask_bytes(data, file_name if job.path else None)
    more = False
    if kind == "pdf":
        from surveyor.formats import pdf  # here and below: each only by the jobs that need it

        total = pdf.page_count(data)
        first = job.part * PDF_PAGES_PER_JOB + 1
        last = first + PDF_PAGES_PER_JOB - 1
        more = last < total
        found = pdf.read(data, file_name, first, last)
        if not found.sections and not more and not job.part:
            raise ExtractionError(f"{file_name}: {'; '.join(found.problems[-1:])}")
    else:
        found = extract(data, file_name, kind)
    result = _read_document(job.name, job.path, found, data, mtime_ns)
    result.more = more
    return result


def _page(job: ReadJob) -> ReadDocument:
    from surveyor.formats import web_page  # only by the jobs that need it

    data = job.data or b""
    facts: list[PageFacts] = []

    def read_page(data: bytes, name: str) -> ExtractedDocument:
        document, said = web_page.read_page(web_page.decoded(data, job.charset), name)
        facts.append(said)
        return document

    found = read_with(read_page, data, job.name, "HTML")
    # By what it says, and not by its bytes: they differ with the day and the visitor.
    text = "\n".join(one.text for one in found.sections).encode("utf-8", "replace")
    result = _read_document(job.name, "", found, text, 0)
    result.page, result.size = facts[0], len(data)
    return result


def _package(job: ReadJob) -> list[ReadDocument]:
    # only by the jobs that need it
    from surveyor.knowledge.dependencies import Package, documents
    from surveyor.knowledge.dependencies.packages import ECOSYSTEMS

    ecosystem = next(one for one in ECOSYSTEMS if one == job.ecosystem)
    package = Package(ecosystem, job.name, job.version, Path(job.path))
    return [
        _read_document(one.name, str(one.path), one.document, b"", 0) for one in documents(package)
    ]


def _session(job: ReadJob) -> list[ReadDocument]:
    # only by the jobs that need it
    from surveyor.formats import markdown
    from surveyor.knowledge import transcripts

    path = Path(job.path)
    readers: dict[str, Callable[[Path], transcripts.Transcript | None]] = {
        "claude-code": transcripts.claude_code,
        "opencode": lambda one: transcripts.opencode_session(one.parents[2], one),
        "markdown": transcripts.markdown,
    }
    session = readers[job.kind](path)
    if session is None:
        return []
    text = mask_text(session.markdown())
    document = markdown.read_text(text, f"{session.id}.md")
    stat = path.stat()
    result = _read_document(job.name, job.path, document, text.encode(), stat.st_mtime_ns)
    result.title, result.format = mask_text(session.title), session.agent
    result.directory = session.directory
    result.dated = session.ended or session.started or stat.st_mtime
    # Lines of our rendering would mean nothing in the original.
    result.chunks = [replace(chunk, start_line=0, end_line=0) for chunk in result.chunks]
    return [result]


def _bytes(job: ReadJob) -> tuple[bytes, int]:
    if job.data is not None:
        return job.data, 0
    path = Path(job.path)
    if holds_secrets(path):
        raise ExtractionError(f"{path.name} is not read: its name says that it holds secrets")
    try:
        stat = path.stat()
        if stat.st_size > job.max_bytes:
            raise ExtractionError(f"{path.name} is larger than {job.max_bytes >> 20} MB")
        data = read_bytes(path, job.max_bytes)
    except OSError as error:
        raise ExtractionError(f"{path} cannot be read: {error.strerror}") from error
    if is_private_key(data[:512]):
        raise ExtractionError(f"{path.name} is a private key, and is not read")
    return data, stat.st_mtime_ns


def _masked(found: ExtractedDocument) -> ExtractedDocument:
    """The document without secrets: what was packed is text only now."""
    sections = tuple(
        replace(
            one,
            text=mask_text(one.text),
            headings=tuple(mask_text(heading) for heading in one.headings),
        )
        for one in found.sections
    )
    topics = tuple(mask_text(topic) for topic in found.topics)
    return replace(found, title=mask_text(found.title), sections=sections, topics=topics)


def _read_document(
    name: str, path: str, found: ExtractedDocument, data: bytes, mtime_ns: int
) -> ReadDocument:
    found = _masked(found)
    return ReadDocument(
        name=name,
        path=path,
        title=found.title,
        format=found.format,
        chunks=list(document_chunks(found)),
        topics=list(found.topics),
        problems=list(found.problems),
        content_hash=content_hash(data),
        size=len(data),
        mtime_ns=mtime_ns,
        dated=mtime_ns / 1e9,
    )
