"""Contrastive training of the token vectors, in numpy and scipy on one core.

    python training/train.py --work FOLDER [--dimension 256] [--steps 5000] …

A text's vector is the normalised sum of its tokens' vectors. In-batch InfoNCE draws a description
towards its code and away from the other codes of the batch; a batch is made of whole groups of one
package, because telling apart the functions of one project is what search has to do. Starts from
PCA of teacher.npy with SIF weights; Adagrad on the rows that a batch touches. Writes NAME.npy.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import teacher
import words
from numpy.typing import NDArray
from scipy import sparse
from tokenizers import Tokenizer

from surveyor.embedding.static_model import LibraryTokens, WordIds

MAX_QUERY_TOKENS, MAX_CODE_TOKENS = 48, 320
HELD_OUT = 0.06
"""Share of packages whose pairs are never trained on."""
POOL = 1000
"""Codes among which a held-out description must find its own."""


@dataclass(slots=True)
class Data:
    """Pairs as token ids: `queries[i]` describes `codes[i]`."""

    queries: list[NDArray[np.int32]]
    codes: list[NDArray[np.int32]]
    packages: NDArray[np.int32]
    languages: list[str]


def load(work: Path, tokenizer: Tokenizer) -> tuple[Data, Data]:
    """Training and held-out pairs; the split is by package name."""
    ids = WordIds(LibraryTokens(tokenizer))
    train, held = Data([], [], np.zeros(0, np.int32), []), Data([], [], np.zeros(0, np.int32), [])
    numbers: dict[str, int] = {}
    owners: dict[bool, list[int]] = {True: [], False: []}
    for language, rows in words.corpus(work).items():
        for package, query, code in rows:
            is_held = int(sha256(package.encode()).hexdigest()[:8], 16) / 2**32 < HELD_OUT
            query_ids = ids.ids(query)[:MAX_QUERY_TOKENS]
            code_ids = ids.ids(code)[:MAX_CODE_TOKENS]
            if len(query_ids) < 2 or len(code_ids) < 4:
                continue
            side = held if is_held else train
            side.queries.append(query_ids.copy())
            side.codes.append(code_ids.copy())
            side.languages.append(language)
            owners[is_held].append(numbers.setdefault(f"{language} {package}", len(numbers)))
    train.packages = np.array(owners[False], np.int32)
    held.packages = np.array(owners[True], np.int32)
    return train, held


def bags(texts: list[NDArray[np.int32]], rows: int) -> sparse.csr_matrix:
    """One row a text, the count of each token in it."""
    lengths = [len(text) for text in texts]
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate(texts) if texts else np.zeros(0, np.int32)
    shape = (len(texts), rows)
    values = np.ones(len(columns), np.float32)
    return sparse.csr_matrix((values, columns, pointers), shape=shape)


def unit(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows of length 1, and what they were divided by."""
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return vectors / norms, norms


def evaluate(table: NDArray[np.float32], held: Data) -> dict[str, float]:
    """Mean reciprocal rank by language: among codes of the language, and of one package."""
    vectors = []
    for texts in (held.queries, held.codes):
        parts = [
            unit(bags(texts[at : at + 4096], len(table)) @ table)[0]
            for at in range(0, len(texts), 4096)
        ]
        vectors.append(np.concatenate(parts))
    queries, codes = vectors
    languages = np.array(held.languages)
    generator = np.random.default_rng(0)
    scores: dict[str, float] = {}
    for language in sorted(set(held.languages)):
        rows = generator.permutation(np.flatnonzero(languages == language))
        pools = [rows[at : at + POOL] for at in range(0, len(rows), POOL)]
        pools = [pool for pool in pools if len(pool) > POOL // 2] or pools[:1]
        scores[language] = float(
            np.mean(np.concatenate([_ranks(queries, codes, p) for p in pools]))
        )
    scores["all"] = float(np.mean(list(scores.values())))
    inside = [np.flatnonzero(held.packages == package)[:500] for package in set(held.packages)]
    inside = [rows for rows in inside if len(rows) >= 50]
    scores["in package"] = float(np.mean([np.mean(_ranks(queries, codes, p)) for p in inside]))
    return scores


def _ranks(
    queries: NDArray[np.float32], codes: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    similar = queries[rows] @ codes[rows].T
    own = similar.diagonal()[:, None]
    result: NDArray[np.float64] = 1.0 / (1 + (similar > own).sum(axis=1))
    return result


class Batches:
    """Random batches made of groups of pairs of one package and language."""

    def __init__(self, data: Data, size: int, group: int, generator: np.random.Generator) -> None:
        self.data, self.size, self.group, self.generator = data, size, group, generator
        self.queue: list[NDArray[np.int64]] = []

    def next(self) -> NDArray[np.int64]:
        """Row numbers of the next batch."""
        wanted = max(1, self.size // self.group)
        if len(self.queue) < wanted:
            order = self.generator.permutation(len(self.data.packages))
            order = order[np.argsort(self.data.packages[order], kind="stable")]
            edges = np.flatnonzero(np.diff(self.data.packages[order])) + 1
            groups = [
                package[at : at + self.group]
                for package in np.split(order, edges)
                for at in range(0, len(package), self.group)
            ]
            self.queue = [groups[index] for index in self.generator.permutation(len(groups))]
        taken, self.queue = self.queue[:wanted], self.queue[wanted:]
        return np.concatenate(taken)


def step(
    table: NDArray[np.float32],
    squares: NDArray[np.float32],
    batch: tuple[list[NDArray[np.int32]], list[NDArray[np.int32]]],
    rate: float,
    temperature: float,
) -> float:
    """One step of Adagrad on the symmetric InfoNCE loss; returns the loss."""
    queries, codes = (bags(texts, len(table)) for texts in batch)
    both = sparse.vstack([queries, codes]).tocsr()
    touched = np.unique(both.indices)
    local = both[:, touched]
    half = len(batch[0])
    units, norms = unit(local @ table[touched])
    left, right = units[:half], units[half:]
    logits = left @ right.T / temperature
    forward = _softmax(logits)
    backward = _softmax(logits.T).T
    diagonal = np.arange(half)
    loss = -float(np.log(forward[diagonal, diagonal] + 1e-9).mean())
    slope = (forward + backward) / (2 * half)
    slope[diagonal, diagonal] -= 1.0 / half
    slope /= temperature
    gradient = np.concatenate([slope @ right, slope.T @ left])
    # Through the normalising: only the part across the vector remains.
    gradient -= units * (gradient * units).sum(axis=1, keepdims=True)
    gradient /= norms
    of_tokens = local.T @ gradient.astype(np.float32)
    squares[touched] += (of_tokens**2).mean(axis=1)
    table[touched] -= rate * of_tokens / np.sqrt(squares[touched] + 1e-12)[:, None]
    return loss


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: NDArray[np.float32] = shifted / shifted.sum(axis=1, keepdims=True)
    return result


def shorten(
    texts: list[NDArray[np.int32]], generator: np.random.Generator, share: float, what: str
) -> list[NDArray[np.int32]]:
    """For a share of the texts: code without its head (names), or a piece of a description."""
    result = []
    for text in texts:
        if generator.random() < share and len(text) > 8:
            if what == "head":
                text = text[generator.integers(4, max(5, len(text) // 3)) :]
            else:
                length = int(generator.integers(3, max(4, min(10, len(text)))))
                start = int(generator.integers(0, max(1, min(6, len(text) - length))))
                text = text[start : start + length]
        result.append(text)
    return result


def start(work: Path, dimension: int, sif: float) -> NDArray[np.float32]:
    """Teacher vectors reduced to `dimension`, of length 1, times a / (a + p) by frequency p."""
    table = unit(teacher.reduce(np.load(work / "teacher.npy"), dimension))[0]
    counts = np.load(work / "counts.npy").astype(np.float64) + 1.0
    weights = sif / (sif + counts / counts.sum())
    return (table * weights[:, None]).astype(np.float32)


def main() -> None:
    """Train and save; prints held-out figures on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--name", default="trained")
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--group", type=int, default=32)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--sif", type=float, default=3e-3)
    parser.add_argument("--drop-head", type=float, default=0.3)
    parser.add_argument("--short-query", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--languages", nargs="*", help="train on these only")
    arguments = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(arguments.work / "tokenizer.json"))
    train, held = load(arguments.work, tokenizer)
    if arguments.languages:
        train = only(train, arguments.languages)
    print(f"{len(train.queries)} pairs, {len(held.queries)} held out", flush=True)
    table = fit(train, held, arguments)
    scores = evaluate(table, held)
    np.save(arguments.work / f"{arguments.name}.npy", table)
    settings = {key: str(value) for key, value in vars(arguments).items() if key != "work"}
    report = {"settings": settings, "pairs": len(train.queries), "mrr": scores}
    (arguments.work / f"{arguments.name}.json").write_text(json.dumps(report, indent=1))


def only(data: Data, languages: list[str]) -> Data:
    """The pairs of some languages."""
    keep = [row for row, name in enumerate(data.languages) if name in languages]
    return Data(
        [data.queries[row] for row in keep],
        [data.codes[row] for row in keep],
        data.packages[keep],
        [data.languages[row] for row in keep],
    )


def fit(train: Data, held: Data, settings: argparse.Namespace) -> NDArray[np.float32]:
    """The trained table; prints held-out figures six times on the way."""
    table = start(settings.work, settings.dimension, settings.sif)
    np.save(settings.work / "untrained.npy", table)
    print("start", _shown(evaluate(table, held)), flush=True)
    generator = np.random.default_rng(settings.seed)
    batches = Batches(train, settings.batch, settings.group, generator)
    squares = np.zeros(len(table), np.float32)
    began, loss = time.monotonic(), 0.0
    for number in range(1, settings.steps + 1):
        rows = batches.next()
        # Down to a tenth over the run.
        rate = settings.rate * (1.0 - 0.9 * number / settings.steps)
        queries = [train.queries[row] for row in rows]
        codes = [train.codes[row] for row in rows]
        queries = shorten(queries, generator, settings.short_query, "piece")
        codes = shorten(codes, generator, settings.drop_head, "head")
        now = step(table, squares, (queries, codes), rate, settings.temperature)
        loss = now if number == 1 else 0.98 * loss + 0.02 * now
        if number % max(1, settings.steps // 6) == 0 or number == settings.steps:
            shown = _shown(evaluate(table, held))
            print(
                f"{number} steps, {time.monotonic() - began:.0f} s, {loss:.3f}", shown, flush=True
            )
    return table


def _shown(scores: dict[str, float]) -> str:
    return " ".join(f"{name} {score:.3f}" for name, score in scores.items())


if __name__ == "__main__":
    main()
