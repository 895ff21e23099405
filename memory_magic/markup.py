"""What is found, as HTML that follows the notebook's theme and reads well without any style. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape

from memory_magic.display import (
    age,
    bar,
    beginning,
    begins_with_heading,
    counted,
    heading,
    is_code,
    more,
    provenance,
    quoted,
    remaining,
)
from memory_magic.fact import BODY_CHARS, Fact, masked, one_line, status
from memory_magic.showing import visible

_PREVIEWED = 50

# JupyterLab centres, stripes and wraps tables, and wraps code; the variables are those of its themes.
_CSS = """
.memory-magic{container-type:inline-size;max-width:76em;font:var(--jp-ui-font-size1,13px)/1.5 var(--jp-ui-font-family,
system-ui,sans-serif);color:var(--jp-content-font-color1,inherit)}
.memory-magic :is(table,thead,tbody,tr,th,td,code,pre){background:none!important;color:inherit;border:0;
font-size:inherit}
.memory-magic table{border-collapse:collapse;margin:0;width:100%;table-layout:auto}
.memory-magic :is(tr,th,td){text-align:start!important}
.memory-magic :is(th,td){vertical-align:top;padding:8px 18px 8px 0;white-space:nowrap;line-height:1.5}
.memory-magic :is(th,td):last-child{padding-right:0}
.memory-magic tr{border-bottom:1px solid var(--jp-border-color2,#8885)}
.memory-magic :is(th,.mm-why,.mm-more,p){color:var(--jp-ui-font-color2,inherit);font-weight:400}
.memory-magic td.mm-fact{white-space:normal;width:100%;min-width:20em;max-width:none}
.memory-magic :is(td.mm-fact>div,.mm-body,p){unicode-bidi:plaintext;text-align:start;overflow-wrap:anywhere}
.memory-magic .mm-title{font-weight:600}
.memory-magic :is(div,pre,span).mm-body{display:block;white-space:pre-wrap;margin:2px 0 0;padding:0;line-height:1.5}
.memory-magic :is(code,.mm-code){font-family:var(--jp-code-font-family,monospace);font-size:.95em}
.memory-magic td code{padding:0!important;white-space:inherit!important}
.memory-magic summary{cursor:pointer;list-style:none;display:block}
.memory-magic summary::-webkit-details-marker{display:none}
.memory-magic summary:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2);outline-offset:2px}
.memory-magic .mm-more{display:block;text-decoration:underline;text-underline-offset:2px}
.memory-magic [open] :is(.mm-body.mm-start,.mm-more>span){display:none}
.memory-magic [open] .mm-more::before{content:"Show less"}
.memory-magic .mm-why{display:block;font-size:.92em;margin-top:2px}
.memory-magic .mm-flag{margin-top:4px;padding-left:8px;border-left:3px solid var(--jp-warn-color1,#f57c00)}
.memory-magic td.mm-place{white-space:normal;overflow-wrap:anywhere;min-width:8.5em;max-width:15em}
.memory-magic code.mm-id{-webkit-user-select:all;user-select:all;white-space:nowrap!important}
.memory-magic .mm-bar{display:block;font-size:0;height:4px;border-radius:2px;margin-top:3px;min-width:66px;
background:linear-gradient(var(--mm-fill,var(--jp-brand-color1,#1976d2)) 0 0) 0/var(--mm) 100% no-repeat
var(--jp-border-color2,#8885)}
.memory-magic .mm-low{--mm-fill:var(--jp-warn-color1,#f57c00)}
.memory-magic .mm-soon{border:1px solid var(--jp-warn-color1,#f57c00);border-radius:9px;padding:1px 8px;font-weight:600}
.memory-magic p{margin:8px 0 0}
@container (max-width:44em){
.memory-magic thead{display:none}
.memory-magic :is(table,tbody){display:block}
.memory-magic tr{display:flex;flex-wrap:wrap;align-items:center;gap:2px 14px;padding:8px 0}
.memory-magic td{padding:0}
.memory-magic td.mm-fact{flex:0 0 100%;min-width:0}
.memory-magic td.mm-place{min-width:0;max-width:100%}
.memory-magic .mm-place br{display:none}
.memory-magic .mm-place code::before{content:"/"}
.memory-magic .mm-bar{display:inline-block;margin:0 0 0 4px;min-width:40px;vertical-align:middle}
.memory-magic .mm-age::after{content:" old"}
.memory-magic .mm-never::after{content:" expires"}
.memory-magic [data-ahead]::before{content:"expires "}
}
"""


def framed(content: str, message: str) -> str:
    """Give HTML in the frame of all results: their style, and under the content the message, which is a text."""
    return (
        f'<div class="memory-magic mathjax_ignore tex2jax_ignore"><style>{_CSS}</style>{content}'
        f'<p dir="auto">{escape(message)}</p></div>'
    )


def found_html(facts: Sequence[Fact], message: str, now: datetime) -> str:
    """Give the facts as a table; every text in it is escaped, and a long body opens by a click or by Enter."""
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("Fact", "Category", "Confidence", "Age", "Expires", "Id")
    )
    rows = "".join(_row(masked(fact), now) for fact in facts)
    return framed(f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else "", message)


def _row(fact: Fact, now: datetime) -> str:
    flags = "".join(f'<div class="mm-flag" dir="auto">! {escape(one_line(visible(flag)))}</div>' for flag in fact.flags)
    why = f'<div dir="auto"><small class="mm-why">{escape(provenance(fact))}</small></div>'
    key = f"<br><code>{_line(fact.key).replace('_', '_<wbr>')}</code>" if fact.key else ""
    return (
        f'<tr><td class="mm-fact">{_text(fact)}{flags}{why}</td>'
        f'<td class="mm-place"><bdi>{_line(fact.category)}</bdi>{key}</td><td>{_confidence(fact)}</td>'
        # The attribute is for viewers that leave out all style.
        f"<td nowrap>{_age(fact, now)}</td><td nowrap>{_expiry(fact, now)}</td>"
        f'<td nowrap><code class="mm-id">{_line(fact.id)}</code></td></tr>'
    )


def _line(text: str) -> str:
    return escape(one_line(visible(text)))


def _text(fact: Fact) -> str:
    """Give title and body: in one where the body goes on where the title ends, folded where it is long."""
    title, body = heading(fact), more(fact)
    head = f'<strong class="mm-title">{escape(title)}</strong>'
    if begins_with_heading(fact):
        return f'<div class="mm-body" dir="auto">{head}{_lines(body[len(title) :])}</div>'
    head = f'<div dir="auto">{head}</div>'
    if not body:
        return head
    code = is_code(body)
    kind, tag = ("mm-body mm-code", "pre") if code else ("mm-body", "div")
    whole = escape(body[:BODY_CHARS]) if code else _lines(body[:BODY_CHARS])
    if len(body) > BODY_CHARS:
        whole += f"\n{counted(len(body) - BODY_CHARS)} are in the file"
    whole = f'<{tag} class="{kind}" dir="auto">{whole}</{tag}>'
    start = beginning(body)
    if start == body:
        return head + whole
    return (
        f'{head}<details><summary data-lm-suppress-shortcuts="true"><span class="{kind} mm-start" dir="auto">'
        f'{_lines(start)}</span> <span class="mm-more"><span>{counted(len(body) - len(start))}</span></span></summary>'
        f"{whole}</details>"
    )


def _lines(text: str) -> str:
    """Give a text with line breaks that are seen without style, too."""
    return escape(text).replace("\n", "<br>")


def _confidence(fact: Fact) -> str:
    low = fact.confidence < 50
    return (
        f'{fact.confidence} %{", low" if low else ""} <span class="mm-bar{" mm-low" if low else ""}"'
        f' style="--mm:{fact.confidence}%" aria-hidden="true">{bar(fact.confidence)}</span>'
    )


def _age(fact: Fact, now: datetime) -> str:
    known = age(fact, now)
    return f'<span class="mm-age">{known}</span>' if known else "—"


def _expiry(fact: Fact, now: datetime) -> str:
    words = remaining(fact, now)
    if fact.expires is None:
        return f'<span class="mm-never">{words}</span>'
    ahead = " data-ahead" if words.startswith("in ") else ""
    if status(fact, now) in ("expired", "expiring"):
        return f'<strong class="mm-soon"{ahead}>{words}</strong>'
    return f'<span class="mm-later"{ahead}>{words}</span>'


def section_html(text: str, included: Sequence[Fact], omitted: Sequence[tuple[Fact, str]]) -> str:
    """Give the preview of a prompt section: its text, then which facts are in it, and which are not and why."""
    facts = [(fact, "in the section") for fact in included] + list(omitted)
    rows = "".join(
        f'<tr><td class="mm-fact" dir="auto">{escape(quoted(masked(fact).title))}</td><td>{escape(where)}</td>'
        f'<td nowrap><code class="mm-id">{_line(fact.id)}</code></td></tr>'
        for fact, where in facts[:_PREVIEWED]
    )
    counts = f"{len(text):,} characters; {len(included)} of {len(facts)} facts are in the section"
    counts += f", the first {_PREVIEWED} are listed" if len(facts) > _PREVIEWED else ""
    body = f'<pre class="mm-body mm-code" dir="auto">{escape(visible(text))}</pre>'
    return framed(f"{body}<table><tbody>{rows}</tbody></table>", counts)
