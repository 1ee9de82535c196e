"""Knowledge without an engine: a real database and vector store, workers that are functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from surveyor.config.settings import Settings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.sparse import query_vector
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.document_reading import ReadDocument, ReadJob
from surveyor.knowledge.points import TextVectors
from surveyor.knowledge.service import Knowledge
from surveyor.store.state import State, queue
from surveyor.store.state.queue import LeasedItem
from surveyor.store.vectors.contract import Space
from surveyor.store.vectors.edge import EdgeStore
from surveyor.worker.document_jobs import read

DIMENSION = 8


@dataclass
class Parts:
    """Knowledge, what it stands on, and how often it woke the queue."""

    knowledge: Knowledge
    state: State
    vectors: EdgeStore
    settings: Settings
    embedded: list[str] = field(default_factory=list)
    woken: list[None] = field(default_factory=list)

    async def carry_out(self) -> int:
        """Do everything that is queued, one item after the other; how many there were."""
        handlers = {
            "memory": self.knowledge.memory.handle,
            "library": self.knowledge.library_queue.handle,
            "history": self.knowledge.history.handle,
        }
        done = 0
        while leased := await queue.lease(self.state, "test", 1, 0):
            item: LeasedItem = leased[0]
            await handlers[item.item_type](item)
            async with self.state.transaction() as tx:
                await queue.finish(tx, [item.queue_id])
            done += 1
        return done

    async def close(self) -> None:
        """Release what is open."""
        await self.state.close()
        self.vectors.close()


async def assemble(folder: Path, **sections: dict[str, Any]) -> Parts:
    """Knowledge in an empty folder, with some settings by section."""
    state = await State.open(folder / "state.db")
    vectors = EdgeStore(folder / "vectors")
    settings = Settings.model_validate(sections)
    embedded: list[str] = []
    woken: list[None] = []

    async def on_store(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    async def embed(titles: Sequence[str], texts: Sequence[str]) -> list[TextVectors]:
        embedded.extend(texts)
        return [_vectors(f"{title} {text}") for title, text in zip(titles, texts, strict=True)]

    async def read_here(job: ReadJob) -> list[ReadDocument]:
        return read(job)

    async def no_model(_: Space) -> Embedder | None:
        return None  # only words are compared

    knowledge = Knowledge.assemble(
        state=state,
        vectors=vectors,
        on_store=on_store,
        ask_store=on_store,
        embed=embed,
        read=read_here,
        model=lambda: ("model", DIMENSION),
        embedder=no_model,
        settings=lambda: settings,
        are_settings_whole=lambda: True,
        wake_queue=lambda: woken.append(None),
        data_dir=folder,
    )
    return Parts(knowledge, state, vectors, settings, embedded, woken)


def _vectors(text: str) -> TextVectors:
    digest = hashlib.blake2b(text.encode(), digest_size=DIMENSION).digest()
    dense = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) + 1
    return TextVectors(dense / np.linalg.norm(dense), query_vector(text))


async def register(parts: Parts, root: Path, project_id: str = "p1") -> AnchorFolder:
    """A folder as a checkout of a project."""
    place = AnchorFolder(f"checkout-{root.name}", project_id, str(root))
    async with parts.state.transaction() as tx:
        await tx.execute(
            "INSERT OR IGNORE INTO projects (project_id, name) VALUES (?, ?)",
            (project_id, root.name),
        )
        await tx.execute(
            "INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, ?, ?)",
            (place.checkout_id, project_id, str(root)),
        )
    return place
