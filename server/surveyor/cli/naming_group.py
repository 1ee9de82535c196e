"""A group of commands that helps who has mistyped one; it is loaded at each start."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class NamingGroup(TyperGroup):
    """A group that answers an unknown command with what may be meant, or with all it has."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Refuse what is no command before the library does, which knows no command's name yet."""
        typed = args[0]
        known = self.list_commands(ctx)
        if typed in known or typed.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        import difflib

        near = difflib.get_close_matches(typed, known)
        if near:
            told = f"Did you mean {' or '.join(repr(name) for name in near)}?"
        else:
            told = f"There are: {', '.join(known)}."
        return ctx.fail(f"No such command {typed!r}. {told}")
