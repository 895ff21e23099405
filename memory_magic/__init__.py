"""A memory for people who work in notebooks, and for their assistants: one Markdown file, many doors."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from memory_magic.assistants import tools
    from memory_magic.errors import MemoryMagicError
    from memory_magic.fact import Fact, Writer
    from memory_magic.notebook.apply import apply_frame
    from memory_magic.notebook.frame import frame
    from memory_magic.notebook.plot import plot
    from memory_magic.notebook.table import table
    from memory_magic.settings import config_schema, validate_config
    from memory_magic.store import Store, prompt_section

__version__ = "0.1.0"
__all__ = [
    "Fact",
    "MemoryMagicError",
    "Store",
    "Writer",
    "apply_frame",
    "config_schema",
    "frame",
    "plot",
    "prompt_section",
    "table",
    "tools",
    "validate_config",
]

_HOMES = {
    "Fact": "memory_magic.fact",
    "MemoryMagicError": "memory_magic.errors",
    "Store": "memory_magic.store",
    "Writer": "memory_magic.fact",
    "apply_frame": "memory_magic.notebook.apply",
    "config_schema": "memory_magic.settings",
    "frame": "memory_magic.notebook.frame",
    "plot": "memory_magic.notebook.plot",
    "prompt_section": "memory_magic.store",
    "table": "memory_magic.notebook.table",
    "validate_config": "memory_magic.settings",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    if name == "tools":
        return import_module("memory_magic.assistants.tools")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, the lazy ones too."""
    return sorted([*globals(), *__all__])


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Register the magics: ``%load_ext memory_magic``."""
    from memory_magic.notebook.magics import load

    load(ipython)


def unload_ipython_extension(ipython: InteractiveShell) -> None:
    """Take the magics away again and give IPython its own ``%recall`` back."""
    from memory_magic.notebook.magics import unload

    unload(ipython)
