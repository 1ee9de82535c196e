"""What functions return, and what values of types are made of, before and after a change.

Frames as in `cases`.
"""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["RESULT_CASES"]

RESULT_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "chosen": Case(
            "def f(a):\n    return a + 1\n",
            "def f(a):\n    print(a)\n",
            "x = f(1) if y else 2  #!\nif f(1): pass  #!\nx = [f(1) for _ in y]  #!\n"
            "x = rf'{f(1)}'  #!\nx = y or f(1)  #!\ny and f(1)\nx = not f(1)  #!\n"
            "f(1) if y else g()\nx = {'a': (y, f(1))}  #!\nassert f(1)  #!\n"
            "x = 2 if f(1) else 3  #!\nwhile f(1): pass  #!\nx = lambda: f(1)\n",
        ),
        "chosen_by": Case(
            "def f(a):\n    return a + 1\n",
            "def f(a):\n    return a, 1\n",
            "if f(1): pass  #!\nx = not f(1)  #!\nx = f(1) if y else 2\nx = [f(1)]\n",
        ),
        "to_none": Case(
            "def f(a):\n    return a + 1\n", "def f(a):\n    print(a)\n", "x = f(1)  #!\nf(1)\n"
        ),
        "to_tuple": Case(
            "def f(a):\n    return a\n",
            "def f(a):\n    return a, None\n",
            "x = f(1).y  #!\nx, y = f(1)\nx, y, z = f(1)  #!\nx = f(1)\n",
        ),
        "to_tuple_held": Case(
            "def f(a):\n    return a\n",
            "def f(a):\n    return a, None\n",
            "def one():\n    x = f(1)  #!\n    return x.y\n\n\n"
            "def two():\n    x = f(1)\n    a, b = x\n    return x[0]\n\n\n"
            "def again():\n    x = f(1)\n    x = g()\n    return x.y\n\n\n"
            "def handed():\n    x = f(1)\n    print(x)\n",
        ),
        "still_none": Case(
            "def f(a):\n    print(a)\n", "def f(a):\n    print(a, a)\n", "x = f(1)\n"
        ),
        "generator": Case(
            "def f(a):\n    return [a]\n", "def f(a):\n    yield a\n", "for x in f(1): pass\n"
        ),
        "field": Case(
            "from dataclasses import dataclass\n@dataclass\nclass Box:\n    a: int\n"
            "    b: int = 1\n",
            "from dataclasses import dataclass\n@dataclass\nclass Box:\n    a: int\n    c: int\n"
            "    b: int = 1\n",
            "Box(1)  #!\nBox(1, c=2)\nBox(a=1)  #!\n",
        ),
        "named_tuple": Case(
            "from typing import NamedTuple\nclass Box(NamedTuple):\n    a: int\n",
            "from typing import NamedTuple\nclass Box(NamedTuple):\n    a: int\n    b: int\n",
            "Box(1)  #!\nBox(1, 2)\n",
        ),
        "constructor": Case(
            "class Box:\n    def __init__(self, a): pass\n",
            "class Box:\n    def __init__(self, a, b): pass\n",
            "Box(1)  #!\nBox(1, 2)\n",
        ),
    },
    "typescript": {
        "chosen": Case(
            "export function f(a: number): number { return a; }\n",
            "export function f(a: number): void { a; }\n",
            "const x = y ? lib.f(1) : 2;  //!\nif (lib.f(1)) {}  //!\ny && lib.f(1);\n"
            "const z = [lib.f(1)];  //!\nconst w = y || (lib.f(1) as any);  //!\n"
            "g(lib.f(1));  //!\n"
            "void lib.f(1);\nfor (const v of lib.f(1)) {}  //!\ny ? lib.f(1) : g();\n"
            "const u = () => lib.f(1);\nswitch (lib.f(1)) {}  //!\nlib.f(1) || g();  //!\n"
            "for (lib.f(1); y; lib.f(1)) {}\n",
        ),
        "to_none": Case(
            "export function f(a: number): number { return a; }\n",
            "export function f(a: number): void { a; }\n",
            "const x = lib.f(1);  //!\nlib.f(1);\n",
        ),
        "to_tuple": Case(
            "export function f(a: number): Point { return p; }\n",
            "export function f(a: number): [Point, number] { return [p, 1]; }\n",
            "const x = lib.f(1).y;  //!\nconst [a, b] = lib.f(1);\n"
            "const [c, d, e] = lib.f(1);  //!\n",
        ),
        "constructor": Case(
            "export class Box { constructor(readonly a: number) {} }\n",
            "export class Box { constructor(readonly a: number, readonly b: number) {} }\n",
            "new lib.Box(1);  //!\nnew lib.Box(1, 2);\n",
        ),
    },
    "javascript": {
        "constructor": Case(
            "export class Box { constructor(a) { this.a = a; } }\n",
            "export class Box { constructor(a, b) { this.a = a + b; } }\n",
            "new lib.Box(1);  //!\nnew lib.Box(1, 2);\n",
        ),
    },
    "go": {
        "chosen": Case(
            "type Box struct{}\nfunc F(a int) bool { return true }\n",
            "type Box struct{}\nfunc F(a int) (bool, error) { return true, nil }\n",
            "if F(1) { //!\n}\nG(1, F(1)) //!\nfor F(1) { //!\n}\nx := !F(1) //!\n"
            "m := []bool{F(1)} //!\nif ok, err := F(1); ok {\n}\nswitch F(1) { //!\n}\n"
            "h := func() bool { return F(1) } //!\ni := func() (bool, error) { return F(1) }\n"
            "j := func() (bool, int) { return F(1), 2 } //!\ngo F(1)\nx, y := F(1), 2 //!\n",
        ),
        "to_none": Case(
            "type Box struct{}\nfunc F(a int) int { return a }\n",
            "type Box struct{}\nfunc F(a int) {}\n",
            "x := F(1) //!\nF(1)\nG(F(2)) //!\n",
        ),
        "to_tuple": Case(
            "type Box struct{}\nfunc F(a int) int { return a }\n",
            "type Box struct{}\nfunc F(a int) (int, error) { return a, nil }\n",
            "x := F(1) //!\ny, err := F(1)\nz := F(1) + 2 //!\nF(1)\n",
        ),
        "field": Case(
            "type Box struct { A int }\n",
            "type Box struct { A int; B int }\n",
            "_ = Box{1} //!\n_ = Box{1, 2}\n_ = Box{A: 1}\n_ = &Box{1} //!\n",
        ),
        "field_renamed": Case(
            "type Box struct { A int; C int }\n",
            "type Box struct { B int; C int }\n",
            "_ = Box{A: 1} //!\n_ = Box{B: 1}\n",
        ),
    },
    "rust": {
        "chosen": Case(
            "pub struct Box2;\npub fn f(a: u8) -> u8 { a }\n",
            "pub struct Box2;\npub fn f(a: u8) {}\n",
            "let x = if y { f(1) } else { 2 }; //!\nif y { f(1) }\nmatch f(1) { _ => {} } //!\n"
            "let x = match y { 1 => f(1), _ => 2 }; //!\nx = f(1); //!\nlet x = [f(1)]; //!\n"
            "match y { 1 => f(1), _ => {} };\nwhile f(1) {} //!\nx = !f(1); //!\n",
        ),
        "to_none": Case(
            "pub struct Box2;\npub fn f(a: u8) -> u8 { a }\n",
            "pub struct Box2;\npub fn f(a: u8) {}\n",
            "let x = f(1); //!\nf(1);\n",
        ),
        "to_tuple": Case(
            "pub struct Box2;\npub fn f(a: u8) -> u8 { a }\n",
            "pub struct Box2;\npub fn f(a: u8) -> (u8, u8) { (a, a) }\n",
            "let x = f(1) + 1; //!\nlet (x, y) = f(1);\nlet (x, y, z) = f(1); //!\n",
        ),
        "field": Case(
            "pub struct Box2 { pub a: u8 }\n",
            "pub struct Box2 { pub a: u8, pub b: u8 }\n",
            "Box2 { a: 1 }; //!\nBox2 { a: 1, b: 2 };\nBox2 { a: 1, ..b };\n",
        ),
        "optional_field": Case(
            "pub struct Box2 { pub a: u8 }\n",
            "pub struct Box2 { pub a: u8, #[cfg(unix)] pub b: u8, pub c: u8 }\n",
            "Box2 { a: 1 }; //!\nlet c = 1;\nBox2 { a: 1, #[cfg(unix)] b, #[cfg(all())] c };\n"
            "Box2 { a: 1, c };\n",
        ),
        "tuple_field": Case(
            "pub struct Box2(pub u8);\n",
            "pub struct Box2(pub u8, pub u8);\n",
            "Box2(1); //!\nBox2(1, 2);\n",
        ),
    },
    "java": {
        "chosen": Case(
            "class Lib { static int f(int a) { return a; } }\n",
            "class Lib { static void f(int a) {} }\n",
            "int x = y ? Lib.f(1) : 2; //!\nif (Lib.f(1) > 1) {} //!\n"
            "for (Lib.f(1); y; Lib.f(1)) {}\n"
            "x = (long) Lib.f(1); //!\nint[] z = {Lib.f(1)}; //!\nswitch (Lib.f(1)) {} //!\n"
            "run(() -> Lib.f(1));\nreturn Lib.f(1); //!\n",
        ),
        "to_none": Case(
            "class Lib { static int f(int a) { return a; } }\n",
            "class Lib { static void f(int a) {} }\n",
            "int x = Lib.f(1); //!\nLib.f(1);\n",
        ),
        "constructor": Case(
            "class Lib { Lib(int a) {} }\n",
            "class Lib { Lib(int a, int b) {} }\n",
            "new Lib(1); //!\nnew Lib(1, 2);\n",
        ),
        "field": Case(
            "record Lib(int a) {}\n",
            "record Lib(int a, int b) {}\n",
            "new Lib(1); //!\nnew Lib(1, 2);\n",
        ),
    },
    "c": {
        "chosen": Case(
            "int f(int a) { return a; }\n",
            "void f(int a) {}\n",
            "int x = y ? f(1) : 2; //!\nif (f(1)) {} //!\n(void) f(1);\nx = z[f(1)]; //!\n"
            "for (f(1); y; f(1)) {}\nwhile (!f(1)) {} //!\n",
        ),
        "to_none": Case(
            "int f(int a) { return a; }\n", "void f(int a) {}\n", "int x = f(1); //!\nf(1);\n"
        ),
        "handed_on": Case(
            "int f(int a) { return a; }\n", "void f(int a) {}\n", "return f(1); //!\n"
        ),
    },
    "cpp": {
        "to_none": Case(
            "class Box {};\ninline int f(int a) { return a; }\n",
            "class Box {};\ninline void f(int a) {}\n",
            "int x = f(1); //!\nf(1);\n",
        ),
        "constructor": Case(
            "class Box { public: Box(int a) {} };\n",
            "class Box { public: Box(int a, int b) {} };\n",
            "new Box(1); //!\nnew Box(1, 2);\n",
        ),
    },
    "csharp": {
        "chosen": Case(
            "class Lib { public static int F(int a) { return a; } }\n",
            "class Lib { public static void F(int a) {} }\n",
            'var x = y ? Lib.F(1) : 2; //!\nvar s = $"{Lib.F(1)}"; //!\nif (Lib.F(1) > 1) {} //!\n'
            "var z = y ?? Lib.F(1); //!\nvar t = y switch { 1 => Lib.F(1), _ => 2 }; //!\n"
            "Action w = () => Lib.F(1);\nforeach (var v in Lib.F(1)) {} //!\n",
        ),
        "to_none": Case(
            "class Lib { public static int F(int a) { return a; } }\n",
            "class Lib { public static void F(int a) {} }\n",
            "var x = Lib.F(1); //!\nLib.F(1);\n",
        ),
        "to_tuple": Case(
            "class Lib { public static int F(int a) { return a; } }\n",
            "class Lib { public static (int, int) F(int a) { return (a, a); } }\n",
            "var x = Lib.F(1) + 1; //!\nvar (y, z) = Lib.F(1);\nvar (u, v, w) = Lib.F(1); //!\n",
        ),
        "constructor": Case(
            "class Lib { public Lib(int a) {} }\n",
            "class Lib { public Lib(int a, int b) {} }\n",
            "new Lib(1); //!\nnew Lib(1, 2);\n",
        ),
        "field": Case(
            "record Lib(int A);\n",
            "record Lib(int A, int B);\n",
            "new Lib(1); //!\nnew Lib(1, 2);\n",
        ),
    },
    "php": {
        "chosen": Case(
            "function f($a): int { return $a; }\n",
            "function f($a): void {}\n",
            "$x = $y ? f(1) : 2; //!\nif (f(1)) {} //!\n$x = ['a' => f(1)]; //!\necho f(1); //!\n"
            "$y && f(1);\n$x = $y ?? f(1); //!\n$x = match ($y) { 1 => f(1) }; //!\n"
            "$x = fn() => f(1);\nmatch ($y) { 1 => f(1) };\n"
            "for (f(1); $y; f(1)) {}\nfor (; f(1);) {} //!\n",
        ),
        "to_none": Case(
            "function f($a): int { return $a; }\n",
            "function f($a): void {}\n",
            "$x = f(1); //!\nf(1);\n",
        ),
        "constructor": Case(
            "class Box { function __construct(private int $a) {} }\n",
            "class Box { function __construct(private int $a, private int $b) {} }\n",
            "new Box(1); //!\nnew Box(1, 2);\n",
        ),
    },
    "ruby": {
        "constructor": Case(
            "class Box\n  def initialize(a) = @a = a\nend\n",
            "class Box\n  def initialize(a, b) = @a = a\nend\n",
            "Box.new(1) #!\nBox.new(1, 2)\n",
        ),
    },
    "kotlin": {
        "chosen": Case(
            "class Box\nfun f(a: Int): Int { return a }\n",
            "class Box\nfun f(a: Int) {}\n",
            "val x = if (y) f(1) else 2 //!\nif (y) f(1) else g()\nval z = y to f(1) //!\n"
            'val s = "${f(1)}" //!\nval e = y ?: f(1) //!\nif (f(1) > 2) {} //!\n'
            "val w = when (y) { 1 -> f(1) else -> 2 } //!\nval l = { f(1) }\n"
            "if (f(1) == 2) {} //!\n",
        ),
        "to_none": Case(
            "class Box\nfun f(a: Int): Int { return a }\n",
            "class Box\nfun f(a: Int) {}\n",
            "val x = f(1) //!\nf(1)\n",
        ),
        "field": Case(
            "data class Box(val a: Int)\n",
            "data class Box(val a: Int, val b: Int)\n",
            "Box(1) //!\nBox(1, 2)\n",
        ),
    },
}
