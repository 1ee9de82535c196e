"""The command's root. Groups are imported when they are called, so that starting stays cheap."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from surveyor import __version__
from surveyor.cli.command import NO_UTF8, NO_UTF8_HINT, Command, is_no_utf8
from surveyor.cli.naming_group import NamingGroup

COMMANDS: dict[str, tuple[str, str, str]] = {
    # name: (module, attribute, first line of its help)
    "index": ("index", "index", "Index a folder and keep following it."),
    "reindex": ("index", "reindex", "Bring the index of a folder up to date, now."),
    "search": ("search", "search", "Find code by what it does, by name, or by what it prints."),
    "ask": ("ask", "ask", "Answer a question from what is indexed, with your model if one is set."),
    "symbols": ("search", "symbols", "Find definitions by name."),
    "similar": ("similar", "similar", "Find code that does the same, in other words."),
    "def": ("graph", "definition", "Where something is defined."),
    "refs": ("graph", "references", "Where something is used."),
    "callers": ("graph", "callers", "What calls something, directly and through others."),
    "callees": ("graph", "callees", "What something calls, directly and through others."),
    "implementations": ("graph", "implementations", "What implements or overrides something."),
    "supertypes": ("graph", "supertypes", "What a type extends."),
    "subtypes": ("graph", "subtypes", "What extends a type."),
    "outline": ("graph", "outline", "What a file defines."),
    "deps": ("graph", "dependencies", "Files that a file imports, or that import it."),
    "impact": ("graph", "impact", "What depends on a file, a symbol or a diff."),
    "check": ("check", "check", "What a change leaves behind that does not fit it any more."),
    "test": (
        "test_runs",
        "test",
        "Run tests: those that a change reaches, or of a file or symbol.",
    ),
    "edit": ("edit", "edit", "Change files safely, and say what that leaves behind."),
    "activity": ("activity", "activity", "What agents asked, read and changed."),
    "ui": ("ui", "ui", "Search, symbols, impact, agents and status in the terminal, live."),
    "map": ("graph", "map_", "The most important files and definitions, for a budget."),
    "languages": ("languages", "languages", "Languages that are known, and what each gives."),
    "status": ("status", "status", "What is indexed, how fresh it is, what the engine uses."),
    "projects": ("status", "projects", "Registered folders."),
    "watch": ("status", "watch", "Which folders are followed."),
    "queue": ("status", "queue", "Work that waits, and what failed."),
    "memory": ("memory", "app", "Rules that you and your agents remember."),
    "library": ("library", "app", "Reference documents, also of installed packages."),
    "history": ("history", "app", "When and why code changed."),
    "secrets": ("secrets", "app", "What is masked as a secret, and allowing it."),
    "models": ("models", "app", "Embedding models: which there are, which is used."),
    "config": ("config", "app", "Settings: where they are, what they are."),
    "store": ("store", "app", "Where vectors are kept: embedded, or on a Qdrant server."),
    "engine": ("engine", "app", "The background engine."),
    "servers": ("servers", "servers", "Language servers: see, install and remove them."),
    "trust": (
        "servers",
        "trust",
        "Trust a workspace: its own language servers and tests may be started.",
    ),
    "lsp": ("servers", "lsp", "Run the language server (editors start this)."),
    "match": ("match", "match", "Find code by its syntax: a pattern with holes."),
    "hint": ("agent_hooks", "hint", "For agents' hooks: what the index has of a searched name."),
    "setup": ("setup", "setup", "Attach a coding agent with one command."),
    "mcp": ("mcp", "mcp", "Serve a coding agent over stdio."),
    "doctor": ("doctor", "doctor", "Find what is wrong, and repair what is derived."),
    "update": ("update", "app", "Whether there is a newer release."),
    "uninstall": ("uninstall", "uninstall", "Undo set-ups, servers, environments and data."),
}


class LazyGroup(NamingGroup):
    """A group that knows its commands' names and imports a command only to run it."""

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the module and build the command."""
        found = COMMANDS.get(cmd_name)
        if found is None:
            return None
        module, attribute, _ = found
        target: Any = getattr(importlib.import_module(f"surveyor.cli.{module}"), attribute)
        if isinstance(target, typer.Typer):
            group = typer.main.get_group(target)
            group.name = cmd_name
            return group
        single = typer.Typer(rich_markup_mode=None, add_completion=False)
        single.command(cmd_name, cls=Command)(target)
        return typer.main.get_command(single)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


app = typer.Typer(
    name="surveyor",
    cls=LazyGroup,
    help="One map of the code for your editor and your coding agent.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def show_version(wanted: bool) -> None:
    """Print the version and stop, when asked."""
    if wanted:
        typer.echo(f"surveyor {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """One map of the code for your editor and your coding agent."""
    from surveyor import user_path

    if context.invoked_subcommand not in user_path.NOT_FROM_A_SHELL:
        user_path.remember()


READER_LEFT = 141
"""As shells say it of a program that SIGPIPE has ended: 1 would be "nothing found"."""


def run() -> None:
    """Run a command; output that has no room or that nobody reads any more, and folders that may
    not be used, are no faults of the program."""
    import errno
    import os
    import sys

    from surveyor.errors import NO_ROOM_ERRNOS

    _write_what_a_locale_lacks()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except SystemExit:
        # What the framework puts in stdout's place where it has ended the command for that.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            raise SystemExit(READER_LEFT) from None
        raise
    except BrokenPipeError:
        os._exit(READER_LEFT)
    except UnicodeEncodeError as error:
        if not is_no_utf8(error):
            raise
        sys.stderr.write(f"surveyor: {NO_UTF8}\n  {NO_UTF8_HINT}\n")
        raise SystemExit(2) from None
    except OSError as error:
        if error.filename and error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            doing = "written" if error.errno == errno.EROFS else "used"
            sys.stderr.write(f"surveyor: {error.filename} cannot be {doing}: {error.strerror}\n")
            sys.stderr.write("  Give your user access to it; nothing was changed there.\n")
            raise SystemExit(1) from None
        if error.errno not in NO_ROOM_ERRNOS:
            raise
        what = error.filename or "the answer"
        sys.stderr.write(f"surveyor: {what} cannot be written: {error.strerror}\n")
        if error.filename:
            sys.stderr.write("  Free some space; what was there is as it was.\n")
        os._exit(1)  # the interpreter would write the rest, and fail again


def _write_what_a_locale_lacks() -> None:
    """Have a terminal or pipe of another encoding (Latin-1, Windows' code pages) show `?` for what
    it has no character for; UTF-8 lacks nothing, and what it refuses was typed wrongly."""
    import codecs
    import sys

    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and codecs.lookup(stream.encoding).name != "utf-8":
            reconfigure(errors="replace")
