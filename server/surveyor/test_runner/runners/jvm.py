"""Maven and Gradle, without their network."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.stack_traces import first_line, place_of
from surveyor.test_runner.types import (
    CommandOutput,
    FailedTest,
    ReadReport,
    RunnerCommand,
    RunnerPlan,
    RunnerReport,
    RunTarget,
)
from surveyor.test_runner.workspace import Workspace

__all__ = ["plan_jvm"]

_PACKAGE = re.compile(r"^[ \t]*package\s+([\w.]+)", re.M)
_FRAME = re.compile(
    r"at (?:[\w.@-]+/)*([\w.$]+)\.[\w$<>]+\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)"
)
_JAVAC = re.compile(
    r"^(?:\[ERROR\] )?(?:e: )?(?:file://)?(/\S+\.(?:java|kt|groovy|scala))"
    r":\[?(\d+)[,:]\d*\]?:? (.+)$",
    re.M,
)
_SOURCES = (
    "src/test/java", "src/test/kotlin", "src/main/java", "src/main/kotlin", "src/test/groovy",
    "src", "test",
)  # fmt: skip


def plan_jvm(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each module."""
    plan = RunnerPlan()
    markers = ("pom.xml", "build.gradle", "build.gradle.kts")
    for folder, own in workspace.grouped(targets, markers).items():
        if folder is None:
            plan.refuse(own, "neither pom.xml nor build.gradle is above it")
        elif (folder / "pom.xml").is_file():
            _plan_maven(plan, workspace, folder, own)
        else:
            _plan_gradle(plan, workspace, folder, own)
    return plan


def _plan_maven(
    plan: RunnerPlan, workspace: Workspace, folder: Path, targets: Sequence[RunTarget]
) -> None:
    top = folder
    while top != workspace.root and (top.parent / "pom.xml").is_file():
        top = top.parent
    mvn = workspace.program("mvn") or _wrapper(top, "mvnw", "~/.m2/wrapper/dists")
    if mvn is None:
        plan.refuse(
            targets,
            f"mvn is not on the PATH, and its wrapper would have to fetch it:"
            f" {_by_hand(top, 'mvnw', 'mvn')} test",
        )
        return
    names = ",".join(_class(workspace, each, "#") for each in targets)
    module = ("-pl", folder.relative_to(top).as_posix(), "-am") if top != folder else ()
    argv = (
        mvn, "-o", "-B", "-Dstyle.color=never", *module, f"-Dtest={names}", "-DfailIfNoTests=false",
        "-Dsurefire.failIfNoSpecifiedTests=false", "test",
    )  # fmt: skip
    report = folder / "target" / "surefire-reports"
    plan.commands.append(RunnerCommand("maven", argv, top, targets, _reader(folder), report))


def _plan_gradle(
    plan: RunnerPlan, workspace: Workspace, folder: Path, targets: Sequence[RunTarget]
) -> None:
    settings = ("settings.gradle", "settings.gradle.kts")
    top = workspace.nearest(targets[0].path, settings) or folder
    gradle = _wrapper(top, "gradlew", "~/.gradle/wrapper/dists") or workspace.program("gradle")
    if gradle is None:
        plan.refuse(
            targets,
            f"gradle is not on the PATH, and its wrapper would have to fetch it:"
            f" {_by_hand(top, 'gradlew', 'gradle')} test",
        )
        return
    chosen = [part for each in targets for part in ("--tests", _class(workspace, each, "."))]
    module = "".join(f":{part}" for part in folder.relative_to(top).parts)
    argv = (gradle, "--offline", "--no-daemon", "--console=plain", f"{module}:test", *chosen)
    report = folder / "build" / "test-results"
    plan.commands.append(RunnerCommand("gradle", argv, top, targets, _reader(folder), report))


def _wrapper(folder: Path, name: str, distributions: str) -> str | None:
    """A wrapper whose distribution has been fetched before."""
    program = folder / name
    home = Path(distributions).expanduser()
    is_there = program.is_file() and os.access(program, os.X_OK)
    return str(program) if is_there and home.is_dir() and any(home.iterdir()) else None


def _by_hand(folder: Path, wrapper: str, program: str) -> str:
    """How it is started by hand, which fetches what is missing."""
    return f"./{wrapper}" if (folder / wrapper).is_file() else program


def _class(workspace: Workspace, target: RunTarget, separator: str) -> str:
    package = _PACKAGE.search(workspace.text_of(target))
    stem = PurePosixPath(target.path).stem
    name = f"{package[1]}.{stem}" if package else stem
    method = target.name.removeprefix(f"{stem}.") if target.name != stem else ""
    return f"{name}{separator}{method}" if method and "." not in method else name


def _reader(module: Path) -> ReadReport:
    junit = junit_reader("TEST-*.xml", translate=lambda text, output: _with_paths(text, module))

    def read(output: CommandOutput) -> RunnerReport:
        report = junit(output)
        if not report.is_read or (output.code and not report.failures):
            report.failures += _compiler(output)
            report.is_read = report.is_read or bool(report.failures)
        return report

    return read


def _with_paths(text: str, module: Path) -> str:
    """Frames name a class and a file's last part: the path follows from both."""

    def path_of(frame: re.Match[str]) -> str:
        package = "/".join(frame[1].split(".")[:-1])
        for source in _SOURCES:
            file = module / source / package / frame[2]
            if file.is_file():
                return f"({file}:{frame[3]})"
        return ""

    return _FRAME.sub(path_of, text)


def _compiler(output: CommandOutput) -> list[FailedTest]:
    found: dict[tuple[str, int], FailedTest] = {}
    for match in _JAVAC.finditer(output.text):
        where = place_of(f"{match[1]}:{match[2]}", output.root, output.cwd)
        if where[0]:
            found.setdefault(where, FailedTest("", *where, first_line(match[3])))
    return list(found.values())
