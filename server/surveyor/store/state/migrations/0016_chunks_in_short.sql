-- What nothing reads of a chunk, and what its document's symbols say, is not stored once more; nor is
-- a list that has what stands beside it. Digests are of all columns: they come with the files, which
-- are read again.

CREATE TABLE chunks_in_short (
    chunk_rowid   INTEGER PRIMARY KEY,
    doc_id        INTEGER NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
    ordinal       INTEGER NOT NULL,
    point_id      TEXT NOT NULL,
    text_hash     BLOB NOT NULL,
    kind          TEXT NOT NULL,
    start_line    INTEGER NOT NULL,
    end_line      INTEGER NOT NULL,
    symbols       TEXT NOT NULL DEFAULT '', -- JSON; '': that of `symbol_name`, where there is one
    symbol_name   TEXT NOT NULL DEFAULT '',
    symbol_kind   TEXT NOT NULL DEFAULT '',
    kinds         TEXT NOT NULL DEFAULT '', -- what a filter by kind finds a chunk by, as JSON; '': `kind`
    parent_symbol TEXT NOT NULL DEFAULT '',
    is_fragment   INTEGER NOT NULL DEFAULT 0
);
INSERT INTO chunks_in_short
    SELECT chunk_rowid, doc_id, ordinal, point_id, text_hash, kind, start_line, end_line,
        iif(symbols = iif(symbol_name = '', json_array(), json_array(symbol_name)), '', symbols),
        symbol_name, symbol_kind, iif(kinds = json_array(kind), '', kinds), parent_symbol, is_fragment
    FROM chunks;
DROP TABLE chunks;
ALTER TABLE chunks_in_short RENAME TO chunks;
CREATE INDEX chunks_by_document ON chunks (doc_id, ordinal);
CREATE INDEX chunks_by_point ON chunks (point_id);
CREATE INDEX chunks_by_text ON chunks (text_hash);

ALTER TABLE symbols DROP COLUMN docstring;

DELETE FROM document_digests;
