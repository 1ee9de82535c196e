"""Rules tied to code: what an anchor names, where that code went, and whether it is the same.

The rule keeps the code that it was written for; each checkout keeps where that code is now and
whether it still is the same. Comparison ignores indentation and the symbol's own name, so that a
function that was moved and renamed is found again.
"""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from surveyor.errors import NotFoundError, UsageError
from surveyor.files.inside import below, read_below
from surveyor.paths import is_there
from surveyor.secrets import mask_text
from surveyor.secrets.files import is_private_key, is_secret_file
from surveyor.store.state import State, Transaction

TEXT_MAX_CHARS = 60_000
"""Of the anchored code, enough to know it again."""
SAME_NAME_SIMILARITY = 0.5
OTHER_NAME_SIMILARITY = 0.7
"""Least share of common lines for code to be the anchored one, edited: less where the name
stayed."""
FOLDER_HASHES_MAX = 200
MAX_CANDIDATES = 400
SHOWN_CANDIDATES = 8

Kind = Literal["symbol", "file", "folder"]
State_ = Literal["ok", "changed", "lost"]


@dataclass(frozen=True, slots=True)
class Place:
    """A registered folder, as far as anchors need it."""

    checkout_id: str
    project_id: str
    root: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """What an anchor names, and the code there when it was made."""

    kind: Kind
    path: str
    name: str = ""
    text: str = ""
    content_hash: bytes | None = None
    start_line: int | None = None
    end_line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}#{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class Candidate:
    """A symbol that might be the anchored one."""

    path: str
    name: str
    kind: str
    start_line: int
    end_line: int

    def __str__(self) -> str:
        return f"{self.path}#{self.name}"


def normalised(text: str, name: str = "") -> list[str]:
    """Lines without indentation and blanks, the symbol's own name replaced."""
    own = name.rpartition(".")[2]
    if own:
        text = re.sub(rf"\b{re.escape(own)}\b", "\0", text)
    return [stripped for line in text.splitlines() if (stripped := " ".join(line.split()))]


def similarity(left: Sequence[str], right: Sequence[str]) -> float:
    """Share of common lines, 1 for the same; order counts."""
    if left == right:
        return 1.0
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    if matcher.real_quick_ratio() < SAME_NAME_SIMILARITY:
        return 0.0
    by_line = matcher.ratio()
    if max(len(left), len(right)) <= 3:
        # Of a one-line function a changed word is half its lines: compare the words.
        words = difflib.SequenceMatcher(None, " ".join(left).split(), " ".join(right).split())
        return max(by_line, words.ratio())
    return by_line


async def resolve(state: State, place: Place, text: str) -> Anchor:
    """The anchor that a text names: `PATH`, `PATH:LINE`, `PATH#SYMBOL` or `SYMBOL`.

    Raises `NotFoundError` when there is no such path or symbol, `UsageError` naming the
    candidates when there are several.
    """
    text = text.strip()
    path, _, name = text.partition("#")
    line = None
    if not name and (match := re.fullmatch(r"(.+?):(\d+)", path)):
        path, line = match[1], int(match[2])
    relative = _relative(place.root, path)
    if relative is not None:
        if not name and line is None:
            return await _path_anchor(state, place, relative)
        found = await _symbols(state, place, paths=[relative])
        if line is not None:
            found = [one for one in found if one.start_line <= line <= one.end_line]
            found.sort(key=lambda one: one.end_line - one.start_line)
            found = found[:1]
        else:
            found = _named(found, name)
    else:
        name = name or path
        found = _named(await _symbols(state, place, name=name.rpartition(".")[2]), name)
        if not found and "/" not in name:
            found = _named(
                await _symbols(state, place, name=re.split(r"::|#|->", name)[-1]),
                re.sub(r"::|#|->", ".", name),
            )
    if not found:
        raise NotFoundError(
            f"{text!r} is neither a path nor an indexed symbol of {place.root}",
            "Give PATH, PATH:LINE, PATH#SYMBOL or SYMBOL; `surveyor symbols` finds names.",
        )
    if len({str(one) for one in found}) > 1:
        shown = ", ".join(sorted({str(one) for one in found})[:SHOWN_CANDIDATES])
        raise UsageError(f"{text!r} names several symbols: {shown}", "Give PATH#SYMBOL.")
    # Of overloads and of declarations beside a definition, the one with the body.
    return anchor_of(place, max(found, key=lambda one: one.end_line - one.start_line))


def anchor_of(place: Place, candidate: Candidate) -> Anchor:
    """The anchor to a symbol as it is now."""
    return Anchor(
        "symbol",
        candidate.path,
        candidate.name,
        text=code(place.root, candidate.path, candidate.start_line, candidate.end_line),
        start_line=candidate.start_line,
        end_line=candidate.end_line,
    )


async def _path_anchor(state: State, place: Place, path: str) -> Anchor:
    full = Path(place.root, path)
    if full.is_dir():
        rows = await state.read(
            "SELECT content_hash FROM files WHERE checkout_id = ? AND content_hash IS NOT NULL"
            " AND substr(path, 1, ?) = ? ORDER BY path LIMIT ?",
            (place.checkout_id, len(path) + 1, path + "/", FOLDER_HASHES_MAX),
        )
        return Anchor("folder", path, text=json.dumps([bytes(row[0]).hex() for row in rows]))
    row = await state.one(
        "SELECT content_hash, status FROM files WHERE checkout_id = ? AND path = ?",
        (place.checkout_id, path),
    )
    text = code(place.root, path, 1, None)
    is_secret = is_secret_file(path) or is_private_key(text.encode("utf-8", "replace"))
    if (row is not None and row["status"] == "skipped") or is_secret:
        text = ""  # what the index leaves out is not kept with a rule either
    return Anchor("file", path, text=text, content_hash=row["content_hash"] if row else None)


async def _symbols(
    state: State, place: Place, *, paths: Iterable[str] = (), name: str | None = None
) -> list[Candidate]:
    """Symbols of a checkout, of some files or of some name."""
    conditions, parameters = ["f.checkout_id = ?"], [place.checkout_id]
    listed = list(paths)[:MAX_CANDIDATES]
    if listed:
        conditions.append(f"f.path IN ({','.join('?' * len(listed))})")
        parameters += listed
    if name is not None:
        conditions.append("s.name_lower = ?")
        parameters.append(name.lower())
    rows = await state.read(
        f"""SELECT f.path, s.name, s.container, s.kind, s.start_line, s.end_line FROM symbols s
            JOIN files f ON f.doc_id = s.doc_id WHERE {" AND ".join(conditions)}
            ORDER BY f.path, s.start_line LIMIT 5000""",
        parameters,
    )
    return [_candidate(row) for row in rows]


def _candidate(row: sqlite3.Row) -> Candidate:
    name = f"{row['container']}.{row['name']}" if row["container"] else str(row["name"])
    return Candidate(row["path"], name, row["kind"], row["start_line"], row["end_line"])


def _named(found: Sequence[Candidate], name: str) -> list[Candidate]:
    """Those of exactly this name, or of this name below some container."""
    exact = [one for one in found if one.name == name]
    return exact or [one for one in found if one.name.endswith(f".{name}")]


def _relative(root: str, text: str) -> str | None:
    """The path below the root, if there is such a file or folder."""
    try:
        relative = below(Path(root), text)
    except UsageError:
        return None
    return relative if relative != "." and is_there(Path(root, relative)) else None


def code(root: str, path: str, start_line: int, end_line: int | None) -> str:
    """Lines of a file as it is on disk; empty when it cannot be read."""
    try:
        text = read_below(Path(root), path).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = mask_text(text, path).splitlines()
    return "\n".join(lines[start_line - 1 : end_line])[:TEXT_MAX_CHARS]


# --- following ----------------------------------------------------------------------------


async def follow(
    state: State, place: Place, touched: frozenset[str]
) -> list[tuple[str, Anchor, State_, str]]:
    """Look again at the anchors that touched files concern.

    Returns (rule id, where it is now, its state, why) for each that was looked at.
    """
    rules = await state.read(
        """SELECT r.*, a.path AS path, a.name AS name, a.state AS state FROM rules r
           LEFT JOIN rule_anchors a ON a.rule_id = r.rule_id AND a.checkout_id = ?
           WHERE r.project_id = ? AND r.anchor_kind IS NOT NULL""",
        (place.checkout_id, place.project_id),
    )
    found = []
    for rule in rules:
        path = rule["path"] or rule["anchor_path"]
        concerned = (
            rule["state"] in (None, "lost")
            or path in touched
            or (
                rule["anchor_kind"] == "folder"
                and any(one.startswith(path + "/") for one in touched)
            )
        )
        if concerned:
            anchor, now, why = await _look_again(state, place, rule, touched)
            found.append((str(rule["rule_id"]), anchor, now, why))
    return found


async def _look_again(
    state: State, place: Place, rule: sqlite3.Row, touched: frozenset[str]
) -> tuple[Anchor, State_, str]:
    kind: Kind = rule["anchor_kind"]
    path = str(rule["path"] or rule["anchor_path"])
    if kind == "symbol":
        return await _find_symbol(state, place, rule, path, touched)
    if kind == "folder":
        return await _find_folder(state, place, rule, path)
    return await _find_file(state, place, rule, path, touched)


async def _find_symbol(
    state: State, place: Place, rule: sqlite3.Row, path: str, touched: frozenset[str]
) -> tuple[Anchor, State_, str]:
    name = str(rule["name"] or rule["anchor_name"])
    original = normalised(rule["anchor_text"] or "", rule["anchor_name"])
    at_home = await _symbols(state, place, paths=[path])
    here = [one for one in at_home if one.name == name]
    if not here:
        elsewhere = await _symbols(state, place, name=name.rpartition(".")[2])
        others = await _symbols(state, place, paths=sorted(touched)) if touched else []
        here = list(dict.fromkeys([*at_home, *elsewhere, *others]))[: 5 * MAX_CANDIDATES]
    own = name.rpartition(".")[2]
    texts: dict[str, list[str]] = {}
    best: tuple[float, Candidate] | None = None
    for one in here:
        if one.path not in texts:
            texts[one.path] = code(place.root, one.path, 1, None).splitlines()
        lines = texts[one.path][one.start_line - 1 : one.end_line]
        alike = similarity(original, normalised("\n".join(lines), one.name))
        kept_name = one.name.rpartition(".")[2] == own
        at_least = SAME_NAME_SIMILARITY if kept_name else OTHER_NAME_SIMILARITY
        if one.path == path and one.name == name:
            at_least = 0.0  # the same name in the same place is the same thing, however edited
        score = alike + (0.001 if kept_name else 0.0)
        if alike >= at_least and (best is None or score > best[0]):
            best = (score, one)
    if best is None:
        where = Anchor("symbol", path, name)
        return where, "lost", f"{path}#{name} is not there any more"
    score, one = best
    anchor = anchor_of(place, one)
    if score >= 1.0:
        return anchor, "ok", ""
    return anchor, "changed", f"the code of {one} has changed since the rule was written"


async def _find_file(
    state: State, place: Place, rule: sqlite3.Row, path: str, touched: frozenset[str]
) -> tuple[Anchor, State_, str]:
    original = rule["anchor_hash"]
    row = await state.one(
        "SELECT content_hash FROM files WHERE checkout_id = ? AND path = ?",
        (place.checkout_id, path),
    )
    if row is not None or Path(place.root, path).is_file():
        if original is None or row is None or row[0] == original:
            return Anchor("file", path), "ok", ""
        return Anchor("file", path), "changed", f"{path} has changed since the rule was written"
    moved = await state.one(
        "SELECT path FROM files WHERE checkout_id = ? AND content_hash = ? ORDER BY path",
        (place.checkout_id, original),
    )
    if moved is not None:
        return Anchor("file", str(moved[0])), "ok", ""
    lines = normalised(rule["anchor_text"] or "")
    best = max(
        (
            (similarity(lines, normalised(code(place.root, one, 1, None))), one)
            for one in sorted(touched)[:MAX_CANDIDATES]
            if Path(place.root, one).is_file()
        ),
        default=(0.0, ""),
    )
    if best[0] >= OTHER_NAME_SIMILARITY:
        why = f"{path} became {best[1]} and has changed since the rule was written"
        return Anchor("file", best[1]), "changed", why
    return Anchor("file", path), "lost", f"{path} is not there any more"


async def _find_folder(
    state: State, place: Place, rule: sqlite3.Row, path: str
) -> tuple[Anchor, State_, str]:
    if Path(place.root, path).is_dir():
        return Anchor("folder", path), "ok", ""
    hashes = [bytes.fromhex(one) for one in json.loads(rule["anchor_text"] or "[]")]
    if hashes:
        rows = await state.read(
            "SELECT path FROM files WHERE checkout_id = ?"
            f" AND content_hash IN ({','.join('?' * len(hashes))})",
            (place.checkout_id, *hashes),
        )
        votes: dict[str, int] = {}
        for row in rows:
            for parent in PurePosixPath(row[0]).parents:
                if str(parent) != ".":
                    votes[str(parent)] = votes.get(str(parent), 0) + 1
        if votes:
            best = max(votes, key=lambda one: (votes[one], len(one)))
            if votes[best] * 2 > len(hashes):
                return Anchor("folder", best), "ok", ""
    return Anchor("folder", path), "lost", f"{path} is not there any more"


async def remember(
    tx: Transaction, checkout_id: str, looked_at: Iterable[tuple[str, Anchor, State_, str]]
) -> None:
    """Write down where anchors are."""
    await tx.many(
        """INSERT INTO rule_anchors
             (rule_id, checkout_id, path, name, start_line, end_line, state, reason)
           SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM rules WHERE rule_id = ?)
           ON CONFLICT (rule_id, checkout_id) DO UPDATE SET path = excluded.path,
             name = excluded.name, start_line = excluded.start_line,
             end_line = excluded.end_line, state = excluded.state, reason = excluded.reason""",
        [
            (rule, checkout_id, a.path, a.name, a.start_line, a.end_line, now, why, rule)
            for rule, a, now, why in looked_at
        ],
    )
