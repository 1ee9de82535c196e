"""Write token vectors as the folder that the package ships: int8 ONNX, tokenizer, configuration.

The graph is Gather(int8 table, input_ids) -> Cast -> Mul by Gather(scale, input_ids) ->
`last_hidden_state`; pooling and normalising are the loader's. Rows of special tokens are zero.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import vocabulary
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8 and the factor that gives them back (symmetric, one factor a row)."""
    scale = np.abs(vectors).max(axis=1) / 127.0
    table = np.round(vectors / np.maximum(scale, 1e-12)[:, None]).astype(np.int8)
    return table, scale.astype(np.float32)


def graph(table: NDArray[np.int8], scale: NDArray[np.float32]) -> onnx.ModelProto:
    """The model: token ids (batch, length) to token vectors (batch, length, dimension)."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows_int8"]),
        helper.make_node("Cast", ["rows_int8"], ["rows"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["scale", "input_ids"], ["row_scale"]),
        helper.make_node("Mul", ["rows", "row_scale"], ["last_hidden_state"]),
    ]
    shape = ["batch", "length"]
    made = helper.make_graph(
        nodes,
        "surveyor-code-static",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, shape),
        ],
        [
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, [*shape, table.shape[1]]
            )
        ],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(scale[:, None], "scale"),
        ],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def export(vectors: NDArray[np.float32], tokenizer: Tokenizer, folder: Path) -> None:
    """Write the model's folder. `vectors`: one row a token id, SIF weights included."""
    folder.mkdir(parents=True, exist_ok=True)
    vectors = vectors.copy()
    for token in vocabulary.SPECIAL:
        vectors[tokenizer.token_to_id(token)] = 0.0
    table, scale = quantise(vectors)
    data = graph(table, scale).SerializeToString()
    (folder / "model.onnx").write_bytes(data)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    layout = {
        "rows": table.shape[0],
        "columns": table.shape[1],
        "table_offset": data.index(table.tobytes()),
        "scale_offset": data.index(scale.tobytes()),
        "model_bytes": len(data),
    }
    special = {f"{name.strip('[]').lower()}_token": name for name in vocabulary.SPECIAL}
    files = {
        "config.json": {
            "model_type": "static",
            "hidden_size": table.shape[1],
            "vocab_size": table.shape[0],
            "pad_token_id": tokenizer.token_to_id("[PAD]"),
            "static": layout,
        },
        "tokenizer_config.json": {"model_max_length": vocabulary.MAX_TOKENS, **special},
        "special_tokens_map.json": {},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Export what train.py left in the work folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--vectors", default="trained.npy")
    parser.add_argument("--to", type=Path, required=True)
    arguments = parser.parse_args()
    vectors = np.load(arguments.work / arguments.vectors).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(arguments.work / "tokenizer.json"))
    export(vectors, tokenizer, arguments.to)
    print(f"{arguments.to}: {vectors.shape[0]} tokens, {vectors.shape[1]} dimensions")


if __name__ == "__main__":
    main()
