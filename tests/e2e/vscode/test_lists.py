"""What the extension's README says is what its package.json has."""

from __future__ import annotations

import json
import re
import zipfile
from typing import Any

from tests.e2e.conftest import REPOSITORY
from tests.e2e.vscode.conftest import EXTENSION, VSIX

MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text())
README = (EXTENSION / "README.md").read_text()
SOURCES = "\n".join(file.read_text() for file in (EXTENSION / "src").rglob("*.ts"))
MOST_BYTES = 500_000


def test_readme_lists_every_command_and_setting() -> None:
    contributes = MANIFEST["contributes"]
    commands = {(c["command"], c["title"]) for c in contributes["commands"]}
    settings = {
        (name, json.dumps(p["default"]))
        for name, p in contributes["configuration"]["properties"].items()
    }
    rows = re.findall(r"^\| `(surveyor\.[\w.]+)` \| `?(.*?)`? \|", README, re.M)
    assert set(rows) == commands | settings


def test_every_command_is_registered_and_no_other() -> None:
    registered = set(re.findall(r'\bcommand\("([\w.]+)"', SOURCES))
    declared = {c["command"].removeprefix("surveyor.") for c in MANIFEST["contributes"]["commands"]}
    assert registered == declared


def test_the_package_is_small() -> None:
    assert VSIX.stat().st_size < MOST_BYTES


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]


def test_the_package_is_called_the_same_everywhere() -> None:
    ours = re.search(r'DISTRIBUTION = "(.+)"', (EXTENSION / "src" / "discovery.ts").read_text())
    origin = REPOSITORY / "server" / "surveyor" / "installation" / "origin.py"
    theirs = re.search(r'^DISTRIBUTION = "(.+)"', origin.read_text(), re.M)
    assert ours and theirs and ours[1] == theirs[1]


def test_the_server_carries_the_page_that_the_extension_has() -> None:
    carried = REPOSITORY / "server" / "surveyor" / "cli" / "pages" / "graph.js"
    assert carried.read_bytes() == (EXTENSION / "dist" / "graphPage.js").read_bytes()


def test_the_package_has_what_it_needs_and_nothing_else() -> None:
    with zipfile.ZipFile(VSIX) as package:
        names = {name.removeprefix("extension/") for name in package.namelist()}
    assert names == {
        "[Content_Types].xml",
        "extension.vsixmanifest",
        *("package.json", "readme.md", "changelog.md", "LICENSE.txt", "TROUBLESHOOTING.md"),
        *("dist/extension.js", "dist/graphPage.js"),
        *("media/icon.png", "media/surveyor.svg"),
        *(f"walkthrough/{step}.md" for step in ("server", "search", "impact", "agent")),
    }
    with zipfile.ZipFile(VSIX) as package:
        manifest = package.read("extension.vsixmanifest").decode()
    assert "TargetPlatform" not in manifest  # one package for every platform
