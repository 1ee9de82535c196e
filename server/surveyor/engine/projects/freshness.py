"""How far answers from a checkout can be trusted now: what is known, and what is not any more."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from collections.abc import Callable, Sequence
from typing import Literal

from surveyor.engine.index.commit import CommittedBatch
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.shard_repair import ShardRepair
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.store_executor import StoreExecutor
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import SurveyorError
from surveyor.protocol.base import Freshness
from surveyor.store.state import State, files
from surveyor.store.state.projects import revision_of
from surveyor.units import counted

Emptiness = tuple[Literal["", "empty", "left_out", "failed"], str]
"""Why nothing at all of a folder is indexed, and what is said of it: nothing where something is."""


class IndexFreshness:
    """Knows which checkouts were compared with their folders, and what speaks against an answer."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        pipeline: Pipeline,
        store_executor: StoreExecutor,
        vector_rebuilder: VectorRebuilder,
        shard_repair: ShardRepair,
        live_settings: LiveSettings,
        lifetime: Lifetime,
        edges_pending: Callable[[str], bool],
        edges_problem: Callable[[str], str],
        refusal: SurveyorError | None = None,
    ) -> None:
        """`edges_pending` says of a checkout's id whether its edges may be behind its files, and
        `edges_problem` what keeps them from being worked out;
        `refusal` is what is said where nothing can be stored."""
        self._state = state
        self._projects = projects
        self._pipeline = pipeline
        self._store_executor = store_executor
        self._vector_rebuilder = vector_rebuilder
        self._shard_repair = shard_repair
        self._live_settings = live_settings
        self._lifetime = lifetime
        self._edges_pending = edges_pending
        self._edges_problem = edges_problem
        self._refusal = refusal
        self._uncertain: dict[str, tuple[str, str]] = {}
        """Reason and message, by checkout, where events were lost, or files could not be seen, and
        no scan has ended well since."""
        self._confirmed: set[str] = set()
        """Checkouts that this engine has compared with their folders, all of them."""
        self._nothing_found: dict[str, str] = {}
        """By checkout in which the last scan found next to nothing: the rules that are why."""
        self._empty: dict[str, tuple[int, Emptiness]] = {}
        """By checkout: a version of the catalog, and what to say where it has nothing indexed."""
        self._stale: dict[str, int] = {}
        """Files indexed by another version, by project."""

    async def of(self, checkout: Checkout) -> Freshness:
        """How far answers from this checkout can be trusted now."""
        pipeline = self._pipeline
        now = await self._projects.current(checkout)
        if now is None:
            return Freshness(
                status="uncertain",
                reason="not_indexed",
                message=f"{checkout.root} is not indexed any more.",
            )
        asked, checkout = checkout, now
        behind = pipeline.files_behind(checkout.checkout_id)
        answer = Freshness(files_behind=behind)
        answer.revision = revision_of(self._state, checkout.checkout_id)
        run = pipeline.runs.get(checkout.checkout_id)
        if self._lifetime.starting:
            answer.status, answer.reason = "indexing", "starting"
            answer.message = "The engine has just started and is opening the index."
        elif asked.checkout_id != checkout.checkout_id:
            answer.status, answer.reason = "indexing", "renamed"
            answer.message = (
                f"{checkout.root} became another project (its remote changed) while this was"
                " answered: ask again."
            )
        elif checkout.missing_since is not None:
            answer.status, answer.reason = "uncertain", "missing_root"
            answer.message = f"{checkout.root} cannot be reached; this is its last known state."
        elif self._projects.looks.is_stalled(checkout.root):
            answer.status, answer.reason = "uncertain", "stalled_root"
            answer.message = (
                f"{checkout.root} does not answer (a network drive that has stalled?); this is its"
                " last known state."
            )
        elif self._refusal is not None:
            answer.status, answer.reason = "uncertain", "read_only"
            answer.message = self._refusal.sentence
        elif pipeline.disk_room.stopped_reason == "disk_full":
            answer.status, answer.reason = "uncertain", "disk_full"
            answer.message = pipeline.disk_room.said()
        elif behind and (problem := pipeline.pool.start_problem):
            answer.status, answer.reason = "uncertain", "no_worker"
            answer.message = (
                f"{behind} file{'s are' if behind > 1 else ' is'} waiting to be indexed, and index"
                f" workers cannot be started ({problem}): it is tried again by itself."
            )
        elif self._store_executor.problem:
            answer.status, answer.reason = "uncertain", "store_unreachable"
            answer.message = (
                f"{self._store_executor.problem}; names and words are found meanwhile, nothing by"
                " meaning."
            )
        elif self._shard_repair.problem:
            answer.status, answer.reason = "uncertain", "index_damaged"
            answer.message = (
                f"An index is damaged ({self._shard_repair.problem}): it is being made again;"
                " names, words and the graph are answered meanwhile."
            )
        elif checkout.checkout_id in self._uncertain:
            answer.status = "uncertain"
            answer.reason, answer.message = self._uncertain[checkout.checkout_id]
        elif self._vector_rebuilder.is_uncounted(checkout.project_id):
            answer.status, answer.reason = "indexing", "starting"
            answer.message = "The engine has just started and is opening the index."
        elif (
            self._stale.get(checkout.project_id)
            or self._vector_rebuilder.reembedding(checkout.project_id) is not None
        ):
            answer.status, answer.reason = "stale", "rebuilding"
            answer.message = self._being_rebuilt(checkout.project_id)
        elif failed := self._vector_rebuilder.failed.get(checkout.project_id):
            answer.status, answer.reason = "stale", "embedding_failed"
            answer.message = (
                f"{counted(failed.points, 'chunk')} could not be embedded ({failed.why}): found by"
                " words and names, and by an earlier model's vectors where there are some."
                " `surveyor doctor --repair` tries again."
            )
        elif lacking := self._vector_rebuilder.known_lacking(checkout.project_id):
            answer.status, answer.reason = "uncertain", "index_unusable"
            answer.message = lacking.said
        elif checkout.last_scan is None and run is None and not behind and self._lifetime.begun:
            answer.status, answer.reason = "uncertain", "not_indexed"
            answer.message = f"{checkout.root} is not indexed: run `surveyor index` there."
        elif behind or (run is not None and run.phase != "done"):
            answer.status, answer.reason = "indexing", "queued"
            answer.message = (
                f"{behind} file{'s are' if behind > 1 else ' is'} waiting to be indexed."
                if behind
                else f"{checkout.root} is being looked through for changes."
            )
            if run is not None and (shortage := pipeline.shortage_of(run)):
                answer.message += f" {shortage}"
            if pipeline.paused:
                answer.reason = "paused"
                answer.message += " Indexing is paused; `surveyor engine resume` goes on."
            elif checkout.paused:
                answer.reason = "paused"
                answer.message += " Indexing of this folder is paused."
        elif checkout.watched and checkout.checkout_id not in self._confirmed:
            if run is None:
                answer.status, answer.reason = "indexing", "starting"
                answer.message = (
                    f"{checkout.root} has not been compared with the index since the engine"
                    " started: this is what was known."
                )
            else:
                answer.status, answer.reason = "uncertain", "scan_failed"
                answer.message = f"The last scan of {checkout.root} did not come to its end."
        elif not (checkout.watched and self._live_settings.settings.watching.enabled):
            answer.status, answer.reason = "uncertain", "not_watched"
            answer.message = (
                f"{checkout.root} is not followed; this is its state when last indexed."
            )
        elif problem := self._edges_problem(checkout.checkout_id):
            answer.status, answer.reason = "uncertain", "graph_failed"
            answer.message = (
                f"Who uses what could not be worked out for all files ({problem}): tried again"
                " with the next change, and by `surveyor reindex`."
            )
        elif self._edges_pending(checkout.checkout_id):
            answer.status, answer.reason = "indexing", "graph"
            answer.message = "Who uses what is still being worked out; all else is there."
        elif (why_empty := self._why_empty(checkout))[0]:
            kind, answer.message = why_empty
            answer.reason = "all_failed" if kind == "failed" else "nothing_to_index"
            if kind != "empty":
                answer.status = "uncertain"
        return answer

    def _being_rebuilt(self, project_id: str) -> str:
        """What is made again of a project, and what answers lack until then."""
        said = []
        lacking = self._vector_rebuilder.known_lacking(project_id)
        if lacking is not None:
            said.append(lacking.said)
        if files_left := self._stale.get(project_id):
            said.append(
                f"{counted(files_left, 'file')} of another version, grammar or setting to be read"
                " again; until then the answer is as it was."
            )
        if not said:
            said.append("Vectors are made again by another model; the earlier one's still answer.")
        return " ".join(said)

    def doubt(self, checkout_id: str, reason: str, message: str) -> None:
        """Something was missed: what is known of a checkout is uncertain until a scan ends well."""
        self._uncertain[checkout_id] = (reason, message)

    def confirm(self, checkout_id: str) -> None:
        """A scan has compared all of a checkout's folder with the index."""
        self._confirmed.add(checkout_id)
        self._uncertain.pop(checkout_id, None)

    def found_nothing(self, checkout_id: str, why: str) -> None:
        """A scan found next to nothing to index, and which rules leave out what is there."""
        self._nothing_found[checkout_id] = why
        self._empty.pop(checkout_id, None)

    def unconfirm(self, checkout_id: str) -> None:
        """A scan begins: until it has ended well, nothing is known for sure."""
        self._confirmed.discard(checkout_id)

    def rename(self, old: str, new: str) -> None:
        """A checkout has another id."""
        if old in self._confirmed:
            self._confirmed.remove(old)
            self._confirmed.add(new)
        if old in self._uncertain:
            self._uncertain[new] = self._uncertain.pop(old)
        if old in self._nothing_found:
            self._nothing_found[new] = self._nothing_found.pop(old)

    def why_empty(self, checkout: Checkout) -> str:
        """Why nothing at all is indexed of a checkout, and what to do; empty where something is."""
        return self._why_empty(checkout)[1]

    def _why_empty(self, checkout: Checkout) -> Emptiness:
        """Why nothing at all is indexed of a checkout, if so."""
        revision = self._state.catalog_version
        known = self._empty.get(checkout.checkout_id)
        if known is None or known[0] != revision:
            known = self._empty[checkout.checkout_id] = (revision, self._count_empty(checkout))
        return known[1]

    def _count_empty(self, checkout: Checkout) -> Emptiness:
        counts = files.left_out_counts(self._state, checkout.checkout_id)
        if counts is None:
            return "", ""
        root = checkout.root
        failed = sum(count for (status, _), count in counts.items() if status == "failed")
        if failed:
            return "failed", (
                f"None of the {counted(failed, 'file')} in {root} could be indexed: see the queue."
            )
        skipped = {why: count for (status, why), count in counts.items() if status == "skipped"}
        rules = self._nothing_found.get(checkout.checkout_id, "")
        if skipped:
            reasons = ", ".join(f"{_in_words(why)} ({count:,})" for why, count in skipped.items())
            listing = f"surveyor status --skipped {shlex.quote(root)}"
            return "left_out", (
                f"Nothing to index: {counted(sum(skipped.values()), 'file is', 'files are')} in"
                f" {root}, and left out: {reasons}; `{listing}` lists them. {rules}"
            ).rstrip()
        with_rules = any(status == "indexed" for status, _ in counts)
        if rules:
            beside = " beside its file of rules" if with_rules else ""
            return "left_out", f"Nothing to index in {root}{beside}. {rules}"
        return ("", "") if with_rules else ("empty", f"Nothing to index: {root} holds no files.")

    async def wait(self, checkouts: Sequence[Checkout], timeout_s: float) -> None:
        """Until checkouts are scanned and nothing is queued for them, or time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._lifetime.wait_begun()
                for checkout in checkouts:
                    await self._pipeline.wait_fresh(checkout.checkout_id, timeout_s)

    # --- rebuilds -------------------------------------------------------------------------

    async def count_stale(self) -> None:
        """Find projects with files indexed by another version."""
        self._stale = await files.count_of_other_versions(
            self._state, self._pipeline.committer.version
        )

    async def on_commit(self, committed: CommittedBatch) -> None:
        """A rebuild may have come to its end."""
        if committed.project_id in self._stale:
            await self.count_stale()


def _in_words(reason: str) -> str:
    return reason.replace("_", " ")
