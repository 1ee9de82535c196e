"""Play the first use in the faces that are named, or in all; print a row for each."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.e2e.first_use.faces import FACES, play


def main() -> int:
    """Returns 1 where one failed or took too long."""
    known = [face.name for face in FACES]
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.first_use", description=__doc__)
    parser.add_argument("faces", nargs="*", metavar="FACE", help=", ".join(known))
    parser.add_argument("--pictures", type=Path, help="folder for what the last screens show")
    chosen = parser.parse_args()
    if unknown := set(chosen.faces) - set(known):
        parser.error(f"no such face: {', '.join(sorted(unknown))}")
    if chosen.pictures is not None:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    wrong = 0
    for face in FACES:
        if not chosen.faces or face.name in chosen.faces:
            outcome = play(face, chosen.pictures)
            wrong += not outcome[0].isdigit() and not outcome.startswith("not played")
            print(f"{face.name:12} {outcome}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
