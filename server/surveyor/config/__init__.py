"""One configuration for every face: defaults, the user's TOML file, a project's, the environment.

Later sources win: defaults, the user's file, the project's `surveyor.toml` or `[tool.surveyor]`
(only the sections in `PROJECT_SECTIONS`), then `SURVEYOR_<SECTION>__<KEY>` variables and the
three that other tools share (`QDRANT_URL`, `QDRANT_API_KEY`, `FASTEMBED_MODEL`). A key that does
not exist or a value that does not fit never stops anything: it is named in a warning, and what was
last read in its place stays, or else the default is used. So it is with a file that cannot be read.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from surveyor import paths
from surveyor.config import last_good, stores
from surveyor.config.settings import Settings, UpstreamSection
from surveyor.config.variables import said_by
from surveyor.errors import UsageError, reason_of
from surveyor.files.safe_read import read_bytes
from surveyor.files.structured import parse_toml

__all__ = ["PROJECT_SECTIONS", "STARTUP_KEYS", "LoadedSettings", "Settings", "check_value", "load"]

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

FILE_ONLY = frozenset({"ask", "web"})
"""Sections that count only as long as the user's own file says them, and that no variable sets: a
repository's files can set variables of what is started in it (`.envrc`, an agent's or editor's
configuration), and must not allow hosts, nor say where code is sent."""

NO_VARIABLES = FILE_ONLY | {"environment", "trust", "upstream"}
"""Sections that no variable sets: those, and what names programs and what is trusted. An address of
a store may come from a variable, but counts only as `stores` says."""

STARTUP_KEYS = frozenset(
    {
        ("engine", "open_shards"),
        ("engine", "worker_idle"),
        ("engine", "worker_kept"),
        ("engine", "workers"),
        ("indexing", "file_timeout"),
        ("qdrant", "api_key"),
        ("qdrant", "query_timeout"),
        ("qdrant", "timeout"),
        ("qdrant", "url"),
        ("watching", "enabled"),
    }
)
"""What counts from the engine's next start."""

PROJECT_FILES = ("pyproject.toml", "surveyor.toml")
"""Where a project's settings are; the second wins."""


class LoadedSettings(BaseModel):
    """Settings and what was wrong with the files they came from."""

    model_config = ConfigDict(frozen=True)

    settings: Settings
    warnings: tuple[str, ...] = ()
    found: dict[str, last_good.LastGoodFile] = {}
    """What each file says, to be remembered for a time when it cannot be read."""
    due: float | None = None
    """When to read again though no file has changed, in seconds since 1970."""


def load(project_root: Path | None = None) -> LoadedSettings:
    """Read all sources; never raises for their content.

    What cannot be read stays as it was when it last could, in `last_good`.
    """
    carried = paths.carrying_repository(paths.last_good_file())
    reading = _Reading({} if carried else last_good.recall())
    merged = reading.users(paths.config_file())
    if project_root is not None:
        for layer in reading.projects(project_root):
            merged = _merge(merged, layer)
    said = _environment(reading.warnings)
    stores.refuse_unknown(said, merged, reading.warnings)
    merged = _merge(merged, reading.sound(said, {}))
    return LoadedSettings(
        settings=_validate(merged, {}, reading.warnings),
        warnings=tuple(reading.warnings),
        found=reading.found,
        due=reading.due,
    )


class _Reading:
    """One pass over the sources: what is wrong in them, and what they say."""

    def __init__(self, known: Mapping[str, last_good.LastGoodFile]) -> None:
        self._known = known
        self.warnings: list[str] = []
        self.found: dict[str, last_good.LastGoodFile] = {}
        self.due: float | None = None

    def users(self, file: Path) -> dict[str, Any]:
        """The user's file; of one that a repository carries, what a project's own may say."""
        carrier = paths.carrying_repository(file)
        if carrier is None or self._is_confirmed(file):
            return self._users(file)
        values = self._read(file) or {}
        others = sorted(values.keys() - {*PROJECT_SECTIONS, "environment"})
        if others:
            self.warnings.append(
                f"{file} lies in the repository {carrier}: {_listed(others)} of it"
                " do not count. To make it yours, add it to `trust.settings` of"
                f" {paths.usual_config_file()}"
            )
        kept = {key: values[key] for key in PROJECT_SECTIONS if key in values}
        return self.sound(_known(kept, str(file), self.warnings), {})

    def _is_confirmed(self, file: Path) -> bool:
        """Whether the user's usual file names another one as theirs."""
        try:
            text = read_bytes(paths.usual_config_file()).decode("utf-8-sig")
            named = parse_toml(text).get("trust", {}).get("settings", [])
            return str(file) in {str(paths.named_path(each)) for each in named}
        except (OSError, RecursionError, ValueError, TypeError, AttributeError):
            return False

    def _users(self, file: Path) -> dict[str, Any]:
        """The user's file. One that is gone or empty counts as before for a day."""
        good = self._known.get(str(file), last_good.LastGoodFile())
        values = self._read(file)
        if values is None:
            return _without_file(good.values)
        if _is_bare(values) and not _is_bare(good.values) and not _says_something(file):
            since = good.gone_since or time.time()
            until = since + last_good.GONE_GRACE_S
            if time.time() < until:
                what = "is empty" if file.exists() else "is gone"
                self.warnings.append(
                    f"{file} {what}; its settings stay until {_clock(until)}:"
                    " `surveyor config init --force` takes the defaults at once"
                )
                self.due = until
                self.found[str(file)] = last_good.LastGoodFile(good.values, since)
                return _merge(_without_file(good.values), values)
        known = self.sound(_known(values, str(file), self.warnings), good.values)
        self.found[str(file)] = last_good.LastGoodFile(copy.deepcopy(known))
        return known

    def projects(self, root: Path) -> Iterator[dict[str, Any]]:
        """What a project's own files may say, in the order in which they count."""
        for file, whole in zip((root / name for name in PROJECT_FILES), (False, True), strict=True):
            good = self._known.get(str(file), last_good.LastGoodFile())
            values = self._read(file)
            if values is None:
                yield copy.deepcopy(good.values)
                continue
            if not whole:
                tool = values.get("tool")
                values = tool.get("surveyor") if isinstance(tool, dict) else None
            allowed = self._allowed(file, values if isinstance(values, dict) else {})
            known = self.sound(_known(allowed, str(file), self.warnings), good.values)
            self.found[str(file)] = last_good.LastGoodFile(copy.deepcopy(known))
            yield known

    def _allowed(self, file: Path, values: Mapping[str, Any]) -> dict[str, Any]:
        allowed = {k: v for k, v in values.items() if k in PROJECT_SECTIONS}
        for section in [k for k, v in allowed.items() if not isinstance(v, dict)]:
            del allowed[section]  # or it would stand for the whole of the user's
            self.warnings.append(f"{file}: [{section}] is not a table")
        for section, key in sorted(USER_KEYS):
            if isinstance(allowed.get(section), dict) and key in allowed[section]:
                allowed[section] = {k: v for k, v in allowed[section].items() if k != key}
                self.warnings.append(f"{file}: {section}.{key} is the user's to set")
        for key in values.keys() - {*allowed, *PROJECT_SECTIONS}:
            if key in Settings.model_fields:
                self.warnings.append(f"{file}: [{key}] is the user's to set, not a project's")
            else:
                near = _nearest(key, Settings)
                self.warnings.append(f"{file}: unknown section [{key}]{near}")
        return allowed

    def sound(self, values: dict[str, Any], good: Mapping[str, Any]) -> dict[str, Any]:
        """The values that fit, and in place of the others those that were there before."""
        _validate(values, good, self.warnings)
        return values

    def _read(self, file: Path) -> dict[str, Any] | None:
        """A file's content; None when it cannot be read, which is said."""
        try:
            if file.exists() and not file.is_file():
                raise OSError("it is no regular file")
            return parse_toml(read_bytes(file).decode("utf-8-sig"))
        except FileNotFoundError:
            return {}
        except (OSError, RecursionError, ValueError) as error:
            stays = "its settings stay as they were" if str(file) in self._known else (
                "defaults are used"
            )  # fmt: skip
            why = reason_of(error) or type(error).__name__
            self.warnings.append(f"{file}: not read ({why}); {stays}")
            return None


def _listed(sections: Sequence[str]) -> str:
    return ", ".join(f"[{each}]" for each in sections)


def _without_file(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a file said that cannot be read now, without what counts only as long as it says so."""
    return {key: copy.deepcopy(each) for key, each in values.items() if key not in FILE_ONLY}


def _is_bare(values: Mapping[str, Any]) -> bool:
    """Whether a file says nothing but what every command line run notes in it."""
    return not values or (
        set(values) == {"environment"} and set(values["environment"] or {}) <= {"user_path"}
    )


def _says_something(file: Path) -> bool:
    """Whether somebody left words in a file without settings, such as comments."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return "#" in file.read_text(encoding="utf-8")
    return False


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


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


def _environment(warnings: list[str]) -> dict[str, Any]:
    values = said_by(os.environ, Settings)
    for section in NO_VARIABLES & values.keys():
        del values[section]
        warnings.append(f"[{section}] is set in your file alone, and not by a variable")
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


def _validate(values: dict[str, Any], good: Mapping[str, Any], warnings: list[str]) -> Settings:
    tried: set[tuple[str, ...]] = set()
    while True:
        try:
            return Settings.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]  # the others may be about the same value
            place = tuple(str(part) for part in first["loc"][:2])
            earlier = {} if place in tried else good
            tried.add(place)
            _drop(values, first["loc"], first["msg"], earlier, warnings)


def _drop(
    values: dict[str, Any],
    location: tuple[int | str, ...],
    why: str,
    good: Mapping[str, Any],
    warnings: list[str],
) -> None:
    """Replace the value at fault, however deep it lies, by the one that was there before.

    Where there was none it is removed. Either is said.
    """
    section, *rest = (str(part) for part in location)
    content = values.get(section)
    why = why.removeprefix("Value error, ")
    if not rest or not isinstance(content, dict) or rest[0] not in content:
        values.pop(section, None)
        stands = "the default is used"
        if section in good:
            values[section], stands = copy.deepcopy(good[section]), "it stays as it was"
        warnings.append(f"{section}: {why}; {stands}")
        return
    bad = content.pop(rest[0])
    before = good.get(section)
    if isinstance(before, dict) and rest[0] in before:
        content[rest[0]] = copy.deepcopy(before[rest[0]])
        stands = f"the earlier value {before[rest[0]]!r} stays"
    else:
        model = Settings.model_fields[section].annotation
        default = ""
        if isinstance(model, type) and issubclass(model, BaseModel):
            default = f" {model.model_fields[rest[0]].get_default(call_default_factory=True)!r}"
        stands = f"the default{default} is used"
    warnings.append(f"{section}.{rest[0]} = {bad!r}: {why}; {stands}")


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
