-- Every query asks for each hit whether its document is in the checkout: the index alone answers.
DROP INDEX files_by_document;
CREATE INDEX files_by_document ON files (doc_id, checkout_id);
