"""Corners of types: what they inherit, how values of them are made, and their members.

Frames as in `edge_cases`.
"""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["TYPE_EDGE_CASES"]

TYPE_EDGE_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "e_super": Case(
            "class Box:\n    def __init__(self, a): pass\n",
            "class Box:\n    def __init__(self, a, b): pass\n",
            "class One(Box):\n    def __init__(self):\n        super().__init__(1)  #!\n"
            "class Two(Box):\n    def __init__(self):\n        Box.__init__(self, 1)  #!\n"
            "class Three(Box):\n    def __init__(self):\n        super().__init__(1, 2)\n"
            "class Four(Box): pass\nFour(1)  #!\nFour(1, 2)\nOne()\n",
        ),
        "e_factory": Case(
            "class Box:\n    def __init__(self, a): pass\n    @classmethod\n"
            "    def of(cls, a):\n        return cls(a)\n",
            "class Box:\n    def __init__(self, a, b): pass\n    @classmethod\n"
            "    def of(cls, a):\n        return cls(a)  #!\n",
            "Box.of(1)\n",
        ),
        "e_static": Case(
            "class Box:\n    def put(self, a): pass\n",
            "class Box:\n    @staticmethod\n    def put(a): pass\n",
            "box = Box()\nbox.put(1)\nBox.put(1)\nBox.put(box, 1)  #!\n",
        ),
        "e_class_method": Case(
            "class Box:\n    @staticmethod\n    def put(a): pass\n",
            "class Box:\n    @classmethod\n    def put(cls, a): pass\n",
            "box = Box()\nbox.put(1)\nBox.put(1)\n",
        ),
        "e_exception": Case(
            "class Box(Exception):\n    def __init__(self, a): pass\n",
            "class Box(Exception):\n    def __init__(self, a, code): pass\n",
            "def run():\n    raise Box('x')  #!\n",
        ),
        "e_new": Case(
            "class Box:\n    def __new__(cls, a): pass\n",
            "class Box:\n    def __new__(cls, a, b): pass\n",
            "Box(1)  #!\nBox(1, 2)\n",
        ),
        "e_field_below": Case(
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    a: int\n",
            "from dataclasses import dataclass, field\n@dataclass\nclass Box:\n    a: int\n"
            "    b: list = field(default_factory=list)\n    c: int = field(init=False)\n"
            "    d: 'ClassVar[int]'\n",
            "Box(1)\nBox(1, [])\n@dataclass\nclass Sub(Box):\n    e: int = 1\nSub(1)\n",
        ),
        "e_post_init": Case(
            "from dataclasses import dataclass, InitVar\n@dataclass\nclass Box:\n    a: int\n"
            "    def __post_init__(self): pass\n",
            "from dataclasses import dataclass, InitVar\n@dataclass\nclass Box:\n    a: int\n"
            "    b: InitVar[int]\n    def __post_init__(self, b): pass\n",
            "Box(1)  #!\nBox(1, 2)\n",
        ),
        "e_metaclass": Case(
            "class Meta(type):\n    def __call__(cls, *a): pass\n"
            "class Box(metaclass=Meta):\n    def __init__(self, a): pass\n",
            "class Meta(type):\n    def __call__(cls, *a): pass\n"
            "class Box(metaclass=Meta):\n    def __init__(self, a, b): pass\n",
            "Box(1)\n",
        ),
        "e_property": Case(
            "class Box:\n    def put(self): return 1\n",
            "class Box:\n    @property\n    def put(self): return 1\n",
            "box = Box()\nbox.put()  #!\nbox.put\n",
        ),
        "e_unproperty": Case(
            "class Box:\n    @property\n    def put(self): return 1\n",
            "class Box:\n    def put(self, a): return 1\n",
            "box = Box()\nx = box.put\nbox.put(1)\n",
        ),
    },
    "typescript": {
        "e_super": Case(
            "export class Box { constructor(a: number) {} }\n",
            "export class Box { constructor(a: number, b: number) {} }\n",
            "class One extends lib.Box {\n  constructor() {\n    super(1);  //!\n  }\n}\n"
            "class Two extends lib.Box {}\nnew Two(1);  //!\nnew Two(1, 2);\nnew One();\n",
        ),
        "e_static": Case(
            "export class Box {\n  static put(a: number) {}\n  run() { Box.put(1); }\n}\n",
            "export class Box {\n  static put(a: number, b: number) {}\n"
            "  run() { Box.put(1); }  //!\n}\n",
            "lib.Box.put(1);  //!\nlib.Box.put(1, 2);\n",
        ),
        "e_interface": Case(
            "export interface Box { put(a: number): void; }\n",
            "export interface Box { put(a: number, b: number): void; }\n",
            "export class One implements lib.Box {\n  put(a: number, b: number) {}\n}\n"
            "function run(b: lib.Box) {\n  b.put(1);  //!\n  b?.put(1);  //!\n  b.put(1, 2);\n}\n",
        ),
        "e_abstract": Case(
            "export abstract class Box { abstract put(a: number): void; }\n",
            "export abstract class Box { abstract put(): void; }\n",
            "export class One extends lib.Box {\n  put(a: number) {}  //!\n}\n",
        ),
        "e_object": Case(
            "export const Box = {\n  put(a: number) {},\n  all: (a: number) => a,\n};\n",
            "export const Box = {\n  put(a: number, b: number) {},\n"
            "  all: (a: number, b: number) => a,\n};\n",
            "lib.Box.put(1);  //!\nlib.Box.put(1, 2);\nlib.Box.all(1);  //!\n",
        ),
        "e_this": Case(
            "export function f(this: Window, a: number) {}\n",
            "export function f(this: Window, a: number, b: number) {}\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "e_getter": Case(
            "export class Box { put() { return 1; } }\n",
            "export class Box { get put() { return 1; } }\n",
            "const box = new lib.Box();\nbox.put();  //!\nbox.put;\n",
        ),
    },
    "go": {
        "e_interface": Case(
            "type Box interface{ Put(a int) }\ntype One struct{}\nfunc (One) Put(a int) {}\n",
            "type Box interface{ Put(a, b int) }\ntype One struct{}\n"
            "func (One) Put(a int) {} //!\n",
            "var _ Box = One{}\nfunc use(b Box) {\n  b.Put(1) //!\n  b.Put(1, 2)\n}\n"
            "func other(o One) { o.Put(1) }\n",
        ),
        "e_embedded": Case(
            "type Box struct{}\nfunc (b *Box) Put(a int) {}\ntype Outer struct{ Box }\n",
            "type Box struct{}\nfunc (b *Box) Put(a, c int) {}\ntype Outer struct{ Box }\n",
            "func use(o *Outer) {\n  o.Put(1) //!\n  o.Put(1, 2)\n  o.Box.Put(1) //!\n}\n",
        ),
    },
    "rust": {
        "e_trait": Case(
            "pub trait Box2 { fn put(&self, a: u8); }\n"
            "pub struct One;\nimpl Box2 for One { fn put(&self, a: u8) {} }\n",
            "pub trait Box2 { fn put(&self, a: u8, b: u8); }\n"
            "pub struct One;\nimpl Box2 for One { fn put(&self, a: u8) {} } //!\n",
            "fn run(b: &dyn Box2) {\n  b.put(1); //!\n  b.put(1, 2);\n}\n"
            "fn gen<T: Box2>(b: T) {\n  b.put(1); //!\n  T::put(&b, 1); //!\n"
            "  T::put(&b, 1, 2);\n}\n",
        ),
        "e_new": Case(
            "pub struct Box2;\nimpl Box2 {\n  pub fn new(a: u8) -> Self { Box2 }\n"
            "  pub fn of() -> Self { Self::new(1) }\n}\n",
            "pub struct Box2;\nimpl Box2 {\n  pub fn new(a: u8, b: u8) -> Self { Box2 }\n"
            "  pub fn of() -> Self { Self::new(1) } //!\n}\n",
            "fn run() {\n  Box2::new(1); //!\n  Box2::new(1, 2);\n"
            "  let v: Vec<_> = x.map(Box2::new);\n}\n",
        ),
        "e_variant": Case(
            "pub enum Box2 { One(u8), Two { a: u8 } }\n",
            "pub enum Box2 { One(u8, u8), Two { a: u8, b: u8 } }\n",
            "fn run(b: Box2) {\n  Box2::One(1); //!\n  Box2::One(1, 2);\n"
            "  Box2::Two { a: 1 }; //!\n"
            "  match b { Box2::One(_, _) => {}, Box2::Two { a, .. } => {} }\n}\n",
        ),
        "e_self": Case(
            "pub struct Box2;\nimpl Box2 { pub fn put(a: u8) {} }\n",
            "pub struct Box2;\nimpl Box2 { pub fn put(&self, a: u8) {} }\n",
            "fn run(b: Box2) {\n  Box2::put(1); //!\n  b.put(1);\n  Box2::put(&b, 1);\n}\n",
        ),
    },
    "java": {
        "e_super": Case(
            "class Lib { Lib(int a) {} }\n",
            "class Lib { Lib(int a, int b) {}\n  Lib() { this(1); } //!\n}\n",
            "class Use extends Lib { Use() {\n  super(1); //!\n} }\n"
            "class Two extends Lib { Two() {\n  super(1, 2);\n} }\n"
            "class Three { Object o = new Lib(1) { }; } //!\n",
        ),
        "e_interface": Case(
            "interface Lib { void put(int a); }\n",
            "interface Lib { void put(int a, int b); }\n",
            "class Use implements Lib {\n  public void put(int a) {} //!\n}\n"
            "class Two { void run(Lib b) {\n  b.put(1); //!\n  b.put(1, 2);\n"
            "  Lib c = (x) -> {};\n} }\n",
        ),
        "e_enum": Case(
            "enum Lib {\n  A(1), B(2, 3);\n  Lib(int a) {}\n  Lib(int a, int b) {}\n}\n",
            "enum Lib {\n  A(1), //!\n  B(2, 3);\n  Lib(int a, int b) {}\n}\n",
            "class Use {}\n",
        ),
        "e_diamond": Case(
            "class Lib<T> { Lib(T a) {} }\n",
            "class Lib<T> { Lib(T a, T b) {} }\n",
            'class Use { void run() {\n  new Lib<>(""); //!\n  new Lib<String>(""); //!\n'
            '  new Lib<>("", "");\n} }\n',
        ),
        "e_overridden": Case(
            "class Lib { void put(int a) {} void put(int a, int b) {} }\n",
            "class Lib { void put(int a, int b) {} }\n",
            "class Use extends Lib {\n  void put(int a) {}\n  void run() { put(1); }\n"
            "  void two() { super.put(1); } //!\n}\n",
        ),
    },
    "c": {
        "e_static": Case(
            "static int f(int a) { return a; }\nint use1(void) { return f(1); }\n",
            "static int f(int a, int b) { return a; }\nint use1(void) { return f(1); } //!\n",
            "static int f(int a) { return a; }\nvoid run(void) { f(1); }\n",
        ),
    },
    "cpp": {
        "e_base": Case(
            "class Box { public: Box(int a) {} };\n",
            "class Box { public: Box(int a, int b) {} };\n",
            "class One : public Box { public:\n  One() : Box(1) {} //!\n"
            "  One(int a) : Box(1, 2) {}\n};\n"
            "void run() {\n  auto b = std::make_unique<Box>(1, 2);\n  Box(1); //!\n}\n",
        ),
        "e_virtual": Case(
            "class Box { public: virtual void put(int a) = 0; };\n",
            "class Box { public: virtual void put(int a, int b) = 0; };\n",
            "class One : public Box { public:\n  void put(int a) override {} //!\n};\n"
            "void run(Box &b) {\n  b.put(1); //!\n  b.put(1, 2);\n}\n",
        ),
    },
    "csharp": {
        "e_base": Case(
            "class Lib { public Lib(int a) {} }\n",
            "class Lib { public Lib(int a, int b) {} }\n",
            "class Use : Lib {\n  Use() : base(1) {} //!\n  Use(int x) : base(1, 2) {}\n"
            "  Use(string s) : this() {}\n}\nclass Two { Lib l = new(1, 2); }\n",
        ),
        "e_interface": Case(
            "interface Lib { void Put(int a); }\n",
            "interface Lib { void Put(int a, int b); }\n",
            "class Use : Lib {\n  public void Put(int a) {} //!\n}\n"
            "class Two { void Run(Lib b) {\n  b.Put(1); //!\n  b?.Put(1); //!\n"
            "  b.Put(1, 2);\n} }\n",
        ),
        "e_primary": Case(
            "class Lib(int a) { public int A => a; }\n",
            "class Lib(int a, int b) { public int A => a + b; }\n",
            "class Use { object o = new Lib(1); //!\n  object p = new Lib(1, 2) { };\n}\n"
            "class Sub(int x) : Lib(x, 1);\nclass Sub2(int x) : Lib(x); //!\n",
        ),
        "e_initializer": Case(
            "record Lib { public int A { get; init; } }\n",
            "record Lib { public int A { get; init; }\n public int B { get; init; } }\n",
            "class Use { Lib l = new Lib { A = 1 }; Lib m = new() { A = 2 }; }\n",
        ),
    },
    "php": {
        "e_parent": Case(
            "class Box { function __construct($a) {}\n"
            "  static function of($a) { return new static($a); } }\n",
            "class Box { function __construct($a, $b) {}\n"
            "  static function of($a) { return new static($a); } //!\n}\n",
            "class One extends Box { function __construct() {\n  parent::__construct(1); //!\n} }\n"
            "class Two extends Box {}\nnew Two(1); //!\nnew Two(1, 2);\nnew Box(a: 1); //!\n",
        ),
        "e_interface": Case(
            "interface Box { function put($a); }\n",
            "interface Box { function put($a, $b); }\n",
            "class One implements Box {\n  function put($a) {} //!\n}\n"
            "function run(Box $b) {\n  $b->put(1); //!\n  $b?->put(1); //!\n  $b->put(1, 2);\n}\n",
        ),
        "e_static": Case(
            "class Box { static function put($a) {}\n  function go() { self::put(1); } }\n",
            "class Box { static function put($a, $b) {}\n"
            "  function go() { self::put(1); } //!\n}\n",
            "Box::put(1); //!\nBox::put(1, 2);\n",
        ),
    },
    "ruby": {
        "e_super": Case(
            "class Box\n  def initialize(a) = @a = a\nend\n",
            "class Box\n  def initialize(a, b) = @a = a\nend\n",
            "class One < Box\n  def initialize(a)\n    super(a) #!\n  end\nend\n"
            "class Two < Box\n  def initialize(a, b)\n    super\n  end\nend\n"
            "class Three < Box; end\nThree.new(1) #!\nThree.new 1, 2\n",
        ),
        "e_singleton": Case(
            "class Box\n  class << self\n    def put(a) = a\n  end\n  def self.all(a) = a\nend\n",
            "class Box\n  class << self\n    def put(a, b) = a\n  end\n"
            "  def self.all(a, b) = a\nend\n",
            "Box.put(1) #!\nBox.put(1, 2)\nBox.all(1) #!\nBox.all(1, 2)\n",
        ),
    },
    "kotlin": {
        "e_base": Case(
            "open class Box(val a: Int)\n",
            "open class Box(val a: Int, val b: Int)\n",
            "class One : Box(1) //!\nclass Two : Box(1, 2)\nval o = object : Box(1) {} //!\n"
            "class Three : Box {\n  constructor() : super(1) //!\n}\n",
        ),
        "e_interface": Case(
            "interface Box { fun put(a: Int) }\n",
            "interface Box { fun put(a: Int, b: Int) }\n",
            "class One : Box {\n  override fun put(a: Int) {} //!\n}\n"
            "fun run(b: Box?) {\n  b?.put(1) //!\n  b!!.put(1) //!\n  b?.put(1, 2)\n}\n",
        ),
        "e_extension": Case(
            "interface Box { fun put(a: Int, b: Int = 1) }\n",
            "interface Box { fun put(a: Int) }\n"
            "fun <T : Any> Box.put(a: Int, b: T): T { put(a); return b }\n",
            "fun run(b: Box) {\n  b.put(1, 2)\n  b.put(1)\n  b.put(1, 2, 3) //!\n}\n",
            uses_before="fun run(b: Box) {\n  b.put(1, 2)\n  b.put(1)\n}\n",
        ),
        "e_defaults": Case(
            "interface Box { fun put(a: Int, b: Int = 1) }\n",
            "interface Box { fun put(a: Int, c: Int, b: Int = 1) }\n",
            "class One : Box {\n  override fun put(a: Int, b: Int) {} //!\n}\n"
            "class Two : Box {\n  override fun put(a: Int, c: Int, b: Int) {}\n}\n",
        ),
        "e_companion": Case(
            "class Box {\n  companion object {\n    fun put(a: Int) {}\n  }\n}\n",
            "class Box {\n  companion object {\n    fun put(a: Int, b: Int) {}\n  }\n}\n",
            "fun run() {\n  Box.put(1) //!\n  Box.put(1, 2)\n}\n",
        ),
        "e_enum": Case(
            "enum class Box(val a: Int) {\n  A(1)\n}\n",
            "enum class Box(val a: Int, val b: Int) {\n  A(1), //!\n  B(1, 2)\n}\n",
            "fun run() {}\n",
        ),
        "e_copy": Case(
            "data class Box(val a: Int, val b: Int = 1)\n",
            "data class Box(val a: Int, val c: Int = 1)\n",
            "fun run(x: Box) {\n  x.copy(c = 1)\n  Box(1, b = 2) //!\n  Box(1)\n}\n",
        ),
    },
}  # fmt: skip
