-- Texts are compressed by Zstandard: they are stored anew as their files are read again. The
-- checksum stands before the text, so that it is read without it.
DROP TABLE document_texts;

-- A document's whole text, masked, as UTF-8 with `\n` at the ends of lines.
CREATE TABLE document_texts (
    doc_id   INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
    checksum INTEGER NOT NULL, -- CRC-32 of the column `text`
    text     BLOB NOT NULL -- compressed by Zstandard
);

DELETE FROM document_ngrams;
