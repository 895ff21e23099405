"""MEMORY.md: text ⇄ facts, lossless. A document is a prefix and sections; a change replaces one section's text."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from memory_magic.credentials import mask
from memory_magic.errors import ConflictError
from memory_magic.fact import BODY_CHARS, TITLE_CHARS, Fact, fold, normal_body, one_line
from memory_magic.formats import metadata
from memory_magic.formats.fences import closed_fences, escape, inside, is_anchored, unescape
from memory_magic.formats.metadata import Metadata

COMMENT = '<!-- Each "## " section is one fact. Edit freely: what you write by hand is kept. -->'
LEGACY_TITLE = "Imported notes"
HEADING = "## "
_MOVES = "The change would alter how the file reads in"

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_COMMENT_OPENS = re.compile(r"[ \t]*<!--")
_LINE_ENDS = re.compile(r"[ \t]*\r?(?:\n|\Z)")
_H1 = re.compile(r"# ([^\n]*)(?:\n|\Z)")
_PARTS = re.compile(
    r"## ([^\n]*)(?:\n|\Z)((?:[ \t]*\r?\n)*)(?:([ \t]*<!--([^\n]*?)-->[ \t]*\r?)(?:\n|\Z))?",
)


class Section:
    """One section as it stands in the file, and the fact that it reads as; read when first asked."""

    __slots__ = ("_read", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._read: _Reading | None = None

    @property
    def reading(self) -> _Reading:
        """The parts of the text, read once."""
        if self._read is None:
            self._read = _read(self.raw)
        return self._read


@dataclass(frozen=True, slots=True)
class _Reading:
    """The fact (its id is empty where the file has none), and where in the raw text its parts are."""

    fact: Fact
    metadata: Metadata
    meta_span: tuple[int, int]
    body_start: int


def _read(raw: str) -> _Reading:
    match = _PARTS.match(raw)
    if match is None:  # a legacy file: text without a heading
        body = normal_body(unescape(raw.replace("\r\n", "\n")))
        return _Reading(Fact(id="", title=LEGACY_TITLE, body=body), Metadata(), (0, 0), 0)
    found = metadata.read(match[4]) if match[4] is not None and "-->" not in match[4] else None
    after_heading = match.end(1) + 1
    span, body_start = ((match.start(3), match.end(3)), match.end()) if found else ((after_heading,) * 2, after_heading)
    known = found or Metadata()
    title, body = one_line(match[1]), normal_body(unescape(raw[body_start:].replace("\r\n", "\n")))
    flags = list(known.flags)
    if not 1 <= len(title) <= TITLE_CHARS:
        flags.append(f"the title has {len(title)} characters; 1 to {TITLE_CHARS} are allowed")
    if len(body) > BODY_CHARS:
        flags.append(f"the body has {len(body):,} characters; {BODY_CHARS:,} are allowed")
    fields = {"id": "", **dict(known.values)}
    return _Reading(Fact(title=title, body=body, flags=tuple(flags), **fields), known, span, body_start)


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
        facts = [section.reading.fact for section in self.sections]
        taken = {fact.id for fact in facts}
        if "" in taken:
            places: Counter[str] = Counter()
            for index, fact in enumerate(facts):
                title = fold(fact.title)
                places[title] += 1
                if not fact.id:
                    facts[index] = replace(fact, id=_derived_id(title, places[title], taken))
                    taken.add(facts[index].id)
        ids = Counter(fact.id for fact in facts)
        keys = Counter((fact.category, fact.key) for fact in facts if fact.key)
        if len(ids) < len(facts) or any(count > 1 for count in keys.values()):
            for index, fact in enumerate(facts):
                twice = [f"another fact has the id {fact.id} too"] if ids[fact.id] > 1 else []
                if fact.key and keys[fact.category, fact.key] > 1:
                    twice.append(f"another fact in {fact.category} has the key {fact.key} too")
                if twice:
                    facts[index] = replace(fact, flags=(*fact.flags, *twice))
        return tuple(facts)

    def invalid_fields(self, index: int) -> frozenset[str]:
        """Name the fields of a fact whose value in the file is not valid, and so does not count."""
        return self.sections[index].reading.metadata.invalid

    def put(self, fact: Fact, index: int | None = None, touched: Collection[str] = ()) -> Document:
        """Give the document with the fact in place of the one at ``index``, or above all others.

        ``touched`` names the fields set on purpose: an invalid value in the file is replaced only then.
        """
        ready = self._with_ids()
        if index is None:
            return ready._add(fact)
        raw = _rewrite(ready.sections[index], ready.facts[index], fact, touched, self.newline)
        return replace(ready, sections=(*ready.sections[:index], Section(raw), *ready.sections[index + 1 :]))

    def drop(self, indexes: Collection[int]) -> Document:
        """Give the document without these sections; prose that remains is marked, so that it never reads as a fact."""
        left = tuple(section for index, section in enumerate(self.sections) if index not in indexes)
        prefix = self.prefix
        if not left and _legacy_start(prefix) is not None:
            prefix += self._gap(prefix) + COMMENT + self.newline
        return replace(self, prefix=prefix, sections=left)

    def render(self) -> str:
        """Give the text of the file."""
        return self.prefix + "".join([section.raw for section in self.sections])

    def checked(self) -> str:
        """Give the text of the file, read again to see that every section still reads as it is meant.

        Raises ConflictError where it does not: then a change in one section moves the borders of another.
        """
        text = self.render()
        again = parse(text)
        for mine, read in zip(self.sections, again.sections, strict=False):
            if mine.raw != read.raw:
                title = mine.reading.fact.title
                raise ConflictError(f"{_MOVES} “{mask(title)}”; close the code fence (```) that reaches into it first")
        if (self.prefix, len(self.sections)) != (again.prefix, len(again.sections)):
            raise ConflictError(f"{_MOVES} other sections; look for an unclosed code fence (```) in the file")
        return text

    def _with_ids(self) -> Document:
        """Write the ids that a first write owes: to a legacy text, and to yolop's file without any."""
        bare = [i for i, section in enumerate(self.sections) if not section.reading.fact.id]
        legacy = bool(bare) and not self.sections[0].raw.startswith("## ")
        if not legacy and not (self.yolop and len(bare) == len(self.sections) and bare):
            return self
        sections = []
        for section, fact in zip(self.sections, self.facts, strict=True):
            comment = metadata.write(fact, section.reading.metadata, section.reading.fact)
            heading = f"## {LEGACY_TITLE}{self.newline}{comment}{self.newline * 2}" if legacy else ""
            sections.append(Section(heading + section.raw if legacy else _with_comment(section, comment, self.newline)))
        return replace(self, sections=tuple(sections))

    def _add(self, fact: Fact) -> Document:
        nl = self.newline
        lines = [f"## {fact.title}", metadata.write(fact, Metadata())]
        if fact.body:
            lines += ["", escape(fact.body).replace("\n", nl)]
        prefix = self.prefix
        if self.sections:
            lines.append("")
        elif prefix.strip("\ufeff \t\r\n"):
            prefix += self._gap(prefix)
        else:
            prefix += f"# Memory{nl}{nl}{COMMENT}{nl}{nl}"
        return replace(self, prefix=prefix, sections=(Section(nl.join(lines) + nl), *self.sections))

    def _gap(self, text: str) -> str:
        """Give what is missing at the end of a text for a blank line to stand between it and what follows."""
        end = text.replace("\r\n", "\n")
        return "" if end.endswith("\n\n") else self.newline if end.endswith("\n") else self.newline * 2


def parse(text: str, before: Document | None = None) -> Document:
    """Read a text; never raises. Sections that ``before`` has too are taken over, already read.

    The grammar is that of the project's specification; it contains yolop's (github.com/everruns/yolop).
    """
    newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    front = _front(text)
    yolop = _is_yolop(text, front)
    candidates = _at_line_starts(text, HEADING, front)
    fences: list[tuple[int, int]] = []
    anchors: list[int] | None = None
    if "```" in text or "~~~" in text or yolop:
        anchors = [at for at in candidates if is_anchored(text, at)]
        fences = closed_fences(text, front, anchors)
        starts = anchors if yolop and anchors else [at for at in candidates if not inside(fences, at)]
    else:
        starts = candidates
    line = _conflict_line(text, fences)
    if not starts:
        legacy = _legacy_start(text)
        prefix, sections = (text, ()) if legacy is None else (text[:legacy], (Section(text[legacy:]),))
        return Document(prefix, sections, newline, yolop, line)
    known = {section.raw: section for section in before.sections} if before else {}
    raws = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    return Document(text[: starts[0]], tuple([known.get(raw) or Section(raw) for raw in raws]), newline, yolop, line)


def _front(text: str) -> int:
    """Give the offset behind a byte order mark and front matter, where reading begins."""
    start = 1 if text.startswith("\ufeff") else 0
    match = _FRONT_MATTER.match(text, start)
    # Two rules (---) around sections of ours are no front matter: hiding them would lose them from sight.
    if match is None or any(is_anchored(text, at) for at in _at_line_starts(text, HEADING, start, match.end())):
        return start
    return match.end()


def _at_line_starts(text: str, mark: str, start: int, end: int | None = None) -> list[int]:
    found = [start] if text.startswith(mark, start) else []
    at = text.find("\n" + mark, start, end)
    while at >= 0:
        found.append(at + 1)
        at = text.find("\n" + mark, at + 1, end)
    return found


def _is_yolop(text: str, front: int) -> bool:
    match = _H1.match(text, _skip(text, front))
    return match is not None and match[1].strip().lower() == "yolop memory"


def _skip(text: str, start: int) -> int:
    """Give the offset behind blank lines and whole comments."""
    while True:
        if blank := _BLANK_LINES.match(text, start):
            start = blank.end()
        opens = _COMMENT_OPENS.match(text, start)
        close = text.find("-->", opens.end()) if opens else -1
        ends = _LINE_ENDS.match(text, close + 3) if close >= 0 else None
        if ends is None:
            return start
        start = ends.end()


def _legacy_start(text: str) -> int | None:
    """Give where the text of a file without sections begins, behind front matter, H1 and comments; None without any."""
    start = _skip(text, _front(text))
    if heading := _H1.match(text, start):
        start = _skip(text, heading.end())
    return start if text[start:].strip() and COMMENT not in text else None


def _conflict_line(text: str, fences: list[tuple[int, int]]) -> int | None:
    """Give the number of the first line that is a Git conflict marker, fenced ones aside."""
    start = 1 if text.startswith("\ufeff") else 0
    marks = [at for mark in ("<<<<<<< ", ">>>>>>> ") for at in _at_line_starts(text, mark, start)]
    return min((text.count("\n", 0, at) + 1 for at in marks if not inside(fences, at)), default=None)


def _derived_id(title: str, place: int, taken: set[str]) -> str:
    for attempt in count():
        digest = hashlib.sha256(f"{title}\0{place}\0{attempt}".encode("utf-8", "surrogatepass")).hexdigest()
        if (found := f"m-{digest[:6]}") not in taken:
            return found
    raise AssertionError("count() does not end")


def _with_comment(section: Section, comment: str, newline: str) -> str:
    """Put the comment line into the section's text, in place of the old one or under the heading."""
    raw, (start, end) = section.raw, section.reading.meta_span
    if start < end:
        return raw[:start] + comment + ("\r" if raw[start:end].endswith("\r") else "") + raw[end:]
    if not raw.endswith("\n", 0, start):  # the heading is the file's last line
        return raw + newline + comment
    return raw[:start] + comment + newline + raw[start:]


def _rewrite(section: Section, before: Fact, fact: Fact, touched: Collection[str], newline: str) -> str:
    comment = metadata.write(fact, section.reading.metadata, section.reading.fact, touched)
    raw = _with_comment(section, comment, newline)
    if fact.title != before.title:
        end = raw.index("\n")
        raw = HEADING + fact.title + ("\r" if raw.endswith("\r", 0, end) else "") + raw[end:]
    if fact.body == before.body:
        return raw
    start = _read(raw).body_start
    return raw[:start] + _new_body(raw[:start], raw[start:], escape(fact.body).replace("\n", newline), newline)


def _new_body(head: str, old: str, new: str, newline: str) -> str:
    """Give the text behind the comment: a blank line, the new body, and the blank lines that ended the old one."""
    written = old.rstrip(" \t\r\n")
    lead = newline if head.endswith("\n") else newline * 2
    if not written:
        return lead + new + newline + old
    at = old.find("\n", len(written))
    tail = "" if at < 0 else old[at - old.endswith("\r", 0, at) :]
    return lead + new + tail if new else tail.replace(newline, "", 1)
