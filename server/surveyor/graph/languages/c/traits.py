"""What is particular to C, C++ and CUDA."""

from __future__ import annotations

from surveyor.graph.languages.c import bindings, imports, initializers, standard
from surveyor.graph.languages.c.modules import Includes
from surveyor.graph.languages.traits import COMMON_MEMBERS, GlobalNames, MembersElsewhere, Traits

__all__ = ["TRAITS"]

_COMMON_WORDS = """
back begin c_str cbegin cend emplace_back end front load lock push_back rbegin release rend reset
reserve resize store str substr swap unlock
"""
_COMMON = COMMON_MEMBERS | frozenset(_COMMON_WORDS.split())
"""With members of smart pointers, locks, atomics and containers."""
_STANDARD = frozenset({"std"})
"""Opened by many a project, and nobody's own."""

_BLOCKS = frozenset({"compound_statement", "for_statement", "if_statement", "switch_statement"})

TRAITS = {
    "c": Traits(
        family="c",
        arrows=True,
        blocks=frozenset(
            {"compound_statement", "for_statement", "if_statement", "switch_statement"}
        ),
        standard_members=standard.MEMBERS,
        by_computed_name=r"\bdlsym\b|\bGetProcAddress\b",
        super_words=frozenset(),
        foreign_names=_STANDARD,
        common_members=_COMMON,
        global_names=GlobalNames(is_declared=True),
        open_enums=True,
        members_elsewhere=MembersElsewhere(),
        made_by_calling=True,
        modules=Includes,
        includes_text=True,
        tagged_types=True,
        has_conditionals=True,
        bindings=bindings.bindings_of,
        initialized=initializers.initialized,
        imports=imports.read,
    ),
    "cpp": Traits(
        overloads=True,
        family="c",
        arrows=True,
        blocks=frozenset(
            {"compound_statement", "for_statement", "if_statement", "switch_statement"}
        ),
        passing=frozenset({"get", "lock", "value"}),
        self_calls=frozenset({"shared_from_this", "weak_from_this"}),
        standard_members=standard.MEMBERS,
        by_computed_name=r"\bdlsym\b|\bGetProcAddress\b",
        super_words=frozenset(),
        foreign_names=_STANDARD,
        common_members=_COMMON,
        global_names=GlobalNames(is_declared=True),
        implicit_this=True,
        open_enums=True,
        members_elsewhere=MembersElsewhere(unless_defined=True),
        declares_members=True,
        containers_elsewhere=True,
        names_itself=True,
        outer_self=True,
        made_by_calling=True,
        types_hidden_by_functions=True,
        modules=Includes,
        includes_text=True,
        tagged_types=True,
        has_conditionals=True,
        namespaces_visible=True,
        dotted_packages=True,
        bindings=bindings.bindings_of_cpp,
        initialized=initializers.initialized,
        imports=imports.read,
    ),
    "cuda": Traits(family="cuda", initialized=initializers.initialized),
}
