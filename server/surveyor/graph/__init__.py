"""Definitions, references and the edges between them."""

EXTRACT_VERSION = 55
"""Raised when the same tree would give other references: part of `index_version`, so that
indexes made by another version answer `stale` until they are rebuilt."""

IMPORT_SCAN_LIMIT = 200
"""Imports by call that are computed per file, unless `graph.import_scan_limit` says otherwise."""
