"""The one-line HTML comment under a heading: ``<!-- id: m-1a2b3c · created: … · key: … -->`` ⇄ fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from memory_magic import fact as rules
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import Fact
from memory_magic.formats import fields

SEPARATOR = " · "
_ENCODED = re.compile(r"[%·<>\x00-\x1f\x7f-\x9f\u2028\u2029]|\A\s+|\s+\Z")


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
            flags.append(fields.invalid(name, value))
            if name == "id":  # one that is may follow
                all_known = False
                continue
            invalid.add(name)
            if name in fields.COUNT_AS_THEY_ARE and value:
                values[name] = value
    if has_id or (parts and all_known and not invalid):
        return Metadata(parts, values, frozenset(invalid), tuple(flags))
    return None


def write(fact: Fact, old: Metadata, before: Fact | None = None, touched: Collection[str] = ()) -> str:
    """Write the comment line for a fact, without a line end.

    Parts of ``old`` stay as they stand, unknown and invalid ones too, unless their field differs from ``before`` or
    is in ``touched`` (fields that the caller set on purpose).
    """
    wanted = {name: _written(fact, name) for name in fields.NAMES}
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
    if not colon or name not in fields.NAMES:
        return "", None, False
    if name == "id":  # as it stands: it decides where a section starts
        return name, raw, rules.ID.fullmatch(raw) is not None
    text = _decode(raw)
    try:
        return name, fields.read(name, text), True
    except (ValueError, MemoryMagicError):
        return name, text, False


def _written(fact: Fact, name: str) -> str | None:
    """Give the field as it stands in the comment; None where it is not written."""
    text = fields.write(fact, name)
    return None if text is None else _encode(text)


def _encode(text: str) -> str:
    return _ENCODED.sub(lambda match: quote(match[0], safe=""), text)


def _decode(text: str) -> str:
    if "%" not in text:
        return text
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
