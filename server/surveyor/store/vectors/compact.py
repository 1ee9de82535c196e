"""Optimise one shard: run as a process of its own, on a copy that nobody else has open.

`optimize()` holds the GIL for seconds, so it may not run in the engine
(`python -m surveyor.store.vectors.compact FOLDER DIMENSION whole|new`).
"""

from __future__ import annotations

import sys

from surveyor.platform.processes import be_ended_first, be_nice
from surveyor.store.vectors.shard import Shard

NICENESS = 10
"""Optimising the whole waits for everything else; what is new is made compact while more is
written, which is to be written to the copy as well."""


def main() -> int:
    """Optimise the shard in the folder given as argument, or what is new in it."""
    folder, dimension, whole = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "whole"
    if whole:
        be_nice(NICENESS)
    be_ended_first()
    Shard.optimize(folder, dimension, whole=whole)
    return 0


if __name__ == "__main__":
    sys.exit(main())
