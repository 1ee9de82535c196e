"""What a module does not export any more, though it is still there.

Files before and after, as in `test_members_of_types`, to which these cases belong.
"""

from __future__ import annotations

__all__ = ["EXPORT_CASES"]

EXPORT_CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "typescript_barrel": (
        {
            "src/index.ts": "export * from './draw';\nexport * from './more.js';\n"
            "export { size as width, Pen } from './pen';\n",
            "src/draw.ts": "export const line = 1, { dot, ...rest } = shapes();\n"
            "export function shapes(): any { return {}; }\n",
            "src/more.ts": "export function kept() {}\nexport function lost() {}\n",
            "src/pen.ts": "export const size = 1;\nexport class Pen {}\nexport const ink = 2;\n",
            "src/all.ts": "export * from './index';\nexport * from './draw';\n",
            "use.ts": (
                "import {\n  kept, //!\n  line,\n  width, //!\n} from './src';\n"
                "import { lost as other } from './src/index'; //!\n"
                "import { Pen, ink } from './src';\n"
                "import { lost } from './src/more';\n"
                "console.log(kept, line, width, other, Pen, ink, lost);\n"
            ),
            "far.ts": "import { kept, dot } from './src/all'; //!\nconsole.log(kept, dot);\n",
        },
        {"src/index.ts": "export * from './draw';\nexport { Pen, ink } from './pen';\n"},
    ),
    "typescript_default": (
        {
            "one.ts": "export default function one(): number { return 1; }\n",
            "two.ts": "const two = () => 2;\nexport default two;\n",
            "three.ts": "export const three = 3;\n",
            "use.ts": (
                "import one from './one'; //!\nimport two, { side } from './two'; //!\n"
                "import { three } from './three'; //!\nimport { one as named } from './one';\n"
                "console.log(one, two, side, three, named);\n"
            ),
        },
        {
            "one.ts": "export function one(): number { return 1; }\n",
            "two.ts": "export const two = () => 2;\nexport const side = 3;\n",
            "three.ts": "const three = 3;\nexport default three;\n",
        },
    ),
    "javascript_modules": (
        {
            "lib/a.js": "exports.a = 1;\n",
            "lib/b.js": "export const b = 1;\n",
            "use.js": (
                "import { a } from './lib/a.js';\nimport { b } from './lib/b.js';\nrun(a, b);\n"
            ),
        },
        {
            "lib/a.js": "export const c = 1;\n",
            "lib/b.js": "module.exports = { b: 1 };\n",
        },
    ),
    "python_barrel": (
        {
            "pkg/__init__.py": (
                "from .pens import Pen, draw\nfrom .inks import *\nfrom . import later\n\n"
                '__all__ = [\n    "Pen",\n    "draw",\n    "blue",\n]\n'
            ),
            "pkg/pens.py": "class Pen:\n    pass\n\n\ndef draw():\n    pass\n",
            "pkg/inks.py": "blue = 1\n",
            "pkg/later.py": "now = 1\n",
            "use.py": (
                "from pkg import Pen, blue, later\nfrom pkg import (\n    draw,  #!\n)\n"
                "try:\n    from pkg import draw as maybe\nexcept ImportError:\n    maybe = None\n"
            ),
        },
        {
            "pkg/__init__.py": (
                "from .pens import Pen\nfrom .inks import blue\n\n"
                '__all__ = [\n    "Pen",\n    "draw",  #!\n    "blue",\n]\n'
            ),
        },
    ),
    "typescript_merged": (
        {
            "schema.ts": (
                "export default abstract class Schema {\n  check(): void {}\n}\n"
                "export default interface Schema {\n  size(): number;\n}\n"
            ),
            "text.ts": "import Schema from './schema';\nexport class Text extends Schema {}\n",
        },
        {
            "schema.ts": (
                "export default abstract class Schema {\n  check(): void {}\n}\n"
                "export default interface Schema {\n  size(): number;\n  at(): number;\n}\n"
            ),
        },
    ),
    "go_one_method": (
        {
            "go.mod": "module gone1\n\ngo 1.22\n",
            "entry.go": (
                "package gone1\n\ntype Entry struct{}\n\n"
                "type Formatter interface {\n\tFormat(*Entry) ([]byte, error)\n}\n\n"
                "type Reader interface {\n\tRead(p []byte) (int, error)\n}\n"
            ),
            "text.go": (
                "package gone1\n\ntype Text struct{} //!\n\n"
                "func (t *Text) Format(entry *Entry) ([]byte, error) { return nil, nil }\n\n"
                "func (t *Text) Read(p []byte) (int, error) { return 0, nil }\n"
            ),
        },
        {
            "entry.go": (
                "package gone1\n\ntype Entry struct{}\n\n"
                "type Formatter interface {\n\tFormat(*Entry) ([]byte, error)\n"
                "\tMime() string\n}\n\n"
                "type Reader interface {\n\tRead(p []byte) (int, error)\n\tSize() int\n}\n"
            ),
        },
    ),
    "c_enum_member": (
        {
            "error.h": (
                "#pragma once\ntypedef enum fault_t {\n  fault_ok = 0, /**< None. */\n"
                "  fault_io = 2,\n  fault_data,\n  fault_end,\n} fault_t;\n"
            ),
            "node.h": '#pragma once\n#include "error.h"\nvoid flag(fault_t fault);\n',
            "node.c": (
                '#include "node.h"\nvoid flag(fault_t fault) {}\n'
                "void read_node(void) {\n  flag(fault_data); //!\n  flag(fault_io);\n}\n"
            ),
        },
        {
            "error.h": (
                "#pragma once\ntypedef enum fault_t {\n  fault_ok = 0, /**< None. */\n"
                "  fault_io = 2,\n  fault_end,\n} fault_t;\n"
            ),
        },
    ),
    "go_field_of_it": (
        {
            "go.mod": "module gfield\n\ngo 1.22\n",
            "pen.go": (
                "package gfield\n\ntype Pen struct {\n\tlogger *far.Logger\n}\n\n"
                "func (p *Pen) Debug(said string) {}\n"
            ),
            "use.go": (
                'package gfield\n\nfunc (p *Pen) Run() {\n\tp.logger.Debug("a")\n'
                '\tp.Debug("b") //!\n}\n'
            ),
        },
        {"pen.go": "package gfield\n\ntype Pen struct {\n\tlogger *far.Logger\n}\n"},
    ),
    "csharp_namespace": (
        {
            "Box.cs": (
                "namespace CSpace.Boxes\n{\n  public interface IBox\n  {\n    void Put(int a);\n"
                "  }\n\n  public enum Kind { One, Two }\n\n  public class Box : IBox\n  {\n"
                "    public Box(int size) { }\n    public void Put(int a) { }\n"
                "    public void Take(int a) { }\n    public void Gone() { }\n  }\n}\n"
            ),
            "Use.cs": (
                "using CSpace.Boxes;\nnamespace CSpace;\nclass Use : IBox\n{\n"
                "  public void Put(int a) { new Box(1).Put(2); }\n"
                "  void Run() { new Box(1).Take(2); } //!\n"
                "  void All() { new Box(1).Gone(); } //!\n"
                "}\n"
            ),
        },
        {
            "Box.cs": (
                "namespace CSpace.Boxes;\npublic interface IBox\n{\n  void Put(int a);\n"
                "}\n\npublic enum Kind { One, Two }\n\npublic class Box : IBox\n{\n"
                "  public Box(int size) { }\n  public void Put(int a) { }\n"
                "  public void Take(int a, int b) { }\n}\n"
            ),
        },
    ),
    "ruby_core_class": (
        {
            "core.rb": "class Hash\n  def to_params_here\n    1\n  end\nend\n",
            "use.rb": "def run(given)\n  given.is_a?(Hash)\nend\n",
        },
        {"core.rb": "# nothing\n"},
    ),
    "kotlin_backticks": (
        {
            "Base.kt": "package kback\nabstract class Base {\n  fun other() {}\n}\n",
            "One.kt": (
                "package kback\nclass One : Base() {\n  override fun `all of it`(): Int = 1\n}\n"
                "class Two : Base() { //!\n}\n"
            ),
        },
        {
            "Base.kt": (
                "package kback\nabstract class Base {\n  fun other() {}\n"
                "  abstract fun `all of it`(): Int\n}\n"
            ),
        },
    ),
    "kotlin_delegated": (
        {
            "Base.kt": "package kdel\ninterface Base {\n  fun other()\n}\n",
            "One.kt": (
                "package kdel\nclass One(val base: Base) : Base by base {\n  fun own() {}\n}\n"
                "class Two : Base { //!\n  override fun other() {}\n}\n"
            ),
        },
        {"Base.kt": "package kdel\ninterface Base {\n  fun other()\n  fun more(): Int\n}\n"},
    ),
    "kotlin_of_the_language": (
        {
            "Own.kt": (
                "package klang\nprivate fun require(of: String): Int = 1\n"
                "private fun hidden(of: String): Int = 1\nval one = 1\n"
            ),
            "Use.kt": (
                'package klang\nfun run(a: Int) {\n  require(a > 1) { "no" }\n  hidden(a)\n}\n'
                "class Console {\n  fun print(text: String) {\n    kotlin.io.print(text)\n  }\n}\n"
            ),
        },
        {
            "Own.kt": "package klang\nval one = 1\n",
            "Use.kt": (
                'package klang\nfun run(a: Int) {\n  require(a > 1) { "no" }\n  hidden(a)\n}\n'
                "class Console {\n  fun print(text: String, more: Boolean) {\n"
                "    print(text)\n  }\n}\n"
            ),
        },
    ),
    "python_builtin": (
        {"own.py": "def str(a):\n    pass\ndef old(a):\n    pass\nx = str(1), old(2)\n"},
        {"own.py": "x = str(1), old(2)  #!\n"},
    ),
}
