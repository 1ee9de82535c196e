"""The tokenizer of the shipped model: words out of code, then MiniLM's WordPiece.

Everything that splits identifiers is in tokenizer.json itself, so that whatever loads the file
(FastEmbed, transformers, Surveyor) cuts a text in the same way, at index and at query time alike.
"""

from __future__ import annotations

from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

BOUNDARY = (
    r"(?<=\p{Ll})(?=\p{Lu})"  # camelCase
    r"|(?<=\p{Lu})(?=\p{Lu}\p{Ll})"  # HTTPResponse
    r"|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})"  # utf8, 2d
)
NOT_A_WORD = r"[^\p{L}\p{N}\p{M}]+"
"""Punctuation and underscores: they carry no meaning in a mean of token vectors."""

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_TOKENS = 2048
"""Longer than any chunk or query; FastEmbed wants a limit."""


def build(vocabulary: dict[str, int]) -> Tokenizer:
    """A tokenizer over `vocabulary` (token -> row), which contains `SPECIAL`.

    The special tokens are not registered as such: `[MASK]` in somebody's code is a word.
    """
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(BOUNDARY), " "),
            normalizers.Replace(Regex(NOT_A_WORD), " "),
            normalizers.BertNormalizer(lowercase=True),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def read_teacher_vocabulary(path: Path) -> dict[str, int]:
    """Token -> id of the teacher's tokenizer.json."""
    return dict(Tokenizer.from_file(str(path)).get_vocab(with_added_tokens=True))
