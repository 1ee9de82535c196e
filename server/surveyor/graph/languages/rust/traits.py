"""What is particular to Rust."""

from __future__ import annotations

from surveyor.graph.languages.rust import bindings, imports, initializers
from surveyor.graph.languages.rust.modules import RustModules
from surveyor.graph.languages.traits import (
    COMMON_MEMBERS,
    GlobalNames,
    MembersElsewhere,
    Traits,
)

__all__ = ["TRAITS"]

_PASSING = frozenset(
    {"as_deref", "as_deref_mut", "as_mut", "as_ref", "await", "borrow", "borrow_mut", "by_ref",
     "clone", "cloned", "drain", "expect", "get_mut", "get_ref", "into_inner", "into_iter", "iter",
     "iter_mut", "lock", "ok", "pin", "take", "to_owned", "unwrap", "unwrap_or_default",
     "unwrap_or_else", "upgrade"}
)  # fmt: skip

_COMMON_WORDS = """
all any chain cloned collect copied count cycle enumerate filter filter_map find find_map flat_map
flatten fold inspect last map max max_by max_by_key min min_by min_by_key next nth partition
peekable position product reduce skip skip_while step_by sum take take_while try_fold try_for_each
unzip zip
and_then as_bytes as_str bytes chars ends_with err extend_from_slice for_each from into is_empty
is_err is_none is_ok is_some iter_mut map_err ok_or or_else push_str rev rfind rsplit split_at
splitn starts_with to_string trim_end trim_start try_from try_into unwrap_or windows
"""
"""Members of strings, slices, iterators and results."""

TRAITS = {
    "rust": Traits(
        family="rust",
        common_members=COMMON_MEMBERS | frozenset(_COMMON_WORDS.split()),
        self_words=frozenset({"self", "Self"}),
        super_words=frozenset(),  # `super` is a module
        module_words=frozenset({"crate", "super"}),
        self_is_module=True,
        global_names=GlobalNames(only_macros=True, common=False),  # all else needs a `use`
        members_elsewhere=MembersElsewhere(unless_defined=True),
        imported_traits=True,
        passing=_PASSING,
        walks_wrappers=True,
        modules=RustModules,
        bindings=bindings.bindings_of,
        initialized=initializers.initialized,
        imports=imports.read,
        called_import=imports.included,
    )
}
