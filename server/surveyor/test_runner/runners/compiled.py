"""`go test`, `cargo test` and nextest, and ctest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from surveyor.test_runner.reports.go_json import read_go_json
from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.reports.texts import read_libtest
from surveyor.test_runner.types import RunnerCommand, RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

__all__ = ["plan_ctest", "plan_go", "plan_rust"]

_GO_BUILD = re.compile(r"^//go:build (.+)$", re.M)
_GO_TAG = re.compile(r"[\w.]+")
_GO_VERSION = re.compile(r"go1(?:\.\d+)*$")
"""A tag that every Go from a release on has by itself."""
_GO_PLATFORMS = frozenset(
    {"amd64", "arm", "arm64", "386", "wasm", "riscv64", "linux", "darwin", "windows", "freebsd",
     "netbsd", "openbsd", "js", "wasip1", "plan9", "solaris", "aix", "android", "ios", "unix",
     "cgo", "race", "msan", "asan", "gc", "gccgo", "purego"}
)  # fmt: skip
_GO_TEST = re.compile(r"^func ((?:Test|Example|Fuzz)\w*)\(", re.M)


def plan_go(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each package: `-run` takes names, not files."""
    plan = RunnerPlan()
    go = workspace.program("go")
    for folder, own in workspace.grouped(targets, ("go.mod",)).items():
        if go is None or folder is None:
            plan.refuse(own, "go is not on the PATH" if go is None else "no go.mod is above it")
            continue
        packages: dict[str, list[RunTarget]] = {}
        for target in own:
            tag = _go_tag(workspace, target)
            if tag:
                plan.refuse([target], f"it is only built with the tag {tag}: GOFLAGS=-tags={tag}")
                continue
            packages.setdefault(str(PurePosixPath(target.path).parent), []).append(target)
        for package, some in packages.items():
            inside = (workspace.root / package).relative_to(folder).as_posix()
            names = _go_names(workspace, some)
            chosen = ("-run", _go_pattern(names)) if names else ()
            argv = (go, "test", "-json", *chosen, "./" if inside == "." else f"./{inside}")
            report = workspace.report_path()
            plan.commands.append(RunnerCommand("go", argv, folder, some, read_go_json, report))
    return plan


def _go_tag(workspace: Workspace, target: RunTarget) -> str:
    """A tag of the project's own that a file is only built with and nobody has set."""
    match = _GO_BUILD.search(workspace.text_of(target))
    words = _GO_TAG.findall(match[1]) if match and not set("!|") & set(match[1]) else []
    own = [word for word in words if word not in _GO_PLATFORMS and not _GO_VERSION.match(word)]
    set_by_user = _GO_TAG.findall(workspace.env.get("GOFLAGS", ""))
    return next((word for word in own if word not in set_by_user), "")


def _go_pattern(names: Sequence[str]) -> str:
    """Of tests by their names; `TestAdd/one_two` is one within a test, each part a pattern."""
    if len(names) == 1:
        return "/".join(f"^({part})$" for part in names[0].split("/"))
    return f"^({'|'.join(dict.fromkeys(name.partition('/')[0] for name in names))})$"


def _go_names(workspace: Workspace, targets: Sequence[RunTarget]) -> list[str]:
    names: list[str] = []
    for target in targets:
        if target.name:
            test, is_within, inner = target.name.partition("/")
            names.append(test.rpartition(".")[2] + is_within + inner)
        else:
            names += _GO_TEST.findall(workspace.text_of(target))
    return list(dict.fromkeys(re.escape(name) for name in names))


def plan_rust(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """One command for each file below `tests`, else one for each module."""
    plan = RunnerPlan()
    cargo = workspace.program("cargo")
    for folder, own in workspace.grouped(targets, ("Cargo.toml",)).items():
        if cargo is None or folder is None:
            reason = "cargo is not on the PATH" if cargo is None else "no Cargo.toml is above it"
            plan.refuse(own, reason)
            continue
        for target in own:
            _plan_crate(plan, workspace, cargo, folder, target)
    return plan


def _plan_crate(
    plan: RunnerPlan, workspace: Workspace, cargo: str, folder: Path, target: RunTarget
) -> None:
    parts = PurePosixPath(workspace.from_folder(folder, target)).with_suffix("").parts
    name = target.name.replace(".", "::")
    if name.startswith("-") or parts[-1].startswith("-"):
        plan.refuse([target], "cargo would take its name for an option")
        return
    if parts[0] == "tests" and len(parts) > 1:
        which: tuple[str, ...] = ("--test", parts[1])
    elif parts[0] == "src":
        which = ("--lib",) if (folder / "src" / "lib.rs").is_file() else ("--bins",)
        module = [part for part in parts[1:] if part not in ("lib", "main", "mod")]
        name = "::".join([*module, *filter(None, [name])])
    elif parts[0] in ("examples", "benches") and len(parts) > 1:
        which = (f"--{'example' if parts[0] == 'examples' else 'bench'}", parts[1])
    else:
        plan.refuse([target], "it is no test target of its crate")
        return
    nextest = _has_nextest(workspace, target.path, cargo)
    start = (cargo, "nextest", "run") if nextest else (cargo, "test")
    argv = (*start, "--offline", "--no-fail-fast", *which, *filter(None, [name]))
    plan.commands.append(
        RunnerCommand(
            "nextest" if nextest else "cargo",
            argv,
            folder,
            [target],
            read_libtest,
            workspace.report_path(),
            {"CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"},
        )
    )


def _has_nextest(workspace: Workspace, path: str, cargo: str) -> bool:
    """Whether the project is set up for nextest and it is there."""
    has = workspace.nearest(path, (".config/nextest.toml",)) is not None
    return has and workspace.program("cargo-nextest") is not None


_BUILT = ("build", "build*", "cmake-build-*", "out", "out/*", "_build")


def plan_ctest(workspace: Workspace, targets: Sequence[RunTarget]) -> RunnerPlan:
    """Tests of a build folder that was configured; what changed is built first."""
    plan = RunnerPlan()
    ctest, cmake = workspace.program("ctest"), workspace.program("cmake")
    for folder, own in workspace.grouped(targets, ("CMakeLists.txt",)).items():
        if ctest is None or cmake is None or folder is None:
            plan.refuse(own, "ctest is not on the PATH" if folder else "no CMakeLists.txt is above")
            continue
        build = _build_folder(workspace, own[0].path)
        if build is None:
            plan.refuse(own, "no configured build folder was found: cmake -B build")
            continue
        stems = [re.escape(PurePosixPath(each.path).stem) for each in own]
        report = workspace.report_path(".xml")
        argv = (
            ctest, "--test-dir", str(build), "--output-on-failure", "--no-tests=ignore",
            "--output-junit", str(report), "-R", "|".join(stems),
        )  # fmt: skip
        plan.commands.append(
            RunnerCommand(
                "ctest", argv, build, own, junit_reader(), report,
                before=((cmake, "--build", str(build)),),
            )
        )  # fmt: skip
    return plan


def _build_folder(workspace: Workspace, path: str) -> Path | None:
    for above in workspace.folders_up(path):
        for pattern in _BUILT:
            for found in sorted(above.glob(f"{pattern}/CTestTestfile.cmake")):
                return found.parent
    return None
