"""Runs in multilspy's own environment, not in Surveyor's: one JSON line in, one out.

    {"do": "fetch", "language": "java", "folder": "…"}               fetches the server
    {"do": "launch", "language": "java", "folder": "…", "root": "…"} says how to run it

`launch` cannot fetch: it has no sockets and may not run package managers. This file imports
nothing of Surveyor's.
"""

import contextlib
import json
import logging
import os
import shlex
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGE_MANAGERS = ("npm", "npx", "gem", "pip", "go install", "dotnet tool", "mix local")


class NotFetchedError(Exception):
    """Something would have been fetched at launch."""


def create(language: str, folder: str, root: str) -> Any:
    """multilspy's object for a language, which fetches what is missing while it is made."""
    from multilspy.language_server import LanguageServer
    from multilspy.multilspy_config import MultilspyConfig
    from multilspy.multilspy_logger import MultilspyLogger
    from multilspy.multilspy_settings import MultilspySettings

    def inside(*parts: str) -> str:
        path = Path(folder, *parts)
        path.mkdir(parents=True, exist_ok=True)
        return str(path)

    settings: Any = MultilspySettings
    settings.get_language_server_directory = staticmethod(lambda: inside())
    settings.get_server_install_directory = staticmethod(lambda name: inside(name))
    settings.get_global_cache_directory = staticmethod(lambda: inside("cache"))
    logger = MultilspyLogger()
    logger.logger.setLevel(logging.ERROR)
    config = MultilspyConfig.from_dict({"code_language": language})
    return LanguageServer.create(config, logger, root)


def forbid_fetching() -> None:
    """Take away what fetching needs."""
    real_run = subprocess.run

    def run(command: Any, *args: Any, **kwargs: Any) -> Any:
        text = command if isinstance(command, str) else " ".join(map(str, command))
        if any(text.startswith(manager) for manager in PACKAGE_MANAGERS):
            raise NotFetchedError(text)
        return real_run(command, *args, **kwargs)

    class NoSocket(socket.socket):
        def connect(self, address: Any) -> None:
            raise NotFetchedError(f"a connection to {address}")

    subprocess.run = run  # type: ignore[assignment]
    socket.socket = NoSocket  # type: ignore[misc]


def launch(language: str, folder: str, root: str) -> dict[str, Any]:
    """Command, environment and initialization options of a fetched server."""
    forbid_fetching()
    server = create(language, folder, root)
    info = server.server.process_launch_info
    command = info.cmd if isinstance(info.cmd, list) else shlex.split(info.cmd)
    params: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        params = server._get_initialize_params(root)
    return {
        "command": command,
        "env": dict(info.env or {}),
        "initializationOptions": params.get("initializationOptions"),
    }


def main() -> None:
    """Answer the one request on stdin."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # multilspy and what it runs may print; the answer's line stays clean
    request = json.loads(sys.stdin.readline())
    try:
        if request["do"] == "fetch":
            with tempfile.TemporaryDirectory() as root:
                create(request["language"], request["folder"], root)
            result: dict[str, Any] = {}
        else:
            result = launch(request["language"], request["folder"], request["root"])
        answer = {"ok": True, "result": result}
    except NotFetchedError as error:
        text = f"not fetched completely ({error}); run surveyor servers install again"
        answer = {"ok": False, "error": text}
    except BaseException as error:
        answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
    out.write(json.dumps(answer) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
