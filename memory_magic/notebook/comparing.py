"""An edited frame beside the facts of the file: what each row asks for, and what is wrong with which cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from memory_magic import intake, showing
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact
from memory_magic.notebook.cells import EDITABLE, TIMES, asked, is_time, keeps_a_stand_in
from memory_magic.notebook.frame import shown
from memory_magic.notebook.rows import Row
from memory_magic.times import end_of, whole_seconds, write_moment

_TEXTS = tuple(name for name in EDITABLE if name not in ("expires", "confidence"))
_OWN = "is given by the store and does not change; leave it as it was"
_STALE = "This fact has changed in the file since the frame was taken; take the row from a new frame, or leave it out"
_NO_VERSION = "The row has no version, which says what it was made from; keep that column, or take a new frame"
_STAND_INS = "This text holds what only stands for a part that is not shown; replace it all, or edit it in the file"


@dataclass(frozen=True)
class Difference:
    """One cell that differs, in texts as a frame shows them; ``row`` is None for what is not in a row."""

    row: int | None
    id: str | None
    field: str
    before: str | None
    after: str | None
    problem: str | None = None
    stale: bool = False


@dataclass(eq=False)
class Wanted:
    """What a row asks for: these values for its fact, for a new one without a fact; or to forget one, without a row."""

    row: Row | None
    fact: Fact | None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass
class Comparison:
    """What is wanted, and the cells that stand in its way."""

    facts: Sequence[Fact]
    now: datetime
    wanted: list[Wanted] = field(default_factory=list)
    problems: list[Difference] = field(default_factory=list)

    def read(self, rows: Sequence[Row]) -> None:
        """Compare the rows with the facts."""
        pairs = list(zip(self.facts, shown(self.facts), strict=True))
        by_id: dict[str, list[tuple[Fact, Fact]]] = {}
        for pair in pairs:
            by_id.setdefault(pair[1].id, []).append(pair)
        counts = Counter(row.id for row in rows)
        # Without their own row, facts whose version is on a row of another id had their id changed.
        orphans = {fact.version: seen for fact, seen in pairs if seen.id not in counts}
        for row in rows:
            if row.id not in by_id:
                self._new(row, orphans.get(row.version))
            elif counts[row.id] > len(by_id[row.id]):
                problem = f"There are {counts[row.id]} rows with this id; keep one"
                self.problems.append(Difference(row.place, row.id, "id", row.id, row.id, problem))
            else:
                self._known(row, by_id[row.id])

    def forget_missing(self, rows: Sequence[Row], taken: Collection[str]) -> None:
        """Ask to forget the facts without a row; ``taken``, unless empty, has all it ever had: id, a space, version."""
        ids, once = {row.id for row in rows}, {line.rpartition(" ")[0] for line in taken}
        for fact, seen in zip(self.facts, shown(self.facts), strict=True):
            if seen.id in ids or (taken and seen.id not in once):
                continue
            if not taken or f"{seen.id} {fact.version}" in taken:
                self.wanted.append(Wanted(None, fact))
            else:
                self.problems.append(Difference(None, seen.id, "fact", seen.title, None, _STALE, stale=True))

    def _known(self, row: Row, pairs: Sequence[tuple[Fact, Fact]]) -> None:
        """Compare a row with its fact; where several have its id, with the one that it was made from."""
        of_version = [pair for pair in pairs if pair[0].version == row.version]
        readings = [(fact, seen, *self._edits(row, fact, seen)) for fact, seen in of_version or pairs]
        if any(not values and not bad for _, _, values, bad in readings):
            return
        fact, seen, values, bad = readings[0]
        asked_for = {**values, **{name: value for name, (value, _) in bad.items()}}
        if whole := _row_problem(row, fact, len(pairs)):
            bad, values = {**bad, **{name: (value, whole) for name, value in values.items()}}, {}
        for name, (_, problem) in bad.items():
            before, after = text(seen, name), told(fact, name, asked_for)
            self.problems.append(Difference(row.place, seen.id, name, before, after, problem, problem == _STALE))
        if values:
            self.wanted.append(Wanted(row, fact, values))

    def _edits(self, row: Row, fact: Fact, seen: Fact) -> tuple[dict[str, Any], dict[str, tuple[Any, str]]]:
        """Give the values that a row asks for, and those that cannot be with what is wrong with them."""
        values, bad = {}, {}
        for name, cell in row.cells.items():
            if name in TIMES:
                # Where the fact has changed since, so have its times.
                if row.version in ("", fact.version) and not is_time(cell, getattr(seen, name)):
                    bad[name] = cell, f"{name} {_OWN}"
                continue
            value, problem = self._checked(name, cell, fact, seen)
            if problem:
                bad[name] = cell if value is None else value, problem
            elif value is not None:
                values[name] = value
        return values, bad

    def _checked(self, name: str, cell: object, fact: Fact, seen: Fact) -> tuple[Any, str]:
        """Give the value that a cell asks for, None for none, and what is wrong with it."""
        value = None
        try:
            value = asked(name, cell, seen, self.now)
            if value is not None:
                intake.exact(self.now, **{name: value})
        except MemoryMagicError as error:
            return value, error.sentence
        before, after = getattr(fact, name), getattr(seen, name)
        if value is not None and isinstance(before, str) and keeps_a_stand_in(value, after, before):
            return value, _STAND_INS
        return value, ""

    def _new(self, row: Row, changed: Fact | None) -> None:
        if changed is not None:
            self.problems.append(Difference(row.place, changed.id, "id", changed.id, row.id or None, f"The id {_OWN}"))
            return
        given = {name: cell for name, cell in row.cells.items() if name in EDITABLE and _is_given(cell)}
        checked = {name: self._checked(name, cell, _NOBODY, _NOBODY)[1] for name, cell in given.items()}
        bad = {name: problem for name, problem in checked.items() if problem}
        for name, problem in bad.items():
            self.problems.append(Difference(row.place, None, name, None, told(_NOBODY, name, given), problem))
        # What is right in it so far may still be refused by the store.
        values = {name: cell for name, cell in given.items() if name not in bad}
        if not bad or not {"title", "body"}.isdisjoint(values):
            self.wanted.append(Wanted(row, None, values))


def _row_problem(row: Row, fact: Fact, count: int) -> str:
    """Say why nothing of a row can be applied; ``count`` facts have its id."""
    if count > 1:
        return f"{count} facts have this id; give one of them another id in the file"
    if not row.version:
        return _NO_VERSION
    return "" if row.version == fact.version else _STALE


def _is_given(cell: object) -> bool:
    return cell is not None and not (isinstance(cell, str) and not cell)


# What a new row is compared with: every cell of it differs.
_NOBODY = Fact("", "", confidence=-1, category="", source="", scope="")


def text(fact: Fact, name: str) -> str | None:
    """Give a field's value as a text; None where there is none. The fact is one that may be shown."""
    value = fact.expires_at if name == "expires" else getattr(fact, name)
    return write_moment(value) if isinstance(value, datetime) else None if value is None else str(value)


def told(fact: Fact, name: str, values: Mapping[str, Any]) -> str | None:
    """Give one of a row's values as it may be shown: under a title that says password, a text is masked."""
    value = values[name]
    if value is None:
        return None
    if name in _TEXTS:
        changed: dict[str, Any] = {
            each: "" if values[each] is None else str(values[each]) for each in _TEXTS if each in values
        }
        return text(shown([replace(fact, **changed)])[0], name)
    if isinstance(value, date):
        return write_moment(whole_seconds(end_of(value)))
    return showing.shown(f"{value:g}" if isinstance(value, float) else str(value))
