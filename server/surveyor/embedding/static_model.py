"""The light loader of static models: tokenise, gather rows, average. No ONNX runtime.

It reads the same files as FastEmbed and gives the same vectors (tests hold it to a cosine of
.999), several times faster and without its memory: the table stays int8 and memory-mapped, so
that processes share it, and each distinct word is tokenised once.
"""

from __future__ import annotations

import mmap
import re
from array import array
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from surveyor.embedding.contract import ModelError, ModelInfo, read_json

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

REMEMBERED_WORDS = 50_000
"""Distinct identifiers whose token ids are kept, about 10 MB, and as many of their parts."""

ASCII_NAME = re.compile(r"[A-Za-z0-9_]+")
"""What is looked up at once: a word of ASCII text never reaches beyond such a run."""

SIGNS = r"\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u2775\u2794-\u2bff"
"""Blocks of Unicode without letters, digits or marks: dashes, quotation marks, arrows, boxes."""

NAME = re.compile(rf"[^\x00-/:-@\[-^`{{-\x7f{SIGNS}]+")
"""The same in any text: the normaliser makes a space of what is left out here, and looks at no more
than neighbouring letters, so that each run may be normalised by itself."""

LONGEST_REMEMBERED = 64
"""Characters of a run that is kept: scripts without spaces have runs as long as a paragraph."""

ASCII_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""What the normaliser in tokenizer.json leaves of an ASCII text: runs of letters, cut where
camelCase and digits begin."""


class StaticEmbedder:
    """A static model from a folder: see `surveyor.embedding.contract.Embedder`."""

    def __init__(self, info: ModelInfo) -> None:
        if info.folder is None:
            raise ModelError(f"{info.name} has no folder.")
        self.name = info.name
        self.fingerprint = info.fingerprint
        self.is_remembered = info.is_remembered
        self.accelerator = ""
        self._table, self._scale = _map_weights(info.folder, info.model_file)
        self.dimension = int(self._table.shape[1])
        if info.dimension and info.dimension != self.dimension:
            raise ModelError(
                f"{info.name} gives {self.dimension} dimensions, but says {info.dimension}.",
                "Correct hidden_size in its config.json.",
            )
        limit = read_json(info.folder / "tokenizer_config.json").get("model_max_length")
        # The two special tokens of FastEmbed's encoding count towards its limit.
        self._max_tokens = (limit - 2) if isinstance(limit, int) else 2046
        self._words = WordIds(load_tokens(info.folder / "tokenizer.json"))

    def embed_documents(
        self, texts: Sequence[str], words: Sequence[Sequence[str] | None] = ()
    ) -> NDArray[np.float32]:
        """Rows of length 1 in the order of `texts`; zeros for a text without a known word."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, (text, known) in enumerate(zip_longest(texts, words)):
            ids = self._words.ids(text, known)[: self._max_tokens]
            if ids.size:
                # One text at a time stays in the processor's cache: ten times faster than
                # gathering a batch, and memory does not grow with it.
                vectors[row] = self._scale[ids] @ self._table[ids].astype(np.float32)
        # The division by the number of tokens disappears in the normalising.
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(norms, 1e-12)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of one text, by the same way as a document's."""
        ids = self._words.ids(text)[: self._max_tokens]
        if not ids.size:
            return np.zeros(self.dimension, dtype=np.float32)
        vector: NDArray[np.float32] = self._scale[ids] @ self._table[ids].astype(np.float32)
        # As numpy's norm adds up a row, which is not how it adds up one vector.
        vector /= np.maximum(np.sqrt(np.add.reduce(vector * vector)), np.float32(1e-12))
        return vector

    def count_tokens(self, texts: Sequence[str]) -> int:
        """Tokens of texts, of each at most as many as are read."""
        return sum(min(self._words.ids(text).size, self._max_tokens) for text in texts)


class TokenCutter(Protocol):
    """Interface of tokenizers: words to token ids."""

    def normalise(self, text: str) -> str:
        """A text in the form that is split into words at spaces."""

    def ids(self, word: str) -> list[int]:
        """Token ids of a normalised word."""


class LibraryTokens:
    """Tokenizer of the `tokenizers` library."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def normalise(self, text: str) -> str:
        """By the tokenizer's normaliser."""
        normal: str = self._tokenizer.normalizer.normalize_str(text)
        return normal

    def ids(self, word: str) -> list[int]:
        """By the tokenizer's model."""
        return [token.id for token in self._tokenizer.model.tokenize(word)]


class WordPieceTokens:
    """WordPiece (greedy, longest piece first: Wu et al., "Google's Neural Machine Translation
    System", 2016) from a tokenizer.json, with the library for text that is not ASCII only.

    Importing the library and giving it the file is a tenth of what a worker does before its first
    file can be found, and takes 4 MB.
    """

    def __init__(self, path: Path, model: dict[str, Any]) -> None:
        self._path = path
        self._library: LibraryTokens | None = None
        self._prefix = str(model["continuing_subword_prefix"])
        self._pieces: dict[str, int] = model["vocab"]
        self._most = max(map(len, self._pieces), default=0)
        self._unknown = [self._pieces[model["unk_token"]]]
        self._longest_word = int(model["max_input_chars_per_word"])

    def normalise(self, text: str) -> str:
        """By the normaliser in the file."""
        if self._library is None:
            self._library = LibraryTokens(load_tokenizer(self._path))
        return self._library.normalise(text)

    def ids(self, word: str) -> list[int]:
        """The longest pieces from the left; one unknown token where they do not reach the end."""
        length = len(word)
        if length > self._longest_word:
            return self._unknown
        found: list[int] = []
        pieces, start, prefix = self._pieces, 0, ""
        while start < length:
            end = min(length, start + self._most)
            while (piece := pieces.get(prefix + word[start:end])) is None:
                end -= 1
                if end == start:
                    return self._unknown
            found.append(piece)
            start, prefix = end, self._prefix
        return found


class WordIds(dict[str, bytes]):
    """Token ids (int32, packed) by identifier, so that a text costs one lookup for each."""

    def __init__(self, tokens: TokenCutter) -> None:
        super().__init__()
        self._tokens = tokens
        self._parts: dict[str, bytes] = {}

    def __missing__(self, name: str) -> bytes:
        words = ASCII_WORD.findall(name) if name.isascii() else self._tokens.normalise(name).split()
        packed = b"".join([self._part(word) for word in words])
        if len(name) <= LONGEST_REMEMBERED:
            if len(self) >= REMEMBERED_WORDS:
                self.clear()
            self[name] = packed
        return packed

    def _part(self, word: str) -> bytes:
        packed = self._parts.get(word)
        if packed is None:
            if len(self._parts) >= REMEMBERED_WORDS:
                self._parts.clear()
            packed = array("i", self._tokens.ids(word.lower())).tobytes()
            self._parts[word] = packed
        return packed

    def ids(self, text: str, names: Sequence[str] | None = None) -> NDArray[np.int32]:
        """Token ids of a text, without special tokens; `names` are its runs of `ASCII_NAME`."""
        if not text.isascii():
            names = NAME.findall(text)
        elif names is None:
            names = ASCII_NAME.findall(text)
        return np.frombuffer(b"".join(map(self.__getitem__, names)), dtype=np.int32)


def load_tokens(path: Path) -> TokenCutter:
    """What a tokenizer.json cuts words with. Raises `ModelError` for a bad file."""
    model = read_json(path).get("model", {})
    if model.get("type") == "WordPiece":
        return WordPieceTokens(path, model)
    return LibraryTokens(load_tokenizer(path))


def load_tokenizer(path: Path) -> Tokenizer:
    """The library's tokenizer of a file. Raises `ModelError` for a bad one."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception on a bad file
        raise ModelError(f"{path} is not a tokenizer: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _map_weights(folder: Path, model_file: str) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The token table (rows, columns) and the scale of each row, straight from the ONNX file.

    The export notes in config.json where the two tensors lie, so no ONNX reader is needed.
    """
    path = folder / model_file
    layout = read_json(folder / "config.json").get("static", {})
    try:
        rows, columns = int(layout["rows"]), int(layout["columns"])
        table_at, scale_at = int(layout["table_offset"]), int(layout["scale_offset"])
        size = int(layout["model_bytes"])
    except (TypeError, KeyError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'} does not say where the vectors lie.") from error
    with path.open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    ends = (table_at + rows * columns, scale_at + 4 * rows)
    if len(mapped) != size or min(rows, columns, table_at, scale_at) < 0 or max(ends) > size:
        raise ModelError(
            f"{path} is not the file that its config.json describes.",
            "Reinstall Surveyor, or export the model again with training/export.py.",
        )
    table = np.frombuffer(mapped, np.int8, rows * columns, table_at).reshape(rows, columns)
    scale = np.frombuffer(mapped, np.float32, rows, scale_at)
    return table, scale
