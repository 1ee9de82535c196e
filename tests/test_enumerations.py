"""What the clients write of the server's enumerations is what the server has."""

from __future__ import annotations

import json
import re
from pathlib import Path

from scripts.typescript_enumerations import TARGET, typescript

from surveyor.protocol.enumerations import CORPORA, FILE_TYPES, MODES

CLIENTS = Path(__file__).parents[1] / "clients"


def test_the_generated_types_of_the_client_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == typescript()


def test_the_settings_of_visual_studio_code_offer_every_mode() -> None:
    package = json.loads((CLIENTS / "vscode" / "package.json").read_text(encoding="utf-8"))
    found = re.findall(r'"surveyor\.search\.mode": (\{.*?\})', json.dumps(package))
    assert json.loads(found[0])["enum"] == list(MODES)


def test_neovim_s_query_knows_every_value() -> None:
    text = (CLIENTS / "neovim" / "lua" / "surveyor" / "query.lua").read_text(encoding="utf-8")
    for values in (CORPORA, FILE_TYPES, MODES):
        assert "{ " + ", ".join(f"'{value}'" for value in values) + " }" in text
