"""What a query is taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.tokens import terms
from surveyor.parsing.languages import is_file_name
from surveyor.search import said_words
from surveyor.search.query import MAX_QUERY, understand
from surveyor.search.said_words import said_of
from surveyor.search.snippets import telling_line


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
        ("Rake::Task.[]", "[]", "Task"),
        ("Cart#==", "==", "Cart"),
    ],
)
def test_names_are_names(text: str, name: str, container: str) -> None:
    query = understand(text, is_file_name)
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
    query = understand(text, is_file_name)
    assert (query.kind, query.path, query.line) == ("location", path, line)
    assert [s.name for s in query.symbols] == ([name] if name else [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("how are sessions signed?", "words"),
        ("TypeError: cannot read property 'x' of undefined", "error"),
        ('"connection reset by peer"', "literal"),
        ("tls-client-policy", "literal"),
        ("--dry-run", "literal"),
        ("@scope/package-name", "literal"),
        ("why-not?", "words"),
        ("如何重试？", "words"),
        ("no price for %s in the cart", "error"),
        ("def foo(x):\n    return x", "code"),
        ("wie werden Sitzungen gespeichert", "words"),
        ('"=>"', "literal"),
        ("->>", "literal"),
        ('"say \\"no\\" twice"', "literal"),
        ("`a[0] ?? b`", "literal"),
        ('"id"', "literal"),
        ("", "empty"),
        ("🎉 --", "empty"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert understand(text, is_file_name).kind == kind


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tests for the parser", True),
        ("how is the router tested", True),
        ("test the login of users", True),
        ("HTTP test client for apps", False),
        ("test runner for commands", False),
        ("how are test files found and run", False),
        ("how are cookies signed", False),
    ],
)
def test_tests_are_wanted_when_they_are_the_subject(text: str, wanted: bool) -> None:
    assert ("tests" in understand(text, is_file_name).wants) is wanted


def test_names_in_prose_count_as_names() -> None:
    query = understand("how does CORSMiddleware call `simple_response`?")
    assert [s.name for s in query.symbols] == ["CORSMiddleware", "simple_response"]
    assert all(s.weight < 1 for s in query.symbols)


@given(st.text(max_size=3 * MAX_QUERY))
def test_any_text_is_understood(text: str) -> None:
    assert len(understand(text, is_file_name).text) <= MAX_QUERY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Wo wird die Konfiguration geladen?", {"configuration", "load"}),
        ("où est lue la configuration", {"configuration", "read"}),
        ("¿cómo se validan los parámetros?", {"validate", "parameter"}),
        ("wo wird die Konfigurationsdatei gelesen", {"configuration", "file", "read"}),
        ("Verbindung zum Server aufbauen", {"connection", "build"}),
        ("historial de búsqueda", {"history", "search"}),
        ("onde são validados os parâmetros", {"validate", "parameter"}),
        ("come viene compresso il corpo", {"compress", "body"}),
        ("как загружается конфигурация", {"configuration", "load"}),
        ("配置文件在哪里加载", {"configuration", "file", "load"}),
        ("設定ファイルはどこで読み込まれるか", {"configuration", "file", "read"}),
        ("计算表格列宽", {"table", "column", "width"}),
        ("如何暂停触发器组", {"pause", "trigger", "group"}),
        ("Wo wird geprüft, ob ein Prozess pausiert ist?", {"check", "process", "pause"}),
        ("Wie wird der Akkustand ermittelt?", {"battery", "determine"}),
    ],
)
def test_questions_in_other_languages_are_put_into_english(text: str, said: set[str]) -> None:
    query = understand(text, is_file_name)
    assert query.text == text
    assert said <= set(query.searched.split())


@pytest.mark.parametrize(
    "text",
    ["no such file or directory", "where does die() get called", "come from", "sort in order",
     "get the list as a set", "per user limit", "naïve bayes", "der encoding", "Session.send",
     "und is a German word", "mit license header", "generate a getter", "para parser options",
     "del key from table", "café menu of the user"],
)  # fmt: skip
def test_english_stays_as_it_is(text: str) -> None:
    assert understand(text, is_file_name).searched == text


def test_a_result_jumps_to_what_it_defines_or_to_what_was_said() -> None:
    decorated = "@property\n# debug or not\ndef debug(self):\n    return 1"
    assert telling_line(decorated, "App.debug", understand("debug")) == 2
    part = "else:\n    skip()\n    sign_cookie(value)\n"
    assert telling_line(part, "run", understand("sign cookie")) == 2
    assert telling_line("", "run", understand("x")) == 0


def test_the_words_of_telling_lines_are_each_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []

    def counted(word: str) -> tuple[str, ...]:
        looked.append(word)
        return terms(word)

    monkeypatch.setattr(said_words, "terms", counted)
    lines = ["x = compute(total, tax)", "if total: return signed_cookie(total)"] * 500
    assert telling_line("\n".join(lines), "", understand("sign the cookie")) == 1
    assert len(looked) == len(set(looked)) == 4


def test_a_query_with_letters_that_a_text_lacks_reads_no_more_of_it() -> None:
    foreign = terms("設定")
    assert said_of(["total", *foreign], "def total(size): ...") == {"total"}
    assert said_of(foreign, "def total(size): ...") == set()
    assert said_of(["total", *foreign], "total = 設定") == {"total", *foreign}


def test_a_long_address_in_a_question_is_read_once() -> None:
    """Not once for each of its characters and the next: the test's time is the limit."""
    long = "a" * (MAX_QUERY - 80)
    assert understand(f"https://example.org/{long} why does this fail").kind != "literal"
