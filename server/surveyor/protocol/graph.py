"""What the graph is asked and what it answers, across processes.

Lines are 1-based, columns 0-based UTF-16 code units, paths relative to the project's root. A name
in a request may be `func`, `Class.method`, `package.module.func`, `path:func` or
`path:line[:column]` (here the column is 1-based, as editors and compilers print it).
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal

import msgspec

from surveyor.protocol.base import Answer, Freshness, Model, Request
from surveyor.protocol.enumerations import Exact, Picture, Precision

__all__ = [
    "CalleesRequest",
    "CallersRequest",
    "DefinitionRequest",
    "DependenciesRequest",
    "Drawing",
    "DrawnEdge",
    "DrawnNode",
    "EnrichmentRequest",
    "EnrichmentResponse",
    "GraphItem",
    "GraphRequest",
    "GraphResponse",
    "HierarchyRequest",
    "ImpactItem",
    "ImpactRequest",
    "ImpactResponse",
    "ImplementationsRequest",
    "MapFile",
    "MapRequest",
    "MapResponse",
    "MapSymbol",
    "OutlineRequest",
    "ReferencesRequest",
    "UnresolvedImport",
]


class GraphItem(Model, kw_only=True):
    """A place: a definition, or a use of one with the definition around it."""

    path: str
    line: int
    column: int
    end_column: int
    kind: str
    """definition; supertype or subtype; or how a use uses: call, read, write, import, type,
    inheritance, instantiation, implicit."""
    symbol: str
    """Qualified name: of the definition itself, or of the one around a use ('' at file level)."""
    symbol_kind: str = ""
    start_line: int = 0
    """Of the symbol, with `end_line`."""
    end_line: int = 0
    precision: Precision = "syntax"
    score: float = 1.0
    """How likely this is meant, where several things of one name exist."""
    target: str | None = None
    """What is used, where it is not the symbol that was asked for."""
    depth: int = 1
    via: list[str] = msgspec.field(default_factory=list)
    """Qualified names between what was asked for and this, in call order."""
    is_test: bool = False
    language: str | None = None
    signature: str | None = None
    text: str = ""
    """The line itself."""
    unsaved_version: int | None = None
    """Of the editor's buffer that this is read from."""


class MapSymbol(Model, kw_only=True):
    """A definition worth knowing."""

    name: str
    kind: str
    line: int
    rank: float
    signature: str


class DrawnNode(Model, kw_only=True):
    """A box of a drawing: a definition, or a file, whose name is empty."""

    name: str
    path: str
    line: int
    kind: str
    is_test: bool = False
    is_subject: bool = False
    """Whether this is what was asked about."""
    members: list[MapSymbol] = msgspec.field(default_factory=list)
    """Of a file on a map: its definitions that are worth knowing."""


class DrawnEdge(Model, kw_only=True):
    """That one box uses another, both by their index among the nodes."""

    source: int
    target: int
    uses: int = 1


class Drawing(Model, kw_only=True):
    """Boxes and arrows, for a face that draws them itself."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    omitted: int = 0
    """Edges left out, the farthest or the fewest uses first."""


class GraphResponse(Freshness, kw_only=True):
    """Places, and how sure they are."""

    results: list[GraphItem]
    precision: Precision
    complete: bool
    """False where a use could exist that was not followed, and where the limit cut; `notice` says
    why."""
    limited: bool = False
    """That it is incomplete for the limit alone: with a higher one it has them all."""
    symbol: GraphItem | None = None
    """What the question was understood to be about."""
    candidates: list[GraphItem] = msgspec.field(default_factory=list)
    """Other definitions that the name may mean."""
    omitted: int = 0
    unlikely: int = 0
    """Places that share the name only and were left out for their score."""
    picture: str | None = None
    drawing: Drawing | None = None
    server: str | None = None
    """The language server that answered, for `exact` and `partial`."""
    unsaved_version: int | None = None
    notice: str | None = None
    took_ms: float = 0.0
    root: str = ""


class TargetRequest(Request[Answer], Generic[Answer], kw_only=True):
    """What a question is about: a name, or what is at a position."""

    name: str = ""
    path: str | None = None
    """With `line` (1-based) and `column` (0-based): a position instead of a name."""
    line: int | None = None
    column: int | None = None
    enclosing: bool = True
    """Whether the definition around a position is meant where none is named or used there."""
    cwd: str | None = None
    project: str | None = None
    saved: bool = False
    """Only what is saved counts: positions are those of the files on disk."""


class GraphRequest(TargetRequest[GraphResponse], kw_only=True):
    """What all questions about one symbol have in common."""

    answer: ClassVar[type[Any]] = GraphResponse

    limit: int = 500
    exact: Exact = "auto"
    """`auto`: a language server that is ready is asked; `always`: one is started and waited for;
    `never`: the stored graph answers."""
    min_score: float = 0.25
    """Leave out places that are less likely than this; 0 keeps all that share the name."""
    wait_until_fresh_ms: int = 0
    saved: bool = False
    """Only what is saved counts: positions are those of the files on disk."""


class DefinitionRequest(GraphRequest, kw_only=True):
    """Where is this defined?"""

    operation: ClassVar[str] = "definition"


class ReferencesRequest(GraphRequest, kw_only=True):
    """Where is this used?"""

    operation: ClassVar[str] = "references"

    kinds: list[str] = msgspec.field(default_factory=list)
    declaration: bool = False
    """Whether the definition itself comes first among the results."""


class CallersRequest(GraphRequest, kw_only=True):
    """What calls this, directly and through others?"""

    operation: ClassVar[str] = "callers"

    depth: int = 1
    picture: Picture | None = None
    drawing: bool = False


class CalleesRequest(GraphRequest, kw_only=True):
    """What does this call, directly and through others?"""

    operation: ClassVar[str] = "callees"

    depth: int = 1
    picture: Picture | None = None
    drawing: bool = False


class ImplementationsRequest(GraphRequest, kw_only=True):
    """What implements this interface or overrides this method?"""

    operation: ClassVar[str] = "implementations"


class HierarchyRequest(GraphRequest, kw_only=True):
    """What does this type extend (`super`), and what extends it (`sub`)?

    An item's `kind` is `supertype` or `subtype`, its `depth` how far it is.
    """

    operation: ClassVar[str] = "hierarchy"

    direction: Literal["super", "sub", "both"] = "both"
    depth: int = 10


class OutlineRequest(GraphRequest, kw_only=True):
    """What does this file define? `path` is the file."""

    operation: ClassVar[str] = "outline"


class DependenciesRequest(GraphRequest, kw_only=True):
    """Which files does a file import, or which import it? `path` is the file.

    An item's `path` is the other file, and its `line` that of the import: in the item's `target`
    for `out`, in its `path` for `in`.
    """

    operation: ClassVar[str] = "dependencies"

    direction: Literal["out", "in"] = "out"
    depth: int = 1


class UnresolvedImport(Model, kw_only=True):
    """An import without a file, and why."""

    path: str
    line: int
    module: str
    kind: str
    reason: str


class ImpactItem(Model, kw_only=True):
    """Something that depends on what was asked about, or that it depends on."""

    path: str
    line: int
    name: str
    """Qualified name; empty for a file as a whole."""
    kind: str
    start_line: int
    end_line: int
    depth: int
    source: str
    """The edge points from here (`path::name`) …"""
    target: str
    """… to here: a source uses a target."""
    edge: str
    """Kind of that edge: of a use; `contains`, where a function or class holds what nobody need
    name; `overridden`, where a method stands for the one that callers name; `overrides`, where it
    has to stay like the one that was asked about."""
    via: list[str] = msgspec.field(default_factory=list)
    """`path::name` of everything between, starting next to what was asked about."""
    is_test: bool = False
    through: str = ""
    """The class (`path::name`) by which alone it is reached: it uses the class of a method that
    nothing names, and need not use the method."""
    score: float = 0.0
    """Rank: near, certain and important first."""
    precision: Precision = "syntax"
    language: str | None = None
    unsaved_version: int | None = None
    """Of the editor's buffer that this is read from."""


class ImpactResponse(Freshness, kw_only=True):
    """Both directions apart; `results` is `inbound`."""

    results: list[ImpactItem]
    inbound: list[ImpactItem]
    outbound: list[ImpactItem]
    tests: list[str]
    """Test files among what is reached, most concerned first."""
    subjects: list[GraphItem]
    """What was asked about: the symbol, the file, or what a diff changes."""
    unresolved: list[UnresolvedImport]
    """Of the files of the subjects, then of what depends on them."""
    unresolved_elsewhere: int = 0
    """Imports by call that are not listed and cannot be computed: each may mean any file."""
    precision: Precision
    complete: bool
    limited: bool = False
    """That it is incomplete for the limit alone: with a higher one it has them all."""
    omitted: int = 0
    picture: str | None = None
    drawing: Drawing | None = None
    notice: str | None = None
    took_ms: float = 0.0
    root: str = ""


class ImpactRequest(TargetRequest[ImpactResponse], kw_only=True):
    """What depends on a file (by its path as the name), a symbol, or what a diff changes?"""

    operation: ClassVar[str] = "impact"
    answer: ClassVar[type[Any]] = ImpactResponse

    diff: str | None = None
    """`working`, `staged` or a git range, in place of a name."""
    diff_path: str | None = None
    """Only this file or folder of the diff."""
    depth: int = 3
    limit: int = 200
    """In each direction; tests leave code at least half of it."""
    picture: Picture | None = None
    drawing: bool = False
    wait_until_fresh_ms: int = 0


class MapFile(Model, kw_only=True):
    """A file worth knowing, with its most important definitions."""

    path: str
    rank: float
    language: str | None
    symbols: list[MapSymbol]
    unsaved_version: int | None = None
    """Of the editor's buffer that this is read from."""


class MapResponse(Freshness, kw_only=True):
    """The most important files and definitions that fit a budget."""

    results: list[MapFile]
    text: str
    tokens: int
    files_total: int
    symbols_total: int
    omitted: int
    precision: Precision = "syntax"
    complete: bool = True
    drawing: Drawing | None = None
    took_ms: float = 0.0
    root: str = ""


class MapRequest(Request[MapResponse], kw_only=True):
    """An overview of a project for a number of tokens."""

    operation: ClassVar[str] = "map"
    answer: ClassVar[type[Any]] = MapResponse

    cwd: str | None = None
    project: str | None = None
    tokens: int = 2000
    query: str | None = None
    """Names or words: what is near them counts more."""
    files: list[str] = msgspec.field(default_factory=list)
    """Open files: what is near them counts more."""
    folder: str | None = None
    """Only files below this folder, from the root or absolute."""
    drawing: bool = False
    wait_until_fresh_ms: int = 0
    saved: bool = False
    """Only what is saved counts: positions are those of the files on disk."""


class EnrichmentResponse(Freshness, kw_only=True):
    """What the graph knows of one definition, for a hover or beside a search result."""

    found: bool
    symbol: GraphItem | None = None
    references: int = 0
    files: int = 0
    test_references: int = 0
    callers: list[GraphItem] = msgspec.field(default_factory=list)
    """The most important callers."""
    caller_count: int = 0
    """How many callers there are in all."""
    type_info: str = ""
    """What the definition is or returns, where the source says."""
    resolved_imports: list[str] = msgspec.field(default_factory=list)
    """Files that the definition's own file imports and the definition uses."""
    precision: Precision = "syntax"
    complete: bool = True
    took_ms: float = 0.0


class EnrichmentRequest(TargetRequest[EnrichmentResponse], kw_only=True):
    """Ask for `references`, `type_info` and `resolved_imports` of what is at a place."""

    operation: ClassVar[str] = "enrichment"
    answer: ClassVar[type[Any]] = EnrichmentResponse

    callers: int = 3
    details: bool = True
    """Whether `type_info` and `resolved_imports` are wanted: half of the cost."""
