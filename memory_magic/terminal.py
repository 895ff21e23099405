"""What is found, as plain text for a terminal of 80 columns. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

from memory_magic.display import (
    age,
    bar,
    beginning,
    begins_with_heading,
    counted,
    expiry,
    heading,
    is_code,
    more,
    place,
    provenance,
)
from memory_magic.fact import BODY_CHARS, Fact, masked, one_line
from memory_magic.showing import shown_id, visible

_COLUMNS, _MARGIN = 80, 10  # an id has 8 columns
# What stays together in a line: a space, a word, or a character of a script without spaces, with the punctuation that
# may not begin a line.
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_PIECE = re.compile(rf" +|[{_UNSPACED}][、。，．：；！？）」』】〉》\u3099\u309a]*|[^ {_UNSPACED}]+")
_ITEM = re.compile(r" *(?:(?:[-*+•]|\d{1,3}[.)]) )?")


def found_text(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as text: beside each id the title, the body, and a line of what is known about it.

    A line has more than 80 columns only where it is one long word, a line of code, or the message, which may hold a
    command to be copied. A fact alone is shown whole, and says where it comes from; of several, long bodies are cut.
    """
    lines = [line for fact in map(masked, facts) for line in _entry(fact, now, alone=len(facts) == 1)]
    return "\n".join([*lines, message])


def _entry(fact: Fact, now: datetime, *, alone: bool) -> list[str]:
    name, margin = shown_id(fact.id), " " * _MARGIN
    first, *rest = [margin + line if line else "" for line in _told(fact, now, alone=alone)]
    if width(name) > _MARGIN - 2:
        return [name, first, *rest]
    return [name + first[width(name) :], *rest]


def _told(fact: Fact, now: datetime, *, alone: bool) -> Iterator[str]:
    body, columns = more(fact), _COLUMNS - _MARGIN
    if not begins_with_heading(fact):
        yield from wrapped(heading(fact), columns)
    if body:
        part = body[:BODY_CHARS] if alone else beginning(body)
        yield from part.split("\n") if is_code(body) else wrapped(part, columns)
        if left := len(body) - len(part):
            yield f"{counted(left)}; " + (
                "they are in the file" if alone else f"%recall {shown_id(fact.id)} shows them"
            )
    yield from _about(fact, now, columns)
    if alone:
        yield from wrapped(provenance(fact), columns)
    for flag in fact.flags:
        yield from wrapped(f"! {one_line(visible(flag))}", columns)


def _about(fact: Fact, now: datetime, columns: int) -> list[str]:
    """Give confidence, category with key, age and expiry; a long key has a line of its own."""
    sure = f"{bar(fact.confidence)} {fact.confidence} %" + (", low" if fact.confidence < 50 else "")
    old = f"{age(fact, now)} old" if age(fact, now) else "age unknown"
    line = " · ".join([sure, place(fact), old, expiry(fact, now)])
    if width(line) <= columns:
        return [line]
    return [" · ".join([sure, old, expiry(fact, now)]), *wrapped(place(fact), columns)]


def wrapped(text: str, columns: int) -> list[str]:
    """Give the lines of a text, broken at words or, in scripts without spaces, between characters."""
    return [line for paragraph in text.split("\n") for line in _broken(paragraph, columns)]


def _broken(paragraph: str, columns: int) -> Iterator[str]:
    if width(paragraph) <= columns:
        yield paragraph
        return
    item = _ITEM.match(paragraph)
    line, used, margin = "", 0, len(item[0]) if item else 0
    for piece in _PIECE.findall(paragraph):
        if used + width(piece) > columns and line.strip():
            yield line.rstrip()
            line, used = " " * margin, margin
            if piece.isspace():
                continue
        line += piece
        used += width(piece)
    yield line.rstrip()


def width(text: str) -> int:
    """Give the columns that a text takes in a terminal: none for marks, two for wide characters."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
