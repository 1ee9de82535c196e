"""An engine with agents goes without what the SDK imports for its clients."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LOOK = """
import sys
from surveyor.engine.agents.service import SERVING, SERVING_HTTP, with_sdk

with_sdk(SERVING), with_sdk(SERVING_HTTP)
unused = {"mcp.client", "mcp.server.mcpserver", "httpx2", "cryptography"} & sys.modules.keys()
assert not unused, unused

# Whoever asks the packages for what is theirs has it.
from mcp.server import MCPServer
from mcp import ClientSession
import mcp.client.session, mcp.server.mcpserver, mcp.server.lowlevel.server as used

assert MCPServer is mcp.server.mcpserver.MCPServer and ClientSession is mcp.ClientSession
assert mcp.server.Server is used.Server is sys.modules[SERVING].Server
"""

ENTER = """
import sys
from surveyor.engine.agents.lazy_packages import enter

enter("wrapped"), enter("wrapped.inner"), enter("wrapped"), enter("wrapped.nowhere")
import wrapped.inner.part
assert wrapped.inner.part.ran == "part" and "said" not in vars(wrapped)
assert not hasattr(wrapped, "__wrapped__") and wrapped.__file__
assert wrapped.said == "outer" and wrapped.inner.said == "inner"
assert not hasattr(wrapped, "nothing")
enter("wrapped")
assert wrapped.said == "outer"
"""


def run(code: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def test_an_agents_engine_does_not_import_the_sdks_clients(tmp_path: Path) -> None:
    run(LOOK, tmp_path)


def test_a_package_runs_when_something_of_its_own_is_asked_for(tmp_path: Path) -> None:
    inner = tmp_path / "wrapped" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "wrapped" / "__init__.py").write_text("said = 'outer'\n")
    (inner / "__init__.py").write_text("said = 'inner'\n")
    (inner / "part.py").write_text("ran = 'part'\n")
    run(ENTER, tmp_path)
