"""The wheel, installed, in an empty home and without any network: index, search, all modes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import surveyor

ROOT = Path(__file__).parents[1]

CODE = {
    "sessions.py": (
        "import hmac\n\n\n"
        "def sign_cookie(value: bytes, key: bytes) -> bytes:\n"
        '    """Sign a session cookie so that a client cannot forge it."""\n'
        "    return hmac.new(key, value, 'sha256').digest()\n"
    ),
    "server/router.go": (
        "package server\n\n// Route finds the handler for a request path.\n"
        "func Route(path string) Handler {\n\treturn routes[path]\n}\n"
    ),
    "README.md": "# Demo\n\nA small service.\n",
}


def build_wheel(folder: Path) -> Path:
    """The wheel of this tree."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(folder), str(ROOT)],
        check=True,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


class Installed:
    """The command as installed from the wheel, cut off from the network and from any home."""

    def __init__(self, packages: Path, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(packages),
            "LANG": "C.UTF-8",
        }
        # As root a namespace of its own needs no mapping; others need one to be allowed it.
        self.alone = ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "-r", "--net"]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.alone, sys.executable, *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def surveyor(self, *arguments: str) -> str:
        done = self.run("-m", "surveyor", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Iterator[Installed]:
    if shutil.which("unshare") is None:
        pytest.skip("unshare (util-linux) is what takes the network away")
    packages = tmp_path / "packages"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--target", str(packages), str(wheel)],
        check=True,
    )  # fmt: skip
    command = Installed(packages, tmp_path)
    yield command
    command.run("-m", "surveyor", "engine", "stop")


def test_the_wheel_carries_the_model(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "/embedding/model/" in name]
    held = {name.rpartition("/")[2] for name in names}
    assert {"model.onnx", "tokenizer.json", "config.json", "MODEL_CARD.md"} <= held


KINDS = {
    ".py", ".typed", ".scm", ".toml", ".json", ".md", ".onnx", ".txt", ".sql", ".mdc", ".js",
}  # fmt: skip
"""Endings of what the package is made of."""
MAX_WHEEL_BYTES = 12 << 20
SHARED = {
    "man/man1/surveyor.1",
    "bash-completion/completions/surveyor",
    "zsh/site-functions/_surveyor",
    "fish/vendor_completions.d/surveyor.fish",
}
"""What lies beside the package, where the system's programs look for it."""
SOURCES = {
    "server", "clients", "docs", "packaging", "pyproject.toml", "README.md", "LICENSE",
    "CHANGELOG.md", ".gitignore", "PKG-INFO",
}  # fmt: skip
"""What the source distribution consists of: nothing but what the wheel is made from."""


def test_the_wheel_has_what_it_needs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    shared = {name for name in names if not name.startswith("surveyor/")}
    assert shared == {f"surveyor-{surveyor.__version__}.data/data/share/{name}" for name in SHARED}
    strange = [name for name in {*names} - shared if Path(name).suffix not in KINDS]
    assert strange == []
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
    tracked = subprocess.run(
        ["git", "ls-files", "server/surveyor", "clients/agents"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    wanted = {
        name.replace("clients/agents", "surveyor/agent_plugins", 1).removeprefix("server/")
        for name in tracked
        if (ROOT / name).exists()
    }
    assert wanted <= set(names)
    assert wheel.stat().st_size < MAX_WHEEL_BYTES


def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_sdist; print(build_sdist(sys.argv[1]))"
    name = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    source = tmp_path / name
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(tmp_path), str(source)],
        check=True,
    )  # fmt: skip
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in names} == SOURCES
    assert {name for name in names if name.startswith("docs/")} == {"docs/surveyor.1"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(tmp_path / wheel.name) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())
    assert source.stat().st_size < MAX_WHEEL_BYTES


def test_there_is_no_network(installed: Installed) -> None:
    done = installed.run(
        "-c", "import socket; socket.create_connection(('192.0.2.1', 80), timeout=2)"
    )
    assert done.returncode != 0
    assert "unreachable" in done.stderr


def test_index_and_search_in_all_modes(installed: Installed) -> None:
    where = installed.run("-c", "import surveyor; print(surveyor.__file__)").stdout
    assert where.startswith(str(installed.folder / "packages"))
    project = installed.folder / "project"
    for name, text in CODE.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    report = json.loads(installed.surveyor("index", str(project), "--json"))
    assert not report["errors"]
    (indexed,) = json.loads(installed.surveyor("status", str(project), "--json"))["projects"]
    assert indexed["files"] == len(CODE)
    for mode, query, path in [
        ("hybrid", "where are session cookies signed", "sessions.py"),
        ("semantic", "protect the session against forging", "sessions.py"),
        ("semantic", "which function handles a URL", "server/router.go"),
        ("keyword", "sign_cookie", "sessions.py"),
    ]:
        found = json.loads(
            installed.surveyor("search", query, "--mode", mode, "--project", str(project), "--json")
        )
        assert found["results"][0]["path"] == path, (mode, query)
    assert not list(installed.home.rglob("*huggingface*"))
