"""Memory rules, libraries, notes and git history."""
