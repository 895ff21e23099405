"""Differences as HTML: what goes and what comes is marked word by word; every text is escaped. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any

from memory_magic.display import counted
from memory_magic.markup import framed

_ROWS, _CHARS, _COMPARED_WORDS = 200, 1_500, 600

# Marked by more than colour: what goes is struck out, what comes is underlined.
_CSS = """
.memory-magic td.mm-cell{white-space:pre-wrap;overflow-wrap:anywhere;min-width:9em;width:40%;unicode-bidi:plaintext}
.memory-magic :is(del,ins){border-radius:2px;color:inherit}
.memory-magic del{background:color-mix(in srgb,var(--jp-error-color1,#d32f2f) 22%,transparent)!important}
.memory-magic ins{background:color-mix(in srgb,var(--jp-success-color1,#388e3c) 22%,transparent)!important;
text-decoration-thickness:1px;text-underline-offset:3px}
.memory-magic .mm-none{opacity:.75}
.memory-magic td.mm-whose{white-space:normal;min-width:9em;max-width:18em;overflow-wrap:anywhere}
.memory-magic td.mm-whose code{display:block;width:max-content}
.memory-magic tr:has(+.mm-again){border-bottom-color:transparent}
.memory-magic td.mm-cell .mm-flag{white-space:normal;margin-top:2px}
@container (max-width:44em){
.memory-magic table.mm-cells{display:table}
.memory-magic .mm-cells thead{display:table-header-group}
.memory-magic .mm-cells tbody{display:table-row-group}
.memory-magic .mm-cells tr{display:table-row}
.memory-magic .mm-cells td{display:table-cell;padding:6px 10px 6px 0}
.memory-magic .mm-cells td.mm-cell,.memory-magic .mm-cells td.mm-whose{min-width:5em}
}
"""

Row = tuple[Any, str | None, str, str | None, str | None, str | None]


def differences_html(rows: Sequence[Row], titles: Mapping[str, str], message: str) -> str:
    """Give differences (row, id, field, before, after, problem) as a table, the problems first."""
    ordered = sorted(rows, key=lambda each: each[5] is None)
    shown, lines, above = ordered[:_ROWS], [], None
    for each in shown:
        whose = each[:2]
        lines.append(_line(each, titles, again=whose == above and whose != (None, None)))
        above = whose
    if len(ordered) > len(shown):
        lines.append(f'<tr><td colspan="4">and {len(ordered) - len(shown):,} more</td></tr>')
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Fact", "Field", "Before", "After"))
    table = (
        f'<table class="mm-cells"><thead><tr>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
        if lines
        else ""
    )
    return framed(f"<style>{_CSS}</style>{table}", message)


def _line(each: Row, titles: Mapping[str, str], *, again: bool) -> str:
    place, name, field, before, after, problem = each
    old, new = _marked(before, after)
    flag = f'<div class="mm-flag" dir="auto">{escape(problem)}</div>' if problem else ""
    whose = ""
    if name is not None and not again:
        title = escape(titles.get(name, ""))
        whose = f'<div class="mm-title" dir="auto">{title}</div><code class="mm-id">{escape(name)}</code>'
    elif place is not None and not again:
        whose = f'<div class="mm-title">A new fact</div>row {place}'
    return (
        f'<tr{" class=mm-again" if again else ""}><td class="mm-whose">{whose}</td><td>{escape(field)}</td>'
        f'<td class="mm-cell" dir="auto">{old}</td>'
        f'<td class="mm-cell" dir="auto">{new}{flag}</td></tr>'
    )


def _marked(before: str | None, after: str | None) -> tuple[str, str]:
    """Give both texts as HTML, with the words that only one of them has marked; a text that is not there is a dash."""
    old, new = re.findall(r"\s+|\w+|\W", _cut(before)), re.findall(r"\s+|\w+|\W", _cut(after))
    nothing = '<span class="mm-none">—</span>'
    if not (old and new) or max(len(old), len(new)) > _COMPARED_WORDS:
        return _wrapped("del", old) or nothing, _wrapped("ins", new) or nothing
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.5:  # nothing but a space here and there is the same
        return _wrapped("del", old), _wrapped("ins", new)
    gone, come = [], []
    for what, start, end, new_start, new_end in matcher.get_opcodes():
        gone.append(escape("".join(old[start:end])) if what == "equal" else _wrapped("del", old[start:end]))
        come.append(
            escape("".join(new[new_start:new_end])) if what == "equal" else _wrapped("ins", new[new_start:new_end])
        )
    return "".join(gone), "".join(come)


def _wrapped(tag: str, words: Iterable[str]) -> str:
    text = escape("".join(words))
    return f"<{tag}>{text}</{tag}>" if text else ""


def _cut(text: str | None) -> str:
    if text is None or len(text) <= _CHARS:
        return text or ""
    return f"{text[:_CHARS]}{counted(len(text) - _CHARS)}"
