"""What a fact is: its fields, their vocabularies, and the one place where values are checked on the way in."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

from memory_magic.credentials import mask, may_hold
from memory_magic.errors import EmptyTextError, InvalidError, TooLongError
from memory_magic.times import end_of

CATEGORIES = ("profile", "preferences", "technical", "projects", "other")
SOURCES = ("conversation", "tool_call", "auto_discovery", "user_explicit")
DEFAULT_CATEGORY, DEFAULT_SOURCE, DEFAULT_SCOPE, DEFAULT_CONFIDENCE = "other", "conversation", "global", 70

TITLE_CHARS, BODY_CHARS, CONTEXT_CHARS, KEY_CHARS, SCOPE_CHARS = 120, 20_000, 500, 64, 120
DERIVED_CHARS = 60

ID = re.compile(r"m-[0-9a-f]{6}")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_SCOPE = re.compile(r"global|project:\S(?:.*\S)?")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
_COPY_NUMBER = re.compile(r" \(\d+\)\Z")


@dataclass(frozen=True, slots=True, repr=False)
class Fact:
    """One remembered thing.

    ``expires`` is an aware UTC instant, or a date that means the end of that day in UTC. The three times are aware
    UTC in whole seconds; they are None for a section that was written by hand. ``flags`` says, a sentence each, what
    a person should look at, such as a value in the file that is not valid. ``version`` changes with the section's text
    in the file, so that an edit can say what it was made from; it is empty for a fact that was not read from one.
    """

    id: str
    title: str
    body: str = ""
    category: str = DEFAULT_CATEGORY
    key: str | None = None
    source: str = DEFAULT_SOURCE
    confidence: int = DEFAULT_CONFIDENCE
    expires: datetime | date | None = None
    context: str = ""
    scope: str = DEFAULT_SCOPE
    created: datetime | None = None
    updated: datetime | None = None
    confirmed: datetime | None = None
    flags: tuple[str, ...] = ()
    version: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The fact itself: the body or, where there is none, the title."""
        return self.body or self.title

    @property
    def expires_at(self) -> datetime | None:
        """The instant from which the fact has expired."""
        return None if self.expires is None else end_of(self.expires)

    def __repr__(self) -> str:
        """Show the fact short and with credentials masked: a repr ends up in outputs, logs and tracebacks."""
        fact = masked(self)
        text = fact.text if len(fact.text) <= 200 else fact.text[:200] + "…"
        key = f", key={fact.key!r}" if fact.key else ""
        return f"Fact({fact.id!r}, {fact.title!r}, {text!r}, category={fact.category!r}{key})"


def masked(fact: Fact) -> Fact:
    """Give the fact with its credentials masked, as it may be shown.

    The title and the key introduce the body: under "Wifi password", "hunter2" is a secret.
    """
    texts = _texts(fact)
    shown = _masked(texts)
    name = fact.id if ID.fullmatch(fact.id) else mask(fact.id)  # that of a note may be any text
    return (
        fact if (shown, name) == (texts, fact.id) else replace(fact, id=name, **dict(zip(_SHOWN, shown, strict=True)))
    )


def masked_title(fact: Fact) -> str:
    """Give the title alone as ``masked`` does."""
    return _masked_title(fact.title, fact.body, fact.key)


_SHOWN = ("title", "body", "category", "key", "source", "context", "scope", "flags")
_texts = attrgetter(*_SHOWN)


# Looking for credentials takes longer than all else that is done to show a fact, and the same facts are shown often.
@lru_cache(maxsize=65_536)
def _masked(texts: tuple[Any, ...]) -> tuple[Any, ...]:
    title, body, category, key, source, context, scope, flags = texts
    if not may_hold("\n".join((title, body, category, key or "", source, context, scope, *flags))):
        return texts
    shown = _masked_title(title, body, key), mask(body, title, key), mask(category), key and mask(key)
    return *shown, mask(source), mask(context), mask(scope), tuple(map(mask, flags))


def _masked_title(title: str, body: str, key: str | None) -> str:
    # A title that says nothing but the text is what the key introduces.
    return mask(title, key if not body or is_derived(title, body) else None)


@lru_cache(maxsize=4_096)
def holds_secret(fact: Fact) -> bool:
    """Say whether something in the fact looks like a credential; no model is told such a fact."""
    return masked(fact) != fact


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes: its name for the record, and the source and confidence of what it does not say more about."""

    name: str
    source: str = DEFAULT_SOURCE
    confidence: int = DEFAULT_CONFIDENCE


PYTHON = Writer("python")
MAGIC = Writer("magic", source="user_explicit", confidence=90)
COMMAND = Writer("command line", source="user_explicit", confidence=90)
TABLE = Writer("table", source="user_explicit", confidence=90)
PANEL = Writer("panel", source="user_explicit", confidence=90)


def status(fact: Fact, now: datetime) -> str:
    """Give ``expired``, ``expiring`` (within 7 days), ``low`` (confidence under 50) or ``active``."""
    if (at := fact.expires_at) is not None:
        if at <= now:
            return "expired"
        if (at - now).total_seconds() <= 7 * 86_400:
            return "expiring"
    return "low" if fact.confidence < 50 else "active"


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Give the form in which titles are compared: NFKC and case folding, until neither changes anything."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded if folded == text else fold(folded)


def one_line(text: str) -> str:
    """Collapse white space, line breaks included, and compose characters (NFC)."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def checked_text(value: object, field: str) -> str:
    """Give the value if it is text that UTF-8 can hold; raises InvalidError that names the field."""
    if not isinstance(value, str):
        raise InvalidError(f"{field} must be text, not {type(value).__name__}; put it in quotes")
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise InvalidError(f"{field} holds half a character (a lone surrogate) that UTF-8 cannot store; remove it")
    return value


def clean_title(value: object) -> str:
    """Give the title in one line of 1 to 120 characters, white space collapsed, NFC."""
    title = one_line(checked_text(value, "title"))
    if not title:
        raise EmptyTextError("The title is empty; say in a few words what the fact is about")
    if len(title) > TITLE_CHARS:
        raise TooLongError(
            f"The title has {len(title)} characters; {TITLE_CHARS} are allowed, put the rest into the body"
        )
    return title


def normal_body(text: str) -> str:
    """Turn CR and CRLF into LF and take blank lines off both ends; the rest stays as it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not (written := text.rstrip(" \t\n")):
        return ""
    end = text.find("\n", len(written))  # the last line keeps the spaces at its end
    blank = _BLANK_LINES.match(text)
    return text[blank.end() if blank else 0 : end if end >= 0 else None]


def clean_body(value: object, field: str = "body") -> str:
    """Give the body, at most 20,000 characters; everything but its ends and line ends is kept."""
    body = normal_body(checked_text(value, field))
    if len(body) > BODY_CHARS:
        raise TooLongError(
            f"The {field} has {len(body):,} characters; {BODY_CHARS:,} are allowed, store a pointer to a file"
        )
    return body


def clean_category(value: object) -> str:
    """Give one of the five categories."""
    if (category := checked_text(value, "category").strip()) not in CATEGORIES:
        raise InvalidError(f"category must be one of {', '.join(CATEGORIES)}")
    return category


def clean_key(value: object) -> str:
    """Give the key: a lower-case letter, then letters, digits and underscores, up to 64."""
    key = checked_text(value, "key").strip()
    if len(key) > KEY_CHARS or not _KEY.fullmatch(key):
        raise InvalidError(
            f"key must be a lower-case letter, then lower-case letters, digits or _, up to {KEY_CHARS}: prod_server_ip"
        )
    return key


def clean_source(value: object) -> tuple[str, str]:
    """Give the source and, where an unknown one became ``conversation``, a notice that says so."""
    source = checked_text(value, "source").strip()
    if source in SOURCES:
        return source, ""
    return DEFAULT_SOURCE, f"source is not one of {', '.join(SOURCES)}; it was stored as {DEFAULT_SOURCE}"


def clean_confidence(value: object) -> tuple[int, str]:
    """Give a whole number from 0 to 100 and, where the one given was clamped, a notice that says so."""
    number = _number(value)
    if math.isnan(number):
        raise InvalidError("confidence must be a number from 0 to 100")
    clamped = round(min(max(number, 0.0), 100.0))
    return clamped, "" if 0 <= number <= 100 else f"confidence was outside 0 to 100 and was stored as {clamped}"


def _number(value: Any) -> float:
    """Give the number that a value is, or NaN; true and false are none."""
    # NumPy's truths say what they are by their dtype.
    is_truth = isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"
    if is_truth or isinstance(value, bytes) or (isinstance(value, str) and not _NUMBER.fullmatch(value.strip())):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # more than a float holds
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def clean_context(value: object, field: str = "context") -> str:
    """Give the context in one line of at most 500 characters."""
    context = " ".join(checked_text(value, field).split("\r\n"))
    context = re.sub(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", " ", context).strip()
    if len(context) > CONTEXT_CHARS:
        raise TooLongError(f"The {field} has {len(context)} characters; {CONTEXT_CHARS} are allowed")
    return context


def clean_scope(value: object) -> str:
    """Give ``global`` or ``project:<name>``."""
    scope = one_line(checked_text(value, "scope"))
    if len(scope) > SCOPE_CHARS or not _SCOPE.fullmatch(scope):
        raise InvalidError(f"scope must be global or project:<name>, at most {SCOPE_CHARS} characters")
    return scope


def titles_from(text: str) -> Iterator[str]:
    """Give the titles that a text can have: its first words up to 60 characters, then more, then with a number."""
    line = one_line(text)
    title = _words_within(line, DERIVED_CHARS)
    while True:
        yield title
        longer = line[: line.find(" ", len(title) + 1)] if line.find(" ", len(title) + 1) > 0 else line
        if len(longer) > TITLE_CHARS or longer == title:
            break
        title = longer
    number = 2
    while True:
        suffix = f" ({number})"
        yield _words_within(title, TITLE_CHARS - len(suffix)) + suffix
        number += 1


def _words_within(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    end = line.rfind(" ", 0, limit + 1)
    return line[:end] if end > 0 else line[:limit].rstrip()


def is_derived(title: str, body: str) -> bool:
    """Say whether the title is only the beginning of the body, ended at a word, perhaps with a number behind it."""
    return bool(body) and any(_begins(one_line(body), start) for start in {title, _COPY_NUMBER.sub("", title)})


def _begins(line: str, start: str) -> bool:
    if not start or not line.startswith(start):
        return False
    # A first word of more than 60 characters is cut where the limit falls, not at a word's end.
    return len(start) >= DERIVED_CHARS or line[len(start) : len(start) + 1] in ("", " ")


def title_from_key(key: str) -> str:
    """Give the key in words: ``prod_server_ip`` becomes ``Prod server ip``."""
    return one_line(key.replace("_", " ")).capitalize()
