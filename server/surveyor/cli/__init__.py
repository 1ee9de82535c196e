"""The `surveyor` command: one module per command group."""
