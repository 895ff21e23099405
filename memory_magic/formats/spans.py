"""A JSON array or object as it stands in a text: its elements one by one, and the layout around them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from json import JSONDecodeError
from typing import NamedTuple

SPACE = " \t\n\r"
_SPACE = re.compile(f"[{SPACE}]*")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands in the text, ``NaN`` and ``Infinity`` too: exact, and of any size."""

    text: str


# Objects become tuples of pairs, so that a name that is there twice is seen; arrays are lists.
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=Number, parse_float=Number, parse_constant=Number)


class Element(NamedTuple):
    """One element: ``lead`` is what stands before it, a comma too; in an object ``quoted`` is its name, as it stands.

    ``colon`` is what stands between name and value, ``raw`` the value as it stands, ``start`` where that begins.
    """

    lead: str
    quoted: str
    colon: str
    raw: str
    start: int
    name: str
    value: object


class Layout(NamedTuple):
    """What stands before the first element, between two of them, around a colon, and behind the last."""

    first: str
    between: str
    colon: str
    last: str


@dataclass(frozen=True)
class Container:
    """An array or an object: its bracket, its elements, and what stands from the last one to the end of it."""

    opening: str
    elements: tuple[Element, ...]
    closing: str
    end: int

    @property
    def layout(self) -> Layout:
        """The layout by its first elements; the container is not empty."""
        first, *others = self.elements
        space = first.lead if "\n" in first.lead else " " if first.colon.endswith(" ") else ""
        return Layout(first.lead, others[0].lead if others else f",{space}", first.colon, self.closing[:-1])

    def with_value(self, name: str, raw: str | None) -> Container:
        """Give the object with this value under a name, behind all others if it is new, or without it (None)."""
        places = [place for place, element in enumerate(self.elements) if element.name == name]
        elements = []
        for place, element in enumerate(self.elements):
            if element.name != name:
                elements.append(element)
            elif raw is not None and place == places[-1]:  # of several the last one counts
                elements.append(element._replace(raw=raw))
        if raw is not None and not places:
            layout = self.layout
            elements.append(Element(layout.between, written(name), layout.colon, raw, 0, name, None))
        elements[:1] = [first._replace(lead=self.layout.first) for first in elements[:1]]
        return replace(self, elements=tuple(elements))

    def text(self) -> str:
        """Give the text of the array or object."""
        pieces = [f"{each.lead}{each.quoted}{each.colon}{each.raw}" for each in self.elements]
        return f"{self.opening}{''.join(pieces)}{self.closing}"


def read(text: str, start: int = 0) -> Container:
    """Read the array or object whose bracket stands at ``start``; raises JSONDecodeError with the place."""
    opening = text[start]
    closing = _CLOSING[opening]
    elements: list[Element] = []
    at = start + 1
    begin = skip(text, at)
    more = not text.startswith(closing, begin)
    while more:
        name, name_end, start = _name(text, begin) if opening == "{" else ("", begin, begin)
        value, end = decode(text, start)
        elements.append(
            Element(text[at:begin], text[begin:name_end], text[name_end:start], text[start:end], start, name, value)
        )
        at, begin = end, skip(text, end)
        more = not text.startswith(closing, begin)
        if more:
            begin = skip(text, _behind(",", text, begin))
    return Container(opening, tuple(elements), text[at : begin + 1], begin + 1)


def decode(text: str, start: int) -> tuple[object, int]:
    """Give the value that begins at ``start``, and where it ends; raises JSONDecodeError."""
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        raise JSONDecodeError("Nested too deeply", text, start) from None


def refuse_more(text: str, end: int) -> None:
    """Raise JSONDecodeError where anything but white space follows."""
    if (rest := skip(text, end)) < len(text):
        raise JSONDecodeError("Nothing may follow", text, rest)


def skip(text: str, start: int) -> int:
    """Give the offset behind white space."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


def written(value: str | int) -> str:
    """Give a text or a number as JSON."""
    return json.dumps(value, ensure_ascii=False)


def object_text(members: dict[str, str | int], layout: Layout) -> str:
    """Write an object."""
    lines = [f"{written(name)}{layout.colon}{written(value)}" for name, value in members.items()]
    return f"{{{layout.first}{layout.between.join(lines)}{layout.last}}}"


def _name(text: str, start: int) -> tuple[str, int, int]:
    """Give the name of a member, where it ends, and where the value behind the colon begins."""
    name, end = decode(text, start) if text.startswith('"', start) else (None, start)
    if not isinstance(name, str):
        raise JSONDecodeError("Expecting a name in double quotes", text, start)
    return name, end, skip(text, _behind(":", text, skip(text, end)))


def _behind(mark: str, text: str, at: int) -> int:
    if not text.startswith(mark, at):
        raise JSONDecodeError(f"Expecting '{mark}'", text, at)
    return at + 1
