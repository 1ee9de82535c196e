"""vitest, jest, mocha, `node --test`, bun and deno, as the project has installed them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from surveyor.test_runner.reports.jest_json import read_jest_json
from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.types import RunnerCommand, RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

__all__ = ["plan_ecmascript"]

_IMPORTED = (
    ("vitest", re.compile(r"""from\s+['"]vitest['"]|require\(['"]vitest['"]\)""")),
    ("jest", re.compile(r"""from\s+['"]@jest/globals['"]|\bjest\.(fn|mock|spyOn)\(""")),
    ("node", re.compile(r"""['"]node:test['"]""")),
    ("bun", re.compile(r"""['"]bun:test['"]""")),
    ("deno", re.compile(r"""\bDeno\.test\(""")),
)
_TEST_NAME = re.compile(r"[._-](?:test|spec)\.[cm]?[jt]sx?$|^test\.[cm]?[jt]sx?$")
_DEFINES = re.compile(r"\b(?:describe|it|test|suite|context|specify)(?:\.\w+)*\s*[(`]")
MAX_BESIDE = 5
"""Files of tests that are run for one that only serves them."""
_CONFIGS = {
    "vitest": ("vitest.config.*", "vitest.workspace.*"),
    "jest": ("jest.config.*",),
    "mocha": (".mocharc*",),
}
_MANAGERS = (
    ("pnpm", ("pnpm-lock.yaml", "pnpm-workspace.yaml")),
    ("yarn", ("yarn.lock", ".yarnrc.yml")),
    ("bun", ("bun.lock", "bun.lockb")),
    ("npm", ("package-lock.json", "npm-shrinkwrap.json")),
)
_PACKAGE_MANAGER = re.compile(r'"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@')
_SCRIPT = re.compile(r"\b(vitest|jest|mocha|node(?= .*--test)|bun(?= test)|deno(?= test))\b")
_KEPT = {
    "mocha": ("-r", "--require", "--import", "--loader", "--ui", "-u", "--timeout", "-t", "--exit",
              "--config", "--extension", "--spec-dir"),
    "jest": ("-c", "--config", "--env", "--runInBand", "-i"),
    "vitest": ("-c", "--config", "--environment", "--globals"),
    "node": ("--import", "--loader", "--experimental-loader", "-r", "--require",
             "--experimental-strip-types", "--experimental-transform-types", "--conditions", "-C"),
    "bun": ("--preload", "-r"),
    "deno": ("-A", "--allow-all", "--allow-read", "--allow-env", "--no-check"),
}  # fmt: skip
"""Options of a package's own script without which its tests do not run as they do there."""
_OF_NODE = frozenset({"--experimental-vm-modules", "--experimental-modules"})
"""Those that are node's, where it is asked to run the runner."""
_WITH_TSX = re.compile(r"\btsx\b.* --test\b")
_RUN_BY = re.compile(r"\b(ava|tape?|uvu|jasmine|karma|playwright|cypress|react-scripts|ng|lab)\b")
"""Runners that cannot be told which tests to run, or not in a way that is known here."""


@dataclass(frozen=True, slots=True)
class _Package:
    """What a package says of its tests."""

    folder: Path
    scripts: dict[str, str]
    dependencies: frozenset[str]
    has_jest_settings: bool


def plan_ecmascript(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each package and runner."""
    plan = RunnerPlan()
    markers = ("package.json", "deno.json", "deno.jsonc")
    for folder, own in workspace.grouped(_with_their_tests(workspace, targets), markers).items():
        if folder is None:
            plan.refuse(own, "no package.json is above it")
            continue
        packages = [
            _package(workspace, above)
            for above in workspace.folders_up(own[0].path)
            if above == folder or above in folder.parents
        ]
        groups: dict[str, list[RunTarget]] = {}
        for target in own:
            groups.setdefault(_runner_of(workspace, target, packages), []).append(target)
        for runner, some in groups.items():
            _plan_runner(plan, workspace, packages, runner, some)
    return plan


def _with_their_tests(workspace: Workspace, targets: Sequence[RunTarget]) -> list[RunTarget]:
    """Targets, with the tests beside or above in place of what seems to serve them only: files of
    cases that a test reads from their folder."""
    found: dict[RunTarget, None] = {}
    for target in targets:
        is_test = bool(target.name) or _is_test(workspace, target)
        above = [] if is_test else _tests_above(workspace, target.path)
        found |= dict.fromkeys(above or [target])
    return list(found)


def _is_test(workspace: Workspace, target: RunTarget) -> bool:
    if _TEST_NAME.search(PurePosixPath(target.path).name):
        return True
    text = workspace.text_of(target)
    return any(pattern.search(text) for _, pattern in _IMPORTED) or bool(_DEFINES.search(text))


def _tests_above(workspace: Workspace, path: str) -> list[RunTarget]:
    """Tests of the nearest folder that has some, not further up than the package."""
    for folder in workspace.folders_up(path):
        names = sorted(each.name for each in folder.glob("*.*") if _TEST_NAME.search(each.name))
        if names:
            inside = folder.relative_to(workspace.root).as_posix().removeprefix(".")
            return [RunTarget(f"{inside}/{name}".lstrip("/")) for name in names[:MAX_BESIDE]]
        if (folder / "package.json").is_file():
            break
    return []


def _package(workspace: Workspace, folder: Path) -> _Package:
    try:
        found: Any = msgspec.json.decode(workspace.read(folder, "package.json") or "{}")
    except (msgspec.DecodeError, RecursionError):
        found = {}
    found = found if isinstance(found, dict) else {}
    kinds = ("dependencies", "devDependencies", "peerDependencies")
    names = {name for kind in kinds for name in _table(found, kind)}
    scripts = {name: str(text) for name, text in _table(found, "scripts").items()}
    return _Package(folder, scripts, frozenset(names), "jest" in found)


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def _runner_of(workspace: Workspace, target: RunTarget, packages: Sequence[_Package]) -> str:
    """What the file imports, else what the nearest package is set up for; empty for none."""
    text = workspace.text_of(target)
    for name, pattern in _IMPORTED:
        if pattern.search(text):
            return name
    for package in packages:
        for name, patterns in _CONFIGS.items():
            if any(any(package.folder.glob(pattern)) for pattern in patterns):
                return name
        if package.has_jest_settings:
            return "jest"
        said = _SCRIPT.search(" && ".join(_test_scripts(package)))
        if said:
            return said[1]
        for name in ("vitest", "jest", "mocha"):
            if name in package.dependencies:
                return name
    return ""


def _test_scripts(package: _Package) -> list[str]:
    named = [name for name in package.scripts if name == "test" or name.startswith("test")]
    return [
        package.scripts[name] for name in sorted(named, key=lambda name: (name != "test", name))
    ]


def _plan_runner(
    plan: RunnerPlan,
    workspace: Workspace,
    packages: Sequence[_Package],
    runner: str,
    targets: Sequence[RunTarget],
) -> None:
    if not runner:
        named = _RUN_BY.search(" ".join(_test_scripts(packages[0])))
        reason = "no test runner is set up in its package.json"
        if named is not None:
            reason = f"its tests are run by {named[1]}, which is no runner that is known"
        plan.refuse(targets, reason)
        return
    if runner in ("node", "bun", "deno"):
        program = workspace.own_program(targets[0].path, runner, ("node_modules/.bin",))
        program = program or workspace.program(runner)
        start: tuple[str, ...] = (program,) if program else ()
    else:
        start = _installed(workspace, targets[0].path, runner)
    if not start:
        if runner in ("node", "bun", "deno"):
            file = workspace.from_folder(_folder_for(packages, runner), targets[0])
            verb = "--test" if runner == "node" else "test"
            plan.refuse(targets, f"{runner} is not on the PATH; it is {runner} {verb} ./{file}")
            return
        manager = _manager_of(workspace, targets[0].path)
        is_missing = "" if workspace.program(manager) else f" ({manager} is not on the PATH either)"
        plan.refuse(
            targets, f"{runner} is not installed in node_modules: {manager} install{is_missing}"
        )
        return
    folder = _folder_for(packages, runner)
    kept, env = _kept(packages, runner)
    report = workspace.report_path(".json" if runner in ("jest", "vitest") else ".xml")
    batches = [[each] for each in targets if each.name]  # a name would hold for every file
    batches += [whole] if (whole := [each for each in targets if not each.name]) else []
    for number, batch in enumerate(batches):
        report = report if number == 0 else workspace.report_path(report.suffix)
        files = [workspace.from_folder(folder, each) for each in batch]
        argv = _ARGUMENTS[runner](start, kept, str(report), files, batch[0].name)
        paths = {each.path for each in batch}
        only = paths.pop() if len(paths) == 1 else ""
        read = read_jest_json if runner in ("jest", "vitest") else junit_reader(only=only)
        plan.commands.append(
            RunnerCommand(
                runner,
                argv,
                folder,
                batch,
                read,
                report,
                {"CI": "1", **env},
                skips_others=bool(batch[0].name),
            )
        )


def _manager_of(workspace: Workspace, path: str) -> str:
    """The package manager that the nearest lock file, or `packageManager`, is of; else npm."""
    for folder in workspace.folders_up(path):
        for name, files in _MANAGERS:
            if any((folder / file).is_file() for file in files):
                return name
        said = _PACKAGE_MANAGER.search(workspace.read(folder, "package.json"))
        if said is not None:
            return said[1]
    return "npm"


def _installed(workspace: Workspace, path: str, runner: str) -> tuple[str, ...]:
    """A runner that is there already; with Yarn's plug'n'play, by way of yarn."""
    if found := workspace.own_program(path, runner, ("node_modules/.bin",)):
        return (found,)
    plugged = workspace.nearest(path, (".pnp.cjs",))
    yarn = workspace.program("yarn") if plugged else None
    return (yarn, "run", runner) if yarn else ()


def _folder_for(packages: Sequence[_Package], runner: str) -> Path:
    """Where the runner's settings lie: the nearest package that has some, else the nearest."""
    for package in packages:
        if any(any(package.folder.glob(each)) for each in _CONFIGS.get(runner, ())):
            return package.folder
        if runner == "jest" and package.has_jest_settings:
            return package.folder
        if runner in package.dependencies or any(
            (match := _SCRIPT.search(text)) and match[1] == runner
            for text in _test_scripts(package)
        ):
            return package.folder
    return packages[0].folder


def _kept(packages: Sequence[_Package], runner: str) -> tuple[list[str], dict[str, str]]:
    """Options and variables that the package's own script gives the runner."""
    for package in packages:
        for script in _test_scripts(package):
            if runner == "node" and _WITH_TSX.search(script):
                return ["--import", "tsx"], {}
            for part in re.split(r"&&|\|\||;", script):
                match = _SCRIPT.search(part)
                if match and match[1] == runner:
                    return _options(part, runner)
    return [], {}


def _options(script: str, runner: str) -> tuple[list[str], dict[str, str]]:
    try:
        words = shlex.split(script)
    except ValueError:
        return [], {}
    kept: list[str] = []
    env: dict[str, str] = {}
    for number, word in enumerate(words):
        name, is_joined, value = word.partition("=")
        if re.fullmatch(r"[A-Za-z_]\w*", name) and is_joined:
            env[name] = value
        elif name in _OF_NODE and runner != "node":  # node node_modules/jest/bin/jest.js
            env["NODE_OPTIONS"] = f"{env.get('NODE_OPTIONS', '')} {word}".strip()
        elif name in _KEPT[runner]:
            kept.append(word)
            follows = words[number + 1] if number + 1 < len(words) else ""
            if not is_joined and follows and not follows.startswith("-") and name not in _FLAGS:
                kept.append(follows)
    return kept, env


_FLAGS = frozenset(
    {"--exit", "--runInBand", "-i", "--globals", "--experimental-strip-types", "-A", "--allow-all",
     "--experimental-transform-types", "--allow-read", "--allow-env",
     "--no-check"}
)  # fmt: skip
"""Options that take no value."""

_SPECIAL = re.compile(r"[.*+?^${}()|\[\]\\/]")
"""In JavaScript's expressions a space needs no backslash, and may not have one."""
Arguments = Callable[[Sequence[str], list[str], str, list[str], str], tuple[str, ...]]


def _vitest(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    # Newer ones join the names of suites and tests by " > ".
    one = ("-t", _pattern(name).replace(" ", "(?: >)? ")) if name else ()
    return (*start, "run", *kept, "--reporter=json", f"--outputFile={report}", *one, *files)


def _jest(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    one = ("-t", _pattern(name)) if name else ()
    told = ("--ci", "--json", f"--outputFile={report}", "--testLocationInResults")
    return (*start, *kept, *told, *one, "--runTestsByPath", *files)


def _mocha(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    one = ("--grep", _pattern(name)) if name else ()
    told = ("--reporter", "xunit", "--reporter-options", f"output={report}")
    return (*start, *kept, *told, *one, *files)


def _node(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    one = (f"--test-name-pattern={_pattern(name)}",) if name else ()
    told = ("--test-reporter=junit", f"--test-reporter-destination={report}")
    return (*start, *kept, "--test", *told, *one, *files)


def _bun(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    one = ("-t", _pattern(name)) if name else ()
    told = ("--reporter=junit", f"--reporter-outfile={report}")
    return (*start, "test", *kept, *told, *one, *(f"./{each}" for each in files))


def _deno(
    start: Sequence[str], kept: list[str], report: str, files: list[str], name: str
) -> tuple[str, ...]:
    one = ("--filter", name) if name else ()
    return (*start, "test", "--cached-only", *kept, f"--junit-path={report}", *one, *files)


def _pattern(name: str) -> str:
    last = name.rpartition(".")[2] if " " not in name else name
    return _SPECIAL.sub(r"\\\g<0>", last) + "$"


_ARGUMENTS: dict[str, Arguments] = {
    "vitest": _vitest,
    "jest": _jest,
    "mocha": _mocha,
    "node": _node,
    "bun": _bun,
    "deno": _deno,
}
