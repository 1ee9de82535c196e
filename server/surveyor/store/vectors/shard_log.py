"""How much a shard's write-ahead log keeps when everything in it has been flushed.

The library gives a log segments of 32 MB and keeps the last full one beside the open one, which is
45 to 60 MB of a project that has been written much. Its Python types have no option for it; the
file that it keeps a shard's configuration in has.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

__all__ = ["drop_empty_log", "have_short_segments"]

log = logging.getLogger(__name__)

SEGMENT_BYTES = 1 << 20
"""Some 20 of a session's calls. 30,000 points take as much CPU time with segments of 1, 2, 4 and
32 MB; an operation that is longer gets a segment of its own length."""
CONFIGURATION = "edge_config.json"
FOLDER = "wal"


def have_short_segments(folder: Path) -> bool:
    """Have the log of a closed shard go on in short segments; whether that is new to it.

    Those that it has go as others follow: what numbers the shard's operations is in them.
    """
    file = folder / CONFIGURATION
    try:
        configuration = json.loads(file.read_bytes())
        wanted = {"segment_capacity": SEGMENT_BYTES, "segment_queue_len": 0, "retain_closed": 1}
        if configuration.get("wal_options") == wanted:
            return False
        configuration["wal_options"] = wanted
        beside = file.with_suffix(".new")
        beside.write_text(json.dumps(configuration))
        beside.replace(file)
    except (OSError, ValueError, AttributeError) as error:
        log.warning("the log of %s keeps its long segments: %s", folder, error)
        return False
    return True


def drop_empty_log(folder: Path) -> None:
    """Remove the log of a closed shard that nothing was ever written to, with its long segments.

    Not of any other: operations would be numbered from the beginning again, and those with a lower
    number than a point has are not done.
    """
    for segment in (folder / FOLDER).iterdir():
        segment.unlink()
