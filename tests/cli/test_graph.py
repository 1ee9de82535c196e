"""The graph's commands, as a user types them, on a small project of several languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.gitrepo import git, write
from tests.product import Product, product, until

FILES = {
    "shop/__init__.py": "from .cart import Cart\nfrom .pay import charge as pay\n",
    "shop/cart.py": """\
from .base import Base


class Cart(Base):
    def total(self):
        return sum(self.prices())

    def prices(self):
        return [1, 2]
""",
    "shop/base.py": "class Base:\n    def total(self):\n        raise NotImplementedError\n",
    "shop/pay.py": """\
import importlib


def charge(cart):
    return fee(cart.total())


def fee(amount):
    return charge_again(amount)


def charge_again(amount):
    return fee(amount) if amount else 0


def load(name):
    return importlib.import_module(name)
""",
    "tests/test_pay.py": """\
from shop import Cart, pay


def test_pay():
    assert pay(Cart()) == 0
""",
    "web/index.ts": 'export { render } from "./render";\n',
    "web/render.ts": "export function render(text: string) { return text; }\n",
    "web/app.ts": 'import { render } from ".";\nexport function main() { render("x"); }\n',
    "README.md": "# Shop\n",
}
WAIT = ("--wait", "50")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Path]]:
    home = tmp_path_factory.mktemp("home")
    root = tmp_path_factory.mktemp("work") / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, FILES)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    with product(home) as made:
        made.index(root)
        yield made, root


def ask(shop: tuple[Product, Path], *arguments: str) -> Any:
    made, root = shop
    return made.json(*arguments, "--project", str(root), *WAIT)


def places(answer: Any) -> set[tuple[str, int]]:
    return {(item["path"], item["line"]) for item in answer["results"]}


@contextmanager
def edited(shop: tuple[Product, Path], path: str, text: str) -> Iterator[None]:
    """A file with another text, until the index has followed; the same on the way back."""
    made, root = shop
    before = (root / path).read_text()

    def put(wanted: str) -> None:
        (root / path).write_text(wanted)
        lines = [line.strip() for line in wanted.splitlines() if "def " in line or "class " in line]

        def followed() -> bool:
            answer = made.json("outline", path, "--project", str(root), *WAIT)
            places = [(item["line"], item["text"]) for item in answer["results"]]
            return [text for _, text in sorted(places)] == lines and all(
                wanted.splitlines()[line - 1].strip() == text for line, text in places
            )

        until(followed)

    put(text)
    try:
        yield
    finally:
        put(before)


QUESTIONS = [
    ("def", "Cart.total"), ("refs", "fee"), ("callers", "fee"), ("callees", "charge"),
    ("implementations", "Base"), ("supertypes", "Cart"), ("subtypes", "Base"),
    ("outline", "shop/pay.py"), ("deps", "shop/cart.py"), ("impact", "fee"),
    ("impact", "shop/base.py"),
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_every_answer_says_how_sure_and_fresh_it_is(
    shop: tuple[Product, Path], question: tuple[str, ...]
) -> None:
    answer = ask(shop, *question)
    assert answer["results"] and answer["status"] == "healthy"
    assert {"precision", "complete", "status", "files_behind", "revision"} <= answer.keys()
    # What a module is imported by, in the end, a computed import elsewhere may decide.
    doubts = ["by call"] if question == ("impact", "shop/base.py") else []
    assert answer["complete"] is not bool(doubts), answer["notice"]
    assert all(doubt in (answer["notice"] or "") for doubt in doubts)
    assert answer["files_behind"] == 0 and answer["revision"] > 0
    for item in answer["results"]:
        assert {"path", "line", "kind", "precision"} <= item.keys()
        assert (
            ("source" in item and "target" in item)
            if question[0] == "impact"
            else ("symbol" in item)
        )


@pytest.mark.parametrize(
    "name",
    ["charge", "shop.pay.charge", "pay.charge", "shop/pay.py:charge", "shop/pay.py:4",
     "shop/pay.py:4:5", "pay.py:charge", "shop.pay.charge()", "tests/test_pay.py:5:12"],
)  # fmt: skip
def test_a_definition_by_all_kinds_of_names(shop: tuple[Product, Path], name: str) -> None:
    assert places(ask(shop, "def", name)) == {("shop/pay.py", 4)}


def test_an_ambiguous_name_has_candidates_and_a_wrong_one_suggestions(
    shop: tuple[Product, Path],
) -> None:
    made, root = shop
    answer = ask(shop, "def", "total")
    both = places(answer) | {(c["path"], c["line"]) for c in answer["candidates"]}
    assert both == {("shop/cart.py", 5), ("shop/base.py", 2)}
    missing = made.run("def", "chrage", "--project", str(root), *WAIT, check=False)
    assert missing.returncode == 3 and "shop/pay.py::charge" in missing.stderr


def test_callers_are_found_through_init_and_barrel(shop: tuple[Product, Path]) -> None:
    assert ("tests/test_pay.py", 5) in places(ask(shop, "callers", "charge"))
    assert ("web/app.ts", 2) in places(ask(shop, "callers", "web/render.ts:render"))


def test_callers_to_a_depth_end_in_cycles(shop: tuple[Product, Path]) -> None:
    answer = ask(shop, "callers", "charge_again", "--depth", "9")
    assert {(item["symbol"], item["depth"]) for item in answer["results"]} >= {
        ("fee", 1), ("charge", 2), ("test_pay", 3),
    }  # fmt: skip
    far = next(item for item in answer["results"] if item["symbol"] == "test_pay")
    assert far["via"] == ["fee", "charge"] and far["is_test"]


def test_kinds_of_references(shop: tuple[Product, Path]) -> None:
    kinds = {item["kind"] for item in ask(shop, "refs", "Cart")["results"]}
    assert kinds == {"import", "instantiation"}
    made_at = places(ask(shop, "refs", "Cart", "--kind", "instantiation"))
    assert made_at == {("tests/test_pay.py", 5)}
    made, root = shop
    wrong = made.run("refs", "Cart", "--kind", "shout", "--project", str(root), check=False)
    assert wrong.returncode == 2 and "inheritance" in wrong.stderr


def test_dependencies_both_ways(shop: tuple[Product, Path]) -> None:
    assert {i["path"] for i in ask(shop, "deps", "shop/cart.py")["results"]} == {"shop/base.py"}
    back = ask(shop, "deps", "shop/base.py", "--reverse", "--depth", "3")
    assert {(i["path"], i["depth"]) for i in back["results"]} == {
        ("shop/cart.py", 1), ("shop/__init__.py", 2), ("tests/test_pay.py", 3),
    }  # fmt: skip


def test_impact_has_directions_tests_ways_and_unresolved_imports(
    shop: tuple[Product, Path],
) -> None:
    answer = ask(shop, "impact", "charge_again")
    inbound = {item["name"]: item for item in answer["inbound"]}
    assert inbound["fee"]["source"] == "shop/pay.py::fee"
    assert inbound["fee"]["target"] == "shop/pay.py::charge_again"
    assert inbound["test_pay"]["is_test"]
    assert [step.rpartition("::")[2] for step in inbound["test_pay"]["via"]] == ["fee", "charge"]
    assert answer["tests"] == ["tests/test_pay.py"]
    assert {(i["source"], i["target"]) for i in answer["outbound"]} == {
        ("shop/pay.py::charge_again", "shop/pay.py::fee")
    }
    made, root = shop
    near = made.run("impact", "charge_again", "--depth", "1", "--project", str(root))
    assert "What is more than 1 away is not followed" in near.stdout + near.stderr
    missing = [(i["path"], i["line"]) for i in answer["unresolved"]]
    assert missing == [("shop/pay.py", 17)] and answer["unresolved"][0]["reason"]
    assert answer["unresolved_elsewhere"] == 0


@pytest.mark.parametrize(
    ("kind", "start"), [("dot", "digraph"), ("mermaid", "flowchart")], ids=["dot", "mermaid"]
)
@pytest.mark.parametrize("question", [("callers", "fee"), ("impact", "--diff", "HEAD")])
def test_pictures(
    shop: tuple[Product, Path], question: tuple[str, ...], kind: str, start: str
) -> None:
    made, root = shop
    text = (root / "shop/pay.py").read_text()
    with edited(shop, "shop/pay.py", "# changed\n" + text.replace("return fee(", "return fee(0 +")):
        drawn = made.run(*question, "--picture", kind, "--project", str(root), *WAIT, check=False)
    assert drawn.stdout.count("\n") > 3  # lines, not their escapes
    assert drawn.stdout.startswith(start) and "charge" in drawn.stdout


def test_a_diff_names_what_uses_what_is_gone(shop: tuple[Product, Path]) -> None:
    made, root = shop
    with edited(shop, "shop/cart.py", "from .base import Base\n"):
        answer = made.json("impact", "--diff", "--project", str(root), *WAIT)
        staged = made.json("impact", "--diff", "--staged", "--project", str(root), *WAIT)
    gone = {item["symbol"] for item in answer["subjects"] if item["kind"] == "removed"}
    assert {"Cart", "Cart.total", "Cart.prices"} == gone
    broken = {(i["path"], i["line"], i["target"]) for i in answer["inbound"]}
    assert ("tests/test_pay.py", 5, "shop/cart.py::Cart") in broken
    assert ("shop/__init__.py", 1, "shop/cart.py::Cart") in broken
    assert staged["subjects"] == [] and staged["notice"] == "The diff is empty."


def test_a_map_fits_its_tokens_and_follows_a_file(
    shop: tuple[Product, Path], tmp_path: Path
) -> None:
    whole = ask(shop, "map", "--tokens", "400")
    assert {"shop/pay.py", "shop/cart.py"} <= {file["path"] for file in whole["results"]}
    assert whole["tokens"] <= 400 and whole["files_total"] >= 8
    small = ask(shop, "map", "--tokens", "50")
    assert small["tokens"] <= 50 and small["omitted"] > whole["omitted"]
    page = tmp_path / "map.html"
    made, root = shop
    said = made.run("map", "--html", str(page), "--project", str(root), *WAIT).stdout
    drawn = ask(shop, "map")
    assert f"{len(drawn['results'])} files" in said and 'id="graph"' in page.read_text()
    near = ask(shop, "map", "--tokens", "60", "--file", "web/render.ts")
    assert near["results"][0]["path"].startswith("web/")


def test_a_map_of_a_folder(shop: tuple[Product, Path]) -> None:
    made, root = shop
    for arguments in ((str(root / "web"),), ("web", "--project", str(root))):
        below = made.json("map", *arguments, *WAIT)
        assert {file["path"] for file in below["results"]} == {"web/app.ts", "web/render.ts"}
        assert below["files_total"] == 3
    assert made.json("map", str(root), *WAIT)["results"] == ask(shop, "map")["results"]
    for path, code in (("web/app.ts", 2), ("nowhere", 3)):
        refused = made.run("map", path, "--project", str(root), *WAIT, check=False)
        assert refused.returncode == code, refused.stderr


def test_text_for_people(shop: tuple[Product, Path]) -> None:
    made, root = shop
    outline = made.run("outline", "shop/cart.py", "--project", str(root), *WAIT)
    assert "Cart" in outline.stdout and "prices" in outline.stdout
    refs = made.run("refs", "fee", "--project", str(root), *WAIT)
    assert refs.stdout.splitlines()[0] == "shop/pay.py" and "[syntax]" in refs.stderr
    nothing = made.run("callers", "load", "--project", str(root), *WAIT, check=False)
    assert nothing.returncode == 1 and "Nothing found" in nothing.stderr
    empty = made.run("impact", "--project", str(root), check=False)
    assert empty.returncode == 2


def test_json_is_one_document_on_stdout(shop: tuple[Product, Path]) -> None:
    made, root = shop
    done = made.run("callees", "charge", "--json", "--project", str(root), *WAIT)
    assert {item["symbol"] for item in json.loads(done.stdout)["results"]} >= {"fee"}


def test_an_import_map_and_traces_count_as_soon_as_they_are_there(
    shop: tuple[Product, Path],
) -> None:
    made, root = shop

    def used() -> set[str]:
        answer = made.json("deps", "shop/pay.py", "--project", str(root), *WAIT)
        return {item["path"] for item in answer["results"]}

    assert used() == set()
    call = "importlib.import_module(name)"
    (root / "surveyor.import_map.json").write_text(json.dumps({"expand": {call: ["web/*.ts"]}}))
    until(lambda: used() == {"web/app.ts", "web/index.ts", "web/render.ts"})
    (root / "surveyor.import_map.json").write_text("{")
    said = made.json("deps", "shop/pay.py", "--project", str(root), *WAIT)["notice"]
    assert said.startswith("surveyor.import_map.json: not used: ")
    traced = {"source": "shop/pay.py", "target": "shop/base.py"}
    (root / "import_traces.jsonl").write_text(json.dumps(traced) + "\n")
    until(lambda: "shop/base.py" in used())
    (root / "surveyor.import_map.json").unlink()
    until(lambda: used() == {"shop/base.py"})
    (root / "import_traces.jsonl").unlink()
    until(lambda: used() == set())


@pytest.mark.parametrize("question", ["refs", "callers", "impact"])
def test_what_only_the_limit_cut_is_counted_and_nothing_else_is_doubted(
    shop: tuple[Product, Path], question: str
) -> None:
    made, root = shop
    asked = (question, "fee", "--project", str(root), *WAIT)
    whole, cut = made.json(*asked), made.json(*asked, "--limit", "1")
    assert whole["complete"] and not whole["limited"]
    assert not cut["complete"] and cut["limited"] and cut["omitted"]
    said = made.run(*asked, "--limit", "1").stderr
    shown = len(cut.get("inbound", cut["results"])) + len(cut.get("outbound", []))
    assert f"[{cut['precision']}, {shown} of {shown + cut['omitted']}]" in said
    assert "not complete" not in said
    assert f"[{whole['precision']}]" in made.run(*asked).stderr


def test_an_answer_that_may_lack_something_says_so_whatever_the_limit(
    shop: tuple[Product, Path],
) -> None:
    made, root = shop
    asked = ("impact", "shop/base.py", "--project", str(root), *WAIT)
    assert not made.json(*asked, "--limit", "1")["limited"]
    assert ", not complete]" in made.run(*asked, "--limit", "1").stderr


def test_a_file_that_is_left_out_is_named_where_it_has_what_was_asked_for(
    surveyor: Product, tmp_path: Path
) -> None:
    root = tmp_path / "site"
    bundle = "".join(f"function open{i}(a){{return a+{i}}}" for i in range(4000))
    files = {"bundle.js": bundle, "page.js": "import { open7 } from './bundle.js'\nopen7(1)\n"}
    root.mkdir()
    write(root, files)
    surveyor.index(root)
    surveyor.settle(root)

    def refused(*arguments: str) -> str:
        done = surveyor.run(*arguments, "--project", str(root), *WAIT, check=False)
        assert done.returncode == 3
        return str(done.stderr)

    told = refused("refs", "open7")
    assert "no definition of open7 is known" in told and "2 places in code (page.js:1," in told
    assert "; but bundle.js (minified), which has the name, is left out" in told
    assert "left out" not in refused("refs", "opens_nowhere")
    assert "it is left out (minified)" in refused("outline", "bundle.js")
    answer = surveyor.json("deps", "page.js", "--project", str(root), *WAIT)
    assert (answer["results"], answer["complete"]) == ([], False)
    assert "./bundle.js, line 1: its file is left out" in answer["notice"]


def test_that_nothing_has_a_name_is_not_said_of_one_that_a_macro_may_make(
    surveyor: Product, tmp_path: Path
) -> None:
    root = tmp_path / "gate"
    root.mkdir()
    git(root, "init", "-q")
    write(
        root,
        {
            "gate.h": "#define PART(n) int n##_width;\n#define PARTS(a, b) PART(a) PART(b)\n"
            "struct Gate {\n  PARTS(left, right)\n};\n",
            "gate.c": '#include "gate.h"\n\n/* top_width */\n'
            "int f(struct Gate *g) {\n  return g->left_width;\n}\n",
        },
    )
    surveyor.index(root)
    surveyor.settle(root)

    def refused(*arguments: str) -> str:
        wait = () if "history" in arguments else WAIT
        done = surveyor.run(*arguments, "--project", str(root), *wait, check=False)
        assert done.returncode == 3
        return str(done.stderr)

    for name in ("left_width", "Gate.left_width"):
        for command in (
            ["def"], ["refs"], ["callers"], ["callees"], ["implementations"], ["supertypes"],
            ["subtypes"], ["impact"], ["history", "symbol"],
        ):  # fmt: skip
            told = refused(*command, name)
            assert f"no definition of {name} is known; the word left_width stands" in told, command
            assert "1 place in code (gate.c:5), and a macro" in told, command
        assert "nothing is called top_width" in refused("refs", "top_width")
