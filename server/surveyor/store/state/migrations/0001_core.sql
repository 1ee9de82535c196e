-- The truth about projects and files. Modelled on git: a document is one content at one path,
-- a checkout or a branch is a map from paths to documents.

CREATE TABLE projects (
    project_id TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    remote     TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE TABLE checkouts (
    checkout_id        TEXT PRIMARY KEY,
    project_id         TEXT NOT NULL REFERENCES projects (project_id),
    root               TEXT NOT NULL UNIQUE,
    parent_checkout_id TEXT REFERENCES checkouts (checkout_id) ON DELETE SET NULL,
    submodule_path     TEXT,
    branch             TEXT,
    head               TEXT,
    root_inode         TEXT, -- device and inode: finds a folder that was moved
    watched            INTEGER NOT NULL DEFAULT 1,
    active             INTEGER NOT NULL DEFAULT 0,
    paused             INTEGER NOT NULL DEFAULT 0,
    revision           INTEGER NOT NULL DEFAULT 0,
    created_at         TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    last_scan          TEXT,
    last_activity_at   TEXT,
    missing_since      TEXT
);
CREATE INDEX checkouts_by_project ON checkouts (project_id);
CREATE INDEX checkouts_by_parent ON checkouts (parent_checkout_id);

CREATE TABLE documents (
    doc_id       INTEGER PRIMARY KEY,
    project_id   TEXT NOT NULL REFERENCES projects (project_id),
    path         TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    language     TEXT,
    file_type    TEXT NOT NULL,
    version      TEXT NOT NULL,
    is_reexport  INTEGER NOT NULL DEFAULT 0,
    problems     TEXT NOT NULL DEFAULT '[]',
    UNIQUE (project_id, path, content_hash)
);
CREATE INDEX documents_by_version ON documents (project_id, version);

CREATE TABLE files (
    file_id      INTEGER PRIMARY KEY,
    checkout_id  TEXT NOT NULL REFERENCES checkouts (checkout_id) ON DELETE CASCADE,
    path         TEXT NOT NULL,
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    content_hash BLOB,
    doc_id       INTEGER REFERENCES documents (doc_id),
    status       TEXT NOT NULL CHECK (status IN ('indexed', 'skipped', 'failed')),
    reason       TEXT NOT NULL DEFAULT '',
    detail       TEXT NOT NULL DEFAULT '',
    indexed_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (checkout_id, path)
);
CREATE INDEX files_by_document ON files (doc_id);

CREATE TABLE branch_files (
    project_id TEXT NOT NULL REFERENCES projects (project_id),
    branch     TEXT NOT NULL,
    path       TEXT NOT NULL,
    doc_id     INTEGER NOT NULL REFERENCES documents (doc_id),
    PRIMARY KEY (project_id, branch, path)
) WITHOUT ROWID;
CREATE INDEX branch_files_by_document ON branch_files (doc_id);

CREATE TABLE chunks (
    chunk_rowid   INTEGER PRIMARY KEY,
    doc_id        INTEGER NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
    ordinal       INTEGER NOT NULL,
    point_id      TEXT NOT NULL,
    text_hash     BLOB NOT NULL,
    kind          TEXT NOT NULL,
    start_line    INTEGER NOT NULL,
    end_line      INTEGER NOT NULL,
    symbols       TEXT NOT NULL DEFAULT '[]',
    symbol_name   TEXT NOT NULL DEFAULT '',
    symbol_kind   TEXT NOT NULL DEFAULT '',
    parent_symbol TEXT NOT NULL DEFAULT '',
    signature     TEXT NOT NULL DEFAULT '',
    docstring     TEXT NOT NULL DEFAULT '',
    calls         TEXT NOT NULL DEFAULT '[]',
    is_fragment   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX chunks_by_document ON chunks (doc_id, ordinal);
CREATE INDEX chunks_by_point ON chunks (point_id);
CREATE INDEX chunks_by_text ON chunks (text_hash);

CREATE TABLE texts (
    text_hash BLOB PRIMARY KEY,
    text      TEXT NOT NULL
) WITHOUT ROWID;

-- Vectors that have been computed, so that none is computed twice.
CREATE TABLE vectors (
    model     TEXT NOT NULL,
    text_hash BLOB NOT NULL,
    dense     BLOB NOT NULL,
    PRIMARY KEY (model, text_hash)
) WITHOUT ROWID;

-- Points that no document needs any more and that the store has not yet dropped.
CREATE TABLE dead_points (
    project_id TEXT NOT NULL,
    point_id   TEXT NOT NULL,
    PRIMARY KEY (project_id, point_id)
) WITHOUT ROWID;

CREATE TABLE symbols (
    symbol_id  INTEGER PRIMARY KEY,
    doc_id     INTEGER NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    name_lower TEXT NOT NULL,
    kind       TEXT NOT NULL,
    container  TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    "column"   INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    signature  TEXT NOT NULL DEFAULT '',
    docstring  TEXT NOT NULL DEFAULT ''
);
CREATE INDEX symbols_by_document ON symbols (doc_id, ordinal);
CREATE INDEX symbols_by_name ON symbols (name_lower);

-- Seed 000, "Queue Schema". A row is deleted when its work is done.
CREATE TABLE unified_queue (
    queue_id        TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    idempotency_key TEXT NOT NULL UNIQUE,
    item_type       TEXT NOT NULL,
    op              TEXT NOT NULL CHECK (op IN ('ingest', 'update', 'delete', 'scan')),
    tenant_id       TEXT NOT NULL,
    collection      TEXT NOT NULL CHECK (collection IN ('projects', 'libraries', 'memory')),
    checkout_id     TEXT,
    priority        INTEGER NOT NULL DEFAULT 5 CHECK (priority BETWEEN 0 AND 10),
    status          TEXT NOT NULL DEFAULT 'pending'
                    CHECK (status IN ('pending', 'in_progress', 'failed')),
    created_at      REAL NOT NULL DEFAULT (((julianday('now') - 2440587.5) * 86400.0)),
    updated_at      REAL NOT NULL DEFAULT (((julianday('now') - 2440587.5) * 86400.0)),
    not_before      REAL NOT NULL DEFAULT 0,
    lease_until     REAL,
    worker_id       TEXT,
    changed_again   INTEGER NOT NULL DEFAULT 0, -- asked for once more while it was in progress
    payload_json    TEXT NOT NULL DEFAULT '{}',
    branch          TEXT,
    metadata        TEXT NOT NULL DEFAULT '{}',
    retry_count     INTEGER NOT NULL DEFAULT 0,
    max_retries     INTEGER NOT NULL DEFAULT 3,
    errors          TEXT NOT NULL DEFAULT '[]',
    last_error_at   REAL
);
CREATE INDEX queue_to_take ON unified_queue (status, priority DESC, created_at)
    WHERE status = 'pending';
CREATE INDEX queue_leases ON unified_queue (lease_until) WHERE status = 'in_progress';
CREATE INDEX queue_by_checkout ON unified_queue (checkout_id, status);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
