"""Which project a command is about: the one here, a folder's, one named or numbered, or all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from surveyor.cli import output
from surveyor.errors import UsageError
from surveyor.paths import is_file, is_there

EVERY = "all"
"""`--project all` means every project."""

ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project", "-C", metavar="PATH", help="Folder of the project, its name or its id.",
        show_default="here",
    ),
]  # fmt: skip
AnyProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project", "-C", metavar="PATH",
        help="Folder of the project, its name or its id; `all` for every one.",
        show_default="here",
    ),
]  # fmt: skip


class ProjectFields(TypedDict):
    """Fields of a request that say which project is meant."""

    cwd: str | None
    project: str | None


def project_fields(project: str | None) -> ProjectFields:
    """A folder if there is one of that name, else what the engine knows a project by."""
    folder = Path(project or ".").expanduser()
    if is_file(folder):
        output.fail(UsageError(f"{folder} is a file", "Give the folder that holds it."))
    if project is None or os.sep in project or is_there(folder):
        return {"cwd": str(folder.resolve()), "project": None}
    return {"cwd": str(Path.cwd()), "project": project}
