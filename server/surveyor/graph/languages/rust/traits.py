"""What is particular to Rust."""

from __future__ import annotations

from surveyor.graph.languages.rust import bindings, imports, initializers
from surveyor.graph.languages.rust.modules import RustModules
from surveyor.graph.languages.traits import GlobalNames, MembersElsewhere, Traits

__all__ = ["TRAITS"]

TRAITS = {
    "rust": Traits(
        family="rust",
        self_words=frozenset({"self", "Self"}),
        super_words=frozenset(),  # `super` is a module
        module_words=frozenset({"crate", "super"}),
        self_is_module=True,
        global_names=GlobalNames(only_macros=True, common=False),  # all else needs a `use`
        members_elsewhere=MembersElsewhere(unless_defined=True),
        modules=RustModules,
        bindings=bindings.bindings_of,
        initialized=initializers.initialized,
        imports=imports.read,
        called_import=imports.included,
    )
}
