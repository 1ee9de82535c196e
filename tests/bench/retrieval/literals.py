"""Is exact text found first? Identifiers, environment variables and strings drawn from files."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surveyor.client.blocking import call
from surveyor.parsing.walk import WalkedFile, walk
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.search import SearchRequest, SearchResult
from tests.bench.retrieval import product
from tests.bench.retrieval.names import definitions

_KINDS = {
    "identifier": re.compile(r"(?<![\w$])[A-Za-z_]\w{3,39}(?![\w$])"),
    "variable": re.compile(r"(?<![\w$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w$])"),
    "string": re.compile(r"\"([A-Za-z][^\"\\\n{}$%]{7,79})\"|'([A-Za-z][^'\\\n{}$%]{7,79})'"),
    "scoped": re.compile(r"(?<![\w:$])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+(?![\w$:])"),
    "sigil": re.compile(r"(?<![\w$@])[$@][A-Za-z_]\w{2,39}(?![\w$])"),
    "dashed": re.compile(r"(?<![\w$./-])[a-z]{2,}(?:-[a-z]{2,})+(?![\w$/-])"),
    "accented": re.compile(r"(?<!\w)\w*[^\W\d_a-zA-Z]\w*(?!\w)"),
    "path": re.compile(r"(?<![\w./-])(?:[\w.-]+/)+[\w-]+\.\w+(?![\w/])"),
    "key": re.compile(r"^\s*\"?([A-Za-z][\w.-]{2,39})\"?\s*[:=]", re.MULTILINE),
    "letter": re.compile(r"(?<![\w$'-])[A-Za-z](?![\w$'-])"),
    "short": re.compile(r"(?<![\w$'-])[A-Za-z_]\w{1,2}(?![\w$'-])"),
    "operator": re.compile(r"(?<=[\w\s)\]])[-+*/%&|^~<>=!?:.@#]{1,4}(?=[\w\s(\[])"),
    "signs": re.compile(r"\"((?:[^\"\\\n]|\\.){3,79})\"|'((?:[^'\\\n]|\\.){3,79})'"),
}
"""What is drawn, of each kind as much; the first group is what is asked for."""

_QUOTED = ("string", "operator", "signs")
"""Kinds that are asked for in quotes."""

_SIGN = re.compile(r"[^\w\s'.,-]")

_CONFIGURATION = (".yml", ".yaml", ".toml", ".json", ".ini", ".cfg", ".properties")
"""Files that keys are drawn from."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A text that stands in a repository."""

    root: Path
    kind: str
    text: str

    @property
    def query(self) -> str:
        """As somebody asks for it."""
        return f'"{self.text}"' if self.kind in _QUOTED else self.text

    def stands_in(self, lines: str) -> bool:
        """Whether it is there, an identifier as a word."""
        if self.kind in _QUOTED:
            return self.text in lines
        return re.search(rf"(?<![\w$]){re.escape(self.text)}(?![\w$])", lines) is not None


def draw(root: Path, sample: int) -> list[Drawn]:
    """Texts of each kind from a folder's files, drawn with a fixed seed."""
    texts: dict[str, set[str]] = {kind: set() for kind in _KINDS}
    for each in walk(root):
        if isinstance(each, WalkedFile):
            said = (root / each.path).read_text(encoding="utf-8", errors="replace")
            for kind, text in _said(said):
                if kind != "key" or each.path.endswith(_CONFIGURATION):
                    texts[kind].add(text)
    chance = random.Random(str(root.name))
    drawn = []
    for kind, found in texts.items():
        some = sorted(found)
        chance.shuffle(some)
        indexed = (Drawn(root, kind, text) for text in some)
        drawn += [
            each for each, _ in zip(filter(_is_indexed, indexed), range(sample), strict=False)
        ]
    return drawn


def _said(text: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(text):
            found = next((group for group in match.groups() if group), match[0])
            found = found.strip() if kind in _QUOTED else found
            # What is no word, and no words alone: `%s: {`, `\\d+`, `a[0]`.
            is_mixed = len(_SIGN.findall(found)) > 1 and '"' not in found.replace('\\"', "")
            if (kind != "string" or " " in found) and (kind != "signs" or is_mixed):
                yield kind, found


def _is_indexed(drawn: Drawn) -> bool:
    request = SearchRequest(query=drawn.text, project=str(drawn.root), mode="literal", limit=1)
    return bool(call(request).matches)


def judge(drawn: Drawn, mode: Mode, places: dict[str, list[tuple[str, int, int]]]) -> str:
    """Empty where the first result says the text, and defines it where something does here."""
    answer = call(SearchRequest(query=drawn.query, project=str(drawn.root), mode=mode, limit=3))
    if not answer.results:
        return "nothing found"
    first = answer.results[0]
    if drawn.kind == "path" and _base(first.path).startswith(_base(drawn.text)):
        return ""  # the file itself
    if drawn.kind in ("scoped", "sigil") and first.symbol == re.split(r"::|[$@]", drawn.text)[-1]:
        return ""  # what is called so
    if drawn.kind == "scoped":
        *_, container, name = drawn.text.split("::")
        said = f"{first.container} {first.symbol} {_text(drawn.root, first)}"
        if all(re.search(rf"\b{word}\b", said) for word in (container, name)):
            return ""  # the enumeration or type that it is a member of
    if not drawn.stands_in(_text(drawn.root, first)):
        return f"not in {first.path}:{first.start_line}-{first.end_line}"
    if drawn.kind not in _QUOTED and drawn.text in places:
        for path, start, end in places[drawn.text]:
            if first.path == path and first.start_line <= end and first.end_line >= start:
                return ""
        return f"not defined in {first.path}:{first.start_line}-{first.end_line}"
    return ""


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _text(root: Path, result: SearchResult) -> str:
    lines = (root / result.path).read_text(encoding="utf-8", errors="replace").split("\n")
    return "\n".join(lines[result.start_line - 1 : result.end_line])


def report(folders: list[Path], sample: int, data: Path | None, *, faults: bool) -> None:
    """Print the shares of both halves; with `faults` what went wrong in the first one.

    Texts go to the halves in turn, so that each has all repositories and kinds.
    """
    right: Counter[tuple[str, str, int]] = Counter()
    asked: Counter[tuple[str, str, int]] = Counter()
    with product.engine(data):
        for folder in folders:
            root = folder.resolve()
            product.index(root, force=data is None)
            places = definitions(root)
            for number, drawn in enumerate(draw(root, sample)):
                half = number % 2
                for mode in ("hybrid", "keyword"):
                    wrong = judge(drawn, mode, places)
                    asked[mode, drawn.kind, half] += 1
                    right[mode, drawn.kind, half] += not wrong
                    if wrong and faults and not half:
                        sys.stdout.write(f"  {root.name} {mode} {drawn.query}: {wrong}\n")
    for mode in ("hybrid", "keyword"):
        for half in (0, 1):
            said = [
                f"{kind} {right[mode, kind, half]} of {asked[mode, kind, half]}" for kind in _KINDS
            ]
            own = sum(right[mode, kind, half] for kind in _KINDS)
            of = sum(asked[mode, kind, half] for kind in _KINDS)
            share = own / max(of, 1)
            name = ("seen", "unseen")[half]
            sys.stdout.write(f"{mode}, {name}: {own} of {of} ({share:.3f}); {', '.join(said)}\n")
