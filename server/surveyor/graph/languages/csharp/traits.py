"""What is particular to C#."""

from __future__ import annotations

from surveyor.graph.languages.csharp import bindings, implied, imports, initializers, standard
from surveyor.graph.languages.csharp.modules import Namespaces
from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.traits import GlobalNames, MembersElsewhere, Traits

__all__ = ["TRAITS"]

TRAITS = {
    "csharp": Traits(
        family="csharp",
        overloads=True,
        arrows=True,
        calls_fields=True,
        attributes_end=initializers.ATTRIBUTE,
        given_to=given_to,
        blocks=frozenset({"block", "for_statement", "switch_section", "using_statement"}),
        standard_members=standard.MEMBERS,
        has_conditionals=True,
        by_computed_name=r"\bGetMethods?\b|\bGetProperty\b|\bInvokeMember\b",
        super_words=frozenset({"base"}),
        global_names=GlobalNames(common=False),
        implicit_this=True,
        members_elsewhere=MembersElsewhere(partial=True),
        declares_members=True,
        containers_elsewhere=True,
        names_itself=True,
        outer_self=True,
        modules=Namespaces,
        private_imports=True,
        has_projects=True,
        namespaces_visible=True,
        package_blocks=("namespace_declaration",),
        dotted_packages=True,
        bindings=bindings.bindings_of,
        initialized=initializers.initialized,
        implied=implied.read,
        imports=imports.read,
        extensions=True,
        extends_arguments=True,
        global_extensions=True,
        types_by_arity=True,
    )
}
