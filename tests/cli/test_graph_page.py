"""The page of a map: one file, no network, and no name in it that a browser runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from surveyor.cli.graph_page import map_page
from surveyor.protocol.graph import Drawing, DrawnEdge, DrawnNode, MapResponse, MapSymbol

HOSTILE = [
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">.py",
    "<!--<script>",
    "'\"><svg onload=document.title='run'>\u2028\u202e&amp;&lt;",
    "javascript:document.title='run'",
]
"""Names of files and symbols, as a repository can have them."""


def page() -> str:
    """A map whose every name is hostile."""
    nodes = [
        DrawnNode(
            name="",
            path=name,
            line=1,
            kind="file",
            members=[MapSymbol(name=name, kind="function", line=2, rank=1.0, signature=name)],
        )
        for name in HOSTILE
    ]
    edges = [DrawnEdge(source=0, target=number, uses=2) for number in range(1, len(nodes))]
    drawing = Drawing(nodes=nodes, edges=edges, omitted=3)
    answer = MapResponse(
        status="healthy", results=[], text="", tokens=1, files_total=9, symbols_total=9,
        omitted=0, root=f"/src/{HOSTILE[4]}{HOSTILE[1].replace('/', '')}",
    )  # fmt: skip
    return map_page(answer, drawing)


def test_names_are_data_that_no_parser_reads_as_markup() -> None:
    text = page()
    data = re.search(r'<script type="application/json" id="graph">(.*?)</script>', text, re.S)
    assert data and not re.search("[<>&\u2028\u2029]", data[1])
    graph = json.loads(data[1])
    assert [node["name"] for node in graph["nodes"]] == HOSTILE
    assert [node["members"][0]["name"] for node in graph["nodes"]] == HOSTILE
    assert graph["edges"][0] == {"source": 0, "target": 1, "about": "2 uses"}
    assert "5 of 9 files" in graph["note"] and "3 more arrows" in graph["note"]


def test_only_its_own_script_may_run_and_nothing_be_loaded() -> None:
    text = page()
    assert text.lower().count("<script") == 2
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    assert policy[1].startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    assert not re.search(r'(?:src|href)="', text.replace(script, ""))


def test_a_browser_draws_it_and_runs_no_name(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no Chromium is installed here")
    file = tmp_path / "map.html"
    file.write_text(page(), encoding="utf-8")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/b",
         "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--virtual-time-budget=2000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    drawn = done.stdout
    assert drawn.count('<g class="node ') == len(HOSTILE)
    assert drawn.count('class="edge"') == len(HOSTILE) - 1
    title = re.search(r"<title>(.*?)</title>", drawn, re.S)
    assert title and title[1].startswith("Map of ")
    assert "<img" not in drawn and "<svg onload" not in drawn
