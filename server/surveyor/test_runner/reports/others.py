"""RSpec's JSON and Visual Studio's TRX."""

from __future__ import annotations

from xml.etree import ElementTree

from surveyor.test_runner.reports.report_files import (
    mappings,
    number,
    read_json,
    read_xml,
    texts,
)
from surveyor.test_runner.stack_traces import first_line, place_of, within
from surveyor.test_runner.types import CommandOutput, FailedTest, RunnerReport

__all__ = ["read_rspec", "read_trx"]


def read_rspec(output: CommandOutput) -> RunnerReport:
    """`rspec --format json`; examples outside of which something failed have none."""
    found = read_json(output.report)
    if found is None:
        return RunnerReport(is_read=False)
    report = RunnerReport()
    for example in mappings(found.get("examples")):
        state = example.get("status")
        report.passed += state == "passed"
        report.skipped += state == "pending"
        if state == "failed":
            raised = next(iter(mappings([example.get("exception")])), {})
            trace = "\n".join(texts(raised.get("backtrace")))
            path, line = place_of(trace, output.root, output.cwd)
            if not path:
                path = within(str(example.get("file_path") or ""), output.root, output.cwd)
                line = number(example.get("line_number")) if path else 0
            message = first_line(str(raised.get("message") or "")) or "failed"
            name = str(example.get("full_description") or "")
            report.failures.append(FailedTest(name, path, line, message))
    for text in texts(found.get("messages")):
        where = place_of(text, output.root, output.cwd)
        if where[0]:
            report.failures.append(FailedTest("", *where, first_line(text)))
    return report


def read_trx(output: CommandOutput) -> RunnerReport:
    """`dotnet test --logger trx`: one file a test project; compilers' words where there is none."""
    report = RunnerReport(is_read=False)
    for file in output.report.rglob("*.trx"):
        tree = read_xml(file)
        if tree is None:
            continue
        report.is_read = True
        for case in tree.iter():
            if case.tag.rpartition("}")[2] == "UnitTestResult":
                _add(report, case, output)
    return report


def _add(report: RunnerReport, case: ElementTree.Element, output: CommandOutput) -> None:
    state = case.get("outcome")
    if state == "Passed":
        report.passed += 1
    elif state == "Failed":
        said = {each.tag.rpartition("}")[2]: each.text or "" for each in case.iter()}
        path, line = place_of(said.get("StackTrace", ""), output.root, output.cwd)
        message = first_line(said.get("Message", "")) or "failed"
        report.failures.append(FailedTest(case.get("testName") or "", path, line, message))
    else:
        report.skipped += 1
