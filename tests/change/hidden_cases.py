"""Definitions that a change makes seen from fewer places, and who used them from elsewhere.

Files before and after, as in `test_members_of_types`, to which these cases belong.
"""

from __future__ import annotations

__all__ = ["HIDDEN_CASES"]

HIDDEN_CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "typescript_hidden": (
        {
            "draw.ts": (
                "export function drawLine() { return 1; }\n"
                "export function drawArc() { return 1; }\n"
                "function drawDot() { return 1; }\nexport { drawDot };\n"
                "export class Pen {\n  draw() { return this.ink(); }\n  ink() { return 1; }\n"
                "  tip() { return 1; }\n}\n"
            ),
            "use.ts": (
                'import { drawLine, drawArc, drawDot, Pen } from "./draw"; //!\n'
                "export class Marker extends Pen {\n"
                "  run() { return this.tip() + this.ink(); } //!\n}\n"
                "export function run(pen: Pen) {\n  drawArc();\n  pen.ink(); //!\n"
                "  pen.tip(); //!\n  return drawLine(); //!\n}\n"
            ),
            "all.ts": 'export { drawDot } from "./draw"; //!\nexport * from "./draw";\n',
        },
        {
            "draw.ts": (
                "function drawLine() { return 1; }\nfunction drawArc() { return 1; }\n"
                "function drawDot() { return drawLine(); }\nexport { drawArc };\n"
                "export class Pen {\n  draw() { return this.ink(); }\n"
                "  private ink() { return 1; }\n  protected tip() { return 1; }\n}\n"
            ),
        },
    ),
    "php_required": (
        {
            "Store.php": (
                "<?php\nnamespace HReq;\ninterface Store {\n  public function read();\n}\n"
            ),
            "File.php": (
                "<?php\nnamespace HReq;\nclass File implements Store {\n"
                "  public function read() { return 1; }\n"
                "  public function size() { return 1; }\n}\n"
            ),
        },
        {
            "File.php": (
                "<?php\nnamespace HReq;\nclass File implements Store {\n"
                "  private function read() { return 1; } //!\n"
                "  private function size() { return 1; }\n}\n"
            ),
        },
    ),
    "javascript_hidden": (
        {
            "lib.js": "export let turnOn = a => a\nexport let turnOff = () => 1\n",
            "use.js": 'import { turnOff, turnOn } from "./lib.js" //!\nturnOn(1) //!\nturnOff()\n',
        },
        {"lib.js": "let turnOn = a => a\nlet turnOff = () => turnOn(1)\nexport { turnOff }\n"},
    ),
    "java_hidden": (
        {
            "main/hid/Box.java": (
                "package hid;\npublic class Box {\n  public int open() { return shut(); }\n"
                "  public int shut() { return 1; }\n  public int lift() { return 1; }\n"
                "  static int make() { return 1; }\n  public int keep() { return 1; }\n"
                "  static class In { int run(Box box) { return box.shut(); } }\n}\n"
            ),
            "main/hid/Use.java": (
                "package hid;\nclass Use {\n  int run(Box box) {\n"
                "    return box.open() + box.lift() + box.keep()\n        + box.shut() //!\n"
                "        + Box.make(); //!\n  }\n}\n"
            ),
            "main/hidout/Far.java": (
                "package hidout;\nimport hid.Box;\nclass Far extends Box {\n"
                "  int run(Box box) { return lift(); }\n}\n"
                "class Farther {\n  int run(Box box) {\n    return box.lift() //!\n"
                "        + box.keep(); //!\n  }\n}\n"
            ),
            "test/hid/BoxTest.java": (
                "package hid;\nclass BoxTest {\n  int run(Box box) { return box.keep(); }\n}\n"
            ),
        },
        {
            "main/hid/Box.java": (
                "package hid;\npublic class Box {\n  public int open() { return shut(); }\n"
                "  private int shut() { return 1; }\n  protected int lift() { return 1; }\n"
                "  private static int make() { return 1; }\n  int keep() { return 1; }\n"
                "  static class In { int run(Box box) { return box.shut(); } }\n}\n"
            ),
        },
    ),
    "kotlin_hidden": (
        {
            "Box.kt": (
                "package khid\n\nfun makeBox() = Box()\n\nclass Box {\n  fun open() = shut()\n"
                "  fun shut() = 1\n\n  companion object {\n    fun most() = 1\n  }\n\n"
                "  fun limit() = most()\n}\n\nfun inside() = makeBox()\n"
            ),
            "Use.kt": (
                "package khid\n\nfun run(box: Box): Int {\n  makeBox() //!\n  box.open()\n"
                "  Box.most() //!\n  return box.shut() //!\n}\n"
            ),
        },
        {
            "Box.kt": (
                "package khid\n\nprivate fun makeBox() = Box()\n\nclass Box {\n"
                "  fun open() = shut()\n  private fun shut() = 1\n\n  companion object {\n"
                "    private fun most() = 1\n  }\n\n  fun limit() = most()\n}\n\n"
                "fun inside() = makeBox()\n"
            ),
        },
    ),
    "csharp_hidden": (
        {
            "Box.cs": (
                "namespace CHid;\npublic partial class Box {\n  public int Open() => Shut();\n"
                "  public int Shut() => 1;\n  public int Lift() => 1;\n}\n"
            ),
            "Box.More.cs": (
                "namespace CHid;\npublic partial class Box {\n  public int More() => Shut();\n}\n"
            ),
            "Use.cs": (
                "namespace CHid;\npublic class Crate : Box {\n  public int Run() => Lift();\n}\n"
                "public class Use {\n  public int Run(Box box) {\n    box.Open();\n"
                "    box.Lift(); //!\n    return box.Shut(); //!\n  }\n}\n"
            ),
        },
        {
            "Box.cs": (
                "namespace CHid;\npublic partial class Box {\n  public int Open() => Shut();\n"
                "  private int Shut() => 1;\n  protected int Lift() => 1;\n}\n"
            ),
        },
    ),
    "php_hidden": (
        {
            "Box.php": (
                "<?php\nnamespace PHid;\nclass Box {\n"
                "  public function open(): int { return $this->shut(); }\n"
                "  public function shut(): int { return 1; }\n"
                "  function lift(): int { return 1; }\n}\n"
            ),
            "Use.php": (
                "<?php\nnamespace PHid;\nclass Crate extends Box {\n"
                "  public function run(): int { return $this->lift(); }\n"
                "  public function end(): int { return $this->shut(); } //!\n}\n"
                "class Use {\n  public function run(Box $box): int {\n    $box->open();\n"
                "    $box->lift(); //!\n    return $box->shut(); //!\n  }\n}\n"
            ),
        },
        {
            "Box.php": (
                "<?php\nnamespace PHid;\nclass Box {\n"
                "  public function open(): int { return $this->shut(); }\n"
                "  private function shut(): int { return 1; }\n"
                "  protected function lift(): int { return 1; }\n}\n"
            ),
        },
    ),
    "rust_hidden": (
        {
            "Cargo.toml": '[package]\nname = "rhid"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub mod boxes;\npub mod other;\n",
            "src/boxes.rs": (
                "pub mod inner;\npub struct Box2;\nimpl Box2 {\n"
                "    pub fn open(&self) -> u8 { self.shut() }\n"
                "    pub fn shut(&self) -> u8 { 1 }\n    pub fn lift(&self) -> u8 { 1 }\n}\n"
                "pub fn make_box2() -> Box2 { Box2 }\n"
            ),
            "src/boxes/inner.rs": (
                "use super::make_box2;\nuse super::Box2;\n"
                "pub fn run(one: Box2) -> u8 { make_box2().shut() + one.shut() }\n"
            ),
            "src/other.rs": (
                "use crate::boxes::make_box2; //!\nuse crate::boxes::Box2;\n"
                "pub fn run(one: Box2) -> u8 {\n    make_box2(); //!\n    one.open();\n"
                "    one.lift();\n    one.shut() //!\n}\n"
            ),
            "tests/all.rs": (
                "use rhid::boxes::Box2;\nfn run(one: Box2) -> u8 {\n    one.open();\n"
                "    one.lift() //!\n}\n"
            ),
        },
        {
            "src/boxes.rs": (
                "pub mod inner;\npub struct Box2;\nimpl Box2 {\n"
                "    pub fn open(&self) -> u8 { self.shut() }\n"
                "    fn shut(&self) -> u8 { 1 }\n    pub(crate) fn lift(&self) -> u8 { 1 }\n}\n"
                "fn make_box2() -> Box2 { Box2 }\n"
            ),
        },
    ),
    "cpp_hidden": (
        {
            "box.hpp": (
                "#pragma once\nnamespace cpphid {\nclass Box {\n public:\n  int open();\n"
                "  int shut();\n  int lift();\n};\n}\n"
            ),
            "box.cpp": (
                '#include "box.hpp"\nnamespace cpphid {\nint Box::open() { return shut(); }\n'
                "int Box::shut() { return 1; }\nint Box::lift() { return 1; }\n}\n"
            ),
            "use.cpp": (
                '#include "box.hpp"\nnamespace cpphid {\nclass Crate : public Box {\n public:\n'
                "  int run() { return lift(); }\n};\n"
                "int run(Box& box) {\n  box.open();\n  box.lift(); //!\n  return box.shut(); //!\n"
                "}\n}\n"
            ),
        },
        {
            "box.hpp": (
                "#pragma once\nnamespace cpphid {\nclass Box {\n public:\n  int open();\n"
                " protected:\n  int lift();\n private:\n  int shut();\n};\n}\n"
            ),
        },
    ),
    "seen_from_more": (
        {
            "Box.java": (
                "package seen;\npublic class Box {\n  private int shut() { return 1; }\n"
                "  int lift() { return 1; }\n}\n"
            ),
            "draw.ts": "function drawLine2() { return 1; }\nexport default drawLine2;\n",
            "use.ts": 'import drawLine2 from "./draw";\ndrawLine2();\n',
        },
        {
            "Box.java": (
                "package seen;\npublic class Box {\n  public int shut() { return 1; }\n"
                "  protected int lift() { return 1; }\n}\n"
            ),
            "draw.ts": "export default function drawLine2() { return 1; }\n",
        },
    ),
}
