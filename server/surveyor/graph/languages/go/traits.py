"""What is particular to Go."""

from __future__ import annotations

from surveyor.graph.languages.go import bindings, imports, initializers, standard, values
from surveyor.graph.languages.go.modules import TESTS, GoPackages, heads
from surveyor.graph.languages.traits import MembersElsewhere, Traits

__all__ = ["TRAITS"]

TRAITS = {
    "go": Traits(
        family="go",
        calls_fields=True,
        blocks=frozenset(
            {
                "block",
                "if_statement",
                "for_statement",
                "expression_switch_statement",
                "type_switch_statement",
                "expression_case",
                "type_case",
                "default_case",
                "communication_case",
            }
        ),
        bound_behind=True,
        standard_members=standard.MEMBERS,
        by_computed_name=r"\b(?:Method|Field)ByName\b",
        self_words=frozenset(),
        super_words=frozenset(),
        members_elsewhere=MembersElsewhere(same_folder=True),
        embeds_types=True,
        keys_are_values=True,
        modules=GoPackages,
        private_imports=True,
        heads=heads,
        imports_packages=True,
        test_ending=TESTS,
        bindings=bindings.bindings_of,
        initialized=initializers.initialized,
        declared=values.declared,
        told_in_brackets=True,
        several_results=True,
        imports=imports.read,
    )
}
