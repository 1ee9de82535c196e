"""A data folder that cannot be written: a copy of it answers, and nothing is stored."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from surveyor import paths
from surveyor.errors import SurveyorError
from surveyor.store.vectors import layout
from surveyor.units import format_size

SHARE = 0.5
"""Of what is free in the temporary folder, this may be used."""


@contextlib.contextmanager
def copied(data: Path) -> Iterator[Path]:
    """A copy for as long as an engine runs. Raises `SurveyorError` where there is no room."""
    parts = [data / name for name in ("state.db", "state.db-wal", "vectors", "notes")]
    size = sum(paths.disk_bytes(part) for part in parts if part.exists())
    base = Path(tempfile.gettempdir())
    if size > SHARE * shutil.disk_usage(base).free:
        raise SurveyorError(
            f"{data} cannot be written, and {base} has no room for a copy of its"
            f" {format_size(size)} to answer from",
            "Give your user write access to it, or set TMPDIR to a folder with more room.",
        )
    with tempfile.TemporaryDirectory(prefix="surveyor-read-only-", dir=base) as made:
        for part in parts:
            if part.is_dir():
                layout.copy_shard(part, Path(made) / part.name)
            elif part.exists():
                shutil.copyfile(part, Path(made) / part.name)
        yield Path(made)


def refusal(data: Path) -> SurveyorError:
    """What to say to whoever wants something stored."""
    said = SurveyorError(
        f"the data folder {data} cannot be written: nothing is indexed or stored, and what it held"
        " is answered",
        "Give your user write access to it and run `surveyor engine restart`, or set"
        " SURVEYOR_DATA_DIR to another folder.",
    )
    said.code = "read_only"
    said.exit_code = 5
    return said
