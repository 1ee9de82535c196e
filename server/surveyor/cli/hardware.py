"""What this machine carries, for `surveyor doctor` and `surveyor models list`."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surveyor.units import format_size

if TYPE_CHECKING:
    from surveyor.config.settings import Settings
    from surveyor.machine.accelerators import Accelerator
    from surveyor.machine.capacity import Capacity
    from surveyor.machine.resources import Cores, MemoryRoom
    from surveyor.worker.speed import WorkerSpeed

MEASURE_S = 2.0
"""For all models together, but for what a model takes to load."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is, without anything measured."""

    cores: Cores
    memory: MemoryRoom
    accelerators: list[Accelerator]
    disk: int | None
    """Bytes free where the index is."""


def survey() -> Machine:
    """Cores, memory, accelerators and disk of this machine."""
    from surveyor import paths
    from surveyor.machine import resources
    from surveyor.machine.accelerators import accelerators

    folder = paths.data_dir()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        disk: int | None = shutil.disk_usage(folder).free
    except OSError:
        disk = None
    return Machine(resources.cores(), resources.memory(), accelerators(), disk)


def measured(model: str, settings: Settings, seconds: float = MEASURE_S) -> WorkerSpeed | str:
    """How fast an index worker is with a model here; or why that cannot be said, in a line."""
    from surveyor.errors import SurveyorError
    from surveyor.worker.speed import measure

    try:
        return measure(model, settings.model.threads, settings.indexing.chunk_chars, seconds)
    except SurveyorError as error:
        return error.message


def carries(machine: Machine, speed: WorkerSpeed, settings: Settings) -> Capacity:
    """How large a repository fits, by what was measured with the model in use."""
    from surveyor.machine.capacity import capacity
    from surveyor.machine.resources import worker_count

    disk = machine.disk
    return capacity(
        cores=machine.cores.usable,
        workers=worker_count(settings.engine.workers, machine.cores),
        total_s=speed.total_s / speed.chunks,
        cpu_s=speed.cpu_s / speed.chunks,
        model_s=speed.model_s / speed.chunks,
        memory=machine.memory.available,
        disk=None if disk is None else max(0, disk - settings.storage.least_free),
    )


def cores_said(cores: Cores) -> str:
    """Cores in words, with what narrows them."""
    narrowed = []
    if cores.allowed < cores.machine:
        narrowed.append(f"may run on {cores.allowed} of {cores.machine}")
    if cores.quota is not None and cores.quota < cores.allowed:
        narrowed.append(f"a control group allows {cores.quota:g} of {cores.machine}")
    unit = "core" if cores.usable == 1 else "cores"
    return f"{cores.usable:g} {unit}" + (f" ({', '.join(narrowed)})" if narrowed else "")


def memory_said(memory: MemoryRoom) -> str:
    """Memory in words, with what narrows it."""
    if memory.total is None:
        return "memory unknown (the system does not say)"
    whole = format_size(memory.total)
    if memory.limit is not None:
        of = f" of {format_size(memory.machine)}" if memory.machine is not None else ""
        whole = f"{whole} of memory (a control group's limit{of})"
    else:
        whole += " of memory"
    return whole + (f", {format_size(memory.available)} available" if memory.available else "")


def accelerator_said(machine: Machine, speed: WorkerSpeed | str | None) -> str:
    """Accelerators in words, and whether the model in use computes on one."""
    if not machine.accelerators:
        return "none seen; vectors are computed by the processor"
    seen = ", ".join(f"{each.name} (seen by {each.seen_by})" for each in machine.accelerators)
    device = getattr(speed, "device", "")
    if device:
        return f"{seen}; the model computes on {device}"
    return f"{seen}; not used: the model computes on the processor"


def speed_said(speed: WorkerSpeed) -> str:
    """A speed in words."""
    return f"{_round(speed.chunks_per_s)} chunks/s, {_round(speed.tokens_per_s)} tokens/s"


def capacity_said(found: Capacity) -> str:
    """What fits, in words: the whole, and each bound of it."""
    from surveyor.machine.capacity import FIRST_INDEX_S, LARGEST_MEASURED

    beyond = (
        f"; the largest that was measured has {LARGEST_MEASURED:,}"
        if found.chunks > LARGEST_MEASURED
        else ""
    )
    bounds = [f"{FIRST_INDEX_S / 60:.0f} minutes {_round(found.by_time)}"]
    bounds += [f"memory {_round(found.by_memory)}"] if found.by_memory is not None else []
    bounds += [f"disk {_round(found.by_disk)}"] if found.by_disk is not None else []
    if found.chunks == 0:
        by = ", by ".join(bounds)
        return f"no index: too little memory or disk is available (chunks by {by})"
    return (
        f"a repository of about {_round(found.chunks)} chunks ({_round(found.files)} files);"
        f" a first index takes {_round(found.chunks_per_s)} chunks/s;"
        f" chunks by {', by '.join(bounds)}{beyond}"
    )


def too_little(machine: Machine, settings: Settings) -> str:
    """What to set where a file may take more memory than there is; empty where it may not."""
    total, most = machine.memory.total, settings.engine.worker_memory
    if total is None or total >= most:
        return ""
    return (
        f"; one file may take {format_size(most)}, more than there is:"
        " `surveyor config set engine.worker_memory 256MB`"
    )


def as_json(machine: Machine, found: Capacity | None) -> dict[str, Any]:
    """All of it; null is what the system does not say, or nobody has measured."""
    return {
        "cores": {
            "usable": machine.cores.usable,
            "machine": machine.cores.machine,
            "allowed": machine.cores.allowed,
            "quota": machine.cores.quota,
        },
        "memory": {
            "total_bytes": machine.memory.total,
            "available_bytes": machine.memory.available,
            "limit_bytes": machine.memory.limit,
            "machine_bytes": machine.memory.machine,
        },
        "disk_free_bytes": machine.disk,
        "accelerators": [
            {"name": each.name, "seen_by": each.seen_by} for each in machine.accelerators
        ],
        "capacity": None
        if found is None
        else {
            "chunks": found.chunks,
            "files": found.files,
            "index_chunks_per_s": round(found.chunks_per_s, 1),
            "chunks_by_time": found.by_time,
            "chunks_by_memory": found.by_memory,
            "chunks_by_disk": found.by_disk,
        },
    }


def speed_json(speed: WorkerSpeed) -> dict[str, Any]:
    """One model's speed, with what it was taken from."""
    return {
        "chunks_per_s": round(speed.chunks_per_s, 1),
        "tokens_per_s": round(speed.tokens_per_s),
        "device": speed.device or "cpu",
        "chunks": speed.chunks,
        "seconds": round(speed.total_s, 3),
        "load_seconds": round(speed.load_s, 3),
    }


def _round(number: float) -> str:
    """Two digits that count: a measurement on a machine with other users has no more."""
    if number < 10:
        return f"{number:.2g}"
    digits = len(str(int(number)))
    return f"{round(number, 2 - digits):,.0f}"
