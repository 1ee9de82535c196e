"""How an index follows the disk: watch, scan, queue, commit, vector rebuild, compaction."""
