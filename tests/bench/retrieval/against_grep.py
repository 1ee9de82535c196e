"""Complete answers of exact text beside ripgrep's, match by match, in every indexed file.

Texts of many kinds are drawn from a checkout with a fixed seed, and regular expressions made of its
words. What ripgrep finds in the indexed files (`--crlf`, in `--text`) and the product does not is a
fault, unless the answer says why (`incomplete`); so is what it finds beyond that. ripgrep must be
on the machine.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from surveyor import paths
from surveyor.client.blocking import Client, connect
from surveyor.errors import SurveyorError
from surveyor.parsing.stored_text import normal_text
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.search import SearchRequest
from tests.bench.retrieval import product

Matches = Counter[tuple[str, int]]
"""How many begin in a line of a path."""

PAGE = 20_000
MOST_MATCHES = 60_000
"""Of more only the number is compared."""
BATCH_CHARS = 100_000
"""Of paths on one command line."""

_WORD = re.compile(r"(?<![^\W])[A-Za-z_]\w{3,39}(?![^\W])", re.ASCII)
_LITERALS = {
    "identifier": _WORD,
    "punctuation": re.compile(r"[^\w\s\x80-\U0010ffff]{2,5}"),
    "scoped": re.compile(r"[A-Za-z_]\w*(?:::|->|\.)[A-Za-z_]\w*"),
    "sigil": re.compile(r"[$@%&#][A-Za-z_]\w*"),
    "accented": re.compile(r"\w*[À-ɏ]\w*"),
    "script": re.compile(r"[Ͱ-ᣟ぀-ヿ一-鿿가-힣]{1,6}"),
    "tabs": re.compile(r"\t+[\w.]+[ \t(]"),
    "letter": re.compile(r"(?<!\w)[A-Za-z]{1,2}(?!\w)"),
    "line": re.compile(r"^[^\n]{12,160}$", re.MULTILINE),
    "lines": re.compile(r"^[^\n]{4,80}\n[^\n]{4,80}$", re.MULTILINE),
    "sentence": re.compile(r"[A-Za-z]+(?: [A-Za-z]+){2,5}"),
    "symbol": re.compile(r"[←-⯿🌀-🫿“”‘’…–—°§©€]"),
}
_REGEXES = (
    *(r"\b{a}\b", r"^{a}", r"{a}$", r"^\s*{a}", r"{a}|{b}", r"(?:{a}|{b})\w*", r"{a}\s*\("),
    *(r"\w+{b}", r"{a}.*{b}", r"(?i){a}", r"(?i)\b{b}\b", r"[A-Z]\w+{b}", r"^$", r"\s+$"),
    *(r"\bif\b", r"\t\w", r"^\t{{2}}\S", r"\d{{4,}}", r"0x[0-9a-fA-F]+", r"\$\w+", r"::\w+"),
    *(r"->\w+\(", '"[^"]*"', r"'[^']{{20,}}'", r"https?://\S+", r"[^\x00-\x7f]+"),
    *(r"\p{{Lu}}\p{{Ll}}+\p{{Lu}}", r"\p{{Han}}+", r"\p{{Cyrillic}}+", r"[äöüß]", r"\w*[äöüéè]\w*"),
    *(r"(?i)É\w+", r"\bé\w+", r"\w+é\b", r"[[:upper:]]{{3,}}_[[:upper:]]+", r"TODO|FIXME|XXX"),
    *(r"^import\b.*", r"^#include\s+<[^>]+>", r"^.{{160,}}$", r"^\S+\s*=\s*\S+$", r"\\n", r"\.\*"),
    *(r"[{{}}]\s*$", r"a{{3,}}", r"(\w)\b,", r"(?U){a}.*;", r"(?s){a}.{b}", r"^(?:#|//) "),
    *(r"\S{{80,}}", r"\d+\.\d+\.\d+", r"\B{b}", r"{a}\B", r"[^\s\w]{{4,}}", r"\w+@\w+\.\w+"),
    *(r"x??y", r"{a}\n", r"\{{\n\s*\}}", r"(?i)straße|größe", r"(?=a){a}", r"(\w)\1{a}"),
    *(r"(?<!\w){a}", r"\s\x{{E9}}", r"\A#!", r"[^\n]\r"),
    *(r"(?-i){a}", r"\W{a}\W", r"[\w.]+\.{b}", r"[^\W\d_]+{b}", r"\D{{3}}{b}"),
)  # fmt: skip
_WITHOUT_CASE = 0.15
"""So many literals are looked for in any case."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A text or pattern, and what sort it is."""

    mode: Mode
    kind: str
    text: str
    ignore_case: bool = False


def draw(texts: Sequence[str], number: int, seed: str) -> Iterator[Asked]:
    """About so many literals, of each kind as many, and all the regular expressions."""
    chance = random.Random(seed)
    words: list[str] = []
    for kind, pattern in _LITERALS.items():
        found: set[str] = set()
        for text in chance.sample(list(texts), min(len(texts), 1500)):
            found.update(match[0] for match in list(pattern.finditer(text[:200_000]))[:200])
        some = sorted(found)
        chance.shuffle(some)
        words = words or some
        for text in some[: -(-number // len(_LITERALS))]:
            yield Asked("literal", kind, text, chance.random() < _WITHOUT_CASE)
    for place, template in enumerate(_REGEXES):
        first, second = (words[(2 * place + step) % len(words)] for step in (0, 1))
        yield Asked("regex", template, template.format(a=first, b=second[-4:]))


def indexed(root: Path) -> list[str]:
    """The paths of a checkout's indexed files, from the engine's state."""
    state = sqlite3.connect(f"file:{paths.data_dir() / 'state.db'}?mode=ro", uri=True)
    try:
        rows = state.execute(
            "SELECT path FROM files JOIN checkouts USING (checkout_id)"
            " WHERE root = ? AND status = 'indexed' ORDER BY path",
            (str(root),),
        )
        return [path for (path,) in rows]
    finally:
        state.close()


def grep(root: Path, files: Sequence[str], asked: Asked) -> Matches | str:
    """What ripgrep finds in these files; what it says of a pattern that it does not take."""
    options = ["--json", "--no-config", "--crlf", "--text", "--no-ignore", "--hidden", "-j1"]
    crosses = asked.mode == "literal" and "\n" in asked.text
    text = r"\r?\n".join(map(re.escape, asked.text.split("\n"))) if crosses else asked.text
    options += ["-F"] if asked.mode == "literal" and not crosses else []
    options += ["-i"] if asked.ignore_case else []
    options += ["-U"] if "\n" in asked.text or r"\n" in asked.text else []
    found: Matches = Counter()
    for batch in _batches(files):
        ran = subprocess.run(
            ["rg", *options, "-e", text, "--", *batch],
            cwd=root,
            capture_output=True,
            check=False,
        )
        if ran.returncode == 2:
            return ran.stderr.decode(errors="replace").strip()
        for line in ran.stdout.splitlines():
            said = json.loads(line)
            if said["type"] == "match":
                _add(found, said["data"])
    return found


def _add(found: Matches, said: dict[str, object]) -> None:
    path, lines = _said(said["path"]).decode().removeprefix("./"), _said(said["lines"])
    first = said["line_number"]
    for each in said["submatches"]:  # type: ignore[attr-defined]
        found[path, first + lines[: each["start"]].count(b"\n")] += 1  # type: ignore[operator]


def _said(value: object) -> bytes:
    assert isinstance(value, dict)
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def _batches(files: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for each in files:
        batch.append(f"./{each}")
        size += len(each) + 3
        if size > BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(slots=True)
class Found:
    """What the product finds."""

    number: int = 0
    matches: Matches | None = None
    said: tuple[str, ...] = ()
    refused: str = ""
    cpu_ms: float = 0.0
    """Of the engine, for a page of 20 asked twice in a row, the second."""


def ask(client: Client, engine: psutil.Process, root: Path, asked: Asked) -> Found:
    """All matches by line, their number, and what is said of what was not searched."""
    found = Found()
    request = SearchRequest(
        query=asked.text,
        project=str(root),
        mode=asked.mode,
        limit=20,
        context_lines=2,
        ignore_case=asked.ignore_case,
    )
    try:
        client.call(request)
        before = _cpu(engine)
        answer = client.call(request)
        found.cpu_ms = (_cpu(engine) - before) * 1000
    except SurveyorError as error:
        found.refused = error.message
        return found
    found.number, found.said = answer.matches or 0, tuple(answer.incomplete)
    if found.number > MOST_MATCHES:
        return found
    found.matches = Counter()
    offset: int | None = 0
    while offset is not None:
        page = client.call(
            SearchRequest(
                query=asked.text,
                project=str(root),
                mode=asked.mode,
                limit=PAGE,
                offset=offset,
                ignore_case=asked.ignore_case,
            )
        )
        found.matches.update((each.path, each.line) for each in page.results)
        offset = page.next_offset
    return found


def _cpu(engine: psutil.Process) -> float:
    times = engine.cpu_times()
    return float(times.user + times.system)


def differences(ours: Found, theirs: Matches | str) -> list[str]:
    """What one has and the other has not; empty where both agree, or both take no such pattern."""
    if isinstance(theirs, str):
        return [] if ours.refused else [f"ripgrep alone refuses it: {theirs[-80:]}"]
    if ours.refused:
        return [f"refused: {ours.refused}"]
    number = theirs.total()
    if ours.matches is None:
        return [] if ours.number == number else [f"{ours.number} for {number}"]
    lacking, beyond = theirs - ours.matches, ours.matches - theirs
    said = [f"{ours.number} for {number}"] if ours.number != number else []
    if ours.number != ours.matches.total():
        said.append(f"{ours.matches.total()} of {ours.number} were listed")
    for name, some in (("lacking", lacking), ("beyond", beyond)):
        if some:
            places = [f"{path}:{line}" for path, line in list(some)[:3]]
            said.append(f"{some.total()} {name}: {', '.join(places)}")
    return said


def report(folders: Sequence[Path], number: int, data: Path | None) -> None:
    """Print every difference, then how many agree by mode, and what the answers cost."""
    agree: Counter[str] = Counter()
    asked_of: Counter[str] = Counter()
    costs: dict[str, list[float]] = {"literal": [], "regex": []}
    with product.engine(data):
        for folder in folders:
            root = folder.resolve()
            product.index(root, force=data is None)
            files = indexed(root)
            texts = [normal_text(_read(root / path)).decode() for path in files]
            sys.stdout.write(f"{root.name}: {len(files)} files\n")
            with connect() as client:
                engine = psutil.Process(client.call(StatusRequest()).pid)
                for asked in draw(texts, number, root.name):
                    ours = ask(client, engine, root, asked)
                    wrong = differences(ours, grep(root, files, asked))
                    agree[asked.mode] += not wrong
                    asked_of[asked.mode] += 1
                    if not ours.refused:
                        costs[asked.mode].append(ours.cpu_ms)
                    if wrong:
                        flags = " -i" if asked.ignore_case else ""
                        sys.stdout.write(
                            f"  {asked.mode}{flags} {asked.text!r}: {'; '.join(wrong)}"
                            f" | {' '.join(ours.said) or 'nothing said'}\n"
                        )
                        sys.stdout.flush()
    for mode, each in costs.items():
        sys.stdout.write(
            f"{mode}: {agree[mode]} of {asked_of[mode]} as ripgrep; CPU ms middle"
            f" {statistics.median(each or [0]):.0f}, most {max(each, default=0):.0f}\n"
        )


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return os.read(file.fileno(), 4_000_000)
