"""Watching a memory for the pages that show it: they get all rows once, and then what has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from memory_magic.answers import about
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact, status
from memory_magic.rows import Row, keyed, row
from memory_magic.showing import visible
from memory_magic.store import Store

Send = Callable[[str | None, dict[str, Any]], None]

# A change is to be seen within a second; a look where nothing has changed costs one stat.
_SECONDS = 0.5
# A page is painted before the rest of the file has been made into rows, and in a large one, before it has been read.
_FIRST, _PIECE, _LARGE = 50, 500, 1_000


class Watch:
    """A thread that looks at the file while a page shows it, and ends when none does.

    ``send(view, state)`` is called on that thread; without a view the state is meant for all of them. A state is what
    ``about`` gives, with ``rows`` that are new or other, the ``order`` of all where that is another one, and how many
    rows are still to come (``more``); the first ones have ``reset``. Where the file cannot be read, it is a sentence,
    ``trouble``.
    """

    def __init__(self, store: Store, send: Send) -> None:
        self._store, self._send = store, send
        self._lock = threading.Lock()
        self._views: set[str] = set()
        self._thread: threading.Thread | None = None
        self._wake, self._ended = threading.Event(), threading.Event()
        self._forget_all()

    def join(self, view: str) -> None:
        """Show everything to a page, and from then on what changes."""
        with self._lock:
            self._views.add(view)
        self.look()

    def leave(self, view: str) -> None:
        """Leave out a page that has gone; with the last one the thread ends."""
        with self._lock:
            self._views.discard(view)
        if not self._views:
            self.close()

    def look(self) -> None:
        """Look at the file now: on the thread or, where the system has none, here."""
        if self._views and not (self._thread and self._thread.is_alive()):
            self._ended.clear()
            thread = threading.Thread(target=self._run, name="memory_magic table", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # a browser's Python has no threads
                self._look()
                return
            self._thread = thread
        self._wake.set()

    def close(self) -> None:
        """End the thread, and drop what it has read."""
        self._ended.set()
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        self._views.clear()
        self._forget_all()

    def _forget_all(self) -> None:
        """Know nothing of what the pages know."""
        self._shown: set[str] = set()
        self._warned: set[str] = set()
        self._facts: dict[str, Fact] = {}
        self._statuses: dict[str, str] = {}
        self._rows: dict[str, Row] = {}
        self._told: dict[str, Any] = {}

    def _run(self) -> None:
        while not self._ended.is_set():
            self._wake.clear()
            self._look()
            self._wake.wait(_SECONDS)

    def _look(self) -> None:
        with self._lock:
            new = self._views - self._shown
            self._shown &= self._views
        try:
            if new and not self._facts and len(self._store) > _LARGE:
                self._begin(new)
            facts, found = keyed(self._store.facts()), self._store.recall(limit=1)
        except MemoryMagicError as error:
            told = {"trouble": visible(error.sentence)}
            for view in (None,) if told != self._told else new - self._warned:
                self._send(view, told)
            self._told, self._warned = told, self._warned | new
            return
        self._warned = set()
        told, order = about(self._store, found.notices), list(facts)
        now = told.pop("now")
        moved, changed = order != list(self._facts), self._take(facts, found.now)
        if self._shown and (moved or changed or told != self._told):
            self._show(None, {**told, "now": now, **({"order": order} if moved else {})}, changed, found.now)
        self._told = told
        for view in new:
            self._show(view, {**told, "now": now, "order": order, "reset": True}, order, found.now)
            self._shown.add(view)

    def _begin(self, views: set[str]) -> None:
        """Show what stands first in a large file, which can be said before all of it has been read."""
        now, first = self._store.now(), keyed(self._store.first(_FIRST))
        rows = [row(fact, now, name) for name, fact in first.items()]
        state = {**about(self._store, ()), "order": list(first), "rows": rows, "reset": True}
        for view in views:
            self._send(view, {**state, "more": len(self._store) - len(rows)})

    def _take(self, facts: dict[str, Fact], now: datetime) -> list[str]:
        """Know these facts from now on; gives the names of those that are new or other, or have another status now."""
        before, was = self._facts, self._statuses
        self._facts, self._statuses = facts, {name: status(fact, now) for name, fact in facts.items()}
        changed = [
            name
            for name, fact in facts.items()
            if not _same(before.get(name), fact) or was[name] != self._statuses[name]
        ]
        gone = [*changed, *(before.keys() - facts.keys())]
        for name in gone:
            self._rows.pop(name, None)
        return changed

    def _show(self, view: str | None, state: dict[str, Any], names: Sequence[str], now: datetime) -> None:
        """Send the rows with these names, in pieces."""
        start, size = 0, _FIRST
        while not self._ended.is_set():
            piece, left = names[start : start + size], max(0, len(names) - start - size)
            rows = [self._row(name, now) for name in piece]
            self._send(view, {**state, "rows": rows, "more": left})
            if not left:
                return
            state, start, size = {}, start + size, _PIECE

    def _row(self, name: str, now: datetime) -> Row:
        if name not in self._rows:
            self._rows[name] = row(self._facts[name], now, name)
        return self._rows[name]


def _same(before: Fact | None, fact: Fact) -> bool:
    return before is fact or (before == fact and before is not None and before.version == fact.version)
