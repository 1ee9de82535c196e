"""reStructuredText through docutils, which may neither read other files nor run anything."""

from __future__ import annotations

import re
from pathlib import PurePath

import docutils.core
from docutils import nodes
from docutils.utils import Reporter

from surveyor.formats.document import ExtractedDocument, SectionCollector, one_line
from surveyor.formats.text import decode

SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "halt_level": Reporter.SEVERE_LEVEL + 1,
    "report_level": Reporter.SEVERE_LEVEL + 1,
    "warning_stream": "",
    "doctitle_xform": False,
    "sectsubtitle_xform": False,
    "syntax_highlight": "none",
    "line_length_limit": 1_000_000,
}
_ROLE = re.compile(r":[\w:+.-]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
"""A Sphinx role as docutils leaves it; what is shown of it is its text."""


def read(data: bytes, name: str) -> ExtractedDocument:
    """Sections by title. Sphinx's directives and roles are unknown here: their text is kept."""
    source = decode(data)
    tree = docutils.core.publish_doctree(source, settings_overrides=SETTINGS)
    outline = SectionCollector()
    _section(tree, outline, 0)
    heading = next((one.headings[0] for one in outline.sections if one.headings), "")
    title = next((_title(t) for t in tree.findall(nodes.title)), "")
    return ExtractedDocument(
        title or heading or PurePath(name).stem, "rst", tuple(outline.sections)
    )


def _section(top: nodes.Element, outline: SectionCollector, level: int) -> None:
    said: list[str] = []
    first = last = 0

    def finish() -> None:
        outline.text("\n\n".join(said), None, first, max(first, last))
        said.clear()

    for node in top.children:
        if isinstance(node, nodes.section):
            finish()
            title = node.next_node(nodes.title)
            outline.heading(level + 1, _title(title) if title else "")
            _section(node, outline, level + 1)
            outline.heading(level + 1, "")
            first = last = 0
        elif isinstance(
            node, nodes.title | nodes.comment | nodes.target | nodes.substitution_definition
        ):
            continue
        elif text := _text(node):
            line = node.line or 0
            first = first or line
            last = max(last, line)
            said.append(_ROLE.sub(r"\1", text))
    finish()


def _title(node: nodes.Node) -> str:
    return one_line(_ROLE.sub(r"\1", node.astext()))


def _text(node: nodes.Node) -> str:
    if isinstance(node, nodes.system_message):
        # What docutils does not know it quotes: the directive as it was written.
        return "\n\n".join(block.astext() for block in node.findall(nodes.literal_block))
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        return "\n".join("- " + _children(item) for item in node.children)
    if isinstance(node, nodes.definition_list):
        return "\n".join(_children(item) for item in node.children)
    if isinstance(node, nodes.table):
        rows = node.findall(nodes.row)
        return "\n".join(" | ".join(one_line(c.astext()) for c in row.children) for row in rows)
    if isinstance(node, nodes.Text | nodes.TextElement):
        return node.astext()
    if isinstance(node, nodes.Element):
        return _children(node, "\n\n")
    return ""


def _children(node: nodes.Node, between: str = "\n") -> str:
    return between.join(text for text in map(_text, node.children) if text)
