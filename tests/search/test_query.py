"""What a query is taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.search.query import MAX_QUERY, understand


@pytest.mark.parametrize(
    ("text", "name", "container"),
    [
        ("TypeAdapter", "TypeAdapter", ""),
        ("Session.send", "send", "Session"),
        ("std::vec::Vec", "Vec", "vec"),
        ("HttpResponse.BodyHandlers#ofString", "ofString", "BodyHandlers"),
        ("$this->render()", "render", "this"),
        ("parse_args()", "parse_args", ""),
        ("render", "render", ""),
    ],
)
def test_names_are_names(text: str, name: str, container: str) -> None:
    query = understand(text)
    assert query.kind == "symbol"
    assert [(s.name, s.container) for s in query.symbols] == [(name, container)]


@pytest.mark.parametrize(
    ("text", "path", "line", "name"),
    [
        ('File "/x/app.py", line 12, in wsgi_app', "/x/app.py", 12, "wsgi_app"),
        ("    at Object.foo (/a/b.js:12:3)", "/a/b.js", 12, "foo"),
        ("at com.google.gson.Gson.fromJson(Gson.java:100)", "Gson.java", 100, "fromJson"),
        ("src/main.rs:7:5", "src/main.rs", 7, ""),
        ("main.go:12", "main.go", 12, ""),
        ("lib/core/Axios.js", "lib/core/Axios.js", 0, ""),
    ],
)
def test_places_are_places(text: str, path: str, line: int, name: str) -> None:
    query = understand(text)
    assert (query.kind, query.path, query.line) == ("location", path, line)
    assert [s.name for s in query.symbols] == ([name] if name else [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("how are sessions signed?", "words"),
        ("TypeError: cannot read property 'x' of undefined", "error"),
        ('"connection reset by peer"', "literal"),
        ("def foo(x):\n    return x", "code"),
        ("wie werden Sitzungen gespeichert", "words"),
        ("", "empty"),
        ("🎉 --", "empty"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert understand(text).kind == kind


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tests for the parser", True),
        ("how is the router tested", True),
        ("HTTP test client for apps", False),
        ("how are cookies signed", False),
    ],
)
def test_tests_are_wanted_when_they_are_the_subject(text: str, wanted: bool) -> None:
    assert ("tests" in understand(text).wants) is wanted


def test_names_in_prose_count_as_names() -> None:
    query = understand("how does CORSMiddleware call `simple_response`?")
    assert [s.name for s in query.symbols] == ["CORSMiddleware", "simple_response"]
    assert all(s.weight < 1 for s in query.symbols)


@given(st.text(max_size=3 * MAX_QUERY))
def test_any_text_is_understood(text: str) -> None:
    assert len(understand(text).text) <= MAX_QUERY
