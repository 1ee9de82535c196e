"""What is particular to Lua."""

from __future__ import annotations

from surveyor.graph.languages.lua import bindings, imports, standard, values
from surveyor.graph.languages.lua.modules import RequiredModules
from surveyor.graph.languages.traits import COMMON_MEMBERS, GlobalNames, Traits

__all__ = ["TRAITS"]

_LIBRARIES = frozenset(
    {"bit", "bit32", "coroutine", "debug", "io", "jit", "math", "os", "package", "string", "table",
     "utf8", "vim", "ngx", "_G"}
)  # fmt: skip
"""Tables that are there without being required."""
_STRINGS_AND_FILES = frozenset(
    {"byte", "char", "gmatch", "gsub", "len", "lines", "pack", "rep", "seek", "setvbuf", "unpack"}
)

_FUNCTIONS = frozenset(
    {"assert", "collectgarbage", "dofile", "error", "getfenv", "getmetatable", "ipairs", "load",
     "loadfile", "loadstring", "module", "next", "pairs", "pcall", "print", "rawequal", "rawget",
     "rawlen", "rawset", "require", "select", "setfenv", "setmetatable", "tonumber", "tostring",
     "type", "unpack", "xpcall"}
)  # fmt: skip

_GIVING_BACK = frozenset({"class", "Class", "derive", "extend", "setmetatable", "subclass"})
"""Of Lua itself, and what libraries call the functions that make a class of a table."""

TRAITS = {
    "lua": Traits(
        family="lua",
        blocks=frozenset({"block", "for_statement"}),
        bound_behind=True,
        standard_members=standard.MEMBERS,
        by_computed_name=r"\]\s*\(|\b_G\b|\bload(?:string)?\b",
        reassigns=True,
        self_words=frozenset(),
        super_words=frozenset(),
        built_in_names=_LIBRARIES,
        common_members=COMMON_MEMBERS | _STRINGS_AND_FILES,
        global_names=GlobalNames(only_told=True, built_in=_FUNCTIONS),
        modules=RequiredModules,
        exports_names=True,
        gives_returned=True,
        aliases=True,
        giving_back=_GIVING_BACK,
        declares_ahead=True,
        bindings=bindings.bindings_of,
        value=values.value,
        receiver=values.receiver,
        imports=imports.read,
        default_exports=imports.returned,
        required_as=values.alias_of,
    )
}
