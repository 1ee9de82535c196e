"""The teacher's vector for each token of the vocabulary, reduced by PCA.

Each token is passed through all-MiniLM-L6-v2 (Apache-2.0) by itself, between [CLS] and [SEP], and
mean-pooled: the start that contrastive training improves on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

BATCH = 256


def token_vectors(model: Path, tokenizer: Tokenizer, tokens: list[str]) -> NDArray[np.float32]:
    """Mean-pooled output (len(tokens), 384) for each token taken as a text of its own."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    inputs = {item.name for item in session.get_inputs()}
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    sequences = []
    for token in tokens:
        known = tokenizer.token_to_id(token)
        ids = [known] if known is not None else tokenizer.encode(token, None, False, False).ids
        sequences.append([start, *ids, end])
    order = sorted(range(len(tokens)), key=lambda index: len(sequences[index]))
    result = np.zeros((len(tokens), 384), dtype=np.float32)
    for at in range(0, len(order), BATCH):
        rows = order[at : at + BATCH]
        length = max(len(sequences[row]) for row in rows)
        ids = np.zeros((len(rows), length), dtype=np.int64)
        for line, row in enumerate(rows):
            ids[line, : len(sequences[row])] = sequences[row]
        mask = (ids != 0).astype(np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = session.run(None, {name: feed[name] for name in inputs})[0]
        if output.ndim == 2:
            result[rows] = output
        else:
            weights = mask[:, :, None].astype(np.float32)
            result[rows] = (output * weights).sum(1) / weights.sum(1)
    return result


def reduce(vectors: NDArray[np.float32], dimension: int) -> NDArray[np.float32]:
    """The first `dimension` principal components of the centred vectors."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    reduced: NDArray[np.float32] = centred @ axes[:, ::-1][:, :dimension]
    return reduced


def main() -> None:
    """Write teacher.npy for the tokens of FOLDER/tokenizer.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the teacher's model.onnx")
    parser.add_argument("--tokenizer", type=Path, required=True, help="its tokenizer.json")
    arguments = parser.parse_args()
    teacher = Tokenizer.from_file(str(arguments.tokenizer))
    teacher.no_padding()
    teacher.no_truncation()
    student = Tokenizer.from_file(str(arguments.work / "tokenizer.json"))
    tokens = [student.id_to_token(row) for row in range(student.get_vocab_size())]
    vectors = token_vectors(arguments.model, teacher, tokens)
    np.save(arguments.work / "teacher.npy", vectors)
    print(f"teacher.npy: {vectors.shape}")


if __name__ == "__main__":
    main()
