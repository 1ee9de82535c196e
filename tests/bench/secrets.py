"""How many planted secrets are masked, how many files of real code have a mask, and what it costs.

    python -m tests.bench.secrets [FOLDER ...]

Every mask in the folders is printed with its line, for a person to judge: a real credential that an
author left in a test is no false mask. The share of time is relative to parsing the same files.
"""

from __future__ import annotations

import argparse
import os
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from surveyor.parsing.file_types import skip_reason
from surveyor.parsing.parse import parse_file
from surveyor.secrets import mask_bytes
from surveyor.secrets.masking import find
from tests.secrets.planting import plants

PLANTED = 1500
PARSED_FILES = 600


def files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Files that would be indexed: path and content."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            try:
                if path.is_symlink() or path.stat().st_size > 1 << 20:
                    continue
                data = path.read_bytes()
            except OSError:
                continue
            relative = path.relative_to(root).as_posix()
            if data and skip_reason(relative, len(data), data) is None:
                yield relative, data


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", default=[sysconfig.get_paths()["purelib"]])
    chosen = parser.parse_args()
    some = plants(PLANTED)
    left = [one for one in some if one.secret in mask_bytes(one.text.encode(), one.path).decode()]
    print(f"planted {len(some)} of {len({one.kind for one in some})} kinds, left {len(left)}")
    for folder in chosen.folders:
        count = size = masked = 0
        spent = parsed = again = 0.0
        for path, data in files(Path(folder)):
            started = time.process_time()
            found = find(data, path)
            took = time.process_time() - started
            spent += took
            if count % 20 == 0 and count < 20 * PARSED_FILES:
                started = time.process_time()
                parse_file(path, data)
                parsed += time.process_time() - started
                again += took
            count, size, masked = count + 1, size + len(data), masked + bool(found)
            for one in found:
                start = data.rfind(b"\n", 0, one.start) + 1
                line = data.count(b"\n", 0, one.start) + 1
                print(f"  {path}:{line} {one.rule} {data[start : one.end + 20][-160:]!r}")
        print(
            f"{folder}: {count} files, {size / 1e6:.0f} MB, {masked} with a mask"
            f" ({1000 * masked / max(count, 1):.2f} in 1,000); {size / 1e6 / max(spent, 1e-9):.0f}"
            f" MB/s; {100 * again / max(parsed, 1e-9):.1f} % of parsing"
        )


if __name__ == "__main__":
    main()
