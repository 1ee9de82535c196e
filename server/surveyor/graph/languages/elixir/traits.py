"""What is particular to Elixir."""

from __future__ import annotations

from surveyor.graph.languages.elixir import imports, routes, values
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "elixir": Traits(
        family="elixir",
        by_computed_name=r"\bapply\b|\{\s*[A-Z_][\w.]*\s*,\s*:\w",
        symbols_are_names=True,
        self_words=frozenset({"__MODULE__"}),
        super_words=frozenset(),
        modules_are_types=True,
        named_modules=True,
        heads=lambda module: [],
        receiver=values.receiver,
        implied=routes.read_named,
        default_exports=routes.read_scope,
        imports=imports.read,
    )
}
