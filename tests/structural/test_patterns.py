"""Patterns and rules in many languages: what they match, what they become, what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.structural.errors import BadPatternError
from surveyor.structural.grammars import CONTEXTS, GRAMMARS, PLACE, Grammar
from surveyor.structural.holes import required_words
from surveyor.structural.jobs import FileMatches, PatternJob, PatternSource
from surveyor.structural.matching import match
from surveyor.structural.prefilter import Prefilter, prefilter
from surveyor.structural.rules import source_of


def matched(grammar: Grammar, pattern: str, text: str, rewrite: str | None = None) -> FileMatches:
    source = source_of(pattern, rewrite).source
    (found,) = match(PatternJob(source, grammar), [text.encode()])
    return found


def texts(grammar: Grammar, pattern: str, text: str) -> list[str]:
    spans = matched(grammar, pattern, text).spans
    return [text.encode()[start:stop].decode() for start, stop in spans]


@pytest.mark.parametrize(
    ("grammar", "pattern", "text", "expected"),
    [
        ("python", "except $E: pass", "try:\n  a()\nexcept É: pass\nexcept B:\n  b()\n",
         ["except É: pass"]),
        ("python", "except: pass", "try:\n    x\nexcept: pass\n", ["except: pass"]),
        ("python", "elif $A: $$$B", "if 1:\n    a\nelif z: b\n", ["elif z: b"]),
        ("python", "case $A: $$$B", "match x:\n    case 1: pass\n", ["case 1: pass"]),
        ("python", "@app.route($$$A)", "@app.route('/x')\ndef f(): pass\n", ["@app.route('/x')"]),
        ("python", "def $F($$$A):\n    $$$B", "def f(a, b=1):\n    x\n    y\n",
         ["def f(a, b=1):\n    x\n    y"]),
        ("csharp", "static int $N($$$A) { $$$B }",
         "class A { static int F(int a) { return 1; } void G() { static int H() { } } }",
         ["static int F(int a) { return 1; }", "static int H() { }"]),
        ("csharp", "int $N = $V;", "class A { int a = 1; void G() { int b = 2; } }",
         ["int a = 1;", "int b = 2;"]),
        ("java", "int $N = $V;",
         "class A { int a = 1; void g() { int b = 2; } }\ninterface B { int C = 3; }",
         ["int a = 1;", "int b = 2;", "int C = 3;"]),
        ("php", "function $N($$$A): $T { $$$B }",
         "<?php function f(): int { return 1; } class A { function g($x): A { return $this; } }",
         ["function f(): int { return 1; }", "function g($x): A { return $this; }"]),
        ("dart", "int $N($$$A) { $$$B }",
         "int f() { return 1; }\nclass A { int g(int a) { int h() { return 3; } return 2; } }",
         ["int f() { return 1; }", "int g(int a) { int h() { return 3; } return 2; }",
          "int h() { return 3; }"]),
        ("cpp", "virtual int $N($$$A) = 0;", "class A { virtual int f(int) = 0; };",
         ["virtual int f(int) = 0;"]),
        ("cpp", "int $N($$$A) { $$$B }",
         "int f(int a) { x(); return a; }\nstatic int g() { }\nclass A { int h() { return 1; } };",
         ["int f(int a) { x(); return a; }", "int h() { return 1; }"]),
        ("cpp", "static $T $C::$N($$$A) { $$$ }", "static int A::f(int a) { return a; }",
         ["static int A::f(int a) { return a; }"]),
        ("cpp", "virtual int $N() const { $$$B }",
         "class A { virtual int f() const { return 1; } int g() const { return 2; } };",
         ["virtual int f() const { return 1; }"]),
        ("cpp", "class $C : public $D { $$$B };",
         "class A : public B { int x; class C : public D { }; };\nint y;",
         ["class A : public B { int x; class C : public D { }; }", "class C : public D { }"]),
        ("python", "print($A);", "print(1); print(2)\n", ["print(1)", "print(2)"]),
        ("c", "int $N;", "int a; struct s { int b; }; void f() { int c; }",
         ["int a;", "int b;", "int c;"]),
        ("go", "func $N($$$A) $R { $$$B }",
         "package a\nfunc F(a int) error { return nil }\nvar g = func(a int) error { return nil }",
         ["func F(a int) error { return nil }"]),
        ("zig", "fn $N($$$A) void { $$$B }", "fn f(a: u8) void { g(); }",
         ["fn f(a: u8) void { g(); }"]),
        ("solidity", "uint $A;", "contract C { uint a; function f() public { uint b; } }",
         ["uint a;", "uint b;"]),
        ("dart", "final $T $N;", "final int a = 1;\nclass A { final B b; void f() { final C c; } }",
         ["final int a = 1;", "final B b;", "final C c;"]),
        ("javascript", "color: $V", "const o = { color: f(2) };", ["color: f(2)"]),
        ("typescript", "$K: string",
         "class A { a: string; b = 1 }\ninterface I { c: string; d: number }",
         ["a: string", "c: string"]),
        ("typescript", "$A = $B", "class A { a = 1 }\nb = 2", ["b = 2"]),
        ("typescript", "private $N: $T", "class A { private a: number; b: string }",
         ["private a: number"]),
        ("go", "fmt.Println($A)", "package a\nfunc f() { fmt.Println(1) }", ["fmt.Println(1)"]),
        ("go", "func ($R $T) $N($$$A) error { $$$B }",
         "package a\nfunc (s *S) X(a int) error { return nil }",
         ["func (s *S) X(a int) error { return nil }"]),
        ("java", "catch ($E $V) { }", "class A { void f() { try { x(); } catch (E e) { } } }",
         ["catch (E e) { }"]),
        ("java", "public $T $N($$$A) { $$$B }", "class A { public int f(int a) { return 1; } }",
         ["public int f(int a) { return 1; }"]),
        ("java", "@Override", "class A { @Override public int f() { return 1; } }", ["@Override"]),
        ("csharp", "$A.Result", "class A { void F() { var x = t.Result; } }", ["t.Result"]),
        ("c", "strcpy($A, $B)", "void g(){ strcpy(x, y); }", ["strcpy(x, y)"]),
        ("cpp", "catch (...) { $$$ }", "void g(){ try { } catch (...) { x(); y(); } }",
         ["catch (...) { x(); y(); }"]),
        ("rust", "Some($X) => $Y", "fn g(){ match a { Some(x) => x, None => 0 } }",
         ["Some(x) => x,"]),
        ("rust", "$A.unwrap()", "fn g(){ a.b().unwrap(); }", ["a.b().unwrap()"]),
        ("ruby", "$A.each do |$B| $$$C end", "x.each do |y| z end\n", ["x.each do |y| z end"]),
        ("typescript", "catch ($E) { }", "try { } catch (e) { }", ["catch (e) { }"]),
        ("typescript", "import $X from $Y", "import { a } from 'b';\nimport 'c';\n",
         ["import { a } from 'b';"]),
        ("typescript", "Promise<$T>", "let a: Promise<string> = f<Promise<number>>()",
         ["Promise<string>", "Promise<number>"]),
        ("python", "Optional[$T]", "def f(a: Optional[int]): return Optional[a]\n",
         ["Optional[int]", "Optional[a]"]),
        ("cpp", "std::vector<$T>", "std::vector<int> f() { return std::vector<int>(); }",
         ["std::vector<int>", "std::vector<int>"]),
        ("java", "List<$T>", "class A { List<B> f(List<C> a) { } }", ["List<B>", "List<C>"]),
        ("kotlin", "List<$T>", "fun f(a: List<Int>) { }", ["List<Int>"]),
        ("java", "throw new E($A)", "class A { void f() { throw new E(1); } }",
         ["throw new E(1);"]),
        ("csharp", "throw new $E($$$A)",
         "class A { void F() { throw new B(1); } int G() => throw new C(); }",
         ["throw new B(1);", "throw new C()"]),
        ("cpp", "throw E($$$A)", "void f() { throw E(1, 2); }", ["throw E(1, 2);"]),
        ("c", "#include $X", '#include <a.h>\n#include "b.h"\n',
         ["#include <a.h>\n", '#include "b.h"\n']),
        ("haskell", "$A <- $B", "f = do\n  x <- g\n  h x\n", ["x <- g"]),
        ("typescript", "async $F($$$A) { $$$B }", "class A { async f(x) { await y } }",
         ["async f(x) { await y }"]),
        ("tsx", "<$T onClick={$H} />", "const x = <A onClick={f} />", ["<A onClick={f} />"]),
        ("php", "$this->db->query($Q)", "<?php class A { function f() { $this->db->query($s); } }",
         ["$this->db->query($s)"]),
        ("kotlin", "$A!!", "fun f() { x!! }", ["x!!"]),
        ("swift", "try! $A", "func f(){ try! g() }", ["try! g()"]),
        ("elixir", "IO.inspect($A)", "defmodule A do\n IO.inspect(1)\nend", ["IO.inspect(1)"]),
        ("scala", "case $A => $B", "x match { case 1 => 2 }", ["case 1 => 2"]),
        ("css", "color: $C", "a { color: red; }", ["color: red;"]),
        ("markdown", "# Title", "text\n\n# Title\n\n# Other\n", ["# Title\n"]),
        ("solidity", "require($A, $B)", "contract A { function f() public { require(x, y); } }",
         ["require(x, y)"]),
    ],
)  # fmt: skip
def test_a_part_of_a_program_is_understood_where_it_belongs(
    grammar: Grammar, pattern: str, text: str, expected: list[str]
) -> None:
    assert texts(grammar, pattern, text) == expected
    words = required_words(PatternSource(pattern=pattern))
    assert all(word in text for word in words), "else the index would leave the file out"


@pytest.mark.parametrize(
    ("grammar", "pattern", "text"),
    [
        ("python", "$A == None", "x = (a ==\n     # or is it?\n     None)"),
        ("python", "$A == None", "a == \\\n None"),
        ("python", "f($A, b)", "f(  # why\n 1, b)"),
        ("python", "from a import $B", "from a.b import c"),
        ("python", "$A not in $B", "a not   in b"),
        ("python", "if $A is None: $$$B", "if a is None:  # so\n    pass"),
        ("typescript", "function $F() { return $A }", "async function* f() { /* x */ return 1 }"),
        ("typescript", "($A) => { return null }", "(a) => { // nothing\n return null }"),
        ("typescript", "{ a: $A }", "x = { /* first */ a: 1 }"),
        ("go", "if err != nil { return err }",
         "package a\nfunc f() error { if err != nil { // so\nreturn err } ; return nil }"),
        ("php", "if ($a === null) { $$$B }", "<?php IF ($a === null) { f(); }"),
        ("lua", "local $A = require($B)", "local a = --[[ the one ]] require('b')"),
        ("rust", "if let Some($A) = $B { $$$C }", "fn f() { if let Some(a) = /* b */ b { c() } }"),
        ("haskell", "f x = $A", "f {- the -} x = 1"),
        ("ruby", "raise Foo, $A", "raise Foo, # because\n  'x'"),
        ("c", "if ($A == NULL) return;", "void f() { if (a == /* b */ NULL) return; }"),
    ],
)  # fmt: skip
def test_what_stands_between_tokens_hides_no_match(
    grammar: Grammar, pattern: str, text: str
) -> None:
    with_filter = texts(grammar, pattern, text)
    assert prefilter(PatternSource(pattern=pattern), grammar).may_match(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Prefilter, "may_match", lambda *_: True)
        assert texts(grammar, pattern, text) == with_filter


@pytest.mark.parametrize(
    ("grammar", "pattern", "text"),
    [
        ("python", "if $A == None: $$$B", "if a == b:\n    return None\n"),
        ("python", "except $E: pass", "try:\n    pass\nexcept A:\n    raise\n"),
        ("python", "raise ValueError($$$A)", "try:\n    raise\nexcept ValueError:\n    f()\n"),
        ("typescript", "new Promise(($A, $B) => $C)", "const a: Promise<string> = new Map()"),
        ("php", "if ($a === null) { $$$B }", "<?php if ($b === 1) { return null; }"),
    ],
)
def test_a_text_without_the_tokens_beside_each_other_is_not_parsed(
    grammar: Grammar, pattern: str, text: str
) -> None:
    assert not prefilter(PatternSource(pattern=pattern), grammar).may_match(text.encode())


@pytest.mark.parametrize(
    "pattern",
    ["raise $A from None", "if $A is not None: $$$B", "from surveyor import $A", "$A: int = $B",
     "except $E as $N: $$$B", "def $F(self) -> None: $$$B", "return [$A for $B in $C]",
     "super().__init__($$$A)", "len($A) == 1", "not $A.startswith($B)"],
)  # fmt: skip
def test_real_files_have_the_same_matches_with_and_without_the_filter(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[2] / "server" / "surveyor"
    files = [each.read_bytes() for each in sorted((root / "structural").glob("*.py"))]
    files += [each.read_bytes() for each in sorted((root / "engine" / "operations").glob("*.py"))]
    job = PatternJob(PatternSource(pattern=pattern), "python")
    filtered = match(job, files)
    monkeypatch.setattr(Prefilter, "may_match", lambda *_: True)
    assert match(job, files) == filtered


@pytest.mark.parametrize(
    ("grammar", "pattern", "said"),
    [
        ("python", "foo(", "at column 5: it ends before it is complete"),
        ("python", "foo($A)\nbar($B)", "at column 9: a second thing begins there"),
        ("python", "a b", "at column 3: 'b' does not fit"),
        ("go", "fmt.Println($A", "`)` is missing"),
        ("python", ")", "at column 1: ')' does not fit"),
        ("go", "}", "at column 1: '}' does not fit"),
        ("go", "x := ", "`identifier` is missing"),
        ("ruby", "def $X", "at column 5: '$X' does not fit there"),
        ("json", '"a": [1, $V]', "at column 10: no $V can stand there; a rule finds it"),
        ("python", "$$$A", "alone is any code"),
        ("python", "   ", "the pattern is empty"),
        ("python", "x" * 3000, "longer than"),
        ("python", "rule:\n  kind: no_such_kind\n", "`no_such_kind` is invalid"),
        ("python", "rule:\n  regex: '('\n", "unclosed group"),
        ("python", "rule:\n  pattern: $A\n---\nrule:\n  pattern: $B\n", "2 rules"),
        ("python", "rule:\n  pattern: [a\n", "no YAML in line 3, column 1: expected ',' or ']'"),
        ("python", "rule:\n  pattern: a\n   any: b\n", "no YAML in line 3, column 7: mapping"),
        ("python", "rule:\n\tkind: a\n", "no YAML in line 2, column 1: found character"),
        ("python", "rule:\n  pattern: $A\nrewriters: []\n", "rewriters is not understood"),
        ("python", "rule:\n  pattern: $A\nfix: {expandEnd: {}}\n", "as its `template`"),
        ("python", "rule:\n  pattern: $A\nfiles: [1]\n", "a list of globs"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_place(
    grammar: Grammar, pattern: str, said: str
) -> None:
    with pytest.raises(BadPatternError) as refused:
        matched(grammar, pattern, "x\n")
    assert said in refused.value.message
    assert "backtrace" not in refused.value.message.lower()


@pytest.mark.parametrize(
    ("rule", "place", "said"),
    [
        ("rule:\n  any:\n  - kind: call\n  - kind: nope\n", "line 4, column 11", "`nope`"),
        ("id: a\r\nrule:\r\n  kind: nope\r\n", "line 3, column 9", "`nope`"),
        ("rule:\n  kind: call\n  patern: x\n", "line 3, column 3", "`patern`"),
        ("rule:\n  kind: call\n  regex: '(['\n", "line 3, column 3", "unclosed"),
        ("rule:\n  pattern: a; b\n", "line 2, column 12", "Multiple AST nodes"),
        ("rule:\n  pattern: f\n  inside:\n    kind: call\n    stopBy: never\n",
         "line 5, column 13", "`never`"),
        ("rule:\n  pattern: f\n  inside:\n    any:\n    - not:\n        has: {kind: nope}\n",
         "line 6, column 21", "`nope`"),
        ("rule:\n  pattern:\n    context: f(a)\n    selector: nope\n", "line 4, column 15",
         "`nope`"),
        ("rule:\n  pattern: f($A)\nconstraints:\n  A:\n    kind: nope\n", "line 5, column 11",
         "`nope`"),
        ("rule:\n  pattern: f($A)\nconstraints:\n  B: {kind: call}\n", "line 4, column 3", "`B`"),
        ("rule:\n  matches: u\nutils:\n  v: {kind: call}\n  u: {kind: nope}\n",
         "line 5, column 13", "`nope`"),
        ("rule:\n  matches: u\nutils:\n  u: {matches: v}\n  v: {matches: u}\n", "line ",
         "cyclic"),
        ("rule:\n  matches: nope\n", "line 2, column 12", "`nope`"),
        ("rule:\n  pattern: f($A)\ntransform:\n  B: {substrin: {source: $A}}\n",
         "line 4, column 3", "Transformation"),
        ("rule:\n  pattern: $A\nrewriters: []\n", "line 3, column 1", "not understood"),
        ("rule:\n  pattern: f($A)\nfix: g($B)\n", "line 3, column 1", "$B"),
        ("rule:\n  pattern: $A\nfiles: [1]\n", "line 3, column 1", "globs"),
    ],
)  # fmt: skip
def test_a_rule_that_is_refused_is_told_with_the_line_of_the_part_that_is_wrong(
    rule: str, place: str, said: str
) -> None:
    with pytest.raises(BadPatternError) as refused:
        matched("python", rule, "x\n")
    assert place in refused.value.message
    assert said in refused.value.message


def test_a_pattern_in_a_rule_that_no_code_can_match_is_refused_as_one_that_stands_alone_is() -> (
    None
):
    rule = "rule:\n  any:\n  - pattern: f($A)\n  - pattern: |\n      def $F(:\n        pass\n"
    with pytest.raises(BadPatternError) as refused:
        matched("python", rule, "f(1)\n")
    assert "line 4, column 5" in refused.value.message
    assert "at column 8: `)` is missing" in refused.value.message


def test_a_pattern_in_a_rule_that_is_a_part_of_something_stays_what_ast_grep_takes() -> None:
    rule = "rule:\n  any:\n  - pattern: import $A from $B\n  - pattern: f($$$)\n"
    assert texts("javascript", rule, 'import a from "b";\nf(1);\n') == [
        'import a from "b";',
        "f(1)",
    ]


def test_the_place_of_what_is_wrong_is_looked_for_within_bounds() -> None:
    wide = "  - kind: call\n" * 3000
    with pytest.raises(BadPatternError, match="`nope`"):
        matched("python", f"rule:\n  any:\n{wide}  - kind: nope\n", "x\n")


def test_a_body_says_what_it_matched_also_where_braces_may_hold_values() -> None:
    text = "int f(int a) { x(); return a; }\nint g() { }\n"
    found = matched("cpp", "int $N($$$A) { $$$B }", text, "long $N($$$A) {\n    $$$B\n}")
    assert found.captures == [
        {"$N": "f", "$$$A": "int a", "$$$B": "x(); return a;"},
        {"$N": "g", "$$$A": "", "$$$B": ""},
    ]
    assert found.rewritten is not None
    assert found.rewritten.startswith(b"long f(int a) {\n    x(); return a;\n}\nlong g() {")


def test_a_sign_that_ends_the_pattern_and_not_the_match_is_replaced_with_it() -> None:
    text = "struct S { int a; };\nint b;\n"
    found = matched("cpp", "struct $S { $$$F };", text, "class $S { $$$F };")
    assert found.rewritten == b"class S { int a; };\nint b;\n"


def test_holes_say_what_they_matched_and_one_name_is_one_thing() -> None:
    found = matched("python", "$A == $A and f($$$REST)", "x == x and f(1, '😀')\nx == y and f()\n")
    assert found.captures == [{"$A": "x", "$$$REST": "1, '😀'"}]


def test_a_rule_narrows_by_what_is_around_and_may_say_what_matches_become() -> None:
    rule = """
id: no-append
language: python
rule:
  pattern: $L.append($X)
  inside: {kind: for_statement, stopBy: end}
fix: $L += [$X]
"""
    asked = source_of(rule)
    assert (asked.language, required_words(asked.source)) == ("python", ["append"])
    found = matched("python", rule, "a.append(0)\nfor x in y:\n    b.append(x)\n")
    assert found.rewritten == b"a.append(0)\nfor x in y:\n    b += [x]\n"


def test_matches_inside_each_other_are_rewritten_once_and_indented_as_they_stood() -> None:
    found = matched("python", "f($X)", "if a:\n    f(f(1))\n", "g(\n    $X,\n)")
    assert len(found.spans) == 2
    assert found.rewritten == b"if a:\n    g(\n        f(1),\n    )\n"


@pytest.mark.parametrize(
    ("grammar", "pattern", "rewrite", "text", "expected"),
    [
        ("rust", "Some($A) => $B", "Some($A) => $B + 1",
         "fn f() { match a { Some(x) => x, None => 0 } }",
         "fn f() { match a { Some(x) => x + 1, None => 0 } }"),
        ("javascript", "const $A = require($B)", "import $A from $B", "const a = require('b');\n",
         "import a from 'b';\n"),
        ("java", "throw new E($A)", "throw new F($A)", "class A { void f() { throw new E(1); } }",
         "class A { void f() { throw new F(1); } }"),
        ("javascript", "f($A);", "g($A)", "f(1);\n", "g(1)\n"),
        ("python", "with a: $$$B", "try:\n    $$$B\nfinally:\n    end()",
         "if x:\n  with a:\n    b(\n      1)\n    c()\n",
         "if x:\n  try:\n      b(\n        1)\n      c()\n  finally:\n      end()\n"),
        ("python", "f($A)", "g(\n    $A,\n)", "if x:\r\n    f(1)\r\n",
         "if x:\r\n    g(\r\n        1,\r\n    )\r\n"),
        ("c", "#include $H", "#import $H", "#include <a.h>\n#include \"b.h\"\n\nint x;\n",
         "#import <a.h>\n#import \"b.h\"\n\nint x;\n"),
        ("c", "#define A $B", "#define C $B", "#define A 1\n\nint x;\n",
         "#define C 1\n\nint x;\n"),
        ("markdown", "# $T", "## $T", "# Title\n\ntext\n", "## Title\n\ntext\n"),
        ("markdown", "- $X", "* $X", "- one\n- two\n\ntext\n", "* one\n* two\n\ntext\n"),
        ("yaml", "- $X", "- new: $X", "a:\n  - b: c\n  - d\ne: f\n",
         "a:\n  - new: b: c\n  - new: d\ne: f\n"),
    ],
)  # fmt: skip
def test_what_a_match_becomes_keeps_ends_of_statements_indentation_and_ends_of_lines(
    grammar: Grammar, pattern: str, rewrite: str, text: str, expected: str
) -> None:
    found = matched(grammar, pattern, text, rewrite)
    assert (found.rewritten or b"").decode() == expected


def test_a_rule_may_change_what_it_captured_and_say_where_it_counts() -> None:
    rule = """
rule: {pattern: log($A)}
transform:
  LOUD: {convert: {source: $A, toCase: upperCase}}
files: ["./src/**", {glob: "lib/*"}]
ignores: ["src/old/**"]
fix: {template: print($LOUD)}
"""
    assert source_of(rule).paths == ("src/**", "lib/*", "!src/old/**")
    assert matched("python", rule, "log(word)\n").rewritten == b"print(WORD)\n"


def test_scripts_and_styles_inside_markup_are_matched_where_they_stand() -> None:
    page = (
        "<p>é 😀 log(0)</p><style>a { color: red; }</style>\r\n<script>log(1)</script>\n"
        '<script type="text/template">log(2)</script>\n<script>\nlog("ü")</script>\n'
    ).encode()
    source = source_of("log($A)", "print($A)").source
    job = PatternJob(source, "javascript", markup="html", parts=("javascript", "typescript"))
    (found,) = match(job, [page])
    assert [page[start:stop].decode() for start, stop in found.spans] == ["log(1)", 'log("ü")']
    assert found.rewritten == page.replace(b"log(1)", b"print(1)").replace(b'log("', b'print("')
    style = PatternJob(source_of("color: $C").source, "css", markup="vue", parts=("css",))
    assert [each.captures for each in match(style, [page])] == [[{"$C": "red"}]]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_language_reads_a_pattern_and_has_contexts_with_a_place(grammar: Grammar) -> None:
    assert all(context.count(PLACE) == 1 for context in CONTEXTS.get(grammar, (PLACE,)))
    plain = {"html": "<p>a</p>", "json": '"a"', "markdown": "a", "css": "a { color: red; }"}
    assert match(PatternJob(PatternSource(plain.get(grammar, "a")), grammar), [b""])


@given(st.text(alphabet="$AB_ab(){}[]:;,.\n'\"", max_size=30), st.sampled_from(["python", "go"]))
def test_whatever_is_typed_is_a_pattern_or_is_refused(pattern: str, grammar: Grammar) -> None:
    try:
        matched(grammar, pattern, "a(b)\n", rewrite="$A")
    except BadPatternError as refused:
        assert refused.message


@pytest.mark.parametrize(
    "rule",
    [
        "rule: &a\n  any: [*a]\n",
        "rule:\n  any:\n  - &a {any: [{kind: x}, {kind: x}]}\n"
        + "".join(
            f"  - &{new} {{any: [{', '.join([f'*{old}'] * 10)}]}}\n"
            for old, new in pairwise("abcdefghij")
        ),
        f"rule: {'{not: ' * 150}{{kind: call}}{'}' * 150}\n",
        "rule: {kind: !!int ''}\n",
        "rule: {kind: !!bool x}\n",
        "rule: {kind: !!timestamp x}\n",
        "rule: {pattern: 2020-01-01}\n",
        "rule: {nthChild: 99999999999999999999999}\n",
        'rule: {regex: "\\uD800"}\n',
    ],
)
def test_rules_that_no_worker_could_be_sent_are_refused(rule: str) -> None:
    with pytest.raises(BadPatternError):
        source_of(rule)


def test_a_part_of_a_rule_may_stand_in_it_twice() -> None:
    source = source_of("rule:\n  any:\n  - has: &a {pattern: b}\n  - inside: *a\n").source
    assert source.rule["rule"]["any"][1] == {"inside": {"pattern": "b"}}


def test_a_pattern_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(BadPatternError, match="too deeply"):
        matched("python", "(" * 990 + "a" + ")" * 990, "a")


def test_bytes_that_are_no_text_are_counted_and_kept() -> None:
    source = source_of("foo($A)", "bar($A)").source
    data = b"x = '\xff\xc3\xa9'\nfoo('\xff\xe9')\nfoo(3)\n"
    (found,) = match(PatternJob(source, "python"), [data])
    assert [data[start:stop] for start, stop in found.spans] == [b"foo('\xff\xe9')", b"foo(3)"]
    assert found.captures[0] == {"$A": "'\ufffd\ufffd'"}
    assert found.rewritten == data.replace(b"foo", b"bar")


NO_PATTERNS = (
    "$X $Y", "$X $Y $Z", "$$$A $B", "$", "(", ")", "foo(", "'", "`", "{", "}", "$A; $B", "$A\n$B",
    "import $A from $B", "from $A import", "class $A $B", "= $A", "$A.$B $C", "@$A $B", "/* $A",
    "<$A $B>", "\0", "𝒳 $A", "$A 𝒳 $B", ";", " ; ; ", "$A$B", "let $A in $B", "\\", "$A ?", "end",
)  # fmt: skip


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_whatever_is_no_pattern_is_refused_in_one_line_or_matched(grammar: Grammar) -> None:
    for pattern in NO_PATTERNS:
        try:
            matched(grammar, pattern, "a = 1\n")
        except BadPatternError as refused:
            assert "ast_grep" not in refused.message, pattern
            assert "backtrace" not in refused.message, pattern


@pytest.mark.parametrize(
    ("query", "rewrite", "why"),
    [
        ("errors.New($A)", "fmt.Errorf($B)", r"\$B, and the pattern has no such hole"),
        ("f($_A)", "g($_A)", r"\$_A, and"),
        ("f($$$)", "g($$$)", r"\$\$\$, and"),
        ("rule:\n  pattern: f($A)\nfix: g($A, $C)\n", None, r"\$C, and"),
        ("language: go\nrule: [", None, "no YAML"),
        ("language: go\nrule: panic\n", None, "has parts"),
    ],
)
def test_what_would_be_rewritten_to_nothing_or_is_no_rule_is_refused(
    query: str, rewrite: str | None, why: str
) -> None:
    with pytest.raises(BadPatternError, match=why):
        source_of(query, rewrite)


def test_what_a_rule_transforms_is_a_hole_of_its_rewriting() -> None:
    rule = (
        "rule:\n  pattern: f($A)\ntransform:\n  NEW:\n    replace:\n      source: $A\n"
        "      replace: x\n      by: y\nfix: g($NEW, $$$A)\n"
    )
    assert source_of(rule).source.rewrite == "g($NEW, $$$A)"
