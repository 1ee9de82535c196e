"""What a type annotation is about: the class, or the class of a collection's elements."""

from __future__ import annotations

import re
from functools import lru_cache

from surveyor.graph.expressions.grammar import split
from surveyor.graph.expressions.keys import of_arity, without_arity
from surveyor.graph.expressions.model import (
    NOTHING,
    REMEMBERED,
    CollectionOf,
    Expression,
    Instance,
    Type,
    TypeName,
    instance,
    type_called,
)

__all__ = ["held_type", "instance_of", "type_name"]

_TRANSPARENT = re.compile(
    r"^(?:typing\.|t\.|std::|core::|alloc::|sync::|rc::|boxed::|memory::|\w+::)*"
    r"(?:Optional|Final|ClassVar|Annotated|Awaitable|Coroutine|AsyncGenerator|AsyncIterator|"
    r"Generator|Iterator|Promise|Task|ValueTask|Readonly|"
    r"Partial|Required|NonNullable|Omit|Pick|Except|Simplify|Writable|Mutable|DeepPartial|"
    r"Merge|Exclude|Extract|StrictOmit|Prettify|Expand|SetNonNullable|"
    r"DeepReadonly|PartialDeep|ReadonlyDeep|SetOptional|SetRequired|Draft|WritableDraft|Awaited|"
    r"Box|Rc|Arc|Option|Result|RefCell|Mutex|RwLock|Pin|Ref|RefMut|Cow|ManuallyDrop|LazyLock|OnceLock|"
    r"(?:Mapped)?(?:Owned)?(?:Mutex|RwLockRead|RwLockWrite)Guard|"
    r"(?:unique|shared|weak|scoped|intrusive|auto|raw|observer)_ptr|scoped_refptr|not_null|ComPtr|"
    r"Q(?:Shared|Scoped|Weak|SharedData|ExplicitlySharedData)?Pointer|Type|type|Self)\s*[\[<](.*)[\]>]$",
    re.DOTALL,
)
"""Wrappers that an access usually goes through to what they hold."""
_GENERIC = re.compile(r"([A-Za-z_]\w*)\s*([<\[])(?=\s*[^\s\]>])")
_CLOSING = {"<": ">", "[": "]"}
_MAX_GENERIC = 120
"""Types that are longer are read by their name alone."""
_LIFETIME = re.compile(r"\s*'\w+\s*$")
_OWN_WRAPPERS = frozenset(
    {"Arc", "Box", "Cell", "ComPtr", "Lazy", "Mutex", "OnceCell", "Pin", "QPointer",
     "QScopedPointer", "QSharedPointer", "QWeakPointer", "Rc", "Ref", "RefCell", "Result", "RwLock",
     "Task", "intrusive_ptr", "not_null", "observer_ptr", "raw_ptr", "scoped_ptr", "scoped_refptr"}
)  # fmt: skip
"""Of these wrappers those that projects define themselves as well: what they hold is meant, or they
are, where the project has one."""
_NOTHING_WORDS = """
None null undefined nil void any Any dynamic unknown never object auto var let mixed callable
iterable false true _
"""
_NOTHING = frozenset(_NOTHING_WORDS.split())
"""Words for types that say nothing of what a value has."""
_BASIC_WORDS = """
str int float bool bytes string number boolean error char double long short byte u8 u16 u32 u64 i8
i16 i32 i64 usize isize f32 f64 String dict list set tuple Vec array
"""
_BASIC = frozenset(_BASIC_WORDS.split())
"""Types of the languages themselves: of several types that a value may have, another says more."""
_PREFIX = re.compile(
    r"^(?::\s*|->\s*|&'?\w*\s+|[&*]+\s*|'\w+\s+|mut\s+|const\s+|dyn\s+|impl\s+|ref\s+|out\s+|in\s+|"
    r"struct\s+|enum\s+|union\s+|class\s+|readonly\s+|final\s+|static\s+|\?\s*|params\s+|async\s+|"
    r"asserts\s+|unsafe\s+|volatile\s+|\[\]\s*[*&]*(?=$))"
)
_NAME = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|\\)[A-Za-z_$][\w$]*)*")
_COLLECTION = re.compile(
    r"^(?:typing\.|t\.|collections\.abc\.|abc\.|std::|absl::|System\.Collections\.Generic\.|"
    r"java\.util\.)?"
    r"(?:Vec|VecDeque|vector|array|span|initializer_list|forward_list|multiset|unordered_set|InlinedVector|stack|"
    r"queue|Array|ReadonlyArray|Set|ReadonlySet|Iterable|IterableIterator|AsyncIterable|"
    r"IEnumerable|IAsyncEnumerable|IList|IReadOnlyList|ICollection|IReadOnlyCollection|ISet|HashSet|"
    r"list|List|set|frozenset|Sequence|MutableSequence|Collection|AsyncIterator|deque|tuple|Tuple)"
    r"\s*[\[<](.*)[\]>]$",
    re.DOTALL,
)
"""What holds many of one thing."""
_ITEMS = re.compile(
    r"^(?:impl\s+|dyn\s+|Box\s*<\s*dyn\s+)?(?:\w+::)*(?:Into|DoubleEnded|ExactSize|Fused)?Iterator"
    r"\s*<\s*Item\s*=\s*(.+)$",
    re.DOTALL,
)
"""Rust's iterators by what they give: the rest of the text, from that on."""
_KEYED = re.compile(
    r"^(?:(?:Record|(?:std::|absl::)?(?:unordered_|flat_hash_)?map)\s*<(.*)>|map\[[^\]]*\](.*))$",
    re.DOTALL,
)
"""What holds things by a key, and is not walked through by its keys alone."""
_SIZED = re.compile(r"^(?:\[[^\[\]]*\](?=\S)(.+)|\[([^\[\]]+?)(?:;[^\]]*)?\])$", re.DOTALL)
"""`[]T`, `[4]T` and `[...]T` in Go, `[T]` and `[T; 4]` in Rust."""
_BOTH = re.compile(r"\S\s+&\s+\S")
_WORDS_BEFORE = re.compile(r"^(?::\s*|->\s*|[&*]+\s*|readonly\s+|final\s+|const\s+)+")


_ROOTED = re.compile(r"(?<![\w\\])\\(?=\w)")
"""Before PHP's names from the root."""


@lru_cache(REMEMBERED)
def instance_of(text: str, *, by_arity: bool = False) -> Expression | None:
    """An instance of the type that an annotation is about, or a collection of such. `by_arity`:
    names have the number of type arguments behind them."""
    text = _ROOTED.sub("", text)
    held = _element(text)
    if held is not None and _element(held) is not None:  # many of many
        inner_type = _held_whole(held, by_arity)
        if inner_type is not None:
            return instance(inner_type.then(CollectionOf()))
    name, wrappers = _type_names(text if held is None else held, by_arity)
    is_plain = name in _BASIC or not name
    if held is None and is_plain and (inner := _element(_unwrapped(text))) is not None:
        held_name, others = _type_names(inner, by_arity)
        if held_name or not name:
            held, name, wrappers = inner, held_name, others
    if held is not None and not name:  # of anything, and a collection all the same
        held, (name, wrappers) = None, _type_names(text, by_arity)
    names = (*wrappers, name) if name else wrappers
    if not names:
        return None
    found = Type(part for each in names for part in type_called(each).parts)
    if not wrappers and (given := _given(text if held is None else held, name, by_arity)):
        found = found.given_to(given)
    return instance(found if held is None else found.then(CollectionOf()))


def _held_whole(text: str, by_arity: bool) -> Type | None:
    """The type that a collection's elements are all of, where they are collections themselves."""
    found = instance_of(text, by_arity=by_arity)
    if found is None or type(found.head) is not Instance or found.steps:
        return None
    return found.head.type


def _given(text: str, name: str, by_arity: bool) -> tuple[Type, ...]:
    """The type arguments of a type by its name, where they say more than the languages' own types:
    a type from elsewhere may hold what it is given."""
    bracket = _GENERIC.search(text) if len(text) <= _MAX_GENERIC else None
    if bracket is None or without_arity(name).rpartition(".")[2] != bracket[1]:
        return ()
    closing = text.rfind(_CLOSING[bracket[2]])
    listed = [_argument(each, by_arity) for each in split(text[bracket.end() : closing], ",")]
    return tuple(listed) if any(each.parts for each in listed) else ()


def _argument(text: str, by_arity: bool) -> Type:
    found = instance_of(text.strip(), by_arity=by_arity) if text.strip() else None
    if found is None or type(found.head) is not Instance or found.steps:
        return NOTHING
    parts = found.head.type.parts
    is_basic = all(type(p.head) is TypeName and p.head.name in _BASIC for p in parts)
    return NOTHING if is_basic else found.head.type


def held_type(expression: Expression | None) -> Type | None:
    """The type of what a collection of a type holds; None for what is no such collection."""
    if expression is None or type(expression.head) is not Instance or expression.steps:
        return None
    held = expression.head.type.without_many()
    return None if held == expression.head.type else held


def _element(text: str) -> str | None:
    """The text of the type of a collection's elements; None when it is no collection."""
    text = text.strip().strip("\"'")
    text = _WORDS_BEFORE.sub("", text).strip()
    parts = [part for part in split(text, "|") if part.strip() not in _NOTHING]
    if len(parts) > 1:
        parts = [part for part in parts if part.strip() not in _BASIC]
    if len(parts) != 1:
        return None
    text = parts[0].strip()
    if text.endswith("[]"):
        return text[:-2]
    if match := _SIZED.match(text):
        return match[1] or match[2]
    if match := _KEYED.match(text):
        return split(match[1], ",")[-1] if match[1] is not None else match[2]
    if match := _ITEMS.match(text):
        return _before_closing(match[1]).strip()
    if match := _COLLECTION.match(text):
        inner = split(match[1], ",")
        if len(inner) > 1 and not (len(inner) == 2 and inner[1].strip() == "..."):
            return None
        return inner[0]
    return None


def _before_closing(text: str) -> str:
    """What stands before the bracket that closes one before the text."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "<([") - (character in ">)]")
        if depth < 0:
            return text[:index]
    return text


def type_name(text: str, *, by_arity: bool = False) -> str:
    """The class that a type annotation is about, dotted; empty when there is none, or when it is
    one of the language itself."""
    name = _type_names(text, by_arity)[0]
    return "" if name in _BASIC else name


@lru_cache(REMEMBERED)
def _type_names(text: str, by_arity: bool) -> tuple[str, tuple[str, ...]]:
    """The class that a type annotation is about, and the wrappers around that may be classes."""
    wrappers: list[str] = []
    name = _named_type(text, wrappers, by_arity)
    return name, tuple(dict.fromkeys(wrappers))


def _unwrapped(text: str) -> str:
    """`Option<Mutex<Vec<Car>>>`: the text of the type that wrappers are around."""
    for _ in range(8):
        text = text.strip().strip("\"'")
        if match := _PREFIX.match(text):
            text = text[match.end() :]
        elif match := _TRANSPARENT.match(text):
            text = _held(text, match[1])
        else:
            break
    return text


def _held(text: str, arguments: str) -> str:
    """Which of a wrapper's type arguments it holds: `Ref<'a, Car>` holds a `Car`."""
    types = [each for each in split(arguments, ",") if not _LIFETIME.match(each)]
    return types[-1 if "Coroutine" in text[:16] else 0] if types else ""


def _named_type(text: str, wrappers: list[str], by_arity: bool) -> str:
    text = text.strip().strip("\"'")
    for _ in range(8):
        before = text
        if match := _PREFIX.match(text):
            text = text[match.end() :].strip()
        text = text.strip("\"' ").rstrip("?*& !")
        if match := _TRANSPARENT.match(text):
            around = text[: match.start(1)].rstrip("[< \t\n")
            if around in _OWN_WRAPPERS:
                count = len(split(match[1], ",")) if by_arity else 0
                wrappers.append(of_arity(around, count))
            text = _held(text, match[1])
        if text[:1] == "(" and text[-1:] == ")":
            text = split(text[1:-1], ",")[0]
        if _BOTH.search(text):  # it has the members of all: the first says most
            text = split(text, "&")[0].strip() or text
        parts = [name for part in split(text, "|") if (name := part.strip()) not in _NOTHING]
        text = next((part for part in parts if part not in _BASIC), parts[0] if parts else "")
        if text == before:
            break
    match = _NAME.match(text)
    if match is None or (text.endswith("]") and not text[match.end() :].startswith("[")):
        return ""
    name = match[0].replace("::", ".").replace("\\", ".")
    rest = text[match.end() :].strip()
    if rest and rest[0] not in "<[{*&":
        return ""
    if rest.startswith("[]"):
        return ""
    if by_arity and rest[:1] == "<":
        name = of_arity(name, len(split(rest[1:].rpartition(">")[0], ",")))
    return "" if name in _NOTHING else name
