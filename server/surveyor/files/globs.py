"""Patterns that users and repositories write, matched in time linear in what they are matched with.

A repository's own files decide these patterns, and Python's `re` tries every way to match one
(`*a*a*a…` takes it years) while nothing else in the process can run. RE2 does not go back over
what it has read, and lets other threads run meanwhile. pathspec and `fnmatch` translate globs to
regular expressions, here they are compiled, and how long and how many they may be is said.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:  # importing it takes 20 ms, which the editor's face has no use for
    from pathspec import GitIgnoreSpec, PathSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MAX_PATTERN_CHARS = 1000
"""Longest pattern: a path that is longer than a quarter of `PATH_MAX` is not typed by anybody."""
MAX_PATTERN_STARS = 64
"""Most `*` in one: each may be a place at which matching stands."""
MAX_PATTERNS = 200
"""Most patterns in one request or setting."""


class PatternError(ValueError):
    """A pattern that cannot be read, or is longer than patterns may be."""


def check(pattern: str) -> None:
    """Raises `PatternError` for a pattern that is too long to be one."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise PatternError(f"{pattern[:40]!r}… is longer than {MAX_PATTERN_CHARS} characters")
    if pattern.count("*") > MAX_PATTERN_STARS:
        raise PatternError(f"{pattern[:40]!r}… has more than {MAX_PATTERN_STARS} `*`")


def check_all(patterns: Sequence[str]) -> None:
    """Raises `PatternError` for too many patterns, or one that is too long."""
    if len(patterns) > MAX_PATTERNS:
        raise PatternError(f"{len(patterns)} patterns are more than {MAX_PATTERNS}")
    for pattern in patterns:
        check(pattern)


class LinearRegex:
    """A regular expression that is matched in linear time.

    Without look-around and back-references, which no automaton has. It stands in for a compiled
    `re.Pattern` in pathspec.
    """

    __slots__ = ("_compiled", "pattern")

    def __init__(self, pattern: str) -> None:
        """Raises `PatternError` for what is no regular expression, or too large a one."""
        self.pattern = pattern
        try:
            self._compiled = re2.compile(pattern, _options())
        except UnicodeEncodeError:
            raise PatternError(f"{pattern[:80]!a} is not valid UTF-8") from None
        except re2.error as error:
            why = error.args[0] if error.args else error
            said = why.decode(errors="replace") if isinstance(why, bytes) else str(why)
            raise PatternError(f"{pattern[:80]!r}: {said}") from None

    def match(self, text: str) -> Any:
        """The match at the beginning of a text; None without."""
        return self._compiled.match(_encoded(text))

    def search(self, text: str) -> Any:
        """The first match anywhere in a text; None without."""
        return self._compiled.search(_encoded(text))

    def fullmatch(self, text: str) -> Any:
        """The match with all of a text; None without."""
        return self._compiled.fullmatch(_encoded(text))


def _encoded(text: str) -> bytes:
    # Names that are no text hold lone surrogates; RE2 takes their bytes for characters as well.
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=1)
def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True  # a name may hold a line's end
    return options


@lru_cache(maxsize=512)
def shell(pattern: str) -> LinearRegex:
    """A shell's pattern as `fnmatch` reads it, where `*` also matches slashes; to be matched fully.

    Raises `PatternError`.
    """
    check(pattern)
    body = fnmatch.translate(pattern).removesuffix(r"\Z").removesuffix(r"\z")
    # Newer Pythons write atomic groups, which change nothing where nothing is tried again.
    return LinearRegex(body.replace("(?>", "(?:"))


def rule(line: str) -> GitIgnoreSpecPattern | None:
    """A line of gitignore, as git reads it; None for one that says nothing.

    Raises `PatternError`.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    check(line)
    try:
        regex, include = GitIgnoreSpecPattern.pattern_to_regex(line)
    except ValueError as error:
        raise PatternError(str(error)) from None
    return None if regex is None else GitIgnoreSpecPattern(LinearRegex(regex), include)  # type: ignore[type-var]


def rules_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """What matches whole paths by gitignore's rules. Raises `PatternError`."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec([each for line in lines if (each := rule(line))], backend="simple")


def paths_spec(patterns: Iterable[str]) -> PathSpec[Any]:
    """The same as it is documented: a negative pattern brings back what an earlier one matched.

    Raises `PatternError`.
    """
    from pathspec import PathSpec
    from pathspec.patterns.gitignore.basic import GitIgnoreBasicPattern

    compiled = []
    for pattern in patterns:
        check(pattern)
        try:
            regex, include = GitIgnoreBasicPattern.pattern_to_regex(pattern)
        except ValueError as error:
            raise PatternError(str(error)) from None
        if regex is not None:
            compiled.append(GitIgnoreBasicPattern(LinearRegex(regex), include))  # type: ignore[type-var]
    return PathSpec(compiled, backend="simple")
