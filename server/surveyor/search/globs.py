"""Path globs as people type them, matched against paths relative to a root."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, check_all, paths_spec


def below(patterns: Sequence[str], roots: Sequence[str], prefix: str = "") -> tuple[str, ...]:
    """Patterns as they hold below a root, paths that a shell completes for what they name.

    `./x` lies in the folder that is searched (`prefix`, with its slash), an absolute path in one of
    the roots. Raises `UsageError` for what leads out of them.
    """
    found = []
    for pattern in patterns:
        sign, body = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
        if body.startswith("./"):
            body = f"/{prefix}{body[2:]}"
        elif body == ".." or body.startswith("../"):
            raise UsageError(
                f"{pattern!r} leads out of what is searched",
                "Patterns are relative to the project's top folder.",
            )
        else:
            root = next((r for r in roots if body == r or body.startswith(f"{r}/")), None)
            if root is not None:
                body = body[len(root) :] or "/**"
        found.append(sign + ("/**" if body == "/" else body))
    return tuple(found)


def matcher(patterns: Sequence[str], prefix: str = "") -> Callable[[str], bool]:
    """A test for paths below `prefix` that match some pattern and no `!pattern`.

    Patterns are gitignore's: `*.py` anywhere, `src/**/test_*.py`, `docs/`. Only negative ones
    mean everything else. Raises `UsageError` for a pattern that cannot be read.
    """
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    try:
        check_all(patterns)
        include = paths_spec(wanted) if wanted else None
        exclude = paths_spec(unwanted) if unwanted else None
    except PatternError as error:
        raise UsageError(f"a path pattern cannot be read: {error}", "Use `*`, `**`, `?`.") from None

    def matches(path: str) -> bool:
        return (
            path.startswith(prefix)
            and (include is None or include.match_file(path))
            and (exclude is None or not exclude.match_file(path))
        )

    return matches
