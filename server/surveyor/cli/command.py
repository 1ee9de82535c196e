"""What every command does with what it is given; loaded at each start.

An empty value is refused, a change is named in one way, and `--json` is one document also where
something is wrong.
"""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

EMPTY_VALUES = frozenset({"value", "new", "old", "action", "rewrite", "text", "title", "anchor"})
"""Parameters of which an empty text, or one of white space, is a value: what becomes nothing."""
EMPTY_QUESTIONS = (" history search",)
"""Commands that list what is newest where the question is empty; the program before them may be
called anything (`python -m surveyor`)."""

MOST = 2**31 - 1
"""Of any number that is typed; `inf` and `nan` are no numbers of anything."""
NO_UTF8 = "a name or a text that was typed is not valid UTF-8"
NO_UTF8_HINT = "Type it in UTF-8; nothing was changed."

_RANGE = re.compile(r"(?!\.)\S*\.\.\.?(?!/)\S*|(?:HEAD|@)(?:[~^]\d*)*")
"""A range of git, or the commit that is checked out or one before it; no path."""


class Command(TyperCommand):
    """A command of the product."""

    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """As the library does; an argument that is wrong is said in JSON, too."""
        wants_json = "--json" in (args[: args.index("--")] if "--" in args else args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:
            if wants_json:
                _print_usage_error(error)
            raise

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Refuse an empty value: a variable of a script that is not set is no question, no name,
        and not the folder that one is in."""
        names = {each.name for each in self.params}
        if {"diff", "revisions"} <= names:
            args = named_change(args)
        if not ctx.resilient_parsing:
            given, _, _ = self.make_parser(ctx).parse_args(list(args))
            for param in self.params:
                value = given.get(param.name or "")
                texts = value if isinstance(value, (list, tuple)) else [value]
                is_blank = any(isinstance(each, str) and not each.strip() for each in texts)
                if is_blank and not self._may_be_empty(ctx, param):
                    raise typer.BadParameter("it is empty", ctx=ctx, param=param)
        left = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if isinstance(value, int | float) and not abs(value) <= MOST:
                raise typer.BadParameter(f"{value} is no amount", ctx=ctx, param=param)
        return left

    def _may_be_empty(self, ctx: Any, param: Any) -> bool:
        return param.name in EMPTY_VALUES or (
            param.name == "query" and ctx.command_path.endswith(EMPTY_QUESTIONS)
        )

    def invoke(self, ctx: Any) -> Any:
        """Run it; an error is said in JSON, too, where that is asked for."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if ctx.params.get("json") or ctx.params.get("as_json"):
                _print_usage_error(error)
                _print_error(error.__cause__)
                if is_no_utf8(error):
                    _print({"message": NO_UTF8, "hint": NO_UTF8_HINT, "code": "bad_request"})
            raise


def is_no_utf8(error: BaseException) -> bool:
    """Whether it says that something typed is not valid UTF-8: the interpreter gives such bytes as
    lone surrogates, which nothing can write."""
    return (
        isinstance(error, UnicodeEncodeError)
        and isinstance(error.object, str)
        and "\ud800" <= error.object[error.start] <= "\udfff"
    )


def named_change(args: list[str]) -> list[str]:
    """`--diff`, `--diff staged` and `--diff A..B` as the options that they stand for."""
    made: list[str] = []
    rest = list(args)
    while rest:
        given = rest.pop(0)
        if given == "--":
            return [*made, given, *rest]
        value = given.removeprefix("--diff=") if given.startswith("--diff=") else None
        if given == "--diff" and rest:
            follows = rest[0]
            if follows in ("working", "staged") or _RANGE.fullmatch(follows):
                value = rest.pop(0)
        if value is None:
            made.append(given)
        else:
            made += {"working": ["--diff"], "staged": ["--staged"]}.get(value, ["--range", value])
    return made


def _print_usage_error(error: Exception) -> None:
    """What the library says of an argument that is wrong."""
    said = getattr(error, "format_message", None)
    if said is not None:
        _print({"message": said(), "hint": "", "code": "bad_request"})


def _print_error(error: BaseException | None) -> None:
    """An error for people, as the engine's HTTP gives it."""
    from surveyor.errors import SurveyorError

    if isinstance(error, SurveyorError):
        _print({"message": error.message, "hint": error.hint, "code": error.code})


def _print(error: dict[str, str]) -> None:
    import json

    typer.echo(json.dumps({"error": error}, ensure_ascii=False, indent=2).encode())
