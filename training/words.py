"""Choose the vocabulary: MiniLM's, with rare tokens given up for words of code.

    python training/words.py --work FOLDER --tokenizer TEACHER/tokenizer.json

Words that WordPiece cuts into pieces (`middleware`, `regex`, `async`) and that many packages use
become tokens of their own, in place of tokens that code never uses. The size stays what it was.
Writes FOLDER/tokenizer.json and FOLDER/counts.npy (occurrences by token, for the SIF weights).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import vocabulary

from surveyor.embedding.static_model import ASCII_WORD, LibraryTokens, WordIds

MIN_PACKAGES = 6
"""Packages that must use a word: fewer, and it is a project's name."""


def corpus(work: Path) -> dict[str, list[tuple[str, str, str]]]:
    """Texts of all pairs by language: package, description, code with its names in front."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted((work / "pairs").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = f"{row['scope']} {row['name']}\n{row['code']}"
            found.setdefault(row["language"], []).append((row["package"], row["query"], text))
    return found


def main() -> None:
    """Count words, exchange tokens, write the tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--exchange", type=int, default=6000, help="tokens to exchange at most")
    arguments = parser.parse_args()
    words: Counter[str] = Counter()
    packages: dict[str, set[str]] = {}
    for rows in corpus(arguments.work).values():
        for package, query, text in rows:
            for word in {word.lower() for word in ASCII_WORD.findall(f"{query}\n{text}")}:
                words[word] += 1
                packages.setdefault(word, set()).add(package)
    teacher = vocabulary.read_teacher_vocabulary(arguments.tokenizer)
    ids = WordIds(LibraryTokens(vocabulary.build(teacher)))
    used = np.zeros(len(teacher), dtype=np.int64)
    for word, count in words.items():
        np.add.at(used, ids.ids(word), count)
    wanted = [
        word
        for word, _ in words.most_common()
        if word.isalpha()
        and 2 < len(word) < 20
        and len(packages[word]) >= MIN_PACKAGES
        and word not in teacher
    ][: arguments.exchange]
    by_row = sorted(teacher, key=lambda token: teacher[token])
    spare = [
        token
        for token in by_row
        if used[teacher[token]] == 0
        and token not in vocabulary.SPECIAL
        and len(token.removeprefix("##")) > 1
    ]
    spare += sorted(
        (
            token
            for token in by_row
            if 0 < used[teacher[token]] < 3 and len(token.removeprefix("##")) > 2
        ),
        key=lambda token: used[teacher[token]],
    )
    exchanged = dict(zip(spare, wanted, strict=False))
    rows = {exchanged.get(token, token): row for token, row in teacher.items()}
    tokenizer = vocabulary.build(rows)
    tokenizer.save(str(arguments.work / "tokenizer.json"), pretty=False)
    ids = WordIds(LibraryTokens(tokenizer))
    counts = np.zeros(len(rows), dtype=np.int64)
    for languages in corpus(arguments.work).values():
        for _, query, text in languages:
            np.add.at(counts, ids.ids(query), 1)
            np.add.at(counts, ids.ids(text), 1)
    np.save(arguments.work / "counts.npy", counts)
    print(f"{len(exchanged)} of {len(rows)} tokens exchanged: {', '.join(wanted[:20])} …")


if __name__ == "__main__":
    main()
