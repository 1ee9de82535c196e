"""The engine as a process: HTTP server, data folder, sessions, life and end, repair."""
