"""Git history: reading commits, and when and why a piece of code changed."""
