"""`run_tests`: a project's own tests, started only where its folder is trusted."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from surveyor import paths, user_path
from surveyor.engine.operations import Caller, operation
from surveyor.engine.projects import boundary
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.files import contained_paths
from surveyor.graph.queries.impact import impact_of
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.service import GraphService
from surveyor.protocol.check import CheckRequest, CheckResponse
from surveyor.protocol.test_runs import (
    RUN_PROGRESS,
    FailureItem,
    RunnerResult,
    RunTestsProgress,
    RunTestsRequest,
    RunTestsResponse,
    UnrunTest,
)
from surveyor.secrets.environment import without_credentials
from surveyor.secrets.masking import mask_text
from surveyor.servers.discovery import Discovery
from surveyor.servers.trust import Trust, trust_file
from surveyor.test_runner.run import CommandRun, RunProgress, TestsRun, run_tests
from surveyor.test_runner.stack_traces import first_line
from surveyor.test_runner.types import FailedTest, RunTarget
from surveyor.units import counted

__all__ = ["RunTestsOperations", "UntrustedError"]

TEST_DEPTH = 3
"""Steps from a definition to the tests that are run for it."""
MAX_TARGETS = 200
"""Test files of one run."""
MAX_FAILURES = 200
LONGEST_S = 6 * 3600
_CALLABLE = frozenset({"function", "method", "class"})
_ENGINE_OWN = ("SURVEYOR_DATA_DIR", "SURVEYOR_CONFIG")

Check = Callable[[CheckRequest, Caller], Awaitable[CheckResponse]]
"""The operation `check`."""


class UntrustedError(SurveyorError):
    """Raised where tests of a folder shall run that the user does not trust."""

    code = "untrusted"
    exit_code = 2


class RunTestsOperations:
    """Runs tests. One run at a time in each folder: builds and reports share files there."""

    def __init__(self, graph: GraphService, check: Check) -> None:
        self._graph = graph
        self._check = check
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @operation(RunTestsRequest)
    async def run_tests(self, request: RunTestsRequest, call: Caller) -> RunTestsResponse:
        """Run tests with the project's own runner and say which failed, and where."""
        began = time.monotonic()
        context = await self._graph.query_context(
            request.cwd, request.project, request.wait_until_fresh_ms
        )
        root = Path(context.checkout.root)
        boundary.check_open(context.checkout.root, context.checkout.name, "tested")
        _require_trust(root, None if call.is_agent else request.vouched)
        targets, notices = await self._targets(context, request, call)
        env, dropped = None if call.is_agent else request.env, 0
        if env is None:
            known = _engine_environment()
            env = without_credentials(known)
            dropped = len(known) - len(env)
        async with self._turns[str(root)]:
            done = await run_tests(
                root,
                targets[:MAX_TARGETS],
                env,
                min(max(1, request.timeout_s), LONGEST_S),
                _teller(request, call),
            )
        if dropped and any(run.state != "passed" for run in done.runs):
            notices.append(
                counted(
                    dropped,
                    "variable that looks like a credential was withheld",
                    "variables that look like credentials were withheld",
                )
            )
        if len(targets) > MAX_TARGETS:
            notices.append(f"{len(targets) - MAX_TARGETS} more test files were not run")
        if context.unsaved:
            notices.append("tests ran on what is saved; some buffers are not")
        response = await _answer(context, done)
        response.notice = "; ".join(notices) or None
        response.took_ms = 1000 * (time.monotonic() - began)
        return response

    # --- what is run --------------------------------------------------------------------------

    async def _targets(
        self, context: QueryContext, request: RunTestsRequest, call: Caller
    ) -> tuple[list[RunTarget], list[str]]:
        if request.targets:
            found = [each for text in request.targets for each in await _meant(context, text)]
            return list(dict.fromkeys(found)), []
        checked = await self._check(
            CheckRequest(
                diff=request.diff,
                cwd=request.cwd,
                project=request.project,
                wait_until_fresh_ms=request.wait_until_fresh_ms,
            ),
            call,
        )
        return [RunTarget(path) for path in checked.tests], _of_change(checked)


def _of_change(checked: CheckResponse) -> list[str]:
    """Why no tests are run for a change, and what may be missing among those that are."""
    notices = []
    if not checked.changed_files:
        notices.append("nothing has changed")
    elif not checked.tests:
        notices.append("no test reaches what changed")
    if not checked.complete and checked.notice:
        notices.append(f"not all was looked at for tests: {checked.notice}")
    return notices


def _require_trust(root: Path, vouched: str | None) -> None:
    """Raises `UntrustedError`: what a project's tests do, they do as the user."""
    trust = Trust(trust_file(paths.data_dir()))
    if vouched:
        trust.vouch(Path(vouched), True)
    if not trust.is_trusted(root):
        raise UntrustedError(
            f"{root} is not trusted, and its tests are programs of its own",
            f"The user trusts it with `surveyor trust {shlex.quote(str(root))}`.",
        )


def _engine_environment() -> dict[str, str]:
    """What the user's terminals have, as far as the engine knows it."""
    known = user_path.stored_path(paths.config_file())
    environment = Discovery(known).environment()
    return {name: value for name, value in environment.items() if name not in _ENGINE_OWN}


async def _meant(context: QueryContext, text: str) -> list[RunTarget]:
    """The tests that a path, `path::name` or a name stands for."""
    stored = context.stored
    root = Path(context.checkout.root)
    path, _, name = contained_paths.checked(text).partition("::")
    place = contained_paths.below(root, path) if path else ""
    if (root / place).is_dir() and not name:
        found = await stored.test_files("" if place in ("", ".") else f"{place}/")
        if not found:
            raise NotFoundError(f"{text} has no test files", "Name a file or a definition.")
        return [RunTarget(each) for each in found]
    if (root / place).is_file():
        return await _in_file(stored, place, name.replace("::", "."))
    nodes = (await context.named(text.replace("::", "."))).nodes
    return await _for_nodes(stored, nodes, text)


async def _in_file(stored: StoredGraph, path: str, name: str) -> list[RunTarget]:
    node = await stored.file(path)
    inner = await stored.inside(path)
    if name:
        return [RunTarget(path, name)]
    if node is None or node.is_test or any(each.is_test for each in inner):
        return [RunTarget(path)]
    return await _for_nodes(stored, [node, *inner], path)


async def _for_nodes(stored: StoredGraph, nodes: Sequence[Node], text: str) -> list[RunTarget]:
    """Tests as they are; else the files of those that reach what is meant."""
    tests = [each for each in nodes if each.is_test and each.kind in _CALLABLE]
    if tests:
        return [RunTarget(each.path, each.qualname) for each in tests]
    reached = await impact_of(stored, list(nodes), TEST_DEPTH, whole_files=False)
    if not reached.tests:
        raise NotFoundError(f"no test reaches {text}", "Name a test file.")
    return [RunTarget(path) for path in reached.tests]


# --- what came of it ------------------------------------------------------------------------------


def _teller(request: RunTestsRequest, call: Caller) -> Callable[[RunProgress], Awaitable[None]]:
    async def tell(now: RunProgress) -> None:
        line = mask_text(now.line)
        if call.report is not None:
            await call.report(now.done, now.total, f"{now.runner}: {line}".rstrip(": "))
        elif call.session is not None and not call.session.hello.relay:
            said = RunTestsProgress(
                token=request.token, done=now.done, total=now.total, runner=now.runner, line=line
            )
            await call.session.notify(RUN_PROGRESS, said)

    return tell


async def _answer(context: QueryContext, done: TestsRun) -> RunTestsResponse:
    root = Path(context.checkout.root)
    failures = [failure for run in done.runs for failure in run.report.failures]
    runs = [_result(run, root) for run in done.runs]
    return RunTestsResponse(
        root=context.checkout.root,
        runs=runs,
        failures=await _located(context, failures[:MAX_FAILURES]),
        not_run=[UnrunTest(path=each.target.path, reason=each.reason) for each in done.unrunnable],
        passed=sum(run.passed for run in runs),
        failed=sum(run.failed for run in runs),
        skipped=sum(run.skipped for run in runs),
        ok=not done.unrunnable and all(run.state in ("passed", "empty") for run in runs),
    )


def _result(run: CommandRun, root: Path) -> RunnerResult:
    command = run.command
    inside = command.cwd.relative_to(root).as_posix() if command.cwd != root else ""
    return RunnerResult(
        runner=command.runner,
        command=list(command.argv),
        cwd=inside,
        paths=list(dict.fromkeys(each.path for each in command.targets)),
        state=run.state,
        passed=run.report.passed,
        failed=len(run.report.failures),
        skipped=run.report.skipped,
        took_ms=run.took_ms,
        output=mask_text(run.tail),
    )


async def _located(context: QueryContext, failures: Sequence[FailedTest]) -> list[FailureItem]:
    """Failures with the line and the definition around it."""
    inside: Mapping[str, list[Node]] = {
        path: await context.stored.inside(path) for path in {each.path for each in failures} if path
    }
    found = []
    for each in failures:
        around = [
            node
            for node in inside.get(each.path, ())
            if node.start_line <= each.line <= node.end_line
        ]
        node = min(around, key=lambda node: node.end_line - node.start_line, default=None)
        found.append(
            FailureItem(
                test=mask_text(first_line(each.test)),
                path=each.path,
                line=each.line,
                message=mask_text(each.message),
                text=context.lines.get(each.path, each.line) if each.line else "",
                symbol=node.qualname if node else "",
                symbol_line=node.line if node else 0,
            )
        )
    return found
