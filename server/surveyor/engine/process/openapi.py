"""The description of the HTTP interface: an OpenAPI 3.1 document, from the types of the messages.

What a property means is what the docstring under its field says, in the class or one that it comes
from; else what its name means everywhere (`protocol.field_meanings`).
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.engine.operations import Operations
from surveyor.engine.process.request_validation import LIMITS, MAX_ITEMS, MAX_NUMBER, NEEDED
from surveyor.protocol.base import Model
from surveyor.protocol.field_meanings import meaning

__all__ = ["describe_interface"]

OPERATION_ERRORS = {
    401: "A bearer token is needed (Windows only, where the socket is not private)",
    404: "What was asked for does not exist",
    413: "The request is longer than 64 MB",
    422: "The request cannot be served: the message says what is wrong with it",
    500: "A fault of the engine",
    503: "The vector store or the engine is away",
    504: "It took longer than `engine.request_timeout`",
    507: "The disk is full",
}
CHAT_ERRORS = {
    400: "The request cannot be served: the message says what is wrong with it",
    401: OPERATION_ERRORS[401],
    404: "No project is called so",
}
JSON = "application/json"


def describe_interface(operations: Operations) -> dict[str, Any]:
    """The whole interface: operations, chat completions, health and metrics."""
    types = [t for each in operations.values() for t in (each.request, each.request.answer)]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    described = dict(zip(types, schemas, strict=True))
    _describe_properties(components)
    for each in operations.values():
        _bound(components[each.request.__name__])
    paths = {
        f"/v1/{name}": {
            "post": {
                "operationId": name,
                "summary": (each.request.__doc__ or "").strip().split("\n")[0],
                "requestBody": {
                    "required": bool(components[each.request.__name__].get("required")),
                    **_content(described[each.request]),
                },
                "responses": _responses(described[each.request.answer], OPERATION_ERRORS, "Error"),
            }
        }
        for name, each in operations.items()
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Surveyor engine",
            "version": __version__,
            "description": "Served on a private Unix socket. Lines count from 1, columns from 0 in"
            " UTF-16 code units, paths are relative to a project's root unless said otherwise.",
        },
        "paths": {**paths, **_chat(), **_engine()},
        "components": {"schemas": {**components, **_ERRORS, **_CHAT}},
    }


def _bound(request: dict[str, Any]) -> None:
    """Say how large the values of a request may be (`request_validation`)."""
    for field, described in request.get("properties", {}).items():
        for one in described.get("anyOf", [described]):
            if one.get("type") == "integer":
                one["minimum"], one["maximum"] = LIMITS.get(field, (-MAX_NUMBER, MAX_NUMBER))
            elif one.get("type") in ("array", "object"):
                one["maxItems" if one["type"] == "array" else "maxProperties"] = MAX_ITEMS
            elif one.get("type") == "string" and field in NEEDED:
                one["minLength"] = 1


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {JSON: {"schema": schema}}}


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _responses(answer: dict[str, Any], errors: dict[int, str], error: str) -> dict[str, Any]:
    failed = _content(_reference(error))
    return {
        "200": {"description": "The answer", **_content(answer)},
        **{str(code): {"description": said, **failed} for code, said in errors.items()},
    }


def _text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": said, **more}


def _object(said: str, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": said,
        "properties": properties,
        "required": required,
    }


_ERRORS = {
    "Error": _object(
        "What went wrong, and what to do about it.",
        ["error"],
        error=_object(
            "The error.",
            ["message", "hint", "code"],
            message=_text("What went wrong."),
            hint=_text("What to do about it; may be empty."),
            code=_text("For programs."),
        ),
    ),
    "ChatError": _object(
        "An error as OpenAI's clients read it.",
        ["error"],
        error=_object(
            "The error.",
            ["message", "type", "code"],
            message=_text("What went wrong, and what to do about it."),
            type=_text("Always `invalid_request_error`."),
            code=_text("For programs."),
        ),
    ),
}

_CHAT = {
    "ChatCompletionRequest": _object(
        "A conversation; sampling is the configured model's own matter, other fields are ignored.",
        ["messages"],
        messages={
            "type": "array",
            "description": "The last one of the user is the question.",
            "items": _object(
                "A message.",
                ["role"],
                role=_text("`system`, `user` or `assistant`."),
                content={
                    "description": "A text, or parts of one.",
                    "anyOf": [
                        {"type": "string"},
                        {
                            "type": "array",
                            "items": _object(
                                "A part; those that are no text are left out.",
                                [],
                                type=_text("`text`."),
                                text=_text("The text."),
                            ),
                        },
                        {"type": "null"},
                    ],
                },
            ),
        },
        model=_text("A project, by its name; `surveyor`: the only one, or that of the header."),
        stream={"type": "boolean", "description": "Answer with server-sent events."},
    ),
    "ChatCompletion": _object(
        "An answer with what it rests on.",
        ["id", "object", "created", "model", "choices"],
        id=_text("Of this answer."),
        object=_text("`chat.completion`."),
        created={"type": "integer", "description": "Seconds since 1970."},
        model=_text("As it was asked for."),
        choices={
            "type": "array",
            "description": "One.",
            "items": _object(
                "The answer.",
                ["index", "message", "finish_reason"],
                index={"type": "integer", "description": "0."},
                message=_object(
                    "The message.",
                    ["role", "content"],
                    role=_text("`assistant`."),
                    content=_text("Words of the model, if one is set, and the cited pieces."),
                ),
                finish_reason=_text("`stop`."),
            ),
        },
        usage={"type": "object", "description": "Zeros: nothing is counted."},
    ),
    "ChatModels": _object(
        "Projects that can be asked.",
        ["object", "data"],
        object=_text("`list`."),
        data={
            "type": "array",
            "description": "`surveyor`, and the projects by name.",
            "items": _reference("ChatModel"),
        },
    ),
    "ChatModel": _object(
        "A project.",
        ["id", "object", "created", "owned_by"],
        id=_text("Its name."),
        object=_text("`model`."),
        created={"type": "integer", "description": "0."},
        owned_by=_text("`surveyor`."),
    ),
    "Health": _object(
        "That the engine lives.",
        ["status", "version", "protocol", "pid", "uptime_s"],
        status=_text("`starting` or `ok`."),
        version=_text("Version of Surveyor."),
        protocol={
            "type": "array",
            "description": "The oldest and the newest protocol of sessions that it speaks.",
            "items": {"type": "integer"},
        },
        pid={"type": "integer", "description": "Process id."},
        uptime_s={"type": "number", "description": "Seconds since it started."},
    ),
}


def _chat() -> dict[str, Any]:
    completed = _responses(_reference("ChatCompletion"), CHAT_ERRORS, "ChatError")
    completed["200"]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    return {
        "/v1/chat/completions": {
            "post": {
                "operationId": "chat_completions",
                "summary": "Answer a question as OpenAI's chat completions do.",
                "parameters": [
                    {
                        "name": "X-Surveyor-Project",
                        "in": "header",
                        "required": False,
                        "description": "Id, name or root of a project.",
                        "schema": {"type": "string"},
                    }
                ],
                "requestBody": {"required": True, **_content(_reference("ChatCompletionRequest"))},
                "responses": completed,
            }
        },
        "/v1/models": {
            "get": {
                "operationId": "chat_models",
                "summary": "Projects that can be asked, as models.",
                "responses": _responses(
                    _reference("ChatModels"), {401: CHAT_ERRORS[401]}, "ChatError"
                ),
            }
        },
        "/v1/models/{model}": {
            "get": {
                "operationId": "chat_model",
                "summary": "One of the projects that can be asked.",
                "parameters": [
                    {
                        "name": "model",
                        "in": "path",
                        "required": True,
                        "description": "Name of a project, or `surveyor`.",
                        "schema": {"type": "string", "minLength": 1},
                    }
                ],
                "responses": _responses(
                    _reference("ChatModel"),
                    {each: CHAT_ERRORS[each] for each in (401, 404)},
                    "ChatError",
                ),
            }
        },
    }


def _engine() -> dict[str, Any]:
    metrics = {
        "description": "Prometheus text",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    return {
        "/health": {
            "get": {
                "operationId": "health",
                "summary": "Whether the engine lives.",
                "responses": _responses(_reference("Health"), {}, "Error"),
            }
        },
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "What an operator would draw.",
                "responses": {"200": metrics},
            }
        },
        "/openapi.json": {
            "get": {
                "operationId": "openapi",
                "summary": "This document.",
                "responses": _responses({"type": "object"}, {}, "Error"),
            }
        },
    }


def _describe_properties(components: dict[str, Any]) -> None:
    """Give every property of the messages its description."""
    messages = {each.__name__: each for each in _below(Model)}
    for name, schema in components.items():
        for field, described in schema.get("properties", {}).items():
            if said := _said_of(messages[name], field):
                described["description"] = said


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _said_of(message: type, field: str) -> str | None:
    for owner in message.__mro__:
        if said := _field_docstrings(owner).get(field):
            return said
    for owner in message.__mro__:
        if field in getattr(owner, "__annotations__", {}):
            return meaning(owner.__name__, field)
    return None


@cache
def _field_docstrings(owner: type) -> dict[str, str]:
    """The string under each field of a class, which Python itself does not keep."""
    found: dict[str, str] = {}
    body = _classes(owner.__module__).get(owner.__name__, [])
    for at, statement in enumerate(body[:-1]):
        below = body[at + 1]
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            found[statement.target.id] = " ".join(below.value.value.split())
    return found


@cache
def _classes(module: str) -> dict[str, list[ast.stmt]]:
    if not module.startswith("surveyor."):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {each.name: each.body for each in tree.body if isinstance(each, ast.ClassDef)}
