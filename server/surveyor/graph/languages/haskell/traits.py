"""What is particular to Haskell."""

from __future__ import annotations

from surveyor.graph.languages.haskell import imports, values
from surveyor.graph.languages.haskell.modules import HaskellModules
from surveyor.graph.languages.traits import Traits

__all__ = ["TRAITS"]

TRAITS = {
    "haskell": Traits(
        family="haskell",
        self_words=frozenset(),
        super_words=frozenset(),
        members_visible=True,
        names_run=True,
        modules=HaskellModules,
        receiver=values.receiver,
        implemented=values.implemented,
        imports=imports.read,
    )
}
