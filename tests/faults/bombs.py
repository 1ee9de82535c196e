"""Small files that cost a parser everything: what is asked of each is only that it stays a file."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable
from itertools import cycle, islice

KB = 1024
DEEP = 60_000


def nested(before: str, open_: str, close: str, after: str = "", depth: int = DEEP) -> bytes:
    """What opens that often, and closes."""
    return (before + open_ * depth + close * depth + after).encode()


def unclosed(before: str, open_: str, depth: int = DEEP) -> bytes:
    """What opens and never closes."""
    return (before + open_ * depth).encode()


def archive(files: dict[str, bytes]) -> bytes:
    """A ZIP of files that compress well."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return out.getvalue()


def pdf(stream: bytes) -> bytes:
    """A PDF of one page whose content is one compressed stream."""
    packed = zlib.compress(stream, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed + b"\nendstream",
    ]
    body = b"%PDF-1.4\n"
    for number, each in enumerate(objects, 1):
        body += b"%d 0 obj\n" % number + each + b"\nendobj\n"
    return body + b"trailer << /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF\n"


def laughs(levels: int = 12) -> bytes:
    """XML whose entities name ten of the entity before."""
    lines = ['<?xml version="1.0"?>', "<!DOCTYPE a [", '<!ENTITY e0 "ha ha ha ha ha ha ha ha">']
    lines += [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels)]
    return "\n".join([*lines, f"]><a>&e{levels - 1};</a>"]).encode()


def yaml_laughs(levels: int = 12) -> bytes:
    """The same with YAML's anchors."""
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


GENERICS = "a<b<c<"

SHORT: dict[str, Callable[[], bytes]] = {
    "generics.java": lambda: unclosed("class A { void f() { ", GENERICS, 65_000),
    "generics.cs": lambda: unclosed("class A { void f() { ", GENERICS, 65_000),
    "brackets.py": lambda: nested("x = ", "[", "]"),
    "templates.cpp": lambda: nested("using T = ", "A<", ">", ";"),
    "braces.js": lambda: unclosed("let x = ", "{a:", 60_000),
    "templates.ts": lambda: unclosed("const x = ", "`${", 60_000),
    "heredocs.rb": lambda: unclosed("", "<<A+", 60_000),
    "deep.json": lambda: nested("", "[", "]", depth=200_000),
    "notebook.ipynb": lambda: nested('{"cells": ', "[", "]", "}", depth=200_000),
    "deep.toml": lambda: nested("x = ", "[", "]", depth=100_000),
    "nul.go": lambda: b"\xef\xbb\xbfpackage a\n" + b"\0\xff{(" * 100_000,
    "quotes.md": lambda: b"> " * 200_000 + b"\n" + b"[" * 100_000,
}
"""By name of file: twelve, in CI."""

LONG: dict[str, Callable[[], bytes]] = {
    **SHORT,
    "parens.py": lambda: nested("x = ", "(", ")"),
    "lambdas.py": lambda: unclosed("x = ", "lambda: "),
    "decorators.py": lambda: b"@a\n" * 200_000 + b"def f(): pass\n",
    "fstrings.py": lambda: unclosed("x = ", 'f"{'),
    "not.py": lambda: unclosed("x = ", "not ") + b"1",
    "indents.py": lambda: "".join(f"{' ' * n}if a:\n" for n in range(1400)).encode(),
    "comments.py": lambda: b"# a\n" * 250_000,
    "line.py": lambda: b"x = '" + b"a" * 10_000_000 + b"'",
    "jsx.tsx": lambda: nested("const x = ", "<a>", "</a>"),
    "jsx_open.jsx": lambda: unclosed("const x = ", "<a b={"),
    "arrows.ts": lambda: unclosed("const f = ", "(a) => "),
    "types.ts": lambda: unclosed("type A = ", "B<C<D<", 65_000),
    "conditional.ts": lambda: unclosed("type A = ", "B extends C ? "),
    "line.js": lambda: b"var a=1;" * 1_250_000,
    "unary.js": lambda: unclosed("x = ", "!-+~"),
    "regex.js": lambda: unclosed("x = ", "/a/ / "),
    "generics.kt": lambda: unclosed("fun f() { ", GENERICS, 65_000),
    "lambdas.kt": lambda: unclosed("val x = ", "{ a -> "),
    "generics.rs": lambda: unclosed("fn f() { ", GENERICS, 65_000),
    "comments.rs": lambda: nested("", "/*", "*/"),
    "macros.rs": lambda: nested("m!", "(m!{", "})", ";"),
    "references.rs": lambda: unclosed("fn f(x: ", "&'a mut "),
    "generics.swift": lambda: unclosed("let x = ", GENERICS, 65_000),
    "closures.swift": lambda: unclosed("let x = ", "{ "),
    "generics.scala": lambda: unclosed("val x = ", GENERICS, 65_000),
    "generics.dart": lambda: unclosed("var x = ", GENERICS, 65_000),
    "generics.php": lambda: unclosed("<?php $x = ", GENERICS, 65_000),
    "arrays.php": lambda: nested("<?php $x = ", "[", "]", ";"),
    "heredoc.php": lambda: unclosed("<?php ", "$x = <<<A\n"),
    "generics.cpp": lambda: unclosed("int x = ", GENERICS, 65_000),
    "casts.c": lambda: unclosed("int x = ", "(a)(b)*"),
    "pointers.c": lambda: unclosed("int ", "(*"),
    "ifs.c": lambda: b"#if A\n" * 100_000,
    "macros.h": lambda: b"A_B(" * 100_000,
    "channels.go": lambda: unclosed("package a\nvar x ", "chan<- "),
    "functions.go": lambda: unclosed("package a\nvar x = ", "func() {"),
    "ternaries.java": lambda: unclosed("class A { int x = ", "a ? b : "),
    "annotations.java": lambda: unclosed("", "@A("),
    "casts.java": lambda: unclosed("class A { int x = ", "(a) -> "),
    "blocks.rb": lambda: unclosed("", "a { |b| "),
    "strings.rb": lambda: unclosed("x = ", '"#{'),
    "pipes.sh": lambda: unclosed("", "$(a "),
    "heredocs.sh": lambda: b"cat <<A\n" * 50_000,
    "tables.lua": lambda: unclosed("x = ", "{"),
    "lists.hs": lambda: unclosed("x = ", "[("),
    "parens.el": lambda: nested("", "(", ")"),
    "deep.yaml": lambda: unclosed("a: ", "[{a: "),
    "laughs.yaml": yaml_laughs,
    "laughs.xml": laughs,
    "deep.xml": lambda: nested("", "<a>", "</a>", depth=150_000),
    "deep.html": lambda: nested("", "<div><script>", "</script></div>"),
    "line.json": lambda: b'{"a":"' + b"b" * 10_000_000 + b'"}',
    "emphasis.md": lambda: b"*a **b " * 100_000,
    "links.md": lambda: b"![a](" * 100_000,
    "fences.md": lambda: b"".join(b"`" * n + b"\n" for n in islice(cycle(range(3, 40)), 20_000)),
    "cells.ipynb": lambda: json.dumps(
        {"cells": [{"cell_type": "code", "source": ["("] * 20_000}] * 20}
    ).encode(),
}
"""Sixty and more in two dozen languages."""

DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "bomb.docx": lambda: archive(
        {
            "[Content_Types].xml": b"<Types/>",
            "word/document.xml": b"<a>" + b"<w:p>" * 20_000_000,
        }
    ),
    "bomb.epub": lambda: archive(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="a.opf"/>'
            b"</rootfiles></container>",
            "a.opf": b"<package>" + b" " * 100_000_000 + b"</package>",
        }
    ),
    "bomb.pdf": lambda: pdf(b"(a) Tj " * 15_000_000),
    "laughs.xhtml": laughs,
    "deep.html": lambda: nested("", "<div>", "</div>", depth=300_000),
    "deep.md": lambda: b"> " * 300_000,
}
"""For libraries: a few KB that unpack to hundreds of MB."""
