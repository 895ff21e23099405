"""What there is, at a glance: the file, its facts, its last change, and copies of it that hold something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_magic.changes import REDO, UNDO, Entry
from memory_magic.showing import shown_line, visible
from memory_magic.times import span


class Categories(dict[str, int]):
    """How many facts each category has; a repr shows no secret that a hand edit made a category."""

    def __repr__(self) -> str:
        return repr({shown_line(name): count for name, count in self.items()})


@dataclass(frozen=True, repr=False)
class Overview:
    """One look at a store. ``copies`` counts, for each copy beside the file, the facts that only it holds.

    A count of None means that the copy cannot be read.
    """

    path: Path
    now: datetime
    categories: Mapping[str, int]
    expired: int
    flagged: int
    last: Entry | None
    copies: Mapping[str, int | None]
    notices: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many facts there are, expired ones too."""
        return sum(self.categories.values())

    def __repr__(self) -> str:
        """Give a few lines of plain text."""
        kinds = ", ".join(f"{shown_line(name)} {count}" for name, count in self.categories.items())
        facts = "1 fact" if self.total == 1 else f"{self.total} facts"
        lines = [visible(str(self.path)), f"{facts}: {kinds}" if kinds else "No facts yet"]
        if self.expired:
            lines.append(f"{self.expired} expired (%recall --expired shows them, %forget --expired deletes them)")
        if self.flagged:
            lines.append(f"{self.flagged} with something to look at (marked where they are shown)")
        if self.last:
            ago = span((self.now - self.last.time).total_seconds())
            back = REDO if self.last.what == UNDO else UNDO
            lines.append(
                f"Last change: {self.last.what} by {self.last.writer}, {ago} ago (%memory {back} takes it back)"
            )
        for name, count in self.copies.items():
            lines.append(f"Beside it: {shown_line(name)}, {_only(count)}")
        return "\n".join([*lines, *self.notices])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 -- IPython's protocol
        printer.text(repr(self))


def _only(count: int | None) -> str:
    if count is None:
        return "a copy that cannot be read; look into it before you delete it"
    if not count:
        return "a copy that holds no fact of its own"
    facts = "1 fact" if count == 1 else f"{count} facts"
    return f"a copy with {facts} that only it holds; copy over what you want to keep"
