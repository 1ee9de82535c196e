"""pytest, `manage.py test` and unittest, by the project's own interpreter."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from surveyor.platform.installed_programs import python_names
from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.reports.texts import read_unittest
from surveyor.test_runner.types import RunnerCommand, RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

__all__ = ["plan_python"]

PROJECT = (
    "pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py", "manage.py", "uv.lock",
    "Pipfile", "requirements.txt",
)  # fmt: skip
_ENVIRONMENTS = (".venv", "venv", "env", ".env")
_TEST_ENVIRONMENTS = (".tox", ".nox")
"""Each has an environment for each way to run the tests, the newest Python last."""
_PYTEST = ("-c", "import importlib.util as u, sys; sys.exit(u.find_spec('pytest') is None)")
_DJANGO = ("-c", "import importlib.util as u, sys; sys.exit(u.find_spec('django') is None)")
_INSTALLED = (
    "import importlib.metadata as m, sys\n"
    "for name in sys.argv[1:]:\n"
    "    try: m.distribution(name); sys.exit(0)\n"
    "    except m.PackageNotFoundError: pass\n"
    "sys.exit(1)"
)
"""Whether one of these packages is installed."""
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_MANAGERS = (
    ("uv sync", "[tool.uv", ("uv.lock",)),
    ("poetry install", "[tool.poetry", ("poetry.lock",)),
    ("pdm install", "[tool.pdm", ("pdm.lock",)),
    ("pipenv sync --dev", "[[no table]]", ("Pipfile",)),
    ("hatch env create", "[tool.hatch.envs", ()),
)
"""What makes an environment, by a table of pyproject.toml or by files."""
_CONFIGURED = re.compile(r"^\[(tool\.pytest|tool:pytest|pytest\])", re.M)
_UNITTEST = re.compile(r"\b(unittest|TestCase)\b")


def plan_python(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each project folder."""
    plan = RunnerPlan()
    for folder, own in workspace.grouped(targets, PROJECT).items():
        _plan_folder(plan, workspace, folder or workspace.root, own)
    return plan


def _plan_folder(
    plan: RunnerPlan, workspace: Workspace, folder: Path, targets: Sequence[RunTarget]
) -> None:
    own_pythons = list(dict.fromkeys(_interpreters(workspace, targets[0].path, folder)))
    pythons = list(dict.fromkeys([*own_pythons, *_on_path(workspace)]))
    made_by = _made_by(workspace, targets[0].path)
    if not pythons:
        hint = f": {made_by} makes one" if made_by else ""
        plan.refuse(
            targets, f"no Python was found: neither an environment here nor one on the PATH{hint}"
        )
        return
    if made_by and not own_pythons and not _has_project(workspace, folder, pythons[0]):
        files = " ".join(workspace.from_folder(folder, each) for each in targets)
        plan.refuse(
            targets,
            f"its environment is not there: {made_by} makes it, then pytest {files} runs in it",
        )
        return
    if (folder / "manage.py").is_file() and not _uses_pytest(workspace, folder):
        names = [_dotted(workspace, folder, target) for target in targets]
        with_django = (each for each in pythons if workspace.ends_well((each, *_DJANGO)))
        _add(
            plan,
            workspace,
            folder,
            targets,
            "django",
            (next(with_django, pythons[0]), "manage.py", "test", "--noinput", *names),
        )
        return
    for python in pythons:
        if workspace.ends_well((python, *_PYTEST)):
            _add_pytest(plan, workspace, folder, targets, python)
            return
    own = [each for each in targets if _UNITTEST.search(workspace.text_of(each))]
    if own:
        names = [
            _dotted(workspace, folder, each) if each.name else workspace.from_folder(folder, each)
            for each in own
        ]
        _add(plan, workspace, folder, own, "unittest", (pythons[0], "-m", "unittest", *names))
    rest = [each for each in targets if each not in own]
    hint = f": {made_by}, where it is among the dependencies" if made_by else ""
    plan.refuse(rest, f"pytest is not installed for {pythons[0]}{hint}")


def _add_pytest(
    plan: RunnerPlan,
    workspace: Workspace,
    folder: Path,
    targets: Sequence[RunTarget],
    python: str,
) -> None:
    report = workspace.report_path(".xml")
    names = [
        "::".join([workspace.from_folder(folder, each), *filter(None, each.name.split("."))])
        for each in targets
    ]
    argv = (
        python, "-m", "pytest", "-q", "--tb=short", "--color=no", "--continue-on-collection-errors",
        f"--junitxml={report}", "-o", "junit_family=xunit1", *names,
    )  # fmt: skip
    read = junit_reader(last=True)
    plan.commands.append(RunnerCommand("pytest", argv, folder, targets, read, report))


def _add(
    plan: RunnerPlan,
    workspace: Workspace,
    folder: Path,
    targets: Sequence[RunTarget],
    runner: str,
    argv: tuple[str, ...],
) -> None:
    source = folder / "src"
    paths = [str(source)] if source.is_dir() else []
    if "PYTHONPATH" in workspace.env:
        paths.append(workspace.env["PYTHONPATH"])
    env = {"PYTHONPATH": os.pathsep.join(paths)} if paths else {}
    report = workspace.report_path()
    plan.commands.append(RunnerCommand(runner, argv, folder, targets, read_unittest, report, env))


def _dotted(workspace: Workspace, folder: Path, target: RunTarget) -> str:
    module = workspace.from_folder(folder, target).removesuffix(".py").replace("/", ".")
    return f"{module}.{target.name}" if target.name else module


def _uses_pytest(workspace: Workspace, folder: Path) -> bool:
    return (folder / "pytest.ini").is_file() or any(
        _CONFIGURED.search(workspace.read(folder, name))
        for name in ("pyproject.toml", "setup.cfg", "tox.ini")
    )


def _interpreters(workspace: Workspace, path: str, folder: Path) -> Iterator[str]:
    """Those that the project's tests may be meant for, the surest first."""
    for above in workspace.folders_up(path):
        for name in _ENVIRONMENTS:
            yield from _inside(above / name)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if workspace.env.get(variable):
            yield from _inside(Path(workspace.env[variable]))
    if named := workspace.env.get("UV_PROJECT_ENVIRONMENT"):
        yield from _inside(folder / named)
    yield from _managed(workspace, folder)
    for tool in _TEST_ENVIRONMENTS:
        for made in sorted((folder / tool).glob("*"), reverse=True):
            yield from _inside(made)


def _on_path(workspace: Workspace) -> Iterator[str]:
    for name in ("python3", "python"):
        if found := workspace.program(name):
            yield found


def _made_by(workspace: Workspace, path: str) -> str:
    """The command that makes the environment of a project; empty where none is known."""
    for above in workspace.folders_up(path):
        manifest = workspace.read(above, "pyproject.toml")
        for command, table, locks in _MANAGERS:
            if table in manifest or any((above / lock).is_file() for lock in locks):
                return command
    return ""


def _has_project(workspace: Workspace, folder: Path, python: str) -> bool:
    """Whether an interpreter that is nobody's in particular has the project or what it needs:
    images are made so."""
    try:
        manifest: Any = tomllib.loads(workspace.read(folder, "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        return True
    names: list[str] = []
    for table in (manifest.get("project"), manifest.get("tool", {}).get("poetry")):
        if isinstance(table, dict):
            needed = table.get("dependencies") or ()
            said = [_PACKAGE_NAME.match(str(each)) for each in [table.get("name"), *needed]]
            names += [match[0] for match in said if match is not None]
    looked_for = [name for name in dict.fromkeys(names) if name not in ("python", "None")]
    return not looked_for or workspace.ends_well((python, "-c", _INSTALLED, *looked_for))


def _inside(environment: Path) -> Iterator[str]:
    for name in python_names():
        if (environment / name).is_file():
            yield str(environment / name)
            return


def _managed(workspace: Workspace, folder: Path) -> Iterator[str]:
    """Environments that a package manager keeps elsewhere: asked for, never made."""
    manifest = workspace.read(folder, "pyproject.toml")
    asked = (
        ("poetry", "[tool.poetry" in manifest or (folder / "poetry.lock").is_file(),
         ("env", "info", "--path")),
        ("pdm", "[tool.pdm" in manifest or (folder / "pdm.lock").is_file(),
         ("info", "--python")),
        ("pipenv", (folder / "Pipfile").is_file(), ("--venv",)),
    )  # fmt: skip
    for name, applies, arguments in asked:
        program = workspace.program(name) if applies else None
        said = workspace.output_of((program, *arguments), folder) if program else ""
        if said and Path(said).is_dir():
            yield from _inside(Path(said))
        elif said and Path(said).is_file():
            yield said
