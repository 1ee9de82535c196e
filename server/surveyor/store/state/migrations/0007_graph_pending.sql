-- Documents whose graph is still to be extracted: that comes after the file can be found.
CREATE TABLE graph_pending (
    doc_id INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE
);

-- Asked for whenever a document's graph is stored.
CREATE INDEX graph_files_by_document ON graph_files (doc_id);
