"""Runners that only print: libtest and nextest, unittest, minitest, ExUnit."""

from __future__ import annotations

import re

from surveyor.test_runner.stack_traces import first_line, place_of, within
from surveyor.test_runner.types import CommandOutput, FailedTest, RunnerReport

__all__ = ["read_exunit", "read_libtest", "read_minitest", "read_unittest"]

_LIBTEST = re.compile(r"^test (\S+)(?: - .+?)? \.\.\. (ok|FAILED|ignored)", re.M)
_NEXTEST = re.compile(
    r"^\s+(PASS|FAIL|SIGABRT|TIMEOUT|SKIP)\s+\[[^\]]*\]\s+(?:\(\s*\d+/\d+\)\s+)?\S+\s+(\S+)\s*$",
    re.M,
)
_PANIC = re.compile(r"panicked at (?:'(.*)', )?([^\s:']+\.rs):(\d+):\d+:?\n?(.*)")
_RUSTC = re.compile(r"^error(?:\[E\d+\])?: (.+)\n(?:.*\n)??\s*--> ([^\s:]+):(\d+)", re.M)


def read_libtest(output: CommandOutput) -> RunnerReport:
    """What `cargo test` and `cargo nextest` print, and what the compiler says instead."""
    text = output.text
    report = RunnerReport(is_read=False)
    failed: list[str] = []
    for name, how in _LIBTEST.findall(text):
        report.is_read = True
        report.passed += how == "ok"
        report.skipped += how == "ignored"
        if how == "FAILED":
            failed.append(name)
    for how, name in _NEXTEST.findall(text):
        report.is_read = True
        report.passed += how == "PASS"
        report.skipped += how == "SKIP"
        if how not in ("PASS", "SKIP") and name not in failed:
            failed.append(name)
    for name in failed:
        report.failures.append(_panicked(name, text, output))
    if not report.is_read:
        for message, path, line in _RUSTC.findall(text):
            found = within(path, output.root, output.cwd)
            if found:
                report.failures.append(FailedTest("", found, int(line), first_line(message)))
        report.is_read = bool(report.failures)
    return report


def _panicked(name: str, text: str, output: CommandOutput) -> FailedTest:
    heads = (f"---- {name} stdout ----", f"thread '{name}'")
    start = next((at for head in heads if (at := text.find(head)) >= 0), -1)
    block = text[start : start + 20_000] if start >= 0 else ""
    end = block.find("\n---- ", 5)
    block = block[:end] if end > 0 else block
    match = _PANIC.search(block)
    if match is None:
        return FailedTest(name, *place_of(block, output.root, output.cwd), "failed")
    # A workspace's members name files from the workspace, older ones from their own folder.
    path = within(match[2], output.root, output.cwd)
    message = first_line(match[1] or match[4]) or "panicked"
    return FailedTest(name, path, int(match[3]) if path else 0, message)


_UNITTEST = re.compile(
    r"^(?:FAIL|ERROR): (.+)\n(?:.+\n)??-{20,}\n((?:.*\n)*?)(?=^(?:={20,}|-{20,})$)", re.M
)
_TITLE = re.compile(r"(\S+) \(([\w.]+)\)\s*(.*)")
_RAN = re.compile(r"^Ran (\d+) tests? in", re.M)
_SKIPPED = re.compile(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", re.M)


def read_unittest(output: CommandOutput) -> RunnerReport:
    """What `python -m unittest` prints."""
    ran = _RAN.search(output.text)
    if ran is None:
        return RunnerReport(is_read=False)
    report = RunnerReport()
    for title, block in _UNITTEST.findall(output.text):
        full = _unittest_name(title)
        path, line = place_of(block, output.root, output.cwd, last=True)
        last = next(
            (each for each in reversed(block.splitlines()) if re.match(r"\w[\w.]*\b", each)), ""
        )
        report.failures.append(FailedTest(full, path, line, first_line(last) or "failed"))
    skipped = _SKIPPED.search(output.text)
    report.skipped = int(skipped[1]) if skipped else 0
    failed = {each.test.partition(" ")[0] for each in report.failures}  # subtests of one are one
    report.passed = max(0, int(ran[1]) - report.skipped - len(failed))
    return report


def _unittest_name(title: str) -> str:
    """`tests.T.test_x (i=1)` of `test_x (tests.T.test_x) (i=1)`; older ones have `(tests.T)`."""
    match = _TITLE.match(title)
    if match is None:
        return title
    name, where, part = match.groups()
    full = where if where.endswith(f".{name}") else f"{where}.{name}"
    return f"{full} {part}".strip()


_MINITEST = re.compile(
    r"^\s+\d+\) (?:Failure|Error):\n(.+?)(?: \[([^\]\n]+):(\d+)\])?:\n"
    r"((?:.*\n)*?)(?=^\s*$|^\s+\d+\) |\Z)",
    re.M,
)
_RUNS = re.compile(r"^(\d+) (?:runs|tests), .*?(\d+) failures, (\d+) errors(?:, (\d+) \w+)?", re.M)


def read_minitest(output: CommandOutput) -> RunnerReport:
    """What minitest and test-unit print."""
    runs = _RUNS.search(output.text)
    if runs is None:
        return RunnerReport(is_read=False)
    report = RunnerReport()
    for name, path, line, block in _MINITEST.findall(f"{output.text}\n"):
        found = within(path, output.root, output.cwd) if path else ""
        where = (found, int(line)) if found else place_of(block, output.root, output.cwd)
        report.failures.append(FailedTest(name, *where, first_line(block) or "failed"))
    report.skipped = int(runs[4] or 0)
    report.passed = max(0, int(runs[1]) - int(runs[2]) - int(runs[3]) - report.skipped)
    return report


_EXUNIT = re.compile(r"^\s+\d+\) (.+) \(([\w.]+)\)\n\s+(\S+\.exs?):(\d+)\n((?:.+\n)*)", re.M)
_ELIXIR = re.compile(r"^(\d+) tests?, (\d+) failures?(?:, (\d+) (?:skipped|excluded))?", re.M)


def read_exunit(output: CommandOutput) -> RunnerReport:
    """What `mix test` prints; the line is that of the assertion where the trace has it."""
    ran = _ELIXIR.search(output.text)
    if ran is None:
        return RunnerReport(is_read=False)
    report = RunnerReport()
    for name, module, path, line, block in _EXUNIT.findall(f"{output.text}\n"):
        found = within(path, output.root, output.cwd)
        where = place_of(block, output.root, output.cwd)
        where = where if where[0] else (found, int(line) if found else 0)
        report.failures.append(
            FailedTest(f"{module} {name}", *where, first_line(block) or "failed")
        )
    report.skipped = int(ran[3] or 0)
    report.passed = max(0, int(ran[1]) - int(ran[2]) - report.skipped)
    return report
