"""What the tests of the notes array share."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memory_magic.fact import Fact
from memory_magic.formats.notes import parse

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NEW = Fact("m-ffffff", "New text", "New text", created=NOON, updated=NOON)


def one(**members: object) -> Fact:
    """Give the fact that a note with these members reads as."""
    return parse(json.dumps([members])).facts[0]


def put(text: str, fact: Fact = NEW, index: int | None = None, touched: tuple[str, ...] = ()) -> str:
    """Put a fact into a text and give the new text."""
    return parse(text).put(fact, index, touched).data().decode("utf-8")


def change(text: str, index: int = 0, **changes: Any) -> str:
    """Change fields of a fact in a text and give the new text."""
    return put(text, replace(parse(text).facts[index], **changes), index, tuple(changes))


def bare(fact: Fact) -> Fact:
    """Give the fact without flags, which depend on its neighbours."""
    return replace(fact, flags=())
