"""Tests of which type a name is, and the parts of a file in which it is of that type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from surveyor.graph.expressions.model import Expression, Instance, Type, instance
from surveyor.graph.extract.rebinding import Rest, rest_behind
from surveyor.graph.extract.written_types import declared_type, text_of
from surveyor.parsing.children import first_named, last_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["MEMBERS", "Narrowed", "narrowed"]

_MAX_CLIMB = 8
"""Operators, brackets and conditions between a test and what it decides."""
_NOT = frozenset({"!", "not"})
_BOTH = frozenset({"&&", "and"})
_EITHER = frozenset({"||", "or"})
_CONJUNCTIONS, _DISJUNCTIONS = (
    frozenset({"conjunction_expression", "logical_and_expression"}),
    frozenset({"disjunction_expression", "logical_or_expression"}),
)
_CONDITIONS = frozenset(
    {"if_statement", "if_expression", "if", "elif_clause", "elsif", "unless", "if_modifier",
     "unless_modifier", "while_statement", "conditional_expression", "ternary_expression",
     "conditional", "else_if_clause"}
)  # fmt: skip
_INVERTED = frozenset({"unless", "unless_modifier"})
_HELD = ("consequence", "body")
_ENDS = frozenset(
    {"return_statement", "throw_statement", "break_statement", "continue_statement",
     "raise_statement", "jump_expression", "return", "next", "break", "throw_expression"}
)  # fmt: skip
"""What leaves the block it stands in."""
_CASES = {
    "when_entry": "when_expression", "case_clause": "match_statement", "when": "case",
    "in_clause": "case_match",
}  # fmt: skip
"""A case, and what it is a case of."""
_SUBJECTS = ("subject", "value")


class Narrowed(NamedTuple):
    """A name that a test says the type of, and the part of the file where that holds."""

    name: Node
    value: Expression
    where: Rest


class _Test(NamedTuple):
    name: Node
    value: Expression
    is_so: bool
    """False: it asks whether the name is not of the type (`it !is Box`)."""


def narrowed(test: Node) -> Iterator[Narrowed]:
    """What `x instanceof Car`, `isinstance(x, (Car, Van))`, `x is Car`, `x.is_a?(Car)`, tests by
    `Car.class` and cases of one type say, where they hold: in what the condition decides, in
    what stands behind `&&`, or in the rest of a block that is left where it is not so."""
    if test.type == "type_case":
        yield from _of_go(test)
        return
    said = _of_case(test) if test.type in _CASES else _read(test)
    if said is None:
        return
    regions = [_whole(test)] if test.type in _CASES else _regions(test, said.is_so)
    for where in regions:
        yield Narrowed(said.name, said.value, where)


def _whole(node: Node) -> Rest:
    return Rest(node.start_byte, node.end_byte, is_assigned=False, is_top=False)


def _regions(test: Node, is_so: bool) -> Iterator[Rest]:
    """The parts of the file that are reached only if the test holds."""
    child, parent = test, test.parent
    for _ in range(_MAX_CLIMB):
        if parent is None:
            return
        operator = parent.child_by_field_name("operator")
        sign = text_of(operator) if operator is not None else ""
        if parent.type in ("prefix_expression", "unary_op_expression", "unary_expression",
                           "not_operator", "unary", "expression"):  # fmt: skip
            is_so ^= (sign or text_of(parent.children[0])) in _NOT
        elif parent.type in _CONJUNCTIONS or sign in _BOTH:
            if not is_so:
                return
            yield from _behind(parent, child)
        elif parent.type in _DISJUNCTIONS or sign in _EITHER:
            if is_so:
                return
            yield from _behind(parent, child)
        elif parent.type in _CONDITIONS:
            yield from _decided(parent, child, is_so)
            return
        elif parent.type == "assert_statement":
            rest = rest_behind(child) if is_so else None
            if rest is not None:
                yield rest
            return
        elif parent.type == "when_condition":
            if is_so and parent.parent is not None:
                yield _whole(parent.parent)
            return
        elif parent.type not in ("parenthesized_expression", "parenthesized_statements"):
            return
        child, parent = parent, parent.parent


def _behind(operation: Node, operand: Node) -> Iterator[Rest]:
    """The operands behind one."""
    for each in operation.named_children:
        if each.start_byte >= operand.end_byte:
            yield _whole(each)


def _decided(condition: Node, test: Node, is_so: bool) -> Iterator[Rest]:
    """What a condition decides, where the name is of the type."""
    is_so ^= condition.type in _INVERTED
    field = condition.child_by_field_name
    held = next((found for name in _HELD if (found := field(name)) is not None), None)
    if condition.type == "conditional_expression" and held is None:  # Python: a if test else b
        parts = condition.named_children
        held = parts[0] if len(parts) == 3 and parts[1] == test else None
    if held is None or held == test:
        return
    if is_so:
        for each in condition.children_by_field_name("consequence") or [held]:
            yield _whole(each)
        return
    otherwise = field("alternative")
    if otherwise is not None and not condition.type.startswith("elif"):
        yield _whole(otherwise)
    elif otherwise is None and _leaves(held) and (rest := rest_behind(held)) is not None:
        yield rest


def _leaves(body: Node) -> bool:
    """Whether what follows a statement is not reached through it."""
    last: Node | None = body
    for _ in range(_MAX_CLIMB):
        if last is None or last.type in _ENDS:
            break
        inner = [each for each in last.named_children if "comment" not in each.type]
        if len(inner) != 1 and last.type not in ("block", "compound_statement", "statement_block",
                                                 "statements", "then"):  # fmt: skip
            return False
        last = inner[-1] if inner else None
    return last is not None and last.type in _ENDS


def _read(test: Node) -> _Test | None:
    """The name and the type of a test."""
    kind, field = test.type, test.child_by_field_name
    is_so = True
    given: list[Node | None] = [field("left"), field("right")]
    if kind == "check_expression":
        given = [first_named(test), last_named(test)]
        is_so = not any(text_of(each) == "!is" for each in test.children)
    elif kind == "type_test_expression":
        asked = last_named(test)
        given = [first_named(test), last_named(asked)]
        is_so = (word := first_named(asked)) is not None and "!" not in text_of(word)
    elif field("method") is not None:
        listed = field("arguments")
        given = [field("receiver"), first_named(listed)]
    elif kind == "call":
        listed = field("arguments")
        given = [*listed.named_children] if listed is not None else []
    elif given[0] is None or given[0].type == "method_invocation":
        given = _of_class(test)
    if len(given) != 2 or given[0] is None or given[1] is None or not _is_name(given[0]):
        return None
    value = _of_types(given[1])
    return _Test(given[0], value, is_so) if value is not None else None


MEMBERS = frozenset({"member_access_expression", "member_expression", "attribute", "field_access"})
"""A member of something: `this.box instanceof Box`."""


def _is_name(node: Node) -> bool:
    return node.type in ("identifier", "simple_identifier", "variable_name", *MEMBERS)


def _of_types(written: Node) -> Expression | None:
    """An instance of one of the types that are written there."""
    parts = [
        part
        for each in (written.named_children if written.type == "tuple" else [written])
        if (found := declared_type(each)) is not None and type(found.head) is Instance
        for part in found.head.type.parts
    ]
    return instance(Type(tuple(parts))) if parts else None


def _of_class(condition: Node) -> list[Node | None]:
    """`it.getClass() == Car.class`, `Car.class.isInstance(it)`, `Car.class.isAssignableFrom(
    it.getClass())`: the name and the type; empty for anything else."""
    field = condition.child_by_field_name
    literal, tested = field("right"), field("left")
    name, listed = field("name"), field("arguments")
    if literal is None and name is not None and listed is not None and listed.named_children:
        if name.text not in (b"isInstance", b"isAssignableFrom"):
            return []
        literal, tested = field("object"), listed.named_children[0]
    if tested is not None and tested.type == "method_invocation":
        asked = tested.child_by_field_name("name")
        is_class = asked is not None and asked.text == b"getClass"
        tested = tested.child_by_field_name("object") if is_class else None
    if literal is None or literal.type != "class_literal" or tested is None:
        return []
    return [tested, literal.named_children[0]] if tested.type == "identifier" else []


def _of_go(case: Node) -> Iterator[Narrowed]:
    """A case of one type: with several the name has that of what is switched over."""
    switch, types = case.parent, case.children_by_field_name("type")
    alias = switch.child_by_field_name("alias") if switch is not None else None
    value = declared_type(types[0]) if len(types) == 1 else None
    if alias is not None and value is not None:
        yield Narrowed(alias.named_children[0], value, _whole(case))


def _of_case(case: Node) -> _Test | None:
    """`is Box ->`, `case Box():`, `when Box`, `in Box`: one type, of the name that is compared."""
    around = case.parent
    while around is not None and around.type in ("block", "case_block"):
        around = around.parent
    if around is None or around.type != _CASES[case.type]:
        return None
    subject = next((s for name in _SUBJECTS if (s := around.child_by_field_name(name))), None)
    if subject is None and around.named_children[0].type == "when_subject":
        subject = first_named(around.named_children[0])
    asked = _asked(case)
    if subject is None or asked is None or not _is_name(subject):
        return None
    value = _of_types(asked)
    return _Test(subject, value, True) if value is not None else None


_ASKED = ("when_condition", "case_pattern", "pattern")


def _asked(case: Node) -> Node | None:
    """The type that a case is of, where it is of one."""
    patterns = case.children_by_field_name("pattern") or [
        each for each in case.named_children if each.type in _ASKED
    ]
    found: Node | None = patterns[0] if len(patterns) == 1 else None
    while found is not None and found.type in _ASKED:
        found = first_named(found)
    if found is None:
        return None
    if found.type == "type_test":
        return first_named(found) if text_of(found.children[0]) == "is" else None
    if found.type == "class_pattern":
        return first_named(found)
    if found.type == "as_pattern":
        inner = found.child_by_field_name("value")
        return inner if inner is not None and inner.type in _CONSTANTS else None
    return found if found.type in _CONSTANTS else None


_CONSTANTS = frozenset({"constant", "scope_resolution"})
