"""Whose points a server's are: each data folder has a name of its own there."""

from __future__ import annotations

import uuid
from pathlib import Path

OWNER_FILE = "owner"


def owner_of(data_dir: Path) -> str:
    """The data folder's name on servers, made when first asked for; to be called by who has the
    engine's lock. Raises `OSError`."""
    file = data_dir / OWNER_FILE
    if not file.exists():
        made = data_dir / f".{OWNER_FILE}-{uuid.uuid4().hex[:8]}"
        made.write_text(uuid.uuid4().hex[:16])
        made.replace(file)
    return file.read_text().strip()
