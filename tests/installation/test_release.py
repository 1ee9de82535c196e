"""What `scripts/release.py` checks, without building: one version, whose name it is, the sums."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from surveyor.installation.origin import DISTRIBUTION
from tests.installation.scripts import load

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return load("release")


@pytest.fixture(scope="module")
def names() -> ModuleType:
    return load("names")


def test_the_distributions_name_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION


def test_another_version_in_one_file_ends_the_release(
    release: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    version, name = release.version_and_name()
    assert name == DISTRIBUTION
    identity = load("identity")
    for file in {identity.SOURCE, *(place.file for place in identity.PLACES)}:
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / file).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert release.version_and_name() == (version, name)
    (tmp_path / "server.json").write_text(json.dumps({"version": "9.9.9"}))
    with pytest.raises(SystemExit, match=r"server.json: 9\.9\.9"):
        release.version_and_name()
    (tmp_path / "server.json").write_text((ROOT / "server.json").read_text("utf-8"), "utf-8")
    (tmp_path / identity.SOURCE).write_text('repository = ""\ndistribution = "other"\n')
    with pytest.raises(SystemExit, match=r"identity.py would change"):
        release.version_and_name()


@pytest.mark.parametrize(
    ("code", "out", "err", "said"),
    [
        (
            0,
            "surveyor (4.0)\nAvailable versions: 4.0, 3.0\n",
            "",
            "is TAKEN, with 4.0, 3.0 (not this version)",
        ),
        (0, "surveyor (0.1.0)\nAvailable versions: 0.1.0\n", "", "this version is among them"),
        (1, "", "ERROR: No matching distribution found for surveyor", "free"),
        (1, "", "Connection refused\nERROR: No matching distribution found", "could not be asked"),
        (2, "", 'unknown command "index"', "could not be asked"),
    ],
)
def test_it_says_whose_the_name_is(
    names: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, out: str, err: str, said: str
) -> None:
    done = subprocess.CompletedProcess([], code, out, err)
    monkeypatch.setattr(names, "_ask", lambda *_: done)
    assert said in names.on_pypi("surveyor", "0.1.0")


@pytest.mark.parametrize(
    ("code", "out", "err", "said"),
    [
        (0, '{"name": "surveyor", "version": "2.0.1"}', "", "is TAKEN, at 2.0.1"),
        (1, '{"error": {"code": "E404"}}', "npm error code E404", "is free"),
        (1, "", "npm error code ENOTFOUND", "could not be asked"),
    ],
)
def test_it_says_what_npm_has(
    names: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, out: str, err: str, said: str
) -> None:
    monkeypatch.setattr(names, "_ask", lambda *_: subprocess.CompletedProcess([], code, out, err))
    assert said in names.on_npm("surveyor")


def test_a_client_that_is_not_there_has_said_nothing(
    names: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "could not be asked" in names.on_npm("surveyor")


def test_sums_are_those_that_sha256sum_checks(release: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"abc")
    (tmp_path / "SHA256SUMS").write_text("of before")
    assert release.write_sums(tmp_path).read_text() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.whl\n"
    )
