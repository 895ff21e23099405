"""The plugin for ``llm``: ``-T Memory`` gives a model the tools, ``-f memory:`` tells it the notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import llm

from memory_magic.assistants import tools
from memory_magic.errors import InvalidError
from memory_magic.prompt import NOTES
from memory_magic.store import Store, prompt_section


class Memory(llm.Toolbox):
    """Facts that outlast a conversation: remember, recall, forget. ``store`` is a path, by default your own memory."""

    def __init__(self, store: str | None = None) -> None:
        self._store = Store(store)

    def tools(self) -> Iterator[llm.Tool]:
        """Give the tools as they are defined for all models; only the reading one where models may not write."""
        for tool in tools.definitions("mcp", store=self._store):
            name, call = f"Memory_{tool['name']}", self._caller(tool["name"])
            yield llm.Tool(name, tool["description"], tool["inputSchema"], call, getattr(self, "plugin", None))

    @classmethod
    def method_tools(cls) -> list[llm.Tool]:
        """Give the tools of your own memory, for ``llm tools``."""
        return list(cls().tools())

    def _caller(self, name: str) -> Callable[..., str]:
        def call(**arguments: Any) -> str:
            return json.dumps(tools.call(name, arguments, self._store), ensure_ascii=False)

        return call


def _load(style: str) -> llm.Fragment:
    try:
        return llm.Fragment(prompt_section(style=style or NOTES), f"memory:{style}")
    except InvalidError as error:
        raise ValueError(error.sentence) from None


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Offer the toolbox; it is used only where somebody asks for it."""
    register(Memory)


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    """Load ``memory:`` (the notes) and ``memory:titles``."""
    register("memory", _load)
