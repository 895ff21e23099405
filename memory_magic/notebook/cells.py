"""What a cell of an edited frame asks for. What reads as the fact does already is no edit, however it came back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, time
from typing import Any

from memory_magic.errors import InvalidError
from memory_magic.fact import Fact
from memory_magic.times import clean_expires, end_of, read_instant, whole_seconds

EDITABLE = ("title", "key", "category", "body", "confidence", "expires", "source", "context", "scope")
TIMES = ("created", "updated", "confirmed")

# What readers of CSV and Excel files make nothing of, although it may be a text.
_NOTHING = {
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"),
    *("NULL", "NaN", "None", "n/a", "nan", "null"),
}
# What stands in a frame for a credential, or for a character that cannot be shown.
_STAND_IN = re.compile(r"•••|…|\\(?:r|x[0-9a-f]{2}|u[0-9a-f]{4})")


def asked(field: str, cell: object, shown: Fact, now: datetime) -> Any:
    """Give the value that a cell asks ``Store.amend`` to set, or None where it says what the frame has shown.

    ``cell`` is None for a missing value. Raises InvalidError on what is no expiry, and on several values in one cell.
    """
    if isinstance(cell, Collection) and not isinstance(cell, str):
        raise InvalidError(f"{field} takes one value, not {type(cell).__name__}")
    if field == "expires":
        return _expires(cell, shown.expires_at, now)
    if field == "confidence":
        return "" if cell is None else None if _is_number(cell, shown.confidence) else cell
    text = getattr(shown, field) or ""
    if cell is None:
        return None if not text or text in _NOTHING else ""
    return None if (cell == text if isinstance(cell, str) else _reads_as(text, cell)) else cell


def is_time(cell: object, moment: datetime | None) -> bool:
    """Say whether a cell means this instant, or nothing where there is none."""
    if cell is None or moment is None:
        return cell is moment
    try:
        found = whole_seconds(cell) if isinstance(cell, datetime) else read_instant(str(cell))
    except ValueError:
        return False
    return found == moment


def keeps_a_stand_in(text: object, shown: str, stored: str) -> bool:
    """Say whether an edited text has kept what only stood for a part of the stored one, which would be lost."""
    stand_ins = Counter(_STAND_IN.findall(shown)) - Counter(_STAND_IN.findall(stored))
    return shown != stored and any(each in str(text) for each in stand_ins)


def _expires(cell: object, shown: datetime | None, now: datetime) -> Any:
    moment = clean_expires(cell, now)
    if moment is None:
        return None if shown is None else "never"
    if shown is not None and shown in (end_of(moment), _start_of(moment)):
        return None
    return moment


def _start_of(moment: datetime | date) -> datetime:
    """Give the first instant of a date: a midnight comes back as one from programs that leave its zeros out."""
    return moment if isinstance(moment, datetime) else datetime.combine(moment, time(), UTC)


def _is_number(cell: Any, number: int) -> bool:
    try:
        return float(cell) == number
    except (TypeError, ValueError, OverflowError):
        return False


def _reads_as(text: str, cell: object) -> bool:
    """Say whether a reader of CSV files makes this number or truth of the text."""
    try:
        return str(cell).lower() == text.lower() or float(text) == float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
