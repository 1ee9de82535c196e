"""Questions about public repositories, with answers that were found by reading the code."""
