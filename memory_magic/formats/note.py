"""One note of a notes array: its JSON object ⇄ its fact. A change rewrites the members that it must, and no others."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple
from zlib import crc32

from memory_magic import fact as rules
from memory_magic.errors import MemoryMagicError, TooLongError
from memory_magic.fact import Fact
from memory_magic.formats import fields, spans
from memory_magic.formats.spans import Container, Element, Layout, Number

TEXT_CHARS = 500

_MEMBERS = ("id", "text", "scope", "created")  # what each note has, all of them text
_NAMES = (*_MEMBERS, "title", *(name for name in fields.NAMES if name not in _MEMBERS))
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class Reading(NamedTuple):
    """The fact (its id is empty where the note has none), and the names of the fields whose value is not valid."""

    fact: Fact
    invalid: frozenset[str]


class Note:
    """One note as it stands in the file, and the fact that it reads as; read when first asked.

    ``lead`` is what stands between it and the note above, None where nobody has written that yet.
    """

    __slots__ = ("_reading", "lead", "raw")

    def __init__(self, raw: str, lead: str | None = None) -> None:
        self.raw = raw
        self.lead = lead
        self._reading: Reading | None = None

    @classmethod
    def of(cls, fact: Fact, like: Note | None, newline: str) -> Note:
        """Write a note for a fact that the file does not have, laid out as another one; raises TooLongError."""
        members = {name: value for name, value in _members(fact).items() if value is not None}
        _refuse_long(fact)
        if like is None:
            layout = Layout(f"{newline}    ", f",{newline}    ", ": ", f"{newline}  ")
            return cls(spans.object_text(members, layout))
        model = spans.read(like.raw)
        order = [element.name for element in model.elements if element.name in members]
        return cls(spans.object_text({name: members[name] for name in [*order, *members]}, model.layout))

    @property
    def reading(self) -> Reading:
        """The fact and what is not valid, read once."""
        if self._reading is None:
            self._reading = _read(self.raw)
        return self._reading

    @property
    def fact(self) -> Fact:
        """The fact that the note reads as."""
        return self.reading.fact

    @property
    def content(self) -> object:
        """The names and values of all members, in their order."""
        value, _ = spans.decode(self.raw, 0)
        return value

    def with_id(self, name: str) -> Note:
        """Give the note with an id."""
        return Note(spans.read(self.raw).with_value("id", spans.written(name)).text(), self.lead)

    def updated(self, fact: Fact, touched: Collection[str]) -> Note:
        """Give the note with the fact in it; members whose field is as before, or unknown, stay as they are.

        A value that is not valid is replaced where its field is in ``touched``. Raises TooLongError on a new text.
        """
        made: Container = spans.read(self.raw)
        before, wanted = _members(self.fact), _members(fact)
        if wanted["text"] != before["text"]:
            _refuse_long(fact)
        replaced = self.reading.invalid & set(touched)
        for name, value in wanted.items():
            if value != before[name] or name in replaced:
                made = made.with_value(name, None if value is None else spans.written(value))
        return Note(made.text(), self.lead)


def fault(value: object) -> str | None:
    """Say why a value is no note, or give None."""
    if not isinstance(value, tuple):
        return "it is no object"
    members = dict(value)
    if "text" not in members:
        return "it has no text"
    for name in _MEMBERS:
        found = members.get(name)
        if not (isinstance(found, str) or (found is None and name != "text")):
            return f"its {name} is no string"
    return None


def is_note(raw: str) -> bool:
    """Say whether a text is one note and nothing else."""
    try:
        return raw.startswith("{") and spans.read(raw).end == len(raw) and fault(spans.decode(raw, 0)[0]) is None
    except ValueError:
        return False


def _refuse_long(fact: Fact) -> None:
    if (length := len(fact.text)) > TEXT_CHARS:
        raise TooLongError(
            f"The text has {length:,} characters; a note takes {TEXT_CHARS}: shorten it, or keep it in a Markdown file"
        )


def _members(fact: Fact) -> dict[str, str | int | None]:
    """Give the members of a fact's note, None for what is at its default and so is not written."""
    found: dict[str, str | int | None] = {name: fields.write(fact, name) for name in fields.NAMES}
    own_title = fact.title if fact.title != _derived(fact.text) else None
    found |= {"id": fact.id, "text": fact.text, "scope": fact.scope, "title": own_title}
    if found["confidence"] is not None:
        found["confidence"] = fact.confidence
    if fact.updated == fact.created:
        found["updated"] = None
    return {name: found[name] for name in _NAMES}


def _read(raw: str) -> Reading:
    elements = [element for element in spans.read(raw).elements if element.name in _NAMES]
    names = [element.name for element in elements]
    members = {element.name: element for element in elements}
    values: dict[str, Any] = {"id": ""}
    flags = [f"the note has {name} twice; the last one counts" for name in members if names.count(name) > 1]
    invalid = set()
    for name, element in members.items():
        text = _text(name, element.value)
        if text is None and element.value is None:
            continue
        try:
            values[name] = _value(name, text)
        except (ValueError, MemoryMagicError):
            invalid.add(name)
            flags.append(fields.invalid(name, _shown(element) if text is None else text))
            if name in fields.COUNT_AS_THEY_ARE and text:
                values[name] = text
    body = values.pop("text")
    if not values["id"].strip():  # nobody could name it
        values["id"] = ""
    if not body or len(body) > TEXT_CHARS:
        flags.append(f"the text has {len(body):,} characters; 1 to {TEXT_CHARS} are allowed")
    if any(_HALF_CHARACTER.search(element.value) for element in elements if isinstance(element.value, str)):
        flags.append("the note holds half a character (a lone surrogate), which is shown as \ufffd")
    values = {"title": _derived(body), "updated": values.get("created"), **values}
    fact = Fact(body=body or values["title"], flags=tuple(flags), version=f"v{crc32(raw.encode()):08x}", **values)
    return Reading(fact, frozenset(invalid))


def _text(name: str, value: object) -> str | None:
    """Give a member's value as text that UTF-8 can hold; None where it is none."""
    if isinstance(value, Number) and name == "confidence":
        return value.text
    return _HALF_CHARACTER.sub("\ufffd", value) if isinstance(value, str) else None


def _shown(element: Element) -> str:
    """Give a value that is no text as a flag shows it; the texts in it are nothing to be shown as they stand."""
    if isinstance(element.value, list):
        return "a list"
    return "an object" if isinstance(element.value, tuple) else element.raw


def _value(name: str, text: str | None) -> Any:
    """Give the value of a field; raises ValueError or MemoryMagicError on a text that is not valid."""
    if text is None:
        raise ValueError(name)
    if name == "text":
        return rules.normal_body(text)
    if name == "title":
        return rules.clean_title(text)
    return fields.read(name, text)


def _derived(text: str) -> str:
    """Give the title of a text that has none of its own."""
    return next(rules.titles_from(text))
