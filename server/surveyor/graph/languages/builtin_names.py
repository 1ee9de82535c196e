"""Names that a language gives a meaning by itself, where a file may have had one of its own."""

from __future__ import annotations

import builtins
from typing import Final

from surveyor.graph.languages import traits_of

__all__ = ["is_builtin"]

_ECMASCRIPT = frozenset(
    {"AbortController", "AbortSignal", "Blob", "Event", "EventTarget", "FormData", "Headers",
     "Request", "Response", "TextDecoder", "TextEncoder", "URL", "URLSearchParams", "WeakRef",
     "WebSocket", "atob", "btoa", "clearImmediate", "clearInterval", "clearTimeout", "fetch",
     "queueMicrotask", "require", "setImmediate", "setInterval", "setTimeout", "structuredClone"}
)  # fmt: skip
_NAMES: Final[dict[str, frozenset[str]]] = {
    "python": frozenset(dir(builtins)) | {"basestring", "long", "unicode", "unichr", "xrange"},
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "go": frozenset(
        {"any", "append", "cap", "clear", "close", "comparable", "copy", "delete", "error", "len",
         "make", "max", "min", "new", "panic", "print", "println", "recover"}
    ),
    "kotlin": frozenset(
        {"TODO", "also", "apply", "arrayOf", "assert", "buildList", "buildMap", "buildString",
         "check", "checkNotNull", "emptyList", "emptyMap", "emptySet", "error", "lazy", "let",
         "listOf", "listOfNotNull", "mapOf", "maxOf", "minOf", "mutableListOf", "mutableMapOf",
         "mutableSetOf", "print", "println", "readLine", "repeat", "require", "requireNotNull",
         "run", "runCatching", "sequence", "sequenceOf", "setOf", "takeIf", "to", "use", "with"}
    ),
    "php": frozenset(
        {"array_find", "array_is_list", "array_key_first", "array_key_last", "fdiv",
         "get_debug_type", "is_countable", "is_iterable", "json_validate", "mb_str_pad",
         "mb_str_split", "str_contains", "str_ends_with", "str_starts_with"}
    ),
    "ruby": frozenset(
        {"Array", "BasicObject", "Class", "Comparable", "Date", "DateTime", "Dir", "Enumerable",
         "Enumerator", "Exception", "FalseClass", "File", "Float", "Hash", "IO", "Integer",
         "Kernel", "MatchData", "Math", "Method", "Module", "NilClass", "Numeric", "Object", "Proc",
         "Process", "Random", "Range", "Rational", "Regexp", "Set", "StandardError", "String",
         "StringIO", "Struct", "Symbol", "Thread", "Time", "TrueClass", "URI"}
    ),
}  # fmt: skip
"""By language, besides `Traits.built_in_names`. Of JavaScript what browsers and Node.js have, of
Ruby classes to which files add, of PHP what later versions have and files of their own made up for.
"""


def is_builtin(name: str, language: str | None) -> bool:
    """Whether a bare name has a meaning where nothing of the project gives it one."""
    if language is None:
        return False
    return name in _NAMES.get(language, ()) or name in traits_of(language).built_in_names
