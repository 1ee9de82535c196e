"""An optional second look at the first results by a model that reads query and text together.

A cross-encoder (by a name that FastEmbed knows, or a local folder with its ONNX model) gives one
number for each pair; an embedding model stands in for one by the cosine of both texts. Nothing is
downloaded. Off unless `search.reranker` names a model; docs/retrieval.md has its gain and cost.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from surveyor.embedding.contract import Embedder, ModelError, read_json
from surveyor.embedding.dense import DEFAULT_THREADS, ONNX_FILES, load_embedder
from surveyor.embedding.fastembed_model import keep_quiet, models_dir
from surveyor.paths import is_folder
from surveyor.search.rank import RankedCandidate, ScoreStep

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

__all__ = ["Reranker", "load_reranker", "reordered"]

BATCH = 8
"""Pairs in a batch: bounds memory, and a transformer on a CPU gains nothing beyond."""

MAX_CHARACTERS = 2_000
"""Of a text that a model reads; its own limit of tokens is mostly lower."""

_registering = threading.Lock()


class Reranker(Protocol):
    """Says how well texts answer a query. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """What the user calls the model."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number a text, larger for a better answer; only differences mean something."""


def load_reranker(name: str, *, threads: int = DEFAULT_THREADS) -> Reranker:
    """Load what `name` stands for: a folder, a cross-encoder or an embedding model.

    Raises `ModelError` where there is no such model on this machine.
    """
    folder = Path(os.path.expanduser(name))  # noqa: PTH111 - which raises for no user's
    if is_folder(folder):
        if _is_cross_encoder(folder):
            return _CrossEncoder(name, _from_folder(folder.resolve(), threads))
        return _Bi(load_embedder(name, threads=threads))
    if name in _named():
        return _CrossEncoder(name, _from_name(name, threads))
    return _Bi(load_embedder(name, threads=threads))


def reordered(
    ranked: Sequence[RankedCandidate], scores: Sequence[float], weight: float, limit: int
) -> list[RankedCandidate]:
    """The ranked results with the model's opinion added, best first, `limit` of them.

    The opinion is scaled to 0..1 over the results that were read, and counts `weight` times the
    best score. `ranked` may be longer than `scores`: those behind were not read and stay behind
    by their score.
    """
    if not ranked or not scores:
        return list(ranked[:limit])
    low, high = min(scores), max(scores)
    unit = weight * ranked[0].score / ((high - low) or 1.0)
    read = [
        _added(each, unit * (score - low))
        for each, score in zip(ranked[: len(scores)], scores, strict=True)
    ]
    found = [*read, *ranked[len(scores) :]]
    found.sort(key=lambda each: -each.score)  # stable: ties stay in the ranking's order
    return found[:limit]


def _added(each: RankedCandidate, value: float) -> RankedCandidate:
    if not value:
        return each
    score = each.score + value
    part = ScoreStep("reranker", "add", value, score)
    return RankedCandidate(each.candidate, score, (*each.parts, part), each.defines)


class _CrossEncoder:
    def __init__(self, name: str, model: TextCrossEncoder) -> None:
        self.name = name
        self._model = model

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """The model's own logits."""
        cut = [text[:MAX_CHARACTERS] for text in texts]
        return [float(score) for score in self._model.rerank(query, cut, batch_size=BATCH)]


class _Bi:
    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Cosines of the query and each text."""
        asked = self._embedder.embed_query(query)
        vectors = self._embedder.embed_documents([text[:MAX_CHARACTERS] for text in texts])
        return [float(value) for value in vectors @ asked]


def _is_cross_encoder(folder: Path) -> bool:
    """Whether a folder's configuration says that the model classifies sequences."""
    said = read_json(folder / "config.json").get("architectures")
    names = said if isinstance(said, list) else []
    return any("SequenceClassification" in str(name) for name in names)


def _named() -> set[str]:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return {model["model"] for model in TextCrossEncoder.list_supported_models()}


def _from_name(name: str, threads: int) -> TextCrossEncoder:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    keep_quiet()
    try:
        return TextCrossEncoder(
            name, cache_dir=str(models_dir()), threads=threads, local_files_only=True
        )
    except Exception as error:  # FastEmbed, its hub client and onnxruntime raise what they like
        raise ModelError(
            f"The reranker {name} is not on this machine, and nothing is downloaded unasked.",
            "Put its ONNX export into a folder and name that folder in search.reranker.",
        ) from error


def _from_folder(folder: Path, threads: int) -> TextCrossEncoder:
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    model_file = next((file for file in ONNX_FILES if (folder / file).is_file()), None)
    if model_file is None:
        raise ModelError(
            f"{folder} holds no ONNX model.", f"One of these is needed: {', '.join(ONNX_FILES)}."
        )
    key = f"surveyor-reranker/{folder}"
    with _registering:
        if key not in _named():
            TextCrossEncoder.add_custom_model(
                model=key, sources=ModelSource(hf="local/none"), model_file=model_file
            )
    try:
        return TextCrossEncoder(key, specific_model_path=str(folder), threads=threads)
    except Exception as error:  # FastEmbed and onnxruntime raise what they like
        raise ModelError(
            f"The reranker in {folder} cannot be loaded: {error}",
            "It needs an ONNX model with one output for a pair, tokenizer.json, config.json,"
            " special_tokens_map.json and tokenizer_config.json.",
        ) from error
