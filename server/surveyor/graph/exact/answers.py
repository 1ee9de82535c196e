"""Exact answers that are kept, and for how long they are true.

An answer is `exact` only when the server said it was complete; it is then stored with a
fingerprint of all files that mention the name, and is stale as soon as one of them changes. What
a server says before it is ready is never stored.
"""

from __future__ import annotations

import time
from hashlib import blake2b

import msgspec

from surveyor.graph.exact.servers import ExactReply, Place
from surveyor.graph.facts import name_hash
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.store.state.graph.documents import contents_mentioning
from surveyor.store.state.graph.exact import ExactAnswer, find_answer, insert_answer

__all__ = ["fingerprint", "keep_answer", "known_answer"]

_PLACES = msgspec.msgpack.Decoder(list[Place])


async def known_answer(
    stored: StoredGraph, node: Node, question: str
) -> tuple[ExactReply, bool] | None:
    """What a server once said about a node, and whether that is still true."""
    found = await find_answer(stored.state, node.node_id, question)
    if found is None:
        return None
    fresh = found.fingerprint == await fingerprint(stored, node)
    answered = ExactReply(_PLACES.decode(found.answer), complete=True, server=found.server)
    return answered, fresh


async def keep_answer(
    stored: StoredGraph, node: Node, question: str, answered: ExactReply, before: bytes
) -> bool:
    """Store a complete answer if nothing changed while it was made; whether it was stored."""
    if not answered.complete or answered.unsaved_version is not None:
        return False
    if before != await fingerprint(stored, node):
        return False
    said = ExactAnswer(answered.server, before, msgspec.msgpack.encode(answered.places))
    await insert_answer(stored.state, node.node_id, question, said, time.time())
    return True


async def fingerprint(stored: StoredGraph, node: Node) -> bytes:
    """Changes when any file that mentions a node's name does, or the file that defines it."""
    mentioned = name_hash(node.name)
    digest = blake2b(digest_size=16)
    for path, content_hash in await contents_mentioning(
        stored.state, stored.checkout_id, mentioned, node.path
    ):
        digest.update(path.encode() + b"\0" + content_hash + b"\n")
    return digest.digest()
