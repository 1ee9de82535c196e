"""Names of definitions as people, compilers and documentation write them, taken apart.

`leveldb::DB::Open(const Options&)`, `Sinatra::Base#route!`, `Psr7\\Uri->withPath`,
`Ecto.Query.from/2`, `Doc:get_text`, `zerolog.(*Event).Str`,
`Vec<T>::push`, `<Mutex<T> as Drop>::drop`.
"""

from __future__ import annotations

import re

__all__ = ["name_readings"]

_SEPARATORS = re.compile(r"::|(?<=[^.#])#|->|/|\\|\.|(?<=[\w)]):(?=[A-Za-z_])")
"""A `#` at the beginning of a name is part of it: JavaScript's private members. One colon stands
before a method of Lua and a function of Erlang."""
_KEYWORDS = re.compile(
    r"^(?:(?:const|static|struct|class|enum|union|interface|trait|protocol|module|namespace|type"
    r"|fn|func|fun|def|function|impl|macro)\s+)+(?=[\w$@~<(\\:])"
)
_ARITY = re.compile(r"(?<=[\w!?])/\d+$")
"""Of Elixir and Erlang: `from/2`."""
_AS_TRAIT = re.compile(r"^<(.+?) as .+?>(?=::)")
"""Rust's `<Type as Trait>::method`."""
_RECEIVER = re.compile(r"\(\*?\s*([\w.]+)\)(?=\.)")
"""Go's `(*Event).Str`."""
_ANONYMOUS = re.compile(r"(?:\(anonymous(?: namespace)?\)|\{anonymous\}|<anonymous>)(?:::|\.)")
_OPERATOR = re.compile(
    r"(?:^|::|\.|\s)operator\s*(?P<sign>\(\)|[^\w\s(]+|(?<=\s)\w[\w:*& ]*)(?:\(.*\))?(?:\s*const)?$"
)
"""C++'s `operator<<`, of which the signs separate nothing."""
_COMPILED = re.compile(r"(?<![^.:])op_([A-Z]\w+)(?:\(.*\))?$")
_SIGNS = {
    "Addition": "+", "Subtraction": "-", "Multiply": "*", "Division": "/", "Modulus": "%",
    "Equality": "==", "Inequality": "!=", "LessThan": "<", "GreaterThan": ">",
    "LessThanOrEqual": "<=", "GreaterThanOrEqual": ">=", "BitwiseAnd": "&", "BitwiseOr": "|",
    "ExclusiveOr": "^", "LeftShift": "<<", "RightShift": ">>", "LogicalNot": "!",
    "OnesComplement": "~", "Increment": "++", "Decrement": "--", "UnaryNegation": "-",
    "UnaryPlus": "+", "True": "true", "False": "false",
}  # fmt: skip
"""What .NET calls the operators of a type: `op_Addition`."""
_IMPORT_PATH = re.compile(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)+/(?:[^/]+/)+(?=[^/]+$)")
"""Of Go: a host, and the folders above the package."""
_ARGUMENTS = re.compile(r"(?<=[\w!?>\]])\(.*\)(?:\s*const)?$", re.S)
_INDEXED = re.compile(r"(?<=\w)\[[^\]]*\](?=[.:#]|$)")
"""Type arguments of Go, Scala and Python."""
_ROOTS = frozenset({"crate", "self", "super", "Self", "Elixir", "global"})
"""First parts that name no module, but where to begin."""
_SIGILS = "$@*&#"


def name_readings(text: str) -> list[list[str]]:
    """What a name may mean, as parts from the outermost to the name itself: as it is written first.

    Empty where it names nothing.
    """
    text = _KEYWORDS.sub("", text.strip()).lstrip("&* ").rstrip("&* ")
    text = _ANONYMOUS.sub("", _AS_TRAIT.sub(r"\1", text))
    if operator := _OPERATOR.search(text):
        around = text[: operator.start()].rpartition(" ")[2]
        sign = operator["sign"]
        name = f"operator {sign}" if sign[0].isalpha() or sign[0] == "_" else f"operator{sign}"
        before = _split(around) if operator[0][0] != " " else []
        return [[*before, name], [*before, sign]]  # in C# and Swift it has the sign's own name
    if (compiled := _COMPILED.search(text)) and (sign := _SIGNS.get(compiled[1])):
        return [[*_split(text[: compiled.start()]), sign], _split(text)]
    text = _RECEIVER.sub(r"\1", _IMPORT_PATH.sub("", _ARITY.sub("", text)))
    text = _INDEXED.sub("", _without_type_arguments(_ARGUMENTS.sub("", text)))
    parts = _split(text)
    while len(parts) > 1 and parts[0] in _ROOTS:
        parts = parts[1:]
    if not parts:
        return []
    found = [parts]
    bare = [each.lstrip(_SIGILS) or each for each in parts if each != "prototype"]
    found += [bare] if bare and bare != parts else []
    name = parts[-1].rstrip("!?")  # a macro of Rust is called with a sign that it is not named with
    found += [[*bare[:-1], name]] if name and name != parts[-1] else []
    return found


def _split(text: str) -> list[str]:
    return [part.strip() for part in _SEPARATORS.split(text) if part.strip("() ")]


def _without_type_arguments(text: str) -> str:
    """Without what is between the `<` after a name and its `>`; as it is if they do not match."""
    kept, depth = "", 0
    for at, sign in enumerate(text):
        before = text[at - 1 : at]
        if sign == "<" and (depth or before.isalnum() or before in ("_", ":")) and before:
            depth += 1
        elif sign == ">" and depth and before != "-":
            depth -= 1
        elif not depth:
            kept += sign
    return text if depth else kept
