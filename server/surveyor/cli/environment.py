"""The user's PATH, kept for processes that start without a shell (seed 000, "PATH configuration").

An editor started from a desktop has a short PATH; its language servers are found all the same,
because the command line, which has the long one, writes it down.
"""

from __future__ import annotations

import os
from pathlib import Path


def merged_path(current: str, stored: str) -> str:
    """Expanded entries of the current PATH, then those stored before; the first of equals wins."""
    entries: dict[str, None] = {}
    for entry in (*current.split(os.pathsep), *stored.split(os.pathsep)):
        expanded = os.path.expandvars(entry.strip())
        if expanded and not expanded.startswith("$"):
            entries.setdefault(str(Path(expanded).expanduser()))
    return os.pathsep.join(entries)


def remember_path() -> None:
    """Write the merged PATH to the user's configuration, if it changed; never fails."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    from surveyor import paths

    file = paths.config_file()
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
        section = document.setdefault("environment", tomlkit.table())
        stored = str(section.get("user_path", ""))
        merged = merged_path(os.environ.get("PATH", ""), stored)
        if merged != stored:
            section["user_path"] = merged
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(tomlkit.dumps(document), encoding="utf-8")
    except (OSError, UnicodeDecodeError, TOMLKitError, AttributeError):
        return  # a file that cannot be read is the business of `surveyor config show`
