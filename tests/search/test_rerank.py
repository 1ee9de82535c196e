"""Reranking by a model from a folder: a tiny cross-encoder that is made here, and an embedder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import ModelError
from surveyor.embedding.dense import SHIPPED_FOLDER
from surveyor.search.query import understand
from surveyor.search.rank import Candidate, RankContext, RankedCandidate, rank
from surveyor.search.rerank import load_reranker, reordered

TEXTS = [
    "def route(path): return routes[path]",
    "def sign_cookie(value, key): return hmac(key, value)",
    "class Snapshot: files = []",
]


def pair_counter() -> onnx.ModelProto:
    """A cross-encoder whose logit is how many pairs of equal tokens the two texts share."""
    node = helper.make_node
    shape = ["batch", "length"]
    nodes = [
        node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        node("Cast", ["attention_mask"], ["read"], to=TensorProto.FLOAT),
        node("Sub", ["read", "second"], ["first"]),
        node("Unsqueeze", ["input_ids", "last"], ["column"]),
        node("Unsqueeze", ["input_ids", "middle"], ["row"]),
        node("Equal", ["column", "row"], ["same"]),
        node("Cast", ["same"], ["pairs"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["first", "last"], ["of_query"]),
        node("Unsqueeze", ["second", "middle"], ["of_text"]),
        node("Mul", ["of_query", "of_text"], ["across"]),
        node("Mul", ["pairs", "across"], ["counted"]),
        node("ReduceSum", ["counted", "both"], ["sum"], keepdims=0),
        node("Unsqueeze", ["sum", "middle"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "pair-counter",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "token_type_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [
            helper.make_tensor("last", TensorProto.INT64, [1], [2]),
            helper.make_tensor("middle", TensorProto.INT64, [1], [1]),
            helper.make_tensor("both", TensorProto.INT64, [2], [1, 2]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cross-encoder's folder: its own graph, the shipped model's tokenizer."""
    made = tmp_path / "reranker"
    made.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(SHIPPED_FOLDER / name, made / name)
    tokenizer = json.loads((made / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    # The shipped tokenizer reads one text; a pair needs BERT's template, as exporters write it.
    tokenizer["post_processor"] = {
        "type": "BertProcessing",
        "sep": ["[SEP]", vocabulary["[SEP]"]],
        "cls": ["[CLS]", vocabulary["[CLS]"]],
    }
    (made / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = {"architectures": ["BertForSequenceClassification"], "pad_token_id": 0}
    (made / "config.json").write_text(json.dumps(config))
    onnx.save(pair_counter(), str(made / "model.onnx"))
    return made


def test_a_cross_encoder_from_a_folder_reads_query_and_text_together(folder: Path) -> None:
    reranker = load_reranker(str(folder), threads=1)
    scores = reranker.scores("sign the cookie value", TEXTS)
    assert max(range(3), key=scores.__getitem__) == 1
    again = load_reranker(str(folder), threads=1).scores("snapshot files", TEXTS)
    assert max(range(3), key=again.__getitem__) == 2


def test_an_embedding_model_stands_in_for_a_cross_encoder() -> None:
    reranker = load_reranker(str(SHIPPED_FOLDER), threads=1)
    scores = reranker.scores("sign the cookie", TEXTS)
    assert max(range(3), key=scores.__getitem__) == 1


@pytest.mark.parametrize("name", ["/nowhere/at/all", "Xenova/ms-marco-MiniLM-L-6-v2", "no such"])
def test_a_model_that_is_not_here_is_a_clear_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    with pytest.raises(ModelError):
        load_reranker(name)


def test_a_broken_folder_is_a_clear_error(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_reranker(str(folder))
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelError, match="holds no ONNX model"):
        load_reranker(str(folder))


def some_ranked() -> list[RankedCandidate]:
    found = [
        Candidate(id=str(i), path=f"{i}.py", start_line=1, end_line=20, sparse_rank=i)
        for i in range(1, 6)
    ]
    return rank(understand("words"), found, RankSettings(), RankContext())


def test_the_opinion_is_a_part_of_the_score() -> None:
    ranked = some_ranked()
    found = reordered(ranked, [0.0, 0.0, 9.0], 1.0, 4)
    assert [each.candidate.id for each in found] == ["3", "1", "2", "4"]
    for each in found:
        total = 0.0
        for part in each.parts:
            total = total + part.value if part.operation == "add" else total * part.value
        assert total == pytest.approx(each.score)


def test_without_an_opinion_nothing_changes() -> None:
    ranked = some_ranked()
    assert reordered(ranked, [], 1.0, 3) == ranked[:3]
    assert reordered(ranked, [2.0, 2.0, 2.0], 1.0, 5) == ranked
    assert reordered([], [], 1.0, 5) == []
