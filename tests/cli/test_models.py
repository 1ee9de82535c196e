"""`surveyor models`, with a real engine: choosing, refusing, and embedding again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import surveyor
from surveyor.embedding.contract import MINILM
from surveyor.embedding.dense import SHIPPED_FOLDER, SHIPPED_MODEL

DEADLINE_S = 120.0
SOURCES = str(Path(surveyor.__file__).parents[1])


@dataclass(frozen=True)
class Surveyor:
    """The command, with a data folder of its own."""

    data: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "surveyor", *arguments],
            env={
                key: value
                for key, value in os.environ.items()
                if key not in ("FASTEMBED_MODEL", "FASTEMBED_CACHE_PATH")
            }
            | {"SURVEYOR_DATA_DIR": str(self.data), "PYTHONPATH": SOURCES},
            cwd=self.data.parent,
            capture_output=True,
            text=True,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def paths(self, query: str, project: Path) -> list[str]:
        answer = self.json("search", query, "--mode", "semantic", "--project", str(project))
        return [result["path"] for result in answer["results"]]


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Surveyor]:
    command = Surveyor(tmp_path / "data")
    yield command
    command.run("engine", "stop")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "cache.py").write_text(
        "class LRUCache:\n"
        '    """Drops what was not used for the longest time."""\n\n'
        "    def evict(self):\n        self.entries.popitem(last=False)\n"
    )
    (root / "http.py").write_text(
        'def parse_header(line):\n    """Split a header line."""\n    return line.split(":", 1)\n'
    )
    return root


@pytest.fixture
def other_model(tmp_path: Path) -> Path:
    """The shipped model with another limit: another fingerprint, other vectors of long texts."""
    folder = shutil.copytree(SHIPPED_FOLDER, tmp_path / "other")
    limits = folder / "tokenizer_config.json"
    limits.write_text(limits.read_text().replace("2048", "64"))
    return folder


def test_lists_what_can_be_used_without_a_download(command: Surveyor) -> None:
    answer = command.json("models", "list")
    listed = {model["name"]: model for model in answer["models"]}
    assert listed[SHIPPED_MODEL]["configured"]
    assert all(model["available"] for model in listed.values())
    speed = listed[SHIPPED_MODEL]["speed"]
    assert 1 < speed["chunks_per_s"] < speed["tokens_per_s"] and speed["device"] == "cpu"
    assert answer["machine"]["cores"]["usable"] > 0 < answer["machine"]["capacity"]["chunks"]
    everything = command.json("models", "list", "--all", "--no-measure")["models"]
    assert {model["speed"] for model in everything} == {None}
    assert {"BAAI/bge-small-en-v1.5", MINILM} <= {model["name"] for model in everything}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("./nothing-here", "no folder"),
        ("project", "no ONNX model"),
        ("all-minilm", "No embedding model is called"),
        ("BAAI/bge-small-en-v1.5", "nothing is downloaded unasked"),
    ],
)
def test_a_model_that_does_not_work_is_refused_and_nothing_changes(
    command: Surveyor, project: Path, name: str, said: str
) -> None:
    (command.data / "models").mkdir(parents=True)  # where FastEmbed looks, and logs what it misses
    done = command.run("models", "use", name)
    assert done.returncode != 0
    assert said in done.stderr and "ERROR" not in done.stderr
    settings = command.data / "surveyor.toml"
    assert not settings.exists() or "[model]" not in settings.read_text()


@pytest.mark.parametrize("chosen", [pytest.param("folder", marks=pytest.mark.slow), MINILM])
def test_another_model_embeds_again_while_the_old_one_answers(
    command: Surveyor, project: Path, other_model: Path, chosen: str
) -> None:
    name = str(other_model) if chosen == "folder" else chosen
    assert command.run("index", str(project)).returncode == 0
    query = "remove the least recently used entry"
    assert command.paths(query, project)[0] == "cache.py"
    before = command.json("models", "status")
    assert command.run("models", "use", name).returncode == 0
    deadline = time.monotonic() + DEADLINE_S
    while True:
        # Never an error and never empty, before, during and after.
        assert command.paths(query, project)[0] == "cache.py"
        now = command.json("models", "status")
        if now["model"] == name and not now["reembedding"]:
            break
        assert time.monotonic() < deadline, now
    assert now["fingerprint"] != before["fingerprint"]
    (project / "queue.py").write_text("def push_job(queue, job):\n    queue.append(job)\n")
    assert command.run("index", str(project)).returncode == 0
    assert "queue.py" in command.paths("append a job to the queue", project)[:2]


def test_a_folder_that_breaks_while_configured_leaves_the_old_model_answering(
    command: Surveyor, project: Path, other_model: Path
) -> None:
    assert command.run("index", str(project)).returncode == 0
    (other_model / "model.onnx").write_bytes(b"broken")
    # Written past `models use`, as an editor would.
    assert command.run("config", "set", "model.name", str(other_model)).returncode == 0
    done = command.run("models", "use", str(other_model))
    assert done.returncode != 0
    assert command.paths("split a header line", project)[0] == "http.py"
    # A fresh engine finds the same configuration, and answers with the shipped model.
    assert command.run("engine", "stop").returncode == 0
    assert command.paths("split a header line", project)[0] == "http.py"
    assert command.json("models", "status")["model"] == SHIPPED_MODEL
