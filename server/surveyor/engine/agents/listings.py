"""What there is for an agent to ask for, as the protocol lists it: tools, prompts and resources.

Without the SDK's types, which are imported for what only they are needed for; a test compares the
two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surveyor.engine.agents import prompts, resources
from surveyor.protocol.tools import listed_tools


def _prompts() -> dict[str, Any]:
    return {"prompts": [_prompt(each) for each in prompts.PROMPTS.values()]}


def _prompt(prompt: prompts.Prompt) -> dict[str, Any]:
    arguments = [
        {"name": name, "description": about, "required": required}
        for name, about, required in prompt.arguments
    ]
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": arguments,
    }


def _resources() -> dict[str, Any]:
    listed = [
        {"name": name, "uri": uri, "description": about, "mimeType": mime}
        for uri, (name, about, mime) in resources.FIXED.items()
    ]
    return {"resources": listed}


def _templates() -> dict[str, Any]:
    listed = [
        {"name": name, "uriTemplate": template, "description": about}
        for template, (name, about) in resources.TEMPLATES.items()
    ]
    return {"resourceTemplates": listed}


LISTED: dict[str, Callable[[], dict[str, Any]]] = {
    "ping": dict,
    "tools/list": lambda: {"tools": listed_tools()},
    "prompts/list": _prompts,
    "resources/list": _resources,
    "resources/templates/list": _templates,
}
"""Results of requests that are the same for every agent."""
