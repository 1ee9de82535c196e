"""Addresses as they are shown: a setting may hold a password, and no output should."""

from __future__ import annotations

import re

__all__ = ["without_user"]

_USER = re.compile(r"(?<=//)[^/?#]*@|^[^/?#@\s]+:[^/?#@\s]*@")
"""A user and a password in an address, also in one without a scheme."""


def without_user(text: str) -> str:
    """A text with asterisks for what stands before the `@` of an address."""
    return _USER.sub("***@", text)
