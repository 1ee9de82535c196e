"""Whether answers come through `surveyor lsp` as the language server gave them.

    python -m tests.bench.faithful --project PATH --server basedpyright [--answers 1000]

Two processes of one server on one project, one asked directly and one through the relay, the same
questions at names chosen at random. Prints how many answers are the same bytes, the same JSON, the
same but for the order of a list, and how many differ; those are asked of the server directly once
more, since some servers do not say the same twice. Exits with 1 when one differs for no such
reason.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.errors import ResponseError, UpstreamError
from surveyor.servers.lsp_client import HeadlessHost
from surveyor.servers.methods import PROXIED
from surveyor.servers.registry import builtin
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri
from tests.lsp.rawclient import RawEditor, place
from tests.servers.real import search_path

METHODS = ("textDocument/hover", *(each for each in PROXIED if each.startswith("textDocument/")))
FILES = 12
LIMIT_S = 120.0


async def compare(project: Path, server: str, answers: int, seed: int) -> int:
    """Ask both and print what came; the number of answers that differ."""
    os.environ["PATH"] = search_path()
    spec = builtin().servers[server]
    language = spec.languages[0]
    chance = random.Random(seed)
    suffixes = builtin().languages[language].extensions
    every = sorted(
        path
        for path in project.rglob("*")
        if path.suffix in suffixes
        and 500 < path.stat().st_size < 200_000
        and "node_modules" not in path.parts
    )
    files = chance.sample(every, min(FILES, len(every)))
    with tempfile.TemporaryDirectory() as data:
        editor = await RawEditor.start(Path(data))
        slow = dict.fromkeys((*METHODS, "silent"), LIMIT_S)
        options = {"server": server, "timeouts": slow}
        await editor.initialize(
            project,
            options={"engine": False, "hover": False, "upstream": {language: options}},
        )
        documents = OpenDocuments()
        direct = Upstream(
            spec, spec.command, project, host=HeadlessHost(), documents=documents, language=language
        )
        direct.start()
        questions = []
        for path in files:
            text = path.read_text(errors="replace")
            uri, name = to_uri(path), builtin().language_id(str(path))
            direct.attach(documents.open(uri, name, 1, text, EDITOR))
            editor.open(path, name, text)
            for number, line in enumerate(text.split("\n")):
                questions += [
                    (uri, number, len(line[: word.start() + 1].encode("utf-16-le")) // 2)
                    for word in re.finditer(r"[A-Za-z_]\w{2,}", line)
                ]
        await direct.wait_ready(LIMIT_S)
        await editor.wait_upstream(language, LIMIT_S)
        counts: Counter[str] = Counter()
        by_method: Counter[str] = Counter()
        offered = [method for method in METHODS if direct.supports(method)]
        for number in range(answers):
            method = offered[number % len(offered)]
            params = params_of(method, *chance.choice(questions))
            theirs = await answer_of(direct.request(method, params, timeout=LIMIT_S))
            ours = await answer_of(editor.raw(method, params))
            verdict = judge(theirs, ours)
            if verdict == "different":
                again = await answer_of(direct.request(method, params, timeout=LIMIT_S))
                if judge(again, ours) != verdict:
                    verdict = "said so by the server at another time"
                if verdict == "different":
                    print(
                        f"{method} {params}\n  direct  {theirs[:400]!r}\n  through {ours[:400]!r}"
                    )
            counts[verdict] += 1
            by_method[method.rpartition("/")[2]] += len(ours) > len(b"null")
        await direct.stop()
        await editor.close()
    print(f"{server} on {project.name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    print("  not empty: " + ", ".join(f"{name} {n}" for name, n in by_method.items()))
    return counts["different"]


def params_of(method: str, uri: str, line: int, character: int) -> dict[str, Any]:
    """Params of a method at a place."""
    if method == "textDocument/documentSymbol":
        return {"textDocument": {"uri": uri}}
    params = place(uri, line, character)
    if method == "textDocument/references":
        params["context"] = {"includeDeclaration": True}
    return params


async def answer_of(asking: Any) -> bytes:
    """The raw answer, or the error as JSON."""
    try:
        answer = await asking
    except ResponseError as error:
        return b"error " + msgspec.json.encode({"code": error.number, "message": error.message})
    except UpstreamError as error:
        return b"none " + error.message.encode()
    return bytes(getattr(answer, "raw", answer))


def judge(theirs: bytes, ours: bytes) -> str:
    """How alike two answers are."""
    if theirs == ours:
        return "the same bytes"
    try:
        left, right = msgspec.json.decode(theirs), msgspec.json.decode(ours)
    except msgspec.DecodeError:
        return "different"
    if left == right:
        return "the same JSON"
    lists = isinstance(left, list) and isinstance(right, list)
    if lists and sorted(map(repr, left)) == sorted(map(repr, right)):
        return "the same but for the order"
    return "different"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--server", default="basedpyright")
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    root = chosen.project.resolve()
    sys.exit(bool(asyncio.run(compare(root, chosen.server, chosen.answers, chosen.seed))))
