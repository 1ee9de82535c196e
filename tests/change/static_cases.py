"""Members that belonged to the type itself and belong to its values now, and the other way round.

Frames as in `edge_cases`.
"""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["STATIC_CASES"]

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
