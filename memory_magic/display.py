"""Results as text and as HTML: escaped, with credentials masked, so that a look is enough. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from html import escape

from memory_magic.fact import DEFAULT_CATEGORY, DEFAULT_SCOPE, Fact, is_derived, masked, one_line, status
from memory_magic.showing import shown, visible
from memory_magic.times import span, write_moment

_TEXT_CHARS, _HTML_CHARS, _LINE_CHARS, _TITLE_COLUMNS, _LISTED, _PREVIEWED = 1_000, 3_000, 80, 48, 10, 50
# Lines that are drawn up in columns, or say that they are code.
_CODE = re.compile(r"^(?:\t| {2,}\S| {0,3}(?:```|~~~))|\S {3,}\S", re.MULTILINE)

# JupyterLab centres, stripes and wraps tables, and wraps code; the variables are those of its themes.
_CSS = """
.memory-magic{container-type:inline-size;max-width:72em;font:var(--jp-ui-font-size1,13px)/1.5 var(--jp-ui-font-family,
system-ui,sans-serif);color:var(--jp-ui-font-color1,inherit)}
.memory-magic :is(table,thead,tbody,tr,th,td,code){background:none!important;color:inherit;border:0;font-size:inherit}
.memory-magic table{border-collapse:collapse;margin:0;width:100%;table-layout:auto}
.memory-magic :is(tr,th,td){text-align:start!important}
.memory-magic :is(th,td){vertical-align:top;padding:7px 16px 7px 0;white-space:nowrap;
line-height:1.5}
.memory-magic tr{border-bottom:1px solid var(--jp-border-color2,#8885);text-align:start!important}
.memory-magic :is(th,.mm-why,p){color:var(--jp-ui-font-color2,inherit);font-weight:400}
.memory-magic td.mm-place{white-space:normal;overflow-wrap:anywhere;min-width:7em;max-width:13em}
.memory-magic .mm-place code{display:block;width:max-content;max-width:100%}
.memory-magic code.mm-id{white-space:nowrap;overflow-wrap:normal}
.memory-magic td.mm-fact{white-space:normal;width:100%;min-width:20em;max-width:none}
.memory-magic :is(.mm-title,.mm-body,.mm-why,p){text-align:start;unicode-bidi:plaintext;overflow-wrap:anywhere}
.memory-magic .mm-title{font-weight:600}
.memory-magic .mm-body{white-space:pre-wrap;max-height:21em;overflow:auto;margin-top:2px}
.memory-magic :is(code,.mm-code){font-family:var(--jp-code-font-family,monospace);font-size:.95em}
.memory-magic td code{padding:0!important;white-space:inherit!important}
.memory-magic .mm-why{font-size:.9em;margin-top:2px}
.memory-magic .mm-flag{margin-top:4px;padding-left:8px;border-left:3px solid var(--jp-warn-color1,#f57c00)}
.memory-magic .mm-sure{display:block;height:3px;border-radius:2px;margin-top:2px;min-width:4em;
background:linear-gradient(var(--jp-brand-color1,#1976d2) 0 0) 0/var(--mm) 100% no-repeat var(--jp-border-color2,#8885)}
.memory-magic .mm-soon{font-weight:600;border:1px solid var(--jp-warn-color1,#f57c00);border-radius:9px;padding:1px 8px}
.memory-magic p{margin:8px 0 0}
@container (max-width:44em){
.memory-magic thead{display:none}
.memory-magic :is(table,tbody,tr,td.mm-fact){display:block;min-width:0}
.memory-magic tr{padding:6px 0}
.memory-magic td{display:inline-block;padding:2px 14px 2px 0}
.memory-magic td.mm-fact{padding:0}
.memory-magic td.mm-place{min-width:0;max-width:none}
.memory-magic .mm-age::after{content:" old"}
.memory-magic .mm-never::after{content:" expires"}
}
"""


def quoted(text: str, limit: int = _LINE_CHARS) -> str:
    """Give a text in one line and quotation marks, cut to ``limit`` characters."""
    line = one_line(shown(text))
    return f"“{line if len(line) <= limit else line[: limit - 1] + '…'}”"


def error_line(error: Exception) -> str:
    """Give an error in one line; the titles and paths in it may hold anything."""
    return visible(one_line(str(error)))


def named(fact: Fact, limit: int = _LINE_CHARS) -> str:
    """Give a fact's id and title."""
    return f"{visible(fact.id)} {quoted(masked(fact).title, limit)}"


def saved_line(fact: Fact, previous: Fact | None, created: bool, changed: bool, notices: Sequence[str]) -> str:
    """Give the receipt of a write in one line."""
    what = f"{named(fact)} ({_place(masked(fact))})"
    if created:
        line = f"Remembered {what}"
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
        line = f"Forgot {named(facts[0])} ({_place(masked(facts[0]))})"
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


def found_text(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as aligned text, a line each, with the body below where it says more than the title.

    Where there is one fact alone, the line under it says where it comes from.
    """
    facts = list(map(masked, facts))
    rows = [(visible(fact.id), *_cells(fact, now, _TITLE_COLUMNS)) for fact in facts]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)] if rows else []
    lines = []
    for fact, row in zip(facts, rows, strict=True):
        lines.append(
            "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        )
        if body := _more(fact, _TEXT_CHARS):
            lines += ["    " + line for line in body.split("\n")]
        lines += [f"    ! {one_line(visible(flag))}" for flag in fact.flags]
        if len(facts) == 1:
            lines.append(f"    ({_why(fact)})")
    return "\n".join([*lines, message])


def found_html(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as an HTML table that follows the notebook's theme; every text in it is escaped."""
    rows = "".join(_row(fact, now) for fact in facts)
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("Fact", "Category", "Confidence", "Age", "Expires", "Id")
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return (
        f'<div class="memory-magic mathjax_ignore tex2jax_ignore"><style>{_CSS}</style>{table}'
        f'<p dir="auto">{escape(message)}</p></div>'
    )


def section_html(text: str, included: Sequence[Fact], omitted: Sequence[tuple[Fact, str]]) -> str:
    """Give the preview of a prompt section: its text, then which facts are in it, and which are not and why."""
    facts = [(fact, "in the section") for fact in included] + list(omitted)
    rows = "".join(
        f'<tr><td class="mm-fact" dir="auto">{escape(quoted(masked(fact).title))}</td><td>{escape(where)}</td>'
        f'<td><code class="mm-id">{escape(visible(fact.id))}</code></td></tr>'
        for fact, where in facts[:_PREVIEWED]
    )
    counts = f"{len(text):,} characters; {len(included)} of {len(facts)} facts are in the section"
    counts += f", the first {_PREVIEWED} are listed" if len(facts) > _PREVIEWED else ""
    return (
        f'<div class="memory-magic mathjax_ignore tex2jax_ignore"><style>{_CSS}</style>'
        f'<div class="mm-body mm-code" dir="auto">{escape(visible(text))}</div>'
        f"<p>{counts}</p><table><tbody>{rows}</tbody></table></div>"
    )


def _row(fact: Fact, now: datetime) -> str:
    fact = masked(fact)
    title, _, confidence, age, expires = (escape(cell) for cell in _cells(fact, now))
    body = escape(_more(fact, _HTML_CHARS))
    if body:
        code = " mm-code" if _CODE.search(fact.body) else ""
        body = f'<div class="mm-body{code}" dir="auto">{body}</div>'
    flags = "".join(f'<div class="mm-flag">{escape(one_line(visible(flag)))}</div>' for flag in fact.flags)
    key = f"<code>{escape(visible(fact.key))}</code>" if fact.key else ""
    end = {"expired": "soon", "expiring": "soon"}.get(status(fact, now), "never" if fact.expires is None else "later")
    return (
        f'<tr><td class="mm-fact"><div class="mm-title" dir="auto">{title}</div>{body}{flags}'
        f'<div class="mm-why" dir="auto">{escape(_why(fact))}</div></td>'
        f'<td class="mm-place">{escape(one_line(visible(fact.category)))}{key}</td>'
        f'<td>{confidence}<span class="mm-sure" style="--mm:{fact.confidence}%"></span></td>'
        f'<td class="mm-age">{age}</td><td><span class="mm-{end}">{expires}</span></td>'
        f'<td><code class="mm-id">{escape(visible(fact.id))}</code></td></tr>'
    )


def _cells(fact: Fact, now: datetime, columns: int | None = None) -> tuple[str, str, str, str, str]:
    """Give title, category with key, confidence, age and what remains until expiry, of a fact that is masked."""
    title = _cut(one_line(visible(fact.title)) or "(no title)", columns)
    age = "—" if fact.updated is None else span((now - fact.updated).total_seconds())
    return title, _cut(_place(fact), columns), f"{fact.confidence} %", age, remaining(fact, now)


def _place(fact: Fact) -> str:
    """Give the category and, where there is one, the key, in one line; the fact is masked."""
    return one_line(visible((fact.category or DEFAULT_CATEGORY) + (f"/{fact.key}" if fact.key else "")))


def _why(fact: Fact) -> str:
    """Say where a fact comes from: source, context, scope, the day it was made and the day it was confirmed."""
    parts = [fact.source.replace("_", " "), fact.context, "" if fact.scope == DEFAULT_SCOPE else fact.scope]
    parts += [f"since {fact.created:%Y-%m-%d}"] if fact.created else []
    parts += [f"confirmed {fact.confirmed:%Y-%m-%d}"] if fact.confirmed else []
    return " · ".join(one_line(visible(part)) for part in parts if part)


def remaining(fact: Fact, now: datetime) -> str:
    """Say what remains until expiry: ``never``, ``6 d left`` or ``expired``."""
    if fact.expires_at is None:
        return "never"
    left = (fact.expires_at - now).total_seconds()
    # Half a minute more: what was given 7 d a moment ago does not read 6 d.
    return f"{span(left + 30 * (left > 60))} left" if left > 0 else "expired"


def _more(fact: Fact, limit: int) -> str:
    """Give the body where it says more than the title, cut to ``limit`` characters, with the rest counted."""
    if not fact.body or one_line(fact.body) == fact.title:
        return ""
    body = visible(fact.body)
    return body if len(body) <= limit else f"{body[:limit]}… ({len(body) - limit:,} more characters)"


def with_notices(line: str, notices: Sequence[str]) -> str:
    """Give a line with what else is to be said behind it, a sentence each."""
    for notice in notices:
        line += (" " if line.endswith((".", "?", "!", "…")) else ". ") + visible(
            " ".join((notice[:1].upper() + notice[1:]).splitlines())
        )
    return line


def _cut(text: str, columns: int | None) -> str:
    """Cut a text to what fits into so many columns of a terminal."""
    if columns is None or (len(text) <= columns and _width(text) <= columns):
        return text
    text = text[:columns]
    while _width(text) >= columns:
        text = text[:-1]
    return text + "…"


def _width(text: str) -> int:
    """Give the columns that a text takes in a terminal: none for marks, two for wide characters."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
