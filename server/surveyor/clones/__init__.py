"""Code clones: what a function does apart from how it is worded, and how alike two of them are."""
