"""What every embedding model is: the contract, what is known of one unloaded, and its error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from surveyor.errors import SurveyorError, UsageError, reason_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MINILM", "Embedder", "ModelError", "ModelInfo", "read_json"]

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""The model that Surveyor's predecessors used: 384 dimensions, 50-200 times slower."""


class ModelError(SurveyorError):
    """An embedding model cannot be found or used."""

    code = "model_unavailable"


class UnknownModelError(ModelError):
    """No model is called so."""

    exit_code = UsageError.exit_code


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

    @property
    def is_remembered(self) -> bool:
        """Whether its vectors are kept by their texts: not those that are made as fast as they
        could be looked up."""

    @property
    def accelerator(self) -> str:
        """What computes beside the processor; empty where nothing does."""

    def embed_documents(
        self, texts: Sequence[str], words: Sequence[Sequence[str] | None] = ()
    ) -> NDArray[np.float32]:
        """One row a text: shape (len(texts), dimension), rows of length 1.

        A text without a single known word gives a row of zeros. `words`, where the caller has
        found them already, are the runs of `[A-Za-z0-9_]` of each text that is ASCII only.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's vector: shape (dimension,), of length 1 or all zeros."""

    def count_tokens(self, texts: Sequence[str]) -> int:
        """Tokens that the model reads of texts: what is beyond its limit does not count."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What can be read of a model without loading it: kind, fingerprint, dimension, files."""

    name: str
    kind: Literal["static", "folder", "fastembed"]
    fingerprint: str
    dimension: int
    folder: Path | None
    """Where its files are; None where FastEmbed's cache decides."""
    model_file: str = "model.onnx"
    """The ONNX file, relative to the folder."""

    @property
    def is_remembered(self) -> bool:
        """As `Embedder` says. A static model makes a vector in 55 us; to store one and to look it
        up takes 36, and 350 bytes."""
        return self.kind != "static"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty where there is no file. Raises `ModelError`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {reason_of(error)}") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} is not a JSON object.")
    return found
