"""What may be shown of a text: credentials masked, and spelled out what would steer a terminal or cannot be printed."""

from __future__ import annotations

import re

from memory_magic.credentials import mask

# Controls would steer the terminal; the bidirectional ones would reorder what stands around them; half a character
# (a lone surrogate) cannot be printed at all.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Give a text with its control characters spelled out."""
    return _UNSAFE.sub(lambda match: repr(match[0])[1:-1], text)


def shown(text: str) -> str:
    """Give a text as it may be shown: credentials masked, control characters spelled out."""
    return visible(mask(text))


def shown_line(text: str, limit: int | None = None) -> str:
    """Give a text as it may be shown, in one line, cut to ``limit`` characters."""
    line = " ".join(shown(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def shown_id(text: str) -> str:
    """Give an id as it may be shown: that of a note may be any text, and stays as it can be typed."""
    return shown(text).replace("\n", "\\n").replace("\t", "\\t")


def typed_id(text: str) -> str:
    """Give an id as it is typed behind an option: in quotation marks where it has spaces."""
    line = shown_id(text)
    return f'"{line}"' if " " in line else line
