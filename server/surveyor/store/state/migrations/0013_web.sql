-- Libraries that were read from the web: how each was asked for, and what is known of each page.
-- What stands here can be had again by asking once more; the documents are where all others are.

CREATE TABLE web_crawls (
    library    TEXT PRIMARY KEY,
    starts     TEXT NOT NULL,             -- JSON: the addresses that it begins with
    below      TEXT NOT NULL,             -- links are followed to what begins with this; '': to none
    max_pages  INTEGER NOT NULL,
    max_depth  INTEGER NOT NULL,
    max_bytes  INTEGER NOT NULL,
    max_time   REAL NOT NULL,             -- seconds
    round      INTEGER NOT NULL DEFAULT 0, -- counts the times that it was gone through
    is_open    INTEGER NOT NULL DEFAULT 0, -- the round is not at its end
    fetched_at TEXT                       -- when the last round ended
) WITHOUT ROWID;

CREATE TABLE web_pages (
    library       TEXT NOT NULL,
    url           TEXT NOT NULL,
    depth         INTEGER NOT NULL,            -- links from where it began
    round         INTEGER NOT NULL DEFAULT 0,  -- in which it was last asked for
    state         TEXT NOT NULL CHECK (state IN
        ('waiting', 'stored', 'same', 'moved', 'left_out', 'failed', 'gone', 'removed')),
    document      TEXT,    -- the name of what is stored of it
    etag          TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    content_hash  BLOB,    -- of its main text
    links         TEXT NOT NULL DEFAULT '[]',  -- JSON: where it leads, for when it has not changed
    problem       TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (library, url)
) WITHOUT ROWID;
