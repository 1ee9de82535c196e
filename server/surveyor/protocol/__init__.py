"""Every message that crosses a process, by subject, and each enumeration, written once.

Imports nothing of the house: faces, engine and settings all read it.
"""
