"""From a file on disk to points and rows."""
