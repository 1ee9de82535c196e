"""What `surveyor match --apply` makes of the diffs that it is shown."""

from __future__ import annotations

from surveyor.cli.match import _steps
from surveyor.protocol.search import FileRewrite


def test_a_hunk_is_cut_at_lines_that_are_masked() -> None:
    diff = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n a = 1\n-old(1)\n+new(1)\n"
        ' key = "****************"\n-old(2)\n+new(2)\n\\ No newline at end of file\n'
        '@@ -9,2 +9,2 @@\n secret = "********"\n--- x\n+-- y\n'
    )
    steps = _steps(FileRewrite(path="a.py", root="/p", diff=diff))
    assert [(step.old, step.new) for step in steps] == [
        ("a = 1\nold(1)\n", "a = 1\nnew(1)\n"),
        ("old(2)\n", "new(2)"),
        ("-- x\n", "-- y\n"),
    ]


def test_a_hunk_is_cut_at_lines_that_are_no_utf_8() -> None:
    diff = (
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a = 1\n-old(1)\n+new(1)\n"
        ' x = "\ufffd"\n-old(2)\n+new(2)\n'
    )
    steps = _steps(FileRewrite(path="a.py", root="/p", diff=diff))
    assert [(step.old, step.new) for step in steps] == [
        ("a = 1\nold(1)\n", "a = 1\nnew(1)\n"),
        ("old(2)\n", "new(2)\n"),
    ]
