"""What a change of a file's imports means to the files that use it."""

from __future__ import annotations

import pytest

from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import decode_blobs, decode_facts
from surveyor.graph.outlines import IMPORTS, outline_of


def outline(path: str, text: str) -> dict[str, int]:
    facts = decode_facts(decode_blobs(parse_with_graph(path, text.encode()).graph).facts)
    return outline_of(facts)


def changed(path: str, before: str, after: str) -> set[str]:
    one, two = outline(path, before), outline(path, after)
    names = one.keys() | two.keys()
    return {name for name in names - {IMPORTS} if one.get(name) != two.get(name)}


@pytest.mark.parametrize(
    ("path", "imported", "code"),
    [
        ("a/Box.java", "import b.Tool;", "{} class Box {{ int size() {{ return 1; }} }}"),
        ("a/Box.kt", "import b.Tool", "package a\n{}\nclass Box {{ fun size(): Int = 1 }}"),
        ("a/box.go", 'import "b/tool"', "package a\n{}\nfunc Size() int {{ return 1 }}"),
        ("Box.cs", "using Tool = B.Tool;", "{}\nclass Box {{ int Size() {{ return 1; }} }}"),
        ("Box.php", "use B\\Tool;", "<?php\n{}\nclass Box {{ function size() {{}} }}"),
        ("box.dart", "import 'tool.dart' as tool;", "{}\nint size() {{ return 1; }}"),
        ("box.ts", 'import {{ Tool }} from "./tool"', "{}\nexport const size = (): number => 1"),
        ("box.js", 'import Tool from "./tool"', "{}\nexport default function size() {{}}"),
    ],
)
def test_what_a_file_imports_for_itself_is_no_news_to_others(
    path: str, imported: str, code: str
) -> None:
    assert changed(path, code.format(""), code.format(imported.replace("{{", "{"))) == set()


@pytest.mark.parametrize(
    ("path", "before", "after", "names"),
    [
        (
            "Box.java",
            "import b.Tool; class Box { Tool tool; int size; }",
            "import c.Tool; class Box { Tool tool; int size; }",
            {"tool"},
        ),
        (
            "Box.java",
            "import b.Base; class Box extends Base { int size; }",
            "import c.Base; class Box extends Base { int size; }",
            {"Box"},
        ),
        (
            "Box.java",
            "import b.*; class Box { Tool tool; Box box; }",
            "import c.*; class Box { Tool tool; Box box; }",
            {"tool"},
        ),
        (
            "box.go",
            'package a\nimport tool "b"\ntype Box struct { Tool tool.Tool; Size int }\n',
            'package a\nimport tool "c"\ntype Box struct { Tool tool.Tool; Size int }\n',
            {"Tool"},
        ),
        (
            "box.ts",
            "import { a, b } from './b'\nexport { a }\nexport const size = 1",
            "import { a, b } from './c'\nexport { a }\nexport const size = 1",
            {"a"},
        ),
        (
            "box.ts",
            "export { a } from './b'\nexport const size = 1",
            "export { a } from './c'\nexport const size = 1",
            {"a"},
        ),
        ("box.py", "from b import a\n", "from c import a\n", {"a"}),
    ],
)
def test_what_a_file_says_by_its_imports_is_news_where_they_change(
    path: str, before: str, after: str, names: set[str]
) -> None:
    assert changed(path, before, after) == names
