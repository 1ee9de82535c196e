"""Values, types and receivers of Zig.

A type is a value like any other, and what is said of it holds for its instances: `x: Box` and
`Box` have the same members. So pointers, slices and optionals are what they are of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    UNKNOWN,
    Call,
    CollectionOf,
    Element,
    Expression,
    Instance,
    Name,
    Parameter,
    Type,
    TypePart,
    ValueOf,
    local,
)
from surveyor.graph.languages.readers import MAX_DEPTH, descend, string_value, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "THIS_FILE",
    "alias_of",
    "imported",
    "initialized",
    "parameters",
    "receiver",
    "value",
    "value_after",
    "written",
]

MAX_CHOICES = 4
"""Cases of a `switch` whose values count."""
THIS_FILE = "This$"
"""The struct that a file is."""
_CHAIN = frozenset({"FieldOrFnCall", "FnCallArguments", "SuffixOp", "InitList"})
_LISTS = re.compile(
    r"std\.(?:array_list\.)?(?:ArrayList|ArrayListUnmanaged|ArrayListAligned|BoundedArray|Managed|"
    r"MultiArrayList|SegmentedList|StringHashMap|StringHashMapUnmanaged|StringArrayHashMap|"
    r"StringArrayHashMapUnmanaged|AutoHashMap|AutoHashMapUnmanaged|AutoArrayHashMap|"
    r"AutoArrayHashMapUnmanaged|DoublyLinkedList|SinglyLinkedList|MemoryPool)$"
)
"""Generic types of the standard library that hold what they are given."""
_MAX_GIVEN = 3
"""Arguments of a function that gives a type that are looked at."""
_KEYED = re.compile("Auto.*Map")
"""Those of them that are given the type of their keys first."""
_SAME = frozenset({"@constCast", "@alignCast", "@ptrCast", "@volatileCast"})
"""Built-in functions that give what they are handed."""
_TAKES_TYPE = frozenset({"@as"})
_FALLING_BACK = frozenset({"orelse", "catch"})
_FUNCTIONS = frozenset({"FnProto", "TestDecl"})


def alias_of(module: str) -> str:
    """The name that stands for what importing a file gives."""
    return "import$" + re.sub(r"\W", "$", module)


def imported(builtin: Node | None) -> str:
    """The file or package of `@import("x")`; empty for anything else."""
    if builtin is None or text(builtin) != "@import":
        return ""
    literal = next(descend(_arguments(builtin) or builtin, _LITERALS), None)
    return string_value(literal)


_LITERALS = frozenset({"STRINGLITERALSINGLE"})


def _arguments(called: Node) -> Node | None:
    after = called.next_named_sibling
    return after if after is not None and after.type == "FnCallArguments" else None


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value or a type as an expression; None when it says nothing."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    if kind == "IDENTIFIER":
        return Expression(Name(text(node)))
    if kind == "ContainerDecl":
        return written(node)
    if kind == "SuffixExpr":
        return _chain(node.named_children, depth)
    if kind in ("UnaryExpr", "AssignExpr", "GroupedExpr", "ParamType", "BlockExpr"):
        inner = [child for child in node.named_children if child.type not in _CHAIN]
        return value(inner[-1], depth + 1) if inner else None
    if kind == "BinaryExpr":
        return _either(node, depth)
    if kind in ("IfExpr", "IfTypeExpr"):
        return _any_of(node.named_children[1:], depth)
    if kind == "SwitchExpr":
        prongs = [c for c in node.named_children if c.type == "SwitchProng" and c.named_children]
        return _any_of([prong.named_children[-1] for prong in prongs[:MAX_CHOICES]], depth)
    if kind in ("ErrorUnionExpr", "FnProto"):
        return value(node.named_children[-1], depth + 1) if node.named_children else None
    return None


def _either(node: Node, depth: int) -> Expression | None:
    """`a orelse b`, `a catch b`: the first that says something."""
    operator = node.child_by_field_name("operator")
    if not text(operator).startswith(tuple(_FALLING_BACK)):
        return None
    sides = [node.child_by_field_name(side) for side in ("left", "right")]
    return _first_of([side for side in sides if side is not None], depth)


def _any_of(nodes: list[Node], depth: int) -> Expression | None:
    """What one of several values is, whichever it may be."""
    found = [each for node in nodes if (each := value(node, depth + 1)) is not None]
    if len(found) < 2:
        return found[0] if found else None
    return Expression(Instance(Type(TypePart(ValueOf(each)) for each in dict.fromkeys(found))))


def _first_of(nodes: list[Node], depth: int) -> Expression | None:
    found = (value(node, depth + 1) for node in nodes)
    return next((each for each in found if each is not None), None)


def _chain(parts: list[Node], depth: int) -> Expression | None:
    """`a.b(c)[d].?`: what is left of it after its last part."""
    if not parts:
        return None
    head, rest = parts[0], parts[1:]
    found: Expression | None
    if head.type == "BUILTINIDENTIFIER":
        found, rest = _built_in(head, depth), rest[1:]
    elif _is_literal(head):
        owner = _owner(head, depth)
        found = owner.member(text(head)) if owner is not None else None
    else:
        found = value(head, depth + 1)
    for part in rest:
        if found is None:
            return None
        if part.type == "FnCallArguments":
            held = _held(found, part, depth)
            found = held if held is not None else found.then(Call())
        elif part.type == "FieldOrFnCall":
            found = _member(found, part, depth)
        elif part.type == "SuffixOp" and text(part).startswith("["):
            found = found.then(Element())
    return found


def _member(owner: Expression, part: Node, depth: int) -> Expression:
    called = part.child_by_field_name("function_call")
    found = owner.member(text(called or part.child_by_field_name("field_access")))
    if called is None:
        return found
    arguments = _arguments(called)
    held = _held(found, arguments, depth) if arguments is not None else None
    return held if held is not None else found.then(Call())


def _held(called: Expression, arguments: Node, depth: int) -> Expression | None:
    """`std.ArrayList(Box)`: many of what it is given; None for what is no such list."""
    given = arguments.named_children
    if not _LISTS.search(called.text):
        return _of_elsewhere(called, given, depth)
    place = 1 if _KEYED.search(called.text) else 0
    of = value(given[place], depth + 1) if len(given) > place else None
    if of is None:
        return UNKNOWN
    part = TypePart(ValueOf(of), (), (CollectionOf(),))
    return Expression(Instance(Type((part,))))


def _of_elsewhere(called: Expression, given: Sequence[Node], depth: int) -> Expression | None:
    """`wl.list.Head(Window, .link)`: a type, by its capital letter, that is given others: what
    calling its function gives, and something that holds those."""
    if not called.last_word[:1].isupper():
        return None
    held = [each for node in given[:_MAX_GIVEN] if (each := _type_given(node, depth)) is not None]
    if not held:
        return None
    made = TypePart(ValueOf(called.then(Call())))
    many = (TypePart(ValueOf(each), (), (CollectionOf(),)) for each in held)
    return Expression(Instance(Type((made, *many))))


def _type_given(node: Node, depth: int) -> Expression | None:
    """A type that is handed over: of a chain of names whose last has a capital letter."""
    found = value(node, depth + 1)
    if found is None or type(found.head) is not Name or any(type(s) is Call for s in found.steps):
        return None
    return found if found.last_word[:1].isupper() else None


def _built_in(name: Node, depth: int) -> Expression | None:
    """What a function of the language gives: `@import`, `@This`, `@as`, casts."""
    called = text(name)
    if module := imported(name):
        return Expression(Name(alias_of(module)))
    if called == "@This":
        return written(name)
    arguments = _arguments(name)
    given = arguments.named_children if arguments is not None else []
    if given and (called in _SAME or called in _TAKES_TYPE):
        return value(given[0], depth + 1)
    if called == "@fieldParentPtr" and len(given) > 1:  # its first argument, up to Zig 0.11
        return value(given[0], depth + 1)
    return None


def written(node: Node) -> Expression | None:
    """The type that is written out around a node (or at it), by what it is known as."""
    names: list[str] = []
    around: Node | None = node
    while around is not None:
        if around.type == "Decl" or around.type in _FUNCTIONS:
            name = _declared_name(around)
            if name and _is_inside(around, node):
                names.insert(0, name)
        around = around.parent
    if not names:
        return Expression(Name(THIS_FILE))
    return _as_value(local(".".join(names)))


def _as_value(type_: Expression) -> Expression:
    """A type that is known by its place: what a name that is bound to it means is the name."""
    return Expression(Instance(Type((TypePart(ValueOf(type_)),))))


def _is_inside(declaration: Node, node: Node) -> bool:
    """Whether a declaration is of what a node stands in, and not of the node alone."""
    if node.type == "ContainerDecl":
        return True
    inner: Node | None = node
    while inner is not None and inner.id != declaration.id:
        if inner.type in ("ContainerDecl", "Block"):
            return True
        inner = inner.parent
    return False


def _declared_name(declaration: Node) -> str:
    """What a declaration is known as among the file's definitions."""
    if declaration.type == "TestDecl":
        return string_value(next(iter(descend(declaration, _LITERALS)), None))
    first = declaration.named_children[0] if declaration.named_children else None
    if first is None or first.type not in ("VarDecl", "FnProto"):
        return ""
    name = first.child_by_field_name("function") or first.child_by_field_name(
        "variable_type_function"
    )
    return text(name)


def value_after(declaration: Node) -> Expression | None:
    """What `const x: T = y` declares: T, or else y."""
    parts = [c for c in declaration.named_children if c.type not in _NO_VALUES]
    field = declaration.child_by_field_name
    name = field("variable_type_function") or field("field_member")
    found = [value(part) for part in parts if name is None or part.id != name.id]
    return next((each for each in found if each is not None), None)


_NO_VALUES = frozenset({"PrefixTypeOp", "ByteAlign", "LinkSection", "InitList", "doc_comment"})


def _is_literal(name: Node) -> bool:
    """Whether a name begins with a dot: what it is of is said elsewhere."""
    return name.type == "IDENTIFIER" and text(name.prev_sibling) == "."


def initialized(name: Node) -> Expression:
    """What a name in `Box{ .name = 1 }` is a member of, or one that begins with a dot."""
    return _owner(name, 0) or UNKNOWN


def _owner(name: Node, depth: int) -> Expression | None:
    around = name.parent
    if around is None or depth > MAX_DEPTH:
        return None
    if around.type == "SuffixExpr":
        return _wanted(around, depth + 1)
    literal = around.parent
    if literal is None or literal.type != "InitList":
        return None
    before = literal.prev_named_sibling
    if before is not None and literal.parent is not None and literal.parent.type != "SuffixExpr":
        return value(before, depth + 1)
    return _wanted(literal, depth + 1)


def _wanted(literal: Node, depth: int) -> Expression | None:
    """The type that `.{ … }` and `.name` are of: of what is declared, assigned, compared, switched
    on, or of what a function gives."""
    inner, around = literal, literal.parent
    while around is not None and around.type in _WHOLE:
        inner, around = around, around.parent
    if around is None:
        return None
    if around.type in ("VarDecl", "ContainerField"):
        return _declared_type(around, depth)
    if around.type == "FieldInit":
        name = around.child_by_field_name("field_member")
        owner = _owner(name, depth + 1) if name is not None else None
        return owner.member(text(name)) if owner is not None else None
    if around.type == "SwitchItem":
        return _switched(around, depth)
    if around.type == "BinaryExpr" or any(c.type == "AssignOp" for c in around.named_children):
        sides = around.named_children[0], around.named_children[-1]
        return value(sides[sides[0].id == inner.id], depth + 1)
    if around.type == "AssignExpr" and text(around).startswith("return"):
        return _returned_type(around, depth)
    return _parameter(around, inner, depth) if around.type == "FnCallArguments" else None


_WHOLE = frozenset({"SuffixExpr", "ErrorUnionExpr", "UnaryExpr"})


def _parameter(arguments: Node, argument: Node, depth: int) -> Expression | None:
    """What a function takes in the place of an argument, counted from the last: what a method
    is called on may be the first of them."""
    listed = arguments.named_children
    place = next((i for i, each in enumerate(reversed(listed)) if each.id == argument.id), -1)
    called = arguments.prev_named_sibling
    if place < 0 or called is None:
        return None
    if called.type == "BUILTINIDENTIFIER":
        is_cast = text(called) in _TAKES_TYPE and len(listed) > 1
        return value(listed[0], depth + 1) if is_cast else None
    if called.parent is not None and called.parent.type == "FieldOrFnCall":
        owner = _before(called.parent, depth)
        function = owner.member(text(called)) if owner is not None else None
    else:
        function = value(called, depth + 1)
    return function.then(Parameter((place,))) if function is not None else None


def parameters(prototype: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    """(place from the last, declaration, type) of what a function takes."""
    listed = next((c for c in prototype.named_children if c.type == "ParamDeclList"), None)
    declared = listed.named_children if listed is not None else []
    for place, each in enumerate(reversed(declared)):
        found = value(each.named_children[-1]) if each.named_children else None
        if found is not None:
            yield (place,), each, found


def _switched(item: Node, depth: int) -> Expression | None:
    around: Node | None = item
    while around is not None and around.type != "SwitchExpr":
        around = around.parent
    return value(around.named_children[0], depth + 1) if around is not None else None


def _declared_type(declaration: Node, depth: int) -> Expression | None:
    """The type that `const x: T = y` says."""
    colon = next((c for c in declaration.children if c.type == ":"), None)
    after = colon.next_named_sibling if colon is not None else None
    while after is not None and after.type in _NO_VALUES:
        after = after.next_named_sibling
    return value(after, depth + 1)


def _returned_type(node: Node, depth: int) -> Expression | None:
    """The result that the function around a node declares."""
    around: Node | None = node
    while around is not None and around.type not in ("Decl", "TestDecl"):
        around = around.parent
    prototype = around.named_children[0] if around is not None and around.named_children else None
    return value(prototype, depth + 1) if prototype and prototype.type == "FnProto" else None


def receiver(name: Node) -> Expression | None:
    """What stands before a dot."""
    part = name.parent
    found = _before(part, 0) if part is not None and part.type == "FieldOrFnCall" else None
    return found or UNKNOWN


def _before(part: Node, depth: int) -> Expression | None:
    """What a link of a chain is a member of."""
    before = []
    for child in part.parent.named_children if part.parent is not None else ():
        if child.id == part.id:
            break
        before.append(child)
    return _chain(before, depth + 1)
