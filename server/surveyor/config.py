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
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from surveyor import paths
from surveyor.errors import UsageError
from surveyor.search.rank import RankSettings
from surveyor.units import parse_duration, parse_size

PROJECT_SECTIONS = ("indexing", "watching", "search")
"""What a project's own file may set: nothing that starts programs or moves data."""


def _size(value: object) -> object:
    return parse_size(value) if isinstance(value, str) else value


def _duration(value: object) -> object:
    return parse_duration(value) if isinstance(value, str) else value


Bytes = Annotated[int, BeforeValidator(_size), Field(ge=0)]
"""A size: bytes, or text such as `1MB` (powers of 1,024)."""
Seconds = Annotated[float, BeforeValidator(_duration), Field(ge=0)]
"""A duration: seconds, or text such as `30m`."""


class Section(BaseModel):
    """Base of the sections: unknown keys are removed, with a warning, before validation."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EngineSection(Section):
    """The engine process."""

    idle_timeout: Seconds = Field(
        default=1800.0,
        description="Seconds without a caller after which the engine ends; 0 keeps it.",
    )
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    workers: int = Field(
        default=0,
        ge=0,
        le=16,
        description="Index worker processes; 0 chooses by the number of cores.",
    )
    worker_idle: Seconds = Field(
        default=30.0, description="Seconds without work after which an index worker ends."
    )
    open_shards: int = Field(
        default=8, ge=1, description="Most vector shards held open at once (embedded store)."
    )


class IndexingSection(Section):
    """What is read and how it is cut."""

    max_file_size: Bytes = Field(default=1 << 20, description="Larger files are skipped.")
    chunk_chars: int = Field(
        default=1500, ge=200, le=20000, description="Longest chunk, in characters."
    )
    auto_index: bool = Field(
        default=True, description="Register and index a folder that an editor or agent opens."
    )
    file_timeout: Seconds = Field(
        default=20.0,
        description="Seconds that one file may take in the worker before it is set aside.",
    )


class WatchingSection(Section):
    """Which files are followed."""

    enabled: bool = Field(default=True, description="Follow changes in registered folders.")
    patterns: list[str] = Field(
        default=[], description="Only files that match one of these (gitignore syntax); empty: all."
    )
    ignore_patterns: list[str] = Field(
        default=[], description="Files that match one of these are skipped (gitignore syntax)."
    )
    missing_grace: Seconds = Field(
        default=7 * 86400.0, description="How long a folder that disappeared is kept."
    )


class _SearchBase(Section):
    """How answers are found and ranked."""

    k1: float = Field(
        default=1.5, ge=0, le=10, description="BM25 term saturation; a change rebuilds the index."
    )
    b: float = Field(
        default=0.75, ge=0, le=1, description="BM25 length weight; a change rebuilds the index."
    )


def _rank_fields() -> dict[str, Any]:
    """A setting for each switch and weight of the ranking stage."""
    return {
        name: (
            type(default),
            Field(default=default, description=f"Ranking: {name.replace('_', ' ')}."),
        )
        for name, default in RankSettings().as_dict().items()
    }


SearchSection: type[_SearchBase] = create_model(
    "SearchSection", __base__=_SearchBase, __doc__=_SearchBase.__doc__, **_rank_fields()
)


class GraphSection(Section):
    """The code graph."""

    import_traces: bool = Field(
        default=True, description="Read import_traces.jsonl at a project's root."
    )
    enrich: bool = Field(
        default=True,
        description="Ask language servers for exact references of active projects, in the"
        " background.",
    )
    enrich_share: float = Field(
        default=0.1,
        gt=0,
        le=1,
        description="Most of one core's time that servers are kept busy with in the background.",
    )


class ModelSection(Section):
    """The embedding model."""

    name: str = Field(
        default="surveyor/code-static-256",
        description="The shipped model, a FastEmbed model's name, or a folder with model.onnx.",
    )
    threads: int = Field(default=2, ge=1, le=64, description="Threads for embedding in the worker.")


class QdrantSection(Section):
    """A Qdrant server or cluster in place of the embedded engine."""

    url: str | None = Field(
        default=None, description="Address of a Qdrant server; QDRANT_URL overrides."
    )
    api_key: str | None = Field(default=None, description="Its key; QDRANT_API_KEY overrides.")
    timeout: Seconds = Field(default=30.0, description="Seconds that one request may take.")


class StorageSection(Section):
    """How much may be kept. Rules are never evicted, nor anything that cannot be made again."""

    max_size: Bytes = Field(default=2 << 30, description="All data together; oldest goes first.")
    retention: Seconds = Field(
        default=90 * 86400.0, description="Age at which notes and sessions go."
    )
    min_free_disk: Bytes = Field(
        default=100 << 20, description="Nothing is written while less than this is free."
    )


class MemorySection(Section):
    """Notes and agents' sessions."""

    notes: str = Field(
        default="",
        description="Folder of notes (daily logs, MEMORY.md); empty: `notes` in the data.",
    )
    harvest: bool = Field(
        default=False, description="Make agents' transcripts searchable, each in its project."
    )
    claude_code: str = Field(
        default="~/.claude/projects", description="Where Claude Code keeps its sessions."
    )
    opencode: str = Field(
        default="~/.local/share/opencode/storage", description="Where OpenCode keeps its sessions."
    )
    transcripts: list[str] = Field(
        default=[], description="More folders with sessions as Markdown files."
    )


class HistorySection(Section):
    """Git history."""

    enabled: bool = Field(default=True, description="Index commits.")
    initial: int = Field(
        default=5000, ge=1, description="Newest commits indexed at first; the rest on demand."
    )
    summaries: int = Field(
        default=500, ge=0, description="Newest commits whose hunks are summarised."
    )


class EnvironmentSection(Section):
    """What the CLI learns from the user's shell for processes that start without one."""

    user_path: str = Field(default="", description="The user's PATH, written by the CLI.")


class UpstreamSection(Section):
    """`[upstream.<language>]`: which language server, and how."""

    enabled: bool = Field(
        default=True, description="False: no server is started for this language."
    )
    server: str | None = Field(default=None, description="Name of the server to use.")
    command: list[str] | None = Field(default=None, description="A command of your own, as a list.")
    ids: list[str] | None = Field(
        default=None, description="LSP language identifiers (own command)."
    )
    extensions: list[str] | None = Field(default=None, description="File endings (own command).")
    markers: list[str] | None = Field(
        default=None, description="Files that mark a root (own command)."
    )
    settings: dict[str, Any] | None = Field(
        default=None, description="Answers to its configuration."
    )
    initialization_options: Any = Field(default=None, description="Sent with initialize.")
    readiness: dict[str, Any] | None = Field(
        default=None, description="How it shows that it is ready."
    )
    timeouts: dict[str, float] | None = Field(default=None, description="Seconds per method.")
    env: dict[str, str] | None = Field(default=None, description="Environment variables to add.")
    probe: list[str] | None = Field(default=None, description="Arguments that make it end at once.")


class ProxySection(Section):
    """What is relayed beyond the usual."""

    methods: list[str] = Field(
        default=[],
        description="Also relayed raw: textDocument/publishDiagnostics, textDocument/completion, "
        "textDocument/signatureHelp, textDocument/rename, textDocument/codeAction.",
    )


class LspSection(Section):
    """The editor's face; the editor's own settings win over these."""

    mode: str | dict[str, Any] = Field(
        default="proxy", description="proxy, companion or auto; or a table by language."
    )
    hover: dict[str, bool] = Field(
        default={},
        description="Parts of our hover section: references, rules, similar, history, all.",
    )
    lens: dict[str, bool] = Field(default={}, description="Code lenses: references, similar.")
    engine: bool = Field(default=True, description="False: relay only, without the index.")
    symbol_limit: int = Field(
        default=100, ge=1, le=1000, description="Most workspace symbols answered."
    )
    upstream_idle: Seconds = Field(
        default=600.0, description="Seconds without a question after which an upstream is stopped."
    )


class McpSection(Section):
    """The agent's face over HTTP; over stdio it is always there."""

    http: bool = Field(default=False, description="Serve MCP over HTTP too; needs the token.")
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8765, ge=0, le=65535, description="Port; 0 takes a free one (see `mcp-address`)."
    )


class Settings(BaseSettings):
    """All sections."""

    model_config = SettingsConfigDict(
        env_prefix="SURVEYOR_", env_nested_delimiter="__", extra="ignore", frozen=True
    )

    engine: EngineSection = EngineSection()
    indexing: IndexingSection = IndexingSection()
    watching: WatchingSection = WatchingSection()
    search: _SearchBase = SearchSection()
    graph: GraphSection = GraphSection()
    model: ModelSection = ModelSection()
    qdrant: QdrantSection = QdrantSection()
    storage: StorageSection = StorageSection()
    memory: MemorySection = MemorySection()
    history: HistorySection = HistorySection()
    environment: EnvironmentSection = EnvironmentSection()
    upstream: dict[str, UpstreamSection] = {}
    proxy: ProxySection = ProxySection()
    lsp: LspSection = LspSection()
    mcp: McpSection = McpSection()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` passes: it merges the environment itself, to name bad values."""
        return (init_settings,)


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
            for key in values.keys() - allowed.keys():
                if key in Settings.model_fields:
                    warnings.append(f"{source}: [{key}] is the user's to set, not a project's")
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
    pyproject = root / "pyproject.toml"
    own = root / "surveyor.toml"
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
            for problem in error.errors():
                _drop(values, problem["loc"], problem["msg"], warnings)


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
    warnings.append(f"{section}.{rest[0]} = {bad!r}: {why}; the default{default} is used")


def check_value(section: str, key: str, value: object) -> None:
    """Raise `UsageError` for a setting that does not exist or a value that does not fit."""
    head = section.split(".")[0]
    if head not in Settings.model_fields:
        raise UsageError(f"there is no section [{head}]" + _nearest(head, Settings))
    model = type(getattr(Settings(), head))
    if "." in section or not issubclass(model, BaseModel) or not model.model_fields:
        return
    if key not in model.model_fields:
        raise UsageError(f"there is no setting {section}.{key}" + _nearest(key, model))
    try:
        model.model_validate({key: value})
    except ValidationError as error:
        problem = error.errors()[0]
        raise UsageError(f"{section}.{key} = {value!r}: {problem['msg']}") from None
