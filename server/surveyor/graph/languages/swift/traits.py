"""What is particular to Swift."""

from __future__ import annotations

from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.swift import bindings, imports, standard, values
from surveyor.graph.languages.swift.modules import SwiftModules
from surveyor.graph.languages.traits import COMMON_MEMBERS, MembersElsewhere, Traits

__all__ = ["TRAITS"]

TRAITS = {
    "swift": Traits(
        family="swift",
        overloads=True,
        calls_fields=True,
        given_to=given_to,
        blocks=frozenset({"statements"}),
        bound_behind=True,
        standard_members=standard.MEMBERS,
        by_computed_name=r"\bSelector\b|\bperform\(",
        self_words=frozenset({"self", "Self"}),
        implicit_this=True,
        members_elsewhere=MembersElsewhere(),
        containers_elsewhere=True,
        made_by_calling=True,
        initializer="init",
        memberwise="init",
        open_protocols=standard.PROTOCOLS,
        read_elements=frozenset({"first", "last"}),
        many_types=standard.COLLECTIONS,
        common_members=COMMON_MEMBERS | {"init", "self", "description", "rawValue"},
        modules=SwiftModules,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        parameters=values.parameters,
        implemented=values.implemented,
        imports=imports.read,
    )
}
