"""``%memory`` and its actions: the line becomes a call to the store or to what a notebook adds to it."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Protocol

from memory_magic.display import quoted
from memory_magic.errors import InvalidError, UnknownActionError
from memory_magic.notebook.options import ACTIONS
from memory_magic.store import Store


class Desk(Protocol):
    """Where an action is done: the magics of a shell, or the command line."""

    def store(self) -> Store:
        """Give the store that is in use."""


def run(desk: Desk, line: str) -> object:
    """Do what a line says; without any, give a look at the whole.

    Raises UnknownActionError that names the nearest action, InvalidError on what the action does not take, and what
    the store raises.
    """
    name, _, rest = line.strip().partition(" ")
    if not name:
        return desk.store().overview()
    if name not in ACTIONS:
        close = get_close_matches(name, ACTIONS, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(ACTIONS)}"
        raise UnknownActionError(f"There is no action {quoted(name)}; {hint}")
    return _ACTIONS[name](desk, rest.strip())


def _undo(desk: Desk, rest: str) -> object:
    return desk.store().undo(_version(_one("undo", rest)))


def _redo(desk: Desk, rest: str) -> object:
    if rest:
        raise InvalidError("redo takes back the latest undo, and only that; write nothing behind it")
    return desk.store().redo()


def _history(desk: Desk, rest: str) -> object:
    return desk.store().history(_one("history", rest))


def _one(name: str, rest: str) -> str | None:
    """Give the one word that may stand behind an action."""
    if len(rest.split()) > 1:
        raise InvalidError(f"{name} takes one word at most; leave out the rest")
    return rest or None


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidError("A change is named by its number, as the history shows it")
    return int(text)


_ACTIONS: dict[str, Callable[[Desk, str], object]] = {"undo": _undo, "redo": _redo, "history": _history}
