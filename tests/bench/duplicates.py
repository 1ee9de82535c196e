"""Whether `check` names the function that a new one repeats in other words.

Each function that was written anew by hand (`clones.json`) is put into a new file beside its
original, and `surveyor check` is asked. Repositories are fetched by hand; false stops are measured
by `python -m tests.bench.receipts --growing`:

    python -m tests.bench.duplicates FOLDER…
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench.clones import BY_HAND
from tests.bench.commands import surveyor

METHODS = {
    "php": "<?php\nclass Rewritten {{\n{}}}\n",
    "java": "class Rewritten {{\n{}}}\n",
    "rust": "impl Rewritten {{\n{}}}\n",
}
"""What stands around a function that is a method, in languages that have no others or mark them."""


def main() -> None:
    """Print for each folder how many were named, and those that were not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args()
    written: list[dict[str, str]] = json.loads(BY_HAND.read_text())
    with tempfile.TemporaryDirectory(prefix="duplicates") as temporary:
        home = Path(temporary)
        os.environ |= {
            "HOME": str(home),
            "SURVEYOR_DATA_DIR": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
        }
        said: Counter[str] = Counter()
        try:
            for folder in given.folders:
                name = folder.resolve().name
                mine = [
                    each for each in written
                    if name in (each["repository"].rpartition("/")[2],
                                each["repository"].replace("/", "+"))
                ]  # fmt: skip
                if mine:
                    said += _asked(folder.resolve(), home / name, mine)
        finally:
            surveyor("engine", "stop")
    print(f"\n{said['right']} of {said.total()} named, {said['wrong']} wrongly")


def _asked(source: Path, clone: Path, written: list[dict[str, str]]) -> Counter[str]:
    subprocess.run(["git", "clone", "-q", source, clone], check=True)
    surveyor("index", str(clone))
    said: Counter[str] = Counter()
    for each in written:
        original = clone / each["path"]
        file = original.with_name(f"rewritten{original.suffix}")
        file.write_text(_as_file(each, original.read_text()))
        answer = surveyor("check", "-C", str(clone), "--json", "--no-diagnostics") or "{}"
        file.unlink()
        report: dict[str, Any] = json.loads(answer)
        found = [one for one in report.get("results", ()) if one["kind"] == "duplicate"]
        right = any(
            one["about"].startswith(each["path"] + ":")
            and re.search(rf"does what (?:\S+\.)?{re.escape(each['name'])} does", one["message"])
            for one in found
        )
        verdict = "right" if right else "wrong" if found else "silent"
        said[verdict] += 1
        print(f"{clone.name} {each['path']} {each['name']}: {verdict}", end=" ")
        print(found[0]["message"] if found else "", flush=True)
    return said


def _as_file(each: dict[str, str], original: str) -> str:
    """The text of a file with a function in it."""
    text = each["text"]
    if each["family"] == "go":
        package = re.search(r"^package \w+", original, re.MULTILINE)
        return f"{package[0] if package else 'package p'}\n\n{text}"
    is_method = each["family"] != "rust" or text.startswith(" ")
    return METHODS[each["family"]].format(text) if each["family"] in METHODS and is_method else text


if __name__ == "__main__":
    main()
