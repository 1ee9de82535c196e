"""What is asked of the engine about masked secrets, and what it answers."""

from __future__ import annotations

from typing import Any, ClassVar

from surveyor.protocol.base import Model, Request


class MaskedSecret(Model, kw_only=True):
    """A secret that is masked, or allowed: where it stands, and never what it is."""

    path: str
    line: int
    rule: str
    """What told it: a format's name, or `named` for what stands under a name."""
    fingerprint: str
    allowed: bool = False


class SecretsResponse(Model, kw_only=True):
    """What is masked in a project's files."""

    root: str
    secrets: list[MaskedSecret] = []
    allowed_fingerprints: list[str] = []
    allowed_paths: list[str] = []
    more: int = 0
    """How many were left out of `secrets`."""


class SecretsRequest(Request[SecretsResponse], kw_only=True):
    """What is masked in the indexed files of a project."""

    operation: ClassVar[str] = "secrets"
    answer: ClassVar[type[Any]] = SecretsResponse

    cwd: str | None = None
    project: str | None = None
    limit: int = 1000


class SecretsAllowedResponse(Model, kw_only=True):
    """What was allowed or not any more, and how many files are read again for it."""

    message: str
    files: int = 0


class AllowSecretRequest(Request[SecretsAllowedResponse], kw_only=True):
    """Leave a value, or the files of a pattern, as they are."""

    operation: ClassVar[str] = "secrets_allow"
    answer: ClassVar[type[Any]] = SecretsAllowedResponse

    fingerprint: str | None = None
    path: str | None = None


class DisallowSecretRequest(Request[SecretsAllowedResponse], kw_only=True):
    """Mask again what was allowed."""

    operation: ClassVar[str] = "secrets_disallow"
    answer: ClassVar[type[Any]] = SecretsAllowedResponse

    fingerprint: str | None = None
    path: str | None = None
