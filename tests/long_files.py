"""Files of strangers that are long in one way: thousands of links, levels or lines of one kind.

Possible in any language, written by generators, minifiers and people who want to do harm. Each case
is a text of a given number of parts, so that what a reader does can be compared for n and for 4n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["WRITINGS", "Writing", "cases"]

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Writing:
    """How a language writes what is repeated. `{i}` is the number of a part, `{p}` that of the one
    before it; empty where a language has no such thing."""

    path: str
    head: str = ""
    tail: str = ""
    body: Pair = ("", "")
    """Around statements."""
    end: str = ";\n"
    """Of a statement."""
    value: str = "x = {}"
    """A statement that holds a value."""
    variable: str = "x{i} = x{p}"
    member: str = ".b"
    called: str = ".b()"
    call: Pair = ("f(", ")")
    block: Pair = ("if (a) {\n", "}\n")
    function: str = ""
    same: str = ""
    parameters: Pair = ("", "")
    parameter: str = ""
    inherits: str = ""
    alias: str = ""
    imports: str = ""
    fields: Pair = ("", "")
    field: str = ""
    cases: Pair = ("", "")
    case: str = ""
    decorated: str = ""
    decorator: str = ""
    types: Pair = ("", "")
    """Around a type, as its type argument."""
    typed: str = ""
    """A declaration with a type."""
    inner: Pair = ("", "")
    """A definition within a definition."""
    function_value: Pair = ("", "")
    listed: Pair = ("[", "]")
    entry: str = ""
    """Of a table, map or object."""
    table: Pair = ("", "")
    text: str = '"a"'
    plus: str = " + "
    filled: Pair = ("", "")
    """A text with something in it."""
    comment: str = "// a word\n"
    alternative: str = ""
    choice: str = ""
    index: str = "[0]"
    handed: str = "f(g, {i})"
    conditional: Pair = ("", "")
    macro: str = ""


C_BODY = ("void f(int a, int b) {\n", "}\n")
_C = Writing(
    path="a.c",
    body=C_BODY,
    value="int x = {}",
    variable="int x{i} = x{p}",
    function="int f{i}(int a) {{ return f{p}(a); }}\n",
    same="int f(int a) {{ return g(a); }}\n",
    parameters=("void f(", ") {}\n"),
    parameter="int a{i}",
    alias="typedef struct A{p} A{i};\n",
    imports='#include "b{i}.h"\n',
    fields=("struct K {\n", "};\n"),
    field="int (*a{i})(int);\n",
    cases=("switch (a) {\n", "}\n"),
    case="case {i}: f{i}(); break;\n",
    listed=("{", "}"),
    entry=".a{i} = f{i},",
    table=("struct K k = {", "};\n"),
    plus=" ",
    alternative="else if (a) { b(); }\n",
    choice="a ? b : ",
    conditional=("#if A\n", "#endif\n"),
    macro="#define M{i}(x) M{p}(x)\n",
)

WRITINGS: dict[str, Writing] = {
    "c": _C,
    "cpp": Writing(
        path="a.cpp",
        body=C_BODY,
        value="auto x = {}",
        variable="auto x{i} = x{p}",
        function=_C.function,
        same=_C.same,
        parameters=_C.parameters,
        parameter=_C.parameter,
        inherits="class C{i} : public C{p} {{ public: int m(); }};\n",
        alias="using A{i} = A{p};\n",
        imports=_C.imports,
        fields=("class K {\n", "};\n"),
        field="B<int> a{i} = b{i}();\n",
        cases=_C.cases,
        case=_C.case,
        decorated="void f() {}\n",
        decorator="[[a]] ",
        types=("B<", ">"),
        typed="{} x;\n",
        inner=("namespace n {\n", "}\n"),
        function_value=("[](){ return ", "; }"),
        listed=("{", "}"),
        entry=".a{i} = f{i},",
        table=("K k = {", "};\n"),
        alternative=_C.alternative,
        choice=_C.choice,
        conditional=_C.conditional,
        macro=_C.macro,
    ),
    "cuda": Writing(path="a.cu", body=C_BODY, value="auto x = {}", variable="auto x{i} = x{p}"),
    "csharp": Writing(
        path="a.cs",
        body=("class K {\nvoid F(int a) {\n", "}\n}\n"),
        value="var x = {}",
        variable="var x{i} = x{p}",
        head="",
        function="class K{i} {{ int F{i}(int a) {{ return F{p}(a); }} }}\n",
        same="class K {{ int F(int a) {{ return G(a); }} }}\n",
        parameters=("class K { void F(", ") {} }\n"),
        parameter="int a{i}",
        inherits="class C{i} : C{p} {{ public int M() {{ return 1; }} }}\n",
        alias="using A{i} = A{p};\n",
        imports="using B.C{i};\n",
        fields=("class K {\n", "}\n"),
        field="B<int> a{i} = b{i}();\n",
        cases=_C.cases,
        case=_C.case,
        decorated="class K {}\n",
        decorator="[A]\n",
        types=("B<", ">"),
        typed="class K {{ {} x; }}\n",
        inner=("class C {\n", "}\n"),
        function_value=("() => ", ""),
        entry="A{i} = F{i},",
        table=("class K { object k = new B {", "}; }\n"),
        filled=('$"{', '}"'),
        alternative=_C.alternative,
        choice=_C.choice,
        conditional=_C.conditional,
    ),
    "java": Writing(
        path="A.java",
        body=("class K {\nvoid f(int a) {\n", "}\n}\n"),
        value="var x = {}",
        variable="var x{i} = x{p}",
        function="class K{i} {{ int f{i}(int a) {{ return f{p}(a); }} }}\n",
        same="class K {{ int f(int a) {{ return g(a); }} }}\n",
        parameters=("class K { void f(", ") {} }\n"),
        parameter="int a{i}",
        inherits="class C{i} extends C{p} {{ int m() {{ return 1; }} }}\n",
        imports="import b.C{i};\n",
        fields=("class K {\n", "}\n"),
        field="B<Integer> a{i} = b{i}();\n",
        cases=_C.cases,
        case=_C.case,
        decorated="class K {}\n",
        decorator="@A\n",
        types=("B<", ">"),
        typed="class K {{ {} x; }}\n",
        inner=("class C {\n", "}\n"),
        function_value=("() -> ", ""),
        listed=("g(", ")"),
        alternative=_C.alternative,
        choice=_C.choice,
    ),
    "javascript": Writing(
        path="a.js",
        body=("function f(a) {\n", "}\n"),
        value="const x = {}",
        variable="const x{i} = x{p}",
        function="function f{i}(a) {{ return f{p}(a); }}\n",
        same="function f(a) {{ return g(a); }}\n",
        parameters=("function f(", ") {}\n"),
        parameter="a{i}",
        inherits="class C{i} extends C{p} {{ m() {{ return 1; }} }}\n",
        alias="const A{i} = A{p};\n",
        imports='import {{ a{i} }} from "./b{i}";\n',
        fields=("class K {\n", "}\n"),
        field="a{i} = b{i}();\n",
        cases=_C.cases,
        case=_C.case,
        decorated="class K {}\n",
        decorator="@A\n",
        inner=("function g() {\n", "}\n"),
        function_value=("() => ", ""),
        entry="a{i}: f{i},",
        table=("const k = {", "};\n"),
        filled=("`${", "}`"),
        alternative=_C.alternative,
        choice=_C.choice,
    ),
    "typescript": Writing(
        path="a.ts",
        body=("function f(a: number) {\n", "}\n"),
        value="const x = {}",
        variable="const x{i} = x{p}",
        function="function f{i}(a: A): B {{ return f{p}(a); }}\n",
        same="function f(a: A): B {{ return g(a); }}\n",
        parameters=("function f(", ") {}\n"),
        parameter="a{i}: A",
        inherits="class C{i} extends C{p} {{ m() {{ return 1; }} }}\n",
        alias="type A{i} = A{p};\n",
        imports='import {{ a{i} }} from "./b{i}";\n',
        fields=("interface K {\n", "}\n"),
        field="a{i}: B<number>;\n",
        cases=_C.cases,
        case=_C.case,
        decorated="class K {}\n",
        decorator="@A\n",
        types=("B<", ">"),
        typed="let x: {};\n",
        inner=("namespace n {\n", "}\n"),
        function_value=("() => ", ""),
        entry="a{i}: f{i},",
        table=("const k = {", "};\n"),
        filled=("`${", "}`"),
        alternative=_C.alternative,
        choice=_C.choice,
    ),
    "tsx": Writing(
        path="a.tsx",
        body=("function f(a: number) {\n", "}\n"),
        value="const x = {}",
        variable="const x{i} = x{p}",
        inner=("<div>", "</div>"),
        typed="const x = {};\n",
        types=("<B>", "</B>"),
        entry="a{i}: f{i},",
        table=("const k = {", "};\n"),
    ),
    "python": Writing(
        path="a.py",
        end="\n",
        body=("", ""),
        variable="x{i} = x{p}",
        function="def f{i}(a):\n    return f{p}(a)\n",
        same="def f(a):\n    return g(a)\n",
        parameters=("def f(", "): pass\n"),
        parameter="a{i}",
        inherits="class C{i}(C{p}):\n    def m(self): return 1\n",
        alias="A{i} = A{p}\n",
        imports="from b import c{i}\n",
        fields=("class K:\n", "\n"),
        field="    a{i}: B[int] = b{i}()\n",
        cases=("match a:\n", "\n"),
        case="    case {i}: f{i}()\n",
        decorated="def f(): pass\n",
        decorator="@a\n",
        types=("B[", "]"),
        typed="x: {}\n",
        function_value=("lambda: ", ""),
        entry='"a{i}": f{i},',
        table=("k = {", "}\n"),
        filled=("f'{", "}'"),
        block=("(", ")"),
        comment="# a word\n",
        alternative="if a: b()\nelif c: d()\n",
        choice="b if a else ",
    ),
    "ruby": Writing(
        path="a.rb",
        end="\n",
        body=("def f(a)\n", "end\n"),
        block=("if a\n", "end\n"),
        function="def f{i}(a)\n  f{p}(a)\nend\n",
        same="def f(a)\n  g(a)\nend\n",
        parameters=("def f(", ")\nend\n"),
        parameter="a{i}",
        inherits="class C{i} < C{p}\n  def m; 1; end\nend\n",
        alias="A{i} = A{p}\n",
        imports='require "b{i}"\n',
        fields=("class K\n", "end\n"),
        field="  attr_reader :a{i}\n",
        cases=("case a\n", "end\n"),
        case="when {i} then f{i}()\n",
        inner=("module N\n", "end\n"),
        function_value=("-> { ", " }"),
        entry="a{i}: f{i},",
        table=("k = {", "}\n"),
        filled=('"#{', '}"'),
        comment="# a word\n",
        choice="a ? b : ",
    ),
    "go": Writing(
        path="a.go",
        head="package a\n",
        end="\n",
        body=("func f(a int) {\n", "}\n"),
        value="x := {}",
        variable="x{i} := x{p}",
        block=("if a {\n", "}\n"),
        function="func f{i}(a int) int {{ return f{p}(a) }}\n",
        same="func f(a int) int {{ return g(a) }}\n",
        parameters=("func f(", ") {}\n"),
        parameter="a{i} int",
        inherits="type C{i} struct {{ C{p} }}\n",
        alias="type A{i} = A{p}\n",
        imports='import "b/c{i}"\n',
        fields=("type K struct {\n", "}\n"),
        field="a{i} B[int]\n",
        cases=("func f(a int) { switch a {\n", "} }\n"),
        case="case {i}: f{i}()\n",
        types=("B[", "]"),
        typed="var x {}\n",
        function_value=("func() { ", " }"),
        listed=("[]int{", "}"),
        entry="A{i}: f{i},",
        table=("var k = K{", "}\n"),
    ),
    "rust": Writing(
        path="a.rs",
        body=("fn f(a: i32) {\n", "}\n"),
        value="let x = {}",
        variable="let x{i} = x{p}",
        block=("if a {\n", "}\n"),
        function="fn f{i}(a: A) -> B {{ f{p}(a) }}\n",
        same="fn f(a: A) -> B {{ g(a) }}\n",
        parameters=("fn f(", ") {}\n"),
        parameter="a{i}: A",
        inherits="trait C{i}: C{p} {{ fn m(&self); }}\n",
        alias="type A{i} = A{p};\n",
        imports="use b::c{i};\n",
        fields=("struct K {\n", "}\n"),
        field="a{i}: B<i32>,\n",
        cases=("fn f() { match a {\n", "} }\n"),
        case="{i} => f{i}(),\n",
        decorated="fn f() {}\n",
        decorator="#[a]\n",
        types=("B<", ">"),
        typed="static X: {} = 1;\n",
        inner=("mod n {\n", "}\n"),
        function_value=("|| ", ""),
        entry="a{i}: f{i},",
        table=("fn f() { let k = K {", "}; }\n"),
        macro="macro_rules! m{i} {{ () => {{ m{p}!() }} }}\n",
    ),
    "php": Writing(
        path="a.php",
        head="<?php\n",
        body=("function f($a) {\n", "}\n"),
        value="$x = {}",
        variable="$x{i} = $x{p}",
        member="->b",
        called="->b()",
        block=("if ($a) {\n", "}\n"),
        function="function f{i}($a) {{ return f{p}($a); }}\n",
        same="function f($a) {{ return g($a); }}\n",
        parameters=("function f(", ") {}\n"),
        parameter="$a{i}",
        inherits="class C{i} extends C{p} {{ function m() {{ return 1; }} }}\n",
        imports="use B\\C{i};\n",
        fields=("class K {\n", "}\n"),
        field="public B $a{i};\n",
        cases=("switch ($a) {\n", "}\n"),
        case=_C.case,
        decorated="class K {}\n",
        decorator="#[A]\n",
        function_value=("fn() => ", ""),
        entry="'a{i}' => 'f{i}',",
        table=("$k = [", "];\n"),
        plus=" . ",
        alternative="elseif ($a) { b(); }\n",
    ),
    "kotlin": Writing(
        path="a.kt",
        end="\n",
        body=("fun f(a: Int) {\n", "}\n"),
        value="val x = {}",
        variable="val x{i} = x{p}",
        function="fun f{i}(a: A): B {{ return f{p}(a) }}\n",
        same="fun f(a: A): B {{ return g(a) }}\n",
        parameters=("fun f(", ") {}\n"),
        parameter="a{i}: A",
        inherits="open class C{i} : C{p}() {{ fun m() = 1 }}\n",
        alias="typealias A{i} = A{p}\n",
        imports="import b.C{i}\n",
        fields=("class K {\n", "}\n"),
        field="val a{i}: B<Int> = b{i}()\n",
        cases=("fun f() { when (a) {\n", "} }\n"),
        case="{i} -> f{i}()\n",
        decorated="class K\n",
        decorator="@A\n",
        types=("B<", ">"),
        typed="val x: {} = y\n",
        inner=("class C {\n", "}\n"),
        function_value=("{ ", " }"),
        listed=("listOf(", ")"),
        filled=('"${', '}"'),
    ),
    "swift": Writing(
        path="a.swift",
        end="\n",
        body=("func f(a: Int) {\n", "}\n"),
        value="let x = {}",
        variable="let x{i} = x{p}",
        block=("if a {\n", "}\n"),
        function="func f{i}(a: A) -> B {{ return f{p}(a) }}\n",
        same="func f(a: A) -> B {{ return g(a) }}\n",
        parameters=("func f(", ") {}\n"),
        parameter="a{i}: A",
        inherits="class C{i}: C{p} {{ func m() {{}} }}\n",
        alias="typealias A{i} = A{p}\n",
        imports="import B{i}\n",
        fields=("class K {\n", "}\n"),
        field="var a{i}: B<Int> = b{i}()\n",
        cases=("switch a {\n", "}\n"),
        case="case {i}: f{i}()\n",
        decorated="class K {}\n",
        decorator="@A\n",
        types=("B<", ">"),
        typed="var x: {}\n",
        inner=("class C {\n", "}\n"),
        function_value=("{ ", " }"),
        filled=('"\\(', ')"'),
    ),
    "scala": Writing(
        path="a.scala",
        end="\n",
        body=("object K {\ndef f(a: Int) = {\n", "}\n}\n"),
        value="val x = {}",
        variable="val x{i} = x{p}",
        function="def f{i}(a: A): B = f{p}(a)\n",
        same="def f(a: A): B = g(a)\n",
        parameters=("def f(", ") = 1\n"),
        parameter="a{i}: A",
        inherits="class C{i} extends C{p} {{ def m = 1 }}\n",
        alias="type A{i} = A{p}\n",
        imports="import b.C{i}\n",
        fields=("class K {\n", "}\n"),
        field="val a{i}: B[Int] = b{i}()\n",
        cases=("object K { a match {\n", "} }\n"),
        case="case {i} => f{i}()\n",
        decorated="class K\n",
        decorator="@A\n",
        types=("B[", "]"),
        typed="val x: {} = y\n",
        inner=("object C {\n", "}\n"),
        function_value=("() => ", ""),
        listed=("List(", ")"),
        filled=('s"${', '}"'),
    ),
    "dart": Writing(
        path="a.dart",
        body=("void f(int a) {\n", "}\n"),
        value="var x = {}",
        variable="var x{i} = x{p}",
        function="int f{i}(int a) {{ return f{p}(a); }}\n",
        same="int f(int a) {{ return g(a); }}\n",
        parameters=("void f(", ") {}\n"),
        parameter="int a{i}",
        inherits="class C{i} extends C{p} {{ int m() {{ return 1; }} }}\n",
        alias="typedef A{i} = A{p};\n",
        imports="import 'b{i}.dart';\n",
        fields=("class K {\n", "}\n"),
        field="B<int> a{i} = b{i}();\n",
        cases=("void f(int a) { switch (a) {\n", "} }\n"),
        case=_C.case,
        decorated="class K {}\n",
        decorator="@A\n",
        types=("B<", ">"),
        typed="{} x;\n",
        function_value=("() => ", ""),
        entry="'a{i}': f{i},",
        table=("var k = {", "};\n"),
        filled=("'${", "}'"),
        alternative=_C.alternative,
        choice=_C.choice,
    ),
    "lua": Writing(
        path="a.lua",
        end="\n",
        body=("local function f(a)\n", "end\n"),
        value="local x = {}",
        variable="local x{i} = x{p}",
        block=("if a then\n", "end\n"),
        function="function f{i}(a) return f{p}(a) end\n",
        same="function f(a) return g(a) end\n",
        parameters=("function f(", ") end\n"),
        parameter="a{i}",
        alias="A{i} = A{p}\n",
        imports='local b{i} = require("b{i}")\n',
        fields=("", ""),
        field="K.a{i} = b{i}()\n",
        inner=("function g()\n", "end\n"),
        function_value=("function() return ", " end"),
        listed=("{", "}"),
        entry="a{i} = f{i},",
        table=("k = {", "}\n"),
        plus=" .. ",
        comment="-- a word\n",
    ),
    "elixir": Writing(
        path="a.ex",
        end="\n",
        body=("defmodule K do\ndef f(a) do\n", "end\nend\n"),
        block=("if a do\n", "end\n"),
        head="",
        function="defmodule K{i} do\n  def f{i}(a), do: f{p}(a)\nend\n",
        same="def f(a), do: g(a)\n",
        parameters=("defmodule K do\ndef f(", "), do: 1\nend\n"),
        parameter="a{i}",
        imports="alias B.C{i}\n",
        cases=("case a do\n", "end\n"),
        case="{i} -> f{i}()\n",
        decorated="def f(), do: 1\n",
        decorator="@a 1\n",
        inner=("defmodule N do\n", "end\n"),
        function_value=("fn -> ", " end"),
        entry="a{i}: f{i},",
        table=("k = [", "b: 1]\n"),
        plus=" <> ",
        filled=('"#{', '}"'),
        comment="# a word\n",
        alternative="|> b()\n",
    ),
    "haskell": Writing(
        path="a.hs",
        head="module A where\n",
        end="\n",
        value="x = {}",
        called=".b",
        call=("(f ", ")"),
        block=("(if a then b else ", ")"),
        function="f{i} :: A -> B\nf{i} a = f{p} a\n",
        same="f {i} = g {p}\n",
        parameters=("f ", " = 1\n"),
        parameter="a{i}",
        alias="type A{i} = A{p}\n",
        imports="import B.C{i}\n",
        fields=("data K = K {\n", "}\n"),
        field="a{i} :: B Int,\n",
        cases=("f a = case a of\n", "\n"),
        case="  {i} -> f{i}\n",
        types=("(B ", ")"),
        typed="x :: {}\n",
        function_value=("(\\a -> ", ")"),
        plus=" ++ ",
        comment="-- a word\n",
    ),
    "julia": Writing(
        path="a.jl",
        end="\n",
        body=("function f(a)\n", "end\n"),
        block=("if a\n", "end\n"),
        function="function f{i}(a) f{p}(a) end\n",
        same="function f(a) g(a) end\n",
        parameters=("function f(", ") end\n"),
        parameter="a{i}",
        inherits="abstract type C{i} <: C{p} end\n",
        alias="const A{i} = A{p}\n",
        imports="using B{i}\n",
        fields=("struct K\n", "end\n"),
        field="a{i}::B{{Int}}\n",
        types=("B{", "}"),
        typed="x::{} = 1\n",
        inner=("module N\n", "end\n"),
        function_value=("() -> ", ""),
        plus=" * ",
        filled=('"$(', ')"'),
        comment="# a word\n",
    ),
    "solidity": Writing(
        path="a.sol",
        body=("contract K {\nfunction f(uint a) public {\n", "}\n}\n"),
        value="uint x = {}",
        variable="uint x{i} = x{p}",
        function="function f{i}(uint a) pure returns (uint) {{ return f{p}(a); }}\n",
        same="function f(uint a) pure returns (uint) {{ return g(a); }}\n",
        parameters=("function f(", ") {}\n"),
        parameter="uint a{i}",
        inherits="contract C{i} is C{p} {{ function m() public {{}} }}\n",
        imports='import "b{i}.sol";\n',
        fields=("contract K {\n", "}\n"),
        field="uint a{i} = b{i}();\n",
        alternative=_C.alternative,
        choice=_C.choice,
    ),
    "zig": Writing(
        path="a.zig",
        body=("fn f(a: i32) void {\n", "}\n"),
        value="const x = {}",
        variable="const x{i} = x{p}",
        function="fn f{i}(a: i32) i32 {{ return f{p}(a); }}\n",
        same="fn f(a: i32) i32 {{ return g(a); }}\n",
        parameters=("fn f(", ") void {}\n"),
        parameter="a{i}: i32",
        alias="const A{i} = A{p};\n",
        imports='const b{i} = @import("b{i}.zig");\n',
        fields=("const K = struct {\n", "};\n"),
        field="a{i}: B = b{i}(),\n",
        cases=("fn f() void { switch (a) {\n", "} }\n"),
        case="{i} => f{i}(),\n",
        types=("B(", ")"),
        typed="const x: {} = y;\n",
        inner=("const C = struct {\n", "};\n"),
        listed=(".{", "}"),
        entry=".a{i} = f{i},",
        table=("const k = K{", "};\n"),
        plus=" ++ ",
    ),
    "bash": Writing(
        path="a.sh",
        end="\n",
        body=("f() {\n", "}\n"),
        value="x=$({})",
        variable="x{i}=$x{p}",
        member=" | b",
        called=" && b",
        call=("$(f ", ")"),
        block=("if a; then\n", "fi\n"),
        function="f{i}() {{ f{p} a; }}\n",
        same="f() {{ g a; }}\n",
        alias="alias a{i}=a{p}\n",
        imports="source b{i}.sh\n",
        cases=("case $a in\n", "esac\n"),
        case="{i}) f{i};;\n",
        inner=("g() {\n", "}\n"),
        listed=("(", ")"),
        filled=('"$(', ')"'),
        plus="",
        comment="# a word\n",
        handed="f g {i}",
        alternative="if a; then b; elif c; then d; fi\n",
    ),
}
"""By the name of the language."""


def _each(template: str, count: int) -> Iterator[str]:
    for number in range(count):
        yield template.format(i=number + 1, p=number)


def _joined(template: str, separator: str = "") -> Callable[[int], str]:
    return lambda count: separator.join(_each(template, count))


def _times(text: str, after: str = "", before: str = "") -> Callable[[int], str]:
    return lambda count: before + text * count + after


def _nested(pair: Pair, inside: str = "1") -> Callable[[int], str]:
    return lambda count: pair[0] * count + inside + pair[1] * count


def cases(writing: Writing) -> dict[str, Callable[[int], str]]:
    """What may be long, by what it is: a text of so many parts."""
    w = writing
    found: dict[str, Callable[[int], str]] = {}

    def add(name: str, make: Callable[[int], str], around: Pair = ("", "")) -> None:
        found[name] = lambda count: w.head + around[0] + make(count) + around[1] + w.tail

    def statements(name: str, make: Callable[[int], str]) -> None:
        add(name, lambda count: make(count) + w.end, w.body)

    def values(name: str, make: Callable[[int], str]) -> None:
        statements(name, lambda count: w.value.format(make(count)))

    values("members", lambda count: "a" + w.member * count)
    values("called members", lambda count: "a" + w.called * count)
    statements("calls of calls", lambda count: "f" + "()" * count)
    values("subscripts", lambda count: "a" + w.index * count)
    values("operators", lambda count: "1" + " + a" * count)
    values("comparisons", lambda count: "1" + " && a" * count)
    values("texts in a row", lambda count: w.plus.join([w.text] * count))
    values("nested calls", _nested(w.call, "a"))
    values("parentheses", _nested(("(", ")")))
    values("lists", _nested(w.listed))
    values("long list", lambda count: w.listed[0] + "a, " * count + "1" + w.listed[1])
    values("arguments", lambda count: w.call[0] + "a, " * count + "b" + w.call[1])
    values("handed functions", _joined(w.handed, " + "))
    values("negations", lambda count: "!" * count + "a")
    values("minus", lambda count: "- " * count + "a")
    statements("variables", _joined(w.variable, w.end))
    statements("same variable", lambda count: (w.variable.format(i="", p="y") + w.end) * count)
    statements("calls", lambda count: ("f(a)" + w.end) * count)
    statements("member calls", lambda count: ("a.b(c)" + w.end) * count)
    statements("assigned", lambda count: ("x = y" + w.end) * count)
    statements("assigned members", _joined("a.x{i} = b.x{p}", w.end))
    statements("blocks", _nested(w.block, ""))
    statements("blocks in a row", lambda count: (w.block[0] + w.block[1]) * count)
    add("variables outside", _joined(w.variable + w.end))
    add("calls outside", lambda count: ("f(a)" + w.end) * count)
    add("assigned outside", lambda count: ("x = y" + w.end) * count)
    add("comments", lambda count: w.comment * count)
    add("empty lines", lambda count: "\n" * count + w.comment)
    add("one line", _times(w.variable.format(i="", p="y") + "; "))
    add(
        "functions on one line",
        lambda count: w.function.replace("\n", " ").format(i=1, p=0) * count,
    )
    if w.choice:
        values("choices", lambda count: w.choice * count + "1")
    for name, template in (
        ("functions", w.function), ("functions of one name", w.same), ("classes", w.inherits),
        ("aliases", w.alias), ("imports", w.imports), ("macros", w.macro),
    ):  # fmt: skip
        if template:
            add(name, _joined(template))
    for name, template, around, separator in (
        ("parameters", w.parameter, w.parameters, ", "), ("fields", w.field, w.fields, ""),
        ("cases", w.case, w.cases, ""), ("entries", w.entry, w.table, ""),
    ):  # fmt: skip
        if template:
            add(name, _joined(template, separator if around != ("f ", " = 1\n") else " "), around)
    if w.decorator:
        add("decorators", lambda count: w.decorator * count + w.decorated)
        add("decorated", lambda count: (w.decorator + w.decorated) * count)
    if w.typed:
        add("types", lambda count: w.typed.format(_nested(w.types, "A")(count)))
    for name, pair, inside in (
        ("definitions within", w.inner, ""), ("conditionals", w.conditional, "int a;\n"),
    ):  # fmt: skip
        if pair[0]:
            add(name, _nested(pair, inside))
            add(f"{name}, in a row", _times("".join(pair)))
    for name, pair in (("functions within", w.function_value), ("texts within", w.filled)):
        if pair[0]:
            values(name, _nested(pair))
            values(f"{name}, in a row", _times(f"{pair[0]}1{pair[1]} + ", "1"))
    if w.alternative:
        statements("alternatives", lambda count: w.block[0] + w.block[1] + w.alternative * count)
    # What is no code of any language.
    add("words", lambda count: "a b c d " * count)
    add("lines of words", lambda count: "a b c d\n" * count)
    add("one word", lambda count: "ab" * count)
    add("capitals", lambda count: "aB" * count)
    add("digits", lambda count: "1" * count)
    add("numbers", lambda count: "1, " * count)
    add("underscores", lambda count: "_" * count)
    add("dots", lambda count: "a." * count)
    add("colons", lambda count: "a::" * count)
    add("commas", lambda count: "," * count)
    add("signs", lambda count: "@#$%" * count)
    add("backslashes", lambda count: "\\" * count)
    add("blanks", lambda count: " " * count + "a")
    for name, sign in (("round", "("), ("square", "["), ("curly", "{"), ("angle", "<")):
        add(f"{name} opened", _times(sign))
        add(f"{name} opened before words", _times(f"a{sign}"))
    for name, sign in (("round", ")"), ("square", "]"), ("curly", "}"), ("angle", ">")):
        add(f"{name} closed", _times(sign, before="a"))
    add("quotes", lambda count: '"a' * count)
    add("single quotes", lambda count: "'a " * count)
    add("backquotes", lambda count: "`a${" * count)
    add("comments opened", lambda count: "/* a " * count)
    add("hashes", lambda count: "#a " * count)
    add("arrows", lambda count: "a->" * count)
    add("tags", lambda count: "<a>" * count)
    add("letters of others", lambda count: "a\u00e9\u4e2d\U0001f600 " * count)
    return found
