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
        ("api/thing_pb2.py", "code", {"generated"}),
        # What is only like a test, or describes code, counts less and is still found as code.
        ("cypress/login.js", "code", {"tests"}),
        ("web/page.html", "code", {"docs"}),
        ("setup.py", "code", {"config"}),
    ],
)
def test_a_path_says_what_its_file_is(path: str, file_type: str, labels: set[str]) -> None:
    assert file_type_of(path) == file_type
    assert read_labels(labels_of(path)) == labels
