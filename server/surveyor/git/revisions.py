"""Why git does not know a revision, in words of our own."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from surveyor.git import locate
from surveyor.git.errors import GitError, NoCommitError
from surveyor.git.runner import ask_async
from surveyor.paths import is_there

__all__ = ["why_unknown"]

_BETWEEN = re.compile(r"\.{2,3}")
_BACK = re.compile(r"(?:[~^]\d*|\^\{commit\})+$")
"""What leads from a commit to its ancestors."""
_FILES_APART = "A revision is a commit, a branch or a tag; files are named beside it."
_UNCOMMITTED = "Until something is committed, ask about what the working tree changes."


async def why_unknown(root: Path, range_: str) -> tuple[str, str] | None:
    """What is wrong with a range, and what to do about it; None where nothing is."""
    sides = [side or "HEAD" for side in _BETWEEN.split(range_)]
    if len(sides) > 2:
        return f"{range_!r} is no git range", "A range has two ends: main..HEAD."
    for side in sides:
        if await _is_known(root, side):
            continue
        start = _BACK.sub("", side) or "HEAD"
        if start in ("HEAD", "@") and not await _is_known(root, "HEAD"):
            return NoCommitError().message, _UNCOMMITTED
        if start == side or not await _is_known(root, start):
            said = f"git knows no revision {start!r} here"
            if len(sides) == 1:  # whoever types one word may mean a file as well
                said += f", and there is no file {start!r}"
                if is_there(root / start):
                    return f"{start!r} is a file, and no revision that git knows", _FILES_APART
            return said, "`git branch -a` and `git tag` list names."
        repository = await asyncio.to_thread(locate.find, root)
        if repository is not None and repository.is_shallow:
            hint = "This is a shallow clone: `git fetch --unshallow` brings the rest."
        else:
            hint = "`git log --oneline` shows how many there are."
        return f"there is no {side!r}: {start!r} has fewer commits before it", hint
    return None


async def _is_known(root: Path, revision: str) -> bool:
    try:
        await ask_async(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
    except GitError:
        return False
    return True
