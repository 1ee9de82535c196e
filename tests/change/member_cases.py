"""Members that a change renames, called on values whose type only the graph knows.

Frames as in `edge_cases`. A call on a value of unknown type counts in languages that write no
types, for a name of several words that the project has once, as these have with their cases' names.
"""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["MEMBER_CASES"]

MEMBER_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "m_returned": Case(
            "class Box:\n    def f(self): return 1\ndef make() -> Box: return Box()\n",
            "class Box:\n    def g(self): return 1\ndef make() -> Box: return Box()\n",
            "def use():\n    it = make()\n    it.f()  #!\ndef other(thing):\n    thing.f()  #!\n",
        ),
        "m_common": Case(
            "class Box:\n    def get(self): return 1\ndef make() -> Box: return Box()\n",
            "class Box:\n    def fetch_all(self): return 1\ndef make() -> Box: return Box()\n",
            "def use():\n    make().get()  #!\ndef other(thing):\n    thing.get('a')\n",
        ),
        "m_unknown": Case(
            "class Box:\n    def f(self): return 1\ndef make() -> Box: return Box()\n",
            "class Box:\n    def g(self): return 1\ndef make() -> Box: return Box()\n",
            "def use(thing):\n    thing.f()  #!\n    make().f()  #!\n",
        ),
        "m_deleted_type": Case(
            "class Box:\n    def f(self): return 1\n",
            "",
            "def use(box: Box):  #!\n    box.f()  #!\n",
        ),
        "m_other_now": Case(
            "class Box:\n    def f(self): return 1\nclass Box2:\n    def f(self): return 1\n"
            "def make() -> Box: return Box()\n",
            "class Box:\n    def g(self): return 1\nclass Box2:\n    def f(self): return 1\n"
            "def make() -> Box2: return Box2()\n",
            "def use():\n    make().f()\n",
        ),
    },
    "typescript": {
        "m_returned": Case(
            "export class Box { f() { return 1; } }\n"
            "export function make(): Box { return new Box(); }\n",
            "export class Box { g() { return 1; } }\n"
            "export function make(): Box { return new Box(); }\n",
            "export function use() {\n  const it = lib.make();\n  it.f(); //!\n}\n"
            "export function other(thing: any) {\n  thing.f();\n}\n",
        ),
    },
    "go": {
        "m_returned": Case(
            "type Box struct{}\nfunc (b *Box) f() int { return 1 }\n"
            "func mk() *Box { return &Box{} }\n",
            "type Box struct{}\nfunc (b *Box) g() int { return 1 }\n"
            "func mk() *Box { return &Box{} }\n",
            "func use() {\n\tit := mk()\n\tit.f() //!\n}\n",
        ),
    },
    "rust": {
        "m_returned": Case(
            "pub struct Box2;\nimpl Box2 { pub fn f(&self) -> i32 { 1 } }\n"
            "pub fn make() -> Box2 { Box2 }\n",
            "pub struct Box2;\nimpl Box2 { pub fn g(&self) -> i32 { 1 } }\n"
            "pub fn make() -> Box2 { Box2 }\n",
            "pub fn run() {\n    let it = make();\n    it.f(); //!\n}\n",
        ),
    },
    "java": {
        "m_two_of_the_name": Case(
            "class Box { int f() { return 1; } }\nclass Box2 { int f() { return 2; } }\n",
            "class Box { int g() { return 1; } }\nclass Box2 { int f() { return 2; } }\n",
            "class Use {\n  private final Box box;\n  Use(Box box) { this.box = box; }\n"
            "  void run(Box2 other) {\n    box.f(); //!\n    other.f();\n  }\n}\n",
        ),
        "m_returned": Case(
            "class Box { int f() { return 1; } static Box make() { return new Box(); } }\n",
            "class Box { int g() { return 1; } static Box make() { return new Box(); } }\n",
            "class Use {\n  void run() {\n    var it = Box.make();\n    it.f(); //!\n  }\n}\n",
        ),
    },
    "csharp": {
        "m_returned": Case(
            "class Box { public int F() => 1; public static Box Make() => new Box(); }\n",
            "class Box { public int G() => 1; public static Box Make() => new Box(); }\n",
            "class Use {\n  void Run() {\n    var it = Box.Make();\n    it.F(); //!\n  }\n}\n",
        ),
    },
    "kotlin": {
        "m_returned": Case(
            "class Box { fun f(): Int = 1 }\nfun make(): Box = Box()\n",
            "class Box { fun g(): Int = 1 }\nfun make(): Box = Box()\n",
            "fun use() {\n    val each = make()\n    each.f() //!\n}\n",
        ),
    },
    "php": {
        "m_two_of_the_name": Case(
            "class Box { public function f() { return 1; } }\n"
            "class Box2 { public function f() { return 2; } }\n",
            "class Box { public function g() { return 1; } }\n"
            "class Box2 { public function f() { return 2; } }\n",
            "class Use_ {\n  private Box $box;\n  function run(Box2 $other) {\n"
            "    $this->box->f(); //!\n    $other->f();\n  }\n}\n",
        ),
        "m_returned": Case(
            "class Box { public function f() { return 1; } }\n"
            "function make(): Box { return new Box(); }\n",
            "class Box { public function g() { return 1; } }\n"
            "function make(): Box { return new Box(); }\n",
            "function run() {\n  $it = make();\n  $it->f(); //!\n}\n",
        ),
    },
    "cpp": {
        "m_returned": Case(
            "struct Box { int f() { return 1; } };\ninline Box make() { return Box(); }\n",
            "struct Box { int g() { return 1; } };\ninline Box make() { return Box(); }\n",
            "void use() {\n  auto it = make();\n  it.f(); //!\n}\n",
        ),
    },
    "ruby": {
        "m_returned": Case(
            "class Box\n  def f = 1\nend\n",
            "class Box\n  def g = 1\nend\n",
            "def use\n  it = Box.new\n  it.f #!\nend\n",
        ),
    },
}
