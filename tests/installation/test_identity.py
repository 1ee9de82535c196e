"""The repository's address and the distribution's name stand in one file, and elsewhere follow."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tests.installation.scripts import ROOT, load

ELSEWHERE = "https://git.example.org/maps/land-surveyor"
NAME = "surveyor"
ADDRESS = re.compile(
    r"(?:github|gitlab|codeberg|bitbucket)\.(?:com|org)[/:][A-Za-z0-9_.-]+/surveyor\b"
    r"|pypi\.org/project/surveyor|npmjs\.com/package/surveyor"
)


@pytest.fixture(scope="module")
def identity() -> ModuleType:
    return load("identity")


@pytest.fixture
def copy(identity: ModuleType, tmp_path: Path) -> Path:
    """The files that say who Surveyor is."""
    for name in {place.file for place in identity.PLACES}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


def test_every_file_says_what_the_one_file_says(identity: ModuleType) -> None:
    assert [file for file, _ in identity.wrong(ROOT, identity.identity())] == []


@pytest.mark.parametrize("repository", [ELSEWHERE, f"https://github.com/a-b/{NAME}"])
def test_another_identity_is_said_everywhere_and_goes_again(
    identity: ModuleType, copy: Path, repository: str
) -> None:
    other = identity.Identity(repository, "land-surveyor")
    before = {file: file.read_bytes() for file in copy.rglob("*.*") if file.is_file()}
    for file, text in identity.wrong(copy, other):
        file.write_text(text, "utf-8")
    assert [file for file, _ in identity.wrong(copy, other)] == []

    project = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]
    assert (project["name"], project["urls"]["Repository"]) == ("land-surveyor", repository)
    assert project["scripts"]["surveyor"] == project["scripts"]["land-surveyor"]
    server = json.loads((copy / "server.json").read_text("utf-8"))
    assert server["repository"]["url"] == repository
    assert server["packages"][0]["identifier"] == "land-surveyor"
    assert f"mcp-name: {server['name']} " in (copy / "README.md").read_text("utf-8")
    assert server["name"].startswith("io.github.a-b/" if "github.com" in repository else "io.")
    extension = json.loads((copy / "clients/vscode/package.json").read_text("utf-8"))
    assert extension["repository"]["url"] == f"{repository}.git"
    zed = tomllib.loads((copy / "clients/zed/extension.toml").read_text("utf-8"))
    assert zed["repository"] == repository
    mason = copy / "packaging/mason/packages/surveyor/package.yaml"
    assert yaml.safe_load(mason.read_text("utf-8"))["homepage"] == repository
    for file in before:
        said = file.read_text("utf-8")
        assert not ADDRESS.search(said.replace(repository, "")), file

    for file, text in identity.wrong(copy, identity.identity()):
        file.write_text(text, "utf-8")
    assert {file: file.read_bytes() for file in before} == before


def test_nothing_else_has_an_address(identity: ModuleType) -> None:
    known = {place.file for place in identity.PLACES}
    said = subprocess.run(
        ["git", "grep", "-zlIE", ADDRESS.pattern.replace("(?:", "("), "--", ":!*.jsonl"],
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert said.returncode in (0, 1), said.stderr
    assert {*said.stdout.split("\0")} - known - {""} == set()


@pytest.mark.parametrize(
    "said",
    [
        'repository = "git@example.org:a/b"\ndistribution = "surveyor"\n',
        'repository = "https://example.org/a/b/"\ndistribution = "surveyor"\n',
        'repository = ""\ndistribution = "Surveyor_LSP"\n',
    ],
)
def test_what_cannot_be_said_everywhere_is_refused(
    identity: ModuleType, tmp_path: Path, said: str
) -> None:
    (tmp_path / identity.SOURCE).parent.mkdir()
    (tmp_path / identity.SOURCE).write_text(said)
    with pytest.raises(SystemExit, match=r"identity\.toml"):
        identity.identity(tmp_path)
