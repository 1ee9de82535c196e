-- What a filter by kind finds a chunk by: its own kind and those of the symbols defined in it.
ALTER TABLE chunks ADD COLUMN kinds TEXT NOT NULL DEFAULT '[]';
