"""What is particular to PHP."""

from __future__ import annotations

from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.php import bindings, implied, imports, records, standard
from surveyor.graph.languages.php.modules import NamespacesAndFiles
from surveyor.graph.languages.traits import GlobalNames, Traits

__all__ = ["TRAITS"]

_FINDING = """
create find findOrFail findOrNew first firstOr firstOrCreate firstOrFail firstOrNew firstWhere
forceCreate sole updateOrCreate
"""
_LISTING = """
all has latest limit newQuery oldest orderBy orderByDesc query whereBetween whereHas whereIn where
whereNotNull whereNull with withCount withTrashed
"""
"""What Eloquent gives to models."""

TRAITS = {
    "php": Traits(
        family="php",
        renames_types=True,
        mixins="always",
        super_is_no_trait=True,
        arrows=True,
        given_to=given_to,
        dots_join=True,
        calls_no_variables=True,
        methods_read=True,
        also_called=records.also_called,
        finding=frozenset(_FINDING.split()),
        listing=frozenset(_LISTING.split()),
        standard_members=standard.MEMBERS,
        by_computed_name=r"\bcall_user_func|->\$|::\$\w+\(|\$\w+\(|\bis_callable\b|\bReflection",
        self_words=frozenset({"this", "self", "static"}),
        skips_variables=True,
        super_words=frozenset({"parent"}),
        global_names=GlobalNames(),
        modules=NamespacesAndFiles,
        private_imports=True,
        namespaces_visible=True,
        dotted_packages=True,
        types_are_packages=True,
        bindings=bindings.bindings_of,
        implied=implied.read,
        imports=imports.read,
    )
}
