"""New diagnostics of a change as findings: which documents are looked at, and what of it counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from surveyor.engine.file_versions import FileVersions
from surveyor.engine.new_diagnostics import (
    ChangedDocument,
    DiagnosesChanges,
    NewDiagnostic,
    NewDiagnostics,
)
from surveyor.graph.queries.lookup import Node
from surveyor.graph.queries.query_context import QueryContext
from surveyor.protocol.check import CheckFinding
from surveyor.secrets.masking import mask_text
from surveyor.units import counted

__all__ = ["diagnosed", "diagnostic_findings"]

MAX_DOCUMENTS = 40
"""Changed files and those that depend on them which a server is shown."""
MAX_IN_FILE = 10
"""Findings of one file: one that cannot be read has hundreds."""
MESSAGE_CHARS = 300
_NAME = re.compile(r"[\w$]+")


async def diagnosed(
    context: QueryContext,
    servers: DiagnosesChanges,
    files: Sequence[FileVersions],
    subjects: Sequence[Node],
) -> NewDiagnostics:
    """What servers find in changed files and in those that use what changed in them."""
    changed = {file.path for file in files}
    documents = [
        ChangedDocument(
            file.path,
            file.before.decode("utf-8", "replace"),
            file.after.decode("utf-8", "replace") if file.after else None,
            file.old_path,
        )
        for file in files
    ]
    if not documents:
        return NewDiagnostics()
    uses = await context.stored.uses([node.node_id for node in subjects])
    users = [path for path, _ in Counter(edge.path for edge in uses).most_common()]
    documents += [ChangedDocument(path) for path in users if path not in changed]
    left = documents[MAX_DOCUMENTS:]
    found = await servers.new_diagnostics(context.checkout.root, documents[:MAX_DOCUMENTS])
    if left:
        found.lacks.append(
            counted(
                len(left),
                "file that uses what changed was not shown to servers",
                "files that use what changed were not shown to servers",
            )
        )
    return found


def diagnostic_findings(
    context: QueryContext,
    answer: NewDiagnostics,
    files: Sequence[FileVersions],
    subjects: Sequence[Node],
    known: Sequence[CheckFinding],
) -> list[CheckFinding]:
    """What counts of it, without what is said of the same lines already."""
    by_path = {file.path: file for file in files}
    said = {(each.path, each.line) for each in known}
    unreadable = {each.path for each in known if each.kind == "syntax"}
    tests = {node.path for node in subjects if node.is_test}
    changed = _innermost(subjects)
    per_file: Counter[str] = Counter()
    found: list[CheckFinding] = []
    for each in answer.found:
        # Of what cannot be read the first line is enough: what follows is read as anything.
        limit = 1 if each.path in unreadable else MAX_IN_FILE
        counts = each.is_compared or _is_about(context, each, by_path.get(each.path), changed)
        if not counts or (each.path, each.line) in said or per_file[each.path] >= limit:
            continue
        said.add((each.path, each.line))
        per_file[each.path] += 1
        message = mask_text(each.message.strip().partition("\n")[0])[:MESSAGE_CHARS]
        found.append(
            CheckFinding(
                kind="diagnostic",
                certainty="certain" if each.is_compared and each.is_error else "likely",
                path=each.path,
                line=each.line,
                column=each.column,
                message=f"{'error' if each.is_error else 'warning'}: {message} [{each.server}]",
                text=context.lines.get(each.path, each.line),
                is_test=each.path in tests,
                unsaved_version=context.unsaved.get(each.path),
            )
        )
    return found


def _innermost(subjects: Sequence[Node]) -> list[Node]:
    """Without what only holds something else that changed: a class is named in many places."""
    holders = {(node.path, node.qualname.rpartition(".")[0]) for node in subjects}
    return [
        node for node in subjects if node.qualname and (node.path, node.qualname) not in holders
    ]


def _is_about(
    context: QueryContext,
    each: NewDiagnostic,
    file: FileVersions | None,
    subjects: Sequence[Node],
) -> bool:
    """Whether a diagnostic of unknown age stands in what changed, or names it."""
    if file is not None and file.is_touched(each.line, each.line):
        return True
    if any(
        node.path == each.path and node.qualname and node.start_line <= each.line <= node.end_line
        for node in subjects
    ):
        return True
    names = {node.name for node in subjects if node.name}
    first = each.message.strip().partition("\n")[0]
    text = f"{first}\n{context.lines.get(each.path, each.line)}"
    return not names.isdisjoint(_NAME.findall(text))
