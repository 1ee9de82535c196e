"""The languages that patterns are written in, and what a part of a file stands in there.

A pattern such as `except $E: pass` is no program of its own. It is read in the first of its
language's contexts in which it is one node without an error; `…` is where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from surveyor.parsing.languages import language_of

__all__ = [
    "BRACED_VALUES",
    "CONTEXTS",
    "DECLARATIONS",
    "ENDED_STATEMENTS",
    "ENDED_TYPES",
    "GRAMMARS",
    "LABELED",
    "MARKUPS",
    "PARTS",
    "PLACE",
    "PROGRAMMING",
    "TYPE_ARGUMENTS",
    "TYPE_CONTEXTS",
    "Grammar",
    "grammar_of",
    "grammar_of_file",
]

Grammar = Literal[
    "bash", "c", "cpp", "csharp", "css", "dart", "elixir", "go", "haskell", "html", "java",
    "javascript", "json", "kotlin", "lua", "markdown", "nix", "php", "python", "ruby", "rust",
    "scala", "solidity", "swift", "tsx", "typescript", "yaml", "zig",
]  # fmt: skip
"""As ast-grep calls them."""
GRAMMARS: tuple[Grammar, ...] = get_args(Grammar)
PROGRAMMING = tuple(
    each for each in GRAMMARS if each not in {"css", "html", "json", "markdown", "yaml"}
)
"""Where a pattern is looked for if nothing is said: prose and data take nearly anything for one."""

_OTHER_NAMES: Mapping[str, Grammar] = {"cuda": "cpp"}
PLACE = "…"
_CLASS = "class A { … }"
_C_FUNCTION = ("void f() { … }", "void f() { …; }")
_ECMASCRIPT = (
    "…",
    "try { } …",
    "switch (a) { … }",
    _CLASS,
    "a = { … }",
    "async function f() { … }",
    "function* f() { … }",
    "if (a) { } …",
    "… class A { }",
)
_JSX = ("<A … />",)
_JVM_LIKE = (
    "class A { void f() { … } }",
    "class A { void f() { …; } }",
    "class A { int f() { return …; } }",
    "class A { void f() { try { } … } }",
    "class A { void f() { switch (a) { … } } }",
    _CLASS,
    "interface A { … }",
    "…",
    "… class A { }",
)

CONTEXTS: Mapping[Grammar, tuple[str, ...]] = {
    "python": (
        "…",
        "try:\n    pass\n…",
        "if a:\n    pass\n…",
        "for a in b:\n    pass\n…",
        "match a:\n    …",
        "…\ndef f():\n    pass",
        "…\n    pass",
    ),
    # A call of a qualified name is a conversion at the top of a file, and a declaration in C.
    "go": (
        "package a\nfunc f() { … }",
        "package a\nfunc f() { switch a { … } }",
        "package a\nfunc f() { select { … } }",
        "package a\n…",
        "package a\ntype A struct { … }",
        "package a\ntype A interface { … }",
        "…",
    ),
    "c": (
        *_C_FUNCTION,
        "…",
        "struct a { … };",
        "void f() { switch (a) { … } }",
        "void f() { if (a) { } … }",
    ),
    "cpp": (
        "void f() { try { } … }",  # else `catch` would be the name of a function
        *_C_FUNCTION,
        "…",
        "class A { … };",
        "void f() { switch (a) { … } }",
        "void f() { if (a) { } … }",
    ),
    "csharp": _JVM_LIKE,
    "java": _JVM_LIKE,
    "dart": (
        "void f() { … }",
        "void f() { …; }",
        "…",
        _CLASS,
        "void f() { try { } … }",
        "… class A { }",
    ),
    "javascript": (*_ECMASCRIPT, *_JSX),
    "typescript": (*_ECMASCRIPT, "interface A { … }", "enum A { … }", "type A = …"),
    "tsx": (*_ECMASCRIPT, *_JSX, "interface A { … }", "enum A { … }", "type A = …"),
    "rust": (
        "fn f() { … }",
        "…",
        "fn f() { match a { … } }",
        "impl A { … }",
        "trait A { … }",
        "struct A { … }",
        "…\nfn f() { }",
        "type A = …;",
    ),
    "php": ("…", "…;", _CLASS, "try { } …", "switch ($a) { … }", "…\nclass A { }"),
    "kotlin": ("…", "fun f() { … }", _CLASS, "try { } …", "when (a) { … }"),
    "scala": ("…", "object A { … }", "try { a } …", "a match { … }"),
    "swift": (
        "…",
        "func f() { … }",
        _CLASS,
        "do { } …",
        "switch a { … }",
        "protocol A { … }",
    ),
    "ruby": ("…", "begin\n  a\n…\nend", "case a\n…\nend", "class A\n…\nend"),
    "elixir": ("…", "case a do\n…\nend", "defmodule A do\n…\nend"),
    "haskell": ("…", "f = …", "f = do\n  …", "f a = do\n  …\n  a"),
    "lua": ("…", "a = { … }", "if a then … end"),
    "bash": ("…", "case a in … esac"),
    "solidity": (
        "contract A { function f() public { … } }",
        "contract A { function f() public { …; } }",
        "contract A { … }",
        "…",
    ),
    "zig": ("fn f() void { … }", "fn f() void { …; }", "…"),
    "css": ("…", "a { … }"),
    "nix": ("…", "{ … }"),
    "json": ("…", "{ … }"),
}
"""By language, the first that fits is taken. A language without stands alone."""
_Kinds = frozenset[str]
_PAIR = ("a = { … }", frozenset({"pair"}))
_TYPED_MEMBERS = (
    _PAIR,
    (_CLASS, frozenset({"public_field_definition"})),
    ("interface A { … }", frozenset({"property_signature"})),
)
DECLARATIONS: Mapping[Grammar, tuple[tuple[str, _Kinds], ...]] = {
    "c": (("struct a { … };", frozenset({"field_declaration"})),),
    "cpp": (("class A { … };", frozenset({"field_declaration"})),),
    "csharp": ((_CLASS, frozenset({"method_declaration", "field_declaration"})),),
    "dart": (
        ("…", frozenset({"function_declaration", "top_level_variable_declaration"})),
        (_CLASS, frozenset({"method_declaration", "class_member"})),
    ),
    "java": (
        (_CLASS, frozenset({"field_declaration"})),
        ("interface A { … }", frozenset({"constant_declaration"})),
    ),
    "php": ((_CLASS, frozenset({"method_declaration"})),),
    "solidity": (("contract A { … }", frozenset({"state_variable_declaration"})),),
    "zig": (("…", frozenset({"function_declaration"})),),
}
"""Where else declarations may stand, and their kinds there: they are looked for as each."""
LABELED: Mapping[Grammar, tuple[tuple[str, _Kinds], ...]] = {
    "javascript": (_PAIR,),
    "tsx": _TYPED_MEMBERS,
    "typescript": _TYPED_MEMBERS,
}
"""The same of what alone is a statement with a label: `key: $V`."""
TYPE_CONTEXTS: Mapping[Grammar, tuple[str, ...]] = {
    "cpp": ("… a;",),
    "csharp": ("class A { … a; }",),
    "dart": ("class A { … a; }",),
    "java": ("class A { … a; }",),
    "kotlin": ("val a: … = b",),
    "python": ("a: …",),
    "scala": ("val a: … = b",),
    "swift": ("var a: …",),
    "tsx": ("type A = …",),
    "typescript": ("type A = …",),
}
"""Where a type stands, for languages that read its arguments otherwise in an expression."""
TYPE_ARGUMENTS: Mapping[Grammar, str] = {"python": "[", "scala": "["}
"""What a type's arguments begin with where it is not `<`."""
ENDED_STATEMENTS: frozenset[Grammar] = frozenset(
    {"c", "cpp", "csharp", "dart", "java", "php", "rust", "solidity", "zig"}
)
"""Languages whose statements end with a `;`, which a pattern may leave out."""


ENDED_LINES: frozenset[Grammar] = frozenset({"markdown"})
"""Languages in which a line (a heading) is one only with its end."""
NAMELESS: frozenset[Grammar] = frozenset({"json"})
"""Languages without names: a hole, which is read as one, can stand for few things."""
ENDED_TYPES: frozenset[Grammar] = frozenset({"c", "cpp"})
"""Languages in which a `;` follows the definition of a type, and is no part of it."""
BRACED_VALUES: frozenset[Grammar] = frozenset({"cpp"})
"""Languages in which what follows a declaration in braces may be its value."""
MARKUPS: frozenset[str] = frozenset({"astro", "html", "svelte", "vue"})
"""Languages of the index whose files hold scripts and styles."""
PARTS: tuple[Grammar, ...] = ("css", "javascript", "tsx", "typescript")
"""The languages of those."""


def grammar_of_file(path: str, language: str | None) -> Grammar | None:
    """The grammar for a file of a language of the index, which counts several as one."""
    if language == "typescript":
        exactly = language_of(path)
        return "tsx" if exactly is not None and exactly.name == "tsx" else "typescript"
    return grammar_of(language)


def grammar_of(language: str | None) -> Grammar | None:
    """The grammar for a language of the index; None where ast-grep has none."""
    if language in GRAMMARS:
        return next(each for each in GRAMMARS if each == language)
    return _OTHER_NAMES.get(language or "")
