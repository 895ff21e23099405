"""The one-line HTML comment under a heading: ``<!-- id: m-1a2b3c · created: … · key: … -->`` ⇄ fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from memory_magic import fact as rules
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact
from memory_magic.times import read_instant, read_moment, write_moment

SEPARATOR = " · "
_ENCODED = re.compile(r"[%·<>\x00-\x1f\x7f-\x9f\u2028\u2029]|\A\s+|\s+\Z")


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


# In the order in which they are written.
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
# Words that are not in the vocabulary still say something, so they count as they stand.
_COUNT_AS_THEY_ARE = {"category", "source"}


class Metadata(NamedTuple):
    """The comment as it stands: its raw parts, the values that count, and the names whose value is not valid."""

    parts: tuple[str, ...] = ()
    values: Mapping[str, Any] = MappingProxyType({})
    invalid: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()


def is_anchor(content: str) -> bool:
    """Say whether the inside of a comment has a well-formed id, which makes the heading above it a section."""
    return "id" in content and any(name == "id" and valid for name, _, valid in map(_field, _parts(content)))


def read(content: str) -> Metadata | None:
    """Read the inside of a comment; None where it is an ordinary comment, and so text of the user's."""
    parts = _parts(content)
    values: dict[str, Any] = {}
    invalid, flags, has_id, all_known = set(), [], False, True
    for part in parts:
        name, value, valid = _field(part)
        has_id = has_id or name == "id"
        if not name or name in values or name in invalid:
            all_known = False
        elif valid:
            values[name] = value
        else:
            flags.append(f"{name} in the file is not valid: {value}")
            if name == "id":  # one that is may follow
                all_known = False
                continue
            invalid.add(name)
            if name in _COUNT_AS_THEY_ARE and value:
                values[name] = value
    if has_id or (parts and all_known and not invalid):
        return Metadata(parts, values, frozenset(invalid), tuple(flags))
    return None


def write(fact: Fact, old: Metadata, before: Fact | None = None, touched: Collection[str] = ()) -> str:
    """Write the comment line for a fact, without a line end.

    Parts of ``old`` stay as they stand, unknown and invalid ones too, unless their field differs from ``before`` or
    is in ``touched`` (fields that the caller set on purpose).
    """
    wanted = {name: _written(fact, name) for name in _READERS}
    replaced = old.invalid & set(touched)
    changed = {name for name in wanted if before is None or name in replaced or _written(before, name) != wanted[name]}
    parts: list[str] = []
    done = set()
    for part in old.parts:
        name, _, valid = _field(part)
        if name not in changed or (name == "id" and not valid):  # an id that is not ours is no field to be set
            parts.append(part)
        elif name not in done and wanted[name] is not None:
            parts.append(f"{name}: {wanted[name]}")
            done.add(name)
        else:  # a field that is there twice would count again once the first is gone
            done.add(name)
    parts += [f"{name}: {wanted[name]}" for name in wanted if name in changed - done and wanted[name] is not None]
    return f"<!-- {SEPARATOR.join(parts)} -->"


def _parts(content: str) -> tuple[str, ...]:
    """Split the inside of a comment; dangling separators go, so that the parts joined again split alike."""
    parts = [part.strip(" \t") for part in content.split(SEPARATOR)]
    if content.count("·") >= len(parts):
        parts = [part.removeprefix("· ").removesuffix(" ·").strip(" \t") for part in parts]
    return tuple([part for part in parts if part not in {"", "·"}])


@lru_cache(maxsize=4096)
def _field(part: str) -> tuple[str, Any, bool]:
    """Give the name of the field that a part holds (empty for an unknown one), its value, and whether it is valid.

    The value of an invalid one is its text.
    """
    name, colon, raw = part.partition(":")
    name, raw = name.strip(), raw.strip()
    if not colon or name not in _READERS:
        return "", None, False
    if name == "id":  # as it stands: it decides where a section starts
        return name, raw, rules.ID.fullmatch(raw) is not None
    text = _decode(raw)
    try:
        return name, _READERS[name](text), True
    except (ValueError, MemoryMagicError):
        return name, text, False


def _written(fact: Fact, name: str) -> str | None:
    """Give the field as it stands in the file, or None where it is at its default and so is not written."""
    value = getattr(fact, name)
    if value is None or value == _default(name):
        return None
    if name in ("created", "updated", "confirmed", "expires"):
        return write_moment(value)
    return _encode(str(value))


@cache
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
