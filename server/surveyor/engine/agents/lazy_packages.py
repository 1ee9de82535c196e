"""Packages that are entered without being run.

`import mcp.types` runs `mcp/__init__.py` and `mcp/server/__init__.py` first, which import the SDK's
clients and its web server: a third of what it takes of an engine's memory, and used by nobody here.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from typing import Any

_entering = threading.Lock()


def enter(name: str) -> None:
    """Make a package importable whose `__init__` runs when something of its own is asked for.

    Its modules are imported as ever. Does nothing where it has been imported, or is not there.
    """
    with _entering:
        spec = importlib.util.find_spec(name) if name not in sys.modules else None
        if spec is None or spec.loader is None or not spec.submodule_search_locations:
            return
        module, loader = importlib.util.module_from_spec(spec), spec.loader

        def run(attribute: str) -> Any:
            if attribute.startswith("__"):  # asked of every module by whoever looks at modules
                raise AttributeError(attribute)
            if module.__dict__.pop("__getattr__", None) is not None:
                loader.exec_module(module)
            return getattr(module, attribute)

        module.__dict__["__getattr__"] = run
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
