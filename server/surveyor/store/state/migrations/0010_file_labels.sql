-- What ranking asks of a document's path, answered once. Rows of earlier versions are labelled when
-- the database is opened, as are all by a version that labels otherwise.

ALTER TABLE documents ADD COLUMN labels TEXT NOT NULL DEFAULT ''; -- what ranking calls the file, joined with commas
