"""What the shipped model may be trained on: the rules, and the list of what was used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

TRAINING = Path(__file__).parents[2] / "training"
sys.path.insert(0, str(TRAINING))  # a folder of scripts, not a package
lineage = importlib.import_module("lineage")


@pytest.mark.parametrize(
    "licence",
    ["MIT", "Apache-2.0 OR MIT", "BSD-3-clause", "(MIT OR GPL-3.0-or-later)", "Expat", "ISC",
     "Apache-2.0 WITH LLVM-exception", "Python Software Foundation License"],
)  # fmt: skip
def test_permissive_licences_are_taken(licence: str) -> None:
    assert lineage.is_permissive(licence)


@pytest.mark.parametrize(
    "licence",
    ["", "GPL-2+", "LGPL-2.1", "MPL-2.0", "EPL-2.0 or EDL-1.0", "UNKNOWN", "Apache-2.0 AND GPL-3",
     "SEE LICENSE IN LICENSE", "CC-BY-SA-4.0", "Artistic-2.0", "BUSL-1.1"],
)  # fmt: skip
def test_other_licences_are_refused(licence: str) -> None:
    assert not lineage.is_permissive(licence)


def test_debian_copyright_gives_the_default_and_the_globs_under_other_terms() -> None:
    stated = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
        "Files: *\nCopyright: somebody\nLicense: Expat\n\n"
        "Files: src/a.c\n src/b/*\nCopyright: another\nLicense: LGPL-2.1+\n\n"
        "Files: debian/*\nCopyright: packager\nLicense: GPL-2\n"
    )
    licence, refused = lineage.licence_of_debian(stated)
    assert (licence, refused) == ("Expat", ["src/a.c", "src/b/*"])
    assert lineage.matches_any("pkg-1.0/src/b/c.c", refused)
    assert not lineage.matches_any("pkg-1.0/src/c.c", refused)


@pytest.mark.parametrize(
    "path",
    ["pkg/_internal/requests/api.py", "usr/share/gocode/src/github.com/spf13/cobra/command.go",
     "x-1.2/deps/libuv/src/unix/core.c", "spdlog/include/spdlog/fmt/bundled/core.h",
     "crate/tokio-1.20.1/src/lib.rs"],
)  # fmt: skip
def test_vendored_copies_of_benchmark_repositories_are_left_out(path: str) -> None:
    assert lineage.is_excluded_path(path)


def test_benchmark_repositories_are_known_by_name_and_by_address() -> None:
    assert len(lineage.EXCLUDED) >= 63
    assert lineage.is_excluded_package("librust-tokio-dev", "")
    assert lineage.is_excluded_package("whatever", "https://github.com/pallets/click.git")
    assert not lineage.is_excluded_package("jinja2", "https://github.com/pallets/jinja")


def test_a_copied_function_is_recognised_whatever_its_layout() -> None:
    written = "def add(a, b):\n    return a + b\n"
    assert lineage.body_hash(written) == lineage.body_hash("def add(a,b): return a+b")
    assert lineage.body_hash(written) != lineage.body_hash("def add(a, b): return a - b")


def test_the_manifest_names_nothing_that_must_not_be_there() -> None:
    done = subprocess.run(
        [sys.executable, "check.py", "--manifest", "manifest.csv"],
        cwd=TRAINING,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
