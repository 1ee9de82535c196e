"""Real servers answer through our client: definition, complete references, unsaved text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surveyor.servers.documents import EDITOR
from surveyor.servers.manager import UpstreamConfig, UpstreamManager
from surveyor.servers.uris import to_uri
from tests.servers.real import search_path

PYTHON = {
    "shop/__init__.py": "",
    "shop/price.py": "def total(items: list[int]) -> int:\n    return sum(items)\n",
    "shop/cart.py": "from shop.price import total\n\n\ndef pay() -> int:\n    return total([1])\n",
    "shop/bill.py": "from shop.price import total\n\nprint(total([2]))\n",
}
TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true}, "include": ["*.ts"]}',
    "price.ts": "export function total(items: number[]): number {\n  return items.length;\n}\n",
    "cart.ts": 'import { total } from "./price";\nexport const pay = () => total([1]);\n',
    "bill.ts": 'import { total } from "./price";\nconsole.log(total([2]));\n',
}
CPP = {
    "compile_commands.json": json.dumps(
        [
            {"directory": "$ROOT", "file": name, "command": f"c++ -std=c++17 -c {name}"}
            for name in ("price.cpp", "cart.cpp")
        ]
    ),
    "price.h": "int total(int items);\n",
    "price.cpp": '#include "price.h"\nint total(int items) { return items; }\n',
    "cart.cpp": '#include "price.h"\nint pay() { return total(1); }\n',
}
CASES = [
    ("python", "ty", PYTHON, "shop/price.py", (0, 5), 3),
    ("python", "basedpyright", PYTHON, "shop/price.py", (0, 5), 3),
    ("typescript", "typescript-language-server", TYPESCRIPT, "price.ts", (0, 18), 3),
    ("cpp", "clangd", CPP, "price.cpp", (1, 5), 3),
]


@pytest.mark.parametrize(("language", "server", "files", "path", "at", "files_used"), CASES)
async def test_references_are_complete_once_ready(
    tmp_path: Path,
    language: str,
    server: str,
    files: dict[str, str],
    path: str,
    at: tuple[int, int],
    files_used: int,
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("$ROOT", str(tmp_path)))
    manager = UpstreamManager(
        UpstreamConfig(upstream={language: {"server": server}}, user_path=search_path())
    )
    try:
        upstream, answer = await manager.request(
            tmp_path / path,
            tmp_path,
            "textDocument/references",
            {
                "position": {"line": at[0], "character": at[1]},
                "context": {"includeDeclaration": True},
            },
            timeout=90,
            wait_ready=90,
        )
        assert upstream.name == server and answer.complete
        assert len({place["uri"] for place in answer.value()}) == files_used
        uri = to_uri(tmp_path / path)
        document = manager.documents.open(
            uri, upstream.spec.languages[0], 9, files[path] + "\n", EDITOR
        )
        upstream.change(
            document,
            {
                "textDocument": {"uri": uri, "version": 9},
                "contentChanges": [{"text": document.text}],
            },
        )
        hover = await upstream.request(
            "textDocument/hover",
            {
                "textDocument": {"uri": uri},
                "position": {"line": at[0], "character": at[1]},
            },
            timeout=90,
        )
        assert "total" in str(hover.value())
    finally:
        await manager.close()
