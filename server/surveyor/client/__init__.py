"""How a face finds, starts and asks the engine: blocking, and for an event loop.

The lock that lets one engine run at a time is here as well: who starts an engine tries it too.
"""
