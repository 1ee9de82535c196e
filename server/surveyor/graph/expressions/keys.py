"""What is said of a definition: the keys of a file's type facts, one way to write each.

Without a suffix the fact is what the definition itself is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from surveyor.graph.expressions.grammar import parse_type, split
from surveyor.graph.expressions.model import Parameter, Type

__all__ = [
    "ANY_ARITY",
    "CALLED",
    "CANDIDATE",
    "DESCRIBED",
    "OWN_VARIABLE",
    "ROOT",
    "SELF_TYPE",
    "SUBJECT",
    "VARIABLES_TOO",
    "Arity",
    "DeclaredParameter",
    "alternative",
    "arities_of",
    "decorated",
    "default_of",
    "element_of",
    "extended_by",
    "given_base",
    "handed_over",
    "of_arity",
    "other_arities",
    "overload",
    "parameter_of",
    "parse_arities",
    "parse_arity",
    "parse_detail",
    "parse_module",
    "parse_type_parameters",
    "plain_name",
    "print_arities",
    "print_type_parameters",
    "rest_of",
    "result_of",
    "runs_when_read",
    "self_type_of",
    "type_parameters_of",
    "type_parameters_of_function",
    "variable_of_file",
    "whole_of",
    "without_arity",
    "yielded_by",
]


def result_of(qualname: str) -> str:
    """What calling a definition gives."""
    return f"{qualname}()"


def parameter_of(qualname: str, parameter: Parameter) -> str:
    """What a definition is called with: `f#0` first, `f#0#1` as the second of that function."""
    return qualname + "".join(f"#{number}" for number in parameter.path)


_DETAIL = re.compile(r"[#|\[@]")


def parse_detail(key: str) -> tuple[str, str]:
    """(qualified name, what of it) of a fact on a parameter, an alternative, what is held or what
    decorators make; nothing of it for others."""
    mark = _DETAIL.search(key)
    if mark is None:
        return key, ""
    return key[: mark.start()].removesuffix("()").rstrip("."), key[mark.start() :]


def rest_of(qualname: str) -> str:
    """Each of the rest of what a definition is called with."""
    return f"{qualname}#*"


def alternative(key: str, number: int) -> str:
    """Another thing that the same may be, where code says several; the first has the plain key."""
    return f"{key}|{number}" if number else key


def element_of(key: str, element: str) -> str:
    """What something that is written out holds under a key (`Element.key`)."""
    return f"{key}[{element}]"


def variable_of_file(name: str) -> str:
    """What a variable is that belongs to no class, only to the file: those of Ruby's tests."""
    return f"self.{name}"


def yielded_by(qualname: str) -> str:
    """What walking through a call's result gives, of a function that yields."""
    return f"{qualname}()[]"


def decorated(qualname: str) -> str:
    """What a definition's name is bound to by its decorators."""
    return f"{qualname}@"


def runs_when_read(qualname: str) -> str:
    """Says of a function that reading its name runs it."""
    return f"{qualname}!"


def handed_over(qualname: str) -> str:
    """Says of a definition in the value of a variable that it is what a call is handed there."""
    return f"{qualname}^"


def extended_by(qualname: str) -> str:
    """The type whose member a function is, though it stands outside of it."""
    return f"{qualname}&"


def overload(qualname: str, number: int) -> str:
    """One of the signatures of a definition; the first has its plain name."""
    return f"{qualname}~{number}" if number else qualname


def plain_name(signature: str) -> str:
    """The qualified name that a signature is one of."""
    name, mark, number = signature.rpartition("~")
    return name if mark and number.isdecimal() else signature


def arities_of(qualname: str) -> str:
    """How many arguments each signature takes, of what has several (`Arity`)."""
    return f"{qualname}~"


def type_parameters_of(qualname: str) -> str:
    """The type parameters of a type."""
    return f"{qualname}<>"


def type_parameters_of_function(qualname: str) -> str:
    """The type parameters of a function or method."""
    return f"{qualname}()<>"


def given_base(qualname: str, base: str) -> str:
    """A base of a class with what the class gives it."""
    return f"{qualname}:{base}"


def self_type_of(qualname: str) -> str:
    """What else objects of a type are, as it says of itself: `self: Store =>`."""
    return element_of(qualname, SELF_TYPE)


SELF_TYPE = "this"
"""The place of a type's own type."""
ANY_ARITY = "`"
"""Behind the name of a type, before the number of its type parameters: of two types of a name,
C#'s metadata calls the one with parameters so. Without a number: any type of the name."""
_ARITIES = re.compile(r"(?<=\w)`\d+(?![\w`])")
_WITH_ARITY = re.compile(r"([^`]+)`(\d*)")


def of_arity(name: str, count: int) -> str:
    """The name of a type that has so many type parameters; without any it is the plain name."""
    return f"{name}{ANY_ARITY}{count}" if count else name


def without_arity(name: str) -> str:
    """A name, or a qualified one, without numbers of type parameters."""
    return _ARITIES.sub("", name) if ANY_ARITY in name else name


def parse_arity(name: str) -> tuple[str, str]:
    """(name, its number of type parameters), which is empty where the name says none."""
    if ANY_ARITY not in name or (said := _WITH_ARITY.fullmatch(name)) is None:
        return name, ""
    return said[1], said[2]


def other_arities(name: str) -> list[str]:
    """What else a name may stand for where nothing has it with its number of type parameters: what
    has none, as a function has, and any type."""
    if name.endswith(ANY_ARITY):
        return []
    plain, count = parse_arity(name)
    return [plain, plain + ANY_ARITY] if count else [plain + ANY_ARITY]


CALLED = "()"
"""In place of a name that is used: what is called is the value before it, whatever that is."""
OWN_VARIABLE = "@self"
"""In place of a receiver: what is used is a variable of the object around, never its method."""
DESCRIBED, SUBJECT = "described_class", "subject"
"""Variables of a file that tests have: what is described, and one of it."""
VARIABLES_TOO = frozenset({"parent", "self", "static"})
"""Words for a class in PHP that a variable may have as its name: that keeps its `$`."""
ROOT = "Object"
"""In place of a receiver: what a leading `::` is of, in Ruby."""
_DEFAULT, _WHOLE = "#default", "#="
CANDIDATE = "|"
"""In place of a name of an import: what stands beside it is another module that may be meant."""


def default_of(module: str) -> str:
    """What a module exports as its whole, where the name is the importing file's own."""
    return f"{module}{_DEFAULT}"


def whole_of(module: str) -> str:
    """What requiring a module gives, where the name is the requiring file's own."""
    return f"{module}{_WHOLE}"


def parse_module(text: str, name: str) -> tuple[str, str]:
    """(module, name there) of an imported name, which is another one of what `default_of` and
    `whole_of` say."""
    if text.endswith((_DEFAULT, _WHOLE)):
        module, _, name = text.rpartition("#")
        return module, name
    return text, name


class Arity(NamedTuple):
    """How many arguments a signature takes."""

    least: int
    most: int


def parse_arities(text: str) -> list[Arity]:
    """`1-2,0-3`."""
    pairs = (each.partition("-") for each in text.split(","))
    return [Arity(int(least), int(most)) for least, _, most in pairs]


def print_arities(arities: list[Arity]) -> str:
    """The text that `parse_arities` reads."""
    return ",".join(f"{least}-{most}" for least, most in arities)


class DeclaredParameter(NamedTuple):
    """A type parameter, and what it is where nothing says it."""

    name: str
    default: Type | None = None


def parse_type_parameters(text: str) -> list[DeclaredParameter]:
    """`Base,D=Draft<Base>`."""
    found = []
    for each in split(text, ",") if text else ():
        name, _, default = each.partition("=")
        found.append(DeclaredParameter(name, parse_type(default) if default else None))
    return found


def print_type_parameters(parameters: list[DeclaredParameter]) -> str:
    """The text that `parse_type_parameters` reads."""
    return ",".join(
        name if default is None else f"{name}={default.text}" for name, default in parameters
    )
