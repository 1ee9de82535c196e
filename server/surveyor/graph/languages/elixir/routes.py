"""What Phoenix's routers and plugs name by atoms: actions of controllers, and functions that run
before them; what functions are delegated to, and those that are told by module and name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.languages.elixir.values import module_name
from surveyor.graph.languages.readers import text
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_named", "read_scope"]

_HERE = Expression(Name("__MODULE__"))
_PLUGS = frozenset({"plug", "pipe_through"})
_SCOPE = "scope"


def read_named(call: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`get "/", BoxController, :show`, `plug :load`, `pipe_through [:browser, :load]`: (the atom,
    the module of the function, the function)."""
    given = call.named_children if call.type == "tuple" else _given(call)
    if text(call.child_by_field_name("target")) in _PLUGS:
        first = given[0] if given else None
        for atom in (
            first.named_children if first is not None and first.type == "list" else given[:1]
        ):
            if atom.type == "atom":
                yield atom, _HERE, text(atom).removeprefix(":")
        return
    if text(call.child_by_field_name("target")) == _RESOURCES:
        yield from _resources(call, given)
        return
    if text(call.child_by_field_name("target")) == _DELEGATE:
        yield from _delegated(given)
        return
    for module, atom in pairwise(given):
        name = module_name(module) if atom.type == "atom" else ""
        prefix = _prefix(call)
        whole = parse(f"{prefix}.{name}" if prefix else name) if name else None
        if whole is not None:
            yield atom, whole, text(atom).removeprefix(":")


_RESOURCES, _DELEGATE = "resources", "defdelegate"
_ACTIONS = ("index", "new", "create", "show", "edit", "update", "delete")


def _delegated(given: list[Node]) -> Iterator[tuple[Node, Expression, str]]:
    """`defdelegate open(box), to: Boxes, as: :lift`: the function that is run instead."""
    head = given[0] if given else None
    name = head.child_by_field_name("target") if head is not None else None
    name = name or (head if head is not None and head.type == "identifier" else None)
    pairs = [p for each in given if each.type == "keywords" for p in each.named_children]
    told = {
        text(pair.child_by_field_name("key")).strip(": "): pair.child_by_field_name("value")
        for pair in pairs
    }
    module = told.get("to")
    whole = parse(module_name(module)) if module is not None and module_name(module) else None
    place = told.get("as") or name
    if place is not None and whole is not None:
        yield place, whole, text(place).removeprefix(":")


def _resources(call: Node, given: list[Node]) -> Iterator[tuple[Node, Expression, str]]:
    """`resources "/boxes", BoxController, only: [:index]`: the actions that it routes to."""
    module = next((each for each in given if module_name(each)), None)
    if module is None:
        return
    name, prefix = module_name(module), _prefix(call)
    whole = parse(f"{prefix}.{name}" if prefix else name)
    pairs = [p for each in given if each.type == "keywords" for p in each.named_children]
    said = {text(p.child_by_field_name("key")).strip(": "): _atoms(p) for p in pairs}
    is_one = any(text(each).split() == ["singleton:", "true"] for each in pairs)
    every = _ACTIONS[1:] if is_one else _ACTIONS
    actions = [a for a in every if "only" not in said or a in said["only"]]
    for action in actions if whole is not None else ():
        if action not in said.get("except", {}) and whole is not None:
            yield said.get("only", {}).get(action) or module, whole, action


def _atoms(pair: Node) -> dict[str, Node | None]:
    """Names that are listed, each with its place if it has one of its own."""
    value = pair.child_by_field_name("value")
    listed = value.named_children if value is not None and value.type == "list" else []
    if value is not None and value.type == "sigil":  # ~w(index show)a
        words = [each for each in value.named_children if each.type == "quoted_content"]
        return {name: None for each in words for name in text(each).split()}
    return {text(each).removeprefix(":"): each for each in listed if each.type == "atom"}


def read_scope(scope: Node) -> list[Import]:
    """Aliases for the modules that a scope's routes name without what stands before them."""
    found: dict[str, Import] = {}
    waiting = _inside(scope)
    prefix = _prefix(waiting[0]) if waiting else ""
    while waiting:
        route = waiting.pop()
        if route.type != "call" or text(route.child_by_field_name("target")) == _SCOPE:
            continue
        waiting += _inside(route)  # live_session
        for each in _given(route) if prefix else ():
            name = module_name(each)
            if name and "." not in name:
                place = each.start_point[0] + 1
                found.setdefault(name, Import(f"{prefix}.{name}", (), name, place, "static"))
    return list(found.values())


def _prefix(route: Node) -> str:
    """The module that the scopes around a route say."""
    names: list[str] = []
    above = route.parent
    while above is not None:
        if above.type == "call" and text(above.child_by_field_name("target")) == _SCOPE:
            names += [name for each in _given(above) if (name := module_name(each))][:1]
        above = above.parent
    return ".".join(reversed(names))


def _inside(call: Node) -> list[Node]:
    body = next((c for c in call.named_children if c.type == "do_block"), None)
    return body.named_children if body is not None else []


def _given(call: Node) -> list[Node]:
    listed = next((c for c in call.named_children if c.type == "arguments"), None)
    return listed.named_children if listed is not None else []
