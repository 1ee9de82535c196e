"""What is particular to Java."""

from __future__ import annotations

from surveyor.graph.languages.java import bindings, implied, imports, standard
from surveyor.graph.languages.java.modules import JavaPackages
from surveyor.graph.languages.java.reflection import REFLECTION
from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.traits import GlobalNames, Traits

__all__ = ["TRAITS"]

_PASSING = frozenset(
    {"build", "builder", "filter", "get", "join", "orElse", "orElseGet", "orElseThrow", "toBuilder",
     "valueOf"}
)  # fmt: skip

TRAITS = {
    "java": Traits(
        family="java",
        overloads=True,
        given_to=given_to,
        blocks=frozenset({"block", "constructor_body", "for_statement", "switch_block"}),
        calls_no_variables=True,
        passing=_PASSING,
        standard_members=standard.MEMBERS,
        accessors_by="lombok",
        platform="jvm",
        by_computed_name=REFLECTION,
        global_names=GlobalNames(common=False),
        implicit_this=True,
        implied=implied.read,
        bindings=bindings.bindings_of,
        block_receiver=bindings.block_receiver,
        types_hidden_by_functions=True,
        names_itself=True,
        outer_self=True,
        modules=JavaPackages,
        private_imports=True,
        dotted_packages=True,
        imports=imports.read,
    )
}
