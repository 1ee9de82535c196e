"""From a model's name to the model: which there are, what a name stands for, and loading it.

A name is the shipped model (the default), a local folder, or any model that FastEmbed knows. The
shipped model and folders of its form are read by `embedding.static_model`; everything else goes
through FastEmbed (`embedding.fastembed_model`). Nothing is downloaded unless the caller says so.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from surveyor.embedding import fastembed_model
from surveyor.embedding.contract import Embedder, ModelError, ModelInfo, read_json
from surveyor.embedding.static_model import StaticEmbedder
from surveyor.paths import is_folder, real_path

__all__ = [
    "SHIPPED_FOLDER",
    "SHIPPED_MODEL",
    "KnownModel",
    "describe_model",
    "known_models",
    "load_embedder",
]

SHIPPED_MODEL = "surveyor/code-static-256"
"""Name of the model inside the package: static token vectors, 256 dimensions."""

SHIPPED_FOLDER = Path(__file__).parent / "model"

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


def describe_model(name: str = "") -> ModelInfo:
    """Say what `name` stands for, reading no more than a few small files.

    The empty name is the shipped model. A name that is an existing folder is that folder.

    Raises `ModelError` for a folder without a model in it and for a name nobody knows.
    """
    name = name.strip() or SHIPPED_MODEL
    if name == SHIPPED_MODEL:
        return _describe_folder(name, SHIPPED_FOLDER)
    folder = Path(os.path.expanduser(name))  # noqa: PTH111 - which raises for no user's
    if is_folder(folder):
        return _describe_folder(str(folder), real_path(folder))
    if folder.is_absolute() or name.startswith((".", "~")):
        raise ModelError(
            f"There is no folder {name}.",
            "Give the folder that holds model.onnx, tokenizer.json and tokenizer_config.json.",
        )
    return fastembed_model.describe_named(name)


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be named, and whether it can be used without a download."""

    name: str
    dimension: int
    source: str
    available: bool


def known_models(configured: str = "") -> list[KnownModel]:
    """The shipped model, the configured one if it is a folder, and all that FastEmbed names."""
    shipped = describe_model()
    known = [KnownModel(shipped.name, shipped.dimension, "shipped", available=True)]
    if configured and is_folder(configured):
        folder = describe_model(configured)
        known.append(KnownModel(folder.name, folder.dimension, "folder", available=True))
    for name, dimension in sorted(fastembed_model.named_models().items()):
        packages = fastembed_model.is_packaged(name)
        here = packages or fastembed_model.is_cached(name)
        source = "Python packages" if packages else "downloaded" if here else "needs a download"
        known.append(KnownModel(name, dimension, source, here))
    return known


def load_embedder(
    name: str = "", *, threads: int = DEFAULT_THREADS, allow_download: bool = False
) -> Embedder:
    """Load the model called `name`; the empty name is the shipped one.

    `allow_download` lets FastEmbed fetch a model that is not on this machine; without it such a
    model is a `ModelError` that says how to get it.
    """
    info = describe_model(name)
    if info.kind == "static":
        return StaticEmbedder(info)
    return fastembed_model.load(info, threads=threads, allow_download=allow_download)


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


def _fingerprint(folder: Path, model_file: str) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for file in (model_file, "tokenizer.json", "tokenizer_config.json"):
        with (folder / file).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
