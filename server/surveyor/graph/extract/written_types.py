"""Declared types and values as they are written, reduced to expressions.

The expressions are the same for all languages: `::`, `->`, `?.` and `$` of the source become dots
or vanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse, parse_type
from surveyor.graph.expressions.keys import VARIABLES_TOO, of_arity
from surveyor.graph.expressions.model import (
    REMEMBERED,
    Call,
    Element,
    Expression,
    GivenTypeArguments,
    Instance,
    Member,
    Module,
    Name,
    Type,
    TypeAtPlace,
    TypePart,
    ValueOf,
    instance,
    type_called,
)
from surveyor.graph.extract.arguments import handed
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_structs import struct_type
from surveyor.graph.languages.ecmascript.types import arguments_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "FUNCTIONS",
    "NO_VALUES",
    "asked_for",
    "declared_type",
    "expression_of",
    "literal_keys",
    "loaded_module",
    "normal",
    "script_type",
    "text_of",
    "told_types",
    "unwrapped",
]

MAX_TEXT = 200
"""Longer expressions are read link by link, or not at all."""
MAX_LINKS = 24
_ARGUMENTS = re.compile(r"\((?:[^()]|\(\))+\)")
_TOLD = re.compile(r"([\w$]+|::)<([A-Za-z_$][\w$.:]*)>\(\)$")
"""The one type that a call is given: `container.get<Engine>()`, `parse::<Config>()`."""
_CHAIN = re.compile(
    r"^[\w$@!]+(?:`\d+)?(?:\(\)|\['?[\w-]*\])*(?:\.#?[\w$!]+(?:`\d+)?(?:\(\)|\['?[\w-]*\])*)*$"
)
_KEY = re.compile(r"[\w-]+$")
"""A key that is looked up, where it is written out (`tables.element_key`)."""
_SUBSCRIPT = re.compile(r"(?:\?\.|!)?\[([^\[\]]+)\]")


def declared_type(node: Node | None) -> Expression | None:
    """What a type annotation says, as an expression: an instance of it."""
    if node is None:
        return None
    if node.type == "type_annotation":
        return script_type(node)
    if node.type in _OF_STRUCTS and (struct := struct_type(node)) is not None:
        return instance(struct)
    text = text_of(node)
    if node.type == "qualified_name":
        text = text.removeprefix(_ROOT)
    return instance_of(text, by_arity=_by_arity(node))


_ROOT = "global::"
"""Before names of C# from the root."""
_OF_STRUCTS = frozenset(
    {"struct_type", "slice_type", "array_type", "implicit_length_array_type", "map_type",
     "pointer_type"}
)  # fmt: skip
"""Types of Go that may be, or hold, a struct that is written out."""


_AROUND_TYPES = frozenset({"array_type", "nullable_type", "qualified_name", "ref_type"})


def _by_arity(type_: Node) -> bool:
    """Whether a type is one of C#'s with type arguments, which are a part of its name."""
    if type_.type == "generic_name":
        return True
    return type_.type in _AROUND_TYPES and any(map(_by_arity, type_.named_children))


def script_type(node: Node | None) -> Expression | None:
    """What a type of TypeScript says, as an expression."""
    found = type_of(node)
    if len(found.parts) == 1 and not found.parts[0].steps:
        head = found.parts[0].head
        if type(head) is ValueOf:
            return head.expression  # a value, and of whatever type that is
    return instance(found)


def text_of(node: Node) -> str:
    """A node's text."""
    text = node.text
    return text.decode("utf-8", "replace") if text else ""


_CALLS = frozenset(
    {"call", "call_expression", "method_invocation", "invocation_expression",
     "function_call_expression", "member_call_expression", "scoped_call_expression",
     "nullsafe_member_call_expression"}
)  # fmt: skip
_WRAPPERS = frozenset(
    {"await", "await_expression", "parenthesized_expression", "unary_expression", "try_expression",
     "reference_expression", "non_null_expression", "expression_list", "pointer_expression",
     "as_pattern", "satisfies_expression"}
)  # fmt: skip
_CASTS = frozenset({"cast_expression", "as_expression", "type_cast_expression"})
_SCRIPT = frozenset(
    {"identifier", "member_expression", "call_expression", "subscript_expression", "this"}
)
"""Of these those of JavaScript, where `$` is a letter; other languages with them have no `$`."""
_CHOICES = {
    "ternary_expression": ("consequence", "alternative"),
    "binary_expression": ("left", "right"),
    "assignment_expression": ("right",),
}
"""Values that are one of several, as JavaScript writes them."""
_CHOOSING = frozenset({"??", "||"})
_TABLES = frozenset({"dictionary", "list", "tuple", "array"})
"""What is looked up by a key: known by its place until it is named."""
_SEVERAL = frozenset({"conditional_expression", "boolean_operator"})
"""Values of Python that are one of the first and the last part."""
NO_VALUES = frozenset({Expression(Name("undefined")), Expression(Name("null"))})
"""What JavaScript writes where there is nothing."""
_NAMES = frozenset(
    {"identifier", "attribute", "member_expression", "selector_expression", "field_expression",
     "scoped_identifier", "field_access", "member_access_expression", "qualified_identifier",
     "constant", "scope_resolution", "instance_variable", "variable_name", "self", "this", "name",
     "type_identifier", "qualified_name"}
)  # fmt: skip
_ELEMENTS = frozenset(
    {"subscript", "subscript_expression", "index_expression", "array_access",
     "element_access_expression"}
)  # fmt: skip
_ASKING = frozenset({"function_call_expression", "member_call_expression"})
_ASKED = re.compile(
    r"(?:(?:.*\b(?:app|container|injector)\b[^;]{0,40}->\s*)?\\?\b(?:app|resolve|make|makeWith)"
    r"|.*\b(?:app|container|injector)\s*(?:\(\s*\))?->\s*get)"
    r"\s*\(\s*\\?([A-Za-z_][\w\\]*)::class\s*[,)]",
    re.IGNORECASE | re.DOTALL,
)
"""What a container of PHP is asked for: `app(Box::class)`, `$this->container->get(Box::class)`."""


def _asked(call: Node, depth: int) -> Expression | None:
    """What a call gives that asks a container, or a member of what such a call gives."""
    if b"::class" not in (call.text or b""):
        return None
    owner, name = call.child_by_field_name("object"), call.child_by_field_name("name")
    arguments = call.child_by_field_name("arguments")
    if owner is not None and name is not None and b"::class" in (owner.text or b""):
        before = expression_of(owner, depth + 1, with_arguments=False)
        return before.member(text_of(name)).then(Call()) if before is not None else None
    if arguments is None or b"::class" not in (arguments.text or b""):
        return None
    return asked_for(text_of(call))


def asked_for(call: str) -> Expression | None:
    """An instance of the class by whose name a container is asked for one; None of other calls."""
    if "::class" not in call or (match := _ASKED.match(call[:MAX_TEXT])) is None:
        return None
    return instance_of(match[1])


_NEW = frozenset(
    {"new_expression", "object_creation_expression", "struct_expression", "composite_literal",
     "compound_literal_expression"}
)  # fmt: skip


_NEW_WORD = re.compile(r"\s*(\()?\s*new\s+(?!(?:class|static|self|function)\b)(?=[\w\\$])")


def _subscript(match: re.Match[str]) -> str:
    """A subscript with its key, where that is a word or a number."""
    key = match[1]
    if key.isdecimal():
        return f"[{key}]"
    word = key[1:-1]
    quoted = key[0] in "\"'" and key[-1] == key[0] and _KEY.match(word)
    return f"['{word}]" if quoted else "[]"


def _without_new(text: str) -> str:
    """`new Box().open()` as `Box().open()`, and `(new Box())->open()` as the same."""
    match = _NEW_WORD.match(text)
    if match is None:
        return text
    text = text[match.end() :]
    if match[1] is None:
        return text
    depth = 1
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            made = text[:index]
            return (made if made.endswith(")") else f"{made}()") + text[index + 1 :]
    return text


_LOADING = re.compile(
    r"(\(\s*)?(?:await\s+)?(require|import)\s*\(\s*(?:/\*[^*]*\*/\s*)?"
    r"([\"'`])([\w@./#~+$-]+)\3\s*,?\s*\)(?(1)\s*\))"
)
"""`require("./a")`, `import("./a")`, `(await import("./a"))`."""
_LOADERS = frozenset({b"require", b"import"})


def _loaded(loading: re.Match[str]) -> Expression:
    return Expression(Module(loading[4], is_whole=loading[2] == "require"))


def _on(value: Expression, steps: Expression | None) -> Expression:
    return steps.on(value) if steps is not None else value


def loaded_module(text: str) -> Expression | None:
    """What a call gives that loads a module by its name; None of any other."""
    loading = _LOADING.fullmatch(text)
    return _loaded(loading) if loading is not None else None


def _loads(call: Node) -> Expression | None:
    function = call.child_by_field_name("function")
    if function is None or function.text not in _LOADERS:
        return None
    return loaded_module(text_of(call)) if call.end_byte - call.start_byte <= MAX_TEXT else None


@lru_cache(REMEMBERED)
def normal(text: str, *, sigils: bool = True, by_arity: bool = False) -> Expression | None:
    """A chain of names, calls and elements as an expression; None when it is anything else.

    `sigils`: a `$` marks a variable (PHP) and is no part of its name. `by_arity`: types before a
    dot have the number of their type arguments behind them.
    """
    if len(text) > MAX_TEXT:
        return None
    if (loading := _LOADING.match(text)) is not None:
        rest = text[loading.end() :]
        steps = normal(f"_{rest}", sigils=sigils) if rest else None
        return None if rest and steps is None else _on(_loaded(loading), steps)
    text = re.sub(r"\s+", "", _without_new(text))
    if by_arity:
        text = text.removeprefix(_ROOT)
    while "(" in text:
        reduced = _ARGUMENTS.sub("()", text)
        if reduced == text:
            break
        text = reduced
    if "[" in text:
        text = _SUBSCRIPT.sub(_subscript, text)
    text = (
        text.replace("!.", ".")
        .replace("?.", ".")
        .replace("&.", ".")
        .replace("::", ".")
        .replace("->", ".")
        .replace("\\", ".")
    )
    if by_arity and ">." in text:
        text = _with_arities(text)
    text = re.sub(r"\.?<[^<>()]*>", "", text).lstrip("&*.")
    if sigils and "$" in text:
        text = _SIGIL.sub("", text)
    if text.startswith("@"):
        text = "self." + text.lstrip("@")
    return parse(text) if _CHAIN.match(text) else None


_SIGIL = re.compile(rf"\$(?!(?:{'|'.join(VARIABLES_TOO)})\b)")

_GIVEN = re.compile(r"<([^<>()]*)>(?=([.,<>]))")


def _with_arities(text: str) -> str:
    """`Box<List<int>>.Make()` with the number of type arguments in their place."""
    while (given := _GIVEN.search(text)) is not None:
        count = given[1].count(",") + 1 if given[2] == "." else 0
        text = of_arity(text[: given.start()], count) + text[given.end() :]
    return text


def expression_of(
    node: Node | None, depth: int = 0, with_arguments: bool = True
) -> Expression | None:
    """A value reduced to an expression; None when it says nothing about a type.

    `with_arguments`: with what its calls are handed.
    """
    if node is None or depth > 4:
        return None
    kind = node.type
    if kind == "call_expression" and (loaded := _loads(node)) is not None:
        return loaded
    if kind in _LINKS and (node.end_byte - node.start_byte > MAX_TEXT or _is_told(node)):
        return _chain(node, MAX_LINKS, with_arguments)
    if kind in _NAMES or kind in _ELEMENTS:
        text = text_of(node)
        is_sigil = kind not in _SCRIPT or (kind in _ELEMENTS and text[:1] == "$")
        return normal(text, sigils=is_sigil, by_arity=kind == "member_access_expression")
    if kind in _NEW:
        target = (
            node.child_by_field_name("constructor")
            or node.child_by_field_name("type")
            or node.child_by_field_name("name")
            or next((child for child in node.named_children if child.type in _NAMES), None)
        )
        if target is not None and target.type == "variable_name":  # PHP: `new $class`
            return None
        return _made(declared_type(target), told_types(node))
    if kind in _CALLS:
        asked = _asked(node, depth) if kind in _ASKING else None
        if asked is not None:
            return asked
        if kind == "call_expression" and (inner := _wrapped(node)) is not None:
            return expression_of(inner, depth + 1, with_arguments)
        written = _call_text(node)
        is_sigil = kind not in _SCRIPT
        called = normal(written, sigils=is_sigil, by_arity=kind == "invocation_expression")
        method = node.child_by_field_name("method") if kind == "call" else None
        is_new = method is not None and method.text == b"new"
        if is_new and node.child_by_field_name("receiver") is None:  # Ruby, inside of the class
            return instance(type_called("self"))
        if called is None:
            return None
        if kind == "call" and called.steps[-2:] == (Member("new"), Call()):  # Ruby
            return instance(parse_type(Expression(called.head, called.steps[:-2]).text))
        given = handed(node, _argument_of) if with_arguments else ()
        return called.then(*_told(node, written), *given)
    if kind == "type_conversion_expression":  # Go, where a call that is told types looks like one
        told = node.child_by_field_name("type")
        name = told.child_by_field_name("type") if told is not None else None
        found = normal(text_of(name)) if name is not None else None
        return found.then(Element(), Call()) if found is not None else None
    if kind == "object":
        first = next(literal_keys(node), node)
        return Expression(Instance(Type((TypePart(TypeAtPlace(*first.start_point)),))))
    if kind in _CASTS:
        last = node.named_children[-1] if node.named_children else None
        if last is not None and last.type == "object":  # as const
            return expression_of(last, depth + 1, with_arguments)
        if kind == "as_expression":
            return script_type(last)
        return declared_type(
            node.child_by_field_name("type") or next(iter(reversed(node.named_children)), None)
        )
    if kind in _TABLES:
        return Expression(Instance(Type((TypePart(TypeAtPlace(*node.start_point)),))))
    if kind in _SEVERAL:
        first, last = node.named_children[0], node.named_children[-1]
        if node.child_by_field_name("condition") is not None:  # C's stands first
            first = node.child_by_field_name("consequence") or last
        for child in (first, last):
            if (found := expression_of(child, depth + 1, with_arguments)) is not None:
                return found
        return None
    if kind == "function_expression":  # by its own name
        name = node.child_by_field_name("name")
        return Expression(Name(text_of(name))) if name is not None else None
    if kind == "assignment":  # a = b = value
        return expression_of(node.child_by_field_name("right"), depth + 1, with_arguments)
    if kind in _CHOICES:
        operator = node.child_by_field_name("operator")
        if operator is not None and text_of(operator) not in _CHOOSING:
            return None
        for field in _CHOICES[kind]:
            found = expression_of(node.child_by_field_name(field), depth + 1, with_arguments)
            if found is not None and found not in NO_VALUES:
                return found
        return None
    if kind == "await_expression" and node.children[-1].type == "await":  # Rust's stands behind
        awaited = expression_of(node.children[0], depth + 1, with_arguments)
        return awaited.member("await") if awaited is not None else None
    if kind in _WRAPPERS:
        for child in node.named_children:
            if (found := expression_of(child, depth + 1, with_arguments)) is not None:
                return found
    return None


_WRAPPING = frozenset(
    {b"Arc::new", b"Box::new", b"Rc::new", b"Pin::new", b"Box::pin", b"Arc::clone", b"Rc::clone",
     b"Some", b"Ok", b"std::move", b"Arc::downgrade", b"Rc::downgrade", b"Mutex::new",
     b"RwLock::new", b"RefCell::new", b"Cell::new", b"OnceCell::from", b"Cow::Borrowed",
     b"Cow::Owned", b"ManuallyDrop::new", b"Reverse", b"Wrapping", b"Pin::new_unchecked",
     b"Box::leak", b"Poll::Ready", b"mem::take", b"std::forward"}
)  # fmt: skip


def _wrapped(call: Node) -> Node | None:
    """What `Arc::new(value)` or `Some(value)` of Rust, or `std::move(value)` of C++, is handed."""
    function = call.child_by_field_name("function")
    if function is None or function.text is None:
        return None
    if function.text not in _WRAPPING and _last_two(function.text) not in _WRAPPING:
        return None
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children[0] if arguments and arguments.named_child_count == 1 else None


def _last_two(path: bytes) -> bytes:
    """`std::sync::Mutex::new` as `Mutex::new`; any other path stays."""
    if not path.startswith(_KNOWN_PATHS):
        return path
    return b"::".join(path.split(b"::")[-2:])


_KNOWN_PATHS = (b"std::", b"core::", b"alloc::", b"parking_lot::", b"tokio::", b"sync::")
"""Of the standard library, and of what takes its place."""


def _made(found: Expression | None, told: tuple[GivenTypeArguments, ...]) -> Expression | None:
    """`new Box<Engine>()`: an instance of a type with what it is given."""
    if found is None or not told or type(found.head) is not Instance:
        return found
    *others, last = found.head.type.parts
    if last.steps:
        return found
    return instance(Type((*others, TypePart(last.head, told[0].types))))


FUNCTIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "method_definition",
     "arrow_function", "function_expression", "generator_function"}
)  # fmt: skip


def literal_keys(literal: Node) -> Iterator[Node]:
    """The names of an object literal's members that are written as names."""
    for child in literal.named_children:
        key: Node | None = None
        if child.type == "pair":
            key = child.child_by_field_name("key")
        elif child.type == "method_definition":
            key = child.child_by_field_name("name")
        elif child.type == "shorthand_property_identifier":
            key = child
        if key is not None and key.type in ("property_identifier", "shorthand_property_identifier"):
            yield key


def unwrapped(literal: Node) -> Node:
    """A literal with the brackets and assertions around it."""
    node = literal
    while node.parent is not None and node.parent.type in (
        "parenthesized_expression", "as_expression", "satisfies_expression",
    ):  # fmt: skip
        if node.parent.type == "satisfies_expression" or len(node.parent.named_children) > 1:
            break
        node = node.parent
    return node


def _argument_of(node: Node | None) -> Expression | None:
    """What a call is handed, without what the calls in it are: that is not kept."""
    return expression_of(node, with_arguments=False)


_LINKS = frozenset({"call_expression", "member_expression"})


def _chain(node: Node, links: int, with_arguments: bool) -> Expression | None:
    """`a.b().c` of a chain of JavaScript whose arguments are long."""
    if not links:
        return None
    if node.type == "call_expression":
        if (loaded := _loads(node)) is not None:
            return loaded
        called = node.child_by_field_name("function")
        before = _chain(called, links - 1, with_arguments) if called is not None else None
        if before is None:
            return None
        given = handed(node, _argument_of) if with_arguments else ()
        return before.then(Call(), *told_types(node), *given)
    if node.type == "member_expression":
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        before = _chain(owner, links - 1, with_arguments) if owner is not None else None
        return before.member(text_of(name)) if before is not None and name is not None else None
    if node.type == "parenthesized_expression" or node.end_byte - node.start_byte <= MAX_TEXT:
        return expression_of(node, 0, with_arguments)
    return None


def _is_told(node: Node) -> bool:
    """Whether a call of a chain of TypeScript is told types: `create<State>()(…)`."""
    if ">(" not in text_of(node):
        return False
    link: Node | None = node
    for _ in range(MAX_LINKS):
        if link is None or link.type not in _LINKS:
            break
        if told_types(link):
            return True
        link = link.child_by_field_name("function") or link.child_by_field_name("object")
    return False


def told_types(node: Node) -> tuple[GivenTypeArguments, ...]:
    """The types that a call is told, as a step; no step where they say nothing."""
    listed = node.child_by_field_name("type_arguments")
    if listed is None or text_of(listed)[:1] != "<":
        return ()
    given = arguments_of(listed)
    return (GivenTypeArguments(given),) if any(each.parts for each in given) else ()


_TEMPLATES = frozenset({"template_function", "qualified_identifier"})


def _told(node: Node, written: str) -> tuple[GivenTypeArguments, ...]:
    """The type that a call is told to give. In C++, where constructors look alike, of `make_…`."""
    match = _TOLD.search(written)
    if match is None:
        return ()
    called = node.child_by_field_name("function")
    if called is not None and called.type in _TEMPLATES and not match[1].startswith("make_"):
        return ()
    found = instance_of(match[2])
    return (GivenTypeArguments(tuple(found.types())),) if found is not None else ()


def _call_text(node: Node) -> str:
    arguments = node.child_by_field_name("arguments")
    source = text_of(node)
    if arguments is None:
        return source if source.endswith(")") else source + "()"
    head = (
        source[: len(source) - len(text_of(arguments))]
        if arguments.end_byte == node.end_byte
        else ""
    )
    return head + "()" if head else source
