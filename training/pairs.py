"""From a source file to pairs: docstrings and comments, and the code that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

EXTENSIONS = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "cpp",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
}

DEFINITIONS = frozenset(
    [
        "function_definition",
        "class_definition",
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "abstract_class_declaration",
        "method_definition",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "method_declaration",
        "type_declaration",
        "type_spec",
        "function_item",
        "struct_item",
        "enum_item",
        "trait_item",
        "macro_definition",
        "mod_item",
        "constructor_declaration",
        "record_declaration",
        "class_specifier",
        "struct_specifier",
        "enum_specifier",
        "function_signature",
        "method_signature",
        "type_definition",
    ]
)
WRAPPERS = frozenset(
    [
        "export_statement",
        "decorated_definition",
        "template_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "assignment_expression",
        "variable_declarator",
        "pair",
        "public_field_definition",
        "field_definition",
        "declaration",
        "type_declaration",
        "ambient_declaration",
        "linkage_specification",
    ]
)
FUNCTION_VALUES = frozenset(
    [
        "arrow_function",
        "function_expression",
        "function",
        "generator_function",
        "class",
        "class_body",
    ]
)
CONTAINERS = frozenset(
    [
        "module",
        "block",
        "class_body",
        "program",
        "source_file",
        "translation_unit",
        "declaration_list",
        "field_declaration_list",
        "namespace_definition",
        "impl_item",
        "trait_item",
        "mod_item",
        "class_definition",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "interface_body",
        "class_specifier",
        "struct_specifier",
        "enum_declaration",
        "enum_body",
        "enum_body_declarations",
        "export_statement",
        "decorated_definition",
        "template_declaration",
        "object",
        "expression_statement",
        "assignment_expression",
        "linkage_specification",
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
        "ambient_declaration",
        "internal_module",
        "statement_block",
        "call_expression",
        "parenthesized_expression",
        "arguments",
        "function_expression",
        "arrow_function",
        "internal_module",
        "lexical_declaration",
        "variable_declaration",
        "variable_declarator",
        "pair",
    ]
)
COMMENTS = frozenset(["comment", "line_comment", "block_comment"])
PASSED_OVER = frozenset(
    ["attribute_item", "decorator", "attribute_declaration", "access_specifier"]
)

MAX_CODE = 1500
"""Characters of code in a pair: a chunk of the index."""
MIN_WORDS, MAX_WORDS = 3, 48

_MARKERS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*(?!\*)|//+[!<]?|#+|--+)?[ \t]?|\s*\*+/\s*$", re.M)
_QUOTES = re.compile(r"^[rRuUbBfF]{0,2}(?:\"{3}|'{3}|[\"'])|(?:\"{3}|'{3}|[\"'])$")
_TAG = re.compile(
    r"(?:^|\n)\s*(?:[@\\](?:param|return|throws|see|since|author|type|template|private|public|api"
    r"|default|example|deprecated|internal|code|note|property|memberof|class|constructor|name"
    r"|extends|function|method|static|ingroup|pre|post|tparam|file|const)|:param|:type|:return"
    r"|:raises|Args:|Arguments:|Parameters\b|Returns\b|Raises:|Yields:|Examples?\b|Notes?\b|# "
    r"|```|~~~|>>>|\.\. |={4,}|-{4,}|Usage:)",
)
_LINK = re.compile(r"\{@\w+\s*([^}]*)\}|\[([^\]]+)\]\([^)]*\)|\[`?([^\]`]+)`?\](?:\[[^\]]*\])?")
_REFUSED = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|todo|fixme|xxx|eslint|@ts-|noqa|pylint"
    r"|clang-format|inheritdoc|non-javadoc|auto-?generated|do not edit|istanbul|prettier-ignore"
    r"|^\W*(end|begin|helper|private|internal|public|deprecated)\W*$|#(if|endif|define)|see above",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A description and the code that it describes."""

    query: str
    name: str
    scope: str
    code: str
    kind: str


def language_of(path: str) -> str | None:
    """The grammar for a path, by its extension."""
    if path.endswith((".d.ts", ".min.js", ".d.mts")):
        return None
    return EXTENSIONS.get(PurePosixPath(path).suffix)


def clean(comment: str) -> str:
    """The first paragraph of a comment or docstring in plain words; empty when it says nothing."""
    text = _MARKERS.sub("", _QUOTES.sub("", comment.strip())).strip()
    tag = _TAG.search(text)
    if tag:
        text = text[: tag.start()]
    text = re.sub(r"<[^<>]{1,60}>", " ", _LINK.sub(lambda found: found[found.lastindex or 0], text))
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    if not paragraphs or _REFUSED.search(text):
        return ""
    first = " ".join(paragraphs[0].split())
    words = first.split()
    letters = sum(character.isascii() and character.isalpha() for character in first)
    if len(words) < MIN_WORDS or letters < 0.6 * len(first):
        return ""
    return " ".join(words[:MAX_WORDS])


def pairs_of(path: str, data: bytes) -> Iterator[Pair]:
    """All pairs of a file, in order. A file that does not parse gives what parses."""
    language = language_of(path)
    if language is None:
        return
    tree = _parser(language).parse(data)
    if language == "python":
        yield from _python(tree.root_node, data, "")
    else:
        yield from _commented(tree.root_node, data, "", 0)


@cache
def _parser(language: str) -> Parser:
    from tree_sitter_language_pack import get_parser

    return get_parser(language)  # type: ignore[arg-type]


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _python(node: Node, data: bytes, scope: str) -> Iterator[Pair]:
    if node.type == "module":
        docstring = _docstring(node)
        defined = re.findall(rb"^(?:class|(?:async )?def) [^\n]+", data, re.M)
        query = clean(_text(docstring, data)) if docstring else ""
        if query and len(defined) > 1:
            code = b"\n".join(defined).decode("utf-8", "replace")[:MAX_CODE]
            yield Pair(query, "", "", code, "file")
    for child in node.named_children:
        outer = child
        if child.type == "decorated_definition":
            child = child.child_by_field_name("definition") or child
        if child.type in ("if_statement", "try_statement", "block"):
            yield from _python(child, data, scope)
        if child.type not in ("function_definition", "class_definition"):
            continue
        name_node, body = child.child_by_field_name("name"), child.child_by_field_name("body")
        if name_node is None or body is None:
            continue
        name = _text(name_node, data)
        docstring = _docstring(body)
        query = clean(_text(docstring, data)) if docstring else ""
        if docstring and query:
            head = data[outer.start_byte : docstring.start_byte].decode("utf-8", "replace")
            rest = data[docstring.end_byte : outer.end_byte].decode("utf-8", "replace")
            kind = "class" if child.type == "class_definition" else "function"
            yield Pair(query, name, scope, (head.rstrip() + rest)[:MAX_CODE], kind)
        if child.type == "class_definition":
            yield from _python(body, data, f"{scope} {name}".strip())


def _docstring(body: Node) -> Node | None:
    first = body.named_children[0] if body.named_children else None
    if first is not None and first.type == "comment":
        first = next((child for child in body.named_children if child.type != "comment"), None)
    if first is not None and first.type == "expression_statement" and first.named_children:
        first = first.named_children[0]
    return first if first is not None and first.type == "string" else None


def _commented(node: Node, data: bytes, scope: str, depth: int) -> Iterator[Pair]:
    """Definitions among the children, each with the comments right above it."""
    comments: list[Node] = []
    for child in node.named_children:
        if child.type in COMMENTS:
            if comments and child.start_point.row - comments[-1].end_point.row > 1:
                comments = []
            comments.append(child)
            continue
        if child.type in PASSED_OVER:
            continue
        name, kind = _defined(child, data)
        # A line comment of some grammars ends at the start of the next line.
        if name and comments and child.start_point.row - comments[-1].end_point.row <= 2:
            query = clean("\n".join(_text(comment, data) for comment in comments))
            query = without_name(query, name)
            code = _text(child, data)
            if query and "\n" in code:
                yield Pair(query, name, scope, code[:MAX_CODE], kind)
        comments = []
        if child.type in CONTAINERS and depth < 9:
            inner = f"{scope} {name}".strip() if name and kind != "function" else scope
            if child.type == "impl_item":
                implemented = child.child_by_field_name("type")
                inner = _text(implemented, data)[:40] if implemented else scope
            # Modules wrapped into a function are entered, the insides of functions are not.
            is_function = child.type in (
                "statement_block",
                "arrow_function",
                "function_expression",
            )
            if is_function and depth > 5:
                continue
            yield from _commented(child, data, inner, depth + 1)


def _defined(node: Node, data: bytes) -> tuple[str, str]:
    """Name and kind of what a statement defines; an empty name when nothing of interest."""
    for _ in range(5):
        if node.type in DEFINITIONS and node.type != "type_declaration":
            return _name(node, data), "class" if _is_type(node.type) else "function"
        if node.type not in WRAPPERS:
            return "", ""
        left = node.child_by_field_name("left") or node.child_by_field_name("key")
        left = left or (
            node.child_by_field_name("name") if node.type != "type_declaration" else None
        )
        value = node.child_by_field_name("right") or node.child_by_field_name("value")
        if left is not None and value is not None:
            if value.type in FUNCTION_VALUES:
                return _text(left, data).split(".")[-1][:80], "function"
            if value.type != "assignment_expression":
                return "", ""
            node = value
            continue
        inner = [child for child in node.named_children if child.type in DEFINITIONS | WRAPPERS]
        if not inner:
            return "", ""
        node = inner[0]
    return "", ""


def without_name(query: str, name: str) -> str:
    """Drop the name that Go's comments begin with: it would teach names and nothing else."""
    words = query.split()
    if words and words[0].strip("`():").lower() == name.lower():
        words = words[1:]
    return " ".join(words) if len(words) >= MIN_WORDS else ""


def _is_type(kind: str) -> bool:
    return kind.startswith(("class", "struct", "enum", "trait", "interface", "type", "record"))


def _name(node: Node, data: bytes) -> str:
    name = node.child_by_field_name("name")
    if name is None:
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.child_by_field_name("declarator"):
            declarator = declarator.child_by_field_name("declarator")
        name = declarator
    return re.sub(r"\W+", " ", _text(name, data)[:80]).strip() if name is not None else ""
