"""Where the parts of MEMORY.md are: front matter, the starts of sections, an older flat text, conflict markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from memory_magic.formats.fences import closed_fences, inside, is_anchored, outside

COMMENT = '<!-- Each "## " section is one fact. Edit freely: what you write by hand is kept. -->'
HEADING = "## "

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[ \t]*\r?\n)*")
_COMMENT_OPENS = re.compile(r"[ \t]*<!--")
_LINE_ENDS = re.compile(r"[ \t]*\r?(?:\n|\Z)")
_STRUCTURE = re.compile(r"\n(?:## |<<<<<<< |>>>>>>> | {0,3}(?:```|~~~))")
_H1 = re.compile(r"# ([^\n]*)(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Borders:
    """The offsets at which sections start, and what else decides how a text reads.

    ``legacy`` says that the one start is that of a text without headings. ``conflict_line`` is the number of the
    first line that is a Git conflict marker.
    """

    starts: Sequence[int]
    legacy: bool
    yolop: bool
    conflict_line: int | None


def find(text: str) -> Borders:
    """Find the borders in a text; never raises, and takes time linear in the text."""
    front = _front(text)
    yolop = _is_yolop(text, front)
    headings = _at_line_starts(text, HEADING, front)
    fences = closed_fences(text, front, headings)
    starts = outside(fences, headings)
    if yolop:
        starts = [at for at in headings if is_anchored(text, at)] or starts
    legacy = None if starts else legacy_start(text)
    return Borders(
        starts=starts if legacy is None else [legacy],
        legacy=legacy is not None,
        yolop=yolop,
        conflict_line=_conflict_line(text, fences),
    )


def is_plain(text: str) -> bool:
    """Say whether nothing in the lines behind the first one can move a border, neither here nor in other text."""
    return _STRUCTURE.search(text) is None


def is_plain_prefix(prefix: str) -> bool:
    """Say whether sections behind this prefix begin where they begin, whatever they hold."""
    start = 1 if prefix.startswith("\ufeff") else 0
    text = "\n" + prefix[start:]
    return is_plain(text) and text.endswith("\n") and text[1:4] != "---" and not _is_yolop(prefix, start)


def legacy_start(text: str) -> int | None:
    """Give where the text of a file without sections begins, behind front matter, H1 and comments; None without any."""
    return None if COMMENT in text else prose_start(text)


def prose_start(text: str) -> int | None:
    """Give where prose begins behind front matter, H1 and comments; None without any."""
    start = _skip(text, _front(text))
    if heading := _H1.match(text, start):
        start = _skip(text, heading.end())
    return start if text[start:].strip() else None


def _front(text: str) -> int:
    """Give the offset behind a byte order mark and front matter, where reading begins."""
    start = 1 if text.startswith("\ufeff") else 0
    match = _FRONT_MATTER.match(text, start)
    # Two rules (---) around sections of ours are no front matter: hiding them would lose them from sight.
    if match is None or any(is_anchored(text, at) for at in _at_line_starts(text, HEADING, start, match.end())):
        return start
    return match.end()


def _at_line_starts(text: str, mark: str, start: int, end: int | None = None) -> list[int]:
    """Give the offsets of lines that begin with the mark; splitting the text is the fastest way to find many."""
    found = [start] if text.startswith(mark, start) else []
    separator = "\n" + mark
    if text.find(separator, start, end) < 0:
        return found
    pieces = (text[start:end] if start or end is not None else text).split(separator)
    lengths = accumulate([len(piece) + len(separator) for piece in pieces[:-1]], initial=start)
    return found + [at - len(mark) for at in lengths][1:]


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


def _conflict_line(text: str, fences: Sequence[tuple[int, int]]) -> int | None:
    """Give the number of the first line that is a Git conflict marker, fenced ones aside."""
    start = 1 if text.startswith("\ufeff") else 0
    found = [mark for mark in ("<<<<<<<", ">>>>>>>") if mark in text]
    marks = [at for mark in found for at in _at_line_starts(text, mark + " ", start)]
    first = min((at for at in marks if not inside(fences, at)), default=None)
    return None if first is None else text.count("\n", 0, first) + 1
