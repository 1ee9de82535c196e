"""A group of commands that helps who has mistyped one; it is loaded at each start."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

BEHIND_TWO_DASHES = "A value that begins with a dash goes behind `--`."


class NamingGroup(TyperGroup):
    """A group that answers an unknown command with what may be meant, or with all it has, and an
    option that no command has with how a value of that look is given."""

    def invoke(self, ctx: Any) -> Any:
        """Say of an unknown option that is like none there is how to give it as a value."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            is_unlike = getattr(error, "option_name", "") and not getattr(error, "possibilities", 1)
            command = getattr(getattr(error, "ctx", None), "command", None)
            takes_values = any(
                each.param_type_name == "argument" for each in getattr(command, "params", ())
            )
            said = getattr(error, "message", "")
            if is_unlike and takes_values and not said.endswith(BEHIND_TWO_DASHES):
                error.message = f"{said}. {BEHIND_TWO_DASHES}"  # type: ignore[attr-defined]
            raise

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
