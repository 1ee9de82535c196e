"""Values that hold many of one thing: arrays, lists, slices."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.expressions.keys import without_arity
from surveyor.graph.expressions.model import Element, Expression, Instance, Step, TypeName
from surveyor.graph.resolve.values import Value

__all__ = [
    "CHANGING",
    "HOLDER",
    "collection_of",
    "gives_held",
    "gives_last",
    "gives_same",
    "held_by",
    "holder_of",
    "is_array",
    "is_holder",
    "is_some",
    "may_hold",
    "some_of",
]

_JVM = (
    """
stream parallelStream sorted limit distinct toList iterator listIterator filter skip takeWhile
dropWhile reversed toArray concat copy subList
""",
    "get first last next peek pop findFirst findAny getLast getFirst remove poll element",
)
_OF_FAMILY: dict[str, tuple[str, str]] = {
    "ecmascript": (
        "filter slice concat reverse sort toSorted toReversed toSpliced splice with copyWithin",
        "find findLast at pop shift get next",
    ),
    "python": (
        """
copy all filter exclude order_by select_related prefetch_related annotate distinct reverse using
only defer none union
""",
        "pop popleft get next first last earliest latest create aget afirst acreate",
    ),
    "rust": (
        """
filter rev skip skip_while take_while step_by chain peekable as_slice as_mut_slice to_vec concat
take sort_by split_off
""",
        """
find get first last first_mut last_mut pop pop_front pop_back front back next peek nth min_by max_by
top
""",
    ),
    "csharp": (
        """
Where OrderBy OrderByDescending ThenBy ThenByDescending Skip SkipWhile Take TakeWhile TakeLast
SkipLast ToList ToArray ToHashSet AsEnumerable AsReadOnly Distinct DistinctBy Concat Union Except
Intersect Append Prepend Reverse DefaultIfEmpty ToImmutableArray ToImmutableList AsParallel
AsQueryable AsSpan
""",
        """
First FirstOrDefault Single SingleOrDefault Last LastOrDefault ElementAt ElementAtOrDefault MaxBy
MinBy Find FindLast Pop Peek Dequeue
""",
    ),
    "java": _JVM,
    "kotlin": (
        _JVM[0]
        + """
toMutableList toSet asSequence asIterable sortedBy sortedWith sortedByDescending take takeLast drop
dropLast filterNot filterNotNull shuffled toTypedArray distinctBy plus minus onEach slice
""",
        _JVM[1]
        + """
firstOrNull lastOrNull find findLast single singleOrNull elementAt random getOrNull maxByOrNull
minByOrNull maxBy minBy removeLast removeFirst pop
""",
    ),
    "scala": (
        _JVM[0]
        + """
slice reverse take takeRight drop dropRight filterNot toSeq toSet toVector sortBy sortWith
distinctBy tail init
""",
        _JVM[1] + " find head single maxBy minBy",
    ),
    "swift": (
        """
filter reversed shuffled sorted dropFirst dropLast prefix suffix lazy drop
""",
        "first last popLast removeLast removeFirst randomElement popFirst next min max remove",
    ),
    "dart": (
        "where skip take skipWhile takeWhile toList toSet reversed followedBy sublist",
        """
first last single firstOrNull lastOrNull singleOrNull firstWhere lastWhere singleWhere elementAt
removeLast removeFirst
""",
    ),
    "ruby": (
        """
filter slice concat reverse sort take drop all where order includes joins left_joins preload
eager_load offset limit reorder not distinct to_a sort_by select reject each find_each compact uniq
shuffle lazy
""",
        """
find at pop shift first last next find_by find_by! first! last! take! create create! build new sole
detect sample min_by max_by
""",
    ),
    "php": (
        """
filter slice concat reverse sort sortBy take skip all where orderBy orderByDesc whereIn whereHas
whereNull whereNotNull with withCount distinct limit offset values unique reject latest oldest get
""",
        """
find pop shift first last create build firstOrFail findOrFail firstOrCreate firstOrNew firstWhere
updateOrCreate sole random
""",
    ),
    "zig": (
        "iterator safeIterator reverseIterator valueIterator lazy copy",
        "get getPtr first last next peek pop popOrNull popFirst getLast getLastOrNull at",
    ),
    "c": ("", "at front back top get pop next first last"),
}
"""Methods of collections, by the language that has them: what gives a collection of the same, and
what gives one of its elements."""
_SAME = {family: frozenset(same.split()) for family, (same, _) in _OF_FAMILY.items()}
_ONE = {family: frozenset(one.split()) for family, (_, one) in _OF_FAMILY.items()}
_OTHERS = (frozenset({"filter", "copy", "reverse"}), frozenset({"get", "first", "last", "pop"}))
"""Of languages whose collections are not written down here."""


def gives_same(family: str, method: str) -> bool:
    """Whether a method of a language's collections gives a collection of the same."""
    return method in _SAME.get(family, _OTHERS[0])


def gives_held(family: str, method: str) -> bool:
    """Whether a method of a language's collections gives what they hold: one, or many."""
    return gives_same(family, method) or method in _ONE.get(family, _OTHERS[1])


CHANGING = frozenset(
    {"map", "flatMap", "flat_map", "compactMap", "filter_map", "mapNotNull", "fold", "reduce",
     "Select", "SelectMany", "Aggregate", "Join", "GroupBy", "groupBy", "groupingBy", "collect",
     "scan", "transform", "zip", "Zip", "and_then", "andThen", "then", "mapValues", "keys", "Keys",
     "len", "Count", "count", "size", "length"}
)  # fmt: skip
"""Methods of a holder whose result is of another type than what it holds."""
HOLDER = "holder"
"""The tag of something from elsewhere that is given a type of the project."""
_HOLDER_WORDS = """
array dict list set tuple Vec
Arc Array ArrayDeque ArrayList AsyncGenerator AsyncIterable AsyncIterator AtomicReference Awaitable
BTreeMap BTreeSet BinaryHeap BlockingQueue Box Cell Collection CompletableFuture
ConcurrentBag ConcurrentDictionary ConcurrentHashMap ConcurrentMap ConcurrentQueue Deferred Deque
Dict Dictionary Entry Flow Func Function Future Generator HashMap HashSet ICollection IDictionary
IEnumerable IEnumerator IList IReadOnlyCollection IReadOnlyDictionary IReadOnlyList ISet Iterable
Iterator KeyValuePair Lazy LinkedHashMap LinkedHashSet LinkedList List Map Mapping MutableList
MutableMap MutableSet Mutex Nullable Option Optional PriorityQueue Promise Provider Queue Rc
ReadonlyArray ReadonlyMap Record RefCell Result RwLock Sequence Set SortedDictionary SortedMap Stack
Stream Supplier Task ThreadLocal TreeMap TreeSet Tuple Type ValueTask VecDeque WeakMap WeakReference
defaultdict deque function map optional pair shared_ptr unique_ptr unordered_map vector
"""
_HOLDERS = frozenset(_HOLDER_WORDS.split())
"""Types from elsewhere that hold or give anything: what comes of one may be of the project."""


def may_hold(declared: Expression) -> bool:
    """Whether what is declared so is of a type from elsewhere that may hold what the project
    defines, or an element of what holds such: `rows[0]["box"]` of `rows: list[dict]`."""
    return type(declared.head) is Instance and any(
        type(part.head) is TypeName and is_holder(part.head.name)
        for part in declared.head.type.parts
        if not part.steps or _elements_taken(declared.steps) > len(part.steps)
    )


def _elements_taken(steps: Sequence[Step]) -> int:
    """How many steps in a row, from the first, take an element out of the one before."""
    return next((n for n, step in enumerate(steps) if type(step) is not Element), len(steps))


def is_holder(name: str) -> bool:
    """Whether a type from elsewhere of this name holds or gives anything."""
    return without_arity(name).rpartition(".")[2] in _HOLDERS


_LAST = ("Map", "Dictionary", "Dict", "Mapping", "Function", "Func", "Record", "Entry", "Pair")


def gives_last(name: str) -> bool:
    """Whether a type from elsewhere gives what its last type argument says: a value by its key, a
    result of what it takes."""
    return without_arity(name).rpartition(".")[2].endswith(_LAST)


def holder_of(value: Value) -> Value:
    """Something from elsewhere that is given a type: what comes of it may be of that."""
    if value.tag == "collection":
        return value._replace(tag=HOLDER, method="", held=_MANY + value.held)
    return Value(HOLDER, value.path, value.qualname, value.given, value.tag)


def collection_of(value: Value) -> Value:
    """Many of a value; of a collection the same collection."""
    if value.tag == "collection":
        return value
    held = value.tag if value.tag in ("shape", "module") else "instance"
    return Value("collection", value.path, value.qualname, value.given, held)


def many_of(value: Value) -> Value:
    """A collection of a value, also of a collection: `List<List<Box>>`."""
    if value.tag != "collection":
        return collection_of(value)
    return value._replace(method="", held=_MANY + value.held)


def held_by(value: Value) -> Value:
    """One of a collection."""
    if value.held.startswith(_MANY):
        return Value("collection", value.path, value.qualname, value.given, value.held[1:])
    return Value(value.held, value.path, value.qualname, value.given)


OF_PAIRS = frozenset({"Value", "value"})
"""Members of a dictionary's pairs that are what it holds."""
_MANY = "*"
"""Before what a collection holds, once for each collection that is in it."""


def innermost(value: Value) -> Value:
    """What a collection, or the collections in it, hold in the end."""
    return held_by(value._replace(held=value.held.lstrip(_MANY)))


def is_array(value: Value) -> bool:
    """Whether a shape is a list that is written out (`extract.shapes.Shapes.name_table`)."""
    return value.qualname.rpartition(".")[2].startswith("[]")


def some_of(array: Value) -> Value:
    """Some of what a list holds that is written out: which stands where is not known."""
    return array._replace(method="", held=_SOME)


def is_some(value: Value) -> bool:
    """Whether `some_of` made a value."""
    return value.held == _SOME


_SOME = "some"
