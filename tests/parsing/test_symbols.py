"""Every language's sample gives exactly the symbols that a person would list for it.

`tests/data/languages/symbols.txt` was read line by line against the samples; print it anew with
`python tests/parsing/test_symbols.py` and read the difference before keeping it.
"""

from pathlib import Path

import pytest

from surveyor.parsing.languages import language_of, languages
from surveyor.parsing.parse import parse_file
from surveyor.parsing.source import SourceText

FOLDER = Path(__file__).parents[1] / "data" / "languages"
SAMPLES = sorted(FOLDER.glob("sample.*"))


def listing(path: Path) -> str:
    """What is expected of one sample, as text."""
    result = parse_file(path.name, path.read_bytes())
    rows = [f"== {path.name} {result.language}"]
    for s in result.symbols:
        name = f"{s.container} / {s.name}" if s.container else s.name
        doc = f" | {s.docstring.splitlines()[0]}" if s.docstring else ""
        rows.append(f"{s.start_line}-{s.end_line} {s.kind} {name} | {s.signature}{doc}")
    rows.append("imports: " + " ".join(result.imported_modules))
    rows.append("calls: " + " ".join(sorted({c for chunk in result.chunks for c in chunk.calls})))
    return "\n".join(rows) + "\n"


def expected() -> dict[str, str]:
    text = (FOLDER / "symbols.txt").read_text(encoding="utf-8")
    parts = [f"== {part}" for part in ("\n" + text).split("\n== ")[1:]]
    return {part.split()[1]: part.rstrip("\n") + "\n" for part in parts}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.suffix)
def test_a_sample_gives_the_symbols_that_a_person_lists(path: Path) -> None:
    assert listing(path) == expected()[path.name]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.suffix)
def test_names_stand_where_they_are_said_to(path: Path) -> None:
    lines = SourceText.of(path.read_bytes()).lines
    for symbol in parse_file(path.name, path.read_bytes()).symbols:
        place = lines[symbol.line - 1][symbol.column : symbol.end_column]
        assert place.startswith(symbol.name)


def test_every_language_with_symbols_has_a_sample() -> None:
    sampled = {language_of(path.name, path.read_bytes()) for path in SAMPLES}
    assert {language for language in languages().values() if language.layout == "code"} <= sampled


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.suffix)
def test_chunks_are_known_by_symbols_of_the_file(path: Path) -> None:
    result = parse_file(path.name, path.read_bytes())
    known = {symbol.name for symbol in result.symbols}
    assert known.intersection(name for chunk in result.chunks for name in chunk.symbols)
    for chunk in result.chunks:
        assert chunk.symbol_name in known or not chunk.symbol_name


if __name__ == "__main__":
    text = "".join(listing(path) for path in SAMPLES)
    (FOLDER / "symbols.txt").write_text(text, encoding="utf-8")
