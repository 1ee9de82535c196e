"""Changes whose users `check` passed over in silence on repositories that it had not seen.

Files before and after, as in `test_members_of_types`, to which these cases belong.
"""

from __future__ import annotations

__all__ = ["FOUND_CASES"]

FOUND_CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "rust_self": (
        {
            "Cargo.toml": '[package]\nname = "rself"\nversion = "0.1.0"\n',
            "src/lib.rs": "pub mod pens;\npub mod more;\n",
            "src/pens.rs": (
                "pub struct Pen { pub size: u8 }\npub struct Dot(pub u8);\n"
                "impl Pen {\n    pub fn make() -> Self {\n        Self { size: 1 } //!\n    }\n"
                "    pub fn all(size: u8, ink: u8) -> Self {\n        Self { size, ink }\n    }\n"
                "    pub fn rest(self) -> Self {\n        Self { size: 1, ..self }\n    }\n}\n"
                "impl Dot {\n    pub fn make() -> Self {\n        Self(1) //!\n    }\n}\n"
            ),
            "src/more.rs": (
                "use crate::pens::Pen;\n"
                "impl Pen {\n    pub fn again() -> Self {\n        Self { size: 2 } //!\n    }\n}\n"
            ),
        },
        {
            "src/pens.rs": (
                "pub struct Pen { pub size: u8, pub ink: u8 }\npub struct Dot(pub u8, pub u8);\n"
                "impl Pen {\n    pub fn make() -> Self {\n        Self { size: 1 } //!\n    }\n"
                "    pub fn all(size: u8, ink: u8) -> Self {\n        Self { size, ink }\n    }\n"
                "    pub fn rest(self) -> Self {\n        Self { size: 1, ..self }\n    }\n}\n"
                "impl Dot {\n    pub fn make() -> Self {\n        Self(1) //!\n    }\n}\n"
            ),
        },
    ),
    "go_two_of_a_name": (
        {
            "go.mod": "module gtwo\n\ngo 1.22\n",
            "keep/keep.go": (
                'package keep\n\nimport "net/url"\n\ntype Store interface {\n\tInit() error\n'
                "\tVisited(id uint64) error\n\tCookies(u *url.URL) string\n}\n\n"
                "type Memory struct { //!\n\tseen map[uint64]bool\n}\n\n"
                "func (s *Memory) Init() error { return nil }\n\n"
                "func (s *Memory) Visited(id uint64) error { return nil }\n\n"
                'func (s *Memory) Cookies(u *url.URL) string { return "" }\n'
            ),
            "queue/queue.go": (
                "package queue\n\ntype Store interface {\n\tInit() error\n\tSize() int\n}\n\n"
                "type Memory struct{}\n\nfunc (q *Memory) Init() error { return nil }\n\n"
                "func (q *Memory) Size() int { return 0 }\n"
            ),
        },
        {
            "keep/keep.go": (
                'package keep\n\nimport "net/url"\n\ntype Store interface {\n\tInit() error\n'
                "\t// Close ends it\n\tClose() error\n"
                "\tVisited(id uint64) error\n\tCookies(u *url.URL) string\n}\n\n"
                "type Memory struct { //!\n\tseen map[uint64]bool\n}\n\n"
                "func (s *Memory) Init() error { return nil }\n\n"
                "func (s *Memory) Visited(id uint64) error { return nil }\n\n"
                'func (s *Memory) Cookies(u *url.URL) string { return "" }\n'
            ),
        },
    ),
    "cpp_inline_below": (
        {
            "flag.hpp": (
                "#pragma once\nnamespace below {\nclass Flag {\n public:\n"
                "  inline bool isRaised() const;\n  inline bool raise(int by);\n private:\n"
                "  bool raised = false;\n};\n\nbool Flag::isRaised() const { return raised; }\n\n"
                "bool Flag::raise(int by) { return raised = by > 0; }\n}\n"
            ),
            "use.cpp": (
                '#include "flag.hpp"\nbool run(below::Flag& flag) {\n  flag.raise(1);\n'
                "  return flag.isRaised(); //!\n}\n"
            ),
        },
        {
            "flag.hpp": (
                "#pragma once\nnamespace below {\nclass Flag {\n public:\n"
                "  inline bool isUp() const;\n  inline bool raise(int by);\n private:\n"
                "  bool raised = false;\n};\n\n"
                "bool Flag::isRaised() const { return raised; } //!\n\n"
                "bool Flag::raise(int by) { return raised = by > 0; }\n}\n"
            ),
        },
    ),
    "cpp_parameters_below": (
        {
            "lamp.hpp": (
                "#pragma once\nnamespace lamps {\nclass Lamp {\n public:\n"
                "  bool dim(int by);\n  bool light();\n};\n\n"
                "bool Lamp::dim(int by) { return by > 0; } //!\n\n"
                "bool Lamp::light() { return dim(1); } //!\n}\n"
            ),
        },
        {
            "lamp.hpp": (
                "#pragma once\nnamespace lamps {\nclass Lamp {\n public:\n"
                "  bool dim(int by, int slow);\n  bool light();\n};\n\n"
                "bool Lamp::dim(int by) { return by > 0; } //!\n\n"
                "bool Lamp::light() { return dim(1); } //!\n}\n"
            ),
        },
    ),
    "cpp_override_below": (
        {
            "pool.hpp": (
                "#pragma once\nclass Pool {\n public:\n  virtual int take(int size) = 0;\n};\n"
                "class Counted : public Pool {\n public:\n"
                "  inline int take(int size) override; //!\n"
                "};\nint Counted::take(int size) { return size; }\n"
            ),
        },
        {
            "pool.hpp": (
                "#pragma once\nclass Pool {\n public:\n"
                "  virtual int take(int size, int flags) = 0;\n};\n"
                "class Counted : public Pool {\n public:\n"
                "  inline int take(int size) override; //!\n};\n"
                "int Counted::take(int size) { return size; }\n"
            ),
        },
    ),
    "cpp_single_header": (
        {
            "include/dots/node.hpp": (
                "#pragma once\n#include <string>\nnamespace dots {\nclass Node {\n public:\n"
                "  static std::string toPointer(const std::string& text) { return text; }\n"
                "};\n}\n"
            ),
            "include/dots/render.hpp": (
                '#pragma once\n#include "node.hpp"\nnamespace dots {\n'
                "inline std::string show(const std::string& text) {\n"
                "  return Node::toPointer(text); //!\n}\n}\n"
            ),
            "single/dots.hpp": (
                "#pragma once\n#include <string>\nnamespace dots {\nclass Node {\n public:\n"
                "  static std::string toPointer(const std::string& text) { return text; }\n"
                "};\ninline std::string show(const std::string& text) {\n"
                "  return Node::toPointer(text);\n}\n}\n"
            ),
        },
        {
            "include/dots/node.hpp": (
                "#pragma once\n#include <string>\nnamespace dots {\nclass Node {\n public:\n"
                "  static std::string asPointer(const std::string& text) { return text; }\n"
                "};\n}\n"
            ),
        },
    ),
    "typescript_async_in_variable": (
        {
            "kind.ts": "export function kindOf(name: string): string { return name; }\n",
            "use.ts": (
                'import { kindOf } from "./kind";\n'
                "export function one() {\n  const kind = kindOf('a'); //!\n"
                "  return !kind || kind.length > 1;\n}\n"
                "export function two() {\n  const kind = kindOf('a'); //!\n"
                "  return `${kind}/`;\n}\n"
                "export async function three() {\n  const kind = kindOf('a');\n"
                "  return await kind;\n}\n"
                "export function four() {\n  const kind = kindOf('a');\n"
                "  return Promise.all([kind]);\n}\n"
                "export function five() {\n  const kind = kindOf('a');\n"
                "  return kind.then(one => one);\n}\n"
                "export function six() {\n  const kind = kindOf('a');\n  return kind;\n}\n"
                "export async function seven() {\n  const kind = kindOf('a');\n"
                "  if (kind) { await kind; }\n}\n"
            ),
        },
        {
            "kind.ts": (
                "export async function kindOf(name: string): Promise<string | undefined> {\n"
                "  return name;\n}\n"
            ),
        },
    ),
    "python_async_in_variable": (
        {
            "kind.py": "def kind_of(name):\n    return name\n",
            "use.py": (
                "import asyncio\nfrom .kind import kind_of\n\n\n"
                "def one():\n    kind = kind_of('a')  #!\n    return kind + 'b'\n\n\n"
                "def two():\n    kind = kind_of('a')  #!\n    if not kind:\n        return 1\n"
                "    return kind.upper()\n\n\n"
                "async def three():\n    kind = kind_of('a')\n    return await kind\n\n\n"
                "async def four():\n    kind = kind_of('a')\n"
                "    return await asyncio.gather(kind)\n\n\n"
                "def five():\n    kind = kind_of('a')\n    kind.close()\n\n\n"
                "def six():\n    kind = kind_of('a')\n    return kind\n"
            ),
        },
        {"kind.py": "async def kind_of(name):\n    return name\n"},
    ),
    "kotlin_sealed_below_sealed": (
        {
            "Node.kt": (
                "package ksea\n\nsealed interface Node\n\nclass Many : Node\n\n"
                "sealed class One : Node\n\nclass Text : One()\n\nsealed class Number : One()\n\n"
                "class Whole : Number()\n\nclass Real : Number()\n\nobject None : Node\n"
            ),
            "Use.kt": (
                "package ksea\n\nfun deep(node: Node): Int = when (node) { //!\n"
                "  is Many -> 1\n  is Text -> 2\n  is Whole -> 3\n  is Real -> 4\n"
                "  None -> 5\n}\n\n"
                "fun flat(node: Node): Int = when (node) {\n  is Many -> 1\n  is One -> 2\n"
                "  None -> 5\n}\n\n"
                "fun rest(node: Node): Int = when (node) {\n  is Text -> 1\n  is Number -> 2\n"
                "  else -> 3\n}\n\n"
                "fun mixed(one: One): Int = when (one) { //!\n  is Text -> 1\n  is Whole -> 3\n"
                "  is Real -> 4\n}\n"
            ),
        },
        {
            "Node.kt": (
                "package ksea\n\nsealed interface Node\n\nclass Many : Node\n\n"
                "sealed class One : Node\n\nclass Text : One()\n\nclass Bytes : One()\n\n"
                "sealed class Number : One()\n\n"
                "class Whole : Number()\n\nclass Real : Number()\n\nobject None : Node\n"
            ),
        },
    ),
    "go_to_a_generated_file": (  # which the index leaves out
        {
            "go.mod": "module ggen\n\ngo 1.22\n",
            "slice.go": "package ggen\n\nfunc ToInts(i any) []int { return nil }\n",
            "use.go": "package ggen\n\nvar ints = ToInts(1)\n",
        },
        {
            "slice.go": "package ggen\n",
            "zz_generated.go": (
                "// Code generated by cast generator. DO NOT EDIT.\n\npackage ggen\n\n"
                "func ToInts(i any) []int { return nil }\n"
            ),
        },
    ),
    "typescript_type_at_a_value": (  # of which others have nothing
        {
            "now.ts": (
                "export const now = (globalThis as { process?: { hr?: { big: () => bigint } } })"
                "\n  .process?.hr?.big\n"
            ),
            "use.ts": "process.hr = undefined\n",
        },
        {"now.ts": "export const now = globalThis.process?.hr\n"},
    ),
    "rust_impl_for_no_name": (
        {
            "Cargo.toml": '[package]\nname = "rnoname"\nversion = "0.1.0"\n',
            "src/lib.rs": (
                "pub struct Text(Vec<u8>);\npub trait Own<T> { fn to_owned(&self) -> T; }\n"
                "pub trait Into8 { fn into8(&self) -> String; }\n"
                "impl Into8 for str {\n    fn into8(&self) -> String { self.to_owned() }\n}\n"
                "impl Own<Text> for [u8] {\n    fn to_owned(&self) -> Text { Text(vec![]) }\n}\n"
            ),
        },
        {
            "src/lib.rs": (
                "pub struct Text(Vec<u8>);\n"
                "pub trait Into8 { fn into8(&self) -> String; }\n"
                "impl Into8 for str {\n    fn into8(&self) -> String { self.to_owned() }\n}\n"
            )
        },
    ),
    "typescript_function_property": (
        {
            "store.ts": (
                "export interface Store {\n  get: (key: string) => void\n"
                "  drop?: (key: string) => void\n  size: number\n}\n"
            ),
            "use.ts": (
                'import { Store } from "./store";\n'
                "export class Memory implements Store { //!\n  size = 1;\n"
                "  get(key: string) {}\n  drop(key: string) {}\n}\n"
                "export class Disk implements Store { //!\n  size = 1;\n"
                "  get = (key: string) => {};\n}\n"
                "export class Whole implements Store {\n  size = 1;\n"
                "  get = (key: string) => {};\n  all = () => 1;\n}\n"
            ),
        },
        {
            "store.ts": (
                "export interface Store {\n  get: (key: string) => void\n  all: () => number\n"
                "  drop?: (key: string) => void\n  size: number\n}\n"
            ),
            "use.ts": (
                'import { Store } from "./store";\n'
                "export class Memory implements Store { //!\n  size = 1;\n"
                "  fetch(key: string) {}\n  all() { return 1; }\n}\n"
                "export class Disk implements Store { //!\n  size = 1;\n"
                "  get = (key: string) => {};\n}\n"
                "export class Whole implements Store {\n  size = 1;\n"
                "  get = (key: string) => {};\n  all = () => 1;\n}\n"
            ),
        },
    ),
    "javascript_imported_now": (
        {
            "run.js": (
                'const assert = require("node:assert");\nconst fs = require("fs");\n'
                "function only(a) { return a; }\nfunction gone(a) { return a; }\n"
                "assert(fs.sep);\nassert.ok(only(1), gone(2)); //!\n"
            ),
        },
        {
            "run.js": (
                'import assert from "node:assert";\nimport { promises as fs } from "fs";\n'
                'import { only } from "foreign";\n'
                "assert(fs.sep);\nassert.ok(only(1), gone(2)); //!\n"
            ),
        },
    ),
    "python_imported_now": (
        {
            "pinow_tools.py": "def cached(f):\n    return f\ndef other(f):\n    return f\n",
            "pinow_use.py": (
                "from pinow_tools import cached\nfrom pinow_tools import other  #!\n"
                "@cached\ndef go():\n    return other  #!\n"
            ),
        },
        {"pinow_tools.py": "from functools import cache as cached\n"},
    ),
    "typescript_given_on_now": (
        {
            "tools.ts": "export function held() { return 1; }\nexport function own() {}\n",
            "use.ts": (
                'import { held } from "./tools";\nimport { own } from "./tools"; //!\n'
                "held();\nown(); //!\n"
            ),
        },
        {"tools.ts": 'export { held } from "foreign";\nimport { own } from "foreign";\n'},
    ),
    "kotlin_constructors": (
        {
            "Box.kt": "package kctor\nclass Box(val a: Int, val b: Int)\n",
            "Base.kt": (
                'package kctor\nopen class Base {\n  override fun toString() = ""\n}\n'
                'class Below : Base() {\n  override fun toString() = "b"\n}\n'
            ),
            "Use.kt": "package kctor\nfun use() {\n  Box(1, 2)\n  Box(b = 1, a = 2)\n}\n",
        },
        {
            "Box.kt": (
                "package kctor\nclass Box(val a: Int, val b: Int, val c: Int) {\n"
                "  constructor(a: Int, b: Int) : this(a, b, 1)\n}\n"
                "class Row(val a: Int, val b: Int) {\n  constructor(a: Int) : this(a, 1)\n}\n"
            ),
            "Base.kt": (
                "package kctor\nopen class Base {\n}\n"
                'class Below : Base() {\n  override fun toString() = "b"\n}\n'
            ),
            "Use.kt": (
                "package kctor\nfun use() {\n  Box(1, 2)\n  Box(b = 1, a = 2)\n"
                "  Row(1)\n  Row() //!\n}\n"
            ),
        },
    ),
    "kotlin_expected": (
        {
            "Zone.kt": (
                "package kexp\nexpect abstract class Zone {\n  companion object {\n  }\n}\n"
                "expect class Fixed : Zone {\n}\n"
            ),
        },
        {
            "Zone.kt": (
                "package kexp\nexpect abstract class Zone {\n  fun held(): Int\n"
                "  companion object {\n    fun serializer(): Int\n  }\n}\n"
                "expect class Fixed : Zone {\n}\n"
            ),
        },
    ),
    "csharp_inherited_overload": (
        {
            "Base.cs": (
                "namespace CBase;\npublic abstract class Base {\n"
                "  protected static string Held(string a, string b) => a;\n}\n"
            ),
            "Use.cs": (
                'namespace CBase;\npublic class Use : Base {\n  string Held() => "";\n'
                '  string Run() => Held() + Held("a", "b"); //!\n'
                '  string More() => Held("a", "b");\n}\n'
            ),
        },
        {
            "Use.cs": (
                'namespace CBase;\npublic class Use : Base {\n  string Held(bool c) => "";\n'
                '  string Run() => Held() + Held("a", "b"); //!\n'
                '  string More() => Held("c", "b");\n}\n'
            ),
        },
    ),
}
