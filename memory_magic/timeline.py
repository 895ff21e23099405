"""What the store answers about its history: the changes, and what an undo or a redo did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, overload

from memory_magic.changes import UNDO, Change, Entry
from memory_magic.display import named, quoted, remaining, with_notices
from memory_magic.fact import Fact, masked
from memory_magic.showing import shown_id, shown_line
from memory_magic.times import span, write_moment


@dataclass(frozen=True, repr=False)
class Timeline(Sequence[Entry]):
    """The changes, the latest first; with ``id``, those of one fact with its text before and after."""

    entries: tuple[Entry, ...]
    now: datetime
    id: str | None = None

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __repr__(self) -> str:
        """Give a line a change: its number, how long ago, by whom, and what it did to which fact."""
        lines = []
        for entry in self.entries:
            what = entry.what if entry.reverts is None else f"{entry.what} of {entry.reverts}"
            head = f"{entry.version:>4}  {_ago(entry, self.now):>10}  {entry.writer}: {what}"
            told = [_line(change) for change in entry.changes if self.id in (None, change.id)]
            lines += [f"{head}, {told[0]}"] if len(told) == 1 else [head, *(f"      {line}" for line in told)]
        return "\n".join(lines) if lines else "No change has been made through memory_magic yet"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 -- IPython's protocol
        printer.text(repr(self))


@dataclass(frozen=True, repr=False)
class Provenance:
    """Why a fact is known: where it comes from, and what has become of it. ``fact`` is None where it is gone."""

    fact: Fact | None
    history: Timeline
    now: datetime

    def __repr__(self) -> str:
        """Give the fact with all of its fields, then its changes."""
        return "\n".join([*self._lines(), "", "History", repr(self.history)])

    def _lines(self) -> Iterator[str]:
        if self.fact is None:
            yield f"{shown_id(self.history.id or '')} is forgotten (%memory undo NUMBER takes a change back)"
            return
        fact = masked(self.fact)
        yield named(fact)
        expires = remaining(fact, self.now) + (f" ({write_moment(fact.expires)})" if fact.expires else "")
        fields = {
            **{name: getattr(fact, name) for name in ("category", "key", "source")},
            "confidence": f"{fact.confidence} %",
            "expires": expires,
            **{name: getattr(fact, name) for name in ("context", "scope")},
            **{name: write_moment(at) for name in ("created", "updated", "confirmed") if (at := getattr(fact, name))},
        }
        yield from (f"    {name:<10}  {shown_line(value)}" for name, value in fields.items() if value)
        yield from (f"    ! {shown_line(flag)}" for flag in fact.flags)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 -- IPython's protocol
        printer.text(repr(self))


@dataclass(frozen=True, repr=False)
class Reverted:
    """The receipt of an undo or a redo: the change that was taken back, whose it was, and the facts as they are now.

    ``change`` is the number of the undo or the redo itself.
    """

    entry: Entry
    what: str
    now: datetime
    notices: tuple[str, ...] = ()
    change: int | None = None

    def __repr__(self) -> str:
        """Give one line: what was taken back, whose it was, and what became of its facts."""
        entry = self.entry
        by = f"by {entry.writer}, {_ago(entry, self.now)}"
        if self.what == UNDO:
            line = f"Undid change {entry.version} ({entry.what} {by})"
        else:
            line = f"Redid change {entry.reverts} (undone {by})"
        facts = ", ".join(_restored(change) for change in entry.changes)
        return with_notices(f"{line}: {facts}", self.notices)


def _ago(entry: Entry, now: datetime) -> str:
    return f"{span((now - entry.time).total_seconds())} ago"


def _line(change: Change) -> str:
    before, after = change.facts()
    if before is None and after is not None:
        return f"{shown_id(change.id)} added: {_text(after)}"
    if before is not None and after is None:
        return f"{shown_id(change.id)} forgotten: {_text(before)}"
    if before is None or after is None or before.text == after.text:
        return f"{shown_id(change.id)} changed in its fields: {quoted(masked(after).title if after else '')}"
    return f"{shown_id(change.id)} changed from {_text(before)} to {_text(after)}"


def _text(fact: Fact) -> str:
    return quoted(masked(fact).text)


def _restored(change: Change) -> str:
    before, after = change.facts()
    fact = before or after
    what = f"{shown_id(change.id)} {quoted(masked(fact).title if fact else '')}"
    if before is None:
        return f"{what} is gone again"
    return f"{what} is {'back' if after is None else 'as before'}"
