"""Paths that an agent might be talked into naming, and a world with something to steal in it."""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.gitrepo import git, repository
from tests.mcp.conftest import environment

CANARY = "canary-7f3a91c2e5"
"""Stands in everything that no agent may read."""
SYSTEM_TEXT = "root:x:0"
"""How `/etc/passwd` begins."""

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


@dataclass(frozen=True)
class Prey:
    """A project, and what lies around it."""

    base: Path
    root: Path
    environment: dict[str, str]

    @property
    def outside(self) -> Path:
        return self.base / "outside"


def make_prey(base: Path, **more: str) -> Prey:
    """A registered project with links that lead out, secrets, and neighbours."""
    text = f"def stolen():\n    return '{CANARY}'\n"
    root = repository(
        base / "project",
        {
            "auth.py": "def sign_cookie(value):\n    return value\n",
            "lib/deep.py": "def deep():\n    return 1\n",
            ".gitignore": "ignored.py\nlink-*\n",
        },
    )
    secrets = {".env": f"TOKEN={CANARY}\n", "id_rsa": f"{CANARY}\n", "ignored.py": text}
    for name, content in secrets.items():
        (root / name).write_text(content)
    git(root, "add", "-f", ".env")
    git(root, "commit", "-q", "-m", "Add settings")
    (root / ".git" / "description").write_text(CANARY)
    for folder in (base / "outside", base / "project-evil", base / "outside" / "inner"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "canary.py").write_text(text)
        (folder / "canary.md").write_text(f"# {CANARY}\n\n{CANARY}\n")
    keys = base / "home" / ".ssh"
    keys.mkdir(parents=True)
    (keys / "id_rsa").write_text(CANARY)
    for name, target in (
        ("link-out", base / "outside"),
        ("link-file.py", base / "outside" / "canary.py"),
        ("link-env.py", root / ".env"),
        ("link-etc", Path("/etc")),
        ("link-loop", root / "link-loop"),
        ("lib/link-up", base),
    ):
        (root / name).symlink_to(target)
    return Prey(root=root, base=base, environment=environment(base, **more))


def file_payloads(prey: Prey) -> list[str]:
    """Names of files outside, or inside and not for reading."""
    base, root = prey.base, prey.root
    outside = [
        f"{base}/outside/canary.py",
        "../outside/canary.py",
        "lib/../../outside/canary.py",
        "./.././outside/./canary.py",
        "auth.py/../../outside/canary.py",
        "link-out/canary.py",
        "link-file.py",
        "lib/link-up/outside/canary.py",
        f"{root}/../outside/canary.py",
        f"{root}-evil/canary.py",
        "../project-evil/canary.py",
        f"/proc/self/root{base}/outside/canary.py",
        f"//{str(base).lstrip('/')}/outside/canary.py",
        f"file://{base}/outside/canary.py",
        "..\\outside\\canary.py",
        "%2e%2e/outside/canary.py",
        "..%2foutside%2fcanary.py",
        "..;/outside/canary.py",
        "....//outside/canary.py",
        "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/outside/canary.py",
    ]
    system = [
        "/etc/passwd",
        "//etc/passwd",
        "/etc/../etc/passwd",
        "link-etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "/proc/self/cwd/etc/passwd",
        "/dev/stdin",
        "/ETC/passwd",
        "../" * 20 + "etc/passwd",
    ]
    within = [
        ".env",
        "./.env",
        "lib/../.env",
        "link-env.py",
        "id_rsa",
        "ignored.py",
        ".git/description",
        f"{root}/.env",
        "~/.ssh/id_rsa",
        f"{base}/home/.ssh/id_rsa",
        f"{base}/data/state.db",
        "../data/run/engine.json",
    ]
    broken = ["auth.py\0/../../outside/canary.py", "\0", "link-loop", "~nobody-here/x", "a" * 5000]
    broken += ["auth.py\0.md", "../outside/canary.py/", "lib/link-up"]
    return [*outside, *system, *within, *broken]


def folder_payloads(prey: Prey) -> list[str]:
    """Names of folders that no agent registers by itself."""
    base, root = prey.base, prey.root
    return [
        f"{base}/outside",
        "../outside",
        f"{root}/../outside",
        f"{root}/link-out",
        f"{root}/lib/link-up/outside",
        f"{root}/link-out/inner/",
        f"{root}-evil",
        f"{root}/../project-evil/.",
        f"/proc/self/root{base}/outside",
        f"//{str(base).lstrip('/')}/outside",
        "/etc",
        "/etc/",
        "//etc",
        "/etc/.",
        "/usr/../etc",
        f"{root}/link-etc",
        "/proc/self/root/etc",
        "/proc/1/root/etc",
        "/proc/self/cwd",
        "/proc",
        "/sys",
        "/dev",
        "/var/log",
        "/usr/lib",
        "/",
        "//",
        "/..",
        "/tmp",
        "/tmp/",
        "/var/tmp",
        tempfile.gettempdir(),
        str(base),
        f"{base}/home",
        f"{base}/home/.ssh",
        f"{base}/data",
        f"{base}/data/logs",
        "~",
        "~/.ssh",
        "~root",
        "~nobody-here",
        "file:///etc",
        "/ETC",
        "/etc\0",
        "\0",
        f"{root}/link-loop",
        "/" + "a" * 5000,
        f"{base}/outside\n",
        f"{root}/../../{base.name}/outside",
    ]


def file_calls(path: str) -> list[Call]:
    """Every tool that takes the name of a file."""
    lines = {"start_line": 1, "end_line": 2}
    anchor = {"action": "add", "label": "a-rule", "content": "Keep.", "scope": "project"}
    return [
        ("retrieve", {"path": path}),
        ("retrieve", {"path": path, **lines}),
        ("retrieve", {"metadata": {"file_path": [path]}}),
        ("symbol", {"action": "outline", "path": path}),
        ("symbol", {"path": path, "line": 1, "column": 5}),
        ("symbol", {"action": "hover", "path": path, "line": 1}),
        ("symbol", {"name": f"{path}:stolen"}),
        ("impact", {"target": path}),
        ("impact", {"path": path, "line": 1}),
        ("impact", {"diff": f"HEAD:{path}"}),
        ("history", {"path": path, **lines, "diffs": True}),
        ("history", {"path": path}),
        ("history", {"symbol": path, "diffs": True}),
        ("memory", {**anchor, "anchor": path}),
        ("search", {"query": "stolen", "path": [path], "in": "all"}),
    ]


def folder_calls(folder: str) -> list[Call]:
    """Every tool that takes the name of a folder, or of a project."""
    named = {"project": folder}
    rule = {"action": "add", "label": "a-rule", "content": "Keep.", "scope": "project"}
    return [
        ("index", {"action": "index", "path": folder, "wait": True}),
        ("index", {"action": "reindex", "path": folder}),
        ("index", {"action": "index", **named}),
        ("index", {"action": "status", "path": folder}),
        ("index", {"action": "clear", "confirm": True, "path": folder}),
        ("retrieve", {"path": "canary.py", **named}),
        ("retrieve", {"path": "passwd", **named}),
        ("retrieve", {"metadata": {"language": "python"}, **named}),
        ("search", {"query": "stolen", "in": "all", **named}),
        ("symbol", {"name": "stolen", **named}),
        ("impact", {"target": "stolen", **named}),
        ("history", {"query": "", **named}),
        ("map", named),
        ("memory", {**rule, **named}),
        ("memory", {"action": "list", **named}),
    ]


def uris(path: str) -> list[str]:
    """Addresses of the resource that is a file."""
    raw = path.encode("utf-8", "surrogatepass")
    return [f"surveyor://file/{quote(raw)}", f"surveyor://file/{quote(raw, safe='')}"]


def drawn(calls: list[Call], number: int, seed: int) -> list[Call]:
    """So many of the calls, the same ones in every run."""
    return random.Random(seed).sample(calls, min(number, len(calls)))
