"""What is given to a write: checked, and what was not given left out. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from memory_magic import fact as rules
from memory_magic.errors import InvalidError
from memory_magic.times import clean_expires, clean_expires_days, end_of

_CLEAN: dict[str, Callable[[object], Any]] = {
    "title": rules.clean_title,
    "body": rules.clean_body,
    "category": rules.clean_category,
    "key": rules.clean_key,
    "context": rules.clean_context,
    "scope": rules.clean_scope,
}


def clean(now: datetime, **values: object) -> tuple[dict[str, Any], list[str]]:
    """Check what was given and leave out what was not; notices tell what became something else."""
    given: dict[str, Any] = {}
    notices: list[str] = []
    values = {name: value for name, value in values.items() if value is not None}
    if "expires" in values and "expires_days" in values:
        raise InvalidError("Give expires or expires_days, not both")
    for name, value in values.items():
        if name == "expires":
            given["expires"] = clean_expires(value, now)
        elif name == "expires_days":
            given["expires"] = clean_expires_days(value, now)
        elif name in ("source", "confidence"):
            check = rules.clean_source if name == "source" else rules.clean_confidence
            given[name], notice = check(value)
            notices += [notice] if notice else []
        elif name in _CLEAN:
            given[name] = _CLEAN[name](value)
        else:
            raise InvalidError(f"There is no field {name}")
    if (moment := given.get("expires")) and end_of(moment) <= now:
        notices.append("its expiry lies in the past, so it has expired already")
    return given, notices


def exact(now: datetime, **values: object) -> dict[str, Any]:
    """Check values of which nothing is clamped or replaced: what is not as a field takes it is an InvalidError.

    An empty key means none.
    """
    no_key = values.get("key") == ""
    given, _ = clean(now, **{name: value for name, value in values.items() if not (no_key and name == "key")})
    number = values.get("confidence")
    if "confidence" in given and (rules.clean_confidence(number)[1] or float(number) != given["confidence"]):  # type: ignore[arg-type]
        raise InvalidError("confidence must be a whole number from 0 to 100")
    if "source" in given and str(values["source"]).strip() != given["source"]:
        raise InvalidError(f"source must be one of {', '.join(rules.SOURCES)}")
    return {**given, "key": None} if no_key else given


def title_and_text(text: object, body: object, title: object) -> tuple[object, object]:
    """Tell a title of its own from a text: two texts are title and body, one is the body."""
    if body is None:
        return title, text
    if text is None:
        return title, body
    if title is not None:
        raise InvalidError("The title was given twice; give it once")
    return text, body
