"""The one-line HTML comment under a heading: ``<!-- id: m-1a2b3c · created: … · key: … -->`` ⇄ fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

from memory_magic import fact as rules
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact
from memory_magic.times import read_instant, read_moment, write_moment

SEPARATOR = " · "
_ENCODED = re.compile(r"[%·<>\x00-\x1f\x7f-\x9f\u2028\u2029]|\A\s+|\s+\Z")
_ANCHOR = re.compile(r"(?:\A| · )\s*id\s*:\s*m-[0-9a-f]{6}\s*(?= · |\Z)")


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


def _id(text: str) -> str:
    if not rules.ID.fullmatch(text):
        raise ValueError("not an id")
    return text


# In the order in which they are written.
_READERS: dict[str, Callable[[str], Any]] = {
    "id": _id,
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
# Words that are not in the vocabulary still say something, so they count as they stand.
_COUNT_AS_THEY_ARE = {"category", "source"}


@dataclass(frozen=True, slots=True)
class Metadata:
    """The comment as it stands: its raw parts, the values that count, and the names whose value is not valid."""

    parts: tuple[str, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    invalid: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()


def is_anchor(content: str) -> bool:
    """Say whether the inside of a comment has a well-formed id, which makes the heading above it a section."""
    return _ANCHOR.search(content) is not None


def read(content: str) -> Metadata | None:
    """Read the inside of a comment; None where it is an ordinary comment, and so text of the user's."""
    parts = tuple(content.strip().split(SEPARATOR))
    values: dict[str, Any] = {}
    invalid, flags, has_id, all_known = set(), [], False, True
    for part in parts:
        name, colon, text = (piece.strip() for piece in part.partition(":"))
        if not colon or name not in _READERS or name in values or name in invalid:
            all_known = False
            continue
        has_id = has_id or name == "id"
        value = _decode(text)
        try:
            values[name] = _READERS[name](value)
        except (ValueError, MemoryMagicError):
            invalid.add(name)
            flags.append(f"{name} in the file is not valid: {value}")
            if name in _COUNT_AS_THEY_ARE and value:
                values[name] = value
    if has_id or (all_known and not invalid):
        return Metadata(parts, tuple(values.items()), frozenset(invalid), tuple(flags))
    return None


def write(fact: Fact, old: Metadata, before: Fact | None = None, touched: Collection[str] = ()) -> str:
    """Write the comment line for a fact, without a line end.

    Parts of ``old`` stay as they stand, unknown and invalid ones too, unless their field differs from ``before`` or
    is in ``touched`` (fields that the caller set on purpose).
    """
    wanted = {name: _written(fact, name) for name in _READERS}
    parts, done = [], set()
    for part in old.parts:
        name = part.partition(":")[0].strip()
        if name not in _READERS or name in done:
            parts.append(part.strip())
            continue
        done.add(name)
        same = before is not None and _written(before, name) == wanted[name]
        if same and not (name in old.invalid and name in touched):
            parts.append(part.strip())
        elif wanted[name] is not None:
            parts.append(f"{name}: {wanted[name]}")
    parts += [f"{name}: {text}" for name, text in wanted.items() if text is not None and name not in done]
    return f"<!-- {SEPARATOR.join(parts)} -->"


def _written(fact: Fact, name: str) -> str | None:
    """Give the field as it stands in the file, or None where it is at its default and so is not written."""
    value = getattr(fact, name)
    if value is None or value == _default(name):
        return None
    if name in ("created", "updated", "confirmed", "expires"):
        return write_moment(value)
    return _encode(str(value))


@lru_cache(maxsize=None)
def _default(name: str) -> Any:
    return getattr(Fact(id="", title=""), name)


def _encode(text: str) -> str:
    return _ENCODED.sub(lambda match: quote(match[0], safe=""), text)


def _decode(text: str) -> str:
    if "%" not in text:
        return text
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
