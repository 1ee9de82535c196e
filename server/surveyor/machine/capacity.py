"""How large a repository this machine carries: time by what was measured here, memory and disk by
what the product took where it was measured (docs/benchmarks.md, "10,000 files" and "50,000 files").
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIRST_INDEX_S", "LARGEST_MEASURED", "Capacity", "capacity"]

FIRST_INDEX_S = 600.0
"""For what is called a first index that one waits for."""
LARGEST_MEASURED = 1_467_000
"""Chunks of the largest repository that was measured; beyond it the figures are drawn out."""
CHUNKS_PER_FILE = 7.4
"""16,610 files of five repositories: 122,892 chunks; 9,948 of seventeen: 72,266."""
DISK_PER_CHUNK = 5400
"""Bytes with texts, vectors and graph: 642 MB for 122,892 chunks."""
ENGINE_BYTES = 100 << 20
"""Memory of an engine without chunks ..."""
MEMORY_PER_CHUNK = 2000
"""... and bytes for each: 146 MB with 30,000, 227 with 72,266, 352 with 122,892, no more than
795 with 522,771, and no more than 908 with 1,467,000: of large ones it is more than they take."""
WORKER_BYTES = 240 << 20
"""Memory of an index worker with the shipped model, while the graph is drawn."""
ENGINE_SHARE = 0.7
"""The engine's processor time beside that of the workers without the model's: 4.4 s of 9.4 with
14,667 chunks, 35 of 75 with 72,266, 216 of 369 with 522,771, of which the model has 0.2 ms each."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """Chunks that fit; None where the system does not say how much there is."""

    chunks_per_s: float
    """Of a first index."""
    by_time: int
    """Indexed within `FIRST_INDEX_S`."""
    by_memory: int | None
    by_disk: int | None

    @property
    def chunks(self) -> int:
        """What all three allow."""
        known = [self.by_time, self.by_memory, self.by_disk]
        return min(each for each in known if each is not None)

    @property
    def files(self) -> int:
        """About as many files, of a mixture of languages."""
        return int(self.chunks / CHUNKS_PER_FILE)


def capacity(
    *,
    cores: float,
    workers: int,
    total_s: float,
    cpu_s: float,
    model_s: float,
    memory: int | None,
    disk: int | None,
) -> Capacity:
    """What fits. Seconds are a worker's for one chunk: by the clock, of processors, of the model.

    `memory`, `disk`: bytes that are free for Surveyor.
    """
    engine_s = max(total_s - model_s, 0.0) * ENGINE_SHARE
    rate = min(workers / total_s, cores / (cpu_s + engine_s))
    resident = ENGINE_BYTES + workers * WORKER_BYTES
    return Capacity(
        chunks_per_s=rate,
        by_time=int(rate * FIRST_INDEX_S),
        by_memory=None if memory is None else max(0, (memory - resident) // MEMORY_PER_CHUNK),
        by_disk=None if disk is None else max(0, disk // DISK_PER_CHUNK),
    )
