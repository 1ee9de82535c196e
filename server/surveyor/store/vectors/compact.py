"""Optimise one shard: run as a process of its own, on a copy that nobody else has open.

`optimize()` holds the GIL for seconds, so it may not run in the engine
(`python -m surveyor.store.vectors.compact FOLDER DIMENSION`).
"""

from __future__ import annotations

import os
import sys

from surveyor.store.vectors.shard import Shard

NICENESS = 10
"""Optimising waits for everything else."""


def main() -> int:
    """Optimise the shard in the folder given as argument."""
    folder, dimension = sys.argv[1], int(sys.argv[2])
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    Shard.optimize(folder, dimension)
    return 0


if __name__ == "__main__":
    sys.exit(main())
