"""LSP's glob patterns, for routing file events by what each server registered."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from surveyor.files.globs import LinearRegex, PatternError, check
from surveyor.servers.uris import to_path

log = logging.getLogger(__name__)


MAX_BRACES = 20
"""Most groups of alternatives inside each other."""


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> LinearRegex:
    """What matches paths by an LSP glob: `*`, `?`, `**`, `{a,b}`, `[a-z]`, `[!a-z]`.

    Raises `PatternError` for one that is too long or cannot be read.
    """
    check(pattern)
    out: list[str] = []
    depth = 0
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
            continue
        if pattern.startswith("**", index):
            out.append(".*")
            index += 2
            continue
        if char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "{":
            depth += 1
            if depth > MAX_BRACES:
                raise PatternError(f"{pattern[:40]!r}… nests more than {MAX_BRACES} braces")
            out.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            out.append(")")
        elif char == "," and depth:
            out.append("|")
        elif char == "[" and (end := pattern.find("]", index + 2)) > 0:
            inner = pattern[index + 1 : end].replace("\\", "\\\\")
            out.append("[" + ("^" + inner[1:] if inner[0] == "!" else inner) + "]")
            index = end
        else:
            out.append(re.escape(char))
        index += 1
    out.append(")" * depth)
    return LinearRegex("".join(out))


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> LinearRegex:
    """The same; what is no pattern matches nothing, and the log says so once."""
    try:
        return compile_glob(pattern)
    except PatternError as error:
        log.warning("a language server asks for files by a pattern that is not used: %s", error)
        return LinearRegex(r"\z\A.")


def matches(watcher: dict[str, Any], path: Path, root: Path) -> bool:
    """Whether a `FileSystemWatcher` asks for events of `path`."""
    glob = watcher.get("globPattern")
    if isinstance(glob, dict):
        base = glob.get("baseUri")
        folder = to_path(base["uri"] if isinstance(base, dict) else str(base)) or root
        return path.is_relative_to(folder) and bool(
            _compiled(str(glob.get("pattern", ""))).fullmatch(path.relative_to(folder).as_posix())
        )
    pattern = str(glob or "")
    whole = _compiled(pattern)
    if whole.fullmatch(path.as_posix()):
        return True
    return path.is_relative_to(root) and bool(whole.fullmatch(path.relative_to(root).as_posix()))
