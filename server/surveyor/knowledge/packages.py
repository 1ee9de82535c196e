"""A project's dependencies as libraries: found on disk, read once for all projects."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.dependencies import Package, PackageFolders, detect, not_installed
from surveyor.knowledge.library_queue import LIBRARY_PRIORITY
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.knowledge import DependenciesResponse, PackageItem
from surveyor.store.state import State
from surveyor.store.state import libraries as library_table
from surveyor.store.state.queue import NewQueueItem
from surveyor.units import counted

VARIABLES = (
    "HOME", "USERPROFILE", "PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CARGO_HOME", "GOPATH",
    "GOMODCACHE",
)  # fmt: skip
"""What a caller's environment says about where packages are."""


async def ingest_packages(
    state: State,
    writes: WriteQueue,
    place: AnchorFolder,
    *,
    variables: Mapping[str, str],
    environments: Sequence[str],
    transitive: bool,
    wait_ms: int,
) -> DependenciesResponse:
    """Detect packages, note that the project uses them, and queue those not read before."""
    places = PackageFolders.of_environment({k: v for k, v in variables.items() if k in VARIABLES})
    places = PackageFolders(
        (*map(Path, environments), *places.python),
        places.cargo_home,
        places.go_modules,
        places.fallback_python,
    )
    found = await asyncio.to_thread(detect, Path(place.root), places, transitive=transitive)
    missing = await asyncio.to_thread(not_installed, Path(place.root), found)
    known = await library_table.whole_packages(state)
    async with state.transaction() as tx:
        await library_table.set_project_packages(tx, place.project_id, [one.key for one in found])
    new = [one for one in found if one.key not in known]
    answer = DependenciesResponse(status="done", new=len(new))
    if new:
        written = await writes.submit([_item(one) for one in new], wait_ms)
        answer.status, answer.queue_id = written.status, written.queue_id
    answer.packages = [
        PackageItem(
            ecosystem=one.ecosystem,
            name=one.name,
            version=one.version,
            root=str(one.root),
            library=one.key,
            state="queued" if one in new and answer.status == "queued" else "ready",
        )
        for one in found
    ]
    answer.packages += [
        PackageItem(
            ecosystem=ecosystem,
            name=name,
            version="",
            root="",
            library=f"{ecosystem}.{name}",
            state="not_installed",
        )
        for ecosystem, name in missing
    ]
    answer.message = f"{counted(len(found), 'package', 'packages')}, {len(new)} of them new"
    if missing:
        answer.message += (
            f"; {counted(len(missing), 'declared one is', 'declared ones are')} not installed here"
        )
    if not found:
        answer.message = (
            "no package that the project declares is installed where it is looked for: the"
            " project's Python environment and node_modules, and the Cargo and Go caches"
        )
    return answer


def _item(package: Package) -> NewQueueItem:
    payload = {
        "package": {
            "ecosystem": package.ecosystem,
            "name": package.name,
            "version": package.version,
            "root": str(package.root),
            "library": package.key,
        }
    }
    return NewQueueItem(
        "library", "ingest", package.key, "libraries", payload, priority=LIBRARY_PRIORITY - 1
    )
