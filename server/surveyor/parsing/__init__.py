"""From a file's bytes to chunks and symbols: walk, ignore rules, file types, languages, outline.

What a file is (its type, a test, generated, vendored) is told here and nowhere else.
"""
