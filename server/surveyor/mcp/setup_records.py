"""What `setup` did to the files of others, so that it can be undone to the byte.

For each file: whether `setup` made it, where its text lies and what lay there before. The rest of
the file, which may hold keys and tokens, is not kept: only its digest, which tells whether
somebody has changed it since. Text that `setup` only added is kept: it is found again where the
rest has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from surveyor.files.writing import PRIVATE, replace_text
from surveyor.paths import data_dir

FILE = "setups.json"
"""In the data folder."""


@dataclass(frozen=True, slots=True)
class SetupRecord:
    """One file that `setup` has written."""

    made: bool
    """Whether it was not there before."""
    digest: str
    """Of the file as `setup` left it."""
    start: int
    """Where our text begins, in characters."""
    length: int
    """How long it is."""
    replaced: str
    """What lay in its place."""
    folders: tuple[str, ...] = ()
    """Folders that were made for it, innermost first."""
    added: str = ""
    """Our text, where it took the place of nothing but space."""

    def undone(self, text: str) -> str | None:
        """The text as it was before; None when somebody has changed it since."""
        if _digest(text) != self.digest:
            return None
        return text[: self.start] + self.replaced + text[self.start + self.length :]

    def without_added(self, text: str) -> str | None:
        """The text without what was added, wherever that is now; None where it is not, or twice."""
        if not self.added or text.count(self.added) != 1:
            return None
        return text.replace(self.added, self.replaced)


def of(file: Path) -> SetupRecord | None:
    """What was done to a file, if anything is known of it."""
    return _read().get(str(file.resolve()))


def note(target: Path, before: str | None, after: str, folders: tuple[str, ...]) -> None:
    """Remember that our entry was written, together with what was done to the file earlier.

    Where that cannot be written, `--remove` takes our entry out and leaves the rest.
    """
    known = _read()
    earlier = known.get(str(target))
    origin = before or ""
    made = before is None
    if earlier is not None:
        folders = (*folders, *earlier.folders)
        original = earlier.undone(origin)
        made = made or earlier.made
        origin = original if original is not None else origin
    start, length, replaced = _difference(origin, after)
    added = "" if replaced.strip() else after[start : start + length]
    known[str(target)] = SetupRecord(made, _digest(after), start, length, replaced, folders, added)
    _write(known)


def forget(target: Path) -> tuple[str, ...]:
    """Nothing of ours is in a file any more; returns the folders that were made for it."""
    known = _read()
    done = known.pop(str(target), None)
    if done is None:
        return ()
    _write(known)
    return done.folders


def missing_folders(target: Path) -> tuple[str, ...]:
    """The folders above a file that are not there yet, innermost first."""
    return tuple(str(folder) for folder in target.parents if not folder.exists())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _difference(before: str, after: str) -> tuple[int, int, str]:
    """Where the second text differs, for how long, and what the first has there."""
    least = min(len(before), len(after))
    start = next((at for at in range(least) if before[at] != after[at]), least)
    most = least - start
    same = 0
    while same < most and before[len(before) - 1 - same] == after[len(after) - 1 - same]:
        same += 1
    return start, len(after) - same - start, before[start : len(before) - same]


def _read() -> dict[str, SetupRecord]:
    try:
        listed = json.loads((data_dir() / FILE).read_text(encoding="utf-8"))
        return {
            name: SetupRecord(**{**each, "folders": tuple(each["folders"])})
            for name, each in listed.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(known: dict[str, SetupRecord]) -> None:
    file = data_dir() / FILE
    with contextlib.suppress(OSError):
        if known:
            listed = {name: asdict(each) for name, each in known.items()}
            replace_text(file, json.dumps(listed, indent=1), PRIVATE)
        else:
            file.unlink(missing_ok=True)
