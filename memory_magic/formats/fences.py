"""Fenced code blocks in Markdown, and the backslashes that keep a body's lines from reading as structure."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from memory_magic.formats.metadata import is_anchor

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_BLANK_THEN_COMMENT = re.compile(r"[^\n]*\n(?:[ \t]*\r?\n)*[ \t]*<!--([^\n]*?)-->[ \t]*\r?(?:\n|\Z)")
_STRUCTURE = r"(?:## |<<<<<<< |>>>>>>> )"
_LOOKS_SPECIAL = re.compile(rf"(?:\A|\n)\\*(?:{_STRUCTURE}| {{0,3}}(?:```|~~~))")
_STRUCTURE_LINE = re.compile(rf"\\*{_STRUCTURE}")
_HIDDEN_FENCE = re.compile(r"\\+ {0,3}(?:`{3,}[^`\n]*\Z|~{3,})")
_HIDDEN_HEADING = re.compile(r"\\*## ")

Fences = Sequence[tuple[int, int]]


class _Line(NamedTuple):
    """A line that can open or close a fence, by its offsets in the text."""

    start: int
    end: int
    mark: str
    opens: bool
    closes: bool


def is_anchored(text: str, heading: int) -> bool:
    """Say whether the next non-blank line under the heading at this offset is a comment with a well-formed id."""
    match = _BLANK_THEN_COMMENT.match(text, heading)
    return match is not None and "-->" not in match[1] and is_anchor(match[1])


def closed_fences(text: str, start: int = 0, headings: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Give the closed fences as (start, end) offsets, in order; the end is that of the closing line.

    ``headings`` are the offsets of headings, in order; no fence reaches over one that is anchored. The time is linear
    in the text.
    """
    found: list[tuple[int, int]] = []
    for lines in _regions(text, start, headings):
        longest = _longest_closing(lines)
        index = 0
        while index < len(lines):
            line = lines[index]
            if line.opens and longest[index + 1].get(line.mark[0], 0) >= len(line.mark):
                index = next(j for j in range(index + 1, len(lines)) if _closes(lines[j], line))
                found.append((line.start, lines[index].end))
            index += 1
    return found


def _regions(text: str, start: int, headings: Sequence[int]) -> list[list[_Line]]:
    """Give the lines that can open or close a fence, parted where an anchored heading stands between two of them."""
    regions: list[list[_Line]] = [[]]
    seen = 0
    for line in _fence_lines(text, start):
        here = bisect_right(headings, line.start, seen)
        if regions[-1] and any(is_anchored(text, at) for at in headings[seen:here]):
            regions.append([])
        regions[-1].append(line)
        seen = here
    return regions


def _closes(line: _Line, opening: _Line) -> bool:
    return line.closes and line.mark[0] == opening.mark[0] and len(line.mark) >= len(opening.mark)


def _longest_closing(lines: list[_Line]) -> list[dict[str, int]]:
    """Give for each place the longest closing mark from there on, by its character.

    Without it a text of a million unclosed openings would be searched to its end a million times.
    """
    longest: list[dict[str, int]] = [{}]
    for line in reversed(lines):
        known = longest[-1]
        if line.closes and len(line.mark) > known.get(line.mark[0], 0):
            known = {**known, line.mark[0]: len(line.mark)}
        longest.append(known)
    return longest[::-1]


def _fence_lines(text: str, start: int) -> list[_Line]:
    lines = []
    for mark in ("```", "~~~"):
        # One character is looked for ten times faster than three.
        at = text.find(mark, start) if mark[0] in text else -1
        while at >= 0:
            begin = max(text.rfind("\n", start, at) + 1, start)
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            match = _FENCE.fullmatch(text, begin, end)
            if match and match.start(1) == at:
                rest = match[2].strip(" \t\r")
                lines.append(_Line(begin, end, match[1], mark == "~~~" or "`" not in rest, not rest))
            at = text.find(mark, end)
    return sorted(lines, key=lambda line: line.start)


def inside(fences: Fences, offset: int) -> bool:
    """Say whether the offset lies in one of the fences (in order, as ``closed_fences`` gives them)."""
    at = bisect_right(fences, (offset, sys.maxsize)) - 1
    return at >= 0 and fences[at][0] <= offset < fences[at][1]


def outside(fences: Fences, offsets: Sequence[int]) -> list[int]:
    """Give the offsets, in order, that lie in none of the fences."""
    left: list[int] = []
    at = 0
    for start, end in fences:
        left += offsets[at : (first := bisect_left(offsets, start, at))]
        at = bisect_left(offsets, end, first)
    return left + list(offsets[at:])


def escape(body: str) -> str:
    """Put one backslash before each line that would read as structure, or looks like such a line already escaped."""
    if not _LOOKS_SPECIAL.search(body):
        return body
    fences = closed_fences(body)
    unclosed = {line.start for line in _fence_lines(body, 0) if line.opens and not inside(fences, line.start)}
    return _map_lines(
        body,
        fences,
        lambda line, at: "\\" + line if at in unclosed or _is_special(line) else line,
        lambda line: "\\" + line,
    )


def unescape(raw: str) -> str:
    """Take the backslashes of ``escape`` off again."""
    if "\\" not in raw or not _LOOKS_SPECIAL.search(raw):
        return raw
    return _map_lines(
        raw,
        closed_fences(raw),
        lambda line, _: line.removeprefix("\\") if _is_special(line) else line,
        lambda line: line.removeprefix("\\"),
    )


def _is_special(line: str) -> bool:
    return bool(_STRUCTURE_LINE.match(line) or _HIDDEN_FENCE.match(line))


def _map_lines(text: str, fences: Fences, outside: Callable[[str, int], str], heading: Callable[[str], str]) -> str:
    """Rewrite the lines outside of fences, and inside of them the headings that a metadata comment would anchor."""
    lines, at = [], 0
    for line in text.split("\n"):
        if not inside(fences, at):
            lines.append(outside(line, at))
        elif _HIDDEN_HEADING.match(line) and is_anchored(text, at):
            lines.append(heading(line))
        else:
            lines.append(line)
        at += len(line) + 1
    return "\n".join(lines)
