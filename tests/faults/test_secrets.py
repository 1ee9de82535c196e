"""Planted secrets are in no file of the data folder and in no answer, however they came in."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest
import re2

from surveyor.store.text_compression import compressed, decompressed
from tests.product import Product, git, until
from tests.secrets.planting import TOKENS, Plant, plants

ASK = """
import json, sys
from surveyor.client.blocking import connect
from surveyor.protocol.search import RetrieveRequest, SearchRequest
from surveyor.protocol.sessions import OverlayRequest
root, asked = sys.argv[1], json.load(sys.stdin)
with connect() as client:
    for name, text in asked["buffers"].items():
        client.call(OverlayRequest(path=root + "/" + name, version=2, text=text))
        answer = client.call(RetrieveRequest(project=root, path=name))
        print(answer.text)
        print(client.call(SearchRequest(query="buffer", project=root, limit=20)))
    for path in asked["paths"]:
        print(client.call(RetrieveRequest(project=root, path=path)).text)
"""


def in_data(surveyor: Product, secrets: list[str]) -> list[str]:
    """Secrets whose bytes are in a file of the data folder (escaped as in JSON, too)."""
    options = re2.Options()
    options.max_mem = 256 << 20
    any_of = re2.compile("|".join(map(re2.escape, sorted(set(secrets)))).encode(), options)
    found = set()
    for path in surveyor.data.rglob("*"):
        if path.is_file() and path.name != "reserve":
            data = re.sub(rb"\0{64,}", b"\0", path.read_bytes())  # shards are mostly holes
            found |= {f"{path.name}: {one[0].decode()}" for one in any_of.finditer(data)}
    return sorted(found)


def ask(surveyor: Product, root: Path, buffers: dict[str, str], paths: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(root)],
        input=json.dumps({"buffers": buffers, "paths": paths}),
        env=surveyor.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def planted(root: Path, some: list[Plant]) -> list[str]:
    paths = []
    for number, one in enumerate(some):
        path = f"p{number}/{one.path}"
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(one.text)
        paths.append(path)
    return paths


@pytest.mark.parametrize(
    "count", [100, pytest.param(500, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_no_planted_secret_is_stored_or_answered(
    surveyor: Product, tmp_path: Path, count: int
) -> None:
    some = plants(count, 21)
    root = tmp_path / "planted"
    root.mkdir()
    git(root, "init", "-q")
    paths = planted(root, some)
    rng = random.Random(22)
    said, gone, noted, ruled = (TOKENS["github"](rng) for _ in range(4))
    (root / "db.py").write_text(f'password = "Gone{gone[-8:]}1"\nHOST = "db"\n')
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", f"Connect\n\nwith {said}, password: Said{said[-8:]}2")
    (root / "db.py").write_text('import os\n\nHOST = "db"\n')
    git(root, "commit", "-q", "-am", "Read the password from elsewhere")
    surveyor.index(root)
    secrets = [
        *(one.secret for one in some),
        said, noted, ruled, f"Said{said[-8:]}2", f"Gone{gone[-8:]}1", f"Note{noted[-8:]}3",
    ]  # fmt: skip

    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "guide.md").write_text(f"# Guide\n\nUse token {noted}; password: Note{noted[-8:]}3\n")
    surveyor.run("library", "add", str(docs), "--name", "guide")
    surveyor.run("library", "ingest", "-", "--name", "typed.in", input=f"# T\n\nkey {noted} here\n")
    surveyor.run(
        "memory", "add", "--label", "a-key", "--title", "k", "-c", f"use {ruled}", "-C", str(root)
    )

    # Paths of files that are left out for their names are not retrieved.
    listed = {
        one["path"] for one in surveyor.json("status", str(root), "--skipped").get("skipped", [])
    }
    answers = [
        ask(surveyor, root, {f"p0/new{n}.py": f"def buffer():\n    x = '{one.secret}'\n{one.text}"
                             for n, one in enumerate(plants(30, 23)) if one.path.endswith(".py")},
            [path for path in paths if path not in listed and not path.endswith("/config.json")]),
        surveyor.run("history", "index", "--all", cwd=root).stdout,
        surveyor.run("history", "search", "connect password", "--json", cwd=root).stdout,
        surveyor.run("history", "symbol", "db.py:1-3", "--patch", "--json", cwd=root).stdout,
        surveyor.run("history", "file", "db.py", "--json", cwd=root).stdout,
        surveyor.run("memory", "list", "--json", cwd=root).stdout,
        surveyor.run("library", "search", "token password", "--json").stdout,
        surveyor.run("map", "--json", cwd=root, check=False).stdout,
        surveyor.run("secrets", "list", "--json", cwd=root).stdout,
    ]  # fmt: skip
    for query in ("password", "token", "api key secret", "config connection", "credential webhook"):
        answers.append(json.dumps(surveyor.search(query, root, "--limit", "100")))
        answers.append(surveyor.run("symbols", query.split()[0], "--json", cwd=root).stdout)
    shown = "\n".join(answers)
    in_answers = [one for one in secrets if one in shown]
    stored = in_data(surveyor, secrets)
    assert len(shown) > 10_000
    assert len(in_answers) <= 0.05 * count, in_answers
    assert len({one.split(": ", 1)[1] for one in stored}) <= 0.05 * count, stored
    assert not {said, noted, ruled, f"Said{said[-8:]}2", f"Gone{gone[-8:]}1"} & set(in_answers)


@pytest.mark.parametrize("name", [".env", "prod.env", "id_rsa", "kubeconfig", ".npmrc"])
def test_a_file_that_keeps_secrets_is_no_document(
    surveyor: Product, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("A=tiger4711\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / name)
    for path in (name, "link.txt"):
        done = surveyor.run(
            "library", "ingest", str(tmp_path / path), "--name", "docs", check=False
        )
        assert done.returncode != 0
        assert "secrets" in done.stderr
    assert not in_data(surveyor, ["tiger4711"])


def test_what_is_masked_is_listed_and_one_can_be_allowed(surveyor: Product, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "db.py").write_text('"""Opens it."""\npassword = "tiger4711"\n')
    (root / "test_db.py").write_text('password = "tiger4712"\n')
    surveyor.index(root)

    def shown() -> str:
        return json.dumps(surveyor.search("password", root))

    listed = surveyor.run("secrets", "list", "--json", cwd=root).stdout
    assert "tiger" not in listed + shown()
    found = {one["path"]: one for one in json.loads(listed)["secrets"]}
    assert (found["db.py"]["line"], found["db.py"]["rule"]) == (2, "named")
    fingerprint = found["db.py"]["fingerprint"]
    assert "tiger" not in fingerprint
    said = surveyor.run("secrets", "allow", fingerprint, cwd=root).stdout
    assert "1" in said
    until(lambda: "tiger4711" in shown())
    assert "tiger4712" not in shown()
    surveyor.run("engine", "stop")
    assert "tiger4711" in shown()
    surveyor.run("secrets", "allow", "--path", "test_*.py", cwd=root)
    until(lambda: "tiger4712" in shown())
    surveyor.run("secrets", "disallow", fingerprint, cwd=root)
    surveyor.run("secrets", "disallow", "--path", "test_*.py", cwd=root)
    until(lambda: "tiger" not in shown())
    until(lambda: not in_data(surveyor, ["tiger4711", "tiger4712"]))
    refused = surveyor.run("secrets", "allow", "tiger4711", cwd=root, check=False)
    assert refused.returncode != 0
    assert "no fingerprint" in refused.stderr
    assert (surveyor.data / "allowed-secrets.json").stat().st_mode & 0o777 == 0o600


def test_what_an_earlier_version_stored_is_masked_and_wiped(
    surveyor: Product, tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    (root / "db.py").write_text("def connect():\n    return None\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Connect to it")
    surveyor.index(root)
    surveyor.run("history", "index", cwd=root)
    surveyor.run("library", "ingest", "-", "--name", "notes-a.b", input="# A\n\nSome text\n")
    surveyor.run("engine", "stop")
    old = 'password = "tiger4711"\n'
    with closing(sqlite3.connect(surveyor.data / "state.db")) as state:
        ((doc_id, text),) = state.execute("SELECT doc_id, text FROM document_texts")
        stored = compressed(decompressed(text) + old.encode())
        state.execute(
            "UPDATE document_texts SET text = ?, checksum = ? WHERE doc_id = ?",
            (stored, crc32(stored), doc_id),
        )
        state.execute("UPDATE commits SET body = ?", ("password: tiger4711",))
        state.execute("UPDATE library_documents SET content = content || ?", (old,))
        state.execute("UPDATE library_pieces SET text = text || ?", (old,))
        state.execute("UPDATE documents SET version = 'chunker-1'")
        state.execute("DELETE FROM settings WHERE key = 'masking'")
        state.commit()
    (surveyor.data / "state.spare.db").unlink()
    assert in_data(surveyor, ["tiger4711"])
    until(lambda: "tiger" not in json.dumps(surveyor.search("connect", root)))
    until(lambda: not in_data(surveyor, ["tiger4711"]))
    assert surveyor.search("connect", root)["results"]
    assert "tiger" not in surveyor.run("library", "search", "text", "--json").stdout
    assert "tiger" not in surveyor.run("history", "search", "connect", "--json", cwd=root).stdout


def test_logs_of_a_refused_name_hold_no_value(surveyor: Product, tmp_path: Path) -> None:
    secret = TOKENS["github"](random.Random(9))
    root = tmp_path / "a"
    root.mkdir()
    (root / "a.py").write_text(f"x = {'(' * 50}'{secret}'\n")
    surveyor.index(root)
    assert not in_data(surveyor, [secret])
