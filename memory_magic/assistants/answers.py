"""What a tool answers: facts in the words of its vocabulary, whole ones only, and nothing that holds a secret."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memory_magic import display
from memory_magic.fact import Fact, holds_secret, masked, status
from memory_magic.inert import without_hidden
from memory_magic.results import Forgotten, Found, Saved
from memory_magic.showing import shown_line
from memory_magic.times import write_moment

LIMIT_FACTS, LIMIT_CHARS = 15, 8_000
# What stands around the facts of a result, their message above all; and how much a receipt repeats of a text.
_AROUND, _MESSAGE, _OLD_TEXT, _FIELD = 1_000, 2_000, 1_000, 200

Answer = dict[str, Any]
Shape = Callable[[Fact], Answer]


def as_note(fact: Fact) -> Answer:
    """Give a fact as ``recall`` tells it."""
    return {
        **_without_empty(id=fact.id, title=fact.title),
        "memory": without_hidden(fact.text),
        **_without_empty(category=fact.category, key=fact.key),
        "source": without_hidden(fact.source),
        "confidence": fact.confidence,
        **_without_empty(context=fact.context),
        **_days(fact),
    }


def as_entry(fact: Fact) -> Answer:
    """Give a fact as the action ``search`` tells it; one that has no key is known by its id and title."""
    return {
        "category": without_hidden(fact.category),
        "key": fact.key,
        **({} if fact.key else _without_empty(id=fact.id, title=fact.title)),
        "value": without_hidden(fact.text),
        "src": without_hidden(fact.source),
        "conf": fact.confidence,
        "ctx": without_hidden(fact.context),
        **_days(fact),
    }


def _without_empty(**texts: str | None) -> Answer:
    return {name: without_hidden(text) for name, text in texts.items() if text}


def _days(fact: Fact) -> Answer:
    days = {"updated": fact.updated and fact.updated.date(), "expires": fact.expires}
    return {name: write_moment(day) for name, day in days.items() if day}


def untold(fact: Fact, now: datetime) -> str:
    """Say why a fact is told to no model; empty where it may be told."""
    if holds_secret(fact):
        return "what looks like a credential is told to no model"
    return "expired, so no longer to be relied on; ask the user" if status(fact, now) == "expired" else ""


def found(result: Found, shape: Shape) -> Answer:
    """Tell the facts found, whole ones, as many as fit; what is left out is counted or named."""
    told: list[Answer] = []
    notices = list(result.notices)
    untellable: Counter[str] = Counter()
    for fact in result[:LIMIT_FACTS]:
        if reason := untold(fact, result.now):
            untellable[reason] += 1
        elif _size(told_fact := shape(fact)) > LIMIT_CHARS - _AROUND:
            name, size = display.named(fact, 60), f"{len(fact.text):,} characters"
            notices.append(f"too long to be told here: {name} ({size}); ask the user for what matters of it")
        else:
            told.append(told_fact)
    total = result.total - untellable.total()
    empty = result.empty or ("" if total == result.total else "Nothing that can be told")
    notices += [f"{_facts(count)} left out: {reason}" for reason, count in untellable.items()]

    def answer() -> Answer:
        message = display.found_message(
            len(told),
            total,
            result.query,
            approximate=result.approximate,
            near=result.near,
            notices=notices,
            empty=empty,
        )
        return {"facts": told, "total": total, "message": told_line(message)}

    while told and _size(answer()) > LIMIT_CHARS:
        told.pop()
    return answer()


def saved(result: Saved, shape: Shape) -> Answer:
    """Tell what was written, and what it replaced."""
    fact, old = masked(result.fact), result.previous if result.changed else None
    message = display.saved_line(result.fact, result.previous, result.created, result.changed, result.notices)
    address = _without_empty(id=fact.id, title=fact.title, category=fact.category, key=fact.key)
    return {
        **{name: _start(text, _FIELD) for name, text in address.items()},
        "created": result.created,
        "replaced": old and {name: _start_of(name, value) for name, value in shape(masked(old)).items()},
        "message": told_line(message),
    }


def forgotten(result: Forgotten) -> Answer:
    """Tell how many facts are gone, and which."""
    names = [
        _without_empty(id=fact.id, title=_start(masked(fact).title, _FIELD)) for fact in result.facts[:LIMIT_FACTS]
    ]
    message = display.forgotten_line(result.facts, result.notices)
    return {"count": result.count, "forgotten": names, "message": told_line(message)}


def categories(counts: Mapping[str, int]) -> Answer:
    """Tell which categories hold facts, and how many each."""
    shown = {without_hidden(shown_line(name, 60)): count for name, count in list(counts.items())[:50]}
    total = sum(counts.values())
    return {"categories": shown, "total": total, "message": f"{_facts(total)} in {len(counts)} categories"}


def told_line(message: str) -> str:
    """Give a message as a model gets it: nothing hidden in the titles that it names, and not too long."""
    return _start(without_hidden(message), _MESSAGE)


def _start_of(name: str, value: Any) -> Any:
    return _start(value, _OLD_TEXT if name in ("memory", "value") else _FIELD) if isinstance(value, str) else value


def _start(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def _facts(count: int) -> str:
    return "1 fact" if count == 1 else f"{count} facts"


def _size(answer: Answer) -> int:
    return len(json.dumps(answer, ensure_ascii=False))
