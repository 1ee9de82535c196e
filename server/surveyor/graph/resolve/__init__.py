"""What a name means: pure functions from files' facts to edges."""
