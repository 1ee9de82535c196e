"""One configuration for every face: defaults, the user's TOML file, a project's, the environment.

Later sources win: defaults, the user's file, the project's `surveyor.toml` or `[tool.surveyor]`
(only the sections in `PROJECT_SECTIONS`), then `SURVEYOR_<SECTION>__<KEY>` variables and the
three that other tools share (`QDRANT_URL`, `QDRANT_API_KEY`, `FASTEMBED_MODEL`). A key that does
not exist or a value that does not fit never stops anything: it is named in a warning and the
default is used.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource

from surveyor import paths
from surveyor.errors import UsageError
from surveyor.settings import Settings, UpstreamSection

__all__ = ["PROJECT_SECTIONS", "STARTUP_KEYS", "Loaded", "Settings", "check_value", "load"]

PROJECT_SECTIONS = ("indexing", "watching", "search")
"""What a project's own file may set: nothing that starts programs or moves data …"""

USER_KEYS = frozenset(
    {
        ("indexing", "chunk_chars"),
        ("indexing", "auto_index"),
        ("indexing", "file_timeout"),
        ("search", "k1"),
        ("search", "b"),
        ("watching", "enabled"),
        ("watching", "missing_grace"),
    }
)
"""… and nothing that one engine has one of: a version of the index, workers, watches."""

STARTUP_KEYS = frozenset(
    {
        ("engine", "open_shards"),
        ("engine", "worker_idle"),
        ("engine", "worker_kept"),
        ("engine", "workers"),
        ("indexing", "file_timeout"),
        ("qdrant", "api_key"),
        ("qdrant", "timeout"),
        ("qdrant", "url"),
        ("watching", "enabled"),
    }
)
"""What counts from the engine's next start."""

PROJECT_FILES = ("pyproject.toml", "surveyor.toml")
"""Where a project's settings are; the second wins."""


class Loaded(BaseModel):
    """Settings and what was wrong with the files they came from."""

    model_config = ConfigDict(frozen=True)

    settings: Settings
    warnings: tuple[str, ...] = ()


def load(project_root: Path | None = None) -> Loaded:
    """Read all sources; never raises for their content."""
    warnings: list[str] = []
    user_file = paths.config_file()
    merged = _known(_read(user_file, warnings), str(user_file), warnings)
    if project_root is not None:
        for source, values in _project_files(project_root, warnings):
            allowed = {k: v for k, v in values.items() if k in PROJECT_SECTIONS}
            for section, key in sorted(USER_KEYS):
                if isinstance(allowed.get(section), dict) and key in allowed[section]:
                    allowed[section] = {k: v for k, v in allowed[section].items() if k != key}
                    warnings.append(f"{source}: {section}.{key} is the user's to set")
            for key in values.keys() - allowed.keys():
                if key in Settings.model_fields:
                    warnings.append(f"{source}: [{key}] is the user's to set, not a project's")
                else:
                    near = _nearest(key, Settings)
                    warnings.append(f"{source}: unknown section [{key}]{near}")
            merged = _merge(merged, _known(allowed, str(source), warnings))
    merged = _merge(merged, _environment())
    settings = _validate(merged, warnings)
    return Loaded(settings=settings, warnings=tuple(warnings))


def _read(path: Path, warnings: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        warnings.append(f"{path}: not read ({error}); defaults are used")
        return {}


def _project_files(root: Path, warnings: list[str]) -> list[tuple[Path, dict[str, Any]]]:
    pyproject, own = (root / name for name in PROJECT_FILES)
    found: list[tuple[Path, dict[str, Any]]] = []
    if pyproject.is_file():
        section = _read(pyproject, []).get("tool", {}).get("surveyor", {})
        found.append((pyproject, section if isinstance(section, dict) else {}))
    if own.is_file():
        found.append((own, _read(own, warnings)))
    return found


def _known(values: Mapping[str, Any], source: str, warnings: list[str]) -> dict[str, Any]:
    """Drop keys that do not exist, naming the nearest that does."""
    kept: dict[str, Any] = {}
    for section, content in values.items():
        field = Settings.model_fields.get(section)
        if field is None:
            warnings.append(f"{source}: unknown section [{section}]" + _nearest(section, Settings))
            continue
        model = field.annotation
        if not isinstance(content, dict) or not (
            isinstance(model, type) and issubclass(model, BaseModel)
        ):
            kept[section] = content
            continue
        kept[section] = {}
        for key, value in content.items():
            if key in model.model_fields:
                kept[section][key] = value
            else:
                warnings.append(f"{source}: unknown key {section}.{key}" + _nearest(key, model))
    return kept


def _nearest(name: str, model: type[BaseModel]) -> str:
    close = difflib.get_close_matches(name, list(model.model_fields), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def _merge(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(under)
    for key, value in over.items():
        present = result.get(key)
        both = isinstance(present, dict) and isinstance(value, Mapping)
        result[key] = _merge(present, value) if both and isinstance(present, dict) else value
    return result


def _environment() -> dict[str, Any]:
    values: dict[str, Any] = EnvSettingsSource(Settings)()
    qdrant = {
        key: os.environ[name]
        for key, name in (("url", "QDRANT_URL"), ("api_key", "QDRANT_API_KEY"))
        if os.environ.get(name)
    }
    if qdrant:
        values = _merge(values, {"qdrant": qdrant})
    if os.environ.get("FASTEMBED_MODEL"):
        values = _merge(values, {"model": {"name": os.environ["FASTEMBED_MODEL"]}})
    return values


def _validate(values: dict[str, Any], warnings: list[str]) -> Settings:
    while True:
        try:
            return Settings.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]  # the others may be about the same value
            _drop(values, first["loc"], first["msg"], warnings)


def _drop(
    values: dict[str, Any], location: tuple[int | str, ...], why: str, warnings: list[str]
) -> None:
    """Remove the value at fault, however deep it lies, and say which default stands in for it."""
    section, *rest = (str(part) for part in location)
    content = values.get(section)
    if not rest or not isinstance(content, dict) or rest[0] not in content:
        values.pop(section, None)
        warnings.append(f"{section}: {why}; the default is used")
        return
    bad = content.pop(rest[0])
    model = Settings.model_fields[section].annotation
    default = ""
    if isinstance(model, type) and issubclass(model, BaseModel):
        default = f" {model.model_fields[rest[0]].get_default(call_default_factory=True)!r}"
    why = why.removeprefix("Value error, ")
    warnings.append(f"{section}.{rest[0]} = {bad!r}: {why}; the default{default} is used")


def check_value(section: str, key: str, value: object) -> None:
    """Raise `UsageError` for a setting that does not exist or a value that does not fit."""
    head, *rest = *section.split("."), key
    if head not in Settings.model_fields:
        raise UsageError(f"there is no section [{head}]" + _nearest(head, Settings))
    for part in reversed(rest):
        value = {part: value}
    try:
        Settings.model_validate({head: value})
    except ValidationError as error:
        problem = error.errors()[0]
        raise _misfit(section, key, problem) from None


def _misfit(section: str, key: str, problem: ErrorDetails) -> UsageError:
    if problem["type"] == "extra_forbidden":
        model: Any = Settings.model_fields[section.split(".")[0]].annotation
        known = model if isinstance(model, type) else UpstreamSection
        return UsageError(f"there is no setting {section}.{key}" + _nearest(key, known))
    hint = """Write a list as in TOML: '["one", "two"]'.""" if "list" in problem["type"] else ""
    why = problem["msg"].removeprefix("Value error, ")
    return UsageError(f"{section}.{key} = {problem['input']!r}: {why}", hint)
