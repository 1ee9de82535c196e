"""Git's configuration files, read here: git itself would obey them, includes and all."""

from __future__ import annotations

import os
import re
from pathlib import Path

from surveyor.files.safe_read import read_text

Config = dict[tuple[str, str], dict[str, str]]
"""(section, subsection) to its keys; section names and keys are in small letters."""


def read_config(path: Path) -> Config:
    """A git configuration file: (section, subsection) to its keys; the last value wins.

    Section names and keys are lower-cased, as git does. Includes are not followed. A file that
    cannot be read, or is no regular file, is empty.
    """
    sections: Config = {}
    current: dict[str, str] = {}
    try:
        text = read_text(path, encoding="utf-8-sig", errors="surrogateescape")
    except OSError:
        return sections
    for raw in re.sub(r"\\\r?\n", "", text).splitlines():
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        header = re.match(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)', line)
        if header:
            name = re.sub(r"\\(.)", r"\1", header.group(2) or "")
            current = sections.setdefault((header.group(1).lower(), name), {})
            line = header.group(3).strip()
            if not line or line[0] in "#;":
                continue
        key, equals, value = line.partition("=")
        current[key.strip().lower()] = _value(value) if equals else "true"
    return sections


def _value(raw: str) -> str:
    """A value with its quotes, escapes and comment resolved."""
    escapes = {"n": "\n", "t": "\t", "b": "\b"}
    out: list[str] = []
    quoted = False
    characters = iter(raw.strip())
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            out.append(escapes.get(following, following))
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            out.append(character)
    return "".join(out).strip()


def user_config() -> Config:
    """What the user's own configuration files say; nothing of a repository's."""
    home = Path.home()
    chosen = os.environ.get("GIT_CONFIG_GLOBAL")
    files = [Path(chosen)] if chosen else [_config_home() / "config", home / ".gitconfig"]
    merged: Config = {}
    for file in files:
        for section, values in read_config(file).items():
            merged.setdefault(section, {}).update(values)
    return merged


def user_excludes() -> Path:
    """The user's own ignore file: `core.excludesFile`, else git's default place."""
    value = user_config().get(("core", ""), {}).get("excludesfile", "")
    try:
        return Path(value).expanduser() if value else _config_home() / "ignore"
    except RuntimeError:  # the home of a user that there is not
        return _config_home() / "ignore"


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git"


def write_value(section: str, subsection: str, key: str, value: str) -> str:
    """One setting as text for a configuration file, whatever its parts hold."""
    name = f' "{_escaped(subsection)}"' if subsection else ""
    return f'[{section}{name}]\n\t{key} = "{_escaped(value)}"\n'


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("\n", "\\n").replace("\0", "")
