"""What differs between Linux, macOS and Windows: one module for each subject, and no decision by
the platform elsewhere.

The functions read `sys.platform` when they are called, so that a test can be another platform.
Nothing here imports another part of Surveyor. docs/platforms.md has what was run where.
"""
