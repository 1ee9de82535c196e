"""Names of files: which are none, how a URI and a path become each other, how long they may be.

Pure functions of texts, for a platform that is given: all can be tested on any.
"""

from __future__ import annotations

import re
import sys
from urllib.parse import quote

__all__ = ["extended", "is_part", "is_reachable", "path_of_uri", "uri_of"]

DEVICES = re.compile(
    r"(?i)(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])\s*(?:\..*)?\Z"
)
"""Names that are devices in every folder of Windows, whatever their ending."""
FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\\/]|[. ]\Z')
"""What no name has there: a separator, a drive or stream (`:`), or an end that is cut off."""
SHORT_PATH_CHARS = 248
"""Longest path of a folder for which Windows needs no prefix (`MAX_PATH` less room for 8.3)."""
EXTENDED = "\\\\?\\"


def is_part(name: str, platform: str = "") -> bool:
    """Whether a text can be one part of a relative path, so that joining it stays in the folder.

    On Windows `C:`, `..\\x`, `file:stream` and `NUL` lead elsewhere.
    """
    if name in ("", ".", ".."):
        return False
    if (platform or sys.platform) != "win32":
        return "/" not in name and "\0" not in name
    return FORBIDDEN.search(name) is None and DEVICES.match(name) is None


def uri_of(path: str, platform: str = "") -> str:
    """The `file:` URI of an absolute path, encoded as editors do."""
    if (platform or sys.platform) != "win32":
        return "file://" + quote(path, safe="/~@!$&'()*,;=-._:+")
    text = path.removeprefix(EXTENDED).replace("\\", "/")
    if text.startswith("UNC/"):
        text = "//" + text[4:]
    if text.startswith("//"):
        host, _, rest = text[2:].partition("/")
        return f"file://{host}/" + quote(rest, safe="/~@!$&'()*,;=-._+")
    drive, _, rest = text.partition(":")
    return f"file:///{drive.upper()}:" + quote(rest, safe="/~@!$&'()*,;=-._+")


def is_reachable(host: str, platform: str = "") -> bool:
    """Whether a file may be opened by a URI with that host: only Windows has paths of others."""
    return (platform or sys.platform) == "win32" or host.lower() in ("", "localhost")


def path_of_uri(host: str, path: str, platform: str = "") -> str:
    """The path that a URI's host and decoded path name.

    On Windows editors spell drives in either case, and a folder of the network has a host.
    """
    if (platform or sys.platform) != "win32":
        return path
    if host and host.lower() != "localhost":
        return f"\\\\{host}" + path.replace("/", "\\")
    if re.match(r"/[A-Za-z]:", path):
        path = path[1].upper() + path[2:]
    return path.replace("/", "\\")


def extended(path: str, platform: str = "") -> str:
    """A path that the system opens however long it is; the same where it is short enough.

    Windows refuses paths of more than 259 characters without a prefix, which needs an absolute
    path without `.` and `..`.
    """
    if (platform or sys.platform) != "win32" or len(path) < SHORT_PATH_CHARS:
        return path
    text = path.replace("/", "\\")
    if text.startswith(EXTENDED):
        return text
    if text.startswith("\\\\"):
        return f"{EXTENDED}UNC\\{text[2:]}"
    return f"{EXTENDED}{text}" if re.match(r"[A-Za-z]:\\", text) else text
