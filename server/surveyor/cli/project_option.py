"""Which project a command is about: the one here, a folder's, one named or numbered, or all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from surveyor.cli import output
from surveyor.errors import NotFoundError, UsageError
from surveyor.paths import is_file, is_there, named_path

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


DiffOption = Annotated[
    bool,
    typer.Option(
        "--diff",
        help="What the working tree changes, untracked files too; `--diff staged` and `--diff A..B`"
        " name another change.",
    ),
]
StagedOption = Annotated[bool, typer.Option("--staged", help="What is staged.")]
RangeOption = Annotated[
    str | None,
    typer.Option("--range", metavar="A..B", help="What a git range changes, as main..HEAD."),
]
MOST_WAIT_S = 86_400
"""Seconds: what the engine takes."""
WaitOption = Annotated[
    float, typer.Option(min=0, max=MOST_WAIT_S, help="Seconds to wait for a fresh index.")
]


def change_of(diff: bool, staged: bool, revisions: str | None) -> str | None:
    """The change that is meant, as requests name it; None where none is."""
    return revisions or ("staged" if staged else "working" if diff else None)


class ProjectFields(TypedDict):
    """Fields of a request that say which project is meant."""

    cwd: str | None
    project: str | None


def project_fields(project: str | None) -> ProjectFields:
    """A folder if there is one of that name, else what the engine knows a project by."""
    if project is None:  # the system has it without links; a stalled drive is not asked
        return {"cwd": str(Path.cwd()), "project": None}
    folder = Path(os.path.expanduser(project))  # noqa: PTH111 - which raises for no user's
    if is_file(folder):
        output.fail(UsageError(f"{folder} is a file", "Give the folder that holds it."))
    if os.sep in project or is_there(folder):
        return {"cwd": str(named_path(folder)), "project": None}
    return {"cwd": str(Path.cwd()), "project": project}


def project_folder(project: str | None) -> Path:
    """The folder that is meant; of a name or an id, where that project is.

    Raises `NotFoundError` for a name that nothing has.
    """
    fields = project_fields(project)
    name = fields["project"]
    if name is None:
        return Path(str(fields["cwd"]))
    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ProjectsRequest

    for known in call(ProjectsRequest()).projects:
        if name in (known.name, known.project_id, known.checkout_id):
            return Path(known.root)
    raise NotFoundError(f"no project is called {name}", "See `surveyor projects list`.")
