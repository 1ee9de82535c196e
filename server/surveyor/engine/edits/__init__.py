"""Changing the user's files: what may be changed, how, and all of it or nothing."""
