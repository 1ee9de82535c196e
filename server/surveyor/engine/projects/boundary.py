"""The wall: what an agent's session may read, and which folders it may have registered.

An agent's folders are those that its client has open, else the project that it was started with.
It reads what is registered, and registers what lies in its folders; for anything else the user is
asked, where the client can, and otherwise told which command does it. The user's own commands and
editors are not agents. Who is being answered is known wherever a folder is registered or looked up,
so that no operation can forget to ask.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path

from surveyor import paths
from surveyor.errors import UsageError
from surveyor.files import contained_paths
from surveyor.files.forbidden import refusal_of
from surveyor.protocol.sessions import Hello

AGENT_OPERATIONS = frozenset(
    (
        *("search", "similar", "symbols", "retrieve", "chunks", "passage", "passages"),
        *("definition", "references", "callers", "callees", "implementations", "hierarchy"),
        *("outline", "dependencies", "impact", "map", "enrichment", "check"),
        *("run_tests", "edit", "rename", "code_action"),
        *("history_search", "history_symbol", "history_file"),
        *("memory_write", "memory_list", "memory_recall", "memory_inject", "write_wait"),
        *("library_ingest", "library_list", "library_search"),
        *("index", "index_progress", "status", "projects", "remove_project"),
    )
)
"""What an agent may ask for. Settings, the engine's life and whole folders of documents are the
user's."""

Consent = Callable[[Path], Awaitable[bool]]
"""Asks the user whether a folder may be indexed for an agent."""


class OutsideError(UsageError):
    """Raised for a folder outside what the agent's session may see."""

    code = "outside"


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders and projects that one agent's session may see."""

    folders: Callable[[], Sequence[str]]
    """Its folders, as real paths."""
    consent: Consent | None = None
    """None where the client cannot ask its user."""


_answering: ContextVar[Reach | None] = ContextVar("reach", default=None)


def reach() -> Reach | None:
    """How far the agent reaches that is being answered; None for the user and the engine itself."""
    return _answering.get()


@contextmanager
def answering(agent: Reach | None) -> Iterator[None]:
    """While an agent is answered; with None, while the engine does something by itself."""
    token = _answering.set(agent)
    try:
        yield
    finally:
        _answering.reset(token)


def nobody() -> Context:
    """A context for what goes on after the answer: it is the engine's own."""
    context = copy_context()
    context.run(_answering.set, None)
    return context


def reach_of(hello: Hello | None) -> Reach | None:
    """How far a session reaches by what it said of itself; None for the user's own."""
    if hello is None or hello.client != "mcp":
        return None
    roots = tuple(str(contained_paths.real(root)) for root in hello.roots)
    return Reach(lambda: roots)


def check_operation(name: str) -> None:
    """Raises `OutsideError` for an operation that is not for agents."""
    if name not in AGENT_OPERATIONS:
        raise OutsideError(f"{name} is for the user, not for agents", "Ask the user to do it.")


async def admit(agent: Reach, path: str, registered: Iterable[str]) -> Path:
    """The real path of a folder that an agent wants registered, once it is clear that it may be.

    Raises `UsageError` with what the user can do where it may not. Nothing is said of what is
    there outside the session's folders.
    """
    folder = contained_paths.real(path)
    refusal = refusal_of(folder)
    if refusal is not None:
        raise OutsideError(
            f"{contained_paths.shown(path)} is no project for an agent: {refusal.message}",
            "Only folders of projects are indexed.",
        )
    if _is_in(folder, [str(paths.data_dir().resolve())]):
        raise OutsideError(
            f"{contained_paths.shown(path)} is Surveyor's own data", "Give a project."
        )
    if _is_in(folder, agent.folders()) or _is_in(folder, registered):
        return folder
    if agent.consent is not None and folder.is_dir() and await agent.consent(folder):
        return folder
    shown = contained_paths.shown(path)
    raise OutsideError(
        f"{shown} lies outside this session's folders, and is not indexed",
        f"Only the user adds a folder: with `surveyor index {shlex.quote(shown)}`"
        " in a terminal, or by opening it in the editor.",
    )


def check_open(root: str, name: str, what: str) -> None:
    """Raises `OutsideError` where an agent would change a project that it has not open, or run its
    programs: it may read what is registered, and do no more than that outside of its folders.

    `what` says in a word what is not done.
    """
    agent = reach()
    if agent is None:
        return
    project = Path(root)
    folders = [Path(each) for each in agent.folders()]
    if not any(
        project == each or project in each.parents or each in project.parents for each in folders
    ):
        raise OutsideError(
            f"{name} is not open in this session and not {what}", "Open its folder in the client."
        )


def check_document(path: str, registered: Iterable[str]) -> None:
    """Raises `OutsideError` for a document that an agent names outside of all it may read."""
    agent = reach()
    if agent is None:
        return
    file = contained_paths.real(path)
    if not _is_in(file, [*agent.folders(), *registered]):
        raise OutsideError(
            f"{contained_paths.shown(path)} lies outside this session's folders",
            "Only the user adds it: `surveyor library ingest`.",
        )


def _is_in(folder: Path, roots: Iterable[str]) -> bool:
    return any(folder == Path(root) or Path(root) in folder.parents for root in roots)


__all__ = [
    "OutsideError",
    "Reach",
    "admit",
    "answering",
    "check_document",
    "check_open",
    "check_operation",
    "nobody",
    "reach",
    "reach_of",
]
