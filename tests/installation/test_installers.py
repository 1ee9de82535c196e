"""One command each: uvx, uv tool, pipx and pip, from a folder of packages and nowhere else.

The folder is filled once from the package index, which takes minutes where nothing is cached; then
every tool gets a home of its own, and is told to use the folder alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import surveyor
from tests.test_wheel import build_wheel

pytestmark = pytest.mark.slow

FETCH_S = 600
"""All that Surveyor needs is some 150 MB."""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and all that it needs."""
    folder = tmp_path_factory.mktemp("packages")
    wheel = build_wheel(folder)
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"]
    done = subprocess.run(
        [*fetch, "--dest", str(folder), str(wheel), "pip"],  # pipx brings its own up to date
        capture_output=True, text=True, check=False, timeout=FETCH_S,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"the package index does not answer: {done.stderr.strip()[-200:]}")
    return folder


class User:
    """An empty home, and one tool at a time."""

    def __init__(self, home: Path, packages: Path) -> None:
        self.home = home
        home.mkdir()
        self.environment = {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(packages),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": str(packages),
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_PYTHON": sys.executable,
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "PIPX_DEFAULT_BACKEND": "pip",  # whose variables these are
        }

    def run(self, *command: str | Path) -> str:
        done = subprocess.run(
            [str(each) for each in command],
            env=self.environment, cwd=self.home, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def finds(self, *command: str | Path) -> None:
        """The installed command indexes a folder and answers from it."""
        project = self.home / "project"
        project.mkdir()
        (project / "cookie.py").write_text('def sign(key):\n    """Sign a session cookie."""\n')
        assert surveyor.__version__ in self.run(*command, "--version")
        self.run(*command, "index", project)
        assert "cookie.py" in self.run(*command, "search", "sign a cookie", "--project", project)


@pytest.fixture
def user(tmp_path: Path, packages: Path) -> Iterator[User]:
    made = User(tmp_path / "home", packages)
    yield made
    stop = [sys.executable, "-m", "surveyor", "engine", "stop"]
    subprocess.run(stop, env=made.environment, capture_output=True, timeout=60, check=False)


def tool(name: str) -> str:
    """The program, from the PATH or from beside the interpreter."""
    beside = Path(sys.executable).with_name(name)
    found = shutil.which(name) or (str(beside) if beside.exists() else None)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_uvx(user: User) -> None:
    user.finds(tool("uvx"), "--offline", "surveyor")


def test_uv_tool(user: User) -> None:
    user.run(tool("uv"), "tool", "install", "--offline", "surveyor")
    user.finds(user.home / ".local" / "bin" / "surveyor")


def test_pipx(user: User) -> None:
    user.run(tool("pipx"), "install", "surveyor")
    user.finds(user.home / ".local" / "bin" / "surveyor")
    assert (user.home / ".local/share/man/man1/surveyor.1").exists()


def test_pip(user: User) -> None:
    user.run(sys.executable, "-m", "venv", user.home / "env")
    user.run(user.home / "env" / "bin" / "pip", "install", "--quiet", "surveyor")
    user.finds(user.home / "env" / "bin" / "surveyor")
    share = user.home / "env" / "share"
    assert (share / "bash-completion/completions/surveyor").is_file()
    assert (share / "man/man1/surveyor.1").is_file()
