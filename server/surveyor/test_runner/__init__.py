"""A project's own tests: which runner and program a test file needs, and what a run came to."""
