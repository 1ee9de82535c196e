"""`check`: the receipt of a change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from surveyor.engine.change_bounds import NAMED, is_asked, looked_at, without_ignored
from surveyor.engine.change_review import ChangeReview, finding_order
from surveyor.engine.clone_finder import CloneFinder
from surveyor.engine.diagnosed_change import diagnosed, diagnostic_findings
from surveyor.engine.duplicate_review import DuplicateReview
from surveyor.engine.environment_diagnostics import without_environment
from surveyor.engine.file_versions import (
    MAX_BYTES,
    FileVersions,
    ReadCalls,
    changed_versions,
    current_texts,
    is_read,
)
from surveyor.engine.lost_inheritance import LostInheritance
from surveyor.engine.new_diagnostics import DiagnosesChanges, NewDiagnostics
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.operations.graph import RemovedBy
from surveyor.engine.operations.search_scope import place_in
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.told_findings import ToldFindings
from surveyor.git import locate
from surveyor.graph.queries.diff import (
    FileDiff,
    changed_nodes,
    diff_arguments,
    read_diff,
    read_old_texts,
)
from surveyor.graph.queries.impact import tests_of_change
from surveyor.graph.queries.lookup import Node
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.removed import moved_by, unsought
from surveyor.graph.queries.uncompared import uncompared
from surveyor.graph.service import GraphService
from surveyor.protocol.check import CheckRequest, CheckResponse
from surveyor.protocol.knowledge import RuleItem, RulesAtRequest, RulesResponse
from surveyor.store.vectors.contract import Space
from surveyor.units import counted

__all__ = ["CheckOperations"]

TEST_DEPTH = 3
"""Steps from what changed to the tests that are named."""
MAX_TESTS = 50
MAX_TESTED = 400
"""Changed definitions whose tests are looked for."""
RECEIPT_LIMIT = 50
"""Places that an edit is answered with."""
MAX_RULE_FILES = 40
"""Changed files whose rules are looked for."""

NoticeChanges = Callable[[Checkout, Sequence[str]], Awaitable[None]]
"""Takes up what changed in files of a checkout, before the watcher tells of it."""

RulesAt = Callable[[RulesAtRequest, Caller], Awaitable[RulesResponse]]
"""The operation `rules_at`."""


class CheckOperations:
    """Looks at changes."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        notice: NoticeChanges,
        graph: GraphService,
        removed_by: RemovedBy,
        read: ReadCalls,
        rules_at: RulesAt,
        servers: DiagnosesChanges,
        clones: CloneFinder,
        space: Callable[[str], Space],
    ) -> None:
        self._resolve = resolve
        self._notice = notice
        self._graph = graph
        self._removed_by = removed_by
        self._read = read
        self._rules_at = rules_at
        self._servers = servers
        self._clones = clones
        self._space = space
        self._told = ToldFindings()

    @operation(CheckRequest)
    async def check(self, request: CheckRequest, call: Caller) -> CheckResponse:
        """What a change leaves behind that does not fit it any more."""
        checkout = await self._resolve(request.cwd, request.project)
        diff, lacks = await self._diff(Path(checkout.root), request)
        return await self._reviewed(checkout, diff, lacks, request, call)

    async def receipt(
        self, checkout: Checkout, diff: list[FileDiff], wait_ms: int, call: Caller
    ) -> CheckResponse:
        """What an edit leaves behind, by what its files were before it and are now."""
        paths = [file.path for file in diff]
        # Servers may take seconds, and the edits of a series bring errors that the last one mends.
        request = CheckRequest(
            paths=paths,
            limit=RECEIPT_LIMIT,
            wait_until_fresh_ms=wait_ms,
            wait_users_ms=wait_ms,
            diagnostics=False,
        )
        return await self._reviewed(checkout, diff, [], request, call)

    async def _reviewed(
        self,
        checkout: Checkout,
        diff: list[FileDiff],
        lacks: list[str],
        request: CheckRequest,
        call: Caller,
    ) -> CheckResponse:
        root = Path(checkout.root)
        # Whoever asks has often just saved: an index that does not know would find nothing wrong.
        await self._notice(checkout, [path for file in diff for path in {file.path, file.old_path}])
        context = await self._graph.query_context(
            checkout.root,
            None,
            request.wait_until_fresh_ms,
            others_s=request.wait_users_ms / 1000,
        )
        diff = [file for file in diff if is_asked(file.path, request.paths, root)]
        files = await changed_versions(context, diff)
        files = [each for each in files if is_asked(each.path, request.paths, root)]
        taken = await self._removed_by(context.checkout, context.stored, diff)
        taken = await without_ignored(root, taken)
        removed = taken.definitions
        former = await self._graph.former_uses(context, removed)
        inherited = await self._graph.inherited_uses(context, taken.bases)
        inheritance = LostInheritance(context, self._read, taken.bases, inherited)
        imports = await self._graph.gone_imports(context, taken.files)
        review = ChangeReview(context, self._read, files, former, inheritance, imports, lacks=lacks)
        moved = await moved_by(context.stored, diff)
        if left := unsought([*removed, *moved]):
            review.lacks.append(
                f"the uses of {counted(left, 'removed definition')} were not looked for"
            )
        if inherited.left_types:
            left_types = counted(inherited.left_types, "type that extends", "types that extend")
            review.lacks.append(f"not looked at: members of {left_types} less than before")
        if inherited.left_members:
            members = counted(inherited.left_members, "member")
            review.lacks.append(f"not looked at: uses of {members} more that types do not inherit")
        if inherited.left_files:
            named = counted(inherited.left_files, "file that names", "files that name")
            review.lacks.append(f"not looked at: {named} what types do not inherit any more")
        if former.left:
            named = counted(former.left, "file that names", "files that name")
            review.lacks.append(f"not looked at: {named} what is gone")
        if imports.left:
            named = counted(imports.left, "file that imports", "files that import")
            review.lacks.append(f"not looked at: {named} what is gone")
        review.lacks += await _unindexed(context, diff)
        review.lacks += _too_large(diff, files)
        subjects = await self._subjects(context, diff, files)
        place = place_in(context.checkout, self._space(context.checkout.project_id))
        duplicates = DuplicateReview(context, self._clones, place)
        told, _, existing = await asyncio.gather(
            self._diagnosed(context, request, files, subjects),
            review.review(removed, moved),
            duplicates.review(diff, files),
        )
        told = await without_environment(context, told, files, review.modules)
        review.findings += diagnostic_findings(context, told, files, subjects, review.findings)
        review.findings += existing
        review.findings.sort(key=finding_order)
        session = (request.told_to, context.checkout.root, request.diff, *request.paths)
        untold = review.findings
        if request.told_to:
            untold = self._told.untold(session, untold)
        review.lacks += duplicates.lacks
        if context.pending and diff:
            review.lacks.append("what other files use is still being worked out")
        unread = sum(not is_read(file.path) for file in diff)
        if unread and not files:
            review.lacks.append("calls are not compared in the languages of the changed files")
        changed = dict.fromkeys([*(file.path for file in diff), *(file.path for file in files)])
        response = await context.freshen(
            CheckResponse(
                results=untold[: request.limit],
                tests=await self._tests(context, subjects, review),
                rules=await self._rules(root, list(changed), call),
                changed_files=len(changed),
                changed_signatures=len(review.changed),
                added_functions=duplicates.compared,
                complete=not review.lacks,
                omitted=max(0, len(untold) - request.limit),
                notice="; ".join(review.lacks) or None,
                unasked=told.lacks,
                root=context.checkout.root,
            )
        )
        if response.files_behind or response.omitted:
            response.complete = False
        if request.told_to:
            unsure = bool(response.files_behind or context.pending or duplicates.lacks)
            self._told.note(session, review.findings, response.results, keeps_absent=unsure)
        response.took_ms = context.took_ms()
        return response

    async def _diff(self, root: Path, request: CheckRequest) -> tuple[list[FileDiff], list[str]]:
        """The saved part of the change; nothing of it is known outside of a repository."""
        if request.diff == "working" and locate.find(root) is None:
            return [], ["this is no git repository: only unsaved buffers were compared"]
        found, lacks = looked_at(await read_diff(root, request.diff), request.paths, root)
        lacks += await uncompared(root, diff_arguments(request.diff), changed=bool(found))
        await read_old_texts(root, found)
        unread = [file.path for file in found if file.is_unread]
        if unread:
            lacks.append(
                f"the text before of {counted(len(unread), 'file')} is not in this partial clone"
            )
        return found, lacks

    async def _subjects(
        self, context: QueryContext, diff: Sequence[FileDiff], files: Sequence[FileVersions]
    ) -> list[Node]:
        """The definitions that the change touches."""
        found = {node.node_id: node for node in await changed_nodes(context.stored, diff)}
        changed = {*(file.path for file in diff), *(file.path for file in files)}
        for path in context.unsaved:
            if path in changed:
                found |= {node.node_id: node for node in await context.stored.inside(path)}
        return list(found.values())

    async def _diagnosed(
        self,
        context: QueryContext,
        request: CheckRequest,
        files: Sequence[FileVersions],
        subjects: Sequence[Node],
    ) -> NewDiagnostics:
        if not request.diagnostics:
            return NewDiagnostics()
        return await diagnosed(context, self._servers, files, subjects)

    async def _tests(
        self, context: QueryContext, subjects: Sequence[Node], review: ChangeReview
    ) -> list[str]:
        """Test files that are broken, that changed, and that reach what changed."""
        own = [each.path for each in review.findings if each.is_test]
        own += [node.path for node in subjects if node.is_test]
        found = list(dict.fromkeys(own))
        if len(found) < MAX_TESTS:
            if (left := len(subjects) - MAX_TESTED) > 0:
                review.lacks.append(
                    f"tests of {counted(left, 'changed definition')} were not looked for"
                )
            found += await tests_of_change(context.stored, subjects[:MAX_TESTED], TEST_DEPTH)
        return list(dict.fromkeys(found))[:MAX_TESTS]

    async def _rules(self, root: Path, changed: Sequence[str], call: Caller) -> list[RuleItem]:
        rules: dict[str, RuleItem] = {}
        for path in changed[:MAX_RULE_FILES]:
            answer = await self._rules_at(RulesAtRequest(path=str(root / path)), call)
            rules |= {rule.label: rule for rule in answer.rules}
        return list(rules.values())


def _too_large(diff: Sequence[FileDiff], files: Sequence[FileVersions]) -> list[str]:
    """What is said of changed files whose text was not compared."""
    compared = {each.path for each in files}
    left = [file.path for file in diff if is_read(file.path) and file.path not in compared]
    if not left:
        return []
    names = ", ".join(left[:NAMED]) + (", …" if len(left) > NAMED else "")
    many = counted(len(left), "changed file is", "changed files are")
    return [f"{many} larger than {MAX_BYTES >> 20} MB and not compared ({names})"]


async def _unindexed(context: QueryContext, diff: Sequence[FileDiff]) -> list[str]:
    """What is said of changed files that the index leaves out: who uses them is not known."""
    left = [
        file.path
        for file in diff
        if is_read(file.path)
        and not (file.whole or file.deleted)
        and await context.stored.file(file.path) is None
    ]
    texts = await current_texts(context, left)
    # The index has no file without text; who used what was in it is looked for all the same.
    left = [path for path, text in zip(left, texts, strict=True) if text.strip()]
    if not left:
        return []
    names = ", ".join(left[:NAMED]) + (", …" if len(left) > NAMED else "")
    return [
        f"{counted(len(left), 'changed file is', 'changed files are')} not in the index ({names})"
    ]
