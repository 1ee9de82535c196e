"""`go test -json`: one event a line, and the compiler's words between them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import msgspec

from surveyor.test_runner.stack_traces import first_line, place_of, within
from surveyor.test_runner.types import CommandOutput, FailedTest, RunnerReport

__all__ = ["read_go_json"]

_COMPILER = re.compile(r"^(?:vet: )?(\S+\.go):(\d+)(?::\d+)?: (.+)$")


def read_go_json(output: CommandOutput) -> RunnerReport:
    """Tests without those that only hold failed subtests; then packages that do not build."""
    said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    failed: list[tuple[str, str]] = []
    report = RunnerReport(is_read=False)
    loose: list[str] = []
    for line in output.text.splitlines():
        event = _event(line)
        if event is None:
            loose.append(line)
            continue
        report.is_read = True
        action, key = (
            event.get("Action"),
            (str(event.get("Package") or ""), str(event.get("Test") or "")),
        )
        if action in ("output", "build-output"):
            said[key].append(str(event.get("Output") or ""))
            if action == "build-output":
                loose.append(str(event.get("Output") or "").rstrip("\n"))
        elif key[1] and action == "pass":
            report.passed += 1
        elif key[1] and action == "skip":
            report.skipped += 1
        elif key[1] and action == "fail":
            failed.append(key)
    for package, test in failed:
        if not any(other.startswith(f"{test}/") for place, other in failed if place == package):
            report.failures.append(_failed(test, "".join(said[package, test]), package, output))
    report.failures += _compiler(loose, output)
    if report.is_read and not (report.passed or report.skipped or report.failures) and output.code:
        said_by_go = [line for line in loose if line.strip() and not line.startswith("#")]
        report.failures += [FailedTest("", "", 0, line) for line in said_by_go[:1]]
    report.is_read = report.is_read or bool(report.failures)
    return report


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) and "Action" in found else None


def _failed(test: str, text: str, package: str, output: CommandOutput) -> FailedTest:
    """A test names its own files without their folder, which is the package's."""
    folder = _folder_of(package, output)
    full = re.sub(r"^(\s+)(\w[\w.-]*\.go:\d+:)", rf"\1{folder}\2", text, flags=re.M)
    path, line = place_of(full, output.root, output.cwd)
    lines = [each for each in text.splitlines() if not each.lstrip().startswith(("=== ", "--- "))]
    place = re.compile(r"^\s*[\w./-]+\.go:\d+:\s*")
    return FailedTest(
        test, path, line, first_line("\n".join(place.sub("", each) for each in lines)) or "failed"
    )


def _folder_of(package: str, output: CommandOutput) -> str:
    """The folder of a package below the module's, with a slash; empty where that is itself."""
    parts = package.split("/")
    for number in range(len(parts)):
        folder = "/".join(parts[number:])
        if (output.cwd / folder).is_dir() and any((output.cwd / folder).glob("*_test.go")):
            return f"{folder}/"
    return ""


def _compiler(lines: list[str], output: CommandOutput) -> list[FailedTest]:
    found: dict[tuple[str, int], FailedTest] = {}
    for line in lines:
        match = _COMPILER.match(line.strip())
        path = within(match[1], output.root, output.cwd) if match else ""
        if match and path:
            key = path, int(match[2])
            found.setdefault(key, FailedTest("", *key, first_line(match[3])))
    return list(found.values())
