"""What is particular to Rust."""

from __future__ import annotations

from surveyor.graph.languages.rust import (
    bindings,
    bounds,
    closures,
    implied,
    imports,
    initializers,
    standard,
)
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
     "clone", "cloned", "copied", "drain", "expect", "get_mut", "get_ref", "into_inner",
     "into_iter", "iter", "iter_mut", "lock", "map_err", "ok", "ok_or", "ok_or_else", "or",
     "or_else", "pin", "take", "to_owned", "unwrap", "unwrap_or", "unwrap_or_default",
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
as_mut as_ref borrow borrow_mut cmp default deref deref_mut drop eq fmt hash ne partial_cmp to_owned
arg args current_dir env output spawn status stderr stdin stdout
description display end exists extension file_name file_type flush is_dir is_file kind metadata name
parent poll read_exact read_line read_to_end read_to_string source start to_path_buf write_all
write_fmt write_str
"""
"""Members of strings, slices, iterators, results, paths, ranges, commands and common traits."""

_STANDARD_WORDS = """
assert assert_eq assert_ne cfg column compile_error concat concat_bytes concat_idents
const_format_args
dbg debug_assert debug_assert_eq debug_assert_ne env eprint eprintln file format format_args
global_asm include include_bytes include_str is_x86_feature_detected line log_syntax macro_rules
matches module_path option_env panic print println stringify thread_local todo trace_macros try
unimplemented unreachable vec write writeln
Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd
allow cfg_attr cold deny deprecated derive doc expect feature forbid global_allocator ignore inline
link macro_export macro_use must_use no_mangle non_exhaustive panic_handler path proc_macro
proc_macro_attribute proc_macro_derive recursion_limit repr should_panic test track_caller
unsafe used warn
"""
"""The standard library's macros and attributes: one of another file is meant where it is imported
only."""

TRAITS = {
    "rust": Traits(
        family="rust",
        blocks=frozenset({"block"}),
        bound_behind=True,
        standard_members=standard.MEMBERS,
        common_members=COMMON_MEMBERS | frozenset(_COMMON_WORDS.split()) | _PASSING,
        self_words=frozenset({"self", "Self"}),
        super_words=frozenset(),  # `super` is a module
        module_words=frozenset({"crate", "super"}),
        outer_module="super",
        self_is_module=True,
        global_names=GlobalNames(
            only_macros=True, common=False, built_in=frozenset(_STANDARD_WORDS.split())
        ),  # all else needs a `use`
        members_elsewhere=MembersElsewhere(unless_defined=True),
        imported_traits=True,
        paths_are_bound=True,
        passing=_PASSING,
        making="default",  # derived
        converting=frozenset({"AsMut", "AsRef", "Borrow", "BorrowMut", "Into", "TryInto"}),
        walked_as="Item",
        points_to="Target",
        walks_wrappers=True,
        awaited=("await", "Output"),
        modules=RustModules,
        bindings=bindings.bindings_of,
        parameters=closures.parameters,
        type_bounds=bounds.type_bounds,
        initialized=initializers.initialized,
        implied=implied.read,
        imports=imports.read,
        called_import=imports.included,
    )
}
