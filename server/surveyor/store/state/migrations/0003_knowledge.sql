-- Knowledge beside the code: rules, documents, commits. Whatever belongs to a project has a
-- column project_id, so that it follows when a project's id changes.

CREATE TABLE rules (
    rule_id     TEXT PRIMARY KEY, -- also the id of its point
    project_id  TEXT,             -- NULL: global
    label       TEXT NOT NULL,
    title       TEXT NOT NULL DEFAULT '',
    content     TEXT NOT NULL,
    tags        TEXT NOT NULL DEFAULT '[]',
    type        TEXT,
    priority    INTEGER,
    anchor      TEXT NOT NULL DEFAULT '', -- as the user wrote it
    anchor_kind TEXT,                     -- symbol, file, folder
    anchor_path TEXT,
    anchor_name TEXT,                     -- a symbol's name and containers, dotted
    anchor_text TEXT,                     -- the code that the rule was written for
    anchor_hash BLOB,                     -- a file's content at that time
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL
);
-- Not unique: two projects that become one may bring the same label, and no rule may be lost.
CREATE INDEX rules_by_label ON rules (project_id, label);

CREATE TABLE rule_anchors (
    rule_id     TEXT NOT NULL REFERENCES rules (rule_id) ON DELETE CASCADE,
    checkout_id TEXT NOT NULL,
    path        TEXT NOT NULL,
    name        TEXT NOT NULL DEFAULT '',
    start_line  INTEGER,
    end_line    INTEGER,
    state       TEXT NOT NULL CHECK (state IN ('ok', 'changed', 'lost')),
    reason      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (rule_id, checkout_id)
) WITHOUT ROWID;
CREATE INDEX rule_anchors_by_path ON rule_anchors (checkout_id, path);

CREATE TABLE libraries (
    name       TEXT PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('folder', 'documents', 'package', 'notes', 'sessions')),
    source     TEXT, -- a folder
    mode       TEXT CHECK (mode IN ('sync', 'incremental')),
    created_at TEXT NOT NULL,
    synced_at  TEXT,
    deleted_at TEXT
) WITHOUT ROWID;

CREATE TABLE library_documents (
    document_id   INTEGER PRIMARY KEY,
    library       TEXT NOT NULL,
    project_id    TEXT, -- NULL: every project sees it
    name          TEXT NOT NULL, -- dotted, beginning with the library's
    title         TEXT NOT NULL,
    source        TEXT NOT NULL, -- user_input, web, file, package, session
    file_path     TEXT,
    url           TEXT,
    format        TEXT NOT NULL,
    topics        TEXT NOT NULL DEFAULT '[]',
    metadata      TEXT NOT NULL DEFAULT '{}',
    content       TEXT, -- of what cannot be read again from a file
    content_hash  BLOB,
    size          INTEGER NOT NULL DEFAULT 0,
    mtime_ns      INTEGER NOT NULL DEFAULT 0,
    dated         REAL NOT NULL, -- seconds since 1970: when it was written
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    deleted_at    TEXT,
    evicted_at    TEXT,
    problem       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX documents_by_name ON library_documents (library, name);
CREATE INDEX documents_by_project ON library_documents (project_id);

CREATE TABLE library_pieces (
    piece_id    INTEGER PRIMARY KEY,
    document_id INTEGER NOT NULL REFERENCES library_documents (document_id) ON DELETE CASCADE,
    point_id    TEXT NOT NULL UNIQUE,
    ordinal     INTEGER NOT NULL,
    headings    TEXT NOT NULL DEFAULT '[]',
    page_number INTEGER,
    start_line  INTEGER NOT NULL DEFAULT 0,
    end_line    INTEGER NOT NULL DEFAULT 0,
    text        TEXT NOT NULL
);
CREATE INDEX pieces_by_document ON library_pieces (document_id, ordinal);

CREATE TABLE project_packages (
    project_id TEXT NOT NULL,
    library    TEXT NOT NULL,
    PRIMARY KEY (project_id, library)
) WITHOUT ROWID;

CREATE TABLE commits (
    commit_rowid INTEGER PRIMARY KEY,
    project_id   TEXT NOT NULL,
    commit_id    TEXT NOT NULL,
    point_id     TEXT NOT NULL,
    author       TEXT NOT NULL,
    email        TEXT NOT NULL,
    committed    INTEGER NOT NULL, -- seconds since 1970
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,
    summary      TEXT, -- JSON: what its hunks touched; NULL until read
    UNIQUE (project_id, commit_id)
);
CREATE INDEX commits_by_date ON commits (project_id, committed DESC);
CREATE INDEX commits_by_point ON commits (point_id);

CREATE TABLE commit_files (
    commit_rowid INTEGER NOT NULL REFERENCES commits (commit_rowid) ON DELETE CASCADE,
    path         TEXT NOT NULL,
    status       TEXT NOT NULL,
    old_path     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (commit_rowid, path)
) WITHOUT ROWID;
CREATE INDEX commit_files_by_path ON commit_files (path);

-- How far a project's history has been read.
CREATE TABLE history_progress (
    project_id TEXT PRIMARY KEY,
    tips       TEXT NOT NULL DEFAULT '[]', -- heads up to which everything newer is known
    complete   INTEGER NOT NULL DEFAULT 0, -- everything older is known too
    total      INTEGER NOT NULL DEFAULT 0
);
