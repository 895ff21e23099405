"""What Jupyter AI and other clients of ``jupyter-server-mcp`` get: ``recall_facts``, which reads, and nothing else.

``remember_fact`` and ``forget_fact`` are for those who name them in ``c.MCPExtensionApp.mcp_tools``.
"""

# The annotations are read at run time, in another module: they must be no strings.

import asyncio
from typing import Annotated, Any

from memory_magic.assistants import tools
from memory_magic.assistants.wording import NOTES, WRITING

# The entry point: installing the package gives no model anything to write with.
TOOLS = ["memory_magic.assistants.jupyter:recall_facts"]

_TABLE = {tool.name: tool for tool in WRITING[NOTES]}
_HELP = {(tool.name, argument.name): argument.help for tool in _TABLE.values() for argument in tool.arguments}


async def recall_facts(
    query: Annotated[str | None, _HELP["recall", "query"]] = None,
    id: Annotated[str | None, _HELP["recall", "id"]] = None,
    limit: Annotated[int | None, _HELP["recall", "limit"]] = None,
) -> dict[str, Any]:
    """Recall facts; a model reads the description of the table."""
    return await asyncio.to_thread(tools.call, "recall", {"query": query, "id": id, "limit": limit})


async def remember_fact(
    title: Annotated[str, _HELP["remember", "title"]],
    memory: Annotated[str, _HELP["remember", "memory"]],
    id: Annotated[str | None, _HELP["remember", "id"]] = None,
) -> dict[str, Any]:
    """Remember a fact; a model reads the description of the table."""
    return await asyncio.to_thread(tools.call, "remember", {"title": title, "memory": memory, "id": id})


async def forget_fact(id: Annotated[str, _HELP["forget", "id"]]) -> dict[str, Any]:
    """Forget a fact; a model reads the description of the table."""
    return await asyncio.to_thread(tools.call, "forget", {"id": id})


for _function, _name in ((recall_facts, "recall"), (remember_fact, "remember"), (forget_fact, "forget")):
    _function.__doc__ = _TABLE[_name].help
