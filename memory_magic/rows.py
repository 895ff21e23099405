"""Facts as rows of a table: what a page may show of each, as JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from memory_magic.fact import BODY_CHARS, Fact, fold, is_derived, masked, status
from memory_magic.showing import visible
from memory_magic.times import write_moment

Row = dict[str, Any]

_TEXTS = ("title", "body", "category", "key", "source", "context", "scope")


def row(fact: Fact, now: datetime, name: str = "") -> Row:
    """Give a fact as it may be shown: credentials masked, control characters spelled out.

    ``raw`` has the texts that stand in the file otherwise than they are shown, as an edit needs them. ``locked`` names
    those that an edit would spoil, and says why: they hold a secret, which is never given, or are ``more`` characters
    too long. ``one`` says that title and text are one: the title is only how the text begins.
    """
    safe = masked(fact)
    shown = {field: visible(getattr(safe, field) or "") for field in _TEXTS}
    raw, locked = {}, {}
    for field, text in shown.items():
        held = getattr(fact, field) or ""
        if (getattr(safe, field) or "") != held:
            locked[field] = "secret"
        elif text != held:
            raw[field] = held
    more = max(0, len(shown["body"]) - BODY_CHARS)
    if more:
        shown["body"] = shown["body"][:BODY_CHARS]
        locked.setdefault("body", "long")
        raw.pop("body", None)
    times = {field: _moment(getattr(fact, field)) for field in ("created", "updated", "confirmed", "expires")}
    return {
        "row": name or fact.id,
        "id": fact.id,
        "version": fact.version,
        **shown,
        **times,
        "expires_at": _moment(fact.expires_at),
        "confidence": fact.confidence,
        "status": status(fact, now),
        "flags": [visible(flag) for flag in safe.flags],
        "one": is_derived(fact.title, fact.body),
        "raw": raw,
        "locked": locked,
        "more": more,
    }


def keyed(facts: Iterable[Fact]) -> dict[str, Fact]:
    """Give each fact under a name of its own: its id or, where another above has that too, the id with a number."""
    named: dict[str, Fact] = {}
    for fact in facts:
        name, number = fact.id, 1
        while name in named:
            number += 1
            name = f"{fact.id} ({number})"
        named[name] = fact
    return named


def matches(fact: Fact, query: str) -> bool:
    """Say whether each word of the query stands somewhere in what may be shown of the fact, as the table filters."""
    words = fold(query).split()
    if not words:
        return True
    safe = masked(fact)
    text = fold("\n".join([fact.id, *(visible(getattr(safe, field) or "") for field in _TEXTS), *safe.flags]))
    return all(word in text for word in words)


def _moment(moment: Any) -> str | None:
    return None if moment is None else write_moment(moment)
