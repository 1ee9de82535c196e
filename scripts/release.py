"""Make what a release consists of, and check what can be checked without releasing.

Usage: `python scripts/release.py [FOLDER [ENVIRONMENT]]` (default: dist, and the environment that
runs this). In the folder: wheel and source distribution, `sbom.cdx.json` (CycloneDX: what is
installed in the environment) and `SHA256SUMS`; the extension's `.vsix` is taken along where it lies
there already. Nothing is uploaded; `.github/workflows/release.yml` does that.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import identity
import names

ROOT = Path(__file__).parents[1]
SBOM = "sbom.cdx.json"
SUMS = "SHA256SUMS"


def checked(*command: str | Path) -> str:
    """What a command prints; ends the release where it fails."""
    done = subprocess.run(
        [str(each) for each in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(str(each) for each in command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def version_and_name() -> tuple[str, str]:
    """Those of the distribution; ends the release where another file says another version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    agents = ROOT / "clients" / "agents"
    said = {
        file: json.loads((ROOT / file).read_text("utf-8"))["version"]
        for file in (
            ROOT / "server.json",
            ROOT / "clients/vscode/package.json",
            agents / "claude-code/.claude-plugin/plugin.json",
        )
    }
    wrong = [f"{file}: {other}" for file, other in said.items() if other != version]
    if wrong:
        sys.exit(f"pyproject.toml says {version}, but\n" + "\n".join(wrong))
    other = [str(file) for file, _ in identity.wrong(ROOT, identity.identity(ROOT))]
    if other:
        sys.exit("scripts/identity.py would change\n" + "\n".join(other))
    return version, project["name"]


def build(folder: Path) -> list[Path]:
    """Wheel and source distribution, built without the network."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]:
        old.unlink()
    checked(sys.executable, "-m", "hatchling", "build", "--directory", folder)
    return sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])


def names_in(archive: Path) -> list[str]:
    """Files in a wheel or a source distribution."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return opened.namelist()
    with tarfile.open(archive) as tarred:
        return [member.name for member in tarred.getmembers() if member.isfile()]


def write_sums(folder: Path) -> Path:
    """Checksums of all that is in the folder, as `sha256sum --check` reads them."""
    files = sorted(each for each in folder.iterdir() if each.is_file() and each.name != SUMS)
    lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files]
    (folder / SUMS).write_text("".join(lines))
    return folder / SUMS


def main() -> None:
    """Build, check, and say what was made."""
    folder = Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist").resolve()
    environment = sys.argv[2] if sys.argv[2:] else sys.prefix
    version, name = version_and_name()
    print(f"{name} {version}: one version everywhere")
    for said in (names.on_pypi(name, version), names.on_npm(name)):
        print(said)
    made = build(folder)
    checked(sys.executable, "-m", "twine", "check", "--strict", *made)
    for archive in made:
        inside = names_in(archive)
        print(
            f"{archive.name}: {archive.stat().st_size:,} bytes, {len(inside)} files, metadata valid"
        )
    sbom = folder / SBOM
    checked(
        *(sys.executable, "-m", "cyclonedx_py", "environment", environment),
        *("--pyproject", ROOT / "pyproject.toml", "--output-file", sbom),
    )
    parts = json.loads(sbom.read_text("utf-8"))["components"]
    print(f"{SBOM}: {len(parts)} packages, those of {environment}")
    print(write_sums(folder).read_text(), end="")


if __name__ == "__main__":
    main()
