"""What runners print, as it was recorded, and what is made of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from surveyor.test_runner.reports.go_json import read_go_json
from surveyor.test_runner.reports.jest_json import read_jest_json
from surveyor.test_runner.reports.junit import junit_reader
from surveyor.test_runner.reports.others import read_rspec, read_trx
from surveyor.test_runner.reports.texts import (
    read_exunit,
    read_libtest,
    read_minitest,
    read_unittest,
)
from surveyor.test_runner.stack_traces import place_of
from surveyor.test_runner.types import CommandOutput, FailedTest, ReadReport, RunnerReport

FILES = ("a.py", "tests/test_a.py", "a.js", "pay/a_test.go", "src/lib.rs", "a.rb", "a.exs", "A.cs")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (*FILES, "node_modules/jest/index.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def read(reader: ReadReport, root: Path, text: str = "", report: str | None = None) -> RunnerReport:
    file = root / "report"
    if report is not None:
        file.write_text(report.replace("ROOT", str(root)))
    return reader(CommandOutput(1, text.replace("ROOT", str(root)), root, root, file, 0.0))


def test_junit_has_the_innermost_frame_of_the_project(root: Path) -> None:
    report = read(
        junit_reader(last=True),
        root,
        report="""<testsuites><testsuite><testcase classname="tests.test_a" name="test_ok"/>
        <testcase classname="tests.test_a" name="test_bad" file="tests/test_a.py" line="3">
        <failure message="ValueError: no">tests/test_a.py:5: in test_bad
    call()
a.py:2: in call
/usr/lib/python3/site-packages/x.py:9: in deep
E   ValueError: no</failure></testcase>
        <testcase name="test_later"><skipped/></testcase></testsuite></testsuites>""",
    )
    assert (report.passed, report.skipped) == (1, 1)
    assert report.failures == [FailedTest("tests.test_a.test_bad", "a.py", 2, "ValueError: no")]


@pytest.mark.parametrize("data", ["", ' with data set "one" (1, 2)'])
def test_phpunit_says_what_failed_and_not_the_tests_name_again(root: Path, data: str) -> None:
    report = read(
        junit_reader(separator="::"),
        root,
        report=f"""<testsuites><testsuite><testcase name="testNo" class="LibTest">
        <failure type="X">LibTest::testNo{data}
Failed asserting that 3 is identical to 4.

ROOT/a.py:6</failure></testcase></testsuite></testsuites>""",
    )
    said = "Failed asserting that 3 is identical to 4."
    assert report.failures == [FailedTest("LibTest::testNo", "a.py", 6, said)]


def test_a_report_that_is_missing_or_cut_is_not_taken_for_a_success(root: Path) -> None:
    for report in (None, "<testsuite><testcase"):
        assert not read(junit_reader(), root, report=report).is_read
        assert not read(read_jest_json, root, report=report).is_read


def test_jest_names_the_projects_line_and_files_that_do_not_load(root: Path) -> None:
    report = read(
        read_jest_json,
        root,
        report="""{"testResults": [{"name": "ROOT/a.js", "status": "failed", "assertionResults": [
        {"status": "passed"}, {"status": "pending"}, {"status": "failed", "fullName": "a b",
        "failureMessages":
        ["Error: no\\n at (ROOT/node_modules/jest/index.js:1:1)\\nat ROOT/a.js:7:3"]
        }]},
        {"name": "ROOT/a.py", "status": "failed", "assertionResults": [],
        "message": "  ● Test suite failed to run\\n\\n    Cannot find module 'x'"}]}""",
    )
    assert report.failures == [
        FailedTest("a b", "a.js", 7, "Error: no"),
        FailedTest("", "a.py", 0, "Cannot find module 'x'"),
    ]


def test_jest_names_the_line_whose_syntax_is_wrong_and_not_its_own_advice(root: Path) -> None:
    said = (
        "  ● Test suite failed to run\n\n    Jest encountered an unexpected token\n\n"
        "    SyntaxError: ROOT/a.js: Unexpected token (7:2)\n\n      > 7 |\n\n"
        "      at constructor (node_modules/@babel/parser/src/parse-error.ts:96:45)\n"
    )
    file = {"name": "ROOT/a.js", "status": "failed", "message": said, "assertionResults": []}
    report = read(read_jest_json, root, report=json.dumps({"testResults": [file]}))
    assert report.failures == [FailedTest("", "a.js", 7, "SyntaxError: Unexpected token")]


def test_what_fails_without_a_trace_failed_in_the_file_that_was_run(root: Path) -> None:
    """As node 20 reports a test that took too long, one that throws a text, and a broken file."""
    text = """<testsuites><testcase name="slow" classname="test">
        <failure message="test timed out after 10ms">[Error: test timed out after 10ms]</failure>
        </testcase><testcase name="ROOT/a.js" classname="test">
        <failure message="test failed">[Error: test failed]</failure></testcase></testsuites>"""
    report = read(junit_reader(only="a.py"), root, report=text)
    assert report.failures == [
        FailedTest("slow", "a.py", 0, "test timed out after 10ms"),
        FailedTest("a.js", "a.js", 0, "test failed"),
    ]
    assert read(junit_reader(), root, report=text).failures[0].path == ""


def test_go_names_subtests_by_their_packages_folder_and_compilers_words(root: Path) -> None:
    events = [
        ("output", "TestA/x", "    a_test.go:8: got 2\\n"),
        ("fail", "TestA/x", ""),
        ("fail", "TestA", ""),
        ("pass", "TestB", ""),
    ]
    text = "\n".join(
        f'{{"Action":"{action}","Package":"example.org/m/pay","Test":"{test}","Output":"{said}"}}'
        for action, test, said in events
    )
    report = read(read_go_json, root, f"{text}\npay/a_test.go:3:5: undefined: z\n")
    assert report.passed == 1
    assert report.failures == [
        FailedTest("TestA/x", "pay/a_test.go", 8, "got 2"),
        FailedTest("", "pay/a_test.go", 3, "undefined: z"),
    ]


def test_rust_has_panics_of_both_ages_and_the_compilers_errors(root: Path) -> None:
    report = read(
        read_libtest,
        root,
        "test a::ok ... ok\ntest a::new ... FAILED\ntest a::old ... FAILED\ntest b ... ignored\n"
        "---- a::new stdout ----\nthread 'a::new' panicked at src/lib.rs:4:9:\nassertion failed\n"
        "---- a::old stdout ----\nthread 'a::old' panicked at 'no', src/lib.rs:6:1\n",
    )
    assert (report.passed, report.skipped) == (1, 1)
    assert report.failures == [
        FailedTest("a::new", "src/lib.rs", 4, "assertion failed"),
        FailedTest("a::old", "src/lib.rs", 6, "no"),
    ]
    built = read(read_libtest, root, "error[E0308]: mismatched types\n  --> src/lib.rs:3:5\n")
    assert built.failures == [FailedTest("", "src/lib.rs", 3, "mismatched types")]


def test_text_of_unittest_minitest_and_exunit(root: Path) -> None:
    line = "-" * 70
    python = read(
        read_unittest,
        root,
        f"{'=' * 70}\nFAIL: test_x (tests.test_a.TestA.test_x)\n{line}\nTraceback (most recent"
        f' call last):\n  File "ROOT/tests/test_a.py", line 8, in test_x\n    self.f()\n'
        f"AssertionError: 3 != 4\n\n{line}\nRan 3 tests in 0.1s\n\n"
        "FAILED (failures=1, skipped=1)\n",
    )
    name = "tests.test_a.TestA.test_x"
    assert python.failures == [FailedTest(name, "tests/test_a.py", 8, "AssertionError: 3 != 4")]
    assert (python.passed, python.skipped) == (1, 1)
    ruby = read(
        read_minitest,
        root,
        "  1) Failure:\nTestA#test_b [a.rb:12]:\nExpected: 1\n  Actual: 2\n\n"
        "3 runs, 3 assertions, 1 failures, 0 errors, 1 skips\n",
    )
    assert ruby.failures == [FailedTest("TestA#test_b", "a.rb", 12, "Expected: 1")]
    spec = read(
        read_minitest,
        root,
        "  1) Failure:\nbox#test_0001_does it (really) [a.rb:8]:\nExpected: 2\n  Actual: 1\n\n"
        "1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n",
    )
    assert spec.failures == [FailedTest("box#test_0001_does it (really)", "a.rb", 8, "Expected: 2")]
    parts = read(
        read_unittest,
        root,
        "".join(
            f"{'=' * 70}\nFAIL: test_x (tests.T.test_x) (i={i})\n{line}\nAssertionError: {i}\n\n"
            for i in (1, 2)
        )
        + f"{line}\nRan 2 tests in 0.1s\n\nFAILED (failures=2)\n",
    )
    assert [each.test for each in parts.failures] == [f"tests.T.test_x (i={i})" for i in (1, 2)]
    assert parts.passed == 1
    elixir = read(
        read_exunit,
        root,
        "  1) test adds (ATest)\n     a.exs:3\n     Assertion with == failed\n     stacktrace:\n"
        "       a.exs:5: (test)\n\n2 tests, 1 failure\n",
    )
    assert elixir.failures == [
        FailedTest("ATest test adds", "a.exs", 5, "Assertion with == failed")
    ]


def test_rspec_and_trx(root: Path) -> None:
    ruby = read(
        read_rspec,
        root,
        report="""{"examples": [{"status": "passed"}, {"status": "failed",
        "full_description": "A b", "file_path": "./a.rb", "line_number": 3,
        "exception": {"message": "\\nexpected: 1", "backtrace": ["./a.rb:5:in `x'"]}}]}""",
    )
    assert ruby.failures == [FailedTest("A b", "a.rb", 5, "expected: 1")]
    (root / "results").mkdir()
    (root / "results" / "a.trx").write_text(
        f"""<TestRun xmlns="urn:x"><Results><UnitTestResult testName="N.A.B" outcome="Failed">
        <Output><ErrorInfo><Message>no</Message><StackTrace>   at N.A.B() in {root}/A.cs:line 4
        </StackTrace></ErrorInfo></Output></UnitTestResult>
        <UnitTestResult outcome="Passed"/></Results></TestRun>"""
    )
    output = CommandOutput(1, "", root, root, root / "results", 0.0)
    assert read_trx(output).failures == [FailedTest("N.A.B", "A.cs", 4, "no")]


def test_a_place_outside_of_the_project_is_none(root: Path) -> None:
    report = read(
        junit_reader(),
        root,
        report='<testcase name="x"><failure>/etc/passwd.conf:1 ../secret.py:3</failure></testcase>',
    )
    assert (report.failures[0].path, report.failures[0].line) == ("", 0)


BOMB = f"""<!DOCTYPE t [<!ENTITY e "{"x" * 1000}">]>
<testsuite><testcase name="a"><failure>{"&e;" * 1000}</failure></testcase></testsuite>"""
ODD_JSON: tuple[object, ...] = (
    [], [1], {"testResults": [1], "examples": [1], "messages": 3},
    {"testResults": [{"assertionResults": [1, {"status": "failed", "location": 1}]}]},
    {"examples": [{"status": "failed", "exception": {"backtrace": [1]}, "line_number": "x"}]},
    {"testResults": [{"assertionResults": {"a": 1}, "status": "failed"}]},
)  # fmt: skip


def test_a_report_that_a_test_has_made_up_is_no_success_and_breaks_nothing(root: Path) -> None:
    xml = (BOMB, '<?xml version="1.0" encoding="none"?><t/>', "<t>" * 100_000)
    for text in xml:
        assert not read(junit_reader(), root, report=text).is_read
    line = '<t><testcase name="a" file="a.py" line="²"><failure/></testcase></t>'
    assert read(junit_reader(), root, report=line).failures[0].line == 0
    for found in ODD_JSON:
        for reader in (read_jest_json, read_rspec):
            report = read(reader, root, report=json.dumps(found))
            assert report.passed == 0
    assert not read(read_jest_json, root, report="[" * 100_000).is_read


def test_a_report_that_never_ends_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / "report")
    for reader in (read_jest_json, read_rspec, junit_reader()):
        assert not read(reader, root).is_read
    (root / "report").unlink()
    (root / "report").symlink_to("/dev/zero")
    for reader in (read_jest_json, read_rspec, junit_reader()):
        assert not read(reader, root).is_read


def test_what_a_test_prints_at_length_names_no_place(root: Path) -> None:
    longest = f"x {'a' * 900}.py:12\n{'a.' * 500_000}py:3\n{' /a' * 300_000}\na.py:7"
    assert place_of(longest, root, root) == ("a.py", 7)
