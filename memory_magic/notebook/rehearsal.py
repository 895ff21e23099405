"""What an edited frame asks for, made in memory first: to see what differs then, and what the store refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_magic.batch import Batch
from memory_magic.edits import Edit
from memory_magic.errors import AmbiguousError, MemoryMagicError
from memory_magic.fact import ID, Fact
from memory_magic.notebook.cells import EDITABLE
from memory_magic.notebook.comparing import Difference, Wanted, text, told
from memory_magic.notebook.frame import shown


@dataclass(frozen=True)
class Step:
    """One call, of a draft or of a batch, and what it is for."""

    wanted: Wanted
    method: str
    arguments: tuple[Any, ...]
    values: dict[str, Any]

    def on(self, target: Edit | Batch) -> Any:
        """Make the call."""
        return getattr(target, self.method)(*self.arguments, **self.values)


def steps(wanted: Sequence[Wanted], *, allow_secret: bool) -> list[Step]:
    """Give the calls in an order in which none stands in the way of another: only the end counts.

    What is forgotten frees its key, and so does a fact whose key another one gets. The first new row ends up on top.
    """
    secret = {"allow_secret": allow_secret}
    amended = [(each, each.fact) for each in wanted if each.row and each.fact]
    before = {each: (fact.category, fact.key) for each, fact in amended}
    after = {
        each: (each.values.get("category", fact.category), each.values.get("key", fact.key)) for each, fact in amended
    }
    moving = [each for each, _ in amended if before[each] != after[each]]
    freed = {each for each in moving if before[each] in {after[other] for other in moving}}
    found = [Step(each, "forget", (each.fact,), {}) for each in wanted if each.row is None]
    found += [Step(each, "amend", (fact.id,), {"key": ""}) for each, fact in amended if each in freed and fact.key]
    for each, fact in amended:
        again = {"key": fact.key} if each in freed else {}
        found.append(Step(each, "amend", (fact.id,), {**again, **each.values, **secret}))
    return found + [Step(each, "add", (), {**each.values, **secret}) for each in reversed(wanted) if each.fact is None]


def rehearse(draft: Edit, wanted: Sequence[Wanted], *, allow_secret: bool) -> Iterator[Difference]:
    """Make the changes in memory; give each field that differs then, and each cell that the store refuses."""
    made: dict[Wanted, Any] = {}
    for step in steps(wanted, allow_secret=allow_secret):
        if not isinstance(made.get(step.wanted), MemoryMagicError):
            try:
                made[step.wanted] = step.on(draft)
            except MemoryMagicError as error:
                made[step.wanted] = error
    for each in wanted:
        result = made[each]
        if isinstance(result, MemoryMagicError):
            yield from _refused(draft, each, result, allow_secret=allow_secret)
        elif each.row is None:
            yield _forgotten(each, None)
        else:
            yield from _changed(each, result.fact)


def _changed(each: Wanted, made: Fact) -> Iterator[Difference]:
    """Give the fields that differ, a title that follows from the text too."""
    assert each.row is not None
    after = shown([made])[0]
    if each.fact is None:
        if ID.fullmatch(each.row.id):
            yield Difference(each.row.place, None, "id", each.row.id, "a new one: no fact has this id")
        for name in EDITABLE:
            if name in each.values or name == "title":
                yield Difference(each.row.place, None, name, None, text(after, name))
        return
    before = shown([each.fact])[0]
    for name in EDITABLE:
        if getattr(each.fact, name) != getattr(made, name):
            yield Difference(each.row.place, before.id, name, text(before, name), text(after, name))


def _forgotten(each: Wanted, problem: str | None) -> Difference:
    assert each.fact is not None
    seen = shown([each.fact])[0]
    return Difference(None, seen.id, "fact", seen.title, None, problem)


def _refused(draft: Edit, each: Wanted, error: MemoryMagicError, *, allow_secret: bool) -> Iterator[Difference]:
    """Give the cells of a row that the store refuses: those that it refuses alone, too, or else all of them."""
    if each.row is None:
        yield _forgotten(each, error.sentence)
        return
    found = {name: problem for name in each.values if (problem := _alone(draft, each, name, allow_secret=allow_secret))}
    if not found and isinstance(error, AmbiguousError):
        addresses = ("key", "category") if each.fact else ("key", "title", "body")
        found = {next(name for name in addresses if name in each.values): error.sentence}
    seen = None if each.fact is None else shown([each.fact])[0]
    for name, problem in (found or dict.fromkeys(each.values or ["title"], error.sentence)).items():
        value = told(each.fact or Fact("", ""), name, {name: None, **each.values})
        given, before = (seen.id, text(seen, name)) if seen else (None, None)
        yield Difference(each.row.place, given, name, before, value, problem)


def _alone(draft: Edit, each: Wanted, name: str, *, allow_secret: bool) -> str:
    """Say what the store has against one value of a row by itself."""
    value: dict[str, Any] = {name: each.values[name], "allow_secret": allow_secret}
    if name == "key" and "category" in each.values:  # which only count together
        value["category"] = each.values["category"]
    try:
        if each.fact:
            replace(draft).amend(each.fact.id, **value)
        else:
            replace(draft).add(**{"title": "A new fact", **value} if name != "body" else value)
    except MemoryMagicError as error:
        return error.sentence
    return ""
