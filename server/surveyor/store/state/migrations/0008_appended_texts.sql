-- Texts and vectors in the order in which they come, with an index on their hashes: a table in the
-- order of random hashes rewrites a page for each row, and leaves a third of each page empty.

CREATE TABLE texts_in_order (
    text_id   INTEGER PRIMARY KEY,
    text_hash BLOB NOT NULL UNIQUE,
    text      TEXT NOT NULL
);
INSERT INTO texts_in_order (text_hash, text) SELECT text_hash, text FROM texts;
DROP TABLE texts;
ALTER TABLE texts_in_order RENAME TO texts;

CREATE TABLE vectors_in_order (
    vector_id INTEGER PRIMARY KEY,
    text_hash BLOB NOT NULL,
    model     TEXT NOT NULL,
    dense     BLOB NOT NULL,
    UNIQUE (text_hash, model)
);
INSERT INTO vectors_in_order (text_hash, model, dense) SELECT text_hash, model, dense FROM vectors;
DROP TABLE vectors;
ALTER TABLE vectors_in_order RENAME TO vectors;
