"""What is particular to Kotlin."""

from __future__ import annotations

from surveyor.graph.languages.java.modules import JavaPackages
from surveyor.graph.languages.java.reflection import REFLECTION
from surveyor.graph.languages.kotlin import bindings, imports, standard, values
from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "kotlin": Traits(
        family="kotlin",
        overloads=True,
        given_to=given_to,
        blocks=frozenset({"statements"}),
        bound_behind=True,
        standard_members=standard.MEMBERS,
        gives_accessors=True,
        platform="jvm",
        file_classes=("Kt", ""),
        by_computed_name=REFLECTION,
        implicit_this=True,
        extensions=True,
        types_hidden_by_functions=True,
        basic_types=frozenset(
            {"Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short", "String"}
        ),
        made_by_calling=True,
        passing=frozenset({"Companion", "copy", "valueOf"}),
        modules=JavaPackages,
        private_imports=True,
        dotted_packages=True,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        parameters=values.parameters,
        arity=values.arity,
        argument_count=values.argument_count,
        block_receiver=values.block_receiver,
        imports=imports.read,
    )
}
