"""From texts to dense vectors: the embedder's contract and how a model's name becomes one.

A name is the shipped model (the default), a local folder, or any model that FastEmbed knows. The
shipped model and folders of its form are read by `search.static_model`; everything else goes
through FastEmbed (`search.fastembed_model`). Nothing is downloaded unless the caller says so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from surveyor.errors import SurveyorError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "MINILM",
    "SHIPPED_MODEL",
    "Embedder",
    "ModelError",
    "ModelInfo",
    "describe_model",
    "load_embedder",
]

SHIPPED_MODEL = "surveyor/code-static-256"
"""Name of the model inside the package: static token vectors, 256 dimensions."""

SHIPPED_FOLDER = Path(__file__).parent / "model"

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""The model that Surveyor's predecessors used: 384 dimensions, 50-200 times slower."""

DEFAULT_THREADS = 2
"""Threads that a model may use: the index worker must leave the machine to its user."""

ONNX_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
)
"""Where exporters put a model inside a folder, in the order in which they are tried."""


class ModelError(SurveyorError):
    """An embedding model cannot be found or used."""

    code = "model_unavailable"


class Embedder(Protocol):
    """Turns texts into vectors of one space. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """What the user calls the model."""

    @property
    def fingerprint(self) -> str:
        """12 hex digits that change with anything that changes the vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed_documents(
        self, texts: Sequence[str], words: Sequence[Sequence[str] | None] = ()
    ) -> NDArray[np.float32]:
        """One row a text: shape (len(texts), dimension), rows of length 1.

        A text without a single known word gives a row of zeros. `words`, where the caller has
        found them already, are the runs of `[A-Za-z0-9_]` of each text that is ASCII only.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's vector: shape (dimension,), of length 1 or all zeros."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model without loading it."""

    name: str
    kind: Literal["static", "folder", "fastembed"]
    fingerprint: str
    dimension: int
    folder: Path | None
    """Where its files are; None where FastEmbed's cache decides."""
    model_file: str = "model.onnx"
    """The ONNX file, relative to the folder."""


def describe_model(name: str = "") -> ModelInfo:
    """Say what `name` stands for, reading no more than a few small files.

    The empty name is the shipped model. A name that is an existing folder is that folder.

    Raises `ModelError` for a folder without a model in it and for a name nobody knows.
    """
    name = name.strip() or SHIPPED_MODEL
    if name == SHIPPED_MODEL:
        return _describe_folder(name, SHIPPED_FOLDER)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _describe_folder(str(folder), folder.resolve())
    if folder.is_absolute() or name.startswith((".", "~")):
        raise ModelError(
            f"There is no folder {name}.",
            "Give the folder that holds model.onnx, tokenizer.json and tokenizer_config.json.",
        )
    from surveyor.embedding.fastembed_model import describe_named

    return describe_named(name)


def load_embedder(
    name: str = "", *, threads: int = DEFAULT_THREADS, allow_download: bool = False
) -> Embedder:
    """Load the model called `name`; the empty name is the shipped one.

    `allow_download` lets FastEmbed fetch a model that is not on this machine; without it such a
    model is a `ModelError` that says how to get it.
    """
    info = describe_model(name)
    if info.kind == "static":
        from surveyor.embedding.static_model import StaticEmbedder

        return StaticEmbedder(info)
    from surveyor.embedding.fastembed_model import load

    return load(info, threads=threads, allow_download=allow_download)


def _describe_folder(name: str, folder: Path) -> ModelInfo:
    model_file = next((file for file in ONNX_FILES if (folder / file).is_file()), None)
    if model_file is None:
        raise ModelError(
            f"{folder} holds no ONNX model.", f"One of these is needed: {', '.join(ONNX_FILES)}."
        )
    for needed in ("tokenizer.json", "tokenizer_config.json"):
        if not (folder / needed).is_file():
            raise ModelError(
                f"{folder} holds no {needed}.", "Export the model together with its tokenizer."
            )
    config = read_json(folder / "config.json")
    is_static = isinstance(config.get("static"), dict)
    dimension = config.get("hidden_size", 0)
    return ModelInfo(
        name=name,
        kind="static" if is_static else "folder",
        fingerprint=_fingerprint(folder, model_file),
        dimension=dimension if isinstance(dimension, int) else 0,
        folder=folder,
        model_file=model_file,
    )


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty where there is no file. Raises `ModelError`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} is not a JSON object.")
    return found


def _fingerprint(folder: Path, model_file: str) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for file in (model_file, "tokenizer.json", "tokenizer_config.json"):
        with (folder / file).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
