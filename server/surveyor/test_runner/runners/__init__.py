"""One module for each family of test runners; `table` has them by the extension of a test file."""
