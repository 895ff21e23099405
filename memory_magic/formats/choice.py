"""Which format a file has, and a piece of one: the one place that chooses."""

from __future__ import annotations

import re
from pathlib import PurePath

from memory_magic.formats import markdown, notes
from memory_magic.formats.borders import HEADING
from memory_magic.formats.document import Document, Piece
from memory_magic.formats.note import Note, is_note
from memory_magic.formats.section import Section

_NOTES = re.compile(r"\.json", re.IGNORECASE)


def parse(path: PurePath, text: str, before: Document | None = None) -> Document:
    """Read the text of a file; ``before`` is what was read of it last. Raises UnreadableError, ConflictError."""
    if _NOTES.fullmatch(path.suffix):
        return notes.parse(text)
    return markdown.parse(text, before if isinstance(before, markdown.Document) else None)


def piece(raw: str) -> Piece:
    """Give the section, or the note, that a text is."""
    return Note(raw) if raw.startswith("{") else Section(raw)


def is_piece(raw: object) -> bool:
    """Say whether this is the text of a section or of a note."""
    return isinstance(raw, str) and (raw.startswith(HEADING) or is_note(raw))
