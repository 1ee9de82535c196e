"""What is particular to Solidity."""

from __future__ import annotations

from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.solidity import bindings, imports, standard, values
from surveyor.graph.languages.solidity.modules import Sources
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "solidity": Traits(
        family="solidity",
        given_to=given_to,
        standard_members=standard.MEMBERS,
        implicit_this=True,
        extensions=True,
        extends_arguments=True,
        global_extensions=True,
        built_in_names=frozenset({"abi", "block", "msg", "tx", "type"}),
        modules=Sources,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        imports=imports.read,
    )
}
