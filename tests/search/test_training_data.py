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
layout = importlib.import_module("layout")
repositories = importlib.import_module("repositories")


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


DOCUMENTED = {
    "site.rb": (
        "module Jekyll\n  class Site\n    # Public: Write this site to output.\n    #\n"
        "    # Returns nothing.\n    def process\n      reset\n    end\n  end\nend\n",
        ("Public: Write this site to output.", "process", "Jekyll Site", "reset\n    end"),
    ),
    "Foo.cs": (
        'class Foo {\n    /// <summary>\n    /// Gets the policy of <see cref="T:Bar"/> calls.\n'
        '    /// </summary>\n    /// <param name="x">no</param>\n    [Obsolete]\n'
        "    public static Task<int> GetPolicy<T>(int x)\n    {\n        return x;\n    }\n}\n",
        ("Gets the policy of Bar calls.", "GetPolicy", "Foo", "return x;\n    }"),
    ),
    "config.ex": (
        'defmodule A.Config do\n  @doc """\n  Reads the file and merges it.\n\n  ## Examples\n\n'
        '      foo\n  """\n  @spec read(a) :: b\n  def read(a) do\n    b\n  end\nend\n',
        ("Reads the file and merges it.", "read", "Config", "b\n  end"),
    ),
    "Parse.hs": (
        "-- | Parse a value out of the input.\n--\n-- More.\nparseIt :: Foo\n        -> Bar\n"
        "parseIt a = do\n  b\nparseIt c = d\n\nother :: X\n",
        ("Parse a value out of the input.", "parseIt", "", "parseIt c = d"),
    ),
    "view.swift": (
        "extension View {\n    /// Adds the layer to this view.\n    /// - Parameter layer: it\n"
        "    @discardableResult\n    func add(_ layer: Layer) -> Self {\n        self\n    }\n}\n",
        ("Adds the layer to this view.", "add", "View", "self\n    }"),
    ),
    "run.sh": (
        "#!/bin/bash\n# Print the versions that are installed.\nlist_versions() {\n  ls\n}\n",
        ("Print the versions that are installed.", "list_versions", "", "ls\n}"),
    ),
    "tool.py": (
        'class Tool:\n    def run(self):\n        """Go on until nothing is left.\n\n'
        '        Slowly.\n        """\n        return 1\n\n    x = 1\n',
        ("Go on until nothing is left.", "run", "Tool", "return 1"),
    ),
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_definition_is_read_off_its_layout(name: str) -> None:
    text, (query, defined, scope, end) = DOCUMENTED[name]
    (pair,) = layout.pairs_of(name, text)
    assert (pair.query, pair.name, pair.scope) == (query, defined, scope)
    assert pair.code.endswith(end)


def test_what_no_comment_describes_gives_no_pair() -> None:
    assert not list(
        layout.pairs_of(
            "a.go", "// Copyright of somebody, all rights reserved.\n\nfunc A() {\n\tb()\n}\n"
        )
    )
    assert not list(layout.pairs_of("a.rs", "fn a() {\n    b();\n}\n"))


def test_a_commit_describes_the_code_as_it_was_before(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True
        )

    def commit(text: str, subject: str) -> None:
        (tmp_path / "shop.rb").write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-m", subject)

    before = (
        "def total(items)\n" + "".join(f"  line_{n} = items[{n}]\n" for n in range(9)) + "end\n"
    )
    git("init", "-q")
    commit(before, "Begin the shop")
    commit(
        before.replace("items[4]", "items.fetch(4)"),
        "fix: Refuse what the shop does not sell (#12)",
    )
    commit(before, "Revert what was done")
    (row,) = repositories.changed(tmp_path, "a/shop")
    assert row["query"] == "Refuse what the shop does not sell"
    assert (row["language"], row["path"]) == ("ruby", "shop shop")
    assert "line_4 = items[4]" in row["code"] and "fetch" not in row["code"]
