"""The settings: one model for each section of the configuration, with defaults and meanings.

`config` reads them from files and the environment; `config_docs` makes their reference page.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
)

from surveyor.config.rank_settings import RankSettings
from surveyor.config.service_urls import model_url, search_url, store_url
from surveyor.protocol.enumerations import Expansion
from surveyor.units import parse_duration, parse_size


def _size(value: object) -> object:
    return parse_size(value) if isinstance(value, str) else value


def _duration(value: object) -> object:
    return parse_duration(value) if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _modes(value: str | dict[str, Any]) -> str | dict[str, Any]:
    """A word for all languages, or one for each; what has more to say is read by `lsp`."""
    for mode in value.values() if isinstance(value, dict) else [value]:
        if isinstance(mode, str) and mode not in MODES:
            raise ValueError(f"{mode!r} is none of {', '.join(MODES)}")
    return value


def _hosts(value: list[str]) -> list[str]:
    """Hosts by name, with or without a port; `*.` stands before two labels at least."""
    for each in value:
        name = _host_and_port(each)[0].removeprefix("*.")
        if "*" in name or (each.startswith("*.") and "." not in name):
            raise ValueError(f"{each!r} allows too much: name each host, or `*.example.org`")
    return value


def _hosts_with_ports(value: list[str]) -> list[str]:
    """Hosts by name, each with the one port that is meant."""
    for each in value:
        name, port = _host_and_port(each)
        if port is None or "*" in name:
            raise ValueError(f"{each!r} must be one host with its port, such as localhost:8000")
    return value


def _host_and_port(entry: str) -> tuple[str, int | None]:
    if "/" in entry or "@" in entry or any(c.isspace() for c in entry):
        raise ValueError(f"{entry!r} is no host such as docs.python.org")
    parts = urlsplit(f"//{entry}")
    if not parts.hostname or parts.port == 0:
        raise ValueError(f"{entry!r} is no host such as docs.python.org")
    return parts.hostname, parts.port


MODES = ("proxy", "full", "companion", "auto")

Bytes = Annotated[int, BeforeValidator(_size), Field(ge=0)]
"""A size: bytes, or text such as `1MB` (powers of 1,024)."""
Seconds = Annotated[float, BeforeValidator(_duration), Field(ge=0)]
"""A duration: seconds, or text such as `30m`."""


class SettingsSection(BaseModel):
    """Base of the sections: unknown keys are removed, with a warning, before validation."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EngineSection(SettingsSection):
    """The engine process."""

    idle_timeout: Seconds = Field(
        default=1800.0,
        description="Seconds without a caller after which the engine ends; 0 keeps it.",
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = (
        Field(default="info", description="debug, info, warning or error.")
    )
    request_timeout: Seconds = Field(
        default=120.0,
        ge=1,
        description="Seconds within which a request is answered or ended with an error; indexing,"
        " repairing and reading libraries take as long as they need.",
    )
    workers: int = Field(
        default=0,
        ge=0,
        le=16,
        description="Index worker processes; 0 chooses by the number of cores.",
    )
    worker_memory: Bytes = Field(
        default=1 << 30,
        ge=256 << 20,
        description="Memory that one file may need in an index worker, beside a large model;"
        " a file that needs more is set aside.",
    )
    worker_idle: Seconds = Field(
        default=30.0,
        description="Seconds without work after which an index worker ends; one stays while an"
        " editor or an agent is attached.",
    )
    worker_kept: Seconds = Field(
        default=300.0,
        description="Seconds for which one index worker stays after a change in a watched folder,"
        " so that the next one is found at once; it takes some 30 MB and no processor time.",
    )
    open_shards: int = Field(
        default=32, ge=1, description="Most vector shards held open at once (embedded store)."
    )


class IndexingSection(SettingsSection):
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
        description="Seconds that one file may take in the worker before it is set aside; on Linux"
        " without those in which others had the processor.",
    )


class WatchingSection(SettingsSection):
    """Which files are followed."""

    enabled: bool = Field(default=True, description="Follow changes in registered folders.")
    patterns: list[str] = Field(
        default=[], description="Only files that match one of these (gitignore syntax); empty: all."
    )
    ignore_patterns: list[str] = Field(
        default=[], description="Files that match one of these are skipped (gitignore syntax)."
    )
    missing_grace: Seconds = Field(
        default=7 * 86400.0,
        description="How long a folder that disappeared is kept; a shorter time counts a day after"
        " it was set.",
    )


class _SearchBase(SettingsSection):
    """How answers are found and ranked."""

    k1: float = Field(
        default=1.5, ge=0, le=10, description="BM25 term saturation; a change rebuilds the index."
    )
    b: float = Field(
        default=0.75, ge=0, le=1, description="BM25 length weight; a change rebuilds the index."
    )
    expansion: Expansion = Field(
        default="off",
        description="More words for questions in prose: what programmers write for them"
        " (synonyms), or what the first results share (feedback; asks twice).",
    )
    reranker: str = Field(
        default="",
        description="Model that reads the first results again: a folder with model.onnx, a"
        " cross-encoder that FastEmbed knows, or an embedding model. Empty: none.",
    )
    reranker_depth: int = Field(
        default=20, ge=1, le=200, description="First results that the reranker reads."
    )
    reranker_weight: float = Field(
        default=1.0, ge=0, le=10, description="What its opinion counts beside the best score."
    )


def _rank_fields() -> dict[str, Any]:
    """A setting for each switch and weight of the ranking stage."""
    found: dict[str, Any] = {}
    for one in dataclasses.fields(RankSettings):
        bounds = {} if isinstance(one.default, bool) else {"ge": 0, "le": one.metadata["most"]}
        described = Field(default=one.default, description=one.metadata["meaning"], **bounds)
        found[one.name] = (type(one.default), described)
    return found


if TYPE_CHECKING:

    class SearchSection(_SearchBase):
        """`_SearchBase` and a field for each of `RankSettings`."""

else:
    SearchSection = create_model(
        "SearchSection", __base__=_SearchBase, __doc__=_SearchBase.__doc__, **_rank_fields()
    )


class GraphSection(SettingsSection):
    """The code graph."""

    import_traces: bool = Field(
        default=True, description="Read import_traces.jsonl at a project's root."
    )
    import_scan_limit: int = Field(
        default=200,
        ge=0,
        description="Imports by call computed per file; the rest are listed as not scanned.",
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


class ModelSection(SettingsSection):
    """The embedding model."""

    name: str = Field(
        default="surveyor/code-static-256",
        description="The shipped model, a FastEmbed model's name, or a folder with model.onnx.",
    )
    threads: int = Field(default=2, ge=1, le=64, description="Threads for embedding in the worker.")


class QdrantSection(SettingsSection):
    """A Qdrant server or cluster in place of the embedded engine."""

    url: Annotated[str | None, AfterValidator(store_url)] = Field(
        default=None,
        description="Address of a Qdrant server; QDRANT_URL overrides, if `trust.stores` has it.",
    )
    api_key: str | None = Field(default=None, description="Its key; QDRANT_API_KEY overrides.")
    timeout: Seconds = Field(default=30.0, ge=1, description="Seconds that one request may take.")
    query_timeout: Seconds = Field(
        default=2.0,
        ge=0.1,
        description="Seconds that a search waits for the server; then names and words answer.",
    )


class TrustSection(SettingsSection):
    """What may be named from outside of your own file. Only that file counts for it."""

    stores: list[str] = Field(
        default=[],
        description="Addresses of Qdrant servers that `QDRANT_URL` may name; those of this machine"
        " always may.",
    )
    settings: list[str] = Field(
        default=[],
        description="Settings files inside repositories that `SURVEYOR_CONFIG` or"
        " `SURVEYOR_DATA_DIR` may name; only the usual file (~/.config/surveyor/surveyor.toml on"
        " Linux) is asked for it.",
    )
    editors: bool = Field(
        default=True,
        description="Whether a folder counts as trusted by whoever opens it in an editor that says"
        " nothing of trust, so that all language servers of your PATH start there; false: those"
        " that run what a folder says start only after `surveyor trust`.",
    )


LEAST_FREE_BYTES = 64 << 20


class StorageSection(SettingsSection):
    """How much is kept of what was gathered; what you stored goes only by your own command."""

    max_size: Bytes = Field(
        default=2 << 30,
        description="Most of packages, of sessions and of history each; beyond it the oldest go. A"
        " smaller value counts a day after it was set. The index of code has no limit but the"
        " disk.",
    )
    max_packages: Bytes | None = Field(
        default=None, description="Most of packages' documentation; without: max_size."
    )
    max_sessions: Bytes | None = Field(
        default=None, description="Most of agents' sessions; without: max_size."
    )
    max_history: Bytes | None = Field(
        default=None, description="Most of git history; without: max_size."
    )
    retention: Seconds = Field(
        default=90 * 86400.0,
        description="Age at which sessions go; a shorter one counts a day after it was set.",
    )
    agent_log: bool = Field(
        default=True,
        description="Keep what agents asked, read and changed, and questions that were asked, for"
        " `surveyor activity` and editors, as long as `retention` says.",
    )
    min_free_disk: Bytes = Field(
        default=100 << 20,
        description="Nothing is written while less than this is free, nor, whatever it is, while"
        " less than 64 MB is.",
    )

    @property
    def least_free(self) -> int:
        """Bytes that stay free: the vector store's files are mapped into memory, and a write into
        one that the disk has no room for ends the process; a batch writes some 10 MB."""
        return max(self.min_free_disk, LEAST_FREE_BYTES)


class MemorySection(SettingsSection):
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


class HistorySection(SettingsSection):
    """Git history."""

    enabled: bool = Field(default=True, description="Index commits.")
    initial: int = Field(
        default=5000, ge=1, description="Newest commits indexed at first; the rest on demand."
    )
    summaries: int = Field(
        default=500, ge=0, description="Newest commits whose hunks are summarised."
    )


class EnvironmentSection(SettingsSection):
    """What the CLI learns from the user's shell for processes that start without one."""

    user_path: str = Field(default="", description="The user's PATH, written by the CLI.")


class UpstreamSection(SettingsSection):
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
    memory_limit: Bytes | None = Field(
        default=None,
        description="Memory above which it is started again; half of the machine's without it.",
    )
    env: dict[str, str] | None = Field(default=None, description="Environment variables to add.")
    probe: list[str] | None = Field(default=None, description="Arguments that make it end at once.")
    schemes: list[str] | None = Field(
        default=None, description="Schemes of URIs under which it shows texts (own command)."
    )


class ProxySection(SettingsSection):
    """What is relayed beyond the usual."""

    methods: list[str] = Field(
        default=[],
        description="Methods that are relayed beyond the usual, such as textDocument/completion, "
        "or all.",
    )


class LspSection(SettingsSection):
    """The editor's face; the editor's own settings win over these."""

    mode: Annotated[str | dict[str, Any], AfterValidator(_modes)] = Field(
        default="proxy", description="proxy, full, companion or auto; or a table by language."
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


class ServersSection(SettingsSection):
    """Language servers of all windows and agents."""

    shared: bool = Field(
        default=True,
        description="One process owns the language servers of all windows and agents: one per "
        "language and root. False: each window, and the engine, has its own.",
    )
    grace: Seconds = Field(
        default=60.0,
        description="Seconds for which a shared server is kept after its last client.",
    )


class AskSection(SettingsSection):
    """A model of yours that reads what `ask` has found; without an endpoint nothing is sent."""

    endpoint: Annotated[str | None, AfterValidator(model_url)] = Field(
        default=None,
        description="Where a model speaks OpenAI's chat completions, up to what is before"
        " `/chat/completions`: http://localhost:11434/v1 for Ollama. Questions and the pieces of"
        " code that they need are sent there, and nowhere else.",
    )
    model: str = Field(default="", description="Its name there.")
    api_key: str | None = Field(default=None, description="Its key, if it wants one.")
    timeout: Seconds = Field(default=120.0, ge=1, description="Seconds for one answer.")
    tokens: int = Field(
        default=6000, ge=200, le=1_000_000, description="Budget for the pieces that are sent."
    )


class WebSection(SettingsSection):
    """The web: off, and each host is one that you allow. Only your own file counts for it."""

    enabled: bool = Field(
        default=False,
        description="Pages may be fetched by `surveyor library fetch` and by `ask`. Agents never"
        " fetch.",
    )
    hosts: Annotated[list[str], AfterValidator(_hosts)] = Field(
        default=[],
        description="Hosts that may be asked, at addresses of the public internet:"
        " `docs.python.org`, `*.readthedocs.io` (all below, not itself), `example.org:8443`"
        " (without a port: 80 and 443).",
    )
    private_hosts: Annotated[list[str], AfterValidator(_hosts_with_ports)] = Field(
        default=[],
        description="Hosts with their ports that may be asked also at an address of this machine or"
        " its network: `localhost:8000`, `wiki.example.lan:443`.",
    )
    delay: Seconds = Field(
        default=0.5, description="Seconds between two pages of a host; more where it asks for it."
    )
    timeout: Seconds = Field(default=30.0, gt=0, description="Seconds for one page.")
    max_page: Bytes = Field(default=5 << 20, ge=1024, description="Larger pages are left out.")
    pages: int = Field(default=500, ge=1, description="Most pages of one `library fetch`.")
    depth: int = Field(default=10, ge=0, description="Most links from where it begins.")
    max_size: Bytes = Field(default=200 << 20, ge=1024, description="Most bytes of one.")
    max_time: Seconds = Field(default=1800.0, ge=1, description="Longest time of one, in seconds.")
    search: Annotated[str | None, AfterValidator(search_url)] = Field(
        default=None,
        description="Where `ask` looks for pages: the address of a SearXNG instance (with JSON"
        " among its formats) or, with `search_kind`, of another service. Questions are sent there.",
    )
    search_kind: Literal["searxng", "brave"] = Field(
        default="searxng", description="What that address speaks: searxng or brave."
    )
    api_key: str | None = Field(default=None, description="Its key, if it wants one.")


class McpSection(SettingsSection):
    """The agent's face: over HTTP (over stdio it is always there), and its hooks."""

    http: bool = Field(
        default=False,
        description="Serve MCP, and chat completions beside it, over HTTP too; needs the token.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8765, ge=0, le=65535, description="Port; 0 takes a free one (see `mcp-address`)."
    )
    search_hints: bool = Field(
        default=True,
        description="Tell an agent now and then, through its hook, where the index has the name"
        " that it searches for with a tool of its own.",
    )


class Settings(BaseModel):
    """All sections."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    engine: EngineSection = EngineSection()
    indexing: IndexingSection = IndexingSection()
    watching: WatchingSection = WatchingSection()
    search: SearchSection = SearchSection()
    graph: GraphSection = GraphSection()
    model: ModelSection = ModelSection()
    qdrant: QdrantSection = QdrantSection()
    trust: TrustSection = TrustSection()
    storage: StorageSection = StorageSection()
    memory: MemorySection = MemorySection()
    history: HistorySection = HistorySection()
    environment: EnvironmentSection = EnvironmentSection()
    upstream: dict[str, UpstreamSection] = {}
    proxy: ProxySection = ProxySection()
    lsp: LspSection = LspSection()
    servers: ServersSection = ServersSection()
    mcp: McpSection = McpSection()
    ask: AskSection = AskSection()
    web: WebSection = WebSection()
