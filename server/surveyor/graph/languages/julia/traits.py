"""What is particular to Julia."""

from __future__ import annotations

from surveyor.graph.languages.julia import bindings, imports, values
from surveyor.graph.languages.julia.modules import JuliaPackages
from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "julia": Traits(
        family="julia",
        imports_around=True,
        by_computed_name=r"\bgetfield\b|\bgetproperty\b|\beval\b",
        symbols_are_names=True,
        self_words=frozenset(),
        super_words=frozenset(),
        extensions=True,
        extends_arguments=True,
        global_extensions=True,
        generic_extensions=True,
        namespaces_visible=True,
        modules_of_files=True,
        module_variables=True,
        modules=JuliaPackages,
        given_to=given_to,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        imports=imports.read,
    )
}
