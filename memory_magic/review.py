"""Which facts are doubtful, the most doubtful first, with what to do about each. Pure; looking renews nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, overload

from memory_magic.display import named, remaining
from memory_magic.fact import Fact, status
from memory_magic.showing import shown_id
from memory_magic.times import span

OLD = timedelta(days=180)


@dataclass(frozen=True, repr=False)
class Doubt:
    """A fact and why it is doubtful, a few words each, the weightiest first."""

    fact: Fact
    reasons: tuple[str, ...]

    @property
    def commands(self) -> tuple[str, str, str]:
        """What deals with it: still true, true otherwise, or no longer."""
        line = shown_id(self.fact.id)
        return f"%memory confirm {line}", f"%memory edit {line}", f"%forget {line}"

    def __repr__(self) -> str:
        """Give the fact, the reasons, and the commands below."""
        return f"{named(self.fact)}: {', '.join(self.reasons)}\n    {'  '.join(self.commands)}"


@dataclass(frozen=True, repr=False)
class Review(Sequence[Doubt]):
    """The doubtful facts, the most doubtful first; ``total`` counts all facts that there are."""

    doubts: tuple[Doubt, ...]
    total: int

    @property
    def message(self) -> str:
        """One line on the result."""
        if not self.doubts:
            return "Nothing to review" + (f": {self.total} facts, none of them in doubt" if self.total > 1 else "")
        return f"{len(self.doubts)} of {self.total} to review; looking at them has renewed nothing"

    @overload
    def __getitem__(self, index: int) -> Doubt: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Doubt, ...]: ...
    def __getitem__(self, index: int | slice) -> Doubt | tuple[Doubt, ...]:
        return self.doubts[index]

    def __len__(self) -> int:
        return len(self.doubts)

    def __iter__(self) -> Iterator[Doubt]:
        return iter(self.doubts)

    def __repr__(self) -> str:
        """Give two lines a fact: why, and what to do."""
        return "\n".join([*map(repr, self.doubts), self.message])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 -- IPython's protocol
        printer.text(repr(self))


def review(facts: Iterable[Fact], now: datetime) -> Review:
    """Find the facts that are expired, expire within 7 days, are held for unlikely, or were not looked after for long.

    Expired ones come first, the longest expired at the top; then those that expire, the soonest first; then the
    least likely; then the oldest.
    """
    facts = list(facts)
    found = [(doubts, fact) for fact in facts if (doubts := sorted(_doubts(fact, now)))]
    found.sort(key=lambda pair: pair[0][0][:2])
    return Review(tuple(Doubt(fact, tuple(words for *_, words in doubts)) for doubts, fact in found), len(facts))


def _doubts(fact: Fact, now: datetime) -> Iterator[tuple[int, float, str]]:
    """Give each reason with its kind and its weight, both the smaller the weightier."""
    if fact.expires_at is not None and status(fact, now) in ("expired", "expiring"):
        left = (fact.expires_at - now).total_seconds()
        kind = 0 if left <= 0 else 1
        yield kind, left, f"expires {remaining(fact, now)}" if kind else remaining(fact, now)
    if fact.confidence < 50:
        yield 2, fact.confidence, f"confidence {fact.confidence} %"
    known = [moment for moment in (fact.created, fact.updated, fact.confirmed) if moment]
    if known and (age := now - max(known)) > OLD:
        yield 3, -age.total_seconds(), f"neither confirmed nor changed for {span(age.total_seconds())}"
