"""What the documents of all formats can do: what the store, its edits and its history ask of a file that was read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, Self

from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact


class Trouble(NamedTuple):
    """Why a file that can be read is not written to: what it holds, what to do about it, and where it is."""

    holds: str
    remedy: str
    where: str
    error: type[MemoryMagicError]


class Piece(Protocol):
    """The part of a file that is one fact: a section, a note."""

    @property
    def raw(self) -> str:
        """The text as it stands in the file."""

    @property
    def fact(self) -> Fact:
        """The fact that it reads as; its id is empty where the file has none."""

    @property
    def content(self) -> object:
        """What two pieces have equal where they say the same, whatever stands around it."""


class Document(Protocol):
    """A whole file that was read. What changes it gives another document."""

    @property
    def sections(self) -> Sequence[Piece]:
        """The pieces that are facts, in the order of the file."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """One fact a piece, with derived ids, and flags on what is there twice."""

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing may be written; None where it may."""

    @property
    def prose_line(self) -> int | None:
        """The number of the line at which text begins that is no fact; None without any."""

    @staticmethod
    def moment(fact: Fact) -> datetime | None:
        """Give the time by which a fact is ordered, the newest first; None where the file has none."""

    @staticmethod
    def normal(fact: Fact) -> Fact:
        """Give the fact as it reads once the file holds it."""

    def invalid_fields(self, index: int) -> frozenset[str]:
        """Name the fields of a fact whose value in the file is not valid, and so does not count."""

    def put(self, fact: Fact, index: int | None = None, touched: Collection[str] = ()) -> Self:
        """Give the document with the fact in place of the one at ``index``, or above all others.

        ``touched`` names the fields set on purpose: an invalid value in the file is replaced only then. Raises
        TooLongError and FullError where the format does not take it.
        """

    def drop(self, indexes: Collection[int]) -> Self:
        """Give the document without these facts."""

    def set_back(self, index: int, raw: str, since: str) -> Self:
        """Give the document with a piece as it was before a change that made it ``since``, which it still is."""

    def bring_back(self, raw: str, above: str | None) -> Self:
        """Give the document with a piece that is gone, below the fact with the id ``above`` or else above all others.

        Raises FullError where the format takes no more.
        """

    def with_ids(self) -> Self:
        """Write the ids that a first write owes."""

    def render(self) -> str:
        """Give the text of the file."""

    def data(self) -> bytes:
        """Give the bytes of the file, sure to read as they are meant; raises ConflictError."""
