"""dotnet, PHPUnit and Pest, RSpec and minitest, mix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.reports.others import read_rspec, read_trx
from surveyor.test_runner.reports.texts import read_exunit, read_minitest
from surveyor.test_runner.types import RunnerCommand, RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

__all__ = ["plan_dotnet", "plan_elixir", "plan_php", "plan_ruby"]

_CSHARP_CLASS = re.compile(r"^[ \t]*(?:[\w\[\](), ]+\s)?(?:class|record|type|Class)\s+(\w+)", re.M)


def plan_dotnet(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each project; packages have to be restored already."""
    plan = RunnerPlan()
    dotnet = workspace.program("dotnet")
    for folder, own in workspace.grouped(targets, ("*.csproj", "*.fsproj", "*.vbproj")).items():
        if dotnet is None or folder is None:
            chosen = _dotnet_filter(workspace, own)
            missing = f'dotnet is not on the PATH; it is dotnet test --filter "{chosen}"'
            plan.refuse(own, missing if folder else "no project is above it")
            continue
        report = workspace.report_path()
        chosen = _dotnet_filter(workspace, own)
        told = ("--logger", "trx", "--results-directory", str(report), "--filter", chosen)
        argv = (dotnet, "test", "--no-restore", *told)
        env = {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
        plan.commands.append(RunnerCommand("dotnet", argv, folder, own, read_trx, report, env))
    return plan


def _dotnet_filter(workspace: Workspace, targets: Sequence[RunTarget]) -> str:
    names = [name for each in targets for name in _dotnet_names(workspace, each)]
    return "|".join(f"FullyQualifiedName~{name}" for name in names)


def _dotnet_names(workspace: Workspace, target: RunTarget) -> list[str]:
    if target.name:
        return [".".join(target.name.split(".")[-2:])]
    found = _CSHARP_CLASS.findall(workspace.text_of(target))
    return [f".{name}." for name in found] or [PurePosixPath(target.path).stem]


def plan_php(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each file: PHPUnit takes one."""
    plan = RunnerPlan()
    for target in targets:
        for name in ("pest", "phpunit"):
            program = workspace.own_program(target.path, name, ("vendor/bin", "bin"))
            if program is not None:
                break
        else:
            plan.refuse([target], "phpunit is not installed in vendor/bin: composer install")
            continue
        markers = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "composer.json")
        folder = workspace.nearest(target.path, markers) or workspace.root
        report = workspace.report_path(".xml")
        one = ("--filter", re.escape(target.name.rpartition(".")[2])) if target.name else ()
        argv = (program, "--log-junit", str(report), *one, workspace.from_folder(folder, target))
        read = junit_reader(separator="::")
        plan.commands.append(RunnerCommand(name, argv, folder, [target], read, report))
    return plan


def plan_ruby(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """RSpec for specs, minitest and test-unit for the rest; bundler where there is a Gemfile."""
    plan = RunnerPlan()
    ruby, bundle = workspace.program("ruby"), workspace.program("bundle")
    for folder, own in workspace.grouped(targets, ("Gemfile", ".rspec", "Rakefile")).items():
        folder = folder or workspace.root
        has_gemfile = (folder / "Gemfile").is_file()
        if ruby is None or (has_gemfile and bundle is None):
            missing = "ruby" if ruby is None else "bundle"
            plan.refuse(
                own,
                f"{missing} is not on the PATH: gem install bundler, bundle install"
                if has_gemfile
                else f"{missing} is not on the PATH",
            )
            continue
        start = (str(bundle), "exec") if has_gemfile else ()
        specs = [each for each in own if each.path.endswith("_spec.rb")]
        if specs:
            report = workspace.report_path(".json")
            named = [f"{workspace.from_folder(folder, each)}" for each in specs]
            chosen = [part for each in specs if each.name for part in ("-e", each.name)]
            argv = (*start, "rspec", "--format", "json", "--out", str(report), *chosen, *named)
            plan.commands.append(RunnerCommand("rspec", argv, folder, specs, read_rspec, report))
        for target in own:
            if target not in specs:
                _plan_minitest(plan, workspace, folder, target, start)
    return plan


def _plan_minitest(
    plan: RunnerPlan,
    workspace: Workspace,
    folder: Path,
    target: RunTarget,
    start: tuple[str, ...],
) -> None:
    file = workspace.from_folder(folder, target)
    one = ("-n", rf"/{re.escape(target.name.rpartition('.')[2])}\b/") if target.name else ()
    rails = folder / "bin" / "rails"
    begin = (str(rails), "test") if rails.is_file() else (*start, "ruby", "-Ilib:test")
    argv = (*begin, file, *one)
    plan.commands.append(
        RunnerCommand("minitest", argv, folder, [target], read_minitest, workspace.report_path())
    )


def plan_elixir(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each project; a test is named by its line, which only the text has."""
    plan = RunnerPlan()
    mix = workspace.program("mix")
    for folder, own in workspace.grouped(targets, ("mix.exs",)).items():
        if mix is None or folder is None:
            plan.refuse(own, "mix is not on the PATH" if mix is None else "no mix.exs is above it")
            continue
        named = [f"{workspace.from_folder(folder, each)}{_line(workspace, each)}" for each in own]
        argv = (mix, "test", "--no-color", "--no-deps-check", *named)
        report = workspace.report_path()
        plan.commands.append(
            RunnerCommand("mix", argv, folder, own, read_exunit, report, {"MIX_ENV": "test"})
        )
    return plan


def _line(workspace: Workspace, target: RunTarget) -> str:
    if not target.name:
        return ""
    name = re.escape(target.name.removeprefix("test "))
    match = re.search(rf"""^.*\btest\s*\(?\s*["']{name}["']""", workspace.text_of(target), re.M)
    return f":{workspace.text_of(target)[: match.start()].count(chr(10)) + 1}" if match else ""
