"""What differs by family of languages, one module each."""
