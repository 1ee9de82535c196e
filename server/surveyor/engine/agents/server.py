"""The MCP server: the SDK's low-level server around the tools, one for each agent.

Loaded in the engine once, in the background: importing the SDK takes most of a second. Nothing a
client sends ends in a stack trace: what we refuse is a tool error with what to do instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from surveyor import __version__
from surveyor.engine.agents import prompts, resources
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.client_roots import offer
from surveyor.engine.agents.elicitation import consent_of
from surveyor.engine.agents.results import describe, result_of
from surveyor.engine.agents.services import AgentServices
from surveyor.engine.agents.socket_messages import SocketMessages
from surveyor.engine.agents.tool_call import call_tool
from surveyor.engine.agents.tools import TOOLS
from surveyor.errors import SurveyorError
from surveyor.protocol.wire import clipped

log = logging.getLogger(__name__)

CHANGE_CHECK_S = 2.0
"""How often a session looks whether files or rules have changed, to tell its agent."""

LEVELS = get_args(types.LoggingLevel)
"""From debug to emergency."""

SESSION_HEADER = "mcp-session-id"
INVALID_PARAMS = -32602
RESOURCE_NOT_FOUND = -32002

Context = ServerRequestContext[Any, Any]


async def serve(
    agent: Agent,
    services: AgentServices,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    *,
    heard: Sequence[bytes] = (),
    answered: int | str | None = None,
) -> None:
    """Serve one relay until its stream ends, one JSON-RPC message a line.

    `heard` are lines that have been read already. The handshake among them may have been answered,
    by the id `answered`: the SDK's server hears it too, and its own answer is dropped.
    """
    server = AgentServer(agent, services.request_timeout)
    await server.prepare()
    lines = SocketMessages(services.touch, reader, writer, heard, answered)
    async with lines.streams() as (incoming, outgoing):
        watching = asyncio.create_task(server.watch())
        try:
            await server.sdk.run(incoming, outgoing, server.options())
        finally:
            watching.cancel()


class AgentServer:
    """The SDK's server for one agent."""

    def __init__(self, agent: Agent, request_timeout: Callable[[], float]) -> None:
        """`request_timeout` says how many seconds a call may take, as the settings are now."""
        self.agent = agent
        self._request_timeout = request_timeout
        self._agents: dict[str, Agent] = {}
        """Over HTTP, by session: those whose clients have said which folders are open."""
        self._connections: dict[str, tuple[ServerSession, set[str]]] = {}
        """Who is told of changes, and of which resources: one over a stream, many over HTTP."""
        self._bus = InMemorySubscriptionBus()
        self._level: types.LoggingLevel = "warning"
        with warnings.catch_warnings():
            # Deprecated for the newest protocol; the clients of today speak the older ones.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            self.sdk: Server[Any] = Server(
                "surveyor",
                version=__version__,
                title="Surveyor",
                on_list_tools=self._list_tools,
                on_call_tool=self._call_tool,
                on_list_prompts=self._list_prompts,
                on_get_prompt=self._get_prompt,
                on_list_resources=self._list_resources,
                on_list_resource_templates=self._list_templates,
                on_read_resource=self._read_resource,
                on_subscribe_resource=self._subscribe,
                on_unsubscribe_resource=self._unsubscribe,
                on_subscriptions_listen=ListenHandler(self._bus),
                on_completion=self._complete,
                on_set_logging_level=self._set_level,
                on_roots_list_changed=self._roots_changed,
            )
        self.sdk.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._initialized
        )

    async def prepare(self) -> None:
        """What has to be known before the handshake."""
        self.sdk.instructions = await self.agent.instructions()

    def options(self) -> Any:
        """What is said in the handshake."""
        return self.sdk.create_initialization_options(
            NotificationOptions(resources_changed=True, tools_changed=False)
        )

    # --- roots ------------------------------------------------------------------------------

    async def _initialized(self, ctx: Context, params: Any) -> None:
        self._subscriptions(ctx)
        if not self._agent_of(ctx).roots_said:
            await self._ask_roots(ctx)

    async def _roots_changed(self, ctx: Context, params: Any) -> None:
        await self._ask_roots(ctx)

    async def _ask_roots(self, ctx: Context) -> None:
        """Ask a client that has roots for them, without holding up what it asks of us."""
        capabilities = ctx.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return
        session, agent = ctx.session, await self._agent_for_roots(ctx)

        async def ask() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                answer = await session.send_request(
                    types.ListRootsRequest(), types.ListRootsResult, 10.0
                )
            for why in await offer(agent, [str(root.uri) for root in answer.roots]):
                await self._log(ctx, "warning", f"an open folder is no project: {why}")

        async def guarded() -> None:
            try:
                await ask()
            except Exception as error:
                log.info("an agent did not say its roots: %r", error)
                await agent.offer_roots([])

        self.agent.spawn(guarded())

    def _agent_of(self, ctx: Context) -> Agent:
        """The agent of a caller's session."""
        return self._agents.get(_session_id(ctx), self.agent)

    async def _agent_for_roots(self, ctx: Context) -> Agent:
        """As `_agent_of`; over HTTP one of its own: others on the address have other folders."""
        key = _session_id(ctx)
        if key and key not in self._agents:
            own = self._agents[key] = self.agent.twin()
            await own.open_own_roots(roots_follow=True)
        return self._agent_of(ctx)

    # --- tools ------------------------------------------------------------------------------

    async def _list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[describe(tool.described) for tool in TOOLS.values()])

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        own = self._agent_of(ctx)
        outcome = await call_tool(
            params.name,
            params.arguments,
            own,
            own.reporting(ctx.session.report_progress, consent_of(ctx)),
            self._request_timeout,
            partial(self._log, ctx),
        )
        return result_of(outcome)

    async def _log(self, ctx: Context, level: types.LoggingLevel, text: str) -> None:
        if LEVELS.index(level) < LEVELS.index(self._level):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            await ctx.session.send_log_message(level, text, "surveyor")

    # --- prompts ----------------------------------------------------------------------------

    async def _list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    title=prompt.title,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(name=name, description=about, required=required)
                        for name, about, required in prompt.arguments
                    ],
                )
                for prompt in prompts.PROMPTS.values()
            ]
        )

    async def _get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            text = prompts.render(params.name, params.arguments or {})
        except SurveyorError as error:
            raise MCPError(INVALID_PARAMS, clipped(error.sentence)) from error
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(
            description=prompts.PROMPTS[params.name].description, messages=[message]
        )

    # --- resources --------------------------------------------------------------------------

    async def _list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=uri, name=name, description=about, mime_type=mime)
                for uri, (name, about, mime) in resources.FIXED.items()
            ]
        )

    async def _list_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(uri_template=template, name=name, description=about)
                for template, (name, about) in resources.TEMPLATES.items()
            ]
        )

    async def _read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            agent = self._agent_of(ctx)
            await agent.ready()
            text, mime = await resources.read(agent, uri)
        except SurveyorError as error:
            raise MCPError(RESOURCE_NOT_FOUND, clipped(error.sentence)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, text=text, mime_type=mime)]
        )

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> Any:
        self._subscriptions(ctx).add(str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        self._subscriptions(ctx).discard(str(params.uri))
        return types.EmptyResult()

    async def _complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        values: list[str] = []
        if isinstance(params.ref, types.ResourceTemplateReference):
            with contextlib.suppress(SurveyorError):
                values = await resources.complete(
                    self._agent_of(ctx), str(params.ref.uri), params.argument.value
                )
        return types.CompleteResult(
            completion=types.Completion(values=values[: resources.COMPLETIONS], has_more=False)
        )

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> Any:
        self._level = params.level
        return types.EmptyResult()

    def _subscriptions(self, ctx: Context) -> set[str]:
        """What the caller's session has subscribed to."""
        key = _session_id(ctx)
        told: set[str] = self._connections[key][1] if key in self._connections else set()
        self._connections[key] = (ctx.session, told)
        return told

    def forget(self, session_id: str) -> None:
        """An HTTP session has ended."""
        self._connections.pop(session_id, None)
        self._agents.pop(session_id, None)

    async def watch(self) -> None:
        """Tell the agent when files or rules that it subscribed to have changed."""
        files: object = await self._fingerprint()
        rules: object = await self.agent.rules_fingerprint()
        while True:
            await asyncio.sleep(CHANGE_CHECK_S)
            try:
                now = await self._fingerprint()
                now_rules = await self.agent.rules_fingerprint()
                if now != files:
                    await self._changed(rules=False)
                if now_rules != rules:
                    await self._changed(rules=True)
                files, rules = now, now_rules
            except Exception as error:
                log.debug("a session could not look for changes: %r", error)

    async def _fingerprint(self) -> list[object]:
        return [await each.fingerprint() for each in (self.agent, *self._agents.values())]

    async def _changed(self, *, rules: bool) -> None:
        uris = [resources.RULES] if rules else [resources.PROJECT, resources.STATUS]

        def concerns(uri: str) -> bool:
            beneath = (resources.FILE, resources.SYMBOL)
            return uri in uris or (not rules and uri.startswith(beneath))

        sessions = [(each, [*filter(concerns, told)]) for each, told in self._connections.values()]
        for uri in {*uris, *(uri for _, told in sessions for uri in told)}:
            await self._bus.publish(ResourceUpdated(uri=uri))
        if rules:
            await self._bus.publish(ResourcesListChanged())
        for session, told in sessions:
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                for uri in told:
                    await session.send_resource_updated(uri)
                if rules:
                    await session.send_resource_list_changed()


def _session_id(ctx: Context) -> str:
    """The caller's session over HTTP; empty over a stream."""
    headers = getattr(ctx.request, "headers", None) or {}
    return str(headers.get(SESSION_HEADER, ""))
