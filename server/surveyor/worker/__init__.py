"""The processes for work that takes a processor: the pool, the kinds of job, and their `main`.

A worker imports the rooms (parsing, graph, formats …) and no part of the engine or the store.
"""
