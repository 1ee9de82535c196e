"""What `scripts/release.py` checks, without building: one version, whose name it is, the sums."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from surveyor.installation.origin import DISTRIBUTION

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "scripts" / "release.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_distributions_name_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION


def test_another_version_in_one_file_ends_the_release(
    release: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    version, name = release.version_and_name()
    assert name == DISTRIBUTION
    for file in (
        "pyproject.toml",
        "server.json",
        "clients/vscode/package.json",
        "clients/agents/claude-code/.claude-plugin/plugin.json",
    ):
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / file).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.version_and_name() == (version, name)
    (tmp_path / "server.json").write_text(json.dumps({"version": "9.9.9"}))
    with pytest.raises(SystemExit, match=r"server.json: 9\.9\.9"):
        release.version_and_name()


@pytest.mark.parametrize(
    ("code", "out", "err", "said"),
    [
        (0, '{"versions": ["4.0", "3.0"]}', "", "TAKEN, with 4.0, 3.0 (not this version)"),
        (0, '{"versions": ["0.1.0"]}', "", "this version is among them"),
        (1, "", "ERROR: No matching distribution found for surveyor", "free"),
        (1, "", "Connection refused\nERROR: No matching distribution found", "could not be asked"),
        (2, "", "no such option: --json", "could not be asked"),
    ],
)
def test_it_says_whose_the_name_is(
    release: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, out: str, err: str, said: str
) -> None:
    done = subprocess.CompletedProcess([], code, out, err)
    monkeypatch.setattr(release, "run", lambda *_, **__: done)
    assert said in release.name_on_the_index("surveyor", "0.1.0")


def test_sums_are_those_that_sha256sum_checks(release: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"abc")
    (tmp_path / "SHA256SUMS").write_text("of before")
    assert release.write_sums(tmp_path).read_text() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.whl\n"
    )
