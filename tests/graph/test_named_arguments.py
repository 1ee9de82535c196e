"""Fields that calls set by the names of their arguments, and what such names do not mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.memory import graph, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

DATA = "from dataclasses import dataclass\n\n@dataclass\nclass Box:\n    width: int\n"
KOTLIN = "package a\ndata class Box(val width: Int)\nclass Lid(width: Int) { val w = width }\n"

SET: dict[str, tuple[dict[str, str], str, int]] = {
    "python: a data class": (
        {"a.py": DATA, "b.py": "from a import Box\n\nb = Box(width=1)\n"}, "b.py", 3,
    ),
    "python: by its module": (
        {"a.py": DATA, "b.py": "import a\n\nb = a.Box(width=1)\n"}, "b.py", 3,
    ),
    "python: a class below it": (
        {"a.py": DATA, "b.py": "import a\nclass Lid(a.Box):\n    x: int\nb = Lid(width=1, x=2)\n"},
        "b.py", 4,
    ),
    "python: a copy of a named tuple": (
        {
            "a.py": "from typing import NamedTuple\nclass Box(NamedTuple):\n    width: int\n",
            "b.py": "from a import Box\ndef f(b: Box):\n    return b._replace(width=2)\n",
        },
        "b.py", 3,
    ),
    "python: a copy of a data class": (
        {
            "a.py": DATA,
            "b.py": "import dataclasses\nfrom a import Box\ndef f(b: Box):\n"
            "    return dataclasses.replace(b, width=2)\n",
        },
        "b.py", 4,
    ),
    "kotlin: a data class": (
        {"a.kt": KOTLIN, "b.kt": "package a\nfun f() = Box(width = 1)\n"}, "b.kt", 2,
    ),
    "kotlin: a copy": (
        {"a.kt": KOTLIN, "b.kt": "package a\nfun f(b: Box) = b.copy(width = 2)\n"}, "b.kt", 2,
    ),
    "scala: a case class, and a copy": (
        {
            "a.scala": "package a\ncase class Box(width: Int)\n",
            "b.scala": "package a\nobject M {\n  def f(b: Box) = b.copy(width = 2)\n}\n",
        },
        "b.scala", 3,
    ),
    "csharp: a record": (
        {
            "a.cs": "namespace A;\npublic record Box(int width);\n",
            "b.cs": "namespace A;\nclass M {\n  Box F() => new Box(width: 2);\n}\n",
        },
        "b.cs", 3,
    ),
    "csharp: a copy of a record": (
        {
            "a.cs": "namespace A;\npublic record Box(int width);\n",
            "b.cs": "namespace A;\nclass M {\n  Box F(Box b) => b with { width = 3 };\n}\n",
        },
        "b.cs", 3,
    ),
    "swift: a struct": (
        {"a.swift": "struct Box { var width: Int }\n", "b.swift": "let b = Box(width: 1)\n"},
        "b.swift", 1,
    ),
    "php: a promoted parameter": (
        {
            "a.php": "<?php\nclass Box {\n  function __construct(public int $width) {}\n}\n",
            "b.php": "<?php\nfunction f() { return new Box(width: 1); }\n",
        },
        "b.php", 2,
    ),
}  # fmt: skip
"""(files, file and line of the use)."""

OTHERS: dict[str, tuple[dict[str, str], str]] = {
    "python: a class of elsewhere": (
        {"a.py": DATA, "b.py": "from x import Lid\n\nb = Lid(width=1)\n"}, "b.py",
    ),
    "python: a function": (
        {"a.py": DATA, "b.py": "def put(width):\n    pass\n\nput(width=1)\n"}, "b.py",
    ),
    "python: a constructor that is written out": (
        {
            "a.py": "class Box:\n    width: int\n\n    def __init__(self, width):\n        pass\n",
            "b.py": "from a import Box\n\nb = Box(width=1)\n",
        },
        "b.py",
    ),
    "kotlin: a parameter that is no property": (
        {"a.kt": KOTLIN, "b.kt": "package a\nfun f() = Lid(width = 1)\n"}, "b.kt",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SET)
def test_a_field_is_set_by_the_name_of_an_argument(case: str) -> None:
    files, path, line = SET[case]
    assert (line, "Box.width") in uses(graph(files), path)


@pytest.mark.parametrize("case", OTHERS)
def test_an_argument_of_the_name_of_a_field_is_not_always_for_it(case: str) -> None:
    files, path = OTHERS[case]
    assert "Box.width" not in {name for _, name in uses(graph(files), path)}


async def test_what_is_asked_about_a_field_has_the_calls_that_set_it(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    try:
        await made.write({"a.py": DATA, "b.py": "from a import Box\n\nb = Box(width=1)\n"})
        answer = await made.service(Servers(runs=False)).ask(
            references("Box.width"), used, uses=True
        )
    finally:
        await made.close()
    assert answer.complete
    assert [(each.path, each.line, each.kind) for each in answer.results] == [("b.py", 3, "write")]
