"""`surveyor servers …`, `surveyor trust`, `surveyor lsp`: a user's side of language servers."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec

import typer

from surveyor import paths
from surveyor.cli import output
from surveyor.cli.completion import among
from surveyor.units import counted

servers = output.group("Language servers: see, install and remove them.")

P = ParamSpec("P")
MOST_PORT = 65_535


def friendly(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose errors are messages."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with output.friendly_errors():
            command(*args, **kwargs)

    return run


def _server_names(incomplete: str) -> list[str]:
    """Languages that servers are known for, and those servers."""
    from surveyor.servers.registry import builtin

    known = builtin()
    servers = {each.name for language in known.languages for each in known.candidates(language)}
    return among(sorted(servers | set(known.languages)))(incomplete)


STOP_S = 8.0
"""How long the host may take to end its servers."""

ANSWER_S = 1.5
"""How long it may take to answer."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@servers.command("list")
@friendly
def list_servers(
    language: Annotated[str | None, typer.Argument(help="Only this language.")] = None,
    as_json: Json = False,
) -> None:
    """Show each language's servers: which are found here, and how to get the others."""
    from surveyor.errors import UsageError
    from surveyor.servers.config import load_config
    from surveyor.servers.discovery import Discovery
    from surveyor.servers.install import installed
    from surveyor.servers.registry import builtin, with_user

    config = load_config()
    registry = with_user(builtin(), config.upstream)
    discovery = Discovery(config.user_path, config.installed)
    root = Path.cwd()
    wanted = sorted(registry.languages)
    if language is not None:
        spec = registry.language_of(language_id=language)
        if spec is None:
            raise UsageError(f"No language is called {language!r}.", ", ".join(wanted))
        wanted = [spec.name]
    fetched = {
        name
        for record in installed(config.installed or Path())
        if record.provider == "multilspy"
        for name in record.languages
    }

    async def rows_of_servers() -> list[dict[str, Any]]:
        rows = []
        for name in wanted:
            for spec in registry.candidates(name):
                found = await discovery.find(
                    [spec], root, trusted=config.trusted(root), confined=config.confined(root)
                )
                held = not found and await discovery.held_back(spec, root)
                rows.append(
                    {
                        "language": name,
                        "server": spec.name,
                        "path": found[0].command[0] if found else None,
                        "origin": found[0].origin if found else None,
                        "needs_trust": held,
                        "install": "surveyor"
                        if spec.install.pypi or spec.install.npm
                        else spec.install.hint or None,
                    }
                )
            if name in fetched:
                rows.append(
                    {
                        "language": name,
                        "server": "multilspy",
                        "path": str(config.installed),
                        "origin": "multilspy",
                        "needs_trust": config.confined(root),
                        "install": "surveyor",
                    }
                )
        return rows

    rows = asyncio.run(rows_of_servers())
    if as_json:
        typer.echo(json.dumps({"servers": rows}))
        return
    chosen: set[str] = set()
    for row in rows:
        mark = " "
        if row["path"] and row["language"] not in chosen:
            chosen.add(row["language"])
            mark = "*"
        where = f"{row['path']} ({row['origin']})" if row["path"] else missing_text(row)
        if row["needs_trust"]:
            where = "here, and starts in trusted folders only: surveyor trust ."
        typer.echo(f"{mark} {row['language']:<11} {row['server']:<31} {where}")
    typer.echo("* is used; the first that runs wins. `upstream.<language>` names another.")


def missing_text(row: dict[str, Any]) -> str:
    """How to get a server that is not here."""
    if row["install"] == "surveyor":
        return f"not found; surveyor servers install {row['server']}"
    return f"not found; {row['install'] or 'install it yourself'}"


@servers.command("install")
@friendly
def install_server(
    what: Annotated[
        str,
        typer.Argument(
            metavar="LANG", help="A language or a server's name.", autocompletion=_server_names
        ),
    ],
    provider: Annotated[
        Literal["packages", "multilspy"],
        typer.Option(help="packages: PyPI and npm; multilspy: what it fetches and launches."),
    ] = "packages",
) -> None:
    """Install a language's server into an environment of Surveyor's own."""
    from surveyor.servers import install, multilspy_provider
    from surveyor.servers.config import load_config
    from surveyor.servers.registry import builtin, with_user

    config = load_config()
    registry = with_user(builtin(), config.upstream)
    base = install.servers_folder(paths.data_dir())
    if provider == "multilspy":
        folder = multilspy_provider.install_language(registry, what, base, typer.echo)
    else:
        folder = install.install(install.choose(registry, what), base, typer.echo)
    typer.echo(f"installed in {folder}")


@servers.command("remove")
@friendly
def remove_server(
    what: Annotated[
        str,
        typer.Argument(
            metavar="LANG",
            help="A language, a server's name, or multilspy.",
            autocompletion=_server_names,
        ),
    ],
) -> None:
    """Remove what `servers install` installed."""
    from surveyor.servers import install
    from surveyor.servers.registry import builtin

    base = install.servers_folder(paths.data_dir())
    for name in install.remove(what, builtin(), base):
        typer.echo(f"removed {name}")


@servers.command("run")
@friendly
def run_host() -> None:
    """Run the process that owns the language servers of all windows and agents."""
    from surveyor.engine_lock import is_held
    from surveyor.errors import SurveyorError
    from surveyor.servers.host.client import LOCK
    from surveyor.servers.host.main import run

    data = paths.data_dir()
    if is_held(paths.runtime_dir(data) / LOCK):
        raise SurveyorError(
            f"a host of language servers already serves {data}",
            "End it first: `surveyor servers stop`.",
        )
    raise typer.Exit(run())


@servers.command("stop")
@friendly
def stop_host() -> None:
    """End the shared language servers; windows and agents that need one start it again."""
    said = end_host()
    typer.echo(said or "No host of language servers is running.")


def end_host() -> str:
    """End the host of language servers with its servers; what was done, empty where none ran."""
    import time

    from surveyor.engine_lock import holder_of, is_held, is_released
    from surveyor.platform.processes import end_tree
    from surveyor.servers.host.attach import STOP
    from surveyor.servers.host.client import LOCK, ask

    lock = paths.runtime_dir(paths.data_dir()) / LOCK
    if not is_held(lock):
        return ""
    deadline = time.monotonic() + STOP_S
    with contextlib.suppress(TimeoutError, OSError):
        asyncio.run(ask(paths.data_dir(), STOP, limit_s=ANSWER_S))
    holder = None if is_released(lock, deadline) else holder_of(lock)
    if holder is None or "servers" not in holder.command.split():
        return "The host of language servers has ended."
    end_tree(holder.pid)
    return f"{holder.sentence} did not end by itself: it was killed, with its servers."


@servers.command("status")
@friendly
def server_status(as_json: Json = False) -> None:
    """Show the servers that run now: clients, readiness, memory, restarts, last words."""
    from surveyor.client.blocking import call
    from surveyor.errors import EngineUnavailableError
    from surveyor.protocol.engine import StatusRequest
    from surveyor.servers.host.attach import STATUS
    from surveyor.servers.host.client import ask

    rows: list[dict[str, Any]] = []
    note = ""
    host = None
    with contextlib.suppress(TimeoutError, OSError):
        host = asyncio.run(ask(paths.data_dir(), STATUS, limit_s=ANSWER_S))
    try:
        rows = call(StatusRequest(), start=False).upstreams
    except EngineUnavailableError as error:
        note = f"the engine is not there to be asked: {error.message}"
    shared = {row["pid"] for row in host["servers"]} if host else set()
    if as_json:
        typer.echo(json.dumps({"host": host, "upstreams": rows, "note": note or None}))
        return
    if note:
        typer.echo(note, err=True)
    if host is not None:
        megabytes = host["memoryBytes"] / (1 << 20)
        typer.echo(f"host: pid {host['pid']}, version {host['version']}, {megabytes:.0f} MB")
        for row in host["servers"]:
            show_shared(row)
    own = [row for row in rows if row.get("pid") not in shared]
    if not own and not shared:
        typer.echo("No language server runs.")
    for row in own:
        megabytes = int(row.get("memoryBytes") or 0) / (1 << 20)
        typer.echo(
            f"{row.get('name')} ({row.get('language')}) {row.get('root')}\n"
            f"  {row.get('state')}, {'ready' if row.get('ready') else 'not ready'}, "
            f"{megabytes:.0f} MB, {counted(row.get('restarts', 0), 'restart')}, for"
            f" {row.get('for', '?')}"
        )
        show_last_words(row)


def show_shared(row: dict[str, Any]) -> None:
    """A server of the host, and who uses it."""
    clients = row["clients"]
    used = ", ".join(f"{each['client']} {each['pid']}" for each in clients) or "nobody"
    kept = ", kept for who comes again" if row["kept"] else ""
    alone = ", for one window alone: its unsaved text differs" if row["private"] else ""
    typer.echo(
        f"{row['name']} ({row['language']}) {row['root']}\n"
        f"  pid {row['pid']}, {row['state']}, {row['memoryBytes'] / (1 << 20):.0f} MB, "
        f"{counted(row['restarts'], 'restart')}, {counted(row['documents'], 'document')}, "
        f"{counted(len(clients), 'client')}: {used}{kept}{alone}"
    )
    show_last_words(row)


def show_last_words(row: dict[str, Any]) -> None:
    """Why a server is in its state, and the end of what it wrote to stderr."""
    if row.get("reason"):
        typer.echo(f"  {row['reason']}")
    for line in str(row.get("stderr") or "").splitlines()[-3:]:
        typer.echo(f"  | {line}")


@friendly
def trust(
    path: Annotated[Path, typer.Argument(help="The workspace.", show_default="here")] = Path(),
    remove: Annotated[bool, typer.Option("--remove", help="Trust it no more.")] = False,
    show: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
) -> None:
    """Trust a workspace: its own language servers (.venv, node_modules) may be started."""
    from surveyor.errors import NotFoundError, UsageError
    from surveyor.servers.trust import Trust, trust_file

    store = Trust(trust_file(paths.data_dir()))
    if show:
        for folder in store.folders():
            typer.echo(folder)
        return
    if remove:
        known = store.remove(path)
        typer.echo(f"{paths.named_path(path)} is {'no longer' if known else 'not'} trusted")
        return
    if not paths.is_folder(path):
        if paths.is_there(path):
            raise UsageError(f"{path} is a file", "Give the folder that holds it.")
        raise NotFoundError(f"there is no folder {path}", "Check the path.")
    store.add(path)
    typer.echo(
        f"{paths.named_path(path)} is trusted: its own language servers and tests may be started"
    )


def lsp(
    stdio: Annotated[
        bool,
        typer.Option(
            "--stdio",
            help="Accepted, since many clients add it: the default.",
            show_default=False,
        ),
    ] = True,
    tcp: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve one client over TCP (debugging).")
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="debug, info, warning or error, for the log file."),
    ] = "info",
    log_file: Annotated[
        Path | None, typer.Option(help="The log file. [default: lsp.log in the data folder]")
    ] = None,
    editor_process: Annotated[
        int | None, typer.Option("--clientProcessId", hidden=True, help="As LSP has it; unused.")
    ] = None,
) -> None:
    """Run the language server on stdin and stdout (editors start this)."""
    from surveyor.lsp.main import serve

    del editor_process  # `initialize` says it, too
    host, colon, port = (tcp or ":0").rpartition(":")
    if not colon or not port.isdecimal() or int(port) > MOST_PORT:
        raise typer.BadParameter(f"--tcp is HOST:PORT, with a port up to {MOST_PORT}, not {tcp!r}")
    address = None if tcp is None else (host.strip("[]") or "127.0.0.1", int(port))
    try:
        status = serve(tcp=address, log_level=log_level, log_file=log_file)
    except OSError as error:
        cannot_listen = (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES)
        if isinstance(error, socket.gaierror):
            raise typer.BadParameter(f"cannot listen on {tcp}: {error.strerror}") from error
        if tcp is None or error.errno not in cannot_listen:
            raise
        raise typer.BadParameter(f"cannot listen on {tcp}: {os.strerror(error.errno)}") from error
    sys.exit(status)
