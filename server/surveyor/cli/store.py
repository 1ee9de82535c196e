"""`surveyor store`: where points are, and moving them to a Qdrant server or back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.units import counted

if TYPE_CHECKING:
    from surveyor.config import Settings

app = output.group("Where vectors are kept: embedded, or on a Qdrant server.")

EMBEDDED = "embedded"
URL_VARIABLES = ("QDRANT_URL", "SURVEYOR_QDRANT__URL")
KEY_VARIABLES = ("QDRANT_API_KEY", "SURVEYOR_QDRANT__API_KEY")
LINE_S = 2.0
"""Between two lines of progress."""

Target = Annotated[str, typer.Argument(help="Address of a Qdrant server, or: embedded.")]


@app.command()
def move(
    target: Target,
    anew: Annotated[bool, typer.Option("--anew", help="Copy points that are there, too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Move all points to a Qdrant server, or back into the data folder.

    The engine is ended meanwhile. What was interrupted goes on when the command is run again.
    Points are counted and samples compared before the settings change; nothing is removed from the
    old store: `surveyor store clear` does that. The server's key is QDRANT_API_KEY or
    qdrant.api_key.
    """
    from surveyor import paths
    from surveyor.cli.config import change
    from surveyor.cli.engine_end import end_engine
    from surveyor.engine.process import store_move

    with output.friendly_errors():
        old, new = _settings(target)
        data = paths.data_dir()
        was, will_be = _name(old), _name(new)
        if old.qdrant.url == new.qdrant.url:
            _say_done(json, moved=False, store=will_be)
            return
        for each in (old, new):
            if each.qdrant.url:
                version = store_move.check_server(data, each)
                output.note(f"{_name(each)} is Qdrant {version}")
        try:
            with store_move.engine_kept_away(data, lambda: end_engine(quietly=True)):
                report = store_move.move_points(data, old, new, _progress(), anew=anew)
                change("qdrant", "url", new.qdrant.url or "")
        except KeyboardInterrupt:
            output.note(f"Interrupted: {was} is still used. The same command goes on from here.")
            raise typer.Exit(130) from None
        if json:
            _say_done(
                json, moved=True, store=will_be, old_store=was, spaces=report.spaces,
                points=report.points, copied=report.copied, elapsed_s=round(report.elapsed_s, 2),
            )  # fmt: skip
            return
        output.say(
            f"{will_be} has {counted(report.points, 'point')} of"
            f" {counted(report.spaces, 'space')} now, counted and compared"
            f" ({report.copied} copied in {report.elapsed_s:.0f} s)."
        )
        output.say(
            f"Those in {was} are left as they were: `surveyor store clear {_argument(old)}`"
            " removes them."
        )
        if new.qdrant.url and any(os.environ.get(name) for name in KEY_VARIABLES):
            output.say("The key is known to this terminal alone: the engine needs it, too.")


@app.command()
def clear(
    target: Target,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Remove this data folder's points from a store that is not in use any more."""
    from surveyor import paths
    from surveyor.engine.process import store_move
    from surveyor.errors import UsageError

    with output.friendly_errors():
        old, other = _settings(target)
        if old.qdrant.url == other.qdrant.url:
            raise UsageError(
                f"{_name(other)} is in use", "Move first: `surveyor store move`. Or see `doctor`."
            )
        points = store_move.clear_points(paths.data_dir(), other)
        if json:
            output.print_json({"store": _name(other), "removed": points})
        else:
            output.say(f"{counted(points, 'point is', 'points are')} removed from {_name(other)}.")


def _settings(target: str) -> tuple[Settings, Settings]:
    """The settings as they are, and with the store that is meant."""
    from surveyor.config import check_value, load
    from surveyor.engine.process.store_move import with_store
    from surveyor.errors import UsageError

    url = None if target == EMBEDDED else target.rstrip("/")
    if url is not None and not url.startswith(("http://", "https://")):
        raise UsageError(f"{target!r} is no address", f"Give http://host:6333, or {EMBEDDED}.")
    check_value("qdrant", "url", url or "")
    for name in URL_VARIABLES:
        if os.environ.get(name):
            raise UsageError(
                f"{name} is set, and overrides what a move changes",
                f"Unset it: the address is kept in the settings. `unset {name}`",
            )
    settings = load().settings
    current = (settings.qdrant.url or "").rstrip("/") or None
    return with_store(settings, current), with_store(settings, url)


def _name(settings: Settings) -> str:
    from surveyor.config.addresses import without_user

    return without_user(settings.qdrant.url) if settings.qdrant.url else "the embedded store"


def _argument(settings: Settings) -> str:
    return _name(settings) if settings.qdrant.url else EMBEDDED


def _progress() -> Callable[[str, int, int], None]:
    """A line now and then, with how long the rest may take."""
    began = shown = time.monotonic()
    first: dict[str, int] = {}

    def told(phase: str, done: int, total: int) -> None:
        nonlocal began, shown
        now = time.monotonic()
        if phase not in first:
            first[phase], began = done, now
        elif now - shown < LINE_S and done < total:
            return
        shown = now
        rate = (done - first[phase]) / (now - began) if now > began else 0.0
        left = f", about {(total - done) / rate:.0f} s left" if rate and done < total else ""
        output.note(f"{phase}: {done} of {counted(total, 'point')}{left}")

    return told


def _say_done(json: bool, *, moved: bool, store: str, **more: object) -> None:
    if json:
        output.print_json({"moved": moved, "store": store, **more})
    elif not moved:
        output.say(f"Points are in {store} already.")
