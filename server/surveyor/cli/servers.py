"""`surveyor servers …`, `surveyor trust`, `surveyor lsp`: a user's side of language servers."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec

import typer

from surveyor import paths
from surveyor.cli import output

servers = output.group("Language servers: see, install and remove them.")

P = ParamSpec("P")


def friendly(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose errors are messages."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with output.friendly_errors():
            command(*args, **kwargs)

    return run


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
                found = await discovery.find([spec], root, trusted=config.trusted(root))
                rows.append(
                    {
                        "language": name,
                        "server": spec.name,
                        "path": found[0].command[0] if found else None,
                        "origin": found[0].origin if found else None,
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
    what: Annotated[str, typer.Argument(metavar="LANG", help="A language or a server's name.")],
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
        str, typer.Argument(metavar="LANG", help="A language, a server's name, or multilspy.")
    ],
) -> None:
    """Remove what `servers install` installed."""
    from surveyor.servers import install
    from surveyor.servers.registry import builtin

    base = install.servers_folder(paths.data_dir())
    for name in install.remove(what, builtin(), base):
        typer.echo(f"removed {name}")


@servers.command("status")
@friendly
def server_status(as_json: Json = False) -> None:
    """Show the servers that run now: state, readiness, memory, restarts, last words."""
    from surveyor.client.blocking import call
    from surveyor.errors import EngineUnavailableError
    from surveyor.protocol.engine import StatusRequest

    rows: list[dict[str, Any]] = []
    note = ""
    try:
        rows = call(StatusRequest(), start=False).upstreams
    except EngineUnavailableError as error:
        note = f"the engine is not there to be asked: {error.message}"
    if as_json:
        typer.echo(json.dumps({"upstreams": rows, "note": note or None}))
        return
    if note:
        typer.echo(note, err=True)
    if not rows:
        typer.echo("No language server runs.")
    for row in rows:
        megabytes = int(row.get("memoryBytes") or 0) / (1 << 20)
        typer.echo(
            f"{row.get('name')} ({row.get('language')}) {row.get('root')}\n"
            f"  {row.get('state')}, {'ready' if row.get('ready') else 'not ready'}, "
            f"{megabytes:.0f} MB, {row.get('restarts', 0)} restarts, for {row.get('for', '?')}"
        )
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
    from surveyor.errors import UsageError
    from surveyor.servers.trust import Trust, trust_file

    store = Trust(trust_file(paths.data_dir()))
    if show:
        for folder in store.folders():
            typer.echo(folder)
        return
    if remove:
        known = store.remove(path)
        typer.echo(f"{path.resolve()} is {'no longer' if known else 'not'} trusted")
        return
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder.")
    store.add(path)
    typer.echo(f"{path.resolve()} is trusted: its own language servers may be started")


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
        str, typer.Option(help="debug, info, warning or error, for the log file.")
    ] = "info",
    log_file: Annotated[
        Path | None, typer.Option(help="The log file. [default: lsp.log in the data folder]")
    ] = None,
) -> None:
    """Run the language server on stdin and stdout (editors start this)."""
    from surveyor.lsp.main import serve

    sys.exit(serve(tcp=tcp, log_level=log_level, log_file=log_file))
