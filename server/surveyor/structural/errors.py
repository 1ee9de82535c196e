"""What is wrong with a pattern or a rule."""

from __future__ import annotations

from surveyor.errors import UsageError

__all__ = ["PATTERN_HINT", "BadPatternError"]

PATTERN_HINT = (
    "A pattern is one expression, statement, clause or definition of the language, with $NAME for"
    " any one node and $$$NAME for any number. A rule is ast-grep's, in YAML."
)


class BadPatternError(UsageError):
    """A pattern or a rule that cannot be read."""

    code = "bad_pattern"

    def __init__(self, message: str, hint: str = PATTERN_HINT) -> None:
        super().__init__(message, hint)
