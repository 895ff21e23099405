"""The MCP server, over standard input and output: ``memory-magic mcp``."""

from __future__ import annotations

import json
from functools import partial
from typing import Any
from urllib.parse import unquote

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memory_magic.assistants import answers, tools
from memory_magic.errors import MemoryMagicError, NotFoundError
from memory_magic.store import Store

TITLES, FACTS = "memory://titles", "memory://facts/"
_PROMPT = "memory"
_ABOUT_TITLES = "What the user has stored: how many facts, and the newest titles"


def serve(store: Store, vocabulary: str) -> None:
    """Serve one client over standard input and output, until it closes them."""

    async def run() -> None:
        server = build(store, vocabulary)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def build(store: Store, vocabulary: str) -> Server[Any]:
    """Make the server of a store; what it tells is read at each request, in a thread, so that it goes on listening."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        found = await run_sync(tools.definitions, "mcp", vocabulary, store)
        return types.ListToolsResult(tools=[types.Tool.model_validate(definition) for definition in found])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        answer = await run_sync(tools.call, params.name, params.arguments, store)
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=answer, is_error=not answer["ok"])

    async def list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
        titles = types.Resource(uri=TITLES, name="titles", description=_ABOUT_TITLES, mime_type="text/markdown")
        return types.ListResourcesResult(resources=[titles])

    async def list_templates(_context: Any, _params: Any) -> types.ListResourceTemplatesResult:
        fact = types.ResourceTemplate(
            uri_template=FACTS + "{id}", name="fact", description="One fact, whole", mime_type="application/json"
        )
        return types.ListResourceTemplatesResult(resource_templates=[fact])

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        kind, text = await run_sync(_told, partial(_resource, store, params.uri))
        content = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(_context: Any, _params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=_PROMPT, description=_ABOUT_TITLES)])

    async def get_prompt(_context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != _PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"There is one prompt, {_PROMPT}")
        section = await run_sync(_told, store.prompt_section)
        text = types.TextContent(type="text", text=section or "Nothing is stored yet.")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    return Server(
        "memory-magic",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _told(call: Any) -> Any:
    """Do what the protocol has no result for that could carry an error, and give the error as the protocol's own."""
    try:
        return call()
    except MemoryMagicError as error:
        raise MCPError(types.INVALID_PARAMS, answers.told_line(error.sentence)) from None


def _resource(store: Store, uri: str) -> tuple[str, str]:
    if uri == TITLES:
        return "text/markdown", str(store.prompt_section())
    if not uri.startswith(FACTS):
        raise NotFoundError(f"There are the resources {TITLES} and {FACTS}ID")
    found = store.recall(id=unquote(uri.removeprefix(FACTS)))
    fact, reason = found[0], answers.untold(found[0], found.now)
    if reason:
        raise NotFoundError(f"This fact is not told: {reason}")
    return "application/json", json.dumps(answers.as_note(fact), ensure_ascii=False)
