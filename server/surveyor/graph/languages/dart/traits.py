"""What is particular to Dart."""

from __future__ import annotations

from surveyor.graph.languages.dart import bindings, imports, standard, values
from surveyor.graph.languages.dart.modules import DartLibraries
from surveyor.graph.languages.traits import MembersElsewhere, Traits

__all__ = ["TRAITS"]

TRAITS = {
    "dart": Traits(
        family="dart",
        mixins="always",
        bases_outside=True,
        last_first="mixins",
        read_elements=frozenset(
            {"first", "last", "single", "firstOrNull", "lastOrNull", "singleOrNull"}
        ),
        given_to=values.given_to,
        blocks=frozenset({"block"}),
        standard_members=standard.MEMBERS,
        by_computed_name=r"\bFunction\.apply\b",
        implicit_this=True,
        members_elsewhere=MembersElsewhere(full_name=True),
        made_by_calling=True,
        named_constructors=True,
        modules=DartLibraries,
        parts_share_imports=True,
        private_imports=True,
        exports_names=True,
        bindings=bindings.bindings_of,
        value=values.value,
        declared=values.declared,
        receiver=values.receiver,
        imports=imports.read,
    )
}
