"""How the command line talks: plain lines, JSON, and colours only where somebody looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import msgspec
import typer

from surveyor.cli.command import Command
from surveyor.cli.naming_group import NamingGroup
from surveyor.errors import SurveyorError
from surveyor.protocol.base import Freshness
from surveyor.protocol.wire import one_based
from surveyor.terminal_text import written_out

if TYPE_CHECKING:
    from rich.console import Console

WHOLE = 1000
"""Characters: more than any command's first paragraph has."""

F = TypeVar("F", bound=Callable[..., Any])


class Group(NamingGroup):
    """A group whose help says of each command all that its first paragraph does."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Wrapped where it is long, not cut."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(WHOLE)) for name, one in commands if one]
            )


class _Commands(typer.Typer):
    """A group whose commands do with what they are given what all commands do."""

    def command(self, name: str | None = None, **options: Any) -> Any:
        """As the library has it."""
        return super().command(name, cls=Command, **options)


def group(text: str) -> typer.Typer:
    """A group of commands. Its help is plain, as the root's is: it loads no library, and fits
    into a narrow terminal and into a pipe."""
    return _Commands(cls=Group, help=text, no_args_is_help=True, rich_markup_mode=None)


def is_terminal() -> bool:
    """Whether a person sees stdout."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def console() -> Console:
    """Rich's console; imported only when something is drawn."""
    from rich.console import Console

    return Console(highlight=False)


def say(text: str = "") -> None:
    """A line on stdout, and one only."""
    typer.echo(written_out(text.removesuffix("\r")))


def note(text: str) -> None:
    """Lines on stderr: for people, not for pipes."""
    for line in text.split("\n"):
        typer.echo(written_out(line), err=True)


def print_json(value: object) -> None:
    """A value as indented JSON, in UTF-8 whatever the locale's encoding is; columns count from 1,
    as in all that is printed."""
    shown = one_based(msgspec.to_builtins(value))
    typer.echo(msgspec.json.format(msgspec.json.encode(shown), indent=2))


def fail(error: SurveyorError, exit_code: int | None = None) -> NoReturn:
    """Say what went wrong and what to do, and exit with its code, or with another one."""
    note(f"surveyor: {error.message}")
    if error.hint:
        note(f"  {error.hint}")
    raise typer.Exit(error.exit_code if exit_code is None else exit_code) from error


@contextmanager
def friendly_errors(*but: type[SurveyorError]) -> Iterator[None]:
    """Turn errors meant for people into their messages, all `but` those that a caller expects."""
    try:
        yield
    except but:
        raise
    except SurveyorError as error:
        fail(error)


def say_freshness(answer: Freshness) -> None:
    """Anything but healthy, in one line on stderr."""
    if answer.status != "healthy":
        note(f"[{answer.status}] {answer.message or answer.reason or ''}".rstrip())
