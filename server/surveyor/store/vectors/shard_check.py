"""Open one shard: run as a process of its own, which damage or a full disk may end
(`python -m surveyor.store.vectors.shard_check FOLDER DIMENSION`)."""

from __future__ import annotations

import sys

from surveyor.store.vectors.contract import StoreError
from surveyor.store.vectors.shard import Shard


def main() -> int:
    """Open, read a little and close; 0 when that works, else 1 with the reason."""
    try:
        shard = Shard.load(sys.argv[1], int(sys.argv[2]))
        try:
            shard.count()
            shard.ids()
        finally:
            shard.close()
    except StoreError as error:
        sys.stderr.write(error.message)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
