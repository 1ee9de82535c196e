"""The shipped model, its light loader against FastEmbed, and models from elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.embedding.contract import MINILM, Embedder, ModelError, read_json
from surveyor.embedding.dense import SHIPPED_FOLDER, SHIPPED_MODEL, describe_model, load_embedder
from surveyor.embedding.static_model import (
    LibraryTokens,
    TokenCutter,
    WordIds,
    WordPieceTokens,
    load_tokenizer,
    load_tokens,
)

CODE = [
    "def parse_http_header(line: bytes) -> tuple[str, str]:\n    return line.split(b':', 1)",
    "class LRUCache:\n    '''Least recently used entries are dropped first.'''",
    "func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler(w, r) }",
    "const übergröße = naïveFunction('日本語 текст', 42); // größer als utf8",
    "pub fn sha256_digest(input: &[u8]) -> [u8; 32] { Sha256::digest(input).into() }",
    "x",
]


@pytest.fixture(scope="module")
def shipped() -> Embedder:
    return load_embedder()


@pytest.fixture(scope="module")
def through_fastembed() -> Embedder:
    """The same folder, as FastEmbed loads it."""
    from surveyor.embedding.fastembed_model import load

    info = describe_model()
    as_folder = type(info)(
        info.name, "folder", info.fingerprint, info.dimension, info.folder, info.model_file
    )
    return load(as_folder, threads=1, allow_download=False)


def test_shipped_model_gives_unit_vectors_of_256_dimensions(shipped: Embedder) -> None:
    vectors = shipped.embed_documents(CODE)
    assert (shipped.name, shipped.dimension) == (SHIPPED_MODEL, 256)
    assert vectors.shape == (len(CODE), 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_shipped_model_is_within_its_size() -> None:
    size = sum(file.stat().st_size for file in SHIPPED_FOLDER.iterdir())
    assert size < 10_000_000


def test_light_loader_agrees_with_fastembed_on_code(
    shipped: Embedder, through_fastembed: Embedder
) -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py")]
    texts = CODE + [text[at : at + 1500] for text in sources for at in range(0, len(text), 1500)]
    cosine = (shipped.embed_documents(texts) * through_fastembed.embed_documents(texts)).sum(1)
    assert cosine.min() > 0.999


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=200))
def test_light_loader_agrees_with_fastembed_on_any_text(
    shipped: Embedder, through_fastembed: Embedder, text: str
) -> None:
    ours = shipped.embed_query(text)
    theirs = through_fastembed.embed_query(text)
    if np.linalg.norm(ours) == 0.0:
        assert np.linalg.norm(theirs) < 1e-3
    else:
        assert float(ours @ theirs) > 0.999


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.text(max_size=60), max_size=12))
def test_a_vector_does_not_depend_on_its_batch(shipped: Embedder, texts: list[str]) -> None:
    together = shipped.embed_documents(texts)
    assert together.shape == (len(texts), 256)
    for row, text in enumerate(texts):
        np.testing.assert_allclose(together[row], shipped.embed_query(text), atol=1e-5)


def test_identifiers_and_words_meet(shipped: Embedder) -> None:
    words = shipped.embed_query("parse http header")
    for written in ("parseHTTPHeader", "parse_http_header", "ParseHttpHeader", "PARSE_HTTP_HEADER"):
        assert float(words @ shipped.embed_query(written)) > 0.999


def test_meaning_is_nearer_than_chance(shipped: Embedder) -> None:
    query = shipped.embed_query("drop the entries that were not used for the longest time")
    scores = shipped.embed_documents(CODE) @ query
    assert int(scores.argmax()) == 1


@pytest.mark.parametrize("text", ["", "   ", "→ ∑ {}();", "\x00\x01"])
def test_a_text_without_words_is_a_row_of_zeros(shipped: Embedder, text: str) -> None:
    assert not shipped.embed_query(text).any()


def test_a_text_longer_than_any_chunk_is_embedded(shipped: Embedder) -> None:
    vector = shipped.embed_query("deadbeef " * 100_000)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_loading_the_shipped_model_imports_no_onnx_runtime() -> None:
    code = (
        "import sys; from surveyor.embedding.dense import load_embedder;"
        "load_embedder().embed_query('hash map');"
        "print([name for name in ('onnxruntime', 'fastembed') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(SHIPPED_FOLDER.parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_a_copy_of_the_folder_is_the_same_model(shipped: Embedder, tmp_path: Path) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    loaded = load_embedder(str(copy))
    assert loaded.fingerprint == shipped.fingerprint
    np.testing.assert_array_equal(loaded.embed_documents(CODE), shipped.embed_documents(CODE))


def test_a_folder_that_is_no_static_model_goes_through_fastembed(
    shipped: Embedder, tmp_path: Path
) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    del config["static"]
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    loaded = load_embedder(str(copy), threads=1)
    assert type(loaded).__name__ == "FastEmbedEmbedder"
    assert loaded.dimension == 256
    cosine = (loaded.embed_documents(CODE) * shipped.embed_documents(CODE)).sum(1)
    assert cosine.min() > 0.999


def test_another_content_is_another_fingerprint(shipped: Embedder, tmp_path: Path) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    limits = copy / "tokenizer_config.json"
    limits.write_text(limits.read_text(encoding="utf-8").replace("2048", "64"), encoding="utf-8")
    assert describe_model(str(copy)).fingerprint != shipped.fingerprint


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_without_a_needed_file_says_which(tmp_path: Path, missing: str) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    (copy / missing).unlink()
    with pytest.raises(ModelError, match="holds no") as caught:
        load_embedder(str(copy))
    assert missing in caught.value.message + caught.value.hint


def test_a_truncated_model_is_refused(tmp_path: Path) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    data = (copy / "model.onnx").read_bytes()
    (copy / "model.onnx").write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelError, match="not the file that its config"):
        load_embedder(str(copy))


def test_a_broken_onnx_file_is_a_model_error(tmp_path: Path) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    (copy / "config.json").write_text("{}", encoding="utf-8")
    (copy / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_embedder(str(copy))


@pytest.mark.parametrize("is_static", [True, False])
def test_a_wrong_dimension_is_refused(tmp_path: Path, is_static: bool) -> None:
    copy = shutil.copytree(SHIPPED_FOLDER, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    said = config | {"hidden_size": 384} if is_static else {"hidden_size": 384}
    (copy / "config.json").write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(ModelError, match="256 dimensions, but says 384"):
        load_embedder(str(copy))


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(ModelError) as caught:
        load_embedder("sentence-transformer/all-MiniLM-L6")
    assert "sentence-transformers/all-MiniLM-L6-v2" in caught.value.hint


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no folder"):
        describe_model(str(tmp_path / "nothing"))


def test_a_named_model_is_never_downloaded_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with pytest.raises(ModelError, match="nothing is downloaded unasked") as caught:
        load_embedder("BAAI/bge-small-en-v1.5")
    assert "--download" in caught.value.hint


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    """The seeds' model out of PyPI packages, which scripts/environment.sh installs for tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path_factory.mktemp("models")))
        yield load_embedder(MINILM, threads=1)


def test_minilm_comes_from_packages_without_a_hub(minilm: Embedder) -> None:
    assert (minilm.name, minilm.dimension) == (MINILM, 384)
    texts = [
        "Remove the least recently used entry from the cache.",
        "Delete the cache entry that was used least recently.",
        "Parse the header of an HTTP request.",
        "",
        "long " * 3000,
    ]
    vectors = minilm.embed_documents(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3
    # Its int8 activations are scaled by the batch, so a query differs a little from a document.
    assert float(minilm.embed_query(texts[2]) @ vectors[2]) > 0.97


def test_two_models_never_share_a_fingerprint(shipped: Embedder, minilm: Embedder) -> None:
    assert shipped.fingerprint != minilm.fingerprint


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=120))
def test_words_are_cut_as_the_library_cuts_them(word: str) -> None:
    ours, library = _both_tokens()
    assert ours.ids(word) == library.ids(word)


def test_known_words_long_words_and_joined_words_are_cut_as_the_library_cuts_them() -> None:
    ours, library = _both_tokens()
    known = list(read_json(SHIPPED_FOLDER / "tokenizer.json")["model"]["vocab"])
    joined = [
        one.strip("#") + other.strip("#") for one, other in zip(known, known[7:], strict=False)
    ]
    for word in [*known, *joined, "a" * 100, "a" * 101, ""]:
        assert ours.ids(word) == library.ids(word), word


MIXED = st.text(
    st.one_of(
        st.sampled_from(
            "aZ9_. \n\u2014\u2019\u2192\u2500\u00e9\u0130\u0301\u00df\u4e2d\u3002\u2776\u00b2"
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=80,
)


@given(text=MIXED)
def test_a_run_of_a_text_is_cut_by_itself_as_within_the_text(text: str) -> None:
    _, library = _both_tokens()
    whole = [number for word in library.normalise(text).split() for number in library.ids(word)]
    assert WordIds(library).ids(text).tolist() == whole


@cache
def _both_tokens() -> tuple[TokenCutter, TokenCutter]:
    path = SHIPPED_FOLDER / "tokenizer.json"
    ours = load_tokens(path)
    assert isinstance(ours, WordPieceTokens)
    return ours, LibraryTokens(load_tokenizer(path))


def test_code_in_ascii_and_signs_is_embedded_without_the_tokenizers_library() -> None:
    program = (
        "import sys\nfrom surveyor.embedding.dense import load_embedder\n"
        "load_embedder().embed_documents(['def f(x): return x  # \u2014 \u2192'])\n"
        "assert 'tokenizers' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
