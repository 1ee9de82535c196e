"""Real language servers, driven as a client: process, session, documents, readiness, registry.

Everything here is dict or bytes in, bytes out, on asyncio. Results of requests stay raw JSON
(`msgspec.Raw`): only what Surveyor changes is decoded. `docs/decisions/upstream-client.md` says
why this is not pygls' client. This package knows nothing of the editor, the engine or the index;
the faces hand it an `UpstreamHost` and call an `UpstreamManager`.
"""
