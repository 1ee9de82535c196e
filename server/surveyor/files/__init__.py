"""Files that a repository or a user controls: read safely, matched by globs, kept inside a root."""
