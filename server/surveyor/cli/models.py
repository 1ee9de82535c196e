"""`surveyor models`: which embedding models there are, which one is used, and changing it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surveyor.cli import output
from surveyor.paths import is_folder, named_path

if TYPE_CHECKING:
    from surveyor.embedding.dense import KnownModel
    from surveyor.worker.speed import WorkerSpeed

app = output.group("Embedding models.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

PROBE = "def read_lines(path): return open(path).readlines()"
"""A text that every embedding model gives a vector for."""

OVERRIDES = ("SURVEYOR_MODEL__NAME", "FASTEMBED_MODEL")
"""Variables that win over the configuration file."""


@app.command("list")
def list_models(
    everything: Annotated[
        bool, typer.Option("--all", help="Also models that would have to be downloaded.")
    ] = False,
    no_measure: Annotated[
        bool, typer.Option("--no-measure", help="Do not measure speeds (two seconds in all).")
    ] = False,
    json: JsonOption = False,
) -> None:
    """List the models that can be used, each with its speed here; `*` marks the configured one."""
    from surveyor.cli import hardware
    from surveyor.config import load
    from surveyor.embedding.dense import known_models

    settings = load().settings
    machine = hardware.survey()  # before models take memory
    known = [model for model in known_models(settings.model.name) if everything or model.available]
    here = [] if no_measure else [model.name for model in known if model.available]
    speeds = {
        name: hardware.measured(name, settings, hardware.MEASURE_S / len(here)) for name in here
    }
    used = speeds.get(settings.model.name)
    fits = None if used is None or isinstance(used, str) else hardware.carries(
        machine, used, settings
    )  # fmt: skip
    if json:
        models = [_as_json(model, settings.model.name, speeds.get(model.name)) for model in known]
        output.print_json({"models": models, "machine": hardware.as_json(machine, fits)})
        return
    width = max(len(model.name) for model in known)
    for model in known:
        mark = "*" if model.name == settings.model.name else " "
        line = f"{mark} {model.name:<{width}}  {model.dimension:>5}  {model.source:<16}"
        output.say(f"{line}  {_speed_said(speeds.get(model.name))}".rstrip())
    if not everything:
        output.note("Any folder with an ONNX model works, too. `--all` adds what needs a download.")
    output.note(
        f"This machine: {hardware.cores_said(machine.cores)},"
        f" {hardware.memory_said(machine.memory)};"
        f" accelerator: {hardware.accelerator_said(machine, used)}."
    )
    if fits is not None:
        output.note(f"It carries {hardware.capacity_said(fits)}.")


def _as_json(model: KnownModel, configured: str, speed: WorkerSpeed | str | None) -> dict[str, Any]:
    from surveyor.cli import hardware

    failure = speed if isinstance(speed, str) else None
    return {
        "name": model.name,
        "dimension": model.dimension,
        "source": model.source,
        "available": model.available,
        "configured": model.name == configured,
        "speed": None if speed is None or isinstance(speed, str) else hardware.speed_json(speed),
        "not_measured": failure,
    }


def _speed_said(speed: WorkerSpeed | str | None) -> str:
    from surveyor.cli import hardware

    if speed is None or isinstance(speed, str):
        return f"not measured: {speed}" if speed else ""
    return hardware.speed_said(speed)


@app.command()
def use(
    name: Annotated[
        str,
        typer.Argument(
            help="A model's name, or a folder that holds one.",
        ),
    ],
    download: Annotated[
        bool, typer.Option("--download", help="Fetch the model if it is not on this machine.")
    ] = False,
) -> None:
    """Use another model from now on; the old one answers until everything is embedded again."""
    import numpy as np

    from surveyor.cli.config import set_value
    from surveyor.embedding.contract import ModelError
    from surveyor.embedding.dense import describe_model, load_embedder

    with output.friendly_errors():
        info = describe_model(name)
        # Loaded here first: a model that does not work never reaches the configuration.
        embedder = load_embedder(name, allow_download=download)
        vector = embedder.embed_query(PROBE)
        if vector.shape != (embedder.dimension,) or not np.isfinite(vector).all():
            raise ModelError(f"{name} gives no usable vectors.", "Choose another model.")
        chosen = str(info.folder) if is_folder(named_path(name)) else info.name
        set_value("model.name", chosen)
    output.say(f"{embedder.dimension} dimensions, fingerprint {embedder.fingerprint}")
    for variable in OVERRIDES:
        if os.environ.get(variable, chosen) != chosen:
            output.note(f"{variable}={os.environ[variable]} is set and wins over the file.")
    output.note(
        "A running engine embeds again in the background: `surveyor models status` shows how far."
    )


@app.command()
def status(json: JsonOption = False) -> None:
    """Show the model in use and, after a change, how much is embedded with it."""
    from surveyor.client.blocking import call
    from surveyor.config import load
    from surveyor.embedding.dense import describe_model
    from surveyor.protocol.engine import StatusRequest

    with output.friendly_errors():
        answer = call(StatusRequest())
        info = describe_model(answer.model)
    pending = {
        project.root: project.reembedding
        for project in answer.projects
        if project.reembedding is not None
    }
    if json:
        output.print_json(
            {
                "model": answer.model,
                "dimension": info.dimension,
                "fingerprint": info.fingerprint,
                "folder": str(info.folder) if info.folder else None,
                "reembedding": pending,
            }
        )
        return
    output.say(f"{answer.model}  {info.dimension} dimensions  fingerprint {info.fingerprint}")
    if info.folder is not None:
        output.say(f"in {info.folder}")
    for root, share in pending.items():
        output.say(f"{share:4.0%} embedded again  {root}")
    configured = load().settings.model.name
    if configured not in (answer.model, str(info.folder)):
        output.note(f"{configured} is configured; the engine turns to it within seconds, or says")
        output.note("in `surveyor doctor` why it cannot.")
    elif not pending:
        output.say("Everything is embedded with this model.")
