"""What matches become: templates whose holes are filled with what they matched."""

from __future__ import annotations

from collections.abc import Sequence

from ast_grep_py import SgNode

from surveyor.structural.holes import HOLE
from surveyor.structural.jobs import PatternSource

__all__ = ["captured", "rewritten", "start_of"]

_ENDS = frozenset({";", ","})
"""Signs that end a statement or a part of a list, and belong to its node in some grammars."""


def captured(text: str, node: SgNode, hole: str) -> str | None:
    """What a hole stands for in a match; None where it stands for nothing that matched."""
    span = _span_of(node, hole)
    return None if span is None else text[span[0] : span[1]]


def rewritten(text: str, nodes: Sequence[SgNode], source: PatternSource) -> str:
    """A text with each match replaced; of matches inside each other the outermost."""
    assert source.rewrite is not None
    parts: list[str] = []
    done = 0
    for node in sorted(nodes, key=lambda each: (start_of(each), -each.range().end.index)):
        start = start_of(node)
        if start < done:
            continue
        filled, end = _filled(text, node, source.rewrite), _end(text, node, source)
        parts += (text[done:start], _with_its_line_end(filled, text[start:end]))
        done = end
    return "".join((*parts, text[done:]))


def start_of(node: SgNode) -> int:
    """Where a match begins, in characters."""
    return node.range().start.index


def _end(text: str, node: SgNode, source: PatternSource) -> int:
    """Where what is replaced ends: before a sign that ends the match, but not the pattern, and
    behind one that ends the pattern and is no part of the match."""
    end = node.range().end.index
    if source.pattern.rstrip().endswith(";") and not node.text().endswith(";"):
        return end + 1 if text[end : end + 1] == ";" else end
    last = next(reversed(node.children()), None)
    ends = last is not None and not last.is_named() and last.text() in _ENDS
    if not source.pattern or not ends or source.pattern.rstrip().endswith((";", ",")):
        return end
    return start_of(last) if last is not None else end


def _with_its_line_end(filled: str, matched: str) -> str:
    """What a match becomes, with the ends of lines that belong to its node in some grammars
    (`#include` of C, headings and lists of Markdown and YAML): the next line stays one."""
    tail = matched[len(matched.rstrip()) :]
    return filled.rstrip() + tail if "\n" in tail and filled.strip() else filled


def _span_of(node: SgNode, hole: str) -> tuple[int, int] | None:
    name = hole.lstrip("$")
    if not hole.startswith("$$$"):
        one = node.get_match(name)
        return None if one is None else (start_of(one), one.range().end.index)
    several = node.get_multiple_matches(name)
    if not several:
        return start_of(node), start_of(node)
    return start_of(several[0]), several[-1].range().end.index


def _filled(text: str, node: SgNode, template: str) -> str:
    """The template with its holes filled, its further lines indented as the match is.

    Those of what a hole matched are moved as far as its first line is.
    """
    base = _indent_at(text, start_of(node))
    line_end = "\r\n" if _has_carriage_returns(text) else "\n"
    told = template.replace("\r\n", "\n").replace("\n", "\n" + base)
    parts: list[str] = []
    done = 0
    for hole in HOLE.finditer(told):
        parts.append(told[done : hole.start()].replace("\n", line_end))
        parts.append(
            _moved(
                text,
                node,
                hole[0],
                (base if "\n" not in told[: hole.start()] else "") + _indent_at(told, hole.start()),
            )
        )
        done = hole.end()
    return "".join((*parts, told[done:].replace("\n", line_end)))


def _moved(text: str, node: SgNode, hole: str, indent: str) -> str:
    """What a hole stands for, its further lines moved to an indentation."""
    span = _span_of(node, hole)
    if span is None:
        return node.get_transformed(hole.lstrip("$")) or ""
    before = _indent_at(text, span[0])
    first, *others = text[span[0] : span[1]].split("\n")
    return "\n".join(
        (
            first,
            *(
                indent + each.removeprefix(before)
                if each.startswith(before) and each.strip()
                else each
                for each in others
            ),
        )
    )


def _indent_at(text: str, at: int) -> str:
    """The blanks that a line begins with."""
    line = text.rfind("\n", 0, at) + 1
    stop = line
    while stop < at and text[stop] in " \t":
        stop += 1
    return text[line:stop]


def _has_carriage_returns(text: str) -> bool:
    end = text.find("\n")
    return end > 0 and text[end - 1] == "\r"
