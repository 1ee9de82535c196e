"""What a client's user is asked: whether an agent may have a folder."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from surveyor.engine.projects.boundary import Consent
from surveyor.files.contained_paths import shown

log = logging.getLogger(__name__)

CONSENT_S = 300.0
"""How long the user may think about a folder; without an answer it is no."""
CONSENT_FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"index": {"type": "boolean", "title": "Index this folder", "default": False}},
    "required": ["index"],
}


def consent_of(ctx: ServerRequestContext[Any, Any]) -> Consent | None:
    """How the caller's user is asked; None where the client cannot."""
    declared = ctx.session.client_capabilities
    forms = declared.elicitation if declared is not None else None
    if forms is None or (forms.form is None and forms.url is not None):
        return None
    if not ctx.session.can_send_request:
        return None

    async def ask(folder: Path) -> bool:
        text = (
            f"An agent asks Surveyor to index {shown(str(folder))}, which is outside the folders"
            " of this session. It could then search and read the files there. Index it?"
        )
        try:
            async with asyncio.timeout(CONSENT_S):
                answer = await ctx.session.elicit_form(text, CONSENT_FORM, ctx.request_id)
        except Exception as error:  # whatever happened, nobody said yes
            log.info("the user was not asked about %s: %r", folder, error)
            return False
        return answer.action == "accept" and (answer.content or {}).get("index") is True

    return ask
