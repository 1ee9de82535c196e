"""`python -m tests.bench`: the tables that need nothing but this checkout (docs/benchmarks.md)."""

from tests.bench import engine

engine.main()
