"""A real git repository to ask questions about."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    return root


@pytest.fixture
def git(repository: Path) -> Git:
    """Runs git in the repository as a fixed author, away from the user's configuration."""
    clock = iter(range(1_700_000_000, 1_800_000_000, 3600))

    def run(*arguments: str, author: str = "Ada Lovelace") -> str:
        date = f"{next(clock)} +0000"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(repository.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": f"{author.split()[0].lower()}@example.org",
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": f"{author.split()[0].lower()}@example.org",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        }
        return subprocess.run(
            ["git", *arguments],
            cwd=repository,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    return run


@pytest.fixture
def commit(repository: Path, git: Git) -> Callable[..., str]:
    """Writes files, commits everything and answers the commit's id."""

    def make(message: str, files: dict[str, str], author: str = "Ada Lovelace") -> str:
        for name, text in files.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", message, author=author)
        return git("rev-parse", "HEAD").strip()

    return make
