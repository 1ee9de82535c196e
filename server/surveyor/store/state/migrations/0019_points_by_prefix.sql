-- Points are found by the first characters of their ids: they are random, and an index of whole ones
-- repeats each.
DROP INDEX chunks_by_point;
CREATE INDEX chunks_by_point ON chunks (substr(point_id, 1, 8));
