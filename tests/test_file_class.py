"""The stored type of a file and the labels that ranking reads agree where they share a word."""

import pytest

from surveyor.files.file_class import file_type_of, labels_of, read_labels


@pytest.mark.parametrize(
    ("path", "file_type", "labels"),
    [
        ("src/app.py", "code", set()),
        ("tests/test_app.py", "test", {"tests"}),
        ("docs/guide.md", "doc", {"docs"}),
        ("package.json", "config", {"config"}),
        ("vendor/lib.go", "code", {"vendored"}),
        ("src/App/wwwroot/lib/bootstrap/js/bootstrap.js", "code", {"vendored"}),
        ("src/App/wwwroot/js/site.js", "code", set()),
        ("api/thing_pb2.py", "code", {"generated"}),
        # What is only like a test, or describes code, counts less and is still found as code.
        ("cypress/login.js", "code", {"tests"}),
        ("web/page.html", "code", {"docs"}),
        ("setup.py", "code", {"config"}),
        ("History.rdoc", "doc", {"docs"}),
        ("COPYING", "doc", {"docs"}),
        ("LICENSE-MIT", "doc", {"docs"}),
        ("src/license.go", "code", set()),
        ("mvnw", "code", {"vendored"}),
        ("contrib/completions/_tool.ps1", "code", {"config"}),
        ("src/completions/bash.rs", "code", set()),
    ],
)
def test_a_path_says_what_its_file_is(path: str, file_type: str, labels: set[str]) -> None:
    assert file_type_of(path) == file_type
    assert read_labels(labels_of(path)) == labels


@pytest.mark.parametrize(
    ("path", "text", "file_type", "labels"),
    [
        # Called like tests, and not.
        ("lib/tool/test_functions.bash", "run() {\n  eval\n}\n", "code", set()),
        ("test_tool.sh", "test_one() {\n  assert 1\n}\n", "test", {"tests"}),
        ("src/node/types/tests.ts", "export interface Tests {}\n", "code", set()),
        ("src/test.ts", "import x\ntest('one', () => {})\n", "test", {"tests"}),
        ("core/test.rs", "pub fn run() {}\n" * 9 + "#[cfg(test)]\nmod tests {}\n", "code", set()),
        ("core/test.rs", "use x;\n#[test]\nfn works() {}\n", "test", {"tests"}),
        ("lib/web/adapter/test.rb", "class Test\nend\n", "code", set()),
        ("unit/SuiteTest.cs", "[Fact]\npublic void A() {}\n", "test", {"tests"}),
        ("unit/LoadTest.cs", "public class LoadTest {}\n", "code", set()),
        # What is shipped is no test, whatever it is called and says.
        ("lib/src/main/scala/x/FunSuite.scala", "class A extends Suite\n", "code", set()),
        ("Sources/XTesting/TestHelper.swift", "class A: XCTestCase {}\n", "code", set()),
        ("lib/web/test/conn_test.ex", "defmodule A do\nend\n", "code", set()),
        ("pkg/test/client.py", "class Client:\n    pass\n", "code", set()),
        # The conventions of languages need no text.
        ("pkg/test/test_client.py", "", "test", {"tests"}),
        ("test/client.py", "class Client:\n    pass\n", "test", {"tests"}),
        ("pkg/thing_test.go", "package pkg\n", "test", {"tests"}),
        ("src/app/tests.rs", "use super::*;\n", "test", {"tests"}),
        ("src/test/java/x/Helper.java", "class Helper {}\n", "test", {"tests"}),
    ],
)
def test_a_word_in_a_name_makes_no_test(
    path: str, text: str, file_type: str, labels: set[str]
) -> None:
    assert file_type_of(path, text.encode()) == file_type
    assert read_labels(labels_of(path, file_type)) == labels
