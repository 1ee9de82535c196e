"""`surveyor/test`: tests that an editor asks for, in its environment and by its word on trust."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.engine_link import EngineLink
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

Tell = Callable[[str, Any], None]


class EditorTestRuns:
    """Runs tests for one window and tells it how far they are."""

    def __init__(
        self, index: EngineLink, tell: Tell, upstreams: Callable[[], UpstreamConfig]
    ) -> None:
        self._index = index
        self._tell = tell
        self._upstreams = upstreams
        self._tokens: dict[str, int | str] = {}
        """The editor's progress tokens by ours."""

    async def run(self, params: editor.TestParams, folder: Path | None) -> editor.TestAnswer:
        """Run them; cancelling this ends them. Raises `SurveyorError`s."""
        config = self._upstreams()
        trusted = folder is not None and config.trusted(folder)
        token = secrets.token_hex(4)
        if params.work_done_token is not None:
            self._tokens[token] = params.work_done_token
            self._report(token, "begin", title="Tests", cancellable=True)
        try:
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
        finally:
            self._report(token, "end")
            self._tokens.pop(token, None)
        return _answer(answer)

    def progressed(self, params: Any) -> None:
        """The engine says how far a run is."""
        now = msgspec.convert(params, RunTestsProgress)
        share = 100 * now.done // now.total if now.total else 0
        self._report(now.token, "report", message=f"{now.runner}: {now.line}", percentage=share)

    def _report(self, token: str, kind: str, **said: Any) -> None:
        if token in self._tokens:
            self._tell(
                "$/progress", {"token": self._tokens[token], "value": {"kind": kind, **said}}
            )


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
    place = editor.Position(line=max(failure.line - 1, 0), character=0)
    return editor.FailedPlace(
        uri=to_uri(root / failure.path) if failure.path else "",
        range=editor.Range(start=place, end=place),
        path=failure.path,
        test=failure.test,
        message=failure.message,
        symbol=failure.symbol,
    )
