"""Variables that hold credentials, by their names and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping

from surveyor.secrets.masking import find_all

__all__ = ["without_credentials"]

_NAMES = re.compile(
    r"(?:^|_)(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH"
    r"|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|MASTER)_?KEYS?)(?:_|$)",
    re.IGNORECASE,
)


def without_credentials(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that hold none, as far as can be seen."""
    return {
        name: value
        for name, value in environment.items()
        if not _NAMES.search(name)
        and not find_all(f"{name}={value}\n".encode("utf-8", "surrogateescape"), ".env")
    }
