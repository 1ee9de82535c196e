-- Digests by which damage inside a page is found, which SQLite's own check does not see, and how
-- far the second copy of what nothing can make again has been brought.

CREATE TABLE kept_digests (
    tbl    TEXT NOT NULL,
    key    TEXT NOT NULL, -- JSON array of the key's columns
    digest BLOB NOT NULL,
    PRIMARY KEY (tbl, key)
) WITHOUT ROWID;

CREATE TABLE kept_progress (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    number   INTEGER NOT NULL -- of the last transaction that changed what is kept twice
);

-- Of a document's chunks and its symbols.
CREATE TABLE document_digests (
    doc_id INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
    digest BLOB NOT NULL
);

ALTER TABLE texts ADD COLUMN checksum INTEGER; -- CRC-32; NULL: of an earlier version
ALTER TABLE vectors ADD COLUMN checksum INTEGER; -- CRC-32; NULL: of an earlier version
