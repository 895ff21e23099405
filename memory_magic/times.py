"""Instants, dates and durations: how they are read, written and compared. Everything inside is aware UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta

from memory_magic.errors import InvalidError

MAX_DAYS = 36_500
LAST_YEAR = 9998

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([hdw])", re.IGNORECASE)
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_UNITS = (
    (2 * 31_536_000, 31_536_000, "y", "year"),
    (86_400, 86_400, "d", "day"),
    (3_600, 3_600, "h", "hour"),
    (60, 60, "min", "minute"),
)
_ADVICE = "give a duration (7d, 12h, 2w), a date (2026-12-31), an ISO time, or never"


def end_of(moment: datetime | date) -> datetime:
    """Give the instant at which a moment is over: itself or, for a date, the next midnight UTC."""
    if isinstance(moment, datetime):
        return moment
    return datetime.combine(moment + timedelta(days=1), time(), UTC)


def whole_seconds(moment: datetime) -> datetime:
    """Give the instant in UTC and whole seconds; a time without a zone is UTC.

    Raises ValueError where the zone moves it outside of what a datetime holds, or where it is no time at all (NaT).
    """
    if moment != moment:  # noqa: PLR0124 -- pandas' NaT is a datetime that differs from itself
        raise ValueError("not a time")
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        aware = aware.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from None
    # Built anew, so that subclasses (pandas' Timestamp, freezegun's) do not travel into facts.
    return datetime(*aware.timetuple()[:6], tzinfo=UTC)


def read_moment(text: str) -> datetime | date:
    """Read an ISO date or an ISO time; raises ValueError on anything else, and after the year 9998."""
    text = text.strip()
    is_date = len(text) <= 10  # 2026-12-31 is the longest form of one
    moment = date.fromisoformat(text) if is_date else whole_seconds(datetime.fromisoformat(text))
    if moment.year > LAST_YEAR:
        raise ValueError("after the year 9998")
    return moment


def read_instant(text: str) -> datetime:
    """Read an ISO time, or a date as its first instant; raises ValueError on anything else."""
    moment = read_moment(text)
    return moment if isinstance(moment, datetime) else datetime.combine(moment, time(), UTC)


def write_moment(moment: datetime | date) -> str:
    """Write a date as ``2026-12-31`` and an instant as ``2026-11-30T20:20:00Z``."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
    return moment.isoformat()


def clean_expires(value: object, now: datetime) -> datetime | date | None:
    """Give the moment of expiry: ``7d``, ``12h``, ``2w``, a date, a time, ``never`` or None; raises InvalidError."""
    if value is None:
        return None
    if isinstance(value, (date, datetime)):
        return _checked_moment(value)
    if not isinstance(value, str):
        raise InvalidError(f"expires must be text or a date: {_ADVICE}; a number of days goes into expires_days")
    text = value.strip()
    if text.lower() == "never":
        return None
    if duration := _DURATION.fullmatch(text):
        return _after(float(duration[1]) * _DAYS[duration[2].lower()], now, "expires")
    try:
        return read_moment(text)
    except ValueError:
        raise InvalidError(f"expires is not a time that exists: {_ADVICE}") from None


def clean_expires_days(value: object, now: datetime) -> datetime:
    """Give the instant so many days from now; fractions are allowed, at most 36,500; raises InvalidError."""
    if isinstance(value, (str, bool, bytes)):
        raise InvalidError("expires_days must be a number of days, such as 7 or 0.5")
    try:
        days = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidError("expires_days must be a number of days, such as 7 or 0.5") from None
    return _after(days, now, "expires_days")


def later(now: datetime, length: timedelta) -> datetime:
    """Give the instant so long from now, or the last one that a fact may have."""
    last = datetime(LAST_YEAR, 12, 31, 23, 59, 59, tzinfo=UTC)
    return last if length >= last - now else now + length


def _after(days: float, now: datetime, field: str) -> datetime:
    if not math.isfinite(days) or not 0 < days <= MAX_DAYS:
        raise InvalidError(f"{field} must be more than 0 and at most {MAX_DAYS:,} days from now")
    # At least a second: a fraction that rounds to nothing would have expired on arrival.
    return whole_seconds(now) + timedelta(seconds=max(1, round(days * 86_400)))


def _checked_moment(value: date | datetime) -> datetime | date:
    try:
        moment = whole_seconds(value) if isinstance(value, datetime) else value
    except ValueError:
        raise InvalidError(f"expires is not a time that exists: {_ADVICE}") from None
    if moment.year > LAST_YEAR:
        raise InvalidError(f"expires lies after the year {LAST_YEAR}; give an earlier one, or never")
    return moment


def span(seconds: float) -> str:
    """Say a length of time in its largest unit, rounded down: ``45 s``, ``3 min``, ``5 h``, ``12 d``, ``2 y``."""
    count, unit, _ = _largest(seconds)
    return f"{count} {unit}"


def span_in_words(seconds: float) -> str:
    """Say a length of time in its largest unit, rounded down: ``1 minute``, ``5 hours``, ``12 days``, ``2 years``."""
    count, _, word = _largest(seconds)
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _largest(seconds: float) -> tuple[int, str, str]:
    """Give the count and the two names of the largest unit; up to two years, days say it better than years."""
    for least, size, unit, word in _UNITS:
        if seconds >= least:
            return int(seconds // size), unit, word
    return max(0, int(seconds)), "s", "second"
