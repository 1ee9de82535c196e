-- What files say, for searches of exact text: chunks leave out blank lines, the rest of very long
-- lines and what is around a notebook's cells.

-- A document's whole text, masked, as UTF-8 with `\n` at the ends of lines.
CREATE TABLE document_texts (
    doc_id   INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
    text     BLOB NOT NULL, -- compressed by zlib
    checksum INTEGER NOT NULL -- CRC-32 of the column `text`
);

-- Which runs of three and four bytes a document's text has: bits by their hashes, so that most
-- documents without a string are known unread. Apart from the texts, because a search reads all.
CREATE TABLE document_ngrams (
    doc_id INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
    bits   BLOB NOT NULL -- `embedding/ngrams.py`
);
