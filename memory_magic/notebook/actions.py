"""``%memory`` and its actions: a look at the whole, the history, undo and redo."""

from __future__ import annotations

from memory_magic.display import quoted
from memory_magic.errors import InvalidError, UnknownActionError
from memory_magic.notebook.options import ACTIONS
from memory_magic.overview import Overview
from memory_magic.store import Store
from memory_magic.timeline import Reverted, Timeline


def run(store: Store, line: str) -> Overview | Timeline | Reverted:
    """Do what a line says; without any, give a look at the whole.

    Raises UnknownActionError that names the actions, InvalidError on a word too many, and what the store raises.
    """
    action, *words = line.split() or [""]
    if not action:
        return store.overview()
    if action not in ACTIONS:
        raise UnknownActionError(f"There is no action {quoted(action)}; there are {', '.join(ACTIONS)}")
    if words and action == "redo":
        raise InvalidError("redo takes back the latest undo, and only that; write nothing behind it")
    if len(words) > 1:
        raise InvalidError(f"{action} takes one word at most; leave out the rest")
    argument = words[0] if words else None
    if action == "history":
        return store.history(argument)
    if action == "redo":
        return store.redo()
    return store.undo(None if argument is None else _version(argument))


def _version(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidError("A change is named by its number, as the history shows it")
    return int(text)
