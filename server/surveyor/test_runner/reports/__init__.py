"""Readers of what test runners write: JUnit XML and JSON where a runner has it, else its text."""
