"""References as language servers state them, asked, stored, and checked for their age."""
