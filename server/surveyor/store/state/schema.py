"""The schema of `state.db` as the reference page docs/schema.md, made from the migrations.

The page has what SQLite says after all migrations ran, and the comments that stand in them: above
`CREATE TABLE`, beside a column, and beside `ADD COLUMN`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from surveyor.store.state.database import migrations
from surveyor.store.state.kept_rows import KEPT

GROUPS: dict[str, dict[str, str]] = {
    "Projects": {
        "projects": "A repository, or a folder without one: what vectors, rules and history"
        " belong to.",
        "checkouts": "A folder of a project: each clone and worktree is one.",
        "settings": "What the engine remembers between runs, as JSON by key.",
    },
    "Documents": {
        "documents": "One content at one path of a project, shared by checkouts and branches.",
        "files": "A checkout's files on disk, with the document that each holds.",
        "branch_files": "A branch as a map from paths to documents, as last seen.",
        "chunks": "What a search finds of a document; one row is one point of the store.",
        "texts": "What those chunks say that are not lines of their document (`chunk_texts.py`).",
        "vectors": "Dense vectors by text and model, a byte a dimension, so that none is computed"
        " twice.",
        "symbols": "Definitions in a document, for name searches and outlines.",
        "document_texts": "What a document says, from its first byte to its last.",
        "document_ngrams": "What a document may say.",
        "dead_points": "Points that no document needs any more and the store still has.",
    },
    "Queue": {
        "unified_queue": "Work that is to be done; a row goes when its work is done.",
    },
    "Rules": {
        "rules": "Memory rules, global or of a project.",
        "rule_anchors": "Where the code that a rule speaks of is, per checkout.",
    },
    "Libraries": {
        "libraries": "Folders, packages' documentation, notes, agents' sessions.",
        "library_documents": "One document of a library.",
        "library_pieces": "The chunks of a library's document; one row is one point.",
        "project_packages": "Which packages' documentation a project uses.",
    },
    "The web": {
        "web_crawls": "A library that is read from the web, and how.",
        "web_pages": "A page of such a library.",
    },
    "Agents": {
        "agent_log": "Calls of agents' tools, for the user to look at.",
    },
    "History": {
        "commits": "Commits that a branch, tag or worktree reaches.",
        "commit_files": "The files that a commit touched.",
        "history_progress": "How far a project's history has been read.",
    },
    "Graph": {
        "graph_documents": "What a document uses, unresolved; one row per document.",
        "graph_pending": "Documents whose row above is still to be made.",
        "graph_files": "A checkout's files as the graph has resolved them.",
        "graph_nodes": "Definitions.",
        "graph_places": "The other places of a definition: overloads, accessors, alternatives.",
        "graph_edges": "Uses of definitions.",
        "graph_imports": "A file's imports, with the file meant or why there is none.",
        "graph_exact": "What a language server said.",
    },
    "Integrity": {
        "schema_version": "The migrations that were applied.",
        "kept_digests": "Digests of rows that are kept twice.",
        "kept_progress": "How far the second copy has been brought.",
        "document_digests": "Digests of a document's chunks and symbols.",
    },
}
"""Every table, by subject, with what one row of it is."""

_INTRODUCTION = """\
# The schema of `state.db`

Made from the migrations by `python -m surveyor.store.state.schema`; a test compares the two.

`state.db` is the truth about projects and files; the vector store is derived and can be made again
from it and the files. It is a SQLite database in WAL mode with foreign keys, opened by the engine
alone. A change is the next number in `server/surveyor/store/state/migrations/`; migrations only go
forward, each in one transaction, and a file of a newer version is refused. Rows marked *kept twice*
are what nothing could make again: they are also in `state.spare.db`
([processes](processes.md#files-in-the-data-folder)).
"""


def schema_page() -> str:
    """The page as Markdown. Raises `ValueError` when `GROUPS` lacks a table or has one too many."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE TABLE schema_version"
            " (version INTEGER PRIMARY KEY, applied_at TEXT DEFAULT (datetime('now')))"
        )
        for _, script in sorted(migrations().items()):
            database.executescript(script)
        return "\n".join(_page(database))


def _page(database: sqlite3.Connection) -> Iterator[str]:
    tables = dict(
        database.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
    )
    described = [name for group in GROUPS.values() for name in group]
    if sorted(tables) != sorted(described):
        differing = sorted(set(tables) ^ set(described))
        raise ValueError(f"GROUPS in schema.py and the migrations differ: {differing}")
    yield _INTRODUCTION
    above, added = _comments()
    for group, members in GROUPS.items():
        yield f"## {group}\n"
        for name, meaning in members.items():
            yield f"### {name}\n"
            yield f"{meaning}{_kept_twice(name)}\n"
            if comment := above.get(name):
                yield f"{comment}\n"
            yield from _columns(database, name, _beside(tables[name]) | added.get(name, {}))
            yield from _constraints(database, name, tables[name])


def _kept_twice(table: str) -> str:
    if table not in KEPT:
        return ""
    condition = KEPT[table].condition
    return " *Kept twice*" + ("." if condition == "true" else f" where `{condition}`.")


def _columns(database: sqlite3.Connection, table: str, comments: dict[str, str]) -> Iterator[str]:
    targets = {
        row[3]: f"→ {row[2]}.{row[4]}" + ("" if row[6] == "NO ACTION" else f", {row[6].lower()}")
        for row in database.execute(f"PRAGMA foreign_key_list({table})")
    }
    yield "| column | type | default | key | |"
    yield "| --- | --- | --- | --- | --- |"
    for _, name, kind, required, default, place in database.execute(f"PRAGMA table_info({table})"):
        null = "" if required or place else ", may be NULL"
        key = ", ".join(filter(None, ["primary" if place else "", targets.get(name, "")]))
        value = f"`{default}`" if default is not None else ""
        yield f"| `{name}` | {kind}{null} | {value} | {key} | {comments.get(name, '')} |"
    yield ""


def _constraints(database: sqlite3.Connection, table: str, sql: str) -> Iterator[str]:
    lines = [f"- check: `{check}`" for check in re.findall(r"CHECK \((.+)\),?$", sql, re.MULTILINE)]
    for _, name, unique, origin, partial in database.execute(f"PRAGMA index_list({table})"):
        columns = ", ".join(
            # An expression has no name.
            f"{column} descending" if descending else str(column)
            for _, _, column, descending, _, is_key in database.execute(
                f"PRAGMA index_xinfo({name})"
            )
            if is_key
        )
        if origin == "c":
            (made_by,) = database.execute(
                "SELECT sql FROM sqlite_master WHERE name = ?", (name,)
            ).fetchone()
            if "None" in columns.split(", "):
                columns = f"`{made_by[made_by.index('(') + 1 : made_by.rindex(')')]}`"
            where = f" where `{made_by.split('WHERE ')[1]}`" if partial else ""
            lines.append(f"- {'unique ' if unique else ''}index `{name}`: {columns}{where}")
        elif origin == "u":
            lines.append(f"- unique: {columns}")
    if lines:
        yield "\n".join(sorted(lines)) + "\n"


def _beside(sql: str) -> dict[str, str]:
    """What a table's definition says behind its columns."""
    return {
        match[1]: match[2].strip()
        for match in re.finditer(r'^\s*"?(\w+)"?\s[^\n]*?--\s*(.+)$', sql, re.MULTILINE)
    }


def _comments() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """What the migrations say above tables, and beside columns that came later."""
    above: dict[str, str] = {}
    added: dict[str, dict[str, str]] = {}
    for _, script in sorted(migrations().items()):
        for match in re.finditer(r"((?:^--.*\n)+)CREATE TABLE (\w+)", script, re.MULTILINE):
            above[match[2]] = " ".join(re.findall(r"^-- ?(.*)$", match[1], re.MULTILINE))
        for match in re.finditer(
            r"((?:^--.*\n)*)ALTER TABLE (\w+) ADD COLUMN (\w+)[^;]*;(?: *-- *(.*))?",
            script,
            re.MULTILINE,
        ):
            before = " ".join(re.findall(r"^-- ?(.*)$", match[1], re.MULTILINE))
            if comment := match[4] or before:
                added.setdefault(match[2], {})[match[3]] = comment
        for old, new in re.findall(r"ALTER TABLE (\w+) RENAME TO (\w+)", script):
            if old in above:
                above[new] = above.pop(old)
    return above, added


if __name__ == "__main__":
    import sys

    sys.stdout.write(schema_page())
