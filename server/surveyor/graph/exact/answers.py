"""Exact answers that are kept, and for how long they are true.

An answer is `exact` only when the server said it was complete; it is then stored with a
fingerprint of all files that mention the name, and is stale as soon as one of them changes. What
a server says before it is ready is never stored.
"""

from __future__ import annotations

import time
from hashlib import blake2b

import msgspec

from surveyor.graph.exact.servers import Answered, Place
from surveyor.graph.facts import name_hash
from surveyor.graph.queries.lookup import Node, Stored

__all__ = ["fingerprint", "keep_answer", "known_answer"]

_PLACES = msgspec.msgpack.Decoder(list[Place])


async def known_answer(stored: Stored, node: Node, question: str) -> tuple[Answered, bool] | None:
    """What a server once said about a node, and whether that is still true."""
    row = await stored.state.one(
        """SELECT server, fingerprint, answer FROM graph_exact
           WHERE node_id = ? AND question = ?""",
        (node.node_id, question),
    )
    if row is None:
        return None
    fresh = row["fingerprint"] == await fingerprint(stored, node)
    answered = Answered(_PLACES.decode(row["answer"]), complete=True, server=row["server"])
    return answered, fresh


async def keep_answer(
    stored: Stored, node: Node, question: str, answered: Answered, before: bytes
) -> bool:
    """Store a complete answer if nothing changed while it was made; whether it was stored."""
    if not answered.complete or answered.unsaved_version is not None:
        return False
    if before != await fingerprint(stored, node):
        return False
    async with stored.state.transaction() as tx:
        await tx.execute(
            """INSERT OR REPLACE INTO graph_exact
                 (node_id, question, server, fingerprint, asked_at, answer)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6
               WHERE EXISTS (SELECT 1 FROM graph_nodes WHERE node_id = ?1)""",
            (
                node.node_id,
                question,
                answered.server,
                before,
                time.time(),
                msgspec.msgpack.encode(answered.places),
            ),
        )
    return True


async def fingerprint(stored: Stored, node: Node) -> bytes:
    """Changes when any file that mentions a node's name does, or the file that defines it."""
    rows = await stored.state.read(
        """SELECT f.path, f.content_hash FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND (f.path = ? OR instr(d.names, ?)) ORDER BY f.path""",
        (stored.checkout_id, node.path, name_hash(node.name)),
    )
    digest = blake2b(digest_size=16)
    for row in rows:
        digest.update(str(row[0]).encode() + b"\0" + bytes(row[1] or b"") + b"\n")
    return digest.digest()
