"""Of which functions it is said that they exist already."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.clones.jobs import Fingerprint
from surveyor.clones.likeness import Likeness
from surveyor.engine.clone_finder import Clone
from surveyor.engine.duplicate_review import (
    MOSTLY,
    are_of_family,
    is_declaration,
    is_duplicate,
    is_new,
    is_of_test,
)
from surveyor.parsing.types import Symbol
from surveyor.store.chunk_row import Row


def clone(path: str, name: str, container: str = "", **fields: Any) -> Clone:
    row = Row(
        path=path,
        file_type=fields.pop("file_type", "code"),
        language=fields.pop("language", "python"),
        labels=fields.pop("labels", ""),
    )
    definition: Any = SimpleNamespace(
        name=name, kind="function", container=container, start_line=1, end_line=9, line=1
    )
    likeness = Likeness(0.99, ("same calls",), {})
    return Clone(row, None, definition, "def f() {…}", Fingerprint(**fields), likeness)


def added(path: str, qualname: str) -> Any:
    return SimpleNamespace(path=path, qualname=qualname, name=qualname.rpartition(".")[2])


@pytest.mark.parametrize(
    ("new", "existing", "is_said"),
    [
        (added("a/b.py", "as_path"), clone("c/d.py", "slug"), True),
        (added("a/b.py", "slug"), clone("c/d.py", "slug"), True),
        # One for each platform, an override, an overload.
        (added("a/unix.py", "slug"), clone("a/windows.py", "slug"), False),
        (added("a/b.py", "Page.slug"), clone("c/d.py", "slug", "Post"), False),
        (added("js/box/text.py", "slug"), clone("jvm/box/text.py", "slug"), False),
        (added("src/unixMain/text.py", "slug"), clone("src/jvmMain/text.py", "slug"), False),
        (added("cart/text.py", "slug"), clone("mail/text.py", "slug"), True),
        # Rust needs one function that lends to read and one that lends to write.
        (added("a.rs", "Head.names_mut"), clone("b.rs", "names", "Head", language="rust"), False),
        (added("a.rs", "Head.names"), clone("b.rs", "names_mut", language="rust"), False),
        (added("a.rs", "pop_mut"), clone("b.rs", "take_mut", language="rust"), True),
        # What repeats code on purpose.
        (added("a/b.py", "as_path"), clone("c/d.py", "slug", file_type="test"), False),
        (added("a/b.py", "as_path"), clone("c/d.py", "slug", labels="generated"), False),
    ],
)
def test_only_what_can_stand_for_the_new_one_is_named(
    new: Any, existing: Clone, is_said: bool
) -> None:
    assert is_duplicate(new, existing) is is_said


@pytest.mark.parametrize(
    ("text", "language", "declares"),
    [
        ("extern int put(struct object *one, int flags);", "c", True),
        ("int put(struct object *one) { return drop(one); }", "c", False),
        ("fun put(one: Object) = drop(one)", "kotlin", False),
        ("Send(to string) error", "go", True),
        ("def put(one):\n    drop(one)", "python", False),
    ],
)
def test_a_declaration_does_nothing(text: str, language: str, declares: bool) -> None:
    assert is_declaration(text, language) is declares


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("read_int", "read_long", True),
        ("encodeInt8", "encodeBool", True),
        ("kick_job", "drop_job", True),
        ("as_path", "slug", False),
        ("_", "slug", False),
    ],
)
def test_functions_that_are_named_alike_are_a_family(one: str, other: str, are_alike: bool) -> None:
    assert are_of_family(one, other) is are_alike


@pytest.mark.parametrize(
    ("name", "is_test", "expected"),
    [
        ("cttest_put", False, True),
        ("test_put", False, True),
        ("TestPut", False, True),
        ("put", True, True),
        ("latest_put", False, False),
        ("contestant", False, False),
        ("put", False, False),
    ],
)
def test_functions_of_tests_are_known_by_their_names(
    name: str, is_test: bool, expected: bool
) -> None:
    node: Any = SimpleNamespace(name=name, is_test=is_test)
    assert is_of_test(node) is expected


@pytest.mark.parametrize(
    ("written", "is_all", "is_mostly"),
    [
        ([(3, 12)], True, True),
        ([(3, 5), (8, 12)], False, True),
        ([(3, 6)], False, False),
        ([(4, 12)], False, False),
        ([], False, False),
    ],
    ids=["all", "most", "its head", "its body", "nothing"],
)
def test_what_the_change_has_mostly_written_was_not_there_before(
    written: list[tuple[int, int]], is_all: bool, is_mostly: bool
) -> None:
    one = Symbol("create", "method", "Allocator", 3, 12, 3, 4, 10)
    assert is_new(one, written) is is_all
    assert is_new(one, written, MOSTLY) is is_mostly
