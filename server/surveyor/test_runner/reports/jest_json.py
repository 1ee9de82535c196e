"""The JSON that jest writes, and vitest in the same form."""

from __future__ import annotations

import re
from typing import Any

from surveyor.test_runner.reports.report_files import mappings, number, read_json, texts
from surveyor.test_runner.stack_traces import first_line, place_of, within
from surveyor.test_runner.types import CommandOutput, FailedTest, RunnerReport

__all__ = ["read_jest_json"]

_SYNTAX = re.compile(
    r"^\s*SyntaxError: (?P<file>\S[^\n]*): (?P<why>[^\n]+) \((?P<line>\d+):\d+\)\s*$", re.MULTILINE
)
"""As Babel says it, without a frame in the project."""


def read_jest_json(output: CommandOutput) -> RunnerReport:
    """Tests by file; a file that could not be loaded has a message of its own."""
    found = read_json(output.report)
    if found is None:
        return RunnerReport(is_read=False)
    report = RunnerReport()
    for file in mappings(found.get("testResults")):
        _add_file(report, file, output)
    return report


def _add_file(report: RunnerReport, file: dict[str, Any], output: CommandOutput) -> None:
    path = within(str(file.get("name") or ""), output.root, output.cwd)
    cases = mappings(file.get("assertionResults"))
    for case in cases:
        state = case.get("status")
        if state == "passed":
            report.passed += 1
        elif state == "failed":
            report.failures.append(_failed(case, path, output))
        else:
            report.skipped += 1
    broken = all(case.get("status") != "failed" for case in cases)
    if file.get("status") == "failed" and broken:
        text = str(file.get("message") or "")
        report.failures.append(_unread(text, output) or _unloaded(text, path, output))


def _unread(text: str, output: CommandOutput) -> FailedTest | None:
    """A file whose syntax is wrong: the advice before that is jest's own, and the trace Babel's."""
    found = _SYNTAX.search(text)
    path = within(found["file"], output.root, output.cwd) if found else ""
    if found is None or not path:
        return None
    return FailedTest("", path, int(found["line"]), f"SyntaxError: {found['why']}")


def _unloaded(text: str, path: str, output: CommandOutput) -> FailedTest:
    where = place_of(text, output.root, output.cwd)
    return FailedTest("", where[0] or path, where[1], _message(text))


def _failed(case: dict[str, Any], path: str, output: CommandOutput) -> FailedTest:
    text = "\n".join(texts(case.get("failureMessages")))
    where = place_of(text, output.root, output.cwd)
    location = next(iter(mappings([case.get("location")])), {})
    line = number(location.get("line"))
    if not where[0]:
        where = path, line
    name = case.get("fullName") or case.get("title") or ""
    return FailedTest(str(name).strip(), where[0], where[1], _message(text))


def _message(text: str) -> str:
    """jest puts a bullet and the test's name before what is wrong."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("●", "at "))]
    return first_line("\n".join(lines)) or "failed"
