"""Which family of runners a test file belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from surveyor.test_runner.runners.compiled import plan_ctest, plan_go, plan_rust
from surveyor.test_runner.runners.ecmascript import plan_ecmascript
from surveyor.test_runner.runners.jvm import plan_jvm
from surveyor.test_runner.runners.managed import plan_dotnet, plan_elixir, plan_php, plan_ruby
from surveyor.test_runner.runners.python import plan_python
from surveyor.test_runner.types import RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

__all__ = ["has_runner", "plan_runs"]

Planner = Callable[[Workspace, Sequence[RunTarget]], RunnerPlan]

_FAMILIES: Sequence[tuple[Planner, str]] = (
    (plan_python, "py"),
    (plan_ecmascript, "js jsx mjs cjs ts tsx mts cts"),
    (plan_go, "go"),
    (plan_rust, "rs"),
    (plan_jvm, "java kt groovy"),
    (plan_dotnet, "cs fs vb"),
    (plan_php, "php"),
    (plan_ruby, "rb"),
    (plan_elixir, "exs"),
    (plan_ctest, "c cc cpp cxx c++"),
)
_PLANNERS = {f".{end}": planner for planner, ends in _FAMILIES for end in ends.split()}


def has_runner(extension: str) -> bool:
    """Whether tests in files of an extension (with its dot) can be run."""
    return extension.lower() in _PLANNERS


def plan_runs(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """How each of some tests is run, in their order; programs of the project may be asked."""
    plan = RunnerPlan()
    groups: dict[Planner, list[RunTarget]] = {}
    for target in targets:
        planner = _PLANNERS.get(PurePosixPath(target.path).suffix.lower())
        if planner is None:
            plan.refuse([target], "no test runner for such files is known")
        else:
            groups.setdefault(planner, []).append(target)
    for planner, own in groups.items():
        found = planner(workspace, own)
        plan.commands += found.commands
        plan.unrunnable += found.unrunnable
    return plan
