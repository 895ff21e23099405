"""What can go wrong: one base, a stable code each, and a sentence that says what to do."""

from __future__ import annotations

import os
from typing import ClassVar


class MemoryMagicError(Exception):
    """The base of every error this package raises on purpose.

    ``sentence`` names no path and holds no text of the operating system: it is what a model or an HTTP client
    may see. ``str(error)`` is for the person and adds the path and the detail.
    """

    code: ClassVar[str]

    def __init__(self, sentence: str, *, path: str | os.PathLike[str] | None = None, detail: str = "") -> None:
        self.sentence = sentence
        self.path = None if path is None else os.fspath(path)
        self.detail = detail
        super().__init__(sentence)

    def __str__(self) -> str:
        """Give the sentence and, behind it in brackets, where it happened and what the system said."""
        where = ": ".join(part for part in (self.path, self.detail) if part)
        return f"{self.sentence} ({where})" if where else self.sentence


class EmptyTextError(MemoryMagicError, ValueError):
    """There is nothing to remember or to look for."""

    code = "memory_empty_text"


class TooLongError(MemoryMagicError, ValueError):
    """A text is longer than its field may be."""

    code = "memory_too_long"


class UnknownActionError(MemoryMagicError, ValueError):
    """A face was asked for something that it does not do."""

    code = "memory_unknown_action"


class InvalidError(MemoryMagicError, ValueError):
    """A value does not fit its field; the sentence names the field."""

    code = "memory_invalid"


class NotFoundError(MemoryMagicError, KeyError):
    """No fact has that address; the sentence lists near ones."""

    code = "memory_not_found"


class AmbiguousError(MemoryMagicError, LookupError):
    """Several facts have that address; the sentence lists their ids."""

    code = "memory_ambiguous"


class SecretError(MemoryMagicError, ValueError):
    """A text looks like a credential, which a plain file must not hold.

    ``field`` is where, ``finding`` says what it looks like, masked; ``sentence`` adds what a person can do.
    """

    code = "memory_secret"

    def __init__(self, sentence: str, *, detail: str = "", field: str = "", finding: str = "") -> None:
        self.field, self.finding = field, finding
        super().__init__(sentence, detail=detail)


class FullError(MemoryMagicError, RuntimeError):
    """The store holds as many facts as its format allows."""

    code = "memory_full"


class BusyError(MemoryMagicError, TimeoutError):
    """Another program kept the file for longer than we wait."""

    code = "memory_busy"


class UnreadableError(MemoryMagicError, OSError):
    """The file is there and cannot be read as text."""

    code = "memory_unreadable"


class UnwritableError(MemoryMagicError, OSError):
    """The file cannot be written; the old one is as it was."""

    code = "memory_unwritable"


class ConflictError(MemoryMagicError, RuntimeError):
    """Two changes meet and only a person can say which one counts."""

    code = "memory_conflict"
