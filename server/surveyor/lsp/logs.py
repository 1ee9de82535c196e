"""Where `surveyor lsp` logs."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from surveyor import paths

LOG_BYTES = 2 * 1024 * 1024
"""Size at which the log file is rotated; one old file is kept."""

FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def log_to_file(level: str, file: Path) -> None:
    """Log to a rotating file; one that cannot be written stops nothing."""
    root = logging.getLogger()
    root.setLevel(getattr(logging, level.upper(), logging.INFO))
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            file, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8"
        )
    except OSError:
        return
    handler.setFormatter(logging.Formatter(FORMAT))
    root.addHandler(handler)


def default_log_file() -> Path:
    """Where it logs unless it is told another place."""
    return paths.data_dir() / "logs" / "lsp.log"
