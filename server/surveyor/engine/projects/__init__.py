"""Which folders are projects and checkouts, what their ids are, and where they moved to."""
