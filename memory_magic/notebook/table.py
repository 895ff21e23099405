"""The table of the memory: a widget where there can be one, and the facts as they stand where there cannot."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_magic.errors import UnknownActionError
from memory_magic.fact import TABLE
from memory_magic.results import Found
from memory_magic.rows import matches
from memory_magic.store import Store

if TYPE_CHECKING:
    from memory_magic.notebook.widget import Table


def table(store: Store | None = None, query: str = "", *, static: bool = False) -> Table | Found:
    """Show the facts of a store in a table that can be edited, filtered by the words of ``query`` at first.

    With ``static``, and in a terminal, it is the facts themselves, the expired ones too: text, or HTML that a saved
    notebook keeps. Raises UnknownActionError where anywidget is not installed, and what reading raises.
    """
    store = store or Store()
    if static or not _has_pages():
        found = store.recall(limit=1)
        facts = tuple(fact for fact in store.facts() if matches(fact, query))
        return replace(found, facts=facts, total=len(facts), query=query.strip(), empty="")
    try:
        from memory_magic.notebook.widget import Table
    except ImportError as error:
        way = "install it (pip install anywidget), or write %memory table --static to see the facts without it"
        raise UnknownActionError(f"The table needs {error.name or 'anywidget'}; {way}") from None
    return Table(store.by(TABLE), query)


def _has_pages() -> bool:
    """Say whether there is a shell whose outputs are shown in pages: any but a terminal's."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    terminal = sys.modules.get("IPython.terminal.interactiveshell")
    shell = get_ipython()
    return shell is not None and not (terminal and isinstance(shell, terminal.TerminalInteractiveShell))
