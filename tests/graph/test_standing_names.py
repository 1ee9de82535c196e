"""That nothing has a name is not said of one that stands in code: something may make it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.errors import NotFoundError
from surveyor.graph.service import GraphService
from tests.graph.service_support import Servers, references, uses
from tests.graph.support import Checkout

STANDS: dict[str, tuple[dict[str, str], str, str]] = {
    "a member that a macro within a macro makes": (
        {
            "box.h": "#define FIELD(n) int n##_;\n#define FIELDS(a, b) FIELD(a) FIELD(b)\n"
            "struct Box {\n  FIELDS(width, height)\n};\n",
            "use.c": '#include "box.h"\nint f(struct Box *b) { return b->width_; }\n',
        },
        "Box.width_", "the word width_ stands at 1 place in code (use.c:2)",
    ),
    "a variant that a macro makes": (
        {
            "src/lib.rs": "macro_rules! kinds { ($($n:ident),*) => {\n"
            "  pub enum Kind { $($n),* }\n} }\n"
            "kinds!(Wide, Tall);\npub fn f() -> Kind { Kind::Wide }\n",
        },
        "Kind::Wide", "the word Wide stands at 2 places in code (src/lib.rs:4, src/lib.rs:5)",
    ),
    "what generated code defines": (
        {"a.go": "package a\n\nfunc f() { later() }\nfunc g() { later(); Later2() }\n"},
        "later", "the word later stands at 2 places in code (a.go:3, a.go:4)",
    ),
    "many places": (
        {"a.swift": "func f() {\n" + "  later()\n" * 5 + "}\n"},
        "later", "at 5 places in code (a.swift:2, a.swift:3, a.swift:4 and 2 more)",
    ),
    "beside another definition of the word": (
        {
            "a.cs": "class Lid { public int Width() => 1; }\n"
            "class Use { int F(Lid l) => l.Width(); }\n",
            "b.cs": "class Box {}\nclass Other { int F() => Made.Width; }\n",
        },
        "Box.Width", "the word Width stands at 1 place in code (b.cs:2)",
    ),
    "made by a macro, and nowhere": (
        {
            "tests.h": "#define OPENS(kind) void test_##kind##_opens(void) {}\n",
            "box_test.c": '#include "tests.h"\nOPENS(box)\n',
        },
        "test_box_opens", "a macro in tests.h may make its name (##)",
    ),
    "in a file": (
        {"a.hs": "module A where\nf = later 1\n"},
        "a.hs:later", "no definition of a.hs:later is known; the word later stands at 1 place",
    ),
}  # fmt: skip
NOWHERE: dict[str, tuple[dict[str, str], str]] = {
    "in comments and strings": (
        {"a.c": '// later\nint f(void) { puts("later"); return 0; }\n'}, "later",
    ),
    "as a part of longer words": ({"a.zig": "const later_on = 1;\nconst f = later_on;\n"}, "later"),
    "as another type's, which is used": (
        {"a.go": "package a\ntype Box struct{}\ntype Lid struct{}\nfunc (l Lid) Open() {}\n"
         "func f(l Lid) { l.Open() }\n"},
        "Box.Open",
    ),
    "as what no macro is handed": (
        {"tests.h": "#define OPENS(kind) void test_##kind##_opens(void) {}\n"}, "test_lid_opens",
    ),
    "as a file": ({"later.py": "py = 1\n"}, "sooner.py"),
}  # fmt: skip


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


def service(checkout: Checkout) -> GraphService:
    return checkout.service(Servers(runs=False))


@pytest.mark.parametrize("case", STANDS)
async def test_the_places_of_a_name_without_a_definition_are_told(
    case: str, checkout: Checkout
) -> None:
    files, name, sentence = STANDS[case]
    await checkout.write(files)

    with pytest.raises(NotFoundError) as told:
        await service(checkout).ask(references(name), uses, uses=True)
    assert "nothing is called" not in told.value.message
    assert sentence in told.value.message and "a macro" in told.value.message
    assert told.value.details["complete"] is False


@pytest.mark.parametrize("case", NOWHERE)
async def test_a_name_that_stands_nowhere_is_nothings(case: str, checkout: Checkout) -> None:
    files, name = NOWHERE[case]
    await checkout.write(files)

    with pytest.raises(NotFoundError, match="nothing is called") as told:
        await service(checkout).ask(references(name), uses, uses=True)
    assert not told.value.details


async def test_what_is_meant_instead_is_doubtful_where_the_name_stands(checkout: Checkout) -> None:
    await checkout.write(
        {"a.go": "package a\n\nfunc Later() {}\n", "b.go": "package a\n\nfunc f() { later() }\n"}
    )
    other = await service(checkout).ask(references("later"), uses, uses=True)
    assert not other.complete
    assert other.notice and other.notice.startswith("no definition of later is known; the word")
    assert other.notice.endswith("; this is a.go::Later")
    plain = await service(checkout).ask(references("LATER"), uses, uses=True)
    assert plain.complete and plain.notice == "nothing is called LATER; this is a.go::Later"
