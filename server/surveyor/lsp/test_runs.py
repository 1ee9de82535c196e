"""`surveyor/test`: tests that an editor asks for, in its environment and by its word on trust."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.request_progress import RequestProgress
from surveyor.protocol import editor
from surveyor.protocol.test_runs import (
    FailureItem,
    RunTestsProgress,
    RunTestsRequest,
    RunTestsResponse,
)
from surveyor.servers.discovery import Discovery
from surveyor.servers.manager import UpstreamConfig
from surveyor.servers.uris import to_uri

__all__ = ["EditorTestRuns"]

FRESH_MS = 5000
"""How long the index may take to know what was saved last."""


class EditorTestRuns:
    """Runs tests for one window and tells it how far they are."""

    def __init__(
        self,
        index: EngineLink,
        progress: RequestProgress,
        upstreams: Callable[[], UpstreamConfig],
    ) -> None:
        self._index = index
        self._progress = progress
        self._upstreams = upstreams

    async def run(self, params: editor.TestParams, folder: Path | None) -> editor.TestAnswer:
        """Run them; cancelling this ends them. Raises `SurveyorError`s."""
        config = self._upstreams()
        trusted = folder is not None and config.trusted(folder)
        with self._progress.shown(params.work_done_token, "Tests") as token:
            answer = await self._index.call(
                RunTestsRequest(
                    targets=params.targets,
                    diff=params.diff,
                    cwd=str(folder) if folder else None,
                    timeout_s=params.timeout_s,
                    vouched=str(folder) if trusted else None,
                    env=Discovery(config.user_path).environment(),
                    token=token,
                    wait_until_fresh_ms=FRESH_MS,
                ),
                limit_s=None,
            )
        return _answer(answer)

    def progressed(self, params: Any) -> None:
        """The engine says how far a run is."""
        now = msgspec.convert(params, RunTestsProgress)
        self._progress.report(now.token, f"{now.runner}: {now.line}", now.done, now.total)


def _answer(ran: RunTestsResponse) -> editor.TestAnswer:
    root = Path(ran.root)
    broken = [run for run in ran.runs if run.state in ("broken", "timeout")]
    return editor.TestAnswer(
        root=ran.root,
        ok=ran.ok,
        passed=ran.passed,
        failed=ran.failed,
        skipped=ran.skipped,
        failures=[_place(each, root) for each in ran.failures],
        not_run=[f"{each.path}: {each.reason}" for each in ran.not_run],
        output="\n".join(f"{' '.join(run.command)}\n{run.output}" for run in broken),
        notice=ran.notice,
    )


def _place(failure: FailureItem, root: Path) -> editor.FailedPlace:
    return editor.FailedPlace(
        uri=to_uri(root / failure.path) if failure.path else "",
        range=editor.Range.at(failure.line),
        path=failure.path,
        test=failure.test,
        message=failure.message,
        symbol=failure.symbol,
    )
