"""Makes clones of real functions: renamed, reordered, rewritten, with other literals.

Each maker changes the text of a file between two bytes by one edit after the other, and an edit
counts only where the file can be read afterwards as before. What is renamed, moved or rewritten is
told by the grammars' own names, by tables: nothing of it is shared with what finds clones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from surveyor.parsing.parse import tree_of

__all__ = ["MAKERS", "Source", "function_at", "make"]

_SAID = """
amount bag basis batch bound bucket burden cargo carrier course current detail draft effect
element entry extra factor figure final first fragment given goal grain holder inner input item
keeper known later latter left level limit main mark matter measure member mid minor next notion
object outer outcome pair part piece plain point portion prior probe quantity record remainder
rest room sample second segment selected share side single slot source spare stage start step
stuff subject sum target temp thing third token total trace unit upper wanted whole work
"""
WORDS = _SAID.split()
"""What things are renamed to."""


@dataclass(frozen=True, slots=True)
class Family:
    """How a grammar calls what is edited."""

    bound: tuple[tuple[str, str], ...]
    """Types of nodes and the field of each that binds names; '' for all of its own children."""
    simple: tuple[str, ...]
    """Statements that may change places."""
    names: tuple[str, ...] = ("identifier",)
    negated: str = "!({0})"
    arms: tuple[str, str] = ("consequence", "alternative")
    branch: str = "if_statement"
    bodies: tuple[str, ...] = ()
    """What an arm has to be."""
    compare: tuple[str, ...] = ("binary_expression",)
    grows: tuple[str, ...] = ("augmented_assignment_expression",)
    leave: str = "return {0};"
    keep: str = "{1} = {0};"
    """A value kept in a new variable before it is returned."""
    parenthesis: bool = True
    style: str = "camel"
    sigil: str = ""


C_LIKE: dict[str, Any] = {"bodies": ("statement_block", "block", "compound_statement")}
FAMILIES: dict[str, Family] = {
    "python": Family(
        (("parameters", ""), ("default_parameter", "name"), ("typed_parameter", ""),
         ("typed_default_parameter", "name"), ("assignment", "left"), ("for_statement", "left"),
         ("for_in_clause", "left"), ("as_pattern_target", ""), ("named_expression", "name")),
        ("assignment", "call"), negated="not ({0})", compare=("comparison_operator",),
        grows=("augmented_assignment",), leave="return {0}", keep="{1} = {0}", parenthesis=False,
        style="snake", bodies=("block",),
    ),
    "typescript": Family(
        (("formal_parameters", ""), ("required_parameter", "pattern"),
         ("optional_parameter", "pattern"), ("variable_declarator", "name"),
         ("for_in_statement", "left"), ("catch_clause", "parameter"),
         ("arrow_function", "parameter")),
        ("lexical_declaration", "expression_statement", "variable_declaration"),
        keep="const {1} = {0};", **C_LIKE,
    ),
    "go": Family(
        (("parameter_declaration", "name"), ("short_var_declaration", "left"),
         ("range_clause", "left"), ("var_spec", "name")),
        ("short_var_declaration", "assignment_statement", "expression_statement"),
        grows=(), leave="return {0}", keep="{1} := {0}", parenthesis=False, **C_LIKE,
    ),
    "java": Family(
        (("formal_parameter", "name"), ("variable_declarator", "name"),
         ("enhanced_for_statement", "name"), ("catch_formal_parameter", "name"),
         ("inferred_parameters", ""), ("lambda_expression", "parameters")),
        ("local_variable_declaration", "expression_statement"), grows=("assignment_expression",),
        keep="var {1} = {0};", **C_LIKE,
    ),
    "rust": Family(
        (("parameter", "pattern"), ("let_declaration", "pattern"), ("for_expression", "pattern"),
         ("closure_parameters", "")),
        ("let_declaration", "expression_statement"), branch="if_expression",
        grows=("compound_assignment_expr",), keep="let {1} = {0};", parenthesis=False,
        style="snake", **C_LIKE,
    ),
    "ruby": Family(
        (("method_parameters", ""), ("block_parameters", ""), ("optional_parameter", "name"),
         ("assignment", "left")),
        ("assignment",), branch="if", negated="!({0})", bodies=("then", "else"),
        compare=("binary",), grows=("operator_assignment",), leave="return {0}", keep="{1} = {0}",
        parenthesis=False, style="snake",
    ),
    "php": Family(
        (("simple_parameter", "name"), ("assignment_expression", "left"), ("foreach_statement", ""),
         ("pair", "")),
        ("expression_statement",), names=("variable_name",), arms=("body", "alternative"),
        keep="{1} = {0};", sigil="$", **C_LIKE,
    ),
    "c": Family(
        (("parameter_declaration", "declarator"), ("init_declarator", "declarator"),
         ("declaration", "declarator")),
        ("declaration", "expression_statement"), grows=("assignment_expression",), leave="",
        **C_LIKE,
    ),
    "csharp": Family(
        (("parameter", "name"), ("variable_declarator", "name"), ("variable_declarator", ""),
         ("foreach_statement", "left")),
        ("local_declaration_statement", "expression_statement"), grows=("assignment_expression",),
        keep="var {1} = {0};", **C_LIKE,
    ),
}  # fmt: skip
FAMILIES["javascript"] = FAMILIES["typescript"]
FAMILIES["cpp"] = FAMILIES["c"]

_NOT_BOUND = frozenset({
    "member_expression", "attribute", "subscript", "selector_expression", "index_expression",
    "call", "member_access_expression", "field_expression", "subscript_expression",
    "element_reference", "scoped_identifier", "tuple_struct_pattern", "call_expression",
})  # fmt: skip
"""What is assigned to and binds no name."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "===": "===",
           "!==": "!=="}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A function in a file, by its bytes."""

    path: str
    family: str
    data: bytes
    start: int
    end: int

    @property
    def text(self) -> str:
        """The function alone, from the margin that it stands at."""
        begin = self.data.rfind(b"\n", 0, self.start) + 1
        lead = self.data[begin : self.start]
        margin = lead if not lead.strip() else b""
        return (margin + self.data[self.start : self.end]).decode("utf-8", "replace")

    def node(self) -> Any:
        """Its syntax tree; None where it cannot be read any more."""
        found = tree_of(self.path, self.data)
        if found is None:
            return None
        node = found.tree.root_node.descendant_for_byte_range(self.start, self.end - 1)
        while node is not None and node.end_byte < self.end and node.parent is not None:
            node = node.parent
        return None if node is None or node.has_error else node

    def edited(self, start: int, end: int, text: bytes) -> Source | None:
        """With other text in place of some bytes; None where that cannot be read."""
        data = self.data[:start] + text + self.data[end:]
        new = Source(self.path, self.family, data, self.start, self.end + len(text) - (end - start))
        return new if new.node() is not None else None


Maker = Callable[[Source, random.Random], Source | None]


def function_at(
    path: str, family: str, data: bytes, line: int, column: int, lines: tuple[int, int]
) -> Source | None:
    """The function whose name stands at a place and that fills some lines, without comments."""
    found = tree_of(path, data)
    if found is None or family not in FAMILIES:
        return None
    node: Any = found.tree.root_node.descendant_for_point_range(
        (line - 1, column), (line - 1, column + 1)
    )
    while node is not None and node.child_by_field_name("body") is None:
        node = node.parent
    if node is None or node.has_error or node.type.startswith(("class", "struct", "interface")):
        return None
    if node.start_point[0] + 1 < lines[0] or node.end_point[0] + 1 > lines[1]:
        return None  # the name is of a variable in it
    source = Source(path, family, data, node.start_byte, node.end_byte)
    comments = [each for each in _walk(node) if "comment" in each.type]
    comments += [each for each in _walk(node) if family == "python" and _is_docstring(each)]
    for each in sorted(comments, key=lambda each: -each.start_byte):
        source = source.edited(each.start_byte, each.end_byte, b"") or source
    return source


def _is_docstring(node: Any) -> bool:
    parent = node.parent
    is_first = parent is not None and parent.type == "block" and parent.named_children[0] == node
    return bool(is_first and node.type == "string")


def make(source: Source, name: str, kinds: tuple[str, ...], seed: int) -> Source | None:
    """A clone by some makers in turn; None where one of them has nothing to change."""
    chance = random.Random(f"{seed} {source.path} {name} {kinds}")
    for kind in kinds:
        made = _rename(source, name, chance) if kind == "renamed" else MAKERS[kind](source, chance)
        if made is None:
            return None
        source = made
    return source


def _walk(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _names(source: Source, node: Any) -> Iterator[Any]:
    """Leaves that are names and stand for themselves."""
    family = FAMILIES[source.family]
    for each in _walk(node):
        if each.type in family.names or each.type == "shorthand_property_identifier":
            before = source.data[max(0, each.start_byte - 2) : each.start_byte]
            linked = before.endswith((b".", b"->", b"::")) and not before.endswith(b"..")
            parent = each.parent
            is_label = parent is not None and (
                (parent.type == "keyword_argument" and parent.child_by_field_name("name") == each)
                or (parent.type == "pair" and parent.child_by_field_name("key") == each)
            )
            if not linked and not is_label:
                yield each


def _bound(source: Source, node: Any) -> set[str]:
    family = FAMILIES[source.family]
    found: set[str] = set()
    for each in _walk(node):
        for kind, field in family.bound:
            if each.type != kind:
                continue
            holders = each.children_by_field_name(field) if field else each.children
            for holder in holders:
                if field == "" and holder.type not in family.names:
                    continue
                leaves = [n for n in _walk(holder) if n.type in family.names]
                inner = any(n.type in _NOT_BOUND for n in _walk(holder))
                if not inner:
                    found.update(_text(leaf) for leaf in leaves)
    shorthand = {_text(n) for n in _walk(node) if n.type.startswith("shorthand")}
    return {n for n in found - shorthand if n not in ("self", "cls", "this", "$this", "_")}


def _rename(source: Source, name: str, chance: random.Random) -> Source | None:
    node = source.node()
    if node is None:
        return None
    family = FAMILIES[source.family]
    bound = sorted(_bound(source, node))
    taken = {_text(each) for each in _walk(node) if not each.child_count}
    fresh = [family.sigil + word for word in WORDS if word not in taken]
    if not bound or len(fresh) < len(bound) + 2:
        return None
    chance.shuffle(fresh)
    new = dict(zip(bound, fresh, strict=False))
    one, two = (word.lstrip("$") for word in fresh[-2:])
    own = f"{one}_{two}" if family.style == "snake" else one + two.capitalize()
    own = own[0].upper() + own[1:] if name[:1].isupper() else own
    edits = [
        (each.start_byte, each.end_byte, new[_text(each)].encode())
        for each in _names(source, node)
        if _text(each) in new
    ]
    edits += [
        (each.start_byte, each.end_byte, own.encode())
        for each in _walk(node)
        if not each.child_count and each.is_named and _text(each) == name and name not in new
    ]
    data, start, end = source.data, source.start, source.end
    for first, last, text in sorted(set(edits), reverse=True):
        data = data[:first] + text + data[last:]
        end += len(text) - (last - first)
    made = Source(source.path, source.family, data, start, end)
    return made if made.node() is not None else None


def _reorder(source: Source, chance: random.Random) -> Source | None:
    """Neighbours that share no name change places."""
    made = source
    for _ in range(3):
        node = made.node()
        family = FAMILIES[made.family]
        pairs = []
        for block in _walk(node):
            for one, two in zip(block.named_children, block.named_children[1:], strict=False):
                if one.type in family.simple and two.type in family.simple:
                    names = [{_text(n) for n in _walk(each) if n.type in family.names}
                             for each in (one, two)]  # fmt: skip
                    calls = sum("call" in n.type or "invocation" in n.type
                                for each in (one, two) for n in _walk(each))  # fmt: skip
                    if not names[0] & names[1] and calls <= 2:
                        pairs.append((one, two))
        if not pairs:
            break
        one, two = chance.choice(pairs)
        between = made.data[one.end_byte : two.start_byte]
        swapped = two.text + between + one.text
        new = made.edited(one.start_byte, two.end_byte, swapped)
        if new is None or new.data == source.data:
            break
        made = new
    return made if made is not source else None


def _literals(source: Source, chance: random.Random) -> Source | None:
    """Half of the numbers and strings say something else."""
    node = source.node()
    found = [
        each
        for each in _walk(node)
        if (re.search("number|integer|int_literal|decimal", each.type) and not each.child_count)
        or each.type in ("string_content", "string_fragment", "interpreted_string_literal_content")
    ]
    if not found:
        return None
    chosen = chance.sample(found, (len(found) + 1) // 2)
    made = source
    for each in sorted(chosen, key=lambda each: -each.start_byte):
        said = _text(each)
        text = str(int(said) + 3) if said.isdigit() else " ".join(chance.sample(WORDS, 2))
        made = made.edited(each.start_byte, each.end_byte, text.encode()) or made
    return made if made is not source else None


def _rewrite(source: Source, chance: random.Random) -> Source | None:
    """Branches exchanged, comparisons turned round, loops of another kind, values kept first."""
    made = source
    for rewriting in (_branches, _loops, _comparisons, _grown, _returns):
        for _ in range(3):
            new = rewriting(made)
            if new is None:
                break
            made = new
    return made if made is not source else None


def _branches(source: Source) -> Source | None:
    """`if a: x else: y` as `if not a: y else: x`, once for each."""
    family = FAMILIES[source.family]
    for each in _walk(source.node()):
        if each.type != family.branch:
            continue
        condition = each.child_by_field_name("condition")
        one = each.child_by_field_name(family.arms[0])
        two = each.child_by_field_name(family.arms[1])
        if condition is None or one is None or two is None:
            continue
        if two.type in ("else_clause", "else") and family.bodies[0] != "then":
            two = two.named_children[0] if two.named_child_count else None
        said = _text(condition)
        bare = said[1:-1] if said.startswith("(") and said.endswith(")") else said
        if two is None or two.type not in family.bodies or bare.startswith(("!", "not ")):
            continue
        if family.bodies[0] == "then" or "let " in bare or ":=" in bare:
            continue
        negated = family.negated.format(bare)
        wrapped = f"({negated})" if family.parenthesis else negated
        text = source.data[each.start_byte : each.end_byte]
        base = each.start_byte
        edits = [(two, one.text), (one, two.text), (condition, wrapped.encode())]
        for node, new in sorted(edits, key=lambda edit: -edit[0].start_byte):
            text = text[: node.start_byte - base] + new + text[node.end_byte - base :]
        made = source.edited(each.start_byte, each.end_byte, text)
        if made is not None:
            return made
    return None


def _comparisons(source: Source) -> Source | None:
    """`a < b` as `b > a`: the first that stands the usual way round."""
    family = FAMILIES[source.family]
    for each in _walk(source.node()):
        if each.type not in family.compare or each.child_count != 3:
            continue
        one, operator, two = each.children
        said = _text(operator)
        if said not in ("<", "<=", "==", "===") or re.match(r"[\d\"'(]|null|nil|None", _text(one)):
            continue
        if one.child_count > 3 or two.child_count > 3:
            continue
        text = two.text + b" " + FLIPPED[said].encode() + b" " + one.text
        made = source.edited(each.start_byte, each.end_byte, text)
        if made is not None and said in ("<", "<="):
            return made
        if made is not None and re.match(r"[\d\"']|null|nil|None", _text(two)):
            return made
    return None


def _grown(source: Source) -> Source | None:
    """`x += y` as `x = x + y`."""
    for each in _walk(source.node()):
        if each.type in FAMILIES[source.family].grows and each.child_count == 3:
            one, operator, two = each.children
            if re.fullmatch(r"[-+*/]=", _text(operator)):
                text = f"{_text(one)} = {_text(one)} {_text(operator)[0]} {_text(two)}"
                return source.edited(each.start_byte, each.end_byte, text.encode())
    return None


def _returns(source: Source) -> Source | None:
    """`return f(x)` as a variable that is returned; once."""
    family = FAMILIES[source.family]
    fresh = family.sigil + ("answerValue" if family.style == "camel" else "answer_value")
    if fresh.encode() in source.data[source.start : source.end] or not family.leave:
        return None
    returns = [each for each in _walk(source.node()) if each.type.startswith("return")
               and each.named_child_count == 1]  # fmt: skip
    for each in reversed(returns):
        value = each.named_children[0]
        listed = value.type == "expression_list" and value.named_child_count != 1
        if listed or not value.named_child_count or "{" in _text(value):
            continue
        begin = source.data.rfind(b"\n", 0, each.start_byte) + 1
        margin = source.data[begin : each.start_byte].decode("utf-8", "replace")
        if margin.strip():
            continue
        text = f"{family.keep.format(_text(value), fresh)}\n{margin}{family.leave.format(fresh)}"
        return source.edited(each.start_byte, each.end_byte, text.encode())
    return None


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of one kind as one of another: where it matches, its groups are put into the new."""

    families: tuple[str, ...]
    kind: str
    pattern: str
    new: str


_C_STYLE = ("typescript", "javascript", "java", "c", "cpp", "csharp", "php")
_LOOPS = (
    Loop(_C_STYLE, "for_statement",
         r"for\s*\(([^;()]*);([^;]*);([^;{]*?)\)\s*\{(?!.*continue)(.*)\}$",
         "{0};\nwhile ({1}) {{{3};\n{2};\n}}"),
    Loop(("go",), "for_statement", r"for\s+([^;{]*);([^;{]*);([^;{]*)\{(?!.*continue)(.*)\}$",
         "{0}\nfor {1} {{{3}\n{2}\n}}"),
    Loop(("go",), "for_statement", r"for\s+_,\s*(\w+)\s*:=\s*range\s+([\w.]+)\s*\{(.*)\}$",
         "for at := range {1} {{\n{0} := {1}[at]{2}}}"),
    Loop(("python",), "for_statement", r"for (\w+) in ([\w.]+):\n(\s+)(.*)$",
         "for at in range(len({1})):\n{2}{0} = {1}[at]\n{2}{3}"),
    Loop(("typescript", "javascript"), "for_in_statement",
         r"for\s*\((?:const|let|var)\s+(\w+)\s+of\s+([\w.]+)\)\s*\{(.*)\}$",
         "for (let at = 0; at < {1}.length; at++) {{\nconst {0} = {1}[at];{2}}}"),
    Loop(("java",), "enhanced_for_statement",
         r"for\s*\((?:final\s+)?(.+?)\s+(\w+)\s*:\s*([\w.()]+)\)\s*\{(.*)\}$",
         "for (var at = {2}.iterator(); at.hasNext();) {{\n{0} {1} = at.next();{3}}}"),
    Loop(("rust",), "for_expression", r"for (\w+) in ([\w.()&]+) \{(.*)\}$",
         "let mut rest = {1}.into_iter();\nwhile let Some({0}) = rest.next() {{{2}}}"),
    Loop(("csharp",), "foreach_statement",
         r"foreach\s*\(var (\w+) in ([\w.]+)\)\s*\{(.*)\}$",
         "for (var at = 0; at < {1}.Count; at++) {{\nvar {0} = {1}[at];{2}}}"),
    Loop(("php",), "foreach_statement", r"foreach \((\$[\w>-]+) as (\$\w+)\) \{(.*)\}$",
         "for ($at = 0; $at < count({0}); $at++) {{\n{1} = {0}[$at];{2}}}"),
    Loop(("ruby",), "call", r"([\w.@]+)\.each do \|(\w+)\|\n(.*)end$", "for {1} in {0}\n{2}end"),
)  # fmt: skip


def _loops(source: Source) -> Source | None:
    """A loop of one kind as one of another."""
    for each in _walk(source.node()):
        for loop in _LOOPS:
            if source.family not in loop.families or each.type != loop.kind:
                continue
            match = re.match(loop.pattern, _text(each), re.DOTALL)
            if match is None:
                continue
            text = loop.new.format(*(group.strip(" ") for group in match.groups()))
            made = source.edited(each.start_byte, each.end_byte, text.encode())
            if made is not None:
                return made
    return None


MAKERS: dict[str, Maker] = {"reordered": _reorder, "rewritten": _rewrite, "literals": _literals}
