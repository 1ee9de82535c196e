"""What the settings say to a window, kept as they were read in full for the next one.

Reading them takes pydantic: an eighth of a second and 12 MB of memory, in every window. As long as
no file and no variable that they come from has changed, what was read before is what they say.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__, paths
from surveyor.files.writing import PRIVATE, replace_text
from surveyor.servers import messages
from surveyor.servers.config import ServerSettings, server_settings

FILE = "window-settings.json"
"""In the data folder."""

DEFAULTS = Path(__file__).parents[1] / "config" / "settings.py"
"""Where the settings that nobody makes are written."""

PREFIX = "SURVEYOR_"

log = logging.getLogger(__name__)


class WindowSettings(msgspec.Struct, frozen=True):
    """What a window needs of the settings."""

    servers: ServerSettings
    lsp: dict[str, Any]
    """As the editor's own settings are written (`settings.read`)."""


class StoredSettings(msgspec.Struct):
    """The file's content."""

    sources: str
    settings: WindowSettings


def read() -> WindowSettings:
    """The settings now. Never raises for what the files say."""
    file, sources = paths.data_dir() / FILE, sources_now()
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=StoredSettings)
        if kept.sources == sources:
            return kept.settings
    except (OSError, msgspec.DecodeError):
        pass  # the first window, or one of another version
    return _read_in_full(file, sources)


def _read_in_full(file: Path, sources: str) -> WindowSettings:
    from surveyor.config import load  # with pydantic: most windows go without

    loaded = load()
    settings = loaded.settings
    found = WindowSettings(
        server_settings(settings),
        {
            **settings.lsp.model_dump(exclude_unset=True),
            "auto_index": settings.indexing.auto_index,
            "proxy": settings.proxy.model_dump(),
            **({} if settings.trust.editors else {"trusted": False}),
        },
    )
    if loaded.due is None and file.parent.is_dir():
        try:
            body = messages.encode(StoredSettings(sources, found)).decode()
            replace_text(file, body, PRIVATE)
        except (OSError, TypeError, ValueError) as error:
            log.info("the settings of windows are not kept: %s", error)
    return found


def sources_now() -> str:
    """Equal as long as all that settings come from is as it was."""
    files = (paths.config_file(), paths.last_good_file(), DEFAULTS)
    variables = {k: v for k, v in os.environ.items() if k.upper().startswith(PREFIX)}
    parts = [__version__, [_stamp(file) for file in files], sorted(variables.items())]
    return hashlib.sha256(messages.encode(parts)).hexdigest()


def _stamp(file: Path) -> list[Any]:
    try:
        found = file.stat()
    except OSError:
        return [str(file)]
    return [str(file), found.st_mtime_ns, found.st_size, found.st_ino]
