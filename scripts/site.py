"""Make the site of the documentation: `python scripts/site.py [FOLDER]` (default: build/site).

The pages of this folder link to each other as files, so that they can be read where they lie. They
are laid out the same way for mkdocs, with every file that a page links to; a link or an anchor that
leads nowhere is an error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def pages() -> list[Path]:
    """Pages of the project: those beside the README, and those in docs/."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def linked_files(page: Path) -> set[Path]:
    """Files of this folder, no pages, that a page links to or shows."""
    targets = (target for target in LINK.findall(page.read_text("utf-8")) if "://" not in target)
    files = {(page.parent / target).resolve() for target in targets}
    return {file for file in files if file.is_file() and file.is_relative_to(ROOT)}


def lay_out(folder: Path) -> None:
    """Copy the pages, and what they link to, to where they are in this folder."""
    found = pages()
    for file in {*found, *(each for page in found for each in linked_files(page))}:
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def main() -> int:
    """Lay out and build; returns mkdocs' exit code."""
    site = Path(sys.argv[1] if sys.argv[1:] else ROOT / "build" / "site").resolve()
    with tempfile.TemporaryDirectory() as name:
        lay_out(Path(name) / "pages")
        shutil.copyfile(ROOT / "mkdocs.yml", Path(name) / "mkdocs.yml")
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        return subprocess.run([*command, "--site-dir", str(site)], cwd=name, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
