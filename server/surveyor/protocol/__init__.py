"""Every message that crosses a process, by subject, and each enumeration, written once.

Imports nothing of the house but the roots (errors, paths …): faces, engine and tests all read it.
"""
