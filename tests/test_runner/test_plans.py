"""Which command a test file gets, on projects that are no more than their marker files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from surveyor.test_runner.runners.table import plan_runs
from surveyor.test_runner.types import RunnerPlan, RunTarget
from surveyor.test_runner.workspace import Workspace

PROGRAMS = ("go", "cargo", "mvn", "dotnet", "mix", "bundle", "ruby", "ctest", "cmake", "yarn")


def program(path: Path, text: str = "exit 0") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in PROGRAMS:
        program(tmp_path / "bin" / name)
    return folder


def plan(root: Path, files: dict[str, str], *targets: str) -> RunnerPlan:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    scratch = root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    workspace = Workspace(root, {"PATH": str(root.parent / "bin")}, scratch)
    return plan_runs(workspace, [RunTarget(*each.split("@")) for each in targets])


def said(found: RunnerPlan) -> list[str]:
    """Commands with programs by their names, without reports."""
    return [
        " ".join(
            part.rpartition("/")[2] if os.path.isabs(part) else part  # noqa: PTH117
            for part in command.argv
            if "report-" not in part
        )
        for command in found.commands
    ]


def test_the_projects_own_interpreter_is_used_and_one_test_is_named(root: Path) -> None:
    program(root / ".venv" / "bin" / "python")
    files = {"pyproject.toml": "", "tests/test_a.py": ""}
    found = plan(root, files, "tests/test_a.py@TestA.test_b")
    assert found.commands[0].argv[0] == str(root / ".venv" / "bin" / "python")
    assert found.commands[0].argv[-1] == "tests/test_a.py::TestA::test_b"


def test_without_pytest_only_what_unittest_can_run_is_run(root: Path) -> None:
    program(root / "venv" / "bin" / "python", "exit 1")
    files = {"setup.py": "", "a_test.py": "import unittest", "test_b.py": "def test_b(): pass"}
    found = plan(root, files, "a_test.py", "test_b.py")
    assert said(found) == ["python -m unittest a_test.py"]
    assert [each.target.path for each in found.unrunnable] == ["test_b.py"]


def test_a_relative_folder_of_the_path_brings_no_program(root: Path) -> None:
    program(root / "bin" / "go", "echo planted")
    workspace = Workspace(root, {"PATH": "bin:."}, root)
    assert workspace.program("go") is None


def test_what_a_javascript_test_imports_beats_its_package(root: Path) -> None:
    for name in ("vitest", "jest", "mocha"):
        program(root / "node_modules" / ".bin" / name)
    program(root.parent / "bin" / "node")
    files = {
        "package.json": '{"scripts": {"test": "TZ=UTC mocha -r ./setup.js test"}}',
        "a.test.ts": "import { test } from 'vitest'",
        "b.test.js": "describe('b', () => {})",
        "c.test.mjs": "import test from 'node:test'",
    }
    found = plan(root, files, "a.test.ts", "b.test.js@b works", "c.test.mjs")
    assert [command.runner for command in found.commands] == ["vitest", "mocha", "node"]
    mocha = found.commands[1]
    assert mocha.env["TZ"] == "UTC"
    assert mocha.argv[1:3] == ("-r", "./setup.js")
    assert "--grep" in mocha.argv


def test_a_runner_that_is_not_installed_is_named_and_nothing_is_fetched(root: Path) -> None:
    found = plan(root, {"package.json": '{"devDependencies": {"jest": "*"}}', "a.js": ""}, "a.js")
    assert not found.commands
    missing = "jest is not installed in node_modules: npm install (npm is not on the PATH either)"
    assert found.unrunnable[0].reason == missing
    for lock, said_of in (("yarn.lock", "yarn install"), ("pnpm-lock.yaml", "pnpm install (pnpm")):
        found = plan(root, {lock: ""}, "a.js")
        assert f"node_modules: {said_of}" in found.unrunnable[0].reason
    manifest = '{"packageManager": "bun@1.2.0", "devDependencies": {"jest": "*"}}'
    found = plan(root, {"one/package.json": manifest, "one/b.js": ""}, "one/b.js")
    assert "bun install" in found.unrunnable[0].reason
    (root / ".pnp.cjs").touch()
    assert said(plan(root, {}, "a.js"))[0].startswith("yarn run jest --ci")


@pytest.mark.parametrize(
    ("files", "target", "command"),
    [
        (
            {"go.mod": "", "pay/a_test.go": "func TestA(t *T) {}\nfunc helper() {}"},
            "pay/a_test.go",
            "go test -json -run ^(TestA)$ ./pay",
        ),
        (
            {"Cargo.toml": "", "src/lib.rs": "", "src/pay/tax.rs": ""},
            "src/pay/tax.rs@tests.rounds",
            "cargo test --offline --no-fail-fast --lib pay::tax::tests::rounds",
        ),
        (
            {"Cargo.toml": "", "tests/all.rs": ""},
            "tests/all.rs",
            "cargo test --offline --no-fail-fast --test all",
        ),
        (
            {"pom.xml": "", "m/pom.xml": "", "m/src/test/java/p/ATest.java": "package p;"},
            "m/src/test/java/p/ATest.java@ATest.works",
            "mvn -o -B -Dstyle.color=never -pl m -am -Dtest=p.ATest#works -DfailIfNoTests=false"
            " -Dsurefire.failIfNoSpecifiedTests=false test",
        ),
        (
            {"T.csproj": "", "PayTests.cs": "public class PayTests {\n"},
            "PayTests.cs",
            "dotnet test --no-restore --logger trx --results-directory --filter"
            " FullyQualifiedName~.PayTests.",
        ),
        (
            {"mix.exs": "", "test/a_test.exs": 'defmodule A do\n  test "adds" do\n'},
            "test/a_test.exs@test adds",
            "mix test --no-color --no-deps-check test/a_test.exs:2",
        ),
        (
            {"Gemfile": "", "spec/a_spec.rb": ""},
            "spec/a_spec.rb",
            "bundle exec rspec --format json --out spec/a_spec.rb",
        ),
        ({"test/a_test.rb": ""}, "test/a_test.rb", "ruby -Ilib:test test/a_test.rb"),
        (
            {"CMakeLists.txt": "", "build/CTestTestfile.cmake": "", "test/a.c": ""},
            "test/a.c",
            "ctest --test-dir build --output-on-failure --no-tests=ignore --output-junit -R a",
        ),
    ],
)
def test_each_ecosystem_has_its_command(
    root: Path, files: dict[str, str], target: str, command: str
) -> None:
    assert said(plan(root, files, target)) == [command]


def test_what_no_runner_is_known_for_says_so(root: Path) -> None:
    found = plan(root, {"a.lua": ""}, "a.lua")
    assert (found.commands, found.unrunnable[0].target.path) == ([], "a.lua")


def test_no_name_is_taken_for_an_option(root: Path) -> None:
    program(root / ".venv/bin/python")
    assert said(plan(root, {"-k_test.py": ""}, "-k_test.py"))[0].endswith(" ./-k_test.py")
    found = plan(root, {"Cargo.toml": "", "tests/a.rs": ""}, "tests/a.rs@--config=x")
    assert not found.commands and "option" in found.unrunnable[0].reason


def test_environments_of_tox_and_those_that_uv_was_told_to_use(root: Path) -> None:
    files = {"tox.ini": "", "tests/test_a.py": ""}
    program(root / ".tox" / "py311" / "bin" / "python")
    found = plan(root, files, "tests/test_a.py")
    assert found.commands[0].argv[0] == str(root / ".tox/py311/bin/python")


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"uv.lock": "", "pyproject.toml": '[project]\nname = "pay"\n'}, "uv sync"),
        ({"pyproject.toml": '[tool.poetry]\nname = "pay"\n'}, "poetry install"),
        ({"pyproject.toml": '[project]\nname = "pay"\n[tool.pdm]\n'}, "pdm install"),
    ],
)
def test_an_environment_that_a_manager_would_make_is_not_replaced_by_any_python(
    root: Path, files: dict[str, str], command: str
) -> None:
    program(root.parent / "bin" / "python3", 'case "$*" in *distribution*) exit 1;; esac')
    found = plan(root, {**files, "tests/test_a.py": ""}, "tests/test_a.py")
    assert not found.commands
    assert f"{command} makes it" in found.unrunnable[0].reason
    program(root.parent / "bin" / "python3")  # where the project is installed for it
    assert "tests/test_a.py" in said(plan(root, {}, "tests/test_a.py"))[0]
    program(root.parent / "bin" / "python3", "exit 1")
    program(root / ".venv" / "bin" / "python")
    found = plan(root, {}, "tests/test_a.py")
    assert found.commands[0].argv[0] == str(root / ".venv" / "bin" / "python")


def test_what_is_missing_is_said_with_the_command(root: Path) -> None:
    files = {"package.json": "{}", "a.test.ts": 'import { test } from "bun:test";'}
    found = plan(root, files, "a.test.ts")
    assert found.unrunnable[0].reason == "bun is not on the PATH; it is bun test ./a.test.ts"
    (root.parent / "bin" / "dotnet").unlink()
    found = plan(root, {"T.csproj": "", "T.cs": "public class T {\n"}, "T.cs")
    assert '; it is dotnet test --filter "FullyQualifiedName~.T."' in found.unrunnable[0].reason
    (root.parent / "bin" / "mvn").unlink()
    found = plan(root, {"pom.xml": "", "mvnw": "", "src/ATest.java": ""}, "src/ATest.java")
    assert found.unrunnable[0].reason.endswith(": ./mvnw test")


def test_options_of_node_go_to_node(root: Path) -> None:
    program(root / "node_modules" / ".bin" / "jest")
    script = "node --experimental-vm-modules node_modules/jest/bin/jest.js"
    files = {"package.json": f'{{"scripts": {{"test": "{script}"}}}}', "a.test.js": ""}
    found = plan(root, files, "a.test.js@adds (two) things")
    assert found.commands[0].env["NODE_OPTIONS"] == "--experimental-vm-modules"
    assert "--experimental-vm-modules" not in found.commands[0].argv
    assert r"adds \(two\) things$" in found.commands[0].argv


def test_typescript_that_is_run_by_tsx_and_a_runner_that_is_not_known(root: Path) -> None:
    program(root.parent / "bin" / "node")
    files = {
        "package.json": '{"scripts": {"test": "tsx --test test/*.ts"}}',
        "a.test.ts": 'import test from "node:test"',
    }
    assert said(plan(root, files, "a.test.ts"))[0].startswith("node --import tsx --test ")
    found = plan(root, {"package.json": '{"scripts": {"test": "ava"}}'}, "b.test.js")
    assert "run by ava" in found.unrunnable[0].reason


def test_a_test_within_a_test_and_tags_of_go(root: Path) -> None:
    files = {"go.mod": "", "a_test.go": "", "b_test.go": "//go:build integration\n\npackage b"}
    found = plan(root, files, "a_test.go@TestAdd/one_two", "b_test.go")
    assert said(found) == ["go test -json -run ^(TestAdd)$/^(one_two)$ ./"]
    assert "the tag integration" in found.unrunnable[0].reason
    for line in ("go1.7", "go1.21 && linux", "(go1 && amd64)"):
        found = plan(
            root, {"go.mod": "", "c_test.go": f"//go:build {line}\n\npackage c"}, "c_test.go"
        )
        assert not found.unrunnable, line
    files["d_test.go"] = "//go:build go1.18 && api.v2\n\npackage d"
    found = plan(root, files, "d_test.go")
    assert found.unrunnable[0].reason.endswith("the tag api.v2: GOFLAGS=-tags=api.v2")


def test_a_file_of_cases_is_tested_by_what_reads_them(root: Path) -> None:
    program(root / "node_modules" / ".bin" / "vitest")
    files = {
        "package.json": '{"devDependencies": {"vitest": "*"}}',
        "test/index.test.ts": "",
        "test/cases/a.ts": "export const data = 1",
        "lib/rule.js": "ruleTester.run()",
    }
    found = plan(root, files, "test/cases/a.ts", "lib/rule.js")
    assert said(found)[0].endswith(" test/index.test.ts lib/rule.js")


def test_one_test_of_minitest_is_run_alone(root: Path) -> None:
    # What stands behind `--` is no option to minitest: all tests of the file would run.
    (command,) = plan(root, {"test/a_test.rb": ""}, "test/a_test.rb@ATest.test_ok").commands
    assert command.argv[1:] == ("-Ilib:test", "test/a_test.rb", "-n", r"/test_ok\b/")
