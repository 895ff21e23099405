"""One memory file: views of it, changes to it, and its history. The store's calls all go through here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memory_magic import changes
from memory_magic import fact as rules
from memory_magic.changes import Entry
from memory_magic.edits import Edit
from memory_magic.errors import (
    BusyError,
    ConflictError,
    InvalidError,
    MemoryMagicError,
    NotFoundError,
    UnreadableError,
    UnwritableError,
)
from memory_magic.fact import Fact, Writer
from memory_magic.formats import choice
from memory_magic.formats.document import Document
from memory_magic.settings import MemorySettings
from memory_magic.storage import reading
from memory_magic.storage.local import ChangedError, LocalFile, Saving
from memory_magic.storage.reading import Snapshot
from memory_magic.times import whole_seconds
from memory_magic.view import View

_SECONDS = 10.0

_Result = TypeVar("_Result")


class MemoryFile:
    """The file of a store, with what was last read of it."""

    def __init__(
        self,
        path: Path,
        settings: MemorySettings,
        writer: Writer,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self.path, self.settings, self.writer = path, settings, writer
        self._clock, self._new_id = clock, new_id
        self._file = LocalFile(path)
        self._seen: View | None = None

    def now(self) -> datetime:
        """Give the time of the store's clock, in UTC and whole seconds."""
        return whole_seconds(self._clock())

    def view(self) -> View:
        """Give the file as it is now, read; raises UnreadableError."""
        seen = self._seen
        return self._look(self._file.read(seen.snapshot if seen else None))

    def _look(self, snapshot: Snapshot) -> View:
        """Read a snapshot; what was read of the last one is kept where it is the same."""
        seen, now, chars = self._seen, self.now(), self.settings.note_chars
        if seen and (snapshot is seen.snapshot or snapshot.data == seen.snapshot.data):
            if not seen.holds_for(chars):
                view = View(snapshot, seen.document, now, chars)
            else:
                view = seen if snapshot is seen.snapshot else seen.at(snapshot)
        else:
            document = self._parse(snapshot.data or b"", seen.document if seen else None)
            view = View(snapshot, document, now, chars)
        self._seen = view
        return view

    def _parse(self, data: bytes, before: Document | None) -> Document:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            number = data.count(b"\n", 0, error.start) + 1
            raise UnreadableError(
                "The memory file is not UTF-8; save it as UTF-8", path=self.path, detail=f"line {number}"
            ) from None
        # Every other byte is zero in UTF-16 text that is mostly ASCII, which is valid UTF-8 too.
        even, odd = set(text[:200:2]), set(text[1:200:2])
        if {"\0"} in (even, odd) and even != odd:
            raise UnreadableError("The memory file looks like UTF-16; save it as UTF-8", path=self.path)
        try:
            return choice.parse(self.path, text, before)
        except MemoryMagicError as error:
            error.path = os.fspath(self.path)  # of which a format knows nothing but its ending
            raise

    def by(self, writer: Writer) -> MemoryFile:
        """Give the same file for another writer, with what has been read of it."""
        made = copy(self)
        made.writer = writer
        return made

    def change(self, call: Callable[[Edit], _Result], what: str) -> tuple[_Result, tuple[str, ...], int | None]:
        """Apply a change to the file as it is now, and start again where somebody else was quicker.

        Gives the call's result, notices, and the number of the change where one was written that can be taken back.
        Raises what the call raises, and BusyError, ConflictError, UnreadableError, UnwritableError; the file is as it
        was then.
        """
        self._refuse_read_only()
        if not os.path.isdir(self.path.parent):
            # A call that cannot succeed makes no folder.
            call(Edit(choice.parse(self.path, ""), self.now(), self.writer))
        deadline = time.monotonic() + _SECONDS
        notices: list[str] = []
        while time.monotonic() < deadline:
            with self._file.saving() as saving:
                saving.notices[:0] = notices
                try:
                    result = self._attempt(saving, call, what)
                except ChangedError:
                    notices = saving.notices
                else:
                    return result, tuple(saving.notices), None if what == changes.PURGE else saving.number
        raise BusyError(
            "The memory file kept changing for 10 seconds; save it in the editor and try again", path=self.path
        )

    def _attempt(self, saving: Saving, call: Callable[[Edit], _Result], what: str) -> _Result:
        view = self._look(saving.base)
        if trouble := view.document.trouble:
            sentence = f"The memory file holds {trouble.holds}; {trouble.remedy}, nothing was saved"
            raise trouble.error(sentence, path=self.path, detail=trouble.where)
        edit = Edit(view.document, self.now(), self.writer, self._new_id)
        try:
            result = call(edit)
            if edit.document is view.document:
                return result
            data = edit.document.data()
        except ConflictError as error:
            error.path = os.fspath(self.path)  # which those who raise it do not know
            raise
        made = () if what == changes.PURGE else changes.between(view.document, edit.document)
        entry = Entry(0, edit.now, self.writer.name, what, made, edit.reverts)
        self._seen = None
        snapshot = saving.publish(data, entry.record())
        if snapshot.data is not None:
            self._seen = View(snapshot, edit.document, edit.now, self.settings.note_chars)
        return result

    def copies(self) -> dict[str, int | None]:
        """Count, for each copy beside the file, the facts that only it holds; None for one that cannot be read."""
        held = {rules.fold(fact.text) for fact in self.view().document.facts}
        found: dict[str, int | None] = {}
        for path in self._file.copies():
            try:
                facts = self._parse(reading.read(path).data or b"", None).facts
                found[path.name] = sum(rules.fold(fact.text) not in held for fact in facts)
            except MemoryMagicError:
                found[path.name] = None
        return found

    def entries(self) -> list[Entry]:
        """Give the history, the latest change first."""
        found = (Entry.read(record) for record in self._file.history().records())
        return [entry for entry in found if entry is not None and entry.changes]

    def revert(self, version: int | None, what: str) -> tuple[Entry, tuple[str, ...], int | None]:
        """Take a change back (``undo``), or an undo (``redo``): the latest one, or the named one.

        Raises NotFoundError where there is none, ConflictError where one of its facts has changed again since.
        """

        def call(edit: Edit) -> Entry:
            entries = {entry.version: entry for entry in self.entries()}
            candidates = (changes.undoable if what == changes.UNDO else changes.redoable)(entries.values())
            if version is None and not candidates:
                raise NotFoundError(f"There is nothing to {what}")
            edit.reverts = candidates[-1] if version is None else version
            if edit.reverts not in candidates:
                raise NotFoundError(f"There is no change {version} to {what}; look at the history for the numbers")
            edit.document = changes.revert(edit.document, entries[edit.reverts].changes)
            return entries[edit.reverts]

        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise InvalidError("A change is named by its number, as the history shows it")
        return self.change(call, what)

    def purge(self, facts: Collection[Fact]) -> None:
        """Take facts out of the history: out of every kept version, and out of every record.

        A hand-written section that had another title in an earlier version is known by its text.
        """
        self._refuse_read_only()
        ids, texts = {fact.id for fact in facts}, {fact.text for fact in facts}

        def change_text(text: str) -> str | None:
            try:
                document = choice.parse(self.path, text)
            except MemoryMagicError:
                return None
            if document.trouble and document.trouble.error is UnreadableError:
                return None
            pairs = enumerate(zip(document.facts, document.sections, strict=True))
            places = [
                index
                for index, (fact, section) in pairs
                if fact.id in ids or (not section.fact.id and fact.text in texts)
            ]
            return document.drop(places).render() if places else text

        def change_record(record: dict[str, object]) -> dict[str, object] | None:
            entry = Entry.read({"version": 0, **record})
            if entry is None:
                return None
            return replace(entry, changes=tuple(c for c in entry.changes if c.id not in ids)).record()

        with self._file.saving() as saving:
            saving.purge(change_text, change_record)

    def _refuse_read_only(self) -> None:
        if self.settings.is_read_only():
            raise UnwritableError("The memory is read-only here (setting read_only); nothing was saved", path=self.path)
