"""`surveyor update check`: what a package manager would install, and the command for it."""

from __future__ import annotations

import json
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from surveyor.installation.origin import origin_of
from tests.product import Product

ROOT = Path(__file__).parents[2]
OURS = (ROOT / "README.md").read_text("utf-8")


def release(folder: Path, version: str, description: str) -> None:
    """A package in a folder that pip finds."""
    folder.mkdir(exist_ok=True)
    name = f"surveyor-{version}"
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        metadata = f"Metadata-Version: 2.1\nName: surveyor\nVersion: {version}\nSummary: Maps\n\n"
        wheel.writestr(f"{name}.dist-info/METADATA", metadata + description)
        wheel.writestr(
            f"{name}.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{name}.dist-info/RECORD", "")


@pytest.mark.parametrize(
    ("version", "description", "code", "said"),
    [
        ("99.0", OURS, 1, "99.0 is there"),
        ("0.0.1", OURS, 0, "is the newest release"),
        ("99.0", "Land surveying.", 0, "Another project is called surveyor"),
    ],
)
def test_what_is_said_of_the_newest_release(
    surveyor: Product, tmp_path: Path, version: str, description: str, code: int, said: str
) -> None:
    release(tmp_path / "packages", version, description)
    surveyor.extra |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "packages")}
    done = surveyor.run("update", "check", check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert said in done.stdout


def test_it_is_no_error_that_nothing_is_published(surveyor: Product, tmp_path: Path) -> None:
    surveyor.extra |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = surveyor.run("update", "check", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No release of surveyor is published" in done.stdout and "ERROR" not in done.stdout


@pytest.mark.parametrize(
    "index",
    [
        "http://127.0.0.1:9/",
        "http://packages.invalid/simple",  # pip asks no such host without TLS, and finds nothing
    ],
)
def test_what_cannot_be_found_out_is_said(surveyor: Product, tmp_path: Path, index: str) -> None:
    surveyor.extra |= {"PIP_INDEX_URL": index}
    surveyor.extra |= {"PIP_FIND_LINKS": str(tmp_path), "PATH": str(tmp_path)}
    done = surveyor.run("update", "check", check=False)
    assert done.returncode == 2
    assert "the newest release is not known: your package manager could not reach" in done.stderr


EDITABLE = {"url": "file:///src/a%20clone", "dir_info": {"editable": True}}
ARCHIVE = {"url": "file:///src/surveyor.whl", "archive_info": {}}


@pytest.mark.parametrize(
    ("prefix", "files", "kind", "update"),
    [
        ("venv", {"INSTALLER": "pip\n"}, "pip", "-m pip install --upgrade surveyor"),
        ("venv", {"INSTALLER": "uv"}, "uv pip", "uv pip install --python"),
        ("tools/surveyor", {"uv-receipt.toml": ""}, "uv tool", "uv tool upgrade surveyor"),
        ("venvs/surveyor", {"pipx_metadata.json": "{}"}, "pipx", "pipx upgrade surveyor"),
        ("uv/archive-v0/x", {}, "uvx", "uvx surveyor@latest"),
        ("Cellar/surveyor/1/libexec", {}, "Homebrew", "brew upgrade surveyor"),
        ("data/environments/editor", {}, "the VS Code extension", "The extension brings it"),
        ("venv", {"direct_url.json": json.dumps(EDITABLE)}, "a clone (/src/a clone)", "git -C '"),
        ("venv", {"direct_url.json": json.dumps(ARCHIVE)}, "from /src/surveyor.whl", "Install it"),
    ],
)
def test_each_way_of_installing_has_its_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    prefix: str,
    files: dict[str, str],
    kind: str,
    update: str,
) -> None:
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / prefix
    info = root / "lib" / "surveyor-0.1.0.dist-info"
    info.mkdir(parents=True)
    for name, text in files.items():
        at = root if name in ("uv-receipt.toml", "pipx_metadata.json") else info
        (at / name).write_text(text)
    found = origin_of(PathDistribution(info), root, root / "bin" / "python")
    assert found.kind == kind
    assert update in found.update
