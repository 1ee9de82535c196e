"""What is particular to Scala."""

from __future__ import annotations

from surveyor.graph.languages.java.reflection import REFLECTION
from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.scala import bindings, imports, standard, values
from surveyor.graph.languages.scala.modules import ScalaPackages
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "scala": Traits(
        family="scala",
        last_first="names",
        mixins="always",
        trait_types=True,
        overloads=True,
        given_to=given_to,
        blocks=frozenset({"block", "indented_block"}),
        standard_members=standard.MEMBERS,
        platform="jvm",
        by_computed_name=REFLECTION,
        self_words=frozenset({"this", "self"}),
        implicit_this=True,
        extensions=True,
        types_hidden_by_functions=True,
        block_receiver=values.block_receiver,
        implicit_extensions=True,
        made_by_calling=True,
        passing=frozenset({"apply", "copy", "get", "getOrElse", "orElse"}),
        read_elements=frozenset({"head", "last", "max", "min"}),
        modules=ScalaPackages,
        nested_packages=True,
        outer_self=True,
        dotted_packages=True,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        is_accessor=values.is_accessor,
        imports=imports.read,
    )
}
