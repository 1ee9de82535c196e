-- What agents asked, read and changed, call by call: for the user to look at.
CREATE TABLE agent_log (
    entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
    session  TEXT NOT NULL,
    client   TEXT NOT NULL, -- the agent's name, as it says
    root     TEXT NOT NULL, -- of the session's first project; empty without one
    at       REAL NOT NULL, -- seconds since 1970
    tool     TEXT NOT NULL,
    asked    TEXT NOT NULL, -- what was asked for, short and masked
    outcome  TEXT NOT NULL, -- what came of it, in our words
    failed   INTEGER NOT NULL,
    places   TEXT NOT NULL -- JSON: root, path, first and last line, `read` or `edited`
);
CREATE INDEX agent_log_session ON agent_log (session, entry_id);
CREATE INDEX agent_log_at ON agent_log (at);
