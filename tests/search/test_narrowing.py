"""A chunk of tiny neighbours is shown as the one that the query means."""

from dataclasses import dataclass

import pytest
from msgspec import structs

from surveyor.search.query import understand
from surveyor.search.rank import Candidate
from surveyor.search.snippets import snippet
from surveyor.search.symbol_narrowing import members_meant, narrow_to_member
from surveyor.store.chunk_row import Row

TEXT = """\
def on_event(self, kind):
    return self.router.on_event(kind)

# Below a path.
@override
def mount(self, path, app):
    self.router.mount(path, app)

def host(self, host, app):
    self.router.host(host, app)"""


@dataclass
class Symbol:
    name: str
    start_line: int
    end_line: int
    line: int
    kind: str = "method"
    container: str = "App"
    signature: str = ""


SYMBOLS = [Symbol("on_event", 11, 12, 11), Symbol("mount", 15, 17, 16), Symbol("host", 19, 20, 19)]
CHUNK = Candidate(
    id="a",
    path="app.py",
    start_line=11,
    end_line=20,
    kind="method",
    symbol_kind="method",
    symbol_name="on_event",
    parent_symbol="App",
    symbols=("on_event", "mount", "host"),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mount a sub application", "mount"),
        ("App.mount", "mount"),
        ("host()", "host"),
        ("on_event", None),
        ("register an event", None),
        ("read a file", None),
    ],
)
def test_the_neighbour_that_the_query_names_is_meant(text: str, name: str | None) -> None:
    assert members_meant([CHUNK], understand(text)).get("a") == name


def test_a_type_among_tiny_ones_is_meant_by_its_name_alone() -> None:
    types = structs.replace(CHUNK, kind="interface", symbol_kind="interface")
    assert members_meant([types], understand("mount")) == {"a": "mount"}
    assert members_meant([types], understand("mount a sub application")) == {}


def test_what_begins_in_a_chunk_and_goes_around_it_is_meant_by_its_name() -> None:
    chunk = structs.replace(CHUNK, parent_symbol="Shop.App", symbols=("Shop.App", "on_event"))
    assert members_meant([chunk], understand("App")) == {"a": "Shop.App"}
    around = [Symbol("Shop.App", 11, 99, 11, kind="module", container="")]
    smaller, _, _ = narrow_to_member(chunk, Row(), TEXT, around, "Shop.App")
    assert (smaller.symbol_name, smaller.kind, smaller.end_line) == ("Shop.App", "module", 20)


def test_a_neighbour_is_shown_with_what_stands_above_it() -> None:
    smaller, _, text = narrow_to_member(CHUNK, Row(), TEXT, SYMBOLS, "mount")
    assert (smaller.symbol_name, smaller.start_line, smaller.end_line) == ("mount", 14, 17)
    assert text == "\n".join(TEXT.split("\n")[3:7])


def test_a_name_of_another_scope_is_no_neighbour() -> None:
    other = [Symbol("mount", 15, 17, 16, container="App.on_event")]
    assert narrow_to_member(CHUNK, Row(), TEXT, other, "mount") == (CHUNK, Row(), TEXT)


def test_a_shortened_snippet_keeps_the_signature() -> None:
    lines = ["@decorated", *["# says more about it"] * 20, "def mount():", *["    x = 1"] * 20]
    cut = snippet("\n".join(lines), understand("x"), 20, telling=21)
    assert cut.truncated and "def mount():" in cut.text and "@decorated" not in cut.text
    gaps = ["def mount():", *["", "    something_long = entirely_else"] * 9, "", "    price = 1"]
    cut = snippet("\n".join(gaps), understand("price"), 12)
    assert cut.text == "def mount():\n…\n    price = 1"
