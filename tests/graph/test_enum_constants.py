"""A constant of an enumeration is an instance of it: what it calls is the enumeration's."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, uses

CASES: dict[str, tuple[str, str, list[tuple[int, str]]]] = {
    "swift": (
        "a.swift",
        """
        enum Kind: String {
            case wide, tall
            case deep(Int)
            func open() {}
        }
        class Lid { func open() {} }
        func f() {
            Kind.wide.open()
            Kind.deep(1).open()
            let kind = Kind.tall
            kind.open()
        }
        """,
        [(9, "Kind.open"), (10, "Kind.open"), (12, "Kind.open")],
    ),
    "rust": (
        "src/lib.rs",
        """
        pub enum Kind { Wide, Tall(u8) }
        impl Kind { pub fn open(&self) {} }
        pub struct Lid;
        impl Lid { pub fn open(&self) {} }
        pub fn f() {
            Kind::Wide.open();
            Kind::Tall(1).open();
            let kind = Kind::Wide;
            kind.open();
        }
        """,
        [(7, "Kind.open"), (8, "Kind.open"), (10, "Kind.open")],
    ),
    "csharp": (
        "a.cs",
        """
        public enum Kind { Wide }
        public class Lid {}
        public static class Kinds { public static void Open(this Kind kind) {} }
        public static class Lids { public static void Open(this Lid lid) {} }
        class Use {
            void F() {
                Kind.Wide.Open();
                var kind = Kind.Wide;
                kind.Open();
            }
        }
        """,
        [(8, "Kinds.Open"), (10, "Kinds.Open")],
    ),
    "java": (
        "A.java",
        """
        enum Kind { WIDE, TALL { void shut() {} }; void open() {} void shut() {} }
        class Lid { void open() {} }
        class Use {
            void f() {
                Kind.WIDE.open();
                var kind = Kind.TALL;
                kind.open();
            }
        }
        """,
        [(6, "Kind.open"), (8, "Kind.open")],
    ),
    "kotlin": (
        "a.kt",
        """
        enum class Kind { WIDE; fun open() {} }
        class Lid { fun open() {} }
        fun f() {
            Kind.WIDE.open()
            val kind = Kind.WIDE
            kind.open()
        }
        """,
        [(5, "Kind.open"), (7, "Kind.open")],
    ),
    "scala": (
        "a.scala",
        """
        enum Kind:
          case Wide, Tall
          def open(): Unit = ()
        class Lid { def open(): Unit = () }
        def f() = {
          Kind.Wide.open()
          val kind = Kind.Tall
          kind.open()
        }
        """,
        [(7, "Kind.open"), (9, "Kind.open")],
    ),
    "dart": (
        "a.dart",
        """
        enum Kind { wide; void open() {} }
        class Lid { void open() {} }
        void f() { Kind.wide.open(); }
        """,
        [(4, "Kind.open")],
    ),
    "php": (
        "a.php",
        """<?php
        enum Kind { case Wide; function open() {} }
        class Lid { function open() {} }
        function f() { Kind::Wide->open(); }
        """,
        [(4, "Kind.open")],
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_a_constant_of_an_enumeration_has_its_members(language: str) -> None:
    path, text, expected = CASES[language]
    found = uses(graph({path: text}), path)
    assert sorted(each for each in found if each[1].lower().endswith(".open")) == expected
