/**
 * Values that the server and its clients share.
 *
 * Written by scripts/typescript_enumerations.py from server/surveyor/protocol/enumerations.py.
 */

export const CORPORA = ["code", "rules", "libraries", "notes", "history"] as const;
export type Corpus = (typeof CORPORA)[number];

export const MODES = ["hybrid", "semantic", "keyword", "literal", "regex", "pattern"] as const;
export type SearchMode = (typeof MODES)[number];

export const FILE_TYPES = ["code", "doc", "test", "config", "note", "artifact"] as const;
export type FileType = (typeof FILE_TYPES)[number];

export const STATUSES = ["healthy", "indexing", "stale", "uncertain", "degraded"] as const;
export type IndexStatus = (typeof STATUSES)[number];
