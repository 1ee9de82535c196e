"""A text that is read again with the tree of a former one has the tree that it has by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node

from surveyor.parsing.languages.grammar import parser
from surveyor.parsing.reread import edited

LINES = st.sampled_from(
    [
        "#ifdef CONFIG_X",
        "#else",
        "#endif",
        "static int __init MYLIB_API open_it(struct device *dev, int flags)",
        "{",
        "}",
        "\tif (flags & 0x1) {",
        "\tLIST_FOREACH(it, head, next) {",
        "\treturn call_it(dev, flags);",
        "EXPORT_SYMBOL_GPL(open_it);",
        "int size_ GUARDED_BY(mutex_);",
        "/* a comment of several",
        " * lines */",
        "struct PACKED point { int x; int y; };",
        '\tprintf("%s\\n", "é");',
        "",
    ]
)


def shape(node: Node) -> list[object]:
    return [node.type, node.start_byte, node.end_byte, node.is_missing, *map(shape, node.children)]


@given(st.lists(LINES, max_size=40), st.data())
def test_what_lies_outside_of_the_changed_places_is_taken_over(
    lines: list[str], data: st.DataObject
) -> None:
    source = "\n".join(lines).encode()
    changed = bytearray(source)
    for _ in range(data.draw(st.integers(0, 4))):
        first = data.draw(st.integers(0, len(source)))
        last = data.draw(st.integers(first, min(len(source), first + 90)))
        for at in range(first, last):
            if not source[at : at + 1].isspace():
                changed[at] = ord(" ")
    parse = parser("c")
    old = edited(parse.parse(source), source, bytes(changed))
    assert old is not None
    again = parse.parse(bytes(changed), old)
    assert shape(again.root_node) == shape(parse.parse(bytes(changed)).root_node)


def test_where_lines_have_moved_all_is_read() -> None:
    tree = parser("c").parse(b"int a;\nint b;")
    assert edited(tree, b"int a;\nint b;", b"int a; int b;") is None
    assert edited(tree, b"int a;\nint b;", b"int a;\nint bb;") is None
    assert edited(tree, b"int a;\nint b;", b"int a\n;int b;") is None
