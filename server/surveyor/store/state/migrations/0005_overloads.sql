-- The other places of definitions that share a qualified name in their file: overloads,
-- accessors, alternatives under a condition. Their first place is in graph_nodes.
CREATE TABLE graph_places (
    node_id    INTEGER NOT NULL REFERENCES graph_nodes (node_id) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    "column"   INTEGER NOT NULL,
    end_column INTEGER NOT NULL,
    PRIMARY KEY (node_id, line, "column")
) WITHOUT ROWID;

-- Outlined again, so that places of files that do not change are stored too.
UPDATE graph_files SET doc_id = -1;
