"""The configuration as text: a commented file, and the reference page in docs/."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from surveyor.config import NO_VARIABLES, PROJECT_SECTIONS, STARTUP_KEYS, USER_KEYS, Settings


def sections() -> dict[str, type[BaseModel]]:
    """The sections that have fixed keys, by name."""
    found: dict[str, type[BaseModel]] = {}
    for name in Settings.model_fields:
        model = type(getattr(Settings(), name))
        if issubclass(model, BaseModel):
            found[name] = model
    return found


def template() -> str:
    """A configuration file in which every setting is a comment with its default."""
    lines = ["# Surveyor's settings. Every line that is a comment shows a default.", ""]
    for name, model in sections().items():
        lines.append(f"[{name}]")
        for key, field in model.model_fields.items():
            lines += [f"# {field.description or ''}", f"# {key} = {_toml(_default(field))}"]
        lines.append("")
    return "\n".join(lines)


def reference() -> str:
    """The reference page as Markdown."""
    lines = [
        "# Configuration reference",
        "",
        "Made from the code by `python -m surveyor.config.reference`; a test compares the two.",
        "",
        "`surveyor config path` names the user's file, `surveyor config set section.key VALUE`",
        "changes it, and changes are picked up while Surveyor runs, but for "
        + _keys(STARTUP_KEYS)
        + ",",
        "which count from the next `surveyor engine restart`. A project may set",
        f"{', '.join(f'`[{name}]`' for name in PROJECT_SECTIONS)} in its `surveyor.toml` or under",
        f"`[tool.surveyor.…]` in its `pyproject.toml`, except {_keys(USER_KEYS)}.",
        f"Every key but those of {', '.join(f'`[{name}]`' for name in sorted(NO_VARIABLES))} can be"
        " overridden by a variable",
        "`SURVEYOR_<SECTION>__<KEY>`; `QDRANT_URL`, `QDRANT_API_KEY` and `FASTEMBED_MODEL` work",
        "too, `SURVEYOR_DATA_DIR` moves all data and `SURVEYOR_CONFIG` names another file.",
        "Since a repository can set variables of what is started in it, an address of a store",
        "that a variable names counts only where it is this machine's or one of `trust.stores`,",
        "and of a settings file inside a repository only what a project's own may say, unless",
        "`trust.settings` has it.",
        "Durations are seconds or text such as `30m` or `7d`, sizes bytes or text such as `512KB`.",
        "A file that cannot be read, an unknown key or a value that does not fit is named in a",
        "warning (`surveyor status`, `surveyor doctor`, `surveyor config show`). What was last",
        "read in its place stays in force, across restarts, or else the default is used; while the",
        "user's settings are not whole, nothing is deleted because of its age or size. A user's",
        "file that is deleted or emptied counts as before for a day; `surveyor config init",
        "--force` takes the defaults at once. The web is off wherever the user's file does not say",
        "that it is on, or cannot be read.",
        "",
    ]
    for name, model in sections().items():
        lines += [f"## [{name}]", "", (model.__doc__ or "").strip().split("\n")[0], ""]
        lines += ["| key | default | meaning |", "| --- | --- | --- |"]
        for key, field in model.model_fields.items():
            lines.append(f"| `{key}` | `{_toml(_default(field))}` | {field.description or ''} |")
        lines.append("")
    return "\n".join(lines)


def _keys(keys: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"`{section}.{key}`" for section, key in sorted(keys))


def _default(field: FieldInfo) -> Any:
    return field.get_default(call_default_factory=True)


def _toml(value: Any) -> str:
    if value is None:
        return '""'
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return json.dumps(value)


if __name__ == "__main__":
    import sys

    sys.stdout.write(reference())
