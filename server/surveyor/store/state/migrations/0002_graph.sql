-- The code graph: what each document uses, and per checkout what that resolves to.

-- One row per document, shared by checkouts and branches; gone with the document.
CREATE TABLE graph_documents (
    doc_id     INTEGER PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    package    TEXT NOT NULL,
    names      BLOB NOT NULL, -- 4-byte hashes of the names it uses
    facts      BLOB NOT NULL, -- Zstandard of MessagePack, surveyor.graph.facts
    refs       BLOB NOT NULL  -- zlib of MessagePack
);

-- The files of a checkout as the graph has resolved them. Rows whose document differs from
-- `files` are what is left to do, so that an interrupted update goes on where it was.
CREATE TABLE graph_files (
    file_id     INTEGER PRIMARY KEY,
    checkout_id TEXT NOT NULL REFERENCES checkouts (checkout_id) ON DELETE CASCADE,
    path        TEXT NOT NULL,
    doc_id      INTEGER,        -- NULL: to be resolved again
    package     TEXT NOT NULL DEFAULT '',
    is_test     INTEGER NOT NULL DEFAULT 0,
    outline     BLOB NOT NULL DEFAULT x'', -- hashes of what other files see of it, by name
    rank        REAL NOT NULL DEFAULT 0,
    UNIQUE (checkout_id, path)
);

-- Definitions. `qualname` is '' for the file itself.
CREATE TABLE graph_nodes (
    node_id    INTEGER PRIMARY KEY,
    file_id    INTEGER NOT NULL REFERENCES graph_files (file_id) ON DELETE CASCADE,
    qualname   TEXT NOT NULL,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    "column"   INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    rank       REAL NOT NULL DEFAULT 0, -- PageRank, 1 on average
    UNIQUE (file_id, qualname)
);
CREATE INDEX graph_nodes_by_name ON graph_nodes (name);

-- Uses of definitions: from a place in a file (and the definition around it) to a definition.
CREATE TABLE graph_edges (
    file_id    INTEGER NOT NULL REFERENCES graph_files (file_id) ON DELETE CASCADE,
    line       INTEGER NOT NULL,
    "column"   INTEGER NOT NULL,
    target     INTEGER NOT NULL REFERENCES graph_nodes (node_id) ON DELETE CASCADE,
    kind       INTEGER NOT NULL, -- index into surveyor.graph.facts.KIND_NAMES
    end_column INTEGER NOT NULL,
    source     INTEGER NOT NULL DEFAULT 0, -- node around it; 0 at file level
    score      REAL NOT NULL,              -- 1 when it can be nothing else
    PRIMARY KEY (file_id, line, "column", target)
) WITHOUT ROWID;
CREATE INDEX graph_edges_by_target ON graph_edges (target);

CREATE TABLE graph_imports (
    file_id INTEGER NOT NULL REFERENCES graph_files (file_id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    module  TEXT NOT NULL,
    kind    TEXT NOT NULL,
    target  INTEGER REFERENCES graph_files (file_id) ON DELETE SET NULL,
    reason  TEXT NOT NULL DEFAULT '', -- why there is no target
    PRIMARY KEY (file_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX graph_imports_by_target ON graph_imports (target);

-- What a language server said, with a fingerprint of the texts that it was true for.
CREATE TABLE graph_exact (
    node_id     INTEGER NOT NULL REFERENCES graph_nodes (node_id) ON DELETE CASCADE,
    question    TEXT NOT NULL, -- references, implementations, definition
    server      TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    asked_at    REAL NOT NULL,
    answer      BLOB NOT NULL, -- MessagePack: [[path, line, column, end column], …]
    PRIMARY KEY (node_id, question)
) WITHOUT ROWID;
