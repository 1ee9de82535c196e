-- What a type extends may be said by another file (`impl Trait for Type`, `extension Type: Protocol`, `instance Class Type`):
-- its bases are looked up by the type, wherever they are written.
CREATE INDEX graph_edges_of_bases ON graph_edges (source) WHERE kind = 5;
