"""Checks inside the real extension host (host/index.js), one test for each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.e2e.conftest import Home, unpack_sample
from tests.e2e.vscode.conftest import SECONDS, start_server, stop_server

HOST = Path(__file__).with_name("host")
LIMIT_S = 600

CHECKS = re.findall(r'^  async "([^"]+)"\(', (HOST / "index.js").read_text(), re.M)


@pytest.fixture(scope="module")
def outcomes(home: Home, browser: Browser) -> Iterator[dict[str, str]]:
    """Run all checks in one window and return what became of each."""
    out = home.folder / "outcomes.json"
    second = home.folder / "code" / "second"
    second.mkdir(parents=True)
    (second / "ledger.py").write_text("def quokka_ledger(pages):\n    return pages\n")
    project = unpack_sample(home.folder / "code")
    variables = {"SURVEYOR_E2E_OUT": str(out), "SURVEYOR_E2E_SECOND": str(second)}
    home = replace(home, environment=home.environment | variables)
    server = start_server(home, runs_tests=True)
    try:
        host = server.address.removeprefix("http://")
        payload = [
            ["extensionDevelopmentPath", f"vscode-remote://{host}{HOST}"],
            ["extensionTestsPath", f"vscode-remote://{host}{HOST}/index"],
        ]
        page = browser.new_page()
        address = server.address_of(project, payload=payload)
        page.goto(address, wait_until="commit", timeout=120 * SECONDS)
        for _ in range(LIMIT_S * 2):
            if out.exists():
                break
            page.wait_for_timeout(SECONDS / 2)
        part = out if out.exists() else out.with_name(out.name + ".part")
        log = server.log()
        page.close()
        found: dict[str, str] = json.loads(part.read_text()) if part.exists() else {}
        yield {name: found.get(name, f"was not reached\n{log}") for name in CHECKS}
    finally:
        stop_server(server)


@pytest.mark.timeout(LIMIT_S + 90)
@pytest.mark.parametrize("check", CHECKS)
def test_in_the_extension_host(outcomes: dict[str, str], check: str) -> None:
    assert outcomes[check] == "ok", outcomes[check]
