"""What is found, as HTML: nothing in it is markup but ours, and a look is enough."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.fact import Fact
from memory_magic.results import Found

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
TEA = Fact("m-00000a", "Ann likes tea", "Ann likes tea", updated=NOW - timedelta(days=3), created=NOW)
UNTRUSTED = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td><script>x</script>", "</style><b>&amp;"]
VOID = ("br", "wbr")


def found(*facts: Fact, **values: Any) -> Found:
    """Give a result of these facts alone."""
    return Found(facts, values.pop("total", len(facts)), NOW, **values)


class Page(HTMLParser):
    """The tags of a page, and the text outside of its style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


@pytest.mark.parametrize("text", UNTRUSTED)
@pytest.mark.parametrize("field", ["title", "body", "category", "key", "context", "scope", "source", "flags", "id"])
def test_untrusted_text_is_literal_in_html(field: str, text: str) -> None:
    """Whatever a field holds, the page has our tags only, and the text as it is."""
    fact = replace(TEA, body="other", key="tea", flags=("odd",))
    plain = Page(found(fact)._repr_html_())
    html = found(replace(fact, **{field: (text,) if field == "flags" else text}))._repr_html_()
    page = Page(html)
    assert text in page.text
    assert page.tags == plain.tags


@given(st.text(), st.text())
def test_no_text_breaks_the_page(title: str, body: str) -> None:
    """Any title, body and query leave the tags as they are."""
    page = Page(found(replace(TEA, title=title, body=body), query=title, total=3)._repr_html_())
    table = {"table", "thead", "tbody", "tr", "th", "td"}
    text = {"div", "p", "span", "code", "pre", "strong", "small", "bdi", "br", "wbr", "details", "summary"}
    assert set(page.tags) <= {"style"} | table | text


def test_mathematics_is_not_typeset() -> None:
    """The classes that MathJax leaves alone are on the outermost element."""
    html = found(replace(TEA, body="$x^2$"))._repr_html_()
    assert re.match(r'<div class="[^"]*\bmathjax_ignore\b', html)
    assert "$x^2$" in html


def test_html_loads_nothing() -> None:
    """The output needs no network and runs nothing."""
    html = found(TEA)._repr_html_()
    assert not re.search(r"url\(|@import|https?:|src=|href=|<script|onclick", html)


def test_html_is_light() -> None:
    """Ten short facts take less than 10 kB."""
    assert len(found(*[TEA] * 10)._repr_html_()) < 10_000


def test_right_to_left_text_keeps_its_direction() -> None:
    """Each text finds its own direction and cannot turn what stands beside it."""
    html = found(replace(TEA, title="שלום", body="\u202eevil"))._repr_html_()
    assert '<div dir="auto"><strong class="mm-title">שלום</strong></div>' in html
    assert r'dir="auto">\u202eevil</div>' in html


def test_code_is_shown_in_columns() -> None:
    """A body with a fence or an indentation gets the code font, prose does not."""
    assert 'class="mm-body mm-code"' in found(replace(TEA, body="```\nls\n```"))._repr_html_()
    assert 'class="mm-body mm-code"' in found(replace(TEA, body="def f():\n    return 1"))._repr_html_()
    assert 'class="mm-body"' in found(replace(TEA, body="Green tea. And\n\n- cake"))._repr_html_()


def test_html_says_what_a_look_needs() -> None:
    """Confidence, age, expiry, key, source and context are there; what is unlikely is called so."""
    fact = replace(TEA, key="tea", confidence=40, expires=NOW + timedelta(days=4), context="nb.ipynb, In [3]")
    text = Page(found(fact, total=9, query="x")._repr_html_()).text
    for words in (
        "40 %, low",
        "3 d",
        "in 4 days",
        "tea",
        "conversation · nb.ipynb, In [3]",
        "1 of 9, narrow the query",
    ):
        assert words in text


def test_without_facts_there_is_no_table() -> None:
    """An empty result is its message."""
    page = Page(found(query="<b>")._repr_html_())
    assert "table" not in page.tags
    assert page.text == "Nothing found for “<b>”"


def test_a_long_body_is_folded_and_there_whole() -> None:
    """Its beginning says how much more there is; all of it opens on demand, by keyboard too."""
    body = " ".join(f"word{number}" for number in range(500))
    html = found(replace(TEA, body=body))._repr_html_()
    summary, whole = html.split("<summary")[1].split("</summary>")
    assert re.search(r"… [\d,]+ more characters", summary)
    assert "word499" not in summary
    assert body in whole


def test_what_is_longer_than_a_text_may_be_is_counted() -> None:
    """Such as an old file that is one fact: the rest is in the file."""
    assert "… 5,000 more characters are in the file" in found(replace(TEA, body="x" * 25_000))._repr_html_()


def test_the_bar_is_as_long_as_the_confidence() -> None:
    """And can be read where there is no style."""
    html = found(replace(TEA, confidence=60))._repr_html_()
    assert "--mm:60%" in html
    assert "■■■□□" in html


def test_an_id_is_selected_as_a_whole() -> None:
    """By one click, to be copied."""
    html = found(TEA)._repr_html_()
    assert '<code class="mm-id">m-00000a</code>' in html
    assert re.search(r"code\.mm-id\{[^}]*user-select:all", html)
