"""Rules tied to code: what an anchor names, where that code went, and whether it is the same.

The rule keeps the code that it was written for; each checkout keeps where that code is now and
whether it still is the same. Comparison ignores indentation and the symbol's own name, so that a
function that was moved and renamed is found again.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from surveyor.errors import NotFoundError, UsageError
from surveyor.files.contained_paths import below, read_below
from surveyor.files.file_class import DECLARING
from surveyor.paths import is_there
from surveyor.secrets import mask_text
from surveyor.secrets.files import is_private_key, is_secret_file
from surveyor.store.state import State, code_lookup
from surveyor.store.state import rules as rule_table
from surveyor.store.state.code_lookup import SymbolPlace
from surveyor.store.state.rules import (
    AnchoredRuleRow,
    AnchorKind,
    AnchorState,
    RuleAnchorRow,
    RulePlaceRow,
)

TEXT_MAX_CHARS = 60_000
"""Of the anchored code, enough to know it again."""
SAME_NAME_SIMILARITY = 0.5
OTHER_NAME_SIMILARITY = 0.7
"""Least share of common lines for code to be the anchored one, edited: less where the name
stayed."""
FOLDER_HASHES_MAX = 200
MAX_CANDIDATES = 400
SHOWN_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class AnchorFolder:
    """A registered folder, as far as anchors need it."""

    checkout_id: str
    project_id: str
    root: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """What an anchor names, and the code there when it was made."""

    kind: AnchorKind
    path: str
    name: str = ""
    text: str = ""
    content_hash: bytes | None = None
    start_line: int | None = None
    end_line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}#{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class SymbolCandidate:
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


async def resolve(state: State, place: AnchorFolder, text: str) -> Anchor:
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
    found = _without_declarations(found)
    if len({str(one) for one in found}) > 1:
        shown = ", ".join(sorted({str(one) for one in found})[:SHOWN_CANDIDATES])
        raise UsageError(f"{text!r} names several symbols: {shown}", "Give PATH#SYMBOL.")
    # Of overloads and of declarations beside a definition, the one with the body.
    return anchor_of(place, max(found, key=lambda one: one.end_line - one.start_line))


def _without_declarations(found: Sequence[SymbolCandidate]) -> list[SymbolCandidate]:
    """A function that a header or stub declares is the one that is defined elsewhere."""
    defined = {one.name for one in found if not one.path.endswith(DECLARING)}
    return [one for one in found if one.name not in defined or not one.path.endswith(DECLARING)]


def anchor_of(place: AnchorFolder, candidate: SymbolCandidate) -> Anchor:
    """The anchor to a symbol as it is now."""
    return Anchor(
        "symbol",
        candidate.path,
        candidate.name,
        text=code(place.root, candidate.path, candidate.start_line, candidate.end_line),
        start_line=candidate.start_line,
        end_line=candidate.end_line,
    )


async def _path_anchor(state: State, place: AnchorFolder, path: str) -> Anchor:
    full = Path(place.root, path)
    if full.is_dir():
        found = await code_lookup.contents_below(state, place.checkout_id, path, FOLDER_HASHES_MAX)
        return Anchor("folder", path, text=json.dumps([one.hex() for one in found]))
    known = await code_lookup.file_content(state, place.checkout_id, path)
    text = code(place.root, path, 1, None)
    is_secret = is_secret_file(path) or is_private_key(text.encode("utf-8", "replace"))
    if (known is not None and known.is_skipped) or is_secret:
        text = ""  # what the index leaves out is not kept with a rule either
    return Anchor("file", path, text=text, content_hash=known.content_hash if known else None)


async def _symbols(
    state: State, place: AnchorFolder, *, paths: Iterable[str] = (), name: str | None = None
) -> list[SymbolCandidate]:
    """Symbols of a checkout, of some files or of some name."""
    listed = list(paths)[:MAX_CANDIDATES]
    found = await code_lookup.symbols_of(state, place.checkout_id, paths=listed, name=name)
    return [_candidate(one) for one in found]


def _candidate(one: SymbolPlace) -> SymbolCandidate:
    name = f"{one.container}.{one.name}" if one.container else one.name
    return SymbolCandidate(one.path, name, one.kind, one.start_line, one.end_line)


def _named(found: Sequence[SymbolCandidate], name: str) -> list[SymbolCandidate]:
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


async def follow(state: State, place: AnchorFolder, touched: frozenset[str]) -> list[RulePlaceRow]:
    """Where the anchors are that touched files concern, and whether their code is the same."""
    found = []
    for rule in await rule_table.anchored_rules(state, place.checkout_id, place.project_id):
        path = rule.path or rule.anchor.path
        concerned = (
            rule.state in (None, "lost")
            or path in touched
            or (rule.anchor.kind == "folder" and any(one.startswith(path + "/") for one in touched))
        )
        if concerned:
            anchor, now, why = await _look_again(state, place, rule, touched)
            found.append(place_row(rule.rule_id, anchor, now, why))
    return found


def place_row(rule_id: str, anchor: Anchor, now: AnchorState, why: str = "") -> RulePlaceRow:
    """Where an anchor is, as it is stored."""
    return RulePlaceRow(
        rule_id, anchor.path, anchor.name, anchor.start_line, anchor.end_line, now, why, anchor.kind
    )


def anchor_row(anchor: Anchor) -> RuleAnchorRow:
    """What a rule is anchored to, as it is stored."""
    return RuleAnchorRow(anchor.kind, anchor.path, anchor.name, anchor.text, anchor.content_hash)


async def _look_again(
    state: State, place: AnchorFolder, rule: AnchoredRuleRow, touched: frozenset[str]
) -> tuple[Anchor, AnchorState, str]:
    kind = rule.anchor.kind
    path = rule.path or rule.anchor.path
    if kind == "symbol":
        return await _find_symbol(state, place, rule, path, touched)
    if kind == "folder":
        return await _find_folder(state, place, rule, path)
    return await _find_file(state, place, rule, path, touched)


async def _find_symbol(
    state: State, place: AnchorFolder, rule: AnchoredRuleRow, path: str, touched: frozenset[str]
) -> tuple[Anchor, AnchorState, str]:
    name = rule.name or rule.anchor.name
    original = normalised(rule.anchor.text, rule.anchor.name)
    at_home = await _symbols(state, place, paths=[path])
    here = [one for one in at_home if one.name == name]
    if not here:
        elsewhere = await _symbols(state, place, name=name.rpartition(".")[2])
        others = await _symbols(state, place, paths=sorted(touched)) if touched else []
        here = list(dict.fromkeys([*at_home, *elsewhere, *others]))[: 5 * MAX_CANDIDATES]
    own = name.rpartition(".")[2]
    texts: dict[str, list[str]] = {}
    best: tuple[float, SymbolCandidate] | None = None
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
    state: State, place: AnchorFolder, rule: AnchoredRuleRow, path: str, touched: frozenset[str]
) -> tuple[Anchor, AnchorState, str]:
    original = rule.anchor.content_hash
    known = await code_lookup.file_content(state, place.checkout_id, path)
    if known is not None or Path(place.root, path).is_file():
        if original is None or known is None or known.content_hash == original:
            return Anchor("file", path), "ok", ""
        return Anchor("file", path), "changed", f"{path} has changed since the rule was written"
    moved = await code_lookup.first_path_with(state, place.checkout_id, original)
    if moved is not None:
        return Anchor("file", moved), "ok", ""
    lines = normalised(rule.anchor.text)
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
    state: State, place: AnchorFolder, rule: AnchoredRuleRow, path: str
) -> tuple[Anchor, AnchorState, str]:
    if Path(place.root, path).is_dir():
        return Anchor("folder", path), "ok", ""
    hashes = [bytes.fromhex(one) for one in json.loads(rule.anchor.text or "[]")]
    if hashes:
        votes: dict[str, int] = {}
        for found in await code_lookup.paths_with(state, place.checkout_id, hashes):
            for parent in PurePosixPath(found).parents:
                if str(parent) != ".":
                    votes[str(parent)] = votes.get(str(parent), 0) + 1
        if votes:
            best = max(votes, key=lambda one: (votes[one], len(one)))
            if votes[best] * 2 > len(hashes):
                return Anchor("folder", best), "ok", ""
    return Anchor("folder", path), "lost", f"{path} is not there any more"
