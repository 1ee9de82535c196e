"""Members that a language runs without their being named: by operators, loops, `using`, text.

Where the type of what they run on is known, some of these are followed (`Traits.implied`); whether
all are, nobody can say. So an answer about the uses of such a member is never complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

__all__ = ["runs_unnamed"]

_AN_OPERATOR, _A_LOOP, _AS_TEXT = "an operator", "a loop", "what turns it into text"
_AN_END = "the end of its object"
_A_COMPARISON, _INDEXING, _A_CALL = "a comparison", "an index", "a call of the object"
_SIGN = r"[^\w\s.~\[({]+|\[\]=?"

_BY_FAMILY: dict[str, tuple[tuple[str, str], ...]] = {
    "python": (("an operator or a built-in function", r"__\w+__"),),
    "php": (
        ("the language itself", r"__\w+"),
        (_INDEXING, r"offset(?:Get|Set|Exists|Unset)"),
        (_A_LOOP, r"getIterator|current|key|next|rewind|valid"),
        ("json_encode", r"jsonSerialize"),
    ),
    "lua": ((_AN_OPERATOR, r"__\w+"),),
    "csharp": (
        ("`using`", r"Dispose|DisposeAsync"),
        ("`foreach`", r"GetEnumerator|GetAsyncEnumerator|MoveNext|MoveNextAsync|Current"),
        ("`await`", r"GetAwaiter|GetResult|IsCompleted|OnCompleted|UnsafeOnCompleted"),
        ("taking it apart", r"Deconstruct"),
        (_A_COMPARISON, r"Equals|GetHashCode|CompareTo"),
        (_AS_TEXT, r"ToString"),
        (_AN_OPERATOR, _SIGN),
    ),
    "jvm": (
        ("`try` or `use`", r"close"),
        (_A_LOOP, r"iterator|hasNext|next|foreach|withFilter"),
        (_A_COMPARISON, r"equals|hashCode|compareTo|compare"),
        (_AS_TEXT, r"toString"),
    ),
    "kotlin": (
        ("taking it apart", r"component\d+"),
        ("`by`", r"getValue|setValue|provideDelegate"),
        (_INDEXING, r"get|set"),
        (_A_CALL, r"invoke"),
        (
            _AN_OPERATOR,
            r"(?:plus|minus|times|div|rem)(?:Assign)?|unaryPlus|unaryMinus|not|inc|dec|contains"
            r"|rangeTo|rangeUntil",
        ),
    ),
    "scala": (
        (_A_CALL, r"apply|update"),
        ("a pattern", r"unapply|unapplySeq"),
        ("`for`", r"map|flatMap"),
        (_AN_OPERATOR, _SIGN),
    ),
    "swift": (
        (_A_LOOP, r"makeIterator|makeAsyncIterator|next"),
        (_INDEXING, r"subscript"),
        (_A_CALL, r"callAsFunction"),
        (_AS_TEXT, r"description|debugDescription"),
        ("a property's wrapper", r"wrappedValue|projectedValue"),
        ("a builder", r"build(?:Block|Expression|Optional|Either|Array|PartialBlock|FinalResult)"),
        (_AN_END, r"deinit"),
        (_A_COMPARISON, r"hash"),
        (_AN_OPERATOR, _SIGN),
    ),
    "c": (
        (_AN_END, r"~\w+"),
        (_A_LOOP, r"begin|end"),
        (_AN_OPERATOR, r"operator\b.*"),
    ),
    "dart": (
        (_A_LOOP, r"iterator|moveNext|current"),
        (_A_CALL, r"call"),
        (_AS_TEXT, r"toString"),
        (_A_COMPARISON, r"hashCode|compareTo"),
        ("a member that is missing", r"noSuchMethod"),
        (_AN_OPERATOR, _SIGN),
    ),
    "ruby": (
        (_A_LOOP, r"each"),
        (_AS_TEXT, r"to_s|to_str|inspect"),
        ("a conversion", r"to_a|to_ary|to_h|to_hash|to_proc|coerce"),
        (_A_CALL, r"call"),
        (_A_COMPARISON, r"hash|eql\?"),
        ("a member that is missing", r"method_missing|respond_to_missing\?|const_missing"),
        ("a definition", r"inherited|included|extended|prepended|method_added"),
        (_AN_OPERATOR, _SIGN),
    ),
    "ecmascript": (
        (_AS_TEXT, r"toString|toJSON|valueOf"),
        ("`await`", r"then"),
        ("the language itself", r"\[Symbol\.\w+\]"),
    ),
    "go": (
        (_AS_TEXT, r"String|GoString|Error|Format"),
        ("an encoder", r"(?:Unm|M)arshal(?:JSON|Text|Binary|YAML|XML)"),
    ),
    "julia": (
        (_AS_TEXT, r"show"),
        (_A_LOOP, r"iterate"),
        (_INDEXING, r"getindex|setindex!"),
        ("a member's name", r"getproperty|setproperty!"),
        ("a conversion", r"convert|promote_rule"),
    ),
}  # fmt: skip
"""How members run by family: (by what, their names)."""

_BY_LANGUAGE = {
    "java": ("jvm",), "kotlin": ("jvm", "kotlin"), "scala": ("jvm", "scala"),
    "javascript": ("ecmascript",), "typescript": ("ecmascript",), "tsx": ("ecmascript",),
    "cpp": ("c",), "cuda": ("c",),
}  # fmt: skip
"""Languages that are not called like what holds for them."""

_OF_TRAITS: dict[str, dict[str, dict[str, str]]] = {
    "rust": {
        _AN_OPERATOR: {
            "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "rem": "Rem", "neg": "Neg",
            "not": "Not", "bitand": "BitAnd", "bitor": "BitOr", "bitxor": "BitXor", "shl": "Shl",
            "shr": "Shr", "add_assign": "AddAssign", "sub_assign": "SubAssign",
            "mul_assign": "MulAssign", "div_assign": "DivAssign", "rem_assign": "RemAssign",
            "bitand_assign": "BitAndAssign", "bitor_assign": "BitOrAssign",
            "bitxor_assign": "BitXorAssign", "shl_assign": "ShlAssign", "shr_assign": "ShrAssign",
            "eq": "PartialEq", "ne": "PartialEq", "partial_cmp": "PartialOrd", "lt": "PartialOrd",
            "le": "PartialOrd", "gt": "PartialOrd", "ge": "PartialOrd", "cmp": "Ord",
            "deref": "Deref", "deref_mut": "DerefMut",
        },
        _INDEXING: {"index": "Index", "index_mut": "IndexMut"},
        _AN_END: {"drop": "Drop"},
        _A_LOOP: {"next": "Iterator", "into_iter": "IntoIterator"},
        "`?` and `into`": {"from": "From", "try_from": "TryFrom"},
        "`await`": {"poll": "Future", "into_future": "IntoFuture"},
        "a collection": {"hash": "Hash"},
        _AS_TEXT: {
            "fmt": "Display Debug LowerHex UpperHex Octal Binary Pointer LowerExp UpperExp",
        },
    },
}  # fmt: skip
"""By language and by what: the methods, with the traits of which one has to be implemented."""


def runs_unnamed(language: str, name: str, traits: Collection[str] | None) -> str:
    """By what a member of a name may run that does not name it; empty if by nothing.

    `traits`: what its type implements, by last names; None where that is not known.
    """
    for how, methods in _OF_TRAITS.get(language, {}).items():
        wanted = methods.get(name)
        if wanted and (traits is None or not set(wanted.split()).isdisjoint(traits)):
            return how
    for family in _BY_LANGUAGE.get(language, (language,)):
        for how, names in _BY_FAMILY.get(family, ()):
            if _compiled(names).fullmatch(name):
                return how
    return ""


@cache
def _compiled(names: str) -> re.Pattern[str]:
    return re.compile(names)
