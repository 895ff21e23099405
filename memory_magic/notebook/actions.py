"""``%memory`` and its actions: the line becomes a call to the store, or to what the shell can do for a person."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Protocol

from memory_magic import settings
from memory_magic.display import quoted
from memory_magic.errors import EmptyTextError, InvalidError, NotFoundError, UnknownActionError
from memory_magic.fact import ID
from memory_magic.notebook import options
from memory_magic.notebook.options import ACTIONS
from memory_magic.prompt import TITLES
from memory_magic.results import Told
from memory_magic.showing import visible
from memory_magic.store import Store


class Desk(Protocol):
    """Where an action is done: the magics of a shell, or the command line, which has no shell."""

    shell: Any

    def store(self) -> Store:
        """Give the store that is in use."""


def run(desk: Desk, line: str) -> object:
    """Do what a line says; without any, give a look at the whole; with ``--help`` or ``?``, say what there is.

    Raises UnknownActionError that names the nearest action, InvalidError on what the action does not take, and what
    the store raises.
    """
    name, *rest = line.split(maxsplit=1)[:2] or [""]
    argument = "".join(rest).strip()
    if name.endswith("?") or argument in ("-h", "--help", "?"):
        return _help(_known(name.rstrip("?")))
    if not name:
        return desk.store().overview()
    return _ACTIONS[_known(name)](desk, argument)


def _known(name: str) -> str:
    if name in ACTIONS:
        return name
    close = get_close_matches(name, ACTIONS, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(ACTIONS)}"
    raise UnknownActionError(f"There is no action {quoted(name, 60)}; {hint}")


def _help(name: str) -> Told:
    action = ACTIONS[name]
    return Told(f"%memory {name} {action.takes}".strip() + f": {action.help}")


def _review(desk: Desk, rest: str) -> object:
    _nothing("review", rest)
    return desk.store().review()


def _confirm(desk: Desk, rest: str) -> object:
    ids = rest.replace(",", " ").split()
    store = desk.store()
    if len(ids) < 2 or rest in store or not all(ID.fullmatch(each) or each in store for each in ids):
        return store.confirm(rest)
    with store.batch() as batch:
        for each in dict.fromkeys(ids):
            batch.confirm(each)
    return Told("\n".join(map(repr, batch.results)))


def _why(desk: Desk, rest: str) -> object:
    return desk.store().why(rest)


def _prompt(desk: Desk, rest: str) -> object:
    return desk.store().prompt_section(_one("prompt", rest) or TITLES)


def _undo(desk: Desk, rest: str) -> object:
    return desk.store().undo(_version(_one("undo", rest)))


def _redo(desk: Desk, rest: str) -> object:
    _nothing("redo", rest)
    return desk.store().redo()


def _history(desk: Desk, rest: str) -> object:
    return desk.store().history(_one("history", rest))


def _where(desk: Desk, rest: str) -> object:
    _nothing("where", rest)
    return Told(visible(str(desk.store().path)))


def _config(desk: Desk, rest: str) -> object:
    _nothing("config", rest)
    known = settings.current()
    effective = {"path": str(desk.store().path), "read_only": known.is_read_only()}
    rows = [
        (name, visible(f"{effective.get(name, getattr(known, name))}".removesuffix(".0")), visible(known.origin(name)))
        for name in settings.NAMES
    ]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    return Told("\n".join(f"{name:<{first}}  {value:<{second}}  {origin}" for name, value, origin in rows))


def _edit(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.desk import edit

    if not rest:
        raise EmptyTextError("Nothing was named; give the id of the fact to edit")
    return edit(desk.store(), desk.shell, rest)


def _frame(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.frame import frame

    _nothing("frame", rest)
    return frame(desk.store())


def _apply(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.apply import apply_frame

    words = sorted(rest.split(), key=lambda word: not word.startswith("-"))  # an option may stand behind the name
    values, name = options.split(" ".join(words), options.APPLY)
    if name not in desk.shell.user_ns:
        raise NotFoundError(f"There is no variable {quoted(name, 60)}; name the DataFrame, as in %memory apply df")
    return apply_frame(desk.shell.user_ns[name], desk.store(), **values)


def _plot(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.plot import plot

    _nothing("plot", rest)
    return plot(desk.store())


def _use(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.desk import use

    return use(desk.store, rest)


def _autoload(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.autoload import switch

    return switch(desk.shell, rest)


def _table(desk: Desk, rest: str) -> object:
    from memory_magic.notebook.table import table

    values, query = options.split(rest, options.TABLE)
    return table(desk.store(), query, **values)


def _one(name: str, rest: str) -> str | None:
    """Give the one word that may stand behind an action."""
    if len(rest.split()) > 1:
        raise InvalidError(f"{name} takes one word at most; leave out the rest")
    return rest or None


def _nothing(name: str, rest: str) -> None:
    if rest:
        raise InvalidError(f"{name} takes nothing behind it; leave out {quoted(rest, 60)}")


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidError("A change is named by its number, as the history shows it")
    return int(text)


_ACTIONS: dict[str, Callable[[Desk, str], object]] = {
    "review": _review,
    "confirm": _confirm,
    "why": _why,
    "edit": _edit,
    "undo": _undo,
    "redo": _redo,
    "history": _history,
    "frame": _frame,
    "apply": _apply,
    "plot": _plot,
    "use": _use,
    "where": _where,
    "config": _config,
    "prompt": _prompt,
    "autoload": _autoload,
    "table": _table,
}
