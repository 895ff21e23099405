"""The notes array: one JSON array of notes ⇄ facts, lossless. The newest note comes first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from json import JSONDecodeError

from memory_magic.errors import ConflictError, FullError, MemoryMagicError, UnreadableError
from memory_magic.fact import Fact
from memory_magic.formats import spans
from memory_magic.formats.document import Trouble
from memory_magic.formats.identity import told_apart
from memory_magic.formats.note import Note, fault
from memory_magic.formats.spans import SPACE, Container

MAX_NOTES = 200

_CONFLICT = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


@dataclass(frozen=True)
class Notes:
    """A whole file: the text up to the first note, the notes, and the text behind the last one.

    ``between`` is what stands between the first two. Without any note, ``opening`` ends in the bracket of the array, if
    there is one, and ``closing`` begins with the other.
    """

    opening: str
    sections: tuple[Note, ...]
    closing: str
    newline: str = "\n"
    between: str = ""
    trouble: Trouble | None = None
    prose_line: int | None = None

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """One fact a note, in the order of the file, with derived ids, and flags on what is there twice."""
        return told_apart([note.fact for note in self.sections])

    @staticmethod
    def moment(fact: Fact) -> datetime | None:
        """Give when the note was made: an update leaves it in its place."""
        return fact.created

    @staticmethod
    def normal(fact: Fact) -> Fact:
        """Give the fact with a text: one with a title alone has it as its text."""
        return fact if fact.body else replace(fact, body=fact.title)

    def invalid_fields(self, index: int) -> frozenset[str]:
        """Name the fields of a note whose value in the file is not valid, and so does not count."""
        return self.sections[index].reading.invalid

    def put(self, fact: Fact, index: int | None = None, touched: Collection[str] = ()) -> Notes:
        """Give the document with the fact in place of the one at ``index``, or as a new note above all others.

        Raises TooLongError on a text of more than 500 characters, FullError on the 201st note.
        """
        if index is None:
            like = self.sections[0] if self.sections else None
            return self._with_inserted(Note.of(fact, like, self.newline), 0)
        return self._with(index, self.sections[index].updated(fact, touched))

    def drop(self, indexes: Collection[int]) -> Notes:
        """Give the document without these notes; an id that was derived stays that of its note."""
        gone = set(indexes)
        left = tuple([note for index, note in enumerate(self.sections) if index not in gone])
        if not left:
            return replace(self, opening=self.opening.rstrip(SPACE), sections=(), closing=self.closing.lstrip(SPACE))
        made = replace(self, sections=left)
        ids = [fact.id for index, fact in enumerate(self.facts) if index not in gone]
        pairs = zip(ids, made.facts, left, strict=True)
        kept = [note if fact.id == name else note.with_id(name) for name, fact, note in pairs]
        return replace(self, sections=tuple(kept))

    def set_back(self, index: int, raw: str, since: str) -> Notes:  # noqa: ARG002 -- of use to other formats
        """Give the document with a note as it was before a change."""
        return self._with(index, Note(self._with_line_ends(raw), self.sections[index].lead))

    def bring_back(self, raw: str, above: str | None) -> Notes:
        """Give the document with a note that is gone, below its old neighbour or else above all others."""
        place = next((index + 1 for index, fact in enumerate(self.facts) if fact.id == above), 0)
        return self._with_inserted(Note(self._with_line_ends(raw)), place)

    def with_ids(self) -> Notes:
        """Give the document itself: a first write owes nothing here."""
        return self

    def render(self) -> str:
        """Give the text of the file."""
        pieces = [(note.lead or self._separator) + note.raw for note in self.sections[1:]]
        return "".join([self.opening, *(note.raw for note in self.sections[:1]), *pieces, self.closing])

    def data(self) -> bytes:
        """Give the bytes of the file, read again to see that every note is there; raises ConflictError."""
        text = self.render()
        try:
            read = [note.raw for note in parse(text).sections]
        except MemoryMagicError:
            read = None
        if read != [note.raw for note in self.sections]:
            raise ConflictError("The change would alter how other notes read; look at the file in an editor")
        return text.encode("utf-8")

    @property
    def _separator(self) -> str:
        """What stands between two notes where nobody has written anything yet."""
        gap = self.opening[len(self.opening.rstrip(SPACE)) :]
        inside = spans.read(self.sections[0].raw).layout.between
        return self.between or (f",{gap}" if "\n" in gap else ", " if "\n" in inside else inside)

    def _with(self, index: int, note: Note) -> Notes:
        return replace(self, sections=(*self.sections[:index], note, *self.sections[index + 1 :]))

    def _with_inserted(self, note: Note, place: int) -> Notes:
        if len(self.sections) >= MAX_NOTES:
            raise FullError(f"A notes array holds {MAX_NOTES} notes; forget some, or keep them in a Markdown file")
        sections = (*self.sections[:place], note, *self.sections[place:])
        if self.sections:
            return replace(self, sections=sections)
        opening = self.opening if self.opening.endswith("[") else f"{self.opening}["
        closing = self.closing or f"]{self.newline}"
        first, last = (f"{self.newline}  ", self.newline) if "\n" in note.raw else ("", "")
        return replace(self, opening=opening + first, sections=sections, closing=last + closing)

    def _with_line_ends(self, raw: str) -> str:
        return raw.replace("\r\n", "\n").replace("\n", self.newline)  # none stands inside of a text


def parse(text: str) -> Notes:
    """Read a text: an empty one has no notes, and bad entries of an array are trouble beside which the others are read.

    Raises UnreadableError on what is no JSON array, ConflictError on Git conflict markers, both with the line.
    """
    newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    start = spans.skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return Notes(text, (), "", newline)
    array = _array(text, start)
    if not array.elements:
        return Notes(text[: start + 1], (), text[array.end - 1 :], newline)
    opening = text[: array.elements[0].start]
    faults = [fault(element.value) for element in array.elements]
    between = array.elements[1].lead if len(array.elements) > 1 else ""
    notes = [
        Note(element.raw, element.lead if place else None)
        for place, element in enumerate(array.elements)
        if faults[place] is None
    ]
    trouble = _trouble(text, faults, [element.start for element in array.elements])
    return Notes(opening, tuple(notes), array.closing + text[array.end :], newline, between, trouble)


def _trouble(text: str, faults: Sequence[str | None], starts: Sequence[int]) -> Trouble | None:
    """Say where the first bad entry is and what is wrong with it, and count the others."""
    bad = [index for index, found in enumerate(faults) if found]
    if not bad:
        return None
    first = bad[0]
    more = f"; and {len(bad) - 1} more" if len(bad) > 1 else ""
    where = f"entry {first + 1}, {_line(text, starts[first])}: {faults[first]}{more}"
    return Trouble("an entry that is no note", "put it right in an editor", where, UnreadableError)


def _array(text: str, start: int) -> Container:
    """Read the array that begins at ``start`` and is the whole text; raises UnreadableError, ConflictError."""
    try:
        if text[start] != "[":
            spans.decode(text, start)
            sentence = "The memory file is JSON, but no array of notes; name another file"
            raise UnreadableError(sentence, detail=_line(text, start))
        array = spans.read(text, start)
        spans.refuse_more(text, array.end)
    except JSONDecodeError as error:
        if conflict := _CONFLICT.search(text):
            sentence = "The memory file holds Git conflict markers; resolve them"
            raise ConflictError(sentence, detail=_line(text, conflict.start())) from None
        sentence = "The memory file is not valid JSON; put it right in an editor"
        raise UnreadableError(sentence, detail=f"{_line(text, error.pos)}: {error.msg}") from None
    return array


def _line(text: str, offset: int) -> str:
    return f"line {text.count(chr(10), 0, offset) + 1}"
