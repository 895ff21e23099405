"""What a change did to which fact, and how to take it back without touching anything else. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import is_
from typing import Any

from memory_magic.display import quoted
from memory_magic.errors import ConflictError
from memory_magic.fact import Fact, masked
from memory_magic.formats.choice import is_piece, piece
from memory_magic.formats.document import Document, Piece
from memory_magic.showing import shown_id
from memory_magic.times import read_instant, write_moment

UNDO, REDO, PURGE = "undo", "redo", "purge"


@dataclass(frozen=True, repr=False)
class Change:
    """One fact before and after: its piece of the file, or None; ``above`` is the fact that stood above it."""

    id: str
    before: str | None
    after: str | None
    above: str | None = None

    def facts(self) -> tuple[Fact | None, Fact | None]:
        """Give the fact before and after."""
        before, after = (None if raw is None else piece(raw).fact for raw in (self.before, self.after))
        return before, after

    def __repr__(self) -> str:
        """Name the fact, not its text, which may hold what is not to be shown."""
        return f"Change({self.id!r})"


@dataclass(frozen=True, repr=False)
class Entry:
    """One line of the history: which version a change replaced, when, by whom, and what it did.

    ``reverts`` is the version whose change an undo or a redo has reversed.
    """

    version: int
    time: datetime
    writer: str
    what: str
    changes: tuple[Change, ...] = field(default=())
    reverts: int | None = None

    def record(self) -> dict[str, Any]:
        """Give the entry as the history keeps it; the version is the history's to give."""
        values = {**vars(self), "time": write_moment(self.time), "changes": [vars(change) for change in self.changes]}
        del values["version"]
        return values

    @classmethod
    def read(cls, record: dict[str, Any]) -> Entry | None:
        """Read a record; None where it is not one of ours."""
        try:
            changes = tuple(Change(**change) for change in record.get("changes", ()))
            if not all(raw is None or is_piece(raw) for change in changes for raw in (change.before, change.after)):
                return None
            names = ("version", "writer", "what", "reverts")
            return cls(**{name: record.get(name) for name in names}, time=read_instant(record["time"]), changes=changes)  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def __repr__(self) -> str:
        """Give the entry without the texts of its facts."""
        return f"Entry({self.version}, {self.what!r} by {self.writer!r}, {list(self.changes)!r})"


def between(old: Document, new: Document) -> tuple[Change, ...]:
    """Give what happened to each fact; a section that only got its id written reads as before, and is none.

    What a first write owes to a text without headings, or to yolop's file, is not taken back with a change: the text
    before it is noted as it stands with its heading and id.
    """
    owed = old.with_ids().sections
    first, last = _differing(old.sections, new.sections)
    places = {old.facts[place].id: place for place in range(first, len(old.sections) - last)}
    new_places = {new.facts[place].id: place for place in range(first, len(new.sections) - last)}
    found = []
    for name in dict.fromkeys([*places, *new_places]):
        place, new_place = places.get(name), new_places.get(name)
        fact = None if place is None else old.facts[place]
        new_fact = None if new_place is None else new.facts[new_place]
        if fact != new_fact:
            raw = None if place is None else owed[place].raw
            new_raw = None if new_place is None else new.sections[new_place].raw
            found.append(Change(name, raw, new_raw, old.facts[place - 1].id if place else None))
    return tuple(found)


def _differing(old: Sequence[Piece], new: Sequence[Piece]) -> tuple[int, int]:
    """Count the sections at the beginning and at the end that two documents share, as the same objects."""
    first = _shared(old, new)
    return first, _shared(old[first:][::-1], new[first:][::-1])


def _shared(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    same = list(map(is_, one, other))
    return same.index(False) if False in same else len(same)


def undoable(entries: Iterable[Entry]) -> list[int]:
    """Give the versions whose changes stand, the latest last; ``entries`` come the latest first."""
    standing, _ = _stacks(entries)
    return standing


def redoable(entries: Iterable[Entry]) -> list[int]:
    """Give the versions of undos that nobody has taken back, the latest last."""
    _, undone = _stacks(entries)
    return undone


def _stacks(entries: Iterable[Entry]) -> tuple[list[int], list[int]]:
    standing: list[int] = []
    undone: list[int] = []
    undos: dict[int, int] = {}
    for entry in reversed(list(entries)):
        if entry.what == UNDO and entry.reverts in standing:
            standing.remove(entry.reverts)
            undone.append(entry.version)
            undos[entry.version] = entry.reverts
        elif entry.what == REDO and entry.reverts in undone:
            undone.remove(entry.reverts)
            standing.append(undos[entry.reverts])
        elif entry.changes and entry.what not in (UNDO, REDO):
            standing.append(entry.version)
    return standing, undone


def revert(document: Document, changes: Sequence[Change]) -> Document:
    """Give the document with each of the facts as it was before; everything else stays.

    Raises ConflictError where a fact has changed again since, or where a key has another fact by now.
    """
    document = document.with_ids()
    for change in reversed(changes):
        document = _revert(document, change)
    for change in changes:
        _refuse_taken_key(document, change.facts()[0], change.id)
    return document


def _revert(document: Document, change: Change) -> Document:
    before, after = change.facts()
    named = next((fact for fact in (after, before) if fact), None)
    title = quoted(masked(named).title) if named else ""
    places = [index for index, fact in enumerate(document.facts) if fact.id == change.id]
    current = document.sections[places[0]] if len(places) == 1 else None
    if len(places) > 1 or _content(current) != _content(None if change.after is None else piece(change.after)):
        raise ConflictError(
            f"{shown_id(change.id)} {title} has changed again since; nothing was taken back: edit it as you want it,"
            " or name another change by its number"
        )
    if change.before is None:
        return document.drop(places)
    if change.after is None:
        return document.bring_back(change.before, change.above)
    return document.set_back(places[0], change.before, change.after)


def _refuse_taken_key(document: Document, before: Fact | None, own: str) -> None:
    if before is None or before.key is None:
        return
    for fact in document.facts:
        if (fact.category, fact.key) == (before.category, before.key) and fact.id != own:
            raise ConflictError(
                f"{shown_id(fact.id)} has the key {before.key} by now; nothing was taken back, free the key first"
            )


def _content(found: Piece | None) -> object:
    return None if found is None else found.content
