"""What a definition is, in the words of hovers."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.client.blocking import connect
from surveyor.protocol.graph import EnrichmentRequest
from tests.product import product, until


@pytest.mark.parametrize("name, said", [("told", "Engine"), ("plain", "Engine")])
def test_a_type_is_said_without_the_marks_of_its_expression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "app.ts").write_text(
        'import { container } from "inversify";\n'
        "export class Engine { start(): void {} }\n"
        'export const told = container.get<Engine>("engine");\n'
        "export const plain: Engine = make();\n"
    )
    with product(tmp_path / "home") as surveyor:
        surveyor.index(folder)
        for key, value in surveyor.environment.items():
            monkeypatch.setenv(key, value)
        with connect() as client:
            asked = EnrichmentRequest(cwd=str(folder), name=name)
            found = until(lambda: (a := client.call(asked)).found and a.complete and a)
            assert found.type_info == said
