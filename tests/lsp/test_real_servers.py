"""Real servers answer through the proxy what they answer directly."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from surveyor.servers.documents import OpenDocuments
from surveyor.servers.lsp_client import HeadlessHost, client_capabilities
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.registry import builtin
from surveyor.servers.upstream import Upstream
from tests.lsp.conftest import BY_DOCUMENT, Start, write
from tests.lsp.rawclient import place
from tests.servers.real import search_path
from tests.servers.support import eventually
from tests.servers.test_real import CPP, TYPESCRIPT

REAL = [
    ("python", "ty", {}, "shop/price.py", "python", 3, 5),
    ("python", "basedpyright", {}, "shop/price.py", "python", 3, 5),
    ("typescript", "typescript-language-server", TYPESCRIPT, "price.ts", "typescript", 0, 18),
    ("cpp", "clangd", CPP, "price.cpp", "cpp", 1, 5),
]


@pytest.mark.parametrize(("language", "server", "files", "name", "ident", "line", "column"), REAL)
async def test_real_servers_answer_through_the_proxy_what_they_answer_directly(
    window: Start,
    project: Path,
    language: str,
    server: str,
    files: dict[str, str],
    name: str,
    ident: str,
    line: int,
    column: int,
) -> None:
    write(project, {k: v.replace("$ROOT", str(project)) for k, v in files.items()})
    path = project / name
    # What the editor says of itself is what the direct client says.
    editor = await window(
        project,
        capabilities=client_capabilities(HeadlessHost(), ()),
        options={"upstream": {language: {"server": server}}},
    )
    uri = editor.open(path, ident)
    await editor.wait_upstream(language)
    direct = UpstreamManager(
        UpstreamConfig(upstream={language: {"server": server}}, user_path=search_path())
    )
    try:
        upstream = await direct.get(language, project)
        direct.open_headless(upstream, path)
        assert await upstream.wait_ready(60)
        compared = 0
        for method in BY_DOCUMENT:
            if not upstream.supports(method):
                continue
            params = {**place(uri, line, column), "context": {"includeDeclaration": True}}
            theirs = normal((await upstream.request(method, params, timeout=60)).value())
            await editor.eventually(method, params, lambda ours: normal(ours) == theirs)  # noqa: B023
            compared += 1
        assert compared >= 5
    finally:
        await direct.close()


def normal(value: Any) -> Any:
    """References in a fixed order: servers do not promise one."""
    if isinstance(value, list):
        return sorted((normal(item) for item in value), key=lambda item: json.dumps(item))
    return value


async def test_a_thousand_answers_of_a_real_server_equal_the_direct_ones_as_raw_json(
    window: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"def function_{n}(a: int, b: str = '😀') -> int:\n    return a + {n}\n" for n in range(250)
    ]
    path = write(project, {"many.py": "\n".join(lines)}) / "many.py"
    capabilities = client_capabilities(HeadlessHost(), ())
    editor = await window(project, capabilities=capabilities, options={"hover": False})
    uri = editor.open(path, "python")
    await editor.wait_upstream("python")
    monkeypatch.setenv("PATH", search_path())
    spec = builtin().servers["ty"]
    documents = OpenDocuments()
    direct = Upstream(
        spec, spec.command, project, host=HeadlessHost(), documents=documents, language="python"
    )
    direct.start()
    try:
        direct.attach(documents.open(uri, "python", 1, path.read_text(), "test"))
        assert await direct.wait_ready(60)
        methods = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/documentHighlight",
            "textDocument/typeDefinition",
        ]
        for number in range(250):
            for method in methods:
                params = place(uri, number * 3, 6)
                theirs = bytes((await direct.request(method, params, timeout=60)).raw)
                await eventually(
                    lambda: editor.raw(method, params),  # noqa: B023
                    lambda ours: ours == theirs,  # noqa: B023
                )
    finally:
        await direct.stop()


async def test_each_project_of_a_repository_has_its_own_environment(
    window: Start, tmp_path: Path
) -> None:
    site = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    version = ".".join(map(str, sys.version_info[:3]))
    files: dict[str, str] = {}
    for project in ("back", "front"):
        files |= {
            f"{project}/.venv/pyvenv.cfg": f"home = {sys.base_prefix}/bin\nversion = {version}\n",
            f"{project}/.venv/{site}/shared.py": f"def of_{project}() -> int: ...\n",
            f"{project}/main.py": f"from shared import of_{project}\n\nof_{project}()\n",
        }
    root = write(tmp_path / "mono", files)
    options = {"upstream": {"python": {"server": "ty"}}}
    editor = await window(root, options=options)
    for project in ("back", "front"):
        uri = editor.open(root / project / "main.py", "python")
        found = await editor.eventually("textDocument/definition", place(uri, 2, 1))
        assert found[0]["uri"].endswith(f"/{project}/.venv/{site}/shared.py")
