"""JUnit XML: pytest, surefire, Gradle, node, mocha, bun, deno, PHPUnit and ctest write it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from surveyor.test_runner.reports.report_files import number, read_xml
from surveyor.test_runner.stack_traces import first_line, place_of, within
from surveyor.test_runner.types import CommandOutput, FailedTest, RunnerReport

__all__ = ["junit_reader"]

_BAD = ("failure", "error")
_RAISED = re.compile(r"^E +(\S.*)$", re.M)

Translate = Callable[[str, CommandOutput], str]
"""Stack frames that name no path, rewritten so that they do."""


def junit_reader(
    pattern: str = "",
    *,
    last: bool = False,
    separator: str = ".",
    translate: Translate | None = None,
    only: str = "",
) -> Callable[[CommandOutput], RunnerReport]:
    """A reader of one report, or of those in a folder that match `pattern`.

    `last`: the innermost frame of a stack trace stands last in it. `only`: the one file that was
    run, from the root: what fails without a trace, by its time or a thrown text, failed there.
    """

    def read(output: CommandOutput) -> RunnerReport:
        report = RunnerReport(is_read=False)
        for file in _files(output, pattern):
            tree = read_xml(file)
            if tree is None:
                continue
            report.is_read = True
            for case in tree.iter("testcase"):
                _add(report, case, output, last, separator, translate, only)
        return report

    return read


def _files(output: CommandOutput, pattern: str) -> Iterator[Path]:
    found = output.report.rglob(pattern) if pattern else [output.report]
    for file in found:
        if file.is_file():
            state = file.stat()
            # Reports of earlier runs lie beside those of this one; file times are coarse.
            if state.st_mtime >= output.started - 2:
                yield file


def _add(
    report: RunnerReport,
    case: ElementTree.Element,
    output: CommandOutput,
    last: bool,
    separator: str,
    translate: Translate | None,
    only: str,
) -> None:
    bad = next((each for each in case if each.tag in _BAD), None)
    if bad is None and case.get("status") == "fail":  # ctest puts the output beside it
        bad = case
    if bad is None:
        skipped = case.find("skipped") is not None or case.get("status") in ("disabled", "notrun")
        report.skipped += skipped
        report.passed += not skipped
        return
    # ctest and surefire have what the test printed beside the failure.
    text = "\n".join(filter(None, [bad.text, *(case.findtext(tag) for tag in ("system-out",))]))
    said = bad.get("message") or ""
    if translate is not None:
        text = translate(text, output)
    path, line = place_of(f"{text}\n{said}", output.root, output.cwd, last=last)
    if not path:
        named = case.get("file") or ""
        path = within(named.removeprefix("file://"), output.root, output.cwd) if named else ""
        line = number(case.get("line")) if path else 0
    names = [case.get("classname") or case.get("class") or "", case.get("name") or ""]
    if not path and (file := within(names[1], output.root, output.cwd)):
        path, names[1] = file, file  # node has a file that it cannot load as a test of this name
    path = path or only
    if names[0] == "test":  # node says it of each
        names[0] = ""
    title = separator.join(filter(None, names))
    raised = _RAISED.search(text) if said == "collection failure" else None  # pytest's only words
    message = (
        raised[1]
        if raised
        else first_line(said) or first_line(_without_frames(_without_title(text, title)))
    )
    report.failures.append(FailedTest(title, path, line, message or bad.tag))


def _without_title(text: str, title: str) -> str:
    """What a failure says: PHPUnit has the test's name before it, with its data behind that."""
    first, _, rest = text.lstrip().partition("\n")
    return rest if title and first.startswith(title) and rest.strip() else text


def _without_frames(text: str) -> str:
    return re.sub(r"^\s*(at |File |Traceback).*$", "", text, flags=re.M)
