"""Someone who has never seen Surveyor: from the README to a first useful answer, on an empty home.

`python -m tests.e2e.first_use [FACE ...] [--pictures FOLDER]` plays it in each program, as far as
the program is there.
"""
