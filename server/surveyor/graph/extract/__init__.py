"""What one file defines and uses, read from its syntax tree in a worker."""
