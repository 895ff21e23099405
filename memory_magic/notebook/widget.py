"""The table as a widget: an ES module in the page, and messages between it and the memory; no fact is in a trait."""

from __future__ import annotations

import re
import threading
from importlib.resources import files
from typing import Any

from anywidget import AnyWidget

from memory_magic.answers import answer
from memory_magic.errors import MemoryMagicError
from memory_magic.notebook.watch import Watch
from memory_magic.store import Store

# A page says hello at once; where none has for so long, the front end most likely lacks what shows widgets.
_PATIENCE = 8.0

_WEB = files("memory_magic") / "web"
_SCRIPTS = (
    "facts.js",
    "elements.js",
    "editors.js",
    "rows.js",
    "grid.js",
    "listing.js",
    "toolbar.js",
    "table.js",
    "widget.js",
)
_IMPORT = re.compile(r"^import .*\n|^export (?!default)", re.MULTILINE)


def script() -> str:
    """Give the modules of the page as one, which is what a widget can hold."""
    return "".join(_IMPORT.sub("", (_WEB / name).read_text("utf-8")) for name in _SCRIPTS)


class Table(AnyWidget):
    """The facts of a store in a table that can be edited; ``query`` is what it is filtered by at first.

    ``close`` ends the thread that watches the file, as does the last page that stops to show the table.
    """

    _esm = script()
    _css = (_WEB / "table.css").read_text("utf-8")

    def __init__(self, store: Store, query: str = "") -> None:
        super().__init__()
        self._store, self._query = store, query
        self._watch = Watch(store, lambda view, state: self.send({"view": view, "state": state}))
        self._line: Any = None
        self._heard, self._told = threading.Event(), False
        self._waiting: threading.Thread | None = None
        self.on_msg(self._hear)

    def close(self) -> None:
        """End the watching, and take the table out of all pages."""
        self._watch.close()
        super().close()

    def __repr__(self) -> str:
        """Name the file, not what is in it."""
        return f"Table({str(self._store.path)!r})"

    def _hear(self, _: object, message: dict[str, Any], __: object) -> None:
        """Hear from a page: that it is there, that it goes, or what it asks for."""
        view = str(message.get("view"))
        if message.get("hello"):
            self.send({"view": view, "query": self._query})
            self._watch.join(view)
            self._answered()
        elif message.get("bye"):
            self._watch.leave(view)
        else:
            self._reply(view, message)

    def _reply(self, view: str, message: dict[str, Any]) -> None:
        # Whatever comes between, an error of ours or the stop button: the page must not wait for ever.
        said: dict[str, Any] = {"ok": False, "code": "", "message": "It was interrupted; look whether it is done"}
        try:
            said = answer(self._store, message.get("request"))
        finally:
            self.send({"view": view, "number": message.get("number"), "answer": said})
            self._watch.look()

    def _ipython_display_(self, **_: object) -> None:
        """Show one line, which a saved notebook keeps, and below it the table, which it does not."""
        from IPython.display import display, publish_display_data

        self._line = display({"text/plain": self._said()}, raw=True, display_id=True)
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        publish_display_data(
            {"application/vnd.jupyter.widget-view+json": view, "text/plain": "The table of the memory"}
        )
        self._waiting = threading.Thread(target=self._wait, name="memory_magic table waits", daemon=True)
        try:
            self._waiting.start()
        except RuntimeError:  # a browser's Python has no threads
            self._waiting = None

    def _said(self) -> str:
        try:
            count = len(self._store)
        except MemoryMagicError as error:
            return error.sentence
        facts = "1 fact" if count == 1 else f"{count} facts"
        return f"{facts} in the memory. If no table is below, run this cell again"

    def _wait(self) -> None:
        """Tell the way out where no page says hello."""
        if not self._heard.wait(_PATIENCE):
            way = "run this cell again, or write %memory table --static to see the facts without it"
            self._line.update({"text/plain": f"No page has shown the table yet: {way}"}, raw=True)
            self._told = True

    def _answered(self) -> None:
        self._heard.set()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.join()
        if self._told:
            self._told = False
            self._line.update({"text/plain": self._said()}, raw=True)
