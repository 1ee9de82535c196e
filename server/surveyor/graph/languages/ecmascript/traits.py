"""What is particular to JavaScript and TypeScript."""

from __future__ import annotations

from msgspec import structs

from surveyor.graph.languages.ecmascript import bindings, implied, imports, standard
from surveyor.graph.languages.ecmascript.modules import ScriptModules
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

_BUILT_IN_NAMES = """
Array ArrayBuffer Atomics BigInt Boolean Buffer Date Error Function Infinity Intl JSON Map Math NaN
Number Object Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet console crypto document
global globalThis history localStorage location navigator performance process sessionStorage window
"""
_GIVING_BACK = """
assign extend freeze markRaw observable preventExtensions reactive readonly seal shallowReactive
"""
_SCRIPT = Traits(
    family="ecmascript",
    blocks=frozenset(
        {
            "statement_block",
            "for_statement",
            "for_in_statement",
            "switch_body",
            "class_static_block",
        }
    ),
    hoisted=frozenset({"variable_declaration"}),
    standard_members=standard.MEMBERS,
    by_computed_name=r"\]\s*(?:\?\.)?\(|\]\s*\.(?:call|apply|bind)\(|\bReflect\.",
    built_in_names=frozenset(_BUILT_IN_NAMES.split()),
    separate_types=True,
    giving_back=frozenset(_GIVING_BACK.split()),
    literal_objects=True,
    modules=ScriptModules,
    private_imports=True,
    seen_by_import=True,
    exports_names=True,
    nests=True,
    keeps_type_parameters=True,
    module_variables=True,
    dollars=True,
    constructor="constructor",
    class_member="constructor",
    walking=((implied.ITERATOR,),),
    passing=frozenset({"bind"}),
    follows_values=True,
    implied=implied.read,
    given_to=implied.given_to,
    texts_are_read=True,
    bindings=bindings.bindings_of,
    imports=imports.read,
    local_imports=imports.read_local,
    default_exports=imports.read_default,
    own_module="exports",
)
TRAITS = {
    "javascript": structs.replace(_SCRIPT, reassigns=True),
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
}
