"""One section of MEMORY.md: its text ⇄ its fact. A change rewrites what it must and keeps the other bytes."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Literal, NamedTuple
from zlib import crc32

from memory_magic.fact import BODY_CHARS, TITLE_CHARS, Fact, normal_body, one_line
from memory_magic.formats import metadata
from memory_magic.formats.borders import HEADING, is_plain
from memory_magic.formats.fences import escape, unescape
from memory_magic.formats.metadata import Metadata

LEGACY_TITLE = "Imported notes"

_PARTS = re.compile(
    r"## ([^\n]*)(?:\n|\Z)((?:[ \t]*\r?\n)*)(?:([ \t]*<!--([^\n]*?)-->[ \t]*\r?)(?:\n|\Z))?",
)
_LINE_END = re.compile(r"\r?\n")


class Reading(NamedTuple):
    """The fact (its id is empty where the file has none), and where in the raw text its parts are."""

    fact: Fact
    metadata: Metadata
    meta_span: tuple[int, int]
    body_start: int


class Section:
    """One section as it stands in the file, and the fact that it reads as; read when first asked.

    ``legacy`` is a text without a heading, which is one fact of its own.
    """

    __slots__ = ("_plain_data", "_reading", "legacy", "raw")

    def __init__(self, raw: str, *, legacy: bool = False) -> None:
        self.raw = raw
        self.legacy = legacy
        self._reading: Reading | None = None
        self._plain_data: bytes | Literal[False] | None = False

    @classmethod
    def of(cls, fact: Fact, newline: str) -> Section:
        """Write a section for a fact that the file does not have."""
        lines = [HEADING + fact.title, metadata.write(fact, Metadata())]
        if fact.body:
            lines += ["", _body(fact, newline)]
        return cls(newline.join(lines) + newline)

    @property
    def reading(self) -> Reading:
        """The parts of the text, read once."""
        if self._reading is None:
            self._reading = _read_legacy(self.raw) if self.legacy else _read(self.raw)
        return self._reading

    @property
    def fact(self) -> Fact:
        """The fact that the text reads as."""
        return self.reading.fact

    @property
    def content(self) -> str:
        """The text without the blank lines at its end, its line ends made equal."""
        return self.raw.removesuffix(tail(self.raw)).replace("\r\n", "\n")

    @property
    def plain_data(self) -> bytes | None:
        """The bytes, if the text has its heading and nothing else that could move a border; looked at once."""
        if self._plain_data is False:
            plain = self.raw.startswith(HEADING) and self.raw.endswith("\n") and is_plain(self.raw)
            self._plain_data = self.raw.encode("utf-8") if plain else None
        return self._plain_data

    def with_id(self, fact: Fact, newline: str) -> Section:
        """Give the section with the fact's id in its metadata, and above that the heading that a legacy text lacks."""
        comment = metadata.write(fact, self.reading.metadata, self.reading.fact)
        if self.legacy:
            return Section(f"{HEADING}{LEGACY_TITLE}{newline}{comment}{newline * 2}{self.raw}")
        return Section(self._with_comment(comment, newline))

    def updated(self, before: Fact, fact: Fact, touched: Collection[str], newline: str) -> Section:
        """Give the section with ``fact`` in place of ``before``; see ``Document.put``."""
        raw = self._with_comment(metadata.write(fact, self.reading.metadata, self.reading.fact, touched), newline)
        if fact.title != before.title:
            end = raw.index("\n")
            raw = HEADING + fact.title + ("\r" if raw.endswith("\r", 0, end) else "") + raw[end:]
        if fact.body == before.body:
            return Section(raw)
        start = _read(raw).body_start
        return Section(raw[:start] + _new_body(raw[:start], raw[start:], _body(fact, newline), newline))

    def _with_comment(self, comment: str, newline: str) -> str:
        """Put the comment line into the text, in place of the old one or under the heading."""
        raw, (start, end) = self.raw, self.reading.meta_span
        if start < end:
            return raw[:start] + comment + ("\r" if raw[start:end].endswith("\r") else "") + raw[end:]
        if not raw.endswith("\n", 0, start):  # the heading is the file's last line
            return raw + newline + comment
        return raw[:start] + comment + newline + raw[start:]


def tail(raw: str) -> str:
    """Give the end of the last line that is not blank, and the blank lines behind it."""
    at = raw.find("\n", len(raw.rstrip(" \t\r\n")))
    return "" if at < 0 else raw[at - raw.endswith("\r", 0, at) :]


def _read(raw: str) -> Reading:
    match = _PARTS.match(raw)
    assert match is not None, "a section starts at its heading"
    found = metadata.read(match[4]) if match[4] is not None and "-->" not in match[4] else None
    after_heading = match.end(1) + 1
    span, body_start = ((match.start(3), match.end(3)), match.end()) if found else ((after_heading,) * 2, after_heading)
    known = found or Metadata()
    title, body = one_line(match[1]), _read_body(raw[body_start:])
    flags = known.flags
    if not 1 <= len(title) <= TITLE_CHARS:
        flags += (f"the title has {len(title)} characters; 1 to {TITLE_CHARS} are allowed",)
    if len(body) > BODY_CHARS:
        flags += (f"the body has {len(body):,} characters; {BODY_CHARS:,} are allowed",)
    values: dict[str, Any] = {
        "id": "",
        "title": title,
        "body": body,
        "flags": flags,
        "version": _version(raw),
        **known.values,
    }
    fact = Fact(**values)
    return Reading(fact, known, span, body_start)


def _read_legacy(raw: str) -> Reading:
    fact = Fact(id="", title=LEGACY_TITLE, body=_read_body(raw), version=_version(raw))
    return Reading(fact, Metadata(), (0, 0), 0)


def _version(raw: str) -> str:
    """Give a digest of a section without the blank lines that end it; the ``v`` keeps it from reading as a number."""
    return f"v{crc32(raw.rstrip().encode()):08x}"


def _read_body(raw: str) -> str:
    return normal_body(unescape(raw))


def _body(fact: Fact, newline: str) -> str:
    return escape(fact.body).replace("\n", newline)


def _new_body(head: str, old: str, new: str, newline: str) -> str:
    """Give the text behind the comment: a blank line, the new body, and the blank lines that ended the old one."""
    written = old.rstrip(" \t\r\n")
    lead = newline if head.endswith("\n") else newline * 2
    if not written:
        return lead + new + newline + old
    at = old.find("\n", len(written))
    tail = "" if at < 0 else old[at - old.endswith("\r", 0, at) :]
    return lead + new + tail if new else _LINE_END.sub("", tail, count=1)
