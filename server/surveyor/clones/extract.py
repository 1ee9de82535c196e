"""From a syntax tree to fingerprints, by what grammars have in common.

Nothing here knows a language: types of nodes are told by the words that grammars use for them, and
names by what stands before and behind them. What one grammar calls differently is the same on both
sides of a comparison, for a clone is as a rule in the language of what it is a clone of.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from surveyor.clones.jobs import CodeRange, Fingerprint, FingerprintJob
from surveyor.embedding.tokens import split_words, stem
from surveyor.parsing.parse import FileTree, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["take_fingerprints"]

MAX_TOKENS = 4000
"""Of a range that are read: what is longer is no function, or a generated one."""
MAX_LITERAL = 200
MOST_SEARCHED = 200
"""Nodes that are looked at for a definition's name."""
MOST_ALIKE = 20
"""Definitions of the same lines, which lines do not tell apart: more are what a program wrote."""
FEW_CHILDREN = 32
MAX_DEPTH = 200
"""Levels below a range that are read."""
LEAST_NODES = 5
"""Of a tree that has code."""

_WRAPPERS: dict[str, tuple[tuple[str, str], ...]] = {
    "javascript": (("class C {\n", "\n}"), ("const o = {\n", "\n}")),
    "typescript": (("class C {\n", "\n}"), ("const o = {\n", "\n}")),
    "java": (("class C {\n", "\n}"),),
    "csharp": (("class C {\n", "\n}"),),
    "php": (("<?php\n", ""), ("<?php class C {\n", "\n}")),
    "kotlin": (("class C {\n", "\n}"),),
    "rust": (("impl C {\n", "\n}"), ("fn f() {\n", "\n}")),
    "go": (("package p\n", ""), ("package p; func f() {\n", "\n}")),
    "cpp": (("class C {\n", "\n};"), ("void f() {\n", "\n}")),
    "c": (("void f() {\n", "\n}"),),
    "swift": (("class C {\n", "\n}"),),
    "scala": (("class C {\n", "\n}"),),
    "dart": (("class C {\n", "\n}"),),
    "solidity": (("contract C {\n", "\n}"),),
    "ruby": (("class C\n", "\nend"),),
    "zig": (("const C = struct {\n", "\n};"),),
}
"""What may have to stand around a piece of code for its grammar, by family; each ends its line."""

_COMMENT = re.compile(
    "comment|shebang|attribute_(item|list|group|declaration|specifier)|annotation|decorator"
    "|^modifiers?$|docstring"
)
_STRING = re.compile(r"string|char_literal|character_literal|rune|regex|heredoc|template_literal")
_NUMBER = re.compile(r"number|integer|float|decimal|int_literal|real_literal|numeric")
_NAME = re.compile(r"identifier$|^(name|constant|word|simple_identifier|variable|command_name"
                   r"|instance_variable|class_variable|global_variable|variable_name|operator_name"
                   r"|predefined_type|primitive_type|builtin_type|hash_key_symbol"
                   r"|simple_symbol)$")  # fmt: skip
_LABEL = re.compile(r"keyword_argument|argument_label|named_argument|^pair$|hash_key|field_init"
                    r"|keyed_element|field_designator|label")  # fmt: skip
_QUOTES = re.compile(r"^\w{0,2}[\"'`/]+|[\"'`/]+\w{0,2}$")
_FORMATTING = re.compile(r"%[-+ 0#]*[\d.]*[a-zA-Z]|\{[^}]*\}|\\[nrt]")
_FILLED = re.compile("interpolation|substitution|expansion")
_STATEMENTS = frozenset({"block", "module"})
"""What holds docstrings, before other statements."""
_COMMAND = "command_name"
"""What holds the name of a program or function in a shell."""
_SHARED = ("instance_variable", "class_variable", "hash_key", "simple_symbol")
"""How types of names begin that mean the same in all functions of a class or of the program."""
_CONSTANTS = frozenset({"true", "false", "null", "none", "nil", "undefined", "nullptr", "True",
                        "False", "None", "null_literal", "boolean_literal"})  # fmt: skip
_RECEIVERS = frozenset({"self", "this", "cls", "super", "Self", "@", "$this"})
_LINKS = frozenset({".", "->", "::", "?.", "&.", "?->", "\\"})
_OPENERS = frozenset({"(", "!"})
_PARAMETERS = re.compile("param|formal")
_NO_PARAMETER = re.compile(r"^(comment|self_parameter|,|\(|\)|\||type_parameters)$")
_TRANSPARENT = re.compile(
    r"block|body|^program$|^module$|source_file|translation_unit|statement_list|statements$"
    r"|expression_statement|parenthesized|^expression_list$|^then$|^do$|consequence|declaration_list"
    r"|simple_statement|^arguments?$|argument_list|value_arguments?$|^parameters$|_list$"
)
_CANONICAL: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("function", r"lambda|closure|arrow_function|anonymous|func_literal|function_expression"),
        ("loop", r"^(for|while|do_|until|loop|foreach|enhanced_for|repeat|c_style_for)"
                 r"|comprehension|range_clause|for_statement|while_"),
        ("choice", r"^(if|elif|unless|else|switch|match|case|when|guard|conditional|ternary|select)"
                   r"|if_|switch_|match_|when_|conditional"),
        ("attempt", r"^(try|catch|except|rescue|ensure|finally|defer|with)"),
        ("leave", r"return|break|continue|yield"),
        ("raise", r"throw|raise|panic"),
        ("set", r"assign|variable_declar|let_|short_var|local_variable|declarator|var_spec|^let$"
                r"|property_declaration|lexical_declaration|update_expression|inc_stat|dec_stat"),
        ("call", r"call|invocation|object_creation|new_expression|command$|instantiat"),
        ("member", r"attribute|member|field_expression|selector|navigation|scoped|field_access"
                   r"|property_access|qualified"),
        ("index", r"subscript|index|element_access|slice"),
        ("compare", r"comparison|relational|equality"),
        ("logic", r"boolean_operator|logical|conjunction|disjunction|^not_|negat"),
        ("arithmetic", r"binary|additive|multiplicative|infix"),
        ("unary", r"unary|prefix|postfix|deref|pointer|reference_expression"),
        ("collection", r"^(list|array|dict|dictionary|map|set|tuple|hash|object)(_|$)|composite"
                       r"|initializer_list|collection_literal"),
        ("await", r"await"),
        ("cast", r"cast|as_expression|type_conversion|type_assertion"),
    )
)  # fmt: skip
"""Kinds of syntax whatever a grammar calls them; the first that matches."""
_FLIPPED = {">": "<", ">=": "<=", "!=": "==", "!==": "==", "===": "==", "~=": "==", "+=": "+",
            "-=": "-", "*=": "*", "/=": "/", "|=": "|", "&=": "&", "++": "+", "--": "-",
            "and": "&&", "or": "||", "not": "!", ":=": "="}  # fmt: skip
"""Operators that say the same as another, the sides or the branches exchanged."""
_SILENT = frozenset({"=", "==", "!", ":", ";", ",", ".", "=>", "->", "::", "?.", "..."})
"""Operators that a rewriting adds or takes away."""


class _Leaf(NamedTuple):
    """A name in the text, with what tells what it is."""

    text: str
    parent: str
    kind: str
    before: str
    after: str


def take_fingerprints(job: FingerprintJob) -> list[Fingerprint]:
    """The fingerprint of each range; an empty one where the text cannot be read, and where lines do
    not say which definition is meant."""
    tree, first_line = _part(job) if job.is_part else (tree_of(job.path, job.data), 0)
    if tree is None:
        return [Fingerprint() for _ in job.ranges]
    lines = tree.data.split(b"\n")
    walks: dict[tuple[int, int], tuple[Node, _Walk]] = {}
    alike = Counter((each.start_line, each.end_line) for each in job.ranges)
    found = []
    for each in job.ranges:
        if alike[each.start_line, each.end_line] > MOST_ALIKE:
            found.append(Fingerprint())
            continue
        start, end = each.start_line + first_line, each.end_line + first_line
        within = CodeRange(start, end, each.name)
        if (start, end) not in walks:
            around = _node_of(tree.tree.root_node, lines, within)
            walks[start, end] = around, _Walk(tree.data, within)
            walks[start, end][1].visit(around, "", "")
        found.append(_fingerprint(*walks[start, end], within))
    return found


def _part(job: FingerprintJob) -> tuple[FileTree | None, int]:
    """The tree of a piece of a file, and how many lines were put before it."""
    best: tuple[FileTree | None, int] = (tree_of(job.path, job.data), 0)
    if best[0] is None:
        return best
    fewest = _unread(best[0])
    for before, after in _WRAPPERS.get(best[0].language.family, ()):
        if not fewest:
            break
        wrapped = tree_of(job.path, before.encode() + job.data + after.encode())
        if wrapped is not None and (unread := _unread(wrapped)) < fewest:
            best, fewest = (wrapped, before.count("\n")), unread
    return best


def _unread(tree: FileTree) -> int:
    """How much of a tree is no code: errors, or all of it where it was read as prose (PHP without
    its mark)."""
    root = tree.tree.root_node
    return _errors(root) if root.descendant_count >= LEAST_NODES else MAX_TOKENS


def _errors(root: Node) -> int:
    """How many nodes of a tree are errors."""
    if not root.has_error:
        return 0
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if node.has_error:
            count += node.is_error or node.is_missing
            waiting += node.children
    return count


@lru_cache(maxsize=4096)
def _canonical(kind: str) -> str:
    """What a type of node comes to; '' for one that only holds others."""
    if _TRANSPARENT.search(kind):
        return ""
    return next((name for name, pattern in _CANONICAL if pattern.search(kind)), "other")


@lru_cache(maxsize=4096)
def _role(kind: str) -> str:
    """Whether a type of node is a comment, a literal or a name."""
    for role, pattern in (
        ("comment", _COMMENT),
        ("string", _STRING),
        ("number", _NUMBER),
        ("name", _NAME),
    ):
        if pattern.search(kind):
            return role
    return ""


@lru_cache(maxsize=16384)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in split_words(name) if len(word) > 1)


def _hash(*step: str) -> int:
    return zlib.crc32("/".join(step).encode())


class _Walk:
    """One walk over a range."""

    def __init__(self, data: bytes, within: CodeRange) -> None:
        self._data = data
        self._first, self._last = within.start_line - 1, within.end_line - 1
        self.leaves: list[_Leaf] = []
        self.literals: Counter[str] = Counter()
        self.shape: Counter[int] = Counter()
        self.tokens = 0
        self.parameters = -1
        self._before = ""

    def visit(self, node: Node, parent: str, grandparent: str, depth: int = 0) -> None:
        """Read a node; `parent` and `grandparent` are what those above it come to."""
        if depth > MAX_DEPTH:
            return
        if node.start_point[0] > self._last or node.end_point[0] < self._first:
            return
        if self.tokens > MAX_TOKENS:
            return
        kind = node.type.lower()
        role = _role(kind) if node.is_named else ""
        inside = node.start_point[0] >= self._first and node.end_point[0] <= self._last
        if inside and role == "comment":
            return
        if inside and self._literal(node, role, parent, depth):
            return
        if not node.child_count or (inside and role == "name" and node.named_child_count == 0):
            self._leaf(node, role, parent, grandparent)
            return
        here = _canonical(kind)
        if here and inside:
            if here != "other":
                self.shape[_hash(parent, here)] += 1
                self.shape[_hash(grandparent, parent, here)] += 1
            if self.parameters < 0 and _PARAMETERS.search(kind):
                self._count_parameters(node)
            parent, grandparent = (here, parent) if here != "other" else (parent, grandparent)
        elif inside and self.parameters < 0 and _PARAMETERS.search(kind):
            self._count_parameters(node)
        for child in self._within(node):
            self.visit(child, parent, grandparent, depth + 1)

    def _within(self, node: Node) -> Iterator[Node]:
        """The children of a node that are in the range: others may be thousands, for each range
        that a file has."""
        if node.child_count <= FEW_CHILDREN:
            yield from node.children
            return
        cursor = node.walk()
        more = cursor.goto_first_child_for_point((self._first, 0)) is not None
        while more and cursor.node is not None and cursor.node.start_point[0] <= self._last:
            yield cursor.node
            more = cursor.goto_next_sibling()

    def _literal(self, node: Node, role: str, parent: str, depth: int) -> bool:
        """Take a literal; whether the node was one, and holds no code."""
        if role not in ("string", "number"):
            return False
        if role == "string" and _is_alone(node):
            return True
        if role == "string" and (filled := _filled(node)):
            for child in node.named_children:
                if child.id in filled:
                    self.visit(child, parent, "text", depth + 1)
                elif text := _text(child).strip():
                    self.literals[_quoted(text)] += 1
            return True
        text = _text(node)[:MAX_LITERAL]
        self.literals[_quoted(text) if role == "string" else text.lower()] += 1
        self.tokens += 1
        self._before = "literal"
        return True

    def _leaf(self, node: Node, role: str, parent: str, grandparent: str) -> None:
        text = _text(node)
        if role == "name" and text in _CONSTANTS:
            role = ""
        if text in _CONSTANTS:
            self.literals[text.lower()] += 1
        elif role == "name" or (node.is_named and text.isidentifier() and not _keyword(node)):
            if text in _RECEIVERS:
                self._before = text
                return
            follows = node.next_sibling
            above = node.parent
            while follows is None and above is not None and above.end_byte == node.end_byte:
                follows, above = above.next_sibling, above.parent
            after = self._data[node.end_byte : node.end_byte + 1].decode("latin-1")
            if not after.strip() and follows is not None:
                after = _text(follows)[:1]
            owner = node.parent.type if node.parent is not None else ""
            self.leaves.append(_Leaf(text, owner, node.type, self._before, after))
            self.tokens += 1
        elif text and not text.isalnum() and len(text) <= 3:
            said = _FLIPPED.get(text, text)
            if said not in _SILENT and not set(said) <= set("()[]{}\"'`;,"):
                self.shape[_hash(parent, "operator", said)] += 1
                self.tokens += 1
        elif text.isalpha():
            self.tokens += 1
        self._before = text

    def _count_parameters(self, node: Node) -> None:
        listed = [child for child in node.named_children if not _NO_PARAMETER.match(child.type)]
        self.parameters = len([c for c in listed if _text(c).lstrip("&*") not in _RECEIVERS])


def _filled(string: Node) -> set[int]:
    """The ids of what is put into a string."""
    return {child.id for child in string.named_children if _FILLED.search(child.type)}


def _is_alone(node: Node) -> bool:
    """Whether a string is a statement by itself: a docstring, or a directive."""
    parent = node.parent
    if parent is None or parent.type == "expression_statement":
        return parent is not None
    return (
        parent.type in _STATEMENTS
        and parent.named_child_count > 1
        and parent.named_child(0) == node
    )


def _keyword(node: Node) -> bool:
    return node.type == _text(node)


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace") if node.text else ""


def _quoted(text: str) -> str:
    """A string literal without its marks, told from a number or a name; nor with what differs by
    the function that prints it."""
    said = _QUOTES.sub("", text)[:MAX_LITERAL]
    return '"' + (_FORMATTING.sub("", said).strip(" \t:.,") or said)


def _is_outer(leaf: _Leaf) -> bool:
    """Whether a name is something that stands outside, by the place where it stands."""
    text = leaf.text.lstrip("$@&")
    return (
        leaf.before in _LINKS
        or leaf.before.endswith(("new", "goto"))
        or leaf.after in _OPENERS
        or "type" in leaf.kind
        or bool(_LABEL.search(leaf.parent))
        or leaf.kind.startswith(_SHARED)
        or leaf.parent == _COMMAND
        or text[:1].isupper()
    )


def _is_called(leaf: _Leaf) -> bool:
    return leaf.after in _OPENERS or "call" in leaf.parent or leaf.parent == _COMMAND


def _fingerprint(around: Node, walk: _Walk, within: CodeRange) -> Fingerprint:
    own = within.name or _own_name(around, within)
    names: Counter[str] = Counter()
    calls: dict[str, None] = {}
    words: Counter[str] = Counter()
    bound = set(_bound(walk.leaves))
    own_names = 0
    for leaf in walk.leaves:
        text = leaf.text.lstrip("$@&:")
        if text == own:
            own_names += 1
            continue  # a recursion, or the definition itself
        words.update(_parts(text))
        linked = leaf.before in _LINKS
        if _is_outer(leaf) and (linked or leaf.text not in bound):
            names[text] += 1
            if _is_called(leaf):
                calls[text] = None
    for literal in walk.literals:
        if literal.startswith('"') and literal[1:].isidentifier():  # a name that is looked up
            words.update(_parts(literal[1:]))
    return Fingerprint(
        tokens=walk.tokens,
        names=dict(names),
        calls=list(calls),
        literals=dict(walk.literals),
        shape=dict(walk.shape),
        words=dict(words),
        parameters=walk.parameters,
        title=list(_parts(own)),
        names_itself=own_names > 1,
    )


def _node_of(root: Node, lines: Sequence[bytes], within: CodeRange) -> Node:
    """The innermost node around whole lines."""
    last = min(max(within.start_line, within.end_line), len(lines))
    first = lines[within.start_line - 1] if within.start_line <= last else b""
    begin = (within.start_line - 1, len(first) - len(first.lstrip()))
    found = root.descendant_for_point_range(begin, (last - 1, len(lines[last - 1].rstrip())))
    return found or root


def _own_name(root: Node, within: CodeRange) -> str:
    """The name of the first definition in a range, the outermost."""
    below = [root]
    for node in below:  # grows: level by level
        inside = within.start_line - 1 <= node.start_point[0] <= within.end_line - 1
        name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        held = node.child_by_field_name("value") or node
        if inside and name is not None and held.child_by_field_name("body") is not None:
            while (inner := name.child_by_field_name("declarator")) is not None:
                name = inner
            return _text(name)
        if len(below) < MOST_SEARCHED:
            below += node.named_children
    return ""


def _bound(leaves: Sequence[_Leaf]) -> Iterator[str]:
    """Names that stand somewhere as a value or a parameter: what calls them calls what is local."""
    for leaf in leaves:
        if not _is_outer(leaf) and not leaf.text[:1].isupper():
            yield leaf.text
