"""What Ruby's blocks are run on: bare names in them may be members of that.

`Class.new(Base) { … }` and `target.class_eval { … }` say it themselves. A method that hands its
block on (`base.class_eval(&block)`, `build(base, &block)`) says it for all who call it with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Expression, Name, Parameter
from surveyor.graph.extract.written_types import expression_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["parameters", "receiver"]

_EVALUATES = frozenset(
    {"class_eval", "class_exec", "module_eval", "module_exec", "instance_eval", "instance_exec"}
)
_PLACE = (99,)
"""In place of a parameter's: what a method runs its block on."""
_AS_THEY_ARE = frozenset(
    {"it", "describe", "context", "specify", "before", "after", "around", "let", "subject", "test",
     "setup", "teardown", "should", "loop", "proc", "lambda", "require", "catch", "expect",
     "assert_raises", "define_method", "shared_examples", "it_behaves_like", "example", "task"}
)  # fmt: skip
"""Methods of other libraries that run their blocks on what is none of the project's."""
_MAX_CALLS = 60
"""Of one method's body, that are looked at for what they do with its block."""


def receiver(block: Node) -> Expression | None:
    """What a block is run on; None where nothing says so."""
    call = block.parent
    if call is None or call.type != "call":
        return None
    name = call.child_by_field_name("method")
    on = call.child_by_field_name("receiver")
    called = text_of(name) if name is not None else ""
    if called in _EVALUATES:
        return expression_of(on) if on is not None else None
    if called == "new" and on is not None and text_of(on) == "Class":
        return expression_of(_first_argument(call))
    if called in _AS_THEY_ARE or (on is not None and on.type not in _CONSTANTS):
        return None
    return _run_on(on, called)


_CONSTANTS = frozenset({"constant", "scope_resolution"})


def _run_on(on: Node | None, called: str) -> Expression | None:
    """What a method runs its block on."""
    if on is None:
        return Expression(Name(called)).then(Parameter(_PLACE)) if called else None
    owner = expression_of(on)
    return owner.member(called).then(Parameter(_PLACE)) if owner is not None else None


def _first_argument(call: Node) -> Node | None:
    listed = call.child_by_field_name("arguments")
    return listed.named_children[0] if listed is not None and listed.named_children else None


def parameters(method: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    """(place, node, value) of what a method runs its block on."""
    listed = method.child_by_field_name("parameters")
    children = listed.named_children if listed is not None else []
    block = next((each for each in children if each.type == "block_parameter"), None)
    name = block.child_by_field_name("name") if block is not None else None
    body = method.child_by_field_name("body")
    if name is None or body is None:
        return
    handed = f"&{text_of(name)}"
    for call in _calls(body):
        arguments = call.child_by_field_name("arguments")
        if arguments is None or all(text_of(each) != handed for each in arguments.named_children):
            continue
        method_name = call.child_by_field_name("method")
        on = call.child_by_field_name("receiver")
        called = text_of(method_name) if method_name is not None else ""
        value = None
        if called == "new" and on is not None and text_of(on) == "Class":
            value = expression_of(_default(children, _first_argument(call)))
        elif called not in _EVALUATES:
            value = _run_on(on, called) if on is None or on.type in _CONSTANTS else None
        elif on is not None:
            value = expression_of(_default(children, on))
        elif (around := _block_around(call, body)) is not None:
            value = receiver(around)
        else:
            value = Expression(Name("self"))
        if value is not None:
            yield _PLACE, call, value
            return


def _block_around(call: Node, body: Node) -> Node | None:
    """The block of a method's body that a call stands in."""
    node = call.parent
    while node is not None and node.start_byte >= body.start_byte and node != body:
        if node.type in ("block", "do_block"):
            return node
        node = node.parent
    return None


def _default(parameters: list[Node], value: Node | None) -> Node | None:
    """Of a parameter, what it is by default: that is what is known of it."""
    if value is None or value.type != "identifier":
        return value
    for each in parameters:
        name = each.child_by_field_name("name")
        if each.type == "optional_parameter" and name is not None and name.text == value.text:
            return each.child_by_field_name("value")
    return value


def _calls(body: Node) -> Iterator[Node]:
    """The first calls of a method's body, in no order."""
    stack, seen = [body], 0
    while stack and seen < _MAX_CALLS:
        node = stack.pop()
        if node.type == "call":
            seen += 1
            yield node
        stack += node.named_children
