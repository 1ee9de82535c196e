"""Answers to questions: the pieces that a question needs, and the user's own model to read them."""
