"""What is said of facts: receipts, messages and the words of their fields, with credentials masked. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

from memory_magic.fact import DEFAULT_CATEGORY, DEFAULT_SCOPE, Fact, is_derived, masked, one_line
from memory_magic.showing import shown, shown_id, visible
from memory_magic.times import span, span_in_words, write_moment

_LINE_CHARS, _LISTED, _HEADING_CHARS = 80, 10, 200
# A text is long beyond the first two numbers, and then begins with the other two.
_LONG_CHARS, _LONG_LINES, _START_CHARS, _START_LINES = 600, 10, 400, 6
# Lines that are drawn up in columns, or say that they are code.
_CODE = re.compile(r"\t|^(?: {2,}\S| {0,3}(?:```|~~~))|\S {3,}\S", re.MULTILINE)


def quoted(text: str, limit: int = _LINE_CHARS) -> str:
    """Give a text in one line and quotation marks, cut to ``limit`` characters."""
    line = one_line(shown(text))
    return f"“{line if len(line) <= limit else line[: limit - 1] + '…'}”"


def error_line(error: Exception) -> str:
    """Give an error in one line; the titles and paths in it may hold anything."""
    return visible(one_line(str(error)))


def named(fact: Fact, limit: int = _LINE_CHARS) -> str:
    """Give a fact's id and title."""
    return f"{shown_id(fact.id)} {quoted(masked(fact).title, limit)}"


def saved_line(fact: Fact, previous: Fact | None, created: bool, changed: bool, notices: Sequence[str]) -> str:
    """Give the receipt of a write in one line."""
    what = f"{named(fact)} ({place(masked(fact))})"
    if created:
        line = f"Remembered {what}"
    elif previous and fact.confirmed and fact.confirmed != previous.confirmed:
        line = f"Confirmed {what}: {expiry(fact, fact.confirmed)}"
    elif changed:
        line = "; ".join([f"Updated {what}", *_differences(fact, previous)])
    else:
        line = f"Already known, nothing was written: {what}"
    return with_notices(line, notices)


def _differences(fact: Fact, previous: Fact | None) -> list[str]:
    if previous is None:
        return []
    lines, was_shown = [], masked(previous)
    for name in ("title", "body", "category", "key", "source", "confidence", "expires", "context", "scope"):
        old, new = getattr(previous, name), getattr(fact, name)
        # The context is noted with the text, and a derived title follows from it: neither is news of its own.
        follows = name == "context" or (name == "title" and is_derived(previous.title, previous.body))
        if old != new and not (follows and previous.body != fact.body):
            was = getattr(was_shown, name)
            was = write_moment(was) if isinstance(was, date) else str(was)
            lines.append(f"{'it' if name == 'body' else name} was {'none' if old in (None, '') else quoted(was)}")
    return lines


def forgotten_line(facts: Sequence[Fact], notices: Sequence[str]) -> str:
    """Give the receipt of a deletion in one line."""
    if len(facts) == 1:
        line = f"Forgot {named(facts[0])} ({place(masked(facts[0]))})"
    else:
        names = ", ".join(named(fact, 40) for fact in facts[:_LISTED])
        more = f" and {len(facts) - _LISTED} more" if len(facts) > _LISTED else ""
        line = f"Forgot {len(facts)} facts: {names}{more}"
    return with_notices(line, notices)


def found_message(
    count: int, total: int, query: str, *, approximate: bool, near: Sequence[str], notices: Sequence[str], empty: str
) -> str:
    """Give the line under the facts found; ``empty`` says why there are none where the query is not the reason."""
    if not total:
        line = empty or (f"Nothing found for {quoted(query)}" if query else "There is nothing here yet")
        if near:
            line += "; near titles: " + ", ".join(quoted(title, 60) for title in near)
    elif count < total:
        line = f"{count} of {total}, " + ("narrow the query" if query else "the most recent; add words to find others")
    else:
        line = "1 fact" if total == 1 else f"{total} facts"
    if approximate:
        line += " (approximate: found as a part of words)"
    return with_notices(line, notices)


def with_notices(line: str, notices: Sequence[str]) -> str:
    """Give a line with what else is to be said behind it, a sentence each."""
    for notice in notices:
        line += (" " if line.endswith((".", "?", "!", "…")) else ". ") + visible(
            " ".join((notice[:1].upper() + notice[1:]).splitlines())
        )
    return line


def remaining(fact: Fact, now: datetime) -> str:
    """Say when a fact expires: ``never``, ``in 6 days`` or ``expired 3 days ago``."""
    if fact.expires_at is None:
        return "never"
    left = (fact.expires_at - now).total_seconds()
    if left <= 0:
        return f"expired {span_in_words(max(1, -left))} ago"
    # Half a minute more: what was given 7d a moment ago does not read 6 days.
    return f"in {span_in_words(max(1, left + 30 * (left > 60)))}"


def expiry(fact: Fact, now: datetime) -> str:
    """Say it where no heading does: ``never expires``, ``expires in 6 days``, ``expired 3 days ago``."""
    words = remaining(fact, now)
    return {"never": "never expires"}.get(words, f"expires {words}" if words.startswith("in ") else words)


def age(fact: Fact, now: datetime) -> str:
    """Say how long ago the fact was updated, as in ``2 d``; nothing where that is not known."""
    return "" if fact.updated is None else span((now - fact.updated).total_seconds())


def bar(confidence: int) -> str:
    """Draw a confidence in five cells, of characters that nearly every font has."""
    return f"{'■' * (confidence // 20):□<5}"


def heading(fact: Fact) -> str:
    """Give the title of a masked fact in one line; one by hand may be longer than titles are, and is cut."""
    title = one_line(visible(fact.title)) or "(no title)"
    return title if len(title) <= _HEADING_CHARS else title[: _HEADING_CHARS - 1] + "…"


def place(fact: Fact) -> str:
    """Give the category of a masked fact and, where there is one, the key, in one line."""
    return one_line(visible((fact.category or DEFAULT_CATEGORY) + (f"/{fact.key}" if fact.key else "")))


def provenance(fact: Fact) -> str:
    """Say where a masked fact comes from: source, context, scope, the days when it was made and confirmed."""
    parts = [fact.source.replace("_", " "), fact.context, "" if fact.scope == DEFAULT_SCOPE else fact.scope]
    parts += [f"since {fact.created:%Y-%m-%d}"] if fact.created else []
    parts += [f"confirmed {fact.confirmed:%Y-%m-%d}"] if fact.confirmed else []
    return " · ".join(one_line(visible(part)) for part in parts if part)


def more(fact: Fact) -> str:
    """Give the body of a masked fact where it says more than the title."""
    return "" if not fact.body or one_line(fact.body) == fact.title else visible(fact.body)


def is_code(text: str) -> bool:
    """Say whether a text is drawn up in columns or is code, so that its lines must stay as they are."""
    return _CODE.search(text) is not None


def begins_with_heading(fact: Fact) -> bool:
    """Say whether a body is prose that goes on where the title ends, so that showing it shows the title too."""
    body = more(fact)
    return (
        body.startswith(heading(fact))
        and is_derived(fact.title, fact.body)
        and beginning(body) == body
        and not is_code(body)
    )


def beginning(text: str) -> str:
    """Give the first lines of a long text, ended at a line or a word; one that is not long is given whole."""
    if len(text) <= _LONG_CHARS and text.count("\n") < _LONG_LINES:
        return text
    start = "\n".join(text[: _START_CHARS + 1].split("\n")[:_START_LINES])
    if len(start) > _START_CHARS:
        half = _START_CHARS // 2
        ends = (start.rfind("\n", half), start.rfind(" ", half), _START_CHARS)
        start = start[: next(end for end in ends if end > 0)]
    return start.rstrip()


def counted(characters: int) -> str:
    """Say how many characters more there are."""
    return f"… {characters:,} more character{'' if characters == 1 else 's'}"
