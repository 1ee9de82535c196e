"""`surveyor secrets`: what is masked in a project's files, and allowing it."""

from __future__ import annotations

from typing import Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import ProjectOption, project_fields

app = output.group("What is masked as a secret, and what is allowed.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PathOption = Annotated[
    str | None,
    typer.Option(
        "--path", help="Files by a pattern, relative to their project: `tests/fixtures/**`."
    ),
]
FingerprintArgument = Annotated[
    str | None, typer.Argument(help="As `list` shows it.", show_default=False)
]


@app.command("list")
def list_secrets(project: ProjectOption = None, json: JsonOption = False) -> None:
    """List what is masked: file, line, rule and fingerprint, never the value."""
    from surveyor.client.blocking import connect
    from surveyor.protocol.secrets import SecretsRequest

    with output.friendly_errors(), connect() as client:
        answer = client.call(SecretsRequest(**project_fields(project)))
    if json:
        output.print_json(answer)
        return
    for one in answer.secrets:
        mark = "  (allowed)" if one.allowed else ""
        output.say(f"{one.path}:{one.line}  {one.rule}  {one.fingerprint}{mark}")
    for pattern in answer.allowed_paths:
        output.note(f"allowed: --path {pattern}")
    if answer.more:
        output.note(f"and {answer.more} more")
    if not answer.secrets:
        output.note(f"Nothing is masked in {answer.root}.")


@app.command()
def allow(fingerprint: FingerprintArgument = None, path: PathOption = None) -> None:
    """Leave a value, or files, as they are: they are found and shown from now on."""
    from surveyor.client.blocking import connect
    from surveyor.protocol.secrets import AllowSecretRequest

    with output.friendly_errors(), connect() as client:
        answer = client.call(AllowSecretRequest(fingerprint=fingerprint, path=path))
    output.say(f"{answer.message} Files that are read again: {answer.files}.")


@app.command()
def disallow(fingerprint: FingerprintArgument = None, path: PathOption = None) -> None:
    """Mask again what was allowed."""
    from surveyor.client.blocking import connect
    from surveyor.protocol.secrets import DisallowSecretRequest

    with output.friendly_errors(), connect() as client:
        answer = client.call(DisallowSecretRequest(fingerprint=fingerprint, path=path))
    output.say(f"{answer.message} Files that are read again: {answer.files}.")
