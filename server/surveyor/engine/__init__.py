"""The owner process: lifecycle, HTTP, sessions, and the client that the faces use."""
