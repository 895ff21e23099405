"""Results as text and as HTML: escaped, with credentials masked, so that a look is enough. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from html import escape

from memory_magic.credentials import mask
from memory_magic.fact import DEFAULT_CATEGORY, Fact, one_line, status
from memory_magic.times import span

_TEXT_CHARS, _HTML_CHARS, _LINE_CHARS = 1_000, 3_000, 80
# Controls would steer the terminal; the bidirectional ones would reorder what stands around them.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_CSS = """
.memory-magic{font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:var(--jp-ui-font-size1,13px);
color:var(--jp-ui-font-color1,inherit);max-width:70em}
.memory-magic table{border-collapse:collapse;border:0;margin:0;width:100%;table-layout:auto;color:inherit;background:none}
.memory-magic th,.memory-magic td{text-align:left!important;vertical-align:top;padding:6px 14px 6px 0;white-space:nowrap;
border:0;border-bottom:1px solid var(--jp-border-color2,rgba(128,128,128,.35));background:none!important;color:inherit}
.memory-magic th{font-weight:600;border-bottom-width:2px}
.memory-magic td.mm-fact{white-space:normal;width:100%;min-width:16em}
.memory-magic .mm-title{font-weight:600;overflow-wrap:anywhere}
.memory-magic .mm-body{white-space:pre-wrap;overflow-wrap:anywhere;margin-top:3px}
.memory-magic .mm-flag{margin-top:3px;font-style:italic}
.memory-magic code{font-family:var(--jp-code-font-family,monospace);background:none;color:inherit;padding:0;font-size:inherit}
.memory-magic .mm-soon{font-weight:600}
.memory-magic p{margin:8px 0 0;color:inherit}
"""


def shown(text: str) -> str:
    """Give a text as it may be shown: credentials masked, control characters made visible."""
    return _UNSAFE.sub(lambda match: f"\\x{ord(match[0]):02x}", mask(text))


def quoted(text: str, limit: int = _LINE_CHARS) -> str:
    """Give a text in one line and quotation marks, cut to ``limit`` characters."""
    line = one_line(shown(text))
    return f"“{line if len(line) <= limit else line[: limit - 1] + '…'}”"


def saved_line(fact: Fact, previous: Fact | None, created: bool, changed: bool, notices: Sequence[str]) -> str:
    """Give the receipt of a write in one line."""
    named = f"{fact.id} {quoted(fact.title)} ({shown(fact.category)})"
    if created:
        line = f"Remembered {named}"
    elif changed:
        line = "; ".join([f"Updated {named}", *_differences(fact, previous)])
    else:
        line = f"Already known, nothing was written: {named}"
    return ". ".join([line, *(notice[:1].upper() + notice[1:] for notice in notices)])


def _differences(fact: Fact, previous: Fact | None) -> list[str]:
    if previous is None:
        return []
    lines = []
    for name in ("title", "body", "category", "key", "source", "confidence", "expires", "context", "scope"):
        old, new = getattr(previous, name), getattr(fact, name)
        if old != new and not (name == "title" and previous.body != fact.body):
            was = "none" if old in (None, "") else quoted(str(old))
            lines.append(f"{'it' if name == 'body' else name} was {was}")
    return lines


def forgotten_line(facts: Sequence[Fact], notices: Sequence[str]) -> str:
    """Give the receipt of a deletion in one line."""
    if len(facts) == 1:
        line = f"Forgot {facts[0].id} {quoted(facts[0].title)} ({shown(facts[0].category)})"
    else:
        line = f"Forgot {len(facts)} facts: " + ", ".join(f"{fact.id} {quoted(fact.title, 40)}" for fact in facts)
    return ". ".join([line, *notices])


def found_message(
    count: int, total: int, query: str, *, approximate: bool, near: Sequence[str], notices: Sequence[str]
) -> str:
    """Give the line under the facts found."""
    if not total:
        line = f"Nothing found for {quoted(query)}" if query else "There is nothing here yet"
        if near:
            line += "; near titles: " + ", ".join(quoted(title, 60) for title in near)
    elif count < total:
        line = f"{count} of {total}, " + ("narrow the query" if query else "the most recent; add words to find others")
    else:
        line = "1 fact" if total == 1 else f"{total} facts"
    if approximate:
        line += " (approximate: found as a part of words)"
    return ". ".join([line, *notices])


def found_text(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as aligned text, a line each, with the body below where it says more than the title."""
    rows = [(fact.id, *_cells(fact, now)) for fact in facts]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)] if rows else []
    lines = []
    for fact, row in zip(facts, rows, strict=True):
        lines.append(
            "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
        if body := _more(fact, _TEXT_CHARS):
            lines += ["    " + line for line in body.split("\n")]
        lines += [f"    ! {shown(flag)}" for flag in fact.flags]
    return "\n".join([*lines, message])


def found_html(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as an HTML table that follows the notebook's theme; every text in it is escaped."""
    rows = "".join(_row(fact, now) for fact in facts)
    heads = "".join(
        f"<th scope='col'>{name}</th>" for name in ("Fact", "Category", "Confidence", "Age", "Expires", "Id")
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return (
        f'<div class="memory-magic mathjax_ignore tex2jax_ignore"><style>{_CSS}</style>{table}'
        f'<p dir="auto">{escape(message)}</p></div>'
    )


def _row(fact: Fact, now: datetime) -> str:
    title, category, confidence, age, expires = (escape(cell) for cell in _cells(fact, now, limit=None))
    body = "".join(
        f'<div class="mm-body" dir="auto">{escape(text)}</div>' for text in [_more(fact, _HTML_CHARS)] if text
    )
    flags = "".join(f'<div class="mm-flag">⚠ {escape(shown(flag))}</div>' for flag in fact.flags)
    soon = ' class="mm-soon"' if status(fact, now) in ("expired", "expiring") else ""
    return (
        f'<tr><td class="mm-fact"><div class="mm-title" dir="auto">{title}</div>{body}{flags}</td><td>{category}</td>'
        f"<td>{confidence}</td><td>{age}</td><td{soon}>{expires}</td><td><code>{escape(fact.id)}</code></td></tr>"
    )


def _cells(fact: Fact, now: datetime, limit: int | None = 60) -> tuple[str, str, str, str, str]:
    """Give title, category with key, confidence, age and what remains until expiry."""
    title = one_line(shown(fact.title)) or "(no title)"
    if limit and len(title) > limit:
        title = title[: limit - 1] + "…"
    category = one_line(shown(fact.category)) or DEFAULT_CATEGORY
    key = f"/{shown(fact.key)}" if fact.key else ""
    age = "—" if fact.updated is None else span((now - fact.updated).total_seconds())
    return title, category + key, f"{fact.confidence} %", age, remaining(fact, now)


def remaining(fact: Fact, now: datetime) -> str:
    """Say what remains until expiry: ``never``, ``6 d left`` or ``expired``."""
    if fact.expires_at is None:
        return "never"
    left = (fact.expires_at - now).total_seconds()
    return f"{span(left)} left" if left > 0 else "expired"


def _more(fact: Fact, limit: int) -> str:
    """Give the body where it says more than the title, cut to ``limit`` characters, with the rest counted."""
    if not fact.body or one_line(fact.body) == fact.title:
        return ""
    body = shown(fact.body)
    return body if len(body) <= limit else f"{body[:limit]}… ({len(body) - limit:,} more characters)"


def _width(text: str) -> int:
    """Give the columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
