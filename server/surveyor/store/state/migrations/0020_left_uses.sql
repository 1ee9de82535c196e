-- What a file uses and nobody knows the meaning of is told to who asks for uses of that name: what was
-- resolved before is resolved again.
ALTER TABLE graph_files ADD COLUMN left_uses BLOB NOT NULL DEFAULT x''; -- names that are not followed, each with its line
UPDATE graph_files SET doc_id = NULL WHERE doc_id > 0;
