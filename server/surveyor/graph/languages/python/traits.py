"""What is particular to Python."""

from __future__ import annotations

from surveyor.graph.languages.named_arguments import given_to
from surveyor.graph.languages.python import bindings, implied, imports, standard
from surveyor.graph.languages.python.modules import PythonModules
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

_LISTING = frozenset({"objects", "_default_manager"})
"""What Django gives to its models."""

TRAITS = {
    "python": Traits(
        family="python",
        mixins="first",
        bases_outside=True,
        given_to=given_to,
        standard_members=standard.MEMBERS,
        by_computed_name=r"\b(?:getattr|attrgetter|methodcaller|globals|locals|vars|__dict__)\b|\]\s*\(",
        texts_are_read=True,
        reassigns=True,
        self_words=frozenset({"self", "cls"}),
        class_words=frozenset({"cls"}),
        class_member="__class__",
        mangles_names=True,
        given_fixtures=standard.FIXTURES,
        sees_class_body=True,
        imports_again=True,
        made_by_calling=True,
        constructor="__init__",
        allocator="__new__",
        call_method="__call__",
        walking=(("__iter__", "__next__"), ("__getitem__",)),
        accessors=frozenset({"property", "cached_property"}),
        follows_values=True,
        listing=_LISTING,
        fields_elsewhere=True,
        implied=implied.read,
        modules=PythonModules,
        heads=imports.heads,
        binds_top_package=True,
        module_variables=True,
        binds_all_names=True,
        bindings=bindings.bindings_of,
        imports=imports.read,
        local_imports=imports.read_local,
    )
}
