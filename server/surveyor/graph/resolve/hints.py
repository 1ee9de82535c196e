"""What people and running programs say about imports that reading cannot tell.

`surveyor.import_map.json` at the root of a project:

    {"targets": {"plugins.*": "src/plugins/*.py", "#db": "lib/db/index.ts"},
     "expand": {"import(`./pages/${name}`)": ["src/pages/*.tsx"]}}

`targets` says which file a module name means (`*` matches any text and is put into the target);
`expand` says which files an import that cannot be computed may load. A key may be limited to one
importing file with `path: key`. `import_traces.jsonl` has one object a line with the importing
file (`source`) and what it loaded (`target`), as recorded from a running program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from surveyor.files.globs import LinearRegex, PatternError, check, shell
from surveyor.files.structured import parse_json
from surveyor.graph.languages.csharp.projects import is_project_file

__all__ = ["IMPORT_MAP", "IMPORT_TRACES", "Hints", "decides_imports"]

IMPORT_MAP = "surveyor.import_map.json"
IMPORT_TRACES = "import_traces.jsonl"
_MANIFESTS = frozenset(
    {
        IMPORT_MAP,
        IMPORT_TRACES,
        "package.json",
        "jsconfig.json",
        "go.mod",
        "Cargo.toml",
        "pubspec.yaml",
        "Package.swift",
        "build.zig",
        "foundry.toml",
        "remappings.txt",
    }
)
MAX_EXPANSION = 500
"""Files that one import may expand to."""
MAX_PROBLEMS = 50
"""Problems that are listed."""
MAX_STARS = 3
"""Stars in a key: one more makes each try take a hundred times as long."""


@dataclass(slots=True)
class Hints:
    """What the two files of graph hints say, and what is wrong in them."""

    targets: dict[str, list[str]] = field(default_factory=dict)
    expand: dict[str, list[str]] = field(default_factory=dict)
    traces: dict[str, list[str]] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    problems: list[str] = field(default_factory=list)

    @classmethod
    def none(cls) -> Hints:
        """No hints."""
        return cls()

    @classmethod
    def read(cls, import_map: str | None, traces: str | None, paths: Iterable[str]) -> Hints:
        """From the texts of the two files; what is wrong in them is in `problems`."""
        hints = cls(paths=tuple(sorted(paths)))
        if import_map:
            try:
                data = parse_json(import_map)
                if not isinstance(data, dict):
                    raise ValueError("it is not an object")
                hints.targets = _lists(data.get("targets"))
                hints.expand = _lists(data.get("expand"))
                hints._drop_unreadable()
            except (ValueError, RecursionError) as error:
                hints.problems.append(f"{IMPORT_MAP}: not used: {error}")
        known = set(hints.paths)
        for number, line in enumerate((traces or "").splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = parse_json(line)
                source = str(entry.get("source") or entry.get("from"))
                target = str(entry.get("target") or entry.get("to"))
            except (ValueError, AttributeError):
                if len(hints.problems) < MAX_PROBLEMS:
                    hints.problems.append(
                        f"{IMPORT_TRACES}:{number}: not an object with source, target"
                    )
                continue
            if target in known and source in known:
                hints.traces.setdefault(source, []).append(target)
        return hints

    def _drop_unreadable(self) -> None:
        """Leave out entries with a pattern that is none."""
        for entries in (self.targets, self.expand):
            for key, globs in list(entries.items()):
                try:
                    check(key)
                    _with_text(key)
                    for glob in [key, *globs] if entries is self.expand else []:
                        shell(glob)
                except PatternError as error:
                    self.problems.append(f"{IMPORT_MAP}: {key[:80]!r} is not used: {error}")
                    del entries[key]

    def mapped(self, path: str, module: str) -> list[str]:
        """Files that the map says a module name means in a file; empty when it says nothing."""
        for key, targets in self.targets.items():
            pattern = _for_file(key, path)
            if pattern is None or pattern.count("*") > MAX_STARS:
                continue
            match = _with_text(pattern).fullmatch(module)
            if match is None:
                continue
            text = match[1].decode("utf-8", "replace") if match.groups() else ""
            filled = [target.replace("*", text.replace(".", "/"), 1) for target in targets]
            return [target for target in filled if target in self.paths]
        return []

    def expanded(self, path: str, source: str) -> list[str]:
        """Files that an import which cannot be computed may load, in sorted order."""
        for key, globs in self.expand.items():
            pattern = _for_file(key, path)
            if pattern is not None and (pattern == source or shell(pattern).fullmatch(source)):
                return [
                    file
                    for file in self.paths
                    if any(shell(glob).fullmatch(file) for glob in globs) and file != path
                ][:MAX_EXPANSION]
        return []

    def traced(self, path: str) -> list[str]:
        """Files that a recorded run loaded from this one."""
        return list(dict.fromkeys(self.traces.get(path, ())))


def decides_imports(path: str) -> bool:
    """Whether a file says what the imports of other files mean."""
    name = path.rpartition("/")[2]
    if name.startswith("tsconfig") and name.endswith(".json"):
        return True
    return name in _MANIFESTS or is_project_file(name)


@lru_cache(maxsize=512)
def _with_text(pattern: str) -> LinearRegex:
    """Matches a name as a whole; what each `*` stands for is a group."""
    return LinearRegex(re.escape(pattern).replace(r"\*", "(.*)"))


def _for_file(key: str, path: str) -> str | None:
    """The pattern of a key, unless the key is for another file."""
    file, separator, pattern = key.partition(": ")
    if not separator:
        return key
    return pattern if file == path else None


def _lists(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, Mapping):
        return {}
    return {
        str(key): [entry] if isinstance(entry, str) else [str(item) for item in entry]
        for key, entry in value.items()
        if isinstance(entry, str | list)
    }
