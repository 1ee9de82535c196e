"""Each part of the ranking does what it says, can be switched off, and adds up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.config.rank_settings import RankSettings
from surveyor.files.file_class import labels_of
from surveyor.search.query import understand
from surveyor.search.rank import RRF_K, Candidate, RankContext, RankedCandidate, rank

PLAIN = RankSettings.plain()
NOTHING = RankContext()


def a_chunk(path: str, line: int = 1, **facts: Any) -> Candidate:
    defaults: dict[str, Any] = {
        "id": f"{path}:{line}",
        "path": path,
        "labels": labels_of(path),
        "start_line": line,
        "end_line": line + 20,
        "sparse_rank": 1,
        "sparse": 5.0,
    }
    return Candidate(**(defaults | facts))


def order(
    text: str,
    *candidates: Candidate,
    settings: RankSettings | None = None,
    context: RankContext = NOTHING,
) -> list[str]:
    ranked = rank(understand(text), candidates, settings or RankSettings(), context)
    return [each.candidate.id for each in ranked]


def only(part: str) -> RankSettings:
    return replace(PLAIN, **{part: True})


def test_with_all_parts_off_the_score_is_reciprocal_rank_fusion() -> None:
    ranked = rank(
        understand("tests for Session"),
        [a_chunk("tests/a.py", dense_rank=3, sparse_rank=1), a_chunk("b.py", sparse_rank=2)],
        PLAIN,
        NOTHING,
    )
    assert [each.score for each in ranked] == [1 / (RRF_K + 3) + 1 / (RRF_K + 1), 1 / (RRF_K + 2)]


def test_prose_weighs_meaning_more_than_a_name_does() -> None:
    dense, sparse = a_chunk("d.py", dense_rank=1, sparse_rank=0), a_chunk("s.py", sparse_rank=2)
    shares = {}
    for text in ("how are cookies signed", "sign_cookie"):
        ranked = rank(understand(text), [dense, sparse], only("fusion"), NOTHING)
        scores = {each.candidate.path: each.score for each in ranked}
        shares[text] = scores["d.py"] / scores["s.py"]
    assert shares["how are cookies signed"] > shares["sign_cookie"]


def test_in_words_what_stands_out_on_a_side_comes_before_what_is_hardly_first_there() -> None:
    outstanding = a_chunk("a.py", dense_rank=1, dense=0.8, sparse_rank=2, sparse=4.9)
    hardly = a_chunk("b.py", dense_rank=2, dense=0.4, sparse_rank=1, sparse=5.0)
    least = a_chunk("c.py", dense_rank=3, dense=0.35, sparse_rank=3, sparse=4.8)
    settings = replace(PLAIN, fusion=True, nearness=True)
    both = [hardly, outstanding, least]
    for text in ("how are cookies signed", "cookies signed late"):
        assert order(text, *both, settings=settings)[0] == "a.py:1"
    # A name is asked for by its words: there ranks alone count.
    assert order("sign_cookie", *both, settings=settings)[0] == "b.py:1"


@pytest.mark.parametrize("known", [None, 0.4])
def test_a_side_without_similarities_or_with_equal_ones_is_ranked_by_place(
    known: float | None,
) -> None:
    found = [
        a_chunk(f"{name}.py", dense_rank=n, dense=known, sparse_rank=0, sparse=None)
        for n, name in enumerate("abc", 1)
    ]
    ordered = order("how are cookies signed", *found, settings=replace(PLAIN, nearness=True))
    assert ordered == ["a.py:1", "b.py:1", "c.py:1"]


def test_a_file_of_which_much_was_found_is_lifted() -> None:
    few = a_chunk("a.py", sparse_rank=1)
    many = [a_chunk("b.py", line, sparse_rank=2 + line // 50) for line in (1, 50, 100, 150)]
    assert order("q", few, *many, settings=PLAIN)[0] == "a.py:1"
    assert order("q", few, *many, settings=only("coherence"))[0] == "b.py:1"


def test_the_definition_of_a_name_comes_first() -> None:
    use = a_chunk("use.py", sparse_rank=1, dense_rank=1)
    definition = a_chunk("models.py", sparse_rank=30, symbol_name="Session")
    assert order("Session", use, definition)[0] == "models.py:1"
    assert order("Session", use, definition, settings=replace(RankSettings(), definition=False))[
        0
    ].startswith("use.py")


def test_the_comment_above_a_function_is_not_the_function() -> None:
    comment = a_chunk("a.ts", 1, dense_rank=1, sparse_rank=1, symbol_name="tick", is_fragment=True)
    short = a_chunk("a.ts", 80, end_line=83, sparse_rank=9, symbol_name="tick", symbols=("tick",))
    assert order("tick", comment, short)[0] == "a.ts:80"


def test_a_function_comes_before_its_prototype() -> None:
    prototype = a_chunk("src/jv.h", symbol_name="array_get", symbol_kind="function", end_line=5)
    function = a_chunk(
        "src/jv.c", sparse_rank=9, symbol_name="array_sized", symbols=("array_sized", "array_get")
    )
    assert order("array_get", prototype, function)[0] == "src/jv.c:1"
    struct = a_chunk("src/jv.h", symbol_name="array_get", symbol_kind="struct")
    assert order("array_get", struct, function)[0] == "src/jv.h:1"
    assert order("array_get", prototype)[0] == "src/jv.h:1"


def test_a_chunk_that_defines_a_name_among_others_defines_it_in_its_own_case() -> None:
    own = a_chunk("a.c", sparse_rank=20, symbol_name="first", symbols=("first", "second"))
    other_case = a_chunk("b.c", sparse_rank=1, symbol_name="Second", symbols=("Second",))
    assert order("second", other_case, own)[0] == "a.c:1"


def test_an_example_does_not_decide_which_case_is_the_names_own() -> None:
    example = a_chunk("examples/shop.js", symbol_name="load", symbols=("load", "view"))
    code = a_chunk("lib/view.js", sparse_rank=2, symbol_name="View")
    assert order("view", example, code)[0] == "lib/view.js:1"


def test_the_querys_own_case_wins() -> None:
    lower = a_chunk("a.py", sparse_rank=1, symbol_name="from_request")
    exact = a_chunk("b.py", sparse_rank=20, symbol_name="FromRequest")
    assert order("FromRequest", lower, exact)[0] == "b.py:1"


def test_a_container_tells_methods_of_one_name_apart() -> None:
    wrong = a_chunk("a.py", sparse_rank=1, symbol_name="send", parent_symbol="Adapter")
    right = a_chunk("b.py", sparse_rank=9, symbol_name="send", parent_symbol="Session")
    for text in ("Session.send", "Session::send", "Session#send"):
        assert order(text, wrong, right)[0] == "b.py:1"


def test_a_file_named_after_the_query_is_lifted_by_how_much_its_name_says() -> None:
    plain = a_chunk("core/util.py", sparse_rank=1)
    partly = a_chunk("core/cookie_jar_policy_helper.py", sparse_rank=2)
    named = a_chunk("core/cookies.py", sparse_rank=3)
    assert order("cookie signing", plain, partly, named, settings=only("stem")) == [
        "core/cookies.py:1",
        "core/cookie_jar_policy_helper.py:1",
        "core/util.py:1",
    ]


@pytest.mark.parametrize(
    ("path", "part", "asking"),
    [
        ("tests/test_parser.py", "tests", "tests for the parser"),
        ("src/parser.test.ts", "tests", "unit tests of the parser"),
        ("perf-testing/parser.js", "tests", "tests for the parser"),
        ("__performance_tests__/parser.mjs", "tests", "tests for the parser"),
        ("immutability-benchmarks/parser.mjs", "examples", "benchmark of the parser"),
        ("parser.bench.ts", "examples", "benchmark of the parser"),
        ("examples/parser.py", "examples", "example of a parser"),
        ("docs/parser.md", "docs", "documentation of the parser"),
        ("vendor/lib/parser.c", "vendored", "vendored parser"),
        ("api/parser.pb.go", "generated", "generated parser"),
        ("packages/web/build/parser.js", "generated", "generated parser"),
        ("src/generated/parser.go", "generated", "generated parser"),
        ("types/parser.d.ts", "types", "type declarations of the parser"),
        ("compat/parser.py", "legacy", "legacy parser"),
        ("parser.toml", "config", "configuration of the parser"),
    ],
)
def test_side_files_come_after_the_code_unless_asked_for(path: str, part: str, asking: str) -> None:
    side, code = a_chunk(path, sparse_rank=1), a_chunk("core/engine.py", sparse_rank=2)
    settings = only(part)
    assert order("how does it parse", side, code, settings=settings)[0] == "core/engine.py:1"
    assert order(asking, side, code, settings=settings)[0] == f"{path}:1"
    assert order("how does it parse", side, code, settings=PLAIN)[0] == f"{path}:1"


@pytest.mark.parametrize(
    "path",
    [
        "src/history.go",
        "src/news.py",
        "crates/core/flags/doc/man.rs",
        "src/ci/detect.ts",
        "src/build/env.py",
    ],
)
def test_code_about_docs_builds_or_history_is_code(path: str) -> None:
    code, later = a_chunk(path, sparse_rank=1), a_chunk("core/engine.py", sparse_rank=2)
    for part in ("docs", "config", "generated"):
        assert order("how does it parse", code, later, settings=only(part))[0] == f"{path}:1"


@pytest.mark.parametrize(
    "path",
    ["CHANGES", "HISTORY.md", "tool.1", "docs/src/conf.py", "documentation-website/a.topic"],
)
def test_docs_are_docs(path: str) -> None:
    docs, code = a_chunk(path, sparse_rank=1), a_chunk("core/engine.py", sparse_rank=2)
    assert order("how does it parse", docs, code, settings=only("docs"))[0] == "core/engine.py:1"


def test_documents_do_not_come_after_code_where_there_is_none() -> None:
    """A folder of documents: what is no text of any language stands beside them, and the
    configuration of what builds their pages."""
    document = a_chunk("guide/start.md", sparse_rank=2, dense_rank=1, file_type="doc")
    mark = a_chunk("guide/.peer-id", sparse_rank=1, file_type="config", kind="text")
    citation = a_chunk("CITATION.cff", sparse_rank=3, file_type="code", kind="text")
    builds = a_chunk("docs/conf.py", sparse_rank=4, file_type="code", kind="preamble")
    asked = "how does one start", document, mark, citation, builds
    assert order(*asked)[0] == "guide/start.md:1"
    code = a_chunk("core/start.py", sparse_rank=3, dense_rank=2, file_type="code", kind="function")
    assert order(*asked, code)[0] == "core/start.py:1"
    hardly_any = RankContext(of_documents=True)
    assert order(*asked, code, context=hardly_any)[0] == "guide/start.md:1"


def test_a_path_does_not_hide_the_only_place_of_a_thing() -> None:
    aside = a_chunk("tests/test_parser.py", sparse_rank=1, symbol_name="LoopGuard")
    code = a_chunk("core/engine.py", sparse_rank=2)
    settings = replace(only("tests"), definition=True)
    assert order("where is LoopGuard used", aside, code, settings=settings)[0] == aside.id
    other = a_chunk("core/guard.py", sparse_rank=60, symbol_name="LoopGuard")
    assert order("where is LoopGuard used", aside, code, other, settings=settings)[0] == other.id
    context, settings = RankContext(said={aside.id: 1.0}), replace(only("tests"), phrase=True)
    assert order("loop of guards", aside, code, settings=settings, context=context)[0] == aside.id


def test_code_that_says_a_text_comes_before_tests_that_do() -> None:
    test, code = a_chunk("tests/a.py", sparse_rank=1), a_chunk("b.py", sparse_rank=9)
    part = a_chunk("c.py", sparse_rank=2)
    exact = {test.id: 1.0, code.id: 1.0, part.id: 0.6}
    found = order("NO_COLOR", test, code, part, context=RankContext(exact=exact))
    assert found == [code.id, test.id, part.id]


def test_what_says_a_quoted_text_word_for_word_is_lifted() -> None:
    near, says = a_chunk("a.py", sparse_rank=1), a_chunk("b.py", sparse_rank=9)
    context = RankContext(said={"b.py:1": 1.0})
    text = '"Cannot index %s with string"'
    assert order(text, near, says, settings=only("phrase"), context=context)[0] == "b.py:1"
    assert order(text, near, says, settings=PLAIN, context=context)[0] == "a.py:1"


def test_a_chunk_that_is_named_as_the_query_says_is_shown_for_its_file() -> None:
    other = a_chunk("a.py", 1, sparse_rank=1)
    named = a_chunk("a.py", 50, sparse_rank=3, symbol_name="check_symlink_loop")
    between = a_chunk("b.py", sparse_rank=2)
    asked = (other, named, between)
    text = "detect a symlink loop"
    assert order(text, *asked, settings=only("choice")) == ["a.py:50", "a.py:1", "b.py:1"]
    assert order(text, *asked, settings=PLAIN)[0] == "a.py:1"
    assert order("detect a cycle", *asked, settings=only("choice"))[0] == "a.py:1"


def test_a_word_that_few_names_say_decides_between_the_chunks_of_a_file() -> None:
    common = a_chunk("a.py", 1, sparse_rank=1, symbol_name="run_loop")
    telling = a_chunk("a.py", 50, sparse_rank=2, symbol_name="follow_symlink")
    others = [a_chunk(f"{n}.py", sparse_rank=10 + n, symbol_name=f"loop_{n}") for n in range(8)]
    text = "detect a symlink loop"
    assert order(text, common, telling, *others, settings=only("choice"))[0] == "a.py:50"


def test_what_a_file_imports_is_not_chosen_before_what_it_defines() -> None:
    head = a_chunk("a.js", sparse_rank=2, kind="preamble", symbols=("isIP", "parseHost"))
    own = a_chunk("a.js", 300, sparse_rank=1, symbol_name="host")
    text = "the host and ip behind a proxy"
    assert order(text, head, own, settings=only("choice"))[0] == "a.js:300"
    constant = a_chunk("a.js", sparse_rank=2, kind="preamble", symbols=("PROXY_HOST_IP",))
    assert order(text, constant, own, settings=only("choice"))[0] == "a.js:1"


def test_tests_beside_the_code_are_tests_too() -> None:
    inline = a_chunk("src/a.rs", sparse_rank=1, parent_symbol="tests", symbol_name="works")
    code = a_chunk("src/b.rs", sparse_rank=2)
    assert order("extract form", inline, code, settings=only("tests"))[0] == "src/b.rs:1"


def test_what_only_passes_on_comes_after_what_defines() -> None:
    door = a_chunk("pkg/__init__.py", sparse_rank=1, is_reexport=True)
    code = a_chunk("pkg/impl.py", sparse_rank=2)
    assert order("thing", door, code, settings=only("reexport"))[0] == "pkg/impl.py:1"


def test_further_chunks_of_a_file_leave_room_for_other_files() -> None:
    same = [a_chunk("a.py", line, sparse_rank=rank_) for rank_, line in enumerate((1, 50), 1)]
    other = a_chunk("b.py", sparse_rank=3)
    assert order("q", *same, other, settings=only("saturation"))[:2] == ["a.py:1", "b.py:1"]


ISSUE = """The cart shows a wrong total

When two items are in the cart the total is that of one item alone, and it should be
the sum of both of them, as the receipt that is printed afterwards says it.
I expected the totals of both places to be the same in every case that we have tried here.
"""


def test_an_issue_shows_several_functions_of_the_file_that_it_is_about() -> None:
    of_cart = [a_chunk("cart.py", 1 + 50 * n, sparse_rank=1 + n) for n in range(3)]
    others = [a_chunk(f"{n}.py", sparse_rank=70 + n) for n in range(6)]
    asked = order(ISSUE, *of_cart, *others)
    assert understand(ISSUE).kind == "issue"
    assert asked[0] == "cart.py:1" and "cart.py:51" in asked[:3]
    question = "the cart shows a wrong total"
    assert "cart.py:51" not in order(question, *of_cart, *others)[:3]


@pytest.mark.parametrize(
    ("part", "context"),
    [
        ("working_set", RankContext(open_files=frozenset({"b.py"}))),
        ("working_set", RankContext(recent_files={"b.py": 1.0})),
        ("graph", RankContext(graph_prior={"b.py": 1.0})),
        ("commits", RankContext(commit_prior={"b.py": 1.0})),
        ("diff", RankContext(changed_files=frozenset({"b.py"}))),
        ("diff", RankContext(changed_files=frozenset({"x.py"}), dependants=frozenset({"b.py"}))),
    ],
)
def test_what_is_known_beside_the_text_breaks_near_ties(part: str, context: RankContext) -> None:
    first, second = a_chunk("a.py", sparse_rank=1), a_chunk("b.py", sparse_rank=2)
    assert order("q", first, second, context=context, settings=PLAIN)[0] == "a.py:1"
    assert order("q", first, second, context=context, settings=only(part))[0] == "b.py:1"


def test_a_trace_leads_to_the_function_it_names() -> None:
    here = a_chunk("src/app.py", 100, sparse_rank=0, symbol_name="wsgi_app")
    elsewhere = a_chunk("src/other.py", sparse_rank=1, dense_rank=1)
    same_file = a_chunk("src/app.py", 1, sparse_rank=2)
    trace = 'File "/home/x/src/app.py", line 110, in wsgi_app'
    assert order(trace, elsewhere, same_file, here)[0] == "src/app.py:100"
    assert order("app.py:110", elsewhere, same_file, here)[0] == "src/app.py:100"


def test_the_file_that_bears_only_the_name_comes_before_those_of_its_parts() -> None:
    parts = [f"Mapper.{part}.cs" for part in ("Async", "Cache", "Identity")]
    chunks = [a_chunk(path, symbol_name="Mapper", kind="class") for path in [*parts, "Mapper.cs"]]
    best = [
        each.candidate.path for each in rank(understand("Mapper"), chunks, RankSettings(), NOTHING)
    ]
    assert best[0] == "Mapper.cs"


def test_a_name_is_also_the_last_part_of_a_longer_one() -> None:
    module = a_chunk("channel.ex", symbol_name="Shop.Channel", sparse_rank=9)
    call = a_chunk("socket.ex", symbol_name="channel", symbols=("channel",))
    assert order("Channel", module, call)[0] == "channel.ex:1"
    held = a_chunk("a.ex", symbol_name="Failure", symbols=("Shop.Channel",), sparse_rank=9)
    assert order("Channel", held, call)[0] == "a.ex:1"


def test_a_class_comes_before_the_interface_that_declares_it() -> None:
    declared = a_chunk("contracts/cart.php", symbol_name="Cart", symbol_kind="interface")
    made = a_chunk("shop/cart.php", symbol_name="Cart", symbol_kind="class", sparse_rank=9)
    assert order("Cart", declared, made)[0] == "shop/cart.php:1"


def test_a_member_does_not_come_before_what_is_called_so_for_its_files_name() -> None:
    variant = a_chunk("from_cart/mod.rs", symbol_name="Kind", symbols=("Kind", "FromCart"))
    trait = a_chunk("extract.rs", symbol_name="FromCart", symbols=("FromCart",), sparse_rank=9)
    assert order("FromCart", variant, trait)[0] == "extract.rs:1"


def test_a_container_is_the_nearest_one_or_a_package() -> None:
    own = a_chunk("z.rb", symbol_name="lint", parent_symbol="Shop", sparse_rank=9)
    deeper = a_chunk("a.rb", symbol_name="lint", parent_symbol="Shop.Linter")
    assert order("Shop.lint", deeper, own)[0] == "z.rb:1"
    helpers = a_chunk(
        "z.rb", parent_symbol="Shop.Helpers", symbols=("Helpers", "status"), sparse_rank=9
    )
    others = a_chunk("a.rb", parent_symbol="Shop.Respond.Helpers", symbols=("Helpers", "respond"))
    assert order("Shop::Helpers", others, helpers)[0] == "z.rb:1"
    function = a_chunk("shop/errors.go", symbol_name="Error", sparse_rank=9)
    method = a_chunk("shop/a.go", symbol_name="Error", parent_symbol="Failure")
    assert order("shop.Error", method, function)[0] == "shop/errors.go:1"


def test_a_file_that_is_named_is_shown_from_its_top() -> None:
    top, best = a_chunk("shop/cart.py", sparse_rank=0), a_chunk("shop/cart.py", 40)
    assert order("shop/cart.py", best, top)[0] == "shop/cart.py:1"


def test_of_a_trace_the_innermost_frame_in_the_project_comes_first() -> None:
    trace = (
        "java.lang.NullPointerException: no price\n"
        "\tat java.util.Objects.requireNonNull(Objects.java:208)\n"
        "\tat org.shop.Cart.add(Cart.java:45)\n\tat org.shop.Shop.run(Shop.java:7)"
    )
    cart = [a_chunk("src/org/shop/Cart.java", line, sparse_rank=9) for line in (1, 40)]
    shop = a_chunk("src/org/shop/Shop.java", symbol_name="run")
    found = order(trace, a_chunk("a.java"), shop, *cart)
    assert found[:2] == ["src/org/shop/Cart.java:40", "src/org/shop/Shop.java:1"]


def test_how_far_the_first_is_ahead_does_not_depend_on_how_many_are_asked_for() -> None:
    chunks = [a_chunk("a.py"), a_chunk("a.py", 50, sparse_rank=2), a_chunk("b.py", sparse_rank=3)]
    for limit in (1, 2, 3):
        first, *others = rank(understand("how it works"), chunks, PLAIN, NOTHING, limit)
        assert first.margin == pytest.approx(1 - (RRF_K + 1) / (RRF_K + 3))
        assert not any(other.margin for other in others)


def test_ties_go_by_path_and_line() -> None:
    chunks = [a_chunk("b.py", 9), a_chunk("b.py", 2), a_chunk("a.py", 5)]
    assert order("q", *chunks, settings=PLAIN) == ["a.py:5", "b.py:2", "b.py:9"]


PATHS = st.sampled_from(["a.py", "tests/test_a.py", "docs/a.md", "lib/session.py", "x/__init__.py"])
CHUNKS = st.builds(
    a_chunk,
    PATHS,
    st.integers(1, 900),
    dense_rank=st.integers(0, 50),
    sparse_rank=st.integers(0, 50),
    symbol_name=st.sampled_from(["", "session", "Session", "sign"]),
    kind=st.sampled_from(["function", "class", "preamble"]),
    is_reexport=st.booleans(),
)


@given(
    st.sampled_from(
        ["Session", "how are sessions signed", "tests for `sign`", "a.py:3", "the", ""]
    ),
    st.lists(CHUNKS, max_size=30, unique_by=lambda chunk: chunk.id),
    st.randoms(use_true_random=False),
)
def test_parts_add_up_and_the_order_does_not_depend_on_the_input(
    text: str, chunks: list[Candidate], random: Any
) -> None:
    query = understand(text)
    ranked = rank(query, chunks, RankSettings(), NOTHING, limit=30)
    assert len(ranked) == len(chunks)
    for each in ranked:
        assert total(each) == pytest.approx(each.score)
    shuffled = list(chunks)
    random.shuffle(shuffled)
    again = rank(query, shuffled, RankSettings(), NOTHING, limit=30)
    assert [each.candidate.id for each in again] == [each.candidate.id for each in ranked]


def total(each: RankedCandidate) -> float:
    score = 0.0
    for part in each.parts:
        score = score + part.value if part.operation == "add" else score * part.value
        assert score == pytest.approx(part.score)
    return score
