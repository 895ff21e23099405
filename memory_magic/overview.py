"""What there is, at a glance: the file, its facts, and what a person should look at, with what deals with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_magic.changes import REDO, UNDO, Entry
from memory_magic.display import named, remaining
from memory_magic.fact import Fact, masked, status
from memory_magic.showing import shown_id, shown_line, typed_id, visible
from memory_magic.times import span

_LISTED = 5
# What a flag on a fact begins with, and the command that puts it right.
_REMEDIES = (
    (
        re.compile(r"(category|key|source|confidence|expires|context|scope|title) in the"),
        r"%remember --id {id} --\1 VALUE",
    ),
    (re.compile(r"another fact has the id"), "give one of the two another id in the file, or take it out there"),
    (re.compile(r"another fact in"), "%remember --id {id} --key ANOTHER_KEY"),
    (re.compile(r"the title"), "%remember --id {id} --title TITLE"),
    (re.compile(r"the (?:body|text)"), "%memory edit {line}"),
    (re.compile(r""), "put it right in the file"),
)


class Categories(dict[str, int]):
    """How many facts each category has; a repr shows no secret that a hand edit made a category."""

    def __repr__(self) -> str:
        return repr({shown_line(name): count for name, count in self.items()})


@dataclass(frozen=True, repr=False)
class Overview:
    """One look at a store: its facts, newest first, and what else there is to say about the file.

    ``soft_cap`` is the number of facts from which tidying up is advised, 0 for none. ``prose_line`` is where text
    before the first section begins. ``copies`` counts, for each copy beside the file, the facts that only it holds; a
    count of None means that the copy cannot be read.
    """

    path: Path
    now: datetime
    facts: Sequence[Fact]
    categories: Mapping[str, int]
    soft_cap: int
    prose_line: int | None
    last: Entry | None
    copies: Mapping[str, int | None]
    notices: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many facts there are, expired ones too."""
        return len(self.facts)

    @property
    def expiring(self) -> list[Fact]:
        """The facts that expire within 7 days, the soonest first."""
        return self._with_status("expiring")

    @property
    def expired(self) -> list[Fact]:
        """The facts that have expired, the longest expired first."""
        return self._with_status("expired")

    def _with_status(self, wanted: str) -> list[Fact]:
        found = [(fact.expires_at, fact) for fact in self.facts if status(fact, self.now) == wanted]
        return [fact for _, fact in sorted(found, key=lambda pair: str(pair[0]))]

    def __repr__(self) -> str:
        """Give a few lines of plain text."""
        return "\n".join([visible(str(self.path)), self._counts(), *self._time(), *self._trouble(), *self._rest()])

    def _counts(self) -> str:
        kinds = ", ".join(f"{shown_line(name)} {count}" for name, count in self.categories.items())
        facts = "1 fact" if self.total == 1 else f"{self.total} facts"
        cap = f"; the soft cap is {self.soft_cap}" if self.soft_cap else ""
        return f"{facts}: {kinds}{cap}" if kinds else "No facts yet; %remember TEXT stores the first one"

    def _time(self) -> Iterator[str]:
        if expiring := self.expiring:
            yield f"{len(expiring)} within a week of expiry (%memory confirm ID if it is still true):"
            yield from _listed([f"{named(fact)} {remaining(fact, self.now)}" for fact in expiring])
        if expired := self.expired:
            yield f"{len(expired)} expired (%recall --expired shows them whole, %forget --expired deletes them):"
            yield from _listed([f"{named(fact)} {remaining(fact, self.now)}" for fact in expired])

    def _trouble(self) -> Iterator[str]:
        found = [f"{named(fact)}: {flag} ({_remedy(flag, fact)})" for fact in self.facts for flag in masked(fact).flags]
        found += [
            f"{named(fact)} holds what looks like a credential (%forget --purge {shown_id(fact.id)},"
            " and keep it elsewhere)"
            for fact in self.facts
            if masked(fact) != fact
        ]
        if self.prose_line:
            found.append(f'Line {self.prose_line}: text before the first section is no fact (put "## TITLE" above it)')
        found += [f"Beside the file: {shown_line(name)}, {_only(count)}" for name, count in self.copies.items()]
        if found:
            yield "To look at:"
            yield from _listed([shown_line(line) for line in found])

    def _rest(self) -> Iterator[str]:
        if self.last:
            ago = span((self.now - self.last.time).total_seconds())
            back = REDO if self.last.what == UNDO else UNDO
            yield f"Last change: {self.last.what} by {self.last.writer}, {ago} ago (%memory {back} takes it back)"
        yield from self.notices

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 -- IPython's protocol
        printer.text(repr(self))


def _listed(lines: Sequence[str]) -> list[str]:
    more = [f"  and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
    return [f"  {line}" for line in lines[:_LISTED]] + more


def _remedy(flag: str, fact: Fact) -> str:
    pattern, remedy = next((pattern, remedy) for pattern, remedy in _REMEDIES if pattern.match(flag))
    match = pattern.match(flag)
    return "" if match is None else match.expand(remedy).format(id=typed_id(fact.id), line=shown_id(fact.id))


def _only(count: int | None) -> str:
    if count is None:
        return "a copy that cannot be read; look into it before you delete it"
    if not count:
        return "a copy that holds no fact of its own"
    facts = "1 fact" if count == 1 else f"{count} facts"
    return f"a copy with {facts} that only it holds; copy over what you want to keep"
