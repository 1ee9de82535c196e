"""What the user has said is no secret: by fingerprint, or by where it stands.

Kept in a file of its own in the data folder, so that workers read it, too. A fingerprint is keyed
with a salt of this installation: nobody can try guesses on it elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import re2

from surveyor.errors import UsageError
from surveyor.platform.open_files import BINARY

__all__ = ["AllowedSecrets", "current", "load", "save", "use"]

FILE = "allowed-secrets.json"
FINGERPRINT_HEX = 16
"""64 bits: enough to tell the secrets of one installation apart."""
MAX_PATTERN_CHARS = 300
MAX_ALLOWED = 1000

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class AllowedSecrets:
    """Fingerprints of values, and patterns of paths (relative to their project) to leave alone."""

    salt: str = ""
    fingerprints: frozenset[str] = field(default_factory=frozenset)
    paths: tuple[str, ...] = ()

    def fingerprint(self, secret: bytes) -> str:
        """What a value is called; never the value."""
        keyed = hmac.new(self.salt.encode(), secret, hashlib.sha256)
        return keyed.hexdigest()[:FINGERPRINT_HEX]

    def covers(self, path: str | None) -> bool:
        """Whether nothing is masked in the file at `path`."""
        if path is None or not self.paths:
            return False
        return any(_compiled(pattern).fullmatch(path.encode()) for pattern in self.paths)

    @property
    def digest(self) -> str:
        """Changes with the content."""
        text = "\0".join((*sorted(self.fingerprints), *self.paths))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def with_(self, fingerprint: str | None, path: str | None) -> AllowedSecrets:
        """With one more. Raises `UsageError` for what is neither."""
        _check(fingerprint, path)
        if len(self.fingerprints) + len(self.paths) >= MAX_ALLOWED:
            raise UsageError(f"{MAX_ALLOWED} are allowed already", "Disallow some first.")
        if fingerprint is not None:
            return AllowedSecrets(self.salt, self.fingerprints | {fingerprint}, self.paths)
        return AllowedSecrets(
            self.salt, self.fingerprints, tuple(dict.fromkeys((*self.paths, path or "")))
        )

    def without(self, fingerprint: str | None, path: str | None) -> AllowedSecrets:
        """With one less. Raises `UsageError` for what was not allowed."""
        _check(fingerprint, path)
        if fingerprint is not None and fingerprint in self.fingerprints:
            return AllowedSecrets(self.salt, self.fingerprints - {fingerprint}, self.paths)
        if path is not None and path in self.paths:
            return AllowedSecrets(
                self.salt, self.fingerprints, tuple(p for p in self.paths if p != path)
            )
        raise UsageError(
            f"{fingerprint or path} is not allowed", "`surveyor secrets list` shows what is."
        )


def _check(fingerprint: str | None, path: str | None) -> None:
    if (fingerprint is None) == (path is None):
        raise UsageError("neither a fingerprint nor a path given, or both", "Give one of them.")
    if fingerprint is not None and not _FINGERPRINT.fullmatch(fingerprint):
        raise UsageError(
            f"{fingerprint!r} is no fingerprint", "`surveyor secrets list` shows them."
        )
    if path is not None and not 0 < len(path) <= MAX_PATTERN_CHARS:
        raise UsageError(f"a path has 1 to {MAX_PATTERN_CHARS} characters")


@lru_cache(maxsize=MAX_ALLOWED)
def _compiled(pattern: str) -> Any:
    """A glob in linear time: `*` within a name, `**` across folders."""
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    spoken = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re2.compile("".join(spoken.get(part, re2.escape(part)) for part in parts).encode())


class _Stored(msgspec.Struct):
    salt: str
    fingerprints: list[str] = []
    paths: list[str] = []


_current = AllowedSecrets()


def current() -> AllowedSecrets:
    """What this process goes by."""
    return _current


def use(allowed: AllowedSecrets) -> None:
    """Go by this from now on, in this process."""
    global _current
    _current = allowed


def load(data_dir: Path) -> AllowedSecrets:
    """What is stored in a data folder; nothing is allowed where it cannot be read."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        stored = msgspec.json.decode((data_dir / FILE).read_bytes(), type=_Stored)
        return AllowedSecrets(stored.salt, frozenset(stored.fingerprints), tuple(stored.paths))
    return AllowedSecrets()


def salted(data_dir: Path) -> AllowedSecrets:
    """The same, with a salt made and stored where there is none yet."""
    known = load(data_dir)
    if known.salt:
        return known
    made = AllowedSecrets(secrets.token_hex(16), known.fingerprints, known.paths)
    with contextlib.suppress(OSError):  # full, or to be read only: fingerprints last for a session
        save(data_dir, made)
    return made


def save(data_dir: Path, allowed: AllowedSecrets) -> None:
    """Store it, for the user alone. Raises `OSError`."""
    stored = _Stored(allowed.salt, sorted(allowed.fingerprints), list(allowed.paths))
    file = data_dir / FILE
    made = file.with_name(f"{FILE}.new")
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(stored), indent=2))
        out.flush()
        os.fsync(out.fileno())
    made.replace(file)
