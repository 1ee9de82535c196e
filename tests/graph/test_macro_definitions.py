"""C and C++: functions that an invocation of a macro defines, and what is used in them."""

from __future__ import annotations

import pytest

from surveyor.graph.library import MemoryGraph
from surveyor.parsing.parse import parse_file
from tests.graph.memory import edges, graph, names

FILES = {
    "include/box.h": """
        class Box { public: void open(); void shut(); int size(); };
        int helper(Box& b);
        """,
    "src/box.cc": """
        #include "box.h"
        void Box::open() { shut(); }
        void Box::shut() {}
        int Box::size() { return 0; }
        int helper(Box& b) { b.open(); return b.size(); }
        """,
    "test/box_test.cc": """
        #include <gtest/gtest.h>
        #include "box.h"
        class BoxTest : public ::testing::Test { protected: void fill(); Box box_; };
        void BoxTest::fill() { box_.shut(); }
        int size() { return 3; }
        namespace shop {
        TEST(Box, open) {
          Box b;
          b.open();
          EXPECT_EQ(size(), helper(b));
        }
        TEST_F(BoxTest, fills) { fill(); box_.open(); }
        TEST_CASE("box v1.2 opens", "[box]") { Box local; local.shut(); }
        }
        """,
    "test/task.h": """
        #define TEST_IMPL(name) int run_test_##name(void); int run_test_##name(void)
        #define TEST(suite, name) static void suite##_##name(void)
        #define OPEN(h) do { uv_open(h); } while (0)
        """,
    "test/pipe.c": """
        #include "task.h"
        int uv_open(int a) { return a; }
        int z;
        TEST_IMPL(tcp_open) {
          int h = 0;
          OPEN(h);
          return 0;
        }
        TEST(pipe, opens) {
          int z = uv_open(1);
          use(z);
        }
        static int DEFUN(hook)(int a) { return uv_open(a); }
        int main(void) { return 0; }
        """,
}


@pytest.fixture(scope="module")
def made() -> MemoryGraph:
    return graph(FILES)


def test_they_are_called_by_what_the_macro_is_handed(made: MemoryGraph) -> None:
    assert names(made, "test/pipe.c") == ["uv_open", "z", "tcp_open", "pipe.opens", "hook", "main"]
    assert names(made, "test/box_test.cc")[-4:] == [
        "shop",
        "shop.Box.open",
        "shop.BoxTest.fills",
        "shop.box v1 2 opens",
    ]
    parsed = parse_file("test/box_test.cc", FILES["test/box_test.cc"].encode())
    said = {symbol.name: (symbol.kind, symbol.signature) for symbol in parsed.symbols}
    assert said["fills"] == ("function", "TEST_F(BoxTest, fills)")
    assert said["box v1 2 opens"] == ("function", 'TEST_CASE("box v1.2 opens", "[box]")')


def test_what_stands_in_them_is_resolved(made: MemoryGraph) -> None:
    found = edges(made)

    def used(path: str, source: str) -> set[str]:
        return {
            target.rpartition("/")[2]
            for p, around, target in found
            if (p, around) == (path, source)
        }

    boxes = "test/box_test.cc"
    tested = used(boxes, "shop.Box.open")
    assert {"box.cc::Box.open", "box_test.cc::size", "box.cc::helper"} <= tested
    assert "box.cc::Box.size" not in tested, "it is no member of what it tests"
    run = used(boxes, "shop.BoxTest.fills")
    assert {"box_test.cc::BoxTest.fill", "box_test.cc::BoxTest.box_", "box.cc::Box.open"} <= run
    assert "box.cc::Box.shut" in used(boxes, "shop.box v1 2 opens")
    assert used("test/pipe.c", "tcp_open") == {"task.h::TEST_IMPL", "task.h::OPEN"}
    assert used("test/pipe.c", "pipe.opens") == {"task.h::TEST", "pipe.c::uv_open"}
    assert used("test/pipe.c", "hook") == {"pipe.c::uv_open"}
    assert used("test/task.h", "OPEN") == {"pipe.c::uv_open"}


def test_a_test_is_no_member_of_what_it_is_named_after(made: MemoryGraph) -> None:
    found = edges(made)
    assert ("src/box.cc", "helper", "src/box.cc::Box.open") in found
    assert not any(target == "test/box_test.cc::shop.Box.open" for _, _, target in found)
    alone = graph({"a.c": "TEST(box, unlink) { }\nvoid run(void) { unlink(1); }\n"})
    assert ("a.c", "run", "a.c::box.unlink") not in edges(alone), "the system's is meant"


def test_other_functions_in_capitals_keep_their_names() -> None:
    made = graph(
        {
            "old.c": """
                int MAX3(int a, int b) { return a > b ? a : b; }
                void RUN(void) { MAX3(1, 2); }
                int kept(int unused) { return 0; }
                """,
            "box.cpp": "struct BOX { BOX(Lid) {} void OPEN(Lid) {} };\nint f(Lid) { return 1; }\n",
        }
    )
    assert names(made, "old.c") == ["MAX3", "RUN", "kept"]
    assert names(made, "box.cpp") == ["BOX", "BOX.BOX", "BOX.OPEN", "f"]


def test_a_label_that_a_macro_writes_defines_nothing() -> None:
    broken = """
        }
        CASE_CODE(JUMP): {
          step();
        }
        CASE_CODE(LOOP):
        {
          step();
        }
        TEST(pipe, opens) {
          step();
        }
        """
    assert names(graph({"vm.c": broken}), "vm.c") == ["pipe.opens"]
