"""What the store answers: values with a text and, for what is found, an HTML rendering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, overload

from memory_magic import display, markup, terminal
from memory_magic.fact import Fact


class Told(str):
    """A text for the person, shown as it stands."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))


@dataclass(frozen=True, repr=False)
class Saved:
    """The receipt of a write to one fact. ``created`` is True when it is new, ``previous`` is what it replaced.

    ``change`` is the number of the change, for ``undo``; None where nothing was written.
    """

    fact: Fact
    created: bool
    changed: bool
    previous: Fact | None = None
    notices: tuple[str, ...] = ()
    change: int | None = None

    def __repr__(self) -> str:
        """Give one line: what, id, category, what it replaced, any notice."""
        return display.saved_line(self.fact, self.previous, self.created, self.changed, self.notices)


@dataclass(frozen=True, repr=False)
class Forgotten:
    """The receipt of a deletion: the facts that are gone, and the number of the change, for ``undo``."""

    facts: tuple[Fact, ...]
    notices: tuple[str, ...] = ()
    change: int | None = None

    @property
    def count(self) -> int:
        """How many facts were deleted."""
        return len(self.facts)

    def __repr__(self) -> str:
        """Give one line: what is gone, and how many."""
        return display.forgotten_line(self.facts, self.notices)


@dataclass(frozen=True, repr=False)
class Found(Sequence[Fact]):
    """The facts found, best first; ``total`` counts all that match, ``truncated`` says that there are more.

    ``empty`` says why there are none, where it is not for the query.
    """

    facts: tuple[Fact, ...]
    total: int
    now: datetime
    query: str = ""
    approximate: bool = False
    near: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    empty: str = ""

    @property
    def truncated(self) -> bool:
        """Whether more facts match than are here."""
        return self.total > len(self.facts)

    @property
    def message(self) -> str:
        """One line on the result: how many, whether by substring only, near titles, any notice."""
        return display.found_message(
            len(self.facts),
            self.total,
            self.query,
            approximate=self.approximate,
            near=self.near,
            notices=self.notices,
            empty=self.empty,
        )

    @overload
    def __getitem__(self, index: int) -> Fact: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Fact, ...]: ...
    def __getitem__(self, index: int | slice) -> Fact | tuple[Fact, ...]:
        return self.facts[index]

    def __contains__(self, item: object) -> bool:
        """Say whether a fact, or the fact with an id, is here."""
        return any(item in (fact, fact.id) for fact in self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __repr__(self) -> str:
        """Give aligned plain text, as a terminal shows it."""
        return terminal.found_text(self.facts, self.message, self.now)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        return markup.found_html(self.facts, self.message, self.now)
