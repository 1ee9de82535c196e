"""Prompts: one for each common job, under the names of Project RAG's slash commands."""

from __future__ import annotations

from dataclasses import dataclass

from surveyor.errors import UsageError
from surveyor.protocol.enumerations import FILE_TYPES, one_of


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: `{name}` in the text stands for an argument."""

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[tuple[str, str, bool], ...] = ()
    """Name, description, and whether it is required."""


_SYMBOL = (("name", "The symbol: func, Class.method or path:line", True),)

PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "index",
            "Index a folder",
            "Index this project or another folder of this session and report what was done.",
            "Call index with action=index, wait=true{path}, then summarise the report in two"
            " lines: files, chunks, what was skipped or failed and why.",
            (("path", "Folder; default: this project", False),),
        ),
        Prompt(
            "query",
            "Ask the codebase",
            "Answer a question about the code, with places.",
            "Answer this question about the project: {question}\nSearch with `search`, read what"
            " matters with `retrieve`, and cite each claim as path:line. Say so when the index"
            " does not hold the answer (confidence below 0.5).",
            (("question", "What to find out", True),),
        ),
        Prompt(
            "stats",
            "Index statistics",
            "What is indexed, in which languages, and how fresh it is.",
            "Call index with action=status and show files, chunks, languages, storage and limits"
            " as a short table; mention anything that is not healthy and what to do about it.",
        ),
        Prompt(
            "clear",
            "Clear the index",
            "Drop this project's index, after asking.",
            "Ask the user whether the index of this project may be dropped (the files stay). Only"
            " after a clear yes call index with action=clear, confirm=true.",
        ),
        Prompt(
            "search",
            "Search with filters",
            "Search with filters on path, language and type.",
            "Call search with query={query}{path}{language}{file_type} and list the results as"
            " path:line with one line each on what is there.",
            (
                ("query", "What to look for", True),
                ("path", "Glob", False),
                ("language", "Language", False),
                ("file_type", one_of(FILE_TYPES), False),
            ),
        ),
        Prompt(
            "git-search",
            "Search git history",
            "Find commits by meaning, author or date.",
            "Call history with query={query}{author}{since}{path} and tell what changed, when, by"
            " whom and why, newest first.",
            (
                ("query", "What the change was about", True),
                ("author", "Part of a name", False),
                ("since", "2026-03-01 or 90d", False),
                ("path", "File or folder", False),
            ),
        ),
        Prompt(
            "definition",
            "Find a definition",
            "Where a symbol is defined, and what it is.",
            "Call symbol with action=definition, name={name}; show the place and, with retrieve,"
            " the definition itself. If the name is ambiguous, list the candidates.",
            _SYMBOL,
        ),
        Prompt(
            "references",
            "Find references",
            "Everything that uses a symbol.",
            "Call symbol with action=references, name={name}; group the places by file, tests"
            " apart, and say how sure the answer is (precision, complete).",
            _SYMBOL,
        ),
        Prompt(
            "callgraph",
            "Call graph",
            "Callers and callees of a function.",
            "Call symbol twice with name={name}: action=callers, depth=2 and action=callees,"
            " depth=2. Draw the result as a small tree and name the entry points.",
            _SYMBOL,
        ),
    )
}


def render(name: str, given: dict[str, str]) -> str:
    """The text of a prompt. Raises `UsageError` for an unknown name or a missing argument.

    Arguments are quoted: they are the user's words, not ours.
    """
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise UsageError(f"there is no prompt {name!r}", f"Known: {', '.join(PROMPTS)}.")
    values = {}
    for argument, about, required in prompt.arguments:
        value = given.get(argument, "").strip()
        if required and not value:
            raise UsageError(f"the argument {argument!r} is needed", about)
        quoted = '"' + value.replace('"', "'") + '"'
        alone = required or name == "query"
        values[argument] = quoted if alone else f", {argument}={quoted}" if value else ""
    text = prompt.text
    for argument, value in values.items():
        text = text.replace("{" + argument + "}", value)
    return text
