"""Values that hold many of one thing: arrays, lists, slices."""

from __future__ import annotations

from surveyor.graph.expressions.keys import without_arity
from surveyor.graph.expressions.model import Expression, Instance, TypeName
from surveyor.graph.resolve.values import Value

__all__ = [
    "CHANGING",
    "HOLDER",
    "ONE",
    "SAME",
    "collection_of",
    "held_by",
    "holder_of",
    "is_array",
    "is_holder",
    "is_some",
    "may_hold",
    "some_of",
]

SAME = frozenset({"filter", "slice", "concat", "reverse", "sort", "toSorted", "toReversed", "copy",
                   "splice", "rev", "skip", "skip_while", "take_while", "step_by", "chain",
                   "peekable", "as_slice", "as_mut_slice", "to_vec", "Where", "OrderBy",
                   "OrderByDescending", "ThenBy", "ThenByDescending", "Skip", "SkipWhile", "Take",
                   "TakeWhile", "TakeLast", "SkipLast", "ToList", "ToArray", "ToHashSet",
                   "AsEnumerable", "AsReadOnly", "Distinct", "DistinctBy", "Concat", "Union",
                   "Except", "Intersect", "Append", "Prepend", "Reverse", "DefaultIfEmpty",
                   "ToImmutableArray", "ToImmutableList", "AsParallel", "AsQueryable", "AsSpan",
                   "stream", "parallelStream", "sorted", "limit", "distinct", "toList",
                   "toMutableList", "toSet", "asSequence", "asIterable", "sortedBy", "sortedWith",
                   "sortedByDescending", "take", "takeLast", "drop", "dropLast", "filterNot",
                   "filterNotNull", "reversed", "shuffled", "toTypedArray", "takeWhile",
                   "dropWhile", "distinctBy", "plus", "minus", "onEach", "dropFirst", "prefix",
                   "suffix", "lazy", "iterator", "safeIterator", "reverseIterator", "listIterator",
                   "valueIterator", "all", "where", "order", "includes", "joins", "left_joins",
                   "preload", "eager_load", "offset", "reorder", "not", "exclude", "order_by",
                   "select_related", "prefetch_related", "annotate", "orderBy", "orderByDesc",
                   "whereIn", "whereHas", "whereNull", "whereNotNull", "with", "withCount",
                   "to_a", "to_list", "sort_by", "select", "reject", "each", "find_each", "compact",
                   "uniq", "shuffle"})  # fmt: skip
"""Methods of a collection that give a collection of the same."""
ONE = frozenset({"find", "findLast", "at", "pop", "shift", "popleft", "front", "back", "top",
                 "get", "first", "last", "first_mut", "last_mut", "pop_front", "pop_back",
                 "next", "peek", "First", "FirstOrDefault", "Single", "SingleOrDefault", "Last",
                 "LastOrDefault", "ElementAt", "ElementAtOrDefault", "MaxBy", "MinBy", "Find",
                 "FindLast", "firstOrNull", "lastOrNull", "single", "singleOrNull", "elementAt",
                 "random", "getOrNull", "findFirst", "findAny", "popLast", "removeLast",
                 "removeFirst", "randomElement", "maxByOrNull", "minByOrNull", "maxBy", "minBy",
                 "getLast", "getFirst", "popFirst", "find_by", "find_by!", "first!", "last!",
                 "take!", "create", "create!", "build", "new", "sole", "detect", "sample", "min_by",
                 "max_by", "earliest", "firstOrFail", "findOrFail", "firstOrCreate", "firstOrNew",
                 "firstWhere", "updateOrCreate", "aget", "afirst", "acreate"})  # fmt: skip
"""Methods of a collection that give one of its elements."""
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
    defines."""
    return type(declared.head) is Instance and any(
        type(part.head) is TypeName and not part.steps and is_holder(part.head.name)
        for part in declared.head.type.parts
    )


def is_holder(name: str) -> bool:
    """Whether a type from elsewhere of this name holds or gives anything."""
    return without_arity(name).rpartition(".")[2] in _HOLDERS


def holder_of(value: Value) -> Value:
    """Something from elsewhere that is given a type: what comes of it may be of that."""
    if value.tag == "collection":
        return value._replace(tag=HOLDER, method="")
    return Value(HOLDER, value.path, value.qualname, value.given, value.tag)


def collection_of(value: Value) -> Value:
    """Many of a value; of a collection the same collection."""
    if value.tag == "collection":
        return value
    held = value.tag if value.tag in ("shape", "module") else "instance"
    return Value("collection", value.path, value.qualname, value.given, held)


def held_by(value: Value) -> Value:
    """One of a collection."""
    return Value(value.held, value.path, value.qualname, value.given)


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
