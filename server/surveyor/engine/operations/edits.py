"""`edit`: changes to files, checked against what the caller has read, answered with a receipt."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from surveyor.engine.edits.editing import CurrentText, Editing, TextChange
from surveyor.engine.edits.file_text import FileText, changed_spans
from surveyor.engine.edits.steps import apply_step
from surveyor.engine.edits.targets import MissingFileError
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import ResolveCheckout, SymbolsIn
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.session_readings import SessionReadings
from surveyor.errors import SurveyorError, UsageError
from surveyor.files.contained_paths import below
from surveyor.git.errors import GitError
from surveyor.git.runner import ask_async
from surveyor.graph.queries.diff import FileDiff, diff_of_texts
from surveyor.graph.service import GraphService
from surveyor.protocol.check import CheckResponse
from surveyor.protocol.edits import EditedFile, EditRequest, EditResponse, EditStep
from surveyor.protocol.graph import DefinitionRequest
from surveyor.secrets import mask_text
from surveyor.units import counted

__all__ = ["EditOperations", "Receipt"]

MAX_STEPS = 500
RECEIPT_WAIT_MS = 5000
"""How long the index may take to know what was changed."""
VERSION_CHARS = 12
_VERSION = re.compile(r"[0-9a-f]{7,64}")
MAX_SEEN_CHARS = 2 << 20
"""Larger files are not remembered as read: comparing them takes long."""

MAX_CONFLICT_LINES = 60
"""Of differences, behind which no further file is looked at."""

Receipt = Callable[[Checkout, list[FileDiff], int, Caller], Awaitable[CheckResponse]]
"""What an edit leaves behind (`CheckOperations.receipt`)."""


class ConflictError(SurveyorError):
    """Raised for an edit of a version that has moved on."""

    code = "conflict"


class EditOperations:
    """Changes files for agents and scripts."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        graph: GraphService,
        editing: Editing,
        readings: SessionReadings,
        symbols_in: SymbolsIn,
        receipt: Receipt,
        require_writable: Callable[[], None],
        similar_files: Callable[[Checkout, str], Awaitable[list[str]]],
    ) -> None:
        self._resolve = resolve
        self._graph = graph
        self._editing = editing
        self._readings = readings
        self._symbols_in = symbols_in
        self._receipt = receipt
        self.require_writable = require_writable
        self._similar_files = similar_files

    @operation(EditRequest)
    async def edit(self, request: EditRequest, call: Caller) -> EditResponse:
        """Replace and insert text, in all files or in none."""
        self.require_writable()  # without a journal several files are not written together
        checkout = await self._resolve(request.cwd, request.project)
        boundary.check_open(checkout.root, checkout.name, "edited")
        if not request.steps or len(request.steps) > MAX_STEPS:
            raise UsageError(counted(len(request.steps), "change"), f"Give 1 to {MAX_STEPS}.")
        steps = [await self._placed(checkout, step) for step in request.steps]
        paths = list(dict.fromkeys(step.path for step in steps))
        try:
            edits = await self._editing.run(
                checkout,
                paths,
                partial(self._plan, checkout, steps, call),
                label=f"Surveyor: {', '.join(paths)[:60]}",
                generated=request.generated,
                preview=request.preview,
            )
        except MissingFileError as error:
            error.details["near"] = await self._similar_files(checkout, error.path)
            raise
        return await self.answer(checkout, edits, call, preview=request.preview)

    async def answer(
        self, checkout: Checkout, edits: Sequence[TextChange], call: Caller, *, preview: bool
    ) -> EditResponse:
        """What was done, with its receipt; a preview has none."""
        made = EditResponse(
            files=[_edited(each) for each in edits],
            applied=bool(edits) and not preview,
            root=checkout.root,
        )
        if not edits:
            made.notice = "the files are like that already"
        if not made.applied:
            return made
        for each in edits:
            self._note(checkout, each, call)
        diffs = [
            diff_of_texts(
                each.path,
                each.before.text.encode("utf-8", "replace"),
                changed_spans(_lines(each.before.text), _lines(each.after.text)),
            )
            for each in edits
        ]
        try:
            made.receipt = await self._receipt(checkout, diffs, RECEIPT_WAIT_MS, call)
        except SurveyorError as error:  # it is done, whatever can be said of it
            made.notice = f"what it leaves behind was not looked at: {error.message}"
        else:
            made = msgspec.structs.replace(made, **made.receipt.freshness())
        return made

    # --- before ---------------------------------------------------------------------------

    async def _placed(self, checkout: Checkout, step: EditStep) -> EditStep:
        """A step with the path of its file, from the root and without links."""
        if not step.path:
            if not step.name:
                raise UsageError("no file is named", "Give `path`, or `name` of a definition.")
            context = await self._graph.query_context(checkout.root, None)
            nodes = (await context.meant(DefinitionRequest(name=step.name))).nodes
            found = list(dict.fromkeys(node.path for node in nodes))
            if len(found) != 1:
                raise UsageError(
                    f"{step.name} is defined in {len(found)} files: {', '.join(found[:5])}",
                    "Give the path as well.",
                )
            step = msgspec.structs.replace(step, path=found[0], name=nodes[0].qualname)
        return msgspec.structs.replace(step, path=below(Path(checkout.root), step.path))

    async def _plan(
        self,
        checkout: Checkout,
        steps: Sequence[EditStep],
        call: Caller,
        current: Mapping[str, CurrentText],
    ) -> dict[str, FileText]:
        """What the files are to hold. Raises `ConflictError` for what has moved on."""
        self.check_read(checkout, current.values(), call)
        for path, each in current.items():
            for version in {step.version for step in steps if step.path == path and step.version}:
                await _check_version(checkout, each, version)
        planned = {path: each.file for path, each in current.items()}
        for step in steps:
            planned[step.path] = await apply_step(
                planned[step.path], step.path, step, partial(self._symbols_in, checkout)
            )
        return planned

    def check_read(self, checkout: Checkout, current: Iterable[CurrentText], call: Caller) -> None:
        """Raises `ConflictError`, with what changed, where others changed what the caller's
        session has read, also where it was told of that before."""
        session = call.session
        said: list[str] = []
        lines = 0
        for each in current if session is not None else ():
            path = each.target.path
            if session is None or not self._readings.knows(session.id, checkout.root, path):
                continue
            stale = self._readings.changed(
                session.id,
                checkout,
                path,
                mask_text(each.file.text, path),
                in_editor=each.held is not None,
            )
            if stale is not None and stale.change is not None:
                diff = stale.change.diff
                said.append(f"{path} was changed since you read it ({stale.by}):")
                said += diff
                lines += len(diff)
            if lines >= MAX_CONFLICT_LINES:
                break  # of the others it is told when the edit is made again
        if said:
            raise ConflictError(
                "\n".join(said), "Nothing was edited. If the edit still fits, call again."
            )

    def _note(self, checkout: Checkout, edit: TextChange, call: Caller) -> None:
        if call.session is not None and len(edit.after.text) <= MAX_SEEN_CHARS:
            text = mask_text(edit.after.text, edit.path)
            self._readings.wrote(call.session.id, checkout.root, edit.path, text, edit.lines())


async def _check_version(checkout: Checkout, current: CurrentText, version: str) -> None:
    data = current.file.encoded()
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    known = (hashlib.sha256(data).hexdigest(), blob)
    wanted = version.lower()
    # git takes names of anything for a blob, also of files that are not to be shown.
    if not _VERSION.fullmatch(wanted):
        raise UsageError(f"{version!r} is no version", "Give 7 characters of a SHA-256, or more.")
    if any(each.startswith(wanted) for each in known):
        return
    path = current.target.path
    changed = await _since(checkout, path, wanted, current.file)
    raise ConflictError(
        f"{path} is not {version} any more but {known[0][:VERSION_CHARS]}{changed}",
        "Nothing was edited: read it again.",
    )


async def _since(checkout: Checkout, path: str, version: str, now: FileText) -> str:
    """What changed since a version that git has; empty where it has not."""
    try:
        before = await ask_async(Path(checkout.root), "cat-file", "blob", version)
    except GitError:
        return ""
    return ":\n" + TextChange(path, FileText.of(before), now, None).diff()


def _edited(each: TextChange) -> EditedFile:
    return EditedFile(
        path=each.path,
        where="disk" if each.held is None else "editor",
        version=hashlib.sha256(each.after.encoded()).hexdigest()[:VERSION_CHARS],
        lines=each.lines(),
        diff=each.diff(),
    )


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")
