"""Members that belonged to the type itself and belong to its values now, and the other way round;
methods that are gone where a field has their name.

Frames as in `edge_cases`.
"""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["FIELD_CASES", "STATIC_CASES"]

STATIC_CASES: dict[str, dict[str, Case]] = {
    "java": {
        "s_of_values": Case(
            "class Box {\n  static int f(int a) { return a; }\n}\n",
            "class Box {\n  int f(int a) { return a; }\n}\n",
            "class Use {\n  int run(Box b) {\n    return Box.f(1) + //!\n      b.f(2);\n  }\n}\n",
        ),
    },
    "csharp": {
        "s_of_values": Case(
            "class Box {\n  public static int f(int a) { return a; }\n}\n",
            "class Box {\n  public int f(int a) { return a; }\n}\n",
            "class Use {\n  int Run(Box b) {\n    return Box.f(1); //!\n  }\n}\n",
        ),
        "s_of_type": Case(
            "class Box {\n  public int f(int a) { return a; }\n}\n",
            "class Box {\n  public static int f(int a) { return a; }\n}\n",
            "class Use {\n  int Run(Box b) {\n    return b.f(1); //!\n  }\n}\n",
        ),
    },
    "php": {
        "s_of_values": Case(
            "class Box {\n  public static function f($a) { return $a; }\n}\n",
            "class Box {\n  public function f($a) { return $a; }\n}\n",
            "function run() { return Box::f(1); } //!\n"
            "class Box2 extends Box {\n  function g() { return Box::f(1); }\n}\n",
        ),
        "s_of_type": Case(
            "class Box {\n  public function f($a) { return $a; }\n}\n",
            "class Box {\n  public static function f($a) { return $a; }\n}\n",
            "function run(Box $b) { return $b->f(1); }\n",
        ),
    },
    "typescript": {
        "s_of_values": Case(
            "export class Box {\n  static f(a: number) { return a }\n}\n",
            "export class Box {\n  f(a: number) { return a }\n}\n",
            "lib.Box.f(1) //!\nnew lib.Box()\n",
        ),
        "s_of_type": Case(
            "export class Box {\n  f(a: number) { return a }\n  g() { return this.f(1) }\n}\n",
            "export class Box {\n  static f(a: number) { return a }\n"
            "  static g() { return this.f(1) }\n}\n",
            "export function run(b: lib.Box) {\n  return b.f(1) //!\n}\n",
        ),
    },
    "ruby": {
        "s_of_values": Case(
            "class Box\n  def self.f(a) = a\nend\n",
            "class Box\n  def f(a) = a\nend\n",
            "Box.f(1) #!\n",
        ),
        "s_of_type": Case(
            "class Box\n  def f(a) = a\nend\n",
            "class Box\n  class << self\n    def f(a) = a\n  end\nend\n",
            "box = Box.new\nbox.f(1) #!\n",
        ),
    },
    "cpp": {
        "s_of_values": Case(
            "struct Box {\n  static int f(int a) { return a; }\n};\n",
            "struct Box {\n  int f(int a) { return a; }\n};\n",
            "int run() { return Box::f(1); } //!\n"
            "struct Box2 : Box {\n  int g() { return Box::f(1); }\n};\n",
        ),
    },
    "rust": {
        "s_of_type": Case(
            "pub struct Box2;\nimpl Box2 {\n    pub fn f(&self, a: u8) -> u8 { a }\n}\n",
            "pub struct Box2;\nimpl Box2 {\n    pub fn f(a: u8) -> u8 { a }\n}\n",
            "fn run(b: Box2) -> u8 {\n    b.f(1) //!\n}\n",
        ),
        "s_of_values": Case(
            "pub struct Box2;\nimpl Box2 {\n    pub fn f(a: u8) -> u8 { a }\n}\n",
            "pub struct Box2;\nimpl Box2 {\n    pub fn f(&self, a: u8) -> u8 { a }\n}\n",
            "fn run(b: Box2) -> u8 {\n    Box2::f(1) //!\n}\n",
        ),
    },
}

FIELD_CASES: dict[str, dict[str, Case]] = {
    "java": {
        "f_accessor": Case(
            "public class Box {\n  private int f;\n  public int f() { return f; }\n}\n",
            "public class Box {\n  private int f;\n  public int g() { return f; }\n"
            "  int h() { return this.f; }\n}\n",
            "class Use {\n  int run(Box b) {\n    return b.f(); //!\n  }\n}\n",
        ),
    },
    "kotlin": {
        "f_accessor": Case(
            "class Box {\n  private val f = 1\n  fun f(): Int = f\n}\n",
            "class Box {\n  private val f = 1\n  fun g(): Int = f\n}\n",
            "fun run(b: Box) = b.f() //!\n",
        ),
    },
    "php": {
        "f_accessor": Case(
            "class Box {\n  public $f = 1;\n  public function f() { return $this->f; }\n}\n",
            "class Box {\n  public $f = 1;\n  public function g() { return $this->f; }\n}\n",
            "function run(Box $b) {\n  $b->f(); //!\n  return $b->f;\n}\n",
        ),
    },
    "rust": {
        "f_accessor": Case(
            "pub struct Box2 { pub f: u8 }\nimpl Box2 {\n    pub fn f(&self) -> u8 { self.f }\n}\n",
            "pub struct Box2 { pub f: u8 }\nimpl Box2 {\n    pub fn g(&self) -> u8 { self.f }\n}\n",
            "fn run(b: Box2) -> u8 {\n    b.f +\n        b.f() //!\n}\n",
        ),
    },
    "ruby": {
        "f_accessor": Case(
            "class Box\n  def initialize\n    @f = 1\n  end\n  def f = @f\nend\n",
            "class Box\n  def initialize\n    @f = 1\n  end\n  def g = @f\nend\n",
            "Box.new.f #!\n",
        ),
        "f_reader": Case(
            "class Box\n  def initialize\n    @f = 1\n  end\n  def f = @f\nend\n",
            "class Box\n  attr_reader :f\n  def initialize\n    @f = 1\n  end\nend\n",
            "Box.new.f\n",
        ),
    },
}
