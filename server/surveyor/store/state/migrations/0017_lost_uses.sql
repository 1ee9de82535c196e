-- Who was known to use a definition that is not there any more: what its name means in those places
-- cannot be said without it. Rows go when it comes back.
CREATE TABLE graph_lost_uses (
    lost_id   INTEGER PRIMARY KEY,
    path      TEXT NOT NULL,    -- of the file that defined it
    qualname  TEXT NOT NULL,
    file_id   INTEGER NOT NULL REFERENCES graph_files (file_id) ON DELETE CASCADE, -- that uses it
    enclosing TEXT NOT NULL,    -- the definition around the uses; '' at file level
    uses      INTEGER NOT NULL, -- how many there were
    UNIQUE (path, qualname, file_id, enclosing)
);
CREATE INDEX graph_lost_uses_by_file ON graph_lost_uses (file_id);
