"""What a commit changes in the graph: which files are resolved again, rows, ranks."""
