"""Download the packages named in sources.toml, each with its registry's ordinary client.

    python training/fetch.py --work FOLDER [--only pypi npm debian debian-source git]

Archives land in FOLDER/archives/<registry>/<language>/<package>/. What is already there is kept, so
the command can be repeated. Nothing that was downloaded is run: wheels rather than sdists from
PyPI, `npm pack` without install scripts, Debian archives unpacked and not built.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent

COMMANDS = {
    "pypi": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"],
    "npm": ["npm", "pack", "--silent", "--ignore-scripts"],
    "debian": ["apt-get", "download", "-q"],
    "debian-source": ["apt-get", "source", "-q", "--download-only"],
    "git": ["git", "clone", "-q", "--bare", "--single-branch"],
}
REPOSITORIES = "https://github.com/"
"""What the names under [git] are relative to."""


def fetch(registry: str, package: str, folder: Path) -> bool:
    """Download one package into `folder`; False where the registry does not give it."""
    if folder.is_dir() and any(folder.iterdir()):
        return True
    folder.mkdir(parents=True, exist_ok=True)
    named = [REPOSITORIES + package, "."] if registry == "git" else [package]
    try:
        done = subprocess.run(
            [*COMMANDS[registry], *named],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        failed = done.returncode != 0
        detail = done.stderr.strip().splitlines()[-1:] if failed else []
    except subprocess.TimeoutExpired:
        failed, detail = True, ["timed out"]
    if failed and any(folder.glob("*.orig.tar.*")):
        return True  # the upstream archive is all that is read; its own licence file is checked
    if failed:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"{registry} {package}: {' '.join(detail)}", file=sys.stderr)
    return not failed


def main() -> None:
    """Download everything that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=list(COMMANDS), default=list(COMMANDS))
    arguments = parser.parse_args()
    sources = tomllib.loads((HERE / "sources.toml").read_text())
    for registry in arguments.only:
        for language, names in sources[registry].items():
            base = arguments.work / "archives" / registry / language
            have = sum(
                fetch(registry, name, base / name.replace("/", "__")) for name in names.split()
            )
            print(f"{registry} {language}: {have} of {len(names.split())}", flush=True)


if __name__ == "__main__":
    main()
