"""MEMORY.md: text ⇄ facts, lossless. A document is a prefix and sections; a change replaces one section's text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import accumulate, pairwise
from typing import cast

from memory_magic.credentials import mask
from memory_magic.errors import ConflictError
from memory_magic.fact import Fact
from memory_magic.formats import borders
from memory_magic.formats.borders import COMMENT
from memory_magic.formats.document import Trouble
from memory_magic.formats.identity import told_apart
from memory_magic.formats.section import Section, tail

_MOVES = "The change would alter how the file reads in"


@dataclass(frozen=True)
class Document:
    """A whole file: what stands before the first section, and the sections in the order of the file."""

    prefix: str
    sections: tuple[Section, ...]
    newline: str = "\n"
    yolop: bool = False
    conflict_line: int | None = None

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """One fact a section, in the order of the file, with derived ids, and flags on what is there twice."""
        return told_apart([section.reading.fact for section in self.sections])

    @property
    def trouble(self) -> Trouble | None:
        """Git conflict markers."""
        if self.conflict_line is None:
            return None
        return Trouble("Git conflict markers", "resolve them", f"line {self.conflict_line}", ConflictError)

    @staticmethod
    def moment(fact: Fact) -> datetime | None:
        """Give the last update."""
        return fact.updated or fact.created

    @staticmethod
    def normal(fact: Fact) -> Fact:
        """Give the fact itself: every fact can be written."""
        return fact

    @property
    def prose_line(self) -> int | None:
        """The number of the line at which prose before the first section begins, which is no fact; None without any."""
        start = borders.prose_start(self.prefix)
        return None if start is None else self.prefix.count("\n", 0, start) + 1

    def invalid_fields(self, index: int) -> frozenset[str]:
        """Name the fields of a fact whose value in the file is not valid, and so does not count."""
        return self.sections[index].reading.metadata.invalid

    def put(self, fact: Fact, index: int | None = None, touched: Collection[str] = ()) -> Document:
        """Give the document with the fact in place of the one at ``index``, or above all others.

        ``touched`` names the fields set on purpose: an invalid value in the file is replaced only then.
        """
        ready = self.with_ids()
        if index is None:
            prefix, section = self._above(fact)
            return replace(ready, prefix=prefix, sections=(section, *ready.sections))
        changed = ready.sections[index].updated(ready.facts[index], fact, touched, self.newline)
        made = replace(ready, sections=(*ready.sections[:index], changed, *ready.sections[index + 1 :]))
        if _same_address(changed.reading.fact, ready.facts[index]):  # then no other fact reads differently
            made.__dict__["facts"] = (*ready.facts[:index], changed.reading.fact, *ready.facts[index + 1 :])
            return made
        return _with_ids_kept(made, ready)

    def drop(self, indexes: Collection[int]) -> Document:
        """Give the document without these sections; prose that remains is marked, so that it never reads as a fact."""
        gone = set(indexes)
        left = tuple([section for index, section in enumerate(self.sections) if index not in gone])
        prefix = self.prefix
        if not left and borders.legacy_start(prefix) is not None:
            prefix += self._gap(prefix) + COMMENT + self.newline
        return _with_ids_kept(replace(self, prefix=prefix, sections=left), self)

    def set_back(self, index: int, raw: str, since: str) -> Document:
        """Give the document with a section as it was before it became ``since``, and now is but for its end."""
        raw, end = self._with_line_ends(raw), tail(self.sections[index].raw)
        if end != tail(since):  # what follows is no longer what followed then
            raw = raw.removesuffix(tail(raw)) + end
        return replace(self, sections=(*self.sections[:index], Section(raw), *self.sections[index + 1 :]))

    def bring_back(self, raw: str, above: str | None) -> Document:
        """Give the document with a section that is gone, below its old neighbour or else above all others."""
        raw = self._with_line_ends(raw)
        if not self.sections:
            made = self.put(Section(raw).reading.fact)  # which knows what stands before a first section
            return replace(made, sections=(Section(raw),))
        place = next((index + 1 for index, other in enumerate(self.facts) if other.id == above), 0)
        last = len(self.sections)
        if place == last and not self.sections[-1].raw.endswith("\n"):
            place -= 1  # so that the last line's missing end stays as it is
        if place < last and not raw.endswith("\n"):  # it was the last one, and is not now
            raw += self.newline * 2
        return replace(self, sections=(*self.sections[:place], Section(raw), *self.sections[place:]))

    def render(self) -> str:
        """Give the text of the file."""
        return self.prefix + "".join([section.raw for section in self.sections])

    def checked(self) -> str:
        """Give the text of the file, read again to see that every section still reads as it is meant.

        Raises ConflictError where it does not: then a change in one section moves the borders of another.
        """
        text = self.render()
        # What a section reads as follows from its text alone, so equal borders are equal readings.
        meant = list(accumulate([len(section.raw) for section in self.sections], initial=len(self.prefix)))[:-1]
        read = list(borders.find(text).starts)
        if meant != read:
            index = next((i for i, (mine, other) in enumerate(zip(meant, read, strict=False)) if mine != other), None)
            if index is None:
                raise ConflictError(f"{_MOVES} other sections; look for an unclosed code fence (```) in the file")
            title = mask(self.sections[index].reading.fact.title)
            raise ConflictError(f"{_MOVES} “{title}”; close the code fence (```) that reaches into it first")
        return text

    def data(self) -> bytes:
        """Give the bytes of the file, as sure to read as meant as those of ``checked``; raises ConflictError."""
        pieces = [section.plain_data for section in self.sections]
        if not pieces or None in pieces or not borders.is_plain_prefix(self.prefix):
            return self.checked().encode("utf-8")
        # No line of it can be read otherwise than as it is meant, wherever it stands.
        return b"".join([self.prefix.encode("utf-8"), *cast("list[bytes]", pieces)])

    def with_ids(self) -> Document:
        """Write the ids that a first write owes: to a legacy text, and to yolop's file without any."""
        legacy = len(self.sections) == 1 and self.sections[0].legacy
        if not legacy and not (self.yolop and not any(section.reading.fact.id for section in self.sections)):
            return self
        pairs = zip(self.sections, self.facts, strict=True)
        return replace(self, sections=tuple([section.with_id(fact, self.newline) for section, fact in pairs]))

    def _with_line_ends(self, raw: str) -> str:
        return raw.replace("\r\n", "\n").replace("\n", self.newline)

    def _above(self, fact: Fact) -> tuple[str, Section]:
        """Give the section for a new fact that stands above all others, and the prefix that stands above it then."""
        nl, section = self.newline, Section.of(fact, self.newline)
        if self.sections:
            return self.prefix, Section(section.raw + nl)
        if self.prefix.strip("\ufeff \t\r\n"):
            return self.prefix + self._gap(self.prefix), section
        return f"{self.prefix}# Memory{nl}{nl}{COMMENT}{nl}{nl}", section

    def _gap(self, text: str) -> str:
        """Give what is missing at the end of a text for a blank line to stand between it and what follows."""
        end = text[-4:].replace("\r\n", "\n")
        return "" if end.endswith("\n\n") else self.newline if end.endswith("\n") else self.newline * 2


def parse(text: str, before: Document | None = None) -> Document:
    """Read a text; never raises. Sections that ``before`` has too are taken over, already read.

    The grammar is that of the project's specification; it contains yolop's (github.com/everruns/yolop).
    """
    newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    found = borders.find(text)
    ends = [*found.starts, len(text)]
    raws = [text[start:end] for start, end in pairwise(ends)]
    if before is None or found.legacy:
        sections = [Section(raw, legacy=found.legacy) for raw in raws]
    else:
        known = {old.raw: old for old in before.sections if not old.legacy}
        sections = [known.get(raw) or Section(raw) for raw in raws]
    return Document(text[: ends[0]], tuple(sections), newline, found.yolop, found.conflict_line)


def _with_ids_kept(left: Document, before: Document) -> Document:
    """Write the ids of hand-written sections that would get another one, since one of equal title is gone or renamed.

    Otherwise the id of a forgotten fact would name another one, and forgetting it twice would forget both.
    """
    if all(section.reading.fact.id for section in left.sections):
        return left
    ids = {id(section): fact.id for section, fact in zip(before.sections, before.facts, strict=True)}
    pairs = [
        (section, replace(fact, id=ids.get(id(section), fact.id)))
        for section, fact in zip(left.sections, left.facts, strict=True)
    ]
    moved = [old.id != new.id for (_, old), new in zip(pairs, left.facts, strict=True)]
    if not any(moved):
        return left
    # In yolop's file, one section with an id makes text of those without.
    owed = [
        each or (left.yolop and not section.reading.fact.id) for each, (section, _) in zip(moved, pairs, strict=True)
    ]
    sections = [s.with_id(fact, left.newline) if owes else s for owes, (s, fact) in zip(owed, pairs, strict=True)]
    return replace(left, sections=tuple(sections))


def _same_address(fact: Fact, before: Fact) -> bool:
    names = ("id", "title", "category", "key")
    # Flags can tell of another fact with the same address.
    return not before.flags and all(getattr(fact, name) == getattr(before, name) for name in names)
