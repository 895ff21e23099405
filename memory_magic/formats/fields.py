"""The fields of a fact as text, as every format writes and reads them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from memory_magic import fact as rules
from memory_magic.fact import Fact
from memory_magic.times import read_instant, read_moment, write_moment


def _confidence(text: str) -> int:
    number, notice = rules.clean_confidence(text)
    if notice:
        raise ValueError(notice)
    return number


def _source(text: str) -> str:
    source, notice = rules.clean_source(text)
    if notice:
        raise ValueError(notice)
    return source


# In the order in which MEMORY.md has them.
_READERS: dict[str, Callable[[str], Any]] = {
    "id": str,
    "created": read_instant,
    "updated": read_instant,
    "category": rules.clean_category,
    "key": rules.clean_key,
    "source": _source,
    "confidence": _confidence,
    "expires": lambda text: None if text == "never" else read_moment(text),
    "context": rules.clean_context,
    "scope": rules.clean_scope,
    "confirmed": read_instant,
}
NAMES = tuple(_READERS)
# Words that are not in the vocabulary still say something, so they count as they stand.
COUNT_AS_THEY_ARE = frozenset({"category", "source"})


def read(name: str, text: str) -> Any:
    """Give the value that a field has; raises ValueError or MemoryMagicError on a text that is not valid."""
    return _READERS[name](text)


def write(fact: Fact, name: str) -> str | None:
    """Give the field as text, or None where it is at its default and so is not written."""
    value = getattr(fact, name)
    if value is None or value == _default(name):
        return None
    if name in ("created", "updated", "confirmed", "expires"):
        return write_moment(value)
    return str(value)


def invalid(name: str, text: str) -> str:
    """Give the flag on a fact whose field has this text, which is not valid, in the file."""
    return f"{name} in the file is not valid: {text}"


@cache
def _default(name: str) -> Any:
    return getattr(Fact(id="", title=""), name)
