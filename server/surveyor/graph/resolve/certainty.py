"""How sure an edge is, and how many things of a name may be meant."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.languages.traits import COMMON_MEMBERS
from surveyor.graph.resolve.values import DefinitionKey

__all__ = [
    "CERTAIN",
    "COMMON_SCORE",
    "DATA_SCORE",
    "EXTENSION_SCORE",
    "FOLLOWED_SCORE",
    "FOREIGN_SCORE",
    "MAX_BELOW",
    "MAX_CANDIDATES",
    "MAX_COMMON",
    "SIMILAR_SCORE",
    "STANDARD_SCORE",
    "UNIQUE_SCORE",
    "Target",
    "certain",
    "is_common",
]

Target = tuple[DefinitionKey, float]
"""What is used, and how sure that is."""

MAX_CANDIDATES = 8
"""More definitions of the same name than this, with nothing to choose by, say nothing."""
MAX_BELOW = 30
"""Members of types that extend one which uses them and has none itself."""
UNIQUE_SCORE = 0.6
"""An unknown receiver, and the project has one such member."""
SIMILAR_SCORE = 0.55
"""An unknown receiver whose name resembles the class of the member."""
COMMON_SCORE = 0.2
"""As above, for names that the standard types have too."""
STANDARD_SCORE = 0.45
"""An unknown receiver, and a name that the language's own types have too."""
DATA_SCORE = 0.3
"""An unknown receiver's property in JavaScript, where objects are made of literals, and what is
declared in a file that the receiver's does not include."""
EXTENSION_SCORE = 0.7
"""An unknown receiver, and an extension of that name is imported, or no type has such a member."""
FOREIGN_SCORE = 0.45
"""A name that a file does not include which includes headers of libraries: it may be theirs."""
MAX_COMMON = 2
"""Such names with more definitions than this in the project give no candidates."""
FOLLOWED_SCORE = 0.9
"""Least score of what was resolved by its receiver's type or its scope: more than any by its name
alone."""
CERTAIN = 0.5
"""Edges from this score on are `syntax`, those below are `text`: candidates by name only."""


def is_common(name: str) -> bool:
    """Whether a member of this name may be one of a standard type."""
    return name in COMMON_MEMBERS


def certain(definitions: Iterable[DefinitionKey]) -> list[Target]:
    """What is meant for sure; nothing where it is too many."""
    found = list(definitions)
    if len(found) > MAX_CANDIDATES:
        return []
    return [(definition, 1.0) for definition in found]
