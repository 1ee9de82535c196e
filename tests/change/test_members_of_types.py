"""Members that types have to have for what they extend, and choices over enumerations: what
`check` says where a change leaves them behind.

Each case is a folder of files before and after a change, a file that is gone without text. A line
that ends in `//!` or `#!` is told of afterwards, no other one of the folder is.
"""

from __future__ import annotations

import re

import pytest

from tests.change.export_cases import EXPORT_CASES
from tests.change.found_by_hand_cases import FOUND_CASES
from tests.change.gone_file_cases import GONE_FILE_CASES
from tests.change.hidden_cases import HIDDEN_CASES
from tests.change.lost_base_cases import LOST_BASE_CASES
from tests.gitrepo import git, write
from tests.product import product

MARK = re.compile(r" *(?://|#)!$", re.MULTILINE)
Files = dict[str, str]
CASES: dict[str, tuple[Files, Files]] = (
    LOST_BASE_CASES | HIDDEN_CASES | FOUND_CASES | GONE_FILE_CASES | EXPORT_CASES
)


def case(name: str, before: Files, after: Files) -> None:
    """Files of `after` take the place of those of `before`; marks count in what is there then."""
    assert name not in CASES
    CASES[name] = (before, after)


# --- an interface has a new method ----------------------------------------------------------

case(
    "java_added",
    {
        "Shape.java": "package jadd;\npublic interface Shape {\n  int area();\n}\n",
        "Use.java": (
            "package jadd;\n"
            "class Circle implements Shape { //!\n  public int area() { return 1; }\n}\n"
            "class Square implements Shape {\n  public int area() { return 1; }\n"
            "  public int size(int by) { return 2; }\n}\n"
            "abstract class Base implements Shape {\n}\n"
            "class Leaf extends Base { //!\n  public int area() { return 1; }\n}\n"
            "class Below extends Square {\n}\n"
            "record Row(int area) implements Shape { //!\n}\n"
            "class Maker {\n  Shape one = new Shape() { //!\n    public int area() { return 1; }\n"
            "  };\n}\n"
            "class Foreign extends javax.swing.JPanel implements Shape {\n"
            "  public int area() { return 1; }\n}\n"
            "interface Sub extends Shape {\n}\n"
        ),
    },
    {
        "Shape.java": (
            "package jadd;\npublic interface Shape {\n  int area();\n  int size(int by);\n"
            "  default int other() { return 1; }\n}\n"
        ),
    },
)
case(
    "kotlin_added",
    {
        "Shape.kt": "package kadd\ninterface Shape {\n  fun area(): Int\n}\n",
        "Use.kt": (
            "package kadd\n"
            "class Circle : Shape { //!\n  override fun area() = 1\n}\n"
            "class Square : Shape {\n  override fun area() = 1\n"
            "  override fun size(by: Int) = 2\n}\n"
            "sealed class Base : Shape\n"
            "class Leaf : Base() { //!\n  override fun area() = 1\n}\n"
            "class Handed(one: Shape) : Shape by one\n"
            "object Only : Shape { //!\n  override fun area() = 1\n}\n"
            "val held = object : Shape { //!\n  override fun area() = 1\n}\n"
        ),
    },
    {
        "Shape.kt": (
            "package kadd\ninterface Shape {\n  fun area(): Int\n  fun size(by: Int): Int\n"
            "  fun other() = 1\n}\n"
        ),
    },
)
case(
    "csharp_added",
    {
        "IShape.cs": "namespace CAdd;\npublic interface IShape {\n  int Area();\n}\n",
        "Use.cs": (
            "namespace CAdd;\n"
            "class Circle : IShape { //!\n  public int Area() => 1;\n}\n"
            "class Square : IShape {\n  public int Area() => 1;\n"
            "  int IShape.Size(int by) => 2;\n}\n"
            "struct Dot : IShape { //!\n  public int Area() => 1;\n}\n"
            "abstract class Base : IShape {\n  public int Area() => 1;\n"
            "  public abstract int Size(int by);\n}\n"
            "class Leaf : Base { //!\n}\n"
            "partial class Two : IShape {\n  public int Area() => 1;\n}\n"
        ),
        "Two.cs": ("namespace CAdd;\npartial class Two {\n  public int Size(int by) => 2;\n}\n"),
    },
    {
        "IShape.cs": (
            "namespace CAdd;\npublic interface IShape {\n  int Area();\n  int Size(int by);\n"
            "  int Other() => 1;\n}\n"
        ),
    },
)
case(
    "php_added",
    {
        "Shape.php": (
            "<?php\nnamespace PAdd;\ninterface Shape {\n  public function area(): int;\n}\n"
        ),
        "Sized.php": (
            "<?php\nnamespace PAdd;\ntrait Sized {\n"
            "  public function size(int $by): int { return 2; }\n}\n"
        ),
        "Circle.php": (
            "<?php\nnamespace PAdd;\nclass Circle implements Shape { //!\n"
            "  public function area(): int { return 1; }\n}\n"
        ),
        "Square.php": (
            "<?php\nnamespace PAdd;\nclass Square implements Shape {\n  use Sized;\n"
            "  public function area(): int { return 1; }\n}\n"
            "abstract class Base implements Shape {\n}\n"
            "final class Leaf extends Base { //!\n"
            "  public function area(): int { return 1; }\n}\n"
        ),
    },
    {
        "Shape.php": (
            "<?php\nnamespace PAdd;\ninterface Shape {\n"
            "  public function area(): int;\n  public function size(int $by): int;\n}\n"
        ),
    },
)
case(
    "typescript_added",
    {
        "shape.ts": "export interface Shape {\n  area(): number;\n}\n",
        "use.ts": (
            'import { Shape } from "./shape";\n'
            "export class Circle implements Shape { //!\n  area() { return 1; }\n}\n"
            "export class Square implements Shape {\n  area() { return 1; }\n"
            "  size = (by: number) => by;\n}\n"
            "export abstract class Base implements Shape {\n  area() { return 1; }\n"
            "  abstract size(by: number): number;\n}\n"
            "export class Leaf extends Base { //!\n}\n"
        ),
    },
    {
        "shape.ts": (
            "export interface Shape {\n  area(): number;\n  size(by: number): number;\n"
            "  other?(): number;\n}\n"
        ),
    },
)
case(
    "rust_added",
    {
        "Cargo.toml": '[package]\nname = "radd"\nversion = "1.0.0"\n',
        "src/lib.rs": "pub mod user;\npub trait Shape {\n    fn area(&self) -> i32;\n}\n",
        "src/user.rs": (
            "use crate::Shape;\npub struct Circle;\npub struct Square;\n"
            "impl Circle {\n    pub fn size(&self, by: i32) -> i32 { by }\n}\n"
            "impl Shape for Circle { //!\n    fn area(&self) -> i32 { 1 }\n}\n"
            "impl Shape for Square {\n    fn area(&self) -> i32 { 1 }\n"
            "    fn size(&self, by: i32) -> i32 { by }\n}\n"
            "impl Shape for u8 { //!\n    fn area(&self) -> i32 { 1 }\n}\n"
        ),
    },
    {
        "src/lib.rs": (
            "pub mod user;\npub trait Shape {\n    fn area(&self) -> i32;\n"
            "    fn size(&self, by: i32) -> i32;\n    fn other(&self) -> i32 { 1 }\n}\n"
        ),
    },
)
case(
    "cpp_added",
    {
        "shape.hpp": ("#pragma once\nclass Shape { public:\n  virtual int area() = 0;\n};\n"),
        "use.cpp": (
            '#include "shape.hpp"\n'
            "class Circle : public Shape { public: //!\n  int area() override { return 1; }\n};\n"
            "class Middle : public Shape { public:\n  int area() override { return 1; }\n};\n"
            "class Leaf : public Middle { public:\n  int size(int by) override { return by; }\n};\n"
        ),
    },
    {
        "shape.hpp": (
            "#pragma once\nclass Shape { public:\n  virtual int area() = 0;\n"
            "  virtual int size(int by) = 0;\n  virtual int other() { return 1; }\n};\n"
        ),
    },
)
case(
    "python_added",
    {
        "shape.py": (
            "from abc import ABC, abstractmethod\nclass Shape(ABC):\n"
            "    @abstractmethod\n    def area(self): ...\n"
        ),
        "use.py": (
            "from abc import ABC\nfrom python_added.shape import Shape\n"
            "class Circle(Shape):  #!\n    def area(self): return 1\n"
            "class Square(Shape):\n    def area(self): return 1\n"
            "    def size(self, by): return by\n"
            "class Base(Shape, ABC):\n    def area(self): return 1\n"
            "class Leaf(Base):  #!\n    pass\n"
        ),
    },
    {
        "shape.py": (
            "from abc import ABC, abstractmethod\nclass Shape(ABC):\n"
            "    @abstractmethod\n    def area(self): ...\n"
            "    @abstractmethod\n    def size(self, by): ...\n    def other(self): return 1\n"
        ),
    },
)
case(
    "go_added",
    {
        "shape.go": "package goadd\n\ntype Shape interface {\n\tArea() int\n\tEdges() int\n}\n",
        "use.go": (
            "package goadd\n\ntype Circle struct{} //!\n\n"
            "func (c Circle) Area() int { return 1 }\nfunc (c Circle) Edges() int { return 0 }\n\n"
            "type Square struct{}\n\n"
            "func (s *Square) Area() int { return 1 }\nfunc (s *Square) Edges() int { return 4 }\n"
            "func (s *Square) Size(by int) int { return by }\n\n"
            "type Half struct{}\n\nfunc (h Half) Area() int { return 1 }\n\n"
            "type Within struct{ Shape }\n\n"
            "func (w Within) Area() int { return 1 }\nfunc (w Within) Edges() int { return 0 }\n"
        ),
    },
    {
        "shape.go": (
            "package goadd\n\ntype Shape interface {\n\tArea() int\n\tEdges() int\n"
            "\tSize(by int) int\n}\n"
        ),
    },
)
case(
    "java_overload",
    {
        "Shape.java": "package jover;\npublic interface Shape {\n  int area(int a);\n}\n",
        "Use.java": (
            "package jover;\n"
            "class Circle implements Shape { //!\n  public int area(int a) { return 1; }\n}\n"
            "class Square implements Shape {\n  public int area(int a) { return 1; }\n"
            "  public int area(int a, int b) { return 1; }\n}\n"
        ),
    },
    {
        "Shape.java": (
            "package jover;\npublic interface Shape {\n  int area(int a);\n"
            "  int area(int a, int b);\n}\n"
        ),
    },
)
case(
    "kotlin_default_gone",
    {
        "Shape.kt": "package kdef\ninterface Shape {\n  fun area(): Int = 1\n}\n",
        "Use.kt": (
            "package kdef\nclass Circle : Shape //!\n"
            "class Square : Shape {\n  override fun area() = 2\n}\n"
        ),
    },
    {"Shape.kt": "package kdef\ninterface Shape {\n  fun area(): Int\n}\n"},
)

# --- a method that something overrides is gone ----------------------------------------------

case(
    "kotlin_gone",
    {
        "Shape.kt": (
            "package kgone\ninterface Shape {\n  fun area(): Int\n  fun size(): Int\n}\n"
            "interface Sized {\n  fun size(): Int\n}\n"
        ),
        "Use.kt": (
            "package kgone\nclass Circle : Shape {\n  override fun area() = 1\n"
            "  override fun size() = 1 //!\n}\n"
            "class Square : Shape, Sized {\n  override fun area() = 1\n"
            "  override fun size() = 1\n}\n"
            "class Foreign : Shape, java.io.Closeable {\n  override fun area() = 1\n"
            "  override fun size() = 1\n}\n"
        ),
    },
    {
        "Shape.kt": (
            "package kgone\ninterface Shape {\n  fun area(): Int\n}\n"
            "interface Sized {\n  fun size(): Int\n}\n"
        ),
    },
)
case(
    "rust_renamed",
    {
        "Cargo.toml": '[package]\nname = "rren"\nversion = "1.0.0"\n',
        "src/lib.rs": "pub mod user;\npub trait Shape {\n    fn area(&self) -> i32;\n}\n",
        "src/user.rs": (
            "use crate::Shape;\npub struct Circle;\n"
            "impl Shape for Circle {\n    fn area(&self) -> i32 { 1 } //!\n}\n"
        ),
    },
    {"src/lib.rs": "pub mod user;\npub trait Shape {\n    fn surface(&self) -> i32;\n}\n"},
)
case(
    "java_gone",
    {
        "Shape.java": (
            "package jgone;\npublic class Shape {\n  public int area() { return 1; }\n"
            "  public int size() { return 1; }\n}\n"
        ),
        "Use.java": (
            "package jgone;\nclass Circle extends Shape {\n"
            "  @Override public int area() { return 2; }\n"
            "  @Override public int size() { return 2; } //!\n}\n"
            "class Square extends Shape {\n  public int size() { return 2; }\n}\n"
        ),
    },
    {"Shape.java": "package jgone;\npublic class Shape {\n  public int area() { return 1; }\n}\n"},
)
case(
    "cpp_gone",
    {
        "shape.hpp": (
            "#pragma once\nclass Shape { public:\n  virtual int area() { return 1; }\n"
            "  virtual int size() { return 1; }\n};\n"
        ),
        "use.cpp": (
            '#include "shape.hpp"\nclass Circle : public Shape { public:\n'
            "  int area() override { return 2; }\n  int size() override { return 2; } //!\n};\n"
        ),
    },
    {"shape.hpp": "#pragma once\nclass Shape { public:\n  virtual int area() { return 1; }\n};\n"},
)
case(
    "java_moved_up",
    {
        "Shape.java": (
            "package jup;\ninterface Above {\n}\n"
            "public interface Shape extends Above {\n  int area();\n}\n"
        ),
        "Use.java": (
            "package jup;\nclass Circle implements Shape {\n"
            "  @Override public int area() { return 1; }\n}\n"
        ),
    },
    {
        "Shape.java": (
            "package jup;\ninterface Above {\n  int area();\n}\n"
            "public interface Shape extends Above {\n}\n"
        ),
    },
)

case(
    "kotlin_renamed_below",
    {
        "Shape.kt": "package kbel\nabstract class Shape {\n  abstract fun area(): Int\n}\n",
        "Use.kt": (
            "package kbel\nabstract class Base : Shape() {\n  override fun area() = 1 //!\n}\n"
            "class Leaf : Base()\n"
        ),
    },
    {"Shape.kt": "package kbel\nabstract class Shape {\n  abstract fun surface(): Int\n}\n"},
)

# --- C++: what a header declares and another file defines -----------------------------------

case(
    "cpp_declared",
    {
        "box.hpp": (
            "#pragma once\nclass Crate { public:\n  void put(int a);\n  int get(int a);\n"
            "  static bool open(int a);\n};\n"
        ),
        "box.cpp": (
            '#include "box.hpp"\nvoid Crate::put(int a) {} //!\n'
            "int Crate::get(int a) { return a; }\n"
            "bool Crate::open(int a) { return a > 0; } //!\n"
        ),
        "use.cpp": '#include "box.hpp"\nbool run() {\n  return Crate::open(1); //!\n}\n',
    },
    {
        "box.hpp": (
            "#pragma once\nclass Crate { public:\n  void put(int a, int b);\n  int get(int b);\n"
            "  static bool ready(int a);\n};\n"
        ),
    },
)
case(
    "cpp_declared_for_several_files",
    {
        "lid.hpp": "#pragma once\nnamespace lids {\nclass Lid { public:\n  bool shut();\n};\n}\n",
        "parts.cpp": (
            '#include "lid.hpp"\nnamespace lids {\nbool Lid::shut() { return true; } //!\n}\n'
        ),
        "use.cpp": (
            '#include "lid.hpp"\nbool run_lid(lids::Lid &lid) {\n  return lid.shut(); //!\n}\n'
        ),
    },
    {"lid.hpp": "#pragma once\nnamespace lids {\nclass Lid { public:\n  bool closed();\n};\n}\n"},
)
case(
    "c_declared",
    {
        "box_c.h": "#pragma once\nvoid put_c(int a);\n",
        "box_c.c": '#include "box_c.h"\nvoid put_c(int a) {} //!\n',
    },
    {"box_c.h": "#pragma once\nvoid put_c(int a, int b);\n"},
)

# --- a type that has to have a method lost it -----------------------------------------------

case(
    "csharp_taken",
    {
        "IShape.cs": "namespace CTake;\npublic interface IShape {\n  int Area();\n}\n",
        "Circle.cs": "namespace CTake;\nclass Circle : IShape {\n  public int Area() => 1;\n}\n",
        "Square.cs": (
            "namespace CTake;\nclass Base {\n  public int Area() => 1;\n}\n"
            "class Square : Base, IShape {\n  public new int Area() => 2;\n}\n"
        ),
    },
    {
        "Circle.cs": (
            "namespace CTake;\nclass Circle : IShape { //!\n  public int Surface() => 1;\n}\n"
        ),
        "Square.cs": (
            "namespace CTake;\nclass Base {\n  public int Area() => 1;\n}\n"
            "class Square : Base, IShape {\n}\n"
        ),
    },
)
case(
    "rust_taken",
    {
        "Cargo.toml": '[package]\nname = "rtake"\nversion = "1.0.0"\n',
        "src/lib.rs": (
            "pub mod user;\npub trait Shape {\n    fn area(&self) -> i32;\n"
            "    fn size(&self) -> i32 { 1 }\n}\n"
        ),
        "src/user.rs": (
            "use crate::Shape;\npub struct Circle;\nimpl Shape for Circle {\n"
            "    fn area(&self) -> i32 { 1 }\n    fn size(&self) -> i32 { 2 }\n}\n"
        ),
    },
    {
        "src/user.rs": ("use crate::Shape;\npub struct Circle;\nimpl Shape for Circle { //!\n}\n"),
    },
)
case(
    "go_taken",
    {
        "shape.go": "package gotake\n\ntype Shape interface {\n\tArea() int\n\tEdges() int\n}\n",
        "use.go": (
            "package gotake\n\ntype Circle struct{}\n\n"
            "func (c Circle) Area() int { return 1 }\nfunc (c Circle) Edges() int { return 0 }\n"
        ),
    },
    {
        "use.go": (
            "package gotake\n\ntype Circle struct{} //!\n\n"
            "func (c Circle) Area() int { return 1 }\n"
        ),
    },
)

# --- an enumeration has a new member --------------------------------------------------------

case(
    "rust_choice",
    {
        "Cargo.toml": '[package]\nname = "rcho"\nversion = "1.0.0"\n',
        "src/lib.rs": "pub mod user;\npub enum Kind {\n    One,\n    Two(i32),\n}\n",
        "src/user.rs": (
            "use crate::Kind;\npub fn run(kind: Kind) -> i32 {\n"
            "    match kind { //!\n        Kind::One => 1,\n        Kind::Two(n) => n,\n    }\n}\n"
            "pub fn other(kind: Kind) -> i32 {\n"
            "    match kind {\n        Kind::One => 1,\n        _ => 2,\n    }\n}\n"
            "pub fn named(kind: Kind) -> i32 {\n"
            "    match kind {\n        Kind::One => 1,\n        Kind::Two(_) => 2,\n"
            "        Kind::Three { .. } => 3,\n    }\n}\n"
            "pub fn bound(kind: Kind) -> Kind {\n"
            "    match kind {\n        Kind::One => Kind::One,\n        it => it,\n    }\n}\n"
            "pub fn each(kind: Option<Kind>) -> i32 {\n"
            "    match kind { //!\n        Some(Kind::One) | None => 1,\n"
            "        Some(Kind::Two(_)) => 2,\n    }\n}\n"
            "pub fn inside(kind: Option<Kind>) -> i32 {\n"
            "    match kind {\n        Some(Kind::One) => 1,\n"
            "        Some(_) | None => 2,\n    }\n}\n"
        ),
    },
    {
        "src/lib.rs": (
            "pub mod user;\npub enum Kind {\n    One,\n    Two(i32),\n    Three { n: i32 },\n}\n"
        ),
    },
)
case(
    "kotlin_choice",
    {
        "Kind.kt": "package kcho\nenum class Kind { One, Two }\n",
        "Use.kt": (
            "package kcho\nfun run(kind: Kind): Int =\n  when (kind) { //!\n    Kind.One -> 1\n"
            "    Kind.Two -> 2\n  }\n"
            "fun other(kind: Kind): Int =\n  when (kind) {\n    Kind.One, Kind.Two -> 1\n"
            "    else -> 2\n  }\n"
        ),
    },
    {"Kind.kt": "package kcho\nenum class Kind { One, Two, Three }\n"},
)
case(
    "kotlin_sealed",
    {
        "Node.kt": (
            "package ksea\nsealed class Node(val at: Int) {\n"
            "  data class One(val n: Int) : Node(n)\n  object Two : Node(2)\n}\n"
        ),
        "Use.kt": (
            "package ksea\nfun run(node: Node): Int =\n  when (node) { //!\n    is Node.One -> 1\n"
            "    is Node.Two -> 2\n  }\n"
            "fun other(node: Node): Int =\n  when (node) {\n    is Node.One -> 1\n"
            "    is Node.Two -> 2\n    else -> 3\n  }\n"
        ),
    },
    {
        "Node.kt": (
            "package ksea\nsealed class Node(val at: Int) {\n"
            "  data class One(val n: Int) : Node(n)\n  object Two : Node(2)\n"
            "  class Three : Node(3)\n}\n"
        ),
    },
)
case(
    "java_choice",
    {
        "Kind.java": "package jcho;\npublic enum Kind { ONE, TWO }\n",
        "Use.java": (
            "package jcho;\nclass Use {\n  int run(Kind kind) {\n"
            "    return switch (kind) { //!\n      case ONE -> 1;\n"
            "      case TWO -> 2;\n    };\n  }\n"
            "  int other(Kind kind) {\n    switch (kind) {\n      case ONE: return 1;\n"
            "      case TWO: return 2;\n      default: return 3;\n    }\n  }\n}\n"
        ),
    },
    {"Kind.java": "package jcho;\npublic enum Kind { ONE, TWO, THREE }\n"},
)
case(
    "csharp_choice",
    {
        "Kind.cs": "namespace CCho;\npublic enum Kind { One, Two }\n",
        "Use.cs": (
            "namespace CCho;\nclass Use {\n  int Run(Kind kind) =>\n    kind switch { //!\n"
            "      Kind.One => 1,\n      Kind.Two => 2,\n    };\n"
            "  int Other(Kind kind) {\n    switch (kind) {\n      case Kind.One: return 1;\n"
            "      case Kind.Two: return 2;\n      default: return 3;\n    }\n  }\n}\n"
        ),
    },
    {"Kind.cs": "namespace CCho;\npublic enum Kind { One, Two, Three }\n"},
)
case(
    "php_choice",
    {
        "Kind.php": "<?php\nnamespace PCho;\nenum Kind {\n  case One;\n  case Two;\n}\n",
        "Use.php": (
            "<?php\nnamespace PCho;\nfunction run(Kind $kind): int {\n"
            "  return match ($kind) { //!\n    Kind::One => 1,\n    Kind::Two => 2,\n  };\n}\n"
            "function other(Kind $kind): int {\n"
            "  return match ($kind) {\n    Kind::One, Kind::Two => 1,\n    default => 2,\n  };\n}\n"
        ),
    },
    {
        "Kind.php": (
            "<?php\nnamespace PCho;\nenum Kind {\n  case One;\n  case Two;\n  case Three;\n}\n"
        )
    },
)
case(
    "typescript_choice",
    {
        "kind.ts": "export enum Kind { One, Two }\n",
        "use.ts": (
            'import { Kind } from "./kind";\nexport function run(kind: Kind) {\n'
            "  switch (kind) { //!\n    case Kind.One: return 1;\n"
            "    case Kind.Two: return 2;\n  }\n}\n"
            "export function other(kind: Kind) {\n"
            "  switch (kind) {\n    case Kind.One: return 1;\n    case Kind.Two: return 2;\n"
            "    default: return 3;\n  }\n}\n"
        ),
    },
    {"kind.ts": "export enum Kind { One, Two, Three }\n"},
)
case(
    "cpp_choice",
    {
        "kind.hpp": "#pragma once\nenum class Kind { One, Two };\n",
        "use.cpp": (
            '#include "kind.hpp"\nint run(Kind kind) {\n  switch (kind) { //!\n'
            "    case Kind::One: return 1;\n    case Kind::Two: return 2;\n  }\n  return 0;\n}\n"
        ),
    },
    {"kind.hpp": "#pragma once\nenum class Kind { One, Two, Three };\n"},
)
case(
    "c_choice",
    {
        "kind.h": "#pragma once\nenum kind_c { ONE_C, TWO_C };\n",
        "use.c": (
            '#include "kind.h"\nint run_c(enum kind_c kind) {\n  switch (kind) { //!\n'
            "    case ONE_C: return 1;\n    case TWO_C: return 2;\n  }\n  return 0;\n}\n"
            "int other_c(enum kind_c kind) {\n  switch (kind) {\n"
            "    case ONE_C: return 1;\n    default: return 2;\n  }\n}\n"
        ),
    },
    {"kind.h": "#pragma once\nenum kind_c { ONE_C, TWO_C, THREE_C };\n"},
)


def below(folder: str, files: Files) -> Files:
    return {f"{folder}/{path}": text for path, text in files.items()}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[tuple[str, int]]]:
    """What `check` says of each case: path and line."""
    root = tmp_path_factory.mktemp("members") / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name, (before, _) in CASES.items():
        plain = {path: MARK.sub("", text) for path, text in before.items()}
        write(root, below(name, plain))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    found: dict[str, set[tuple[str, int]]] = {name: set() for name in CASES}
    with product(tmp_path_factory.mktemp("home")) as made:
        made.index(root)
        for name, (_, after) in CASES.items():
            write(root, below(name, {p: MARK.sub("", text) for p, text in after.items() if text}))
            for path in (path for path, text in after.items() if not text):
                (root / name / path).unlink()
        answer = made.json(
            "check", "--project", str(root), "--wait", "50", "--no-diagnostics", "-n", "10000"
        )
    for each in answer["results"]:
        folder, _, path = each["path"].partition("/")
        found[folder].add((path, each["line"]))
    return found


def marked(name: str) -> set[tuple[str, int]]:
    before, after = CASES[name]
    return {
        (path, number)
        for path, text in (before | after).items()
        for number, line in enumerate(text.split("\n"), 1)
        if MARK.search(line)
    }


@pytest.mark.parametrize("name", CASES)
def test_what_is_left_behind_is_told_and_nothing_else(
    name: str, told: dict[str, set[tuple[str, int]]]
) -> None:
    assert told[name] == marked(name)
