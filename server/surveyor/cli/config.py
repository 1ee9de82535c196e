"""`surveyor config`: where the settings are and what they are."""

from __future__ import annotations

import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Annotated, Any

import typer

from surveyor.cli import output
from surveyor.cli.completion import setting_names

app = output.group("Settings.")


@app.command()
def path() -> None:
    """Print where the user's configuration file is."""
    from surveyor import paths

    output.say(str(paths.config_file()))


@app.command()
def show(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Print all settings in effect, and what was wrong with the files, the project's included."""
    from surveyor.config import load

    loaded = load()
    here = load(_project_here())
    warnings = list(dict.fromkeys([*loaded.warnings, *here.warnings]))
    values = loaded.settings.model_dump(mode="json")
    _hide_keys(values)
    if json:
        output.print_json({"settings": values, "warnings": warnings})
        return
    for section, content in values.items():
        output.say(f"[{section}]")
        for key, value in content.items() if isinstance(content, dict) else []:
            output.say(f"# {key} is not set" if value is None else f"{key} = {_toml(value)}")
        output.say()
    for warning in warnings:
        output.note(f"warning: {warning}")


def _hide_keys(values: dict[str, Any]) -> None:
    """Put asterisks in place of keys, and of what stands before the `@` of an address."""
    from surveyor.config.addresses import without_user

    for section in values.values():
        for key, value in section.items() if isinstance(section, dict) else ():
            if key == "api_key" and value:
                section[key] = "***"
            elif isinstance(value, str):
                section[key] = without_user(value)


def _project_here() -> Path | None:
    """The folder whose settings count here: the nearest with a file of them, or a repository."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "surveyor.toml").is_file() or (folder / ".git").exists():
            return folder
    return None


@app.command()
def init(
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a configuration file with every setting as a comment."""
    from surveyor import paths, user_path
    from surveyor.config.reference import template

    file = paths.config_file()
    noted = user_path.stored_path(file)
    if file.exists() and not force and not user_path.is_all(file):
        output.note(f"{file} exists already; --force replaces it.")
        raise typer.Exit(1)
    with output.friendly_errors():
        _write(file, template())
    if noted:
        user_path.write(file, noted)
    output.say(str(file))


# A value may be a number below zero: there is no option that it could be taken for.
@app.command("set", context_settings={"ignore_unknown_options": True})
def set_value(
    key: Annotated[
        str,
        typer.Argument(
            help="Section and name: indexing.max_file_size.", autocompletion=setting_names
        ),
    ],
    value: Annotated[str, typer.Argument(help="A TOML value, or plain text.")],
) -> None:
    """Change one setting in the user's file; the rest of the file stays as it is."""
    from surveyor.config import STARTUP_KEYS
    from surveyor.errors import UsageError

    section, _, name = key.rpartition(".")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    with output.friendly_errors():
        if not (section and name):
            raise UsageError(f"{key!r} is not section.key", "See `surveyor config show`.")
        file = change(section, name, parsed)
    output.say(f"{key} = {_toml(parsed)}  ({file})")
    if (section, name) in STARTUP_KEYS:
        output.say("It counts once the engine starts anew: `surveyor engine restart`.")


def change(section: str, name: str, value: object) -> Path:
    """Set one key in the user's file, which is returned. Raises `UsageError`."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    from surveyor import paths
    from surveyor.config import check_value
    from surveyor.errors import UsageError, reason_of
    from surveyor.files.writing import BOM, read_text

    file = paths.config_file()
    check_value(section, name, value)
    try:
        before = read_text(file)
        document = tomlkit.parse((before or "").removeprefix(BOM))
    except (TOMLKitError, ValueError, OSError) as error:
        raise UsageError(
            f"{file} cannot be read: {reason_of(error)}", "Repair it first."
        ) from error
    _table(document, section)[name] = value
    mark = BOM if (before or "").startswith(BOM) else ""
    _write(file, mark + tomlkit.dumps(document), before)
    return file


def _table(document: MutableMapping[str, Any], section: str) -> MutableMapping[str, Any]:
    """The table of a section, made where there is none; `UsageError` where something else is."""
    import tomlkit

    from surveyor.errors import UsageError

    table = document
    for part in section.split("."):
        inner = table.setdefault(part, tomlkit.table())
        if not isinstance(inner, MutableMapping):
            raise UsageError(
                f"{section} is {_toml(inner)}, which has no keys",
                f"Give {section} itself another value.",
            )
        table = inner
    return table


def _write(file: Path, text: str, expected: str | None = None) -> None:
    from surveyor.errors import UsageError
    from surveyor.files.writing import PRIVATE, ChangedMeanwhileError, replace_text

    try:
        replace_text(file, text, PRIVATE, expected=expected)
    except ChangedMeanwhileError as error:
        raise UsageError(
            f"{file} was changed by somebody else just now", "Run the command again."
        ) from error
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}",
            "Check its permissions and the disk; `SURVEYOR_CONFIG` names another file.",
        ) from error


def _toml(value: object) -> str:
    """A value as it is written in the file."""
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({key: each for key, each in value.items() if each is not None})
        return str(table.as_string())
    return str(tomlkit.item(value).as_string())
