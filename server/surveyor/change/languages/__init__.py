"""The readers of calls, by the families of languages whose calls are compared with definitions."""

from __future__ import annotations

from surveyor.change.languages import (
    c,
    csharp,
    ecmascript,
    go,
    java,
    kotlin,
    php,
    python,
    ruby,
    rust,
    scala,
    swift,
)
from surveyor.change.languages.reader import CallReader

__all__ = ["OVERLOAD_READERS", "READERS"]

READERS: dict[str, CallReader] = {
    "python": python.READER,
    "javascript": ecmascript.READER,
    "typescript": ecmascript.READER,
    "go": go.READER,
    "rust": rust.READER,
    "java": java.READER,
    "c": c.READER,
    "cpp": c.CPP_READER,
    "csharp": csharp.READER,
    "php": php.READER,
    "ruby": ruby.READER,
    "kotlin": kotlin.READER,
}
"""By `Language.family`."""

OVERLOAD_READERS: dict[str, CallReader] = READERS | {
    "swift": swift.READER,
    "scala": scala.READER,
}
"""The same with those of languages whose overloads are told apart, and nothing else."""
