"""What results look like, as text and as HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.changes import Change, Entry
from memory_magic.display import _width, quoted, remaining
from memory_magic.fact import Fact
from memory_magic.results import Forgotten, Found, Saved
from memory_magic.showing import visible
from memory_magic.timeline import Reverted, Timeline

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
TEA = Fact("m-00000a", "Ann likes tea", "Ann likes tea", updated=NOW - timedelta(days=3), created=NOW)
UNTRUSTED = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td><script>x</script>", "</style><b>&amp;"]


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
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


# HTML


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
    assert set(page.tags) <= {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "p", "span", "code"}


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
    assert '<div class="mm-title" dir="auto">שלום</div>' in html
    assert r'dir="auto">\u202eevil</div>' in html


def test_code_is_shown_in_columns() -> None:
    """A body with a fence or an indentation gets the code font, prose does not."""
    assert 'class="mm-body mm-code"' in found(replace(TEA, body="```\nls\n```"))._repr_html_()
    assert 'class="mm-body mm-code"' in found(replace(TEA, body="def f():\n    return 1"))._repr_html_()
    assert 'class="mm-body"' in found(replace(TEA, body="Green tea. And\n\n- cake"))._repr_html_()


def test_html_says_what_a_look_needs() -> None:
    """Confidence, age, remaining time, key, source and context are there."""
    fact = replace(TEA, key="tea", confidence=40, expires=NOW + timedelta(days=4), context="nb.ipynb, In [3]")
    text = Page(found(fact, total=9, query="x")._repr_html_()).text
    for words in ("40 %", "3 d", "4 d left", "tea", "conversation · nb.ipynb, In [3]", "1 of 9, narrow the query"):
        assert words in text


def test_without_facts_there_is_no_table() -> None:
    """An empty result is its message."""
    page = Page(found(query="<b>")._repr_html_())
    assert "table" not in page.tags
    assert page.text == "Nothing found for “<b>”"


def test_long_bodies_are_cut_and_counted() -> None:
    """What is left out is said, in both forms."""
    fact = replace(TEA, body="word " * 2_000)
    assert "… (9,000 more characters)" in repr(found(fact))
    assert "… (7,000 more characters)" in found(fact)._repr_html_()


# Text


def test_text_is_aligned_whatever_the_script() -> None:
    """Columns begin at the same place of a terminal under wide, combining and right-to-left titles."""
    titles = [
        "Ann likes tea",
        "用户喜欢深色模式",
        "ผู้ใช้ชอบชา",
        "שלום",
        "x\u0304 tea",
        "🍵 tea",
        "x" * 120,
        "深" * 120,
    ]
    lines = repr(found(*[replace(TEA, title=title, body=title) for title in titles])).split("\n")
    starts = {_width(line[: line.rindex("other")]) for line in lines[:-1]}
    assert len(starts) == 1
    assert max(map(_width, lines)) <= 100


def test_a_fact_alone_says_where_it_comes_from() -> None:
    """Why do I know this? One fact shows source, context, scope and days; several stay short."""
    fact = replace(TEA, context="nb.ipynb, In [3]", scope="project:x", source="user_explicit", confirmed=NOW)
    shown = repr(found(fact)).split("\n")
    assert shown[1] == "    (user explicit · nb.ipynb, In [3] · project:x · since 2026-11-30 · confirmed 2026-11-30)"
    assert "nb.ipynb" not in repr(found(fact, fact))


def test_body_and_flags_are_under_the_title() -> None:
    """The body is there where it says more than the title, and each flag has its line."""
    shown = repr(found(replace(TEA, body="Green.\nNever black.", flags=("odd",)), TEA)).split("\n")
    assert shown[1:4] == ["    Green.", "    Never black.", "    ! odd"]
    assert len(shown) == 6


@pytest.mark.parametrize(
    ("expires", "shown"),
    [
        (None, "never"),
        (NOW + timedelta(days=30), "30 d left"),
        (NOW + timedelta(minutes=5), "5 min left"),
        (date(2026, 11, 30), "3 h left"),
        (NOW, "expired"),
        (date(2026, 11, 29), "expired"),
    ],
)
def test_what_remains(expires: Any, shown: str) -> None:
    """A date lasts to its end, and from the instant on it is over."""
    assert remaining(replace(TEA, expires=expires), NOW) == shown


@given(st.text())
def test_controls_are_spelled_out(text: str) -> None:
    """No control or override that could steer a terminal is left, and the rest is as it was."""
    shown = visible(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert shown == text or len(shown) > len(text)


@given(st.text(), st.integers(2, 90))
def test_quotes_hold_one_short_line(text: str, limit: int) -> None:
    """A quotation is one line of at most so many characters."""
    assert "\n" not in quoted(text, limit)
    assert len(quoted(text, limit)) <= limit + 2


# Receipts


@given(st.text(), st.text(), st.text())
def test_receipts_take_one_line(title: str, body: str, notice: str) -> None:
    """Whatever the texts are, a receipt is one line."""
    fact = replace(TEA, title=title, body=body)
    notice = " ".join(notice.split())
    for result in (
        Saved(fact, created=True, changed=True, notices=(notice,)),
        Saved(fact, created=False, changed=True, previous=TEA, notices=(notice,)),
        Forgotten((fact,)),
        Forgotten((fact, fact)),
    ):
        assert len(repr(result).splitlines()) == 1


def test_a_receipt_has_the_old_values() -> None:
    """What was replaced is in it, field by field."""
    after = replace(TEA, body="hates tea", confidence=0, key="tea")
    shown = repr(Saved(after, created=False, changed=True, previous=TEA, notices=("mind the gap",)))
    assert shown == (
        "Updated m-00000a “Ann likes tea” (other/tea); it was “Ann likes tea”; key was none; confidence was “70”."
        " Mind the gap"
    )


def test_an_old_expiry_is_written_as_in_the_file() -> None:
    """A receipt shows the time as it would be typed."""
    before = replace(TEA, expires=datetime(2026, 12, 7, 20, tzinfo=UTC))
    assert "; expires was “2026-12-07T20:00:00Z”" in repr(Saved(TEA, created=False, changed=True, previous=before))


def test_a_long_list_of_forgotten_facts_is_cut_and_counted() -> None:
    """The receipt names ten."""
    shown = repr(Forgotten((TEA,) * 14))
    assert shown.startswith("Forgot 14 facts: ")
    assert shown.endswith(" and 4 more")
    assert shown.count("m-00000a") == 10


@pytest.mark.parametrize("notice", ["is one enough?", "that is all.", "mind the gap"])
def test_no_sentence_ends_twice(notice: str) -> None:
    """A question or a full stop is followed by no other one."""
    shown = repr(Saved(TEA, created=True, changed=True, notices=(notice, "the rest")))
    assert shown.endswith((f"{notice[1:]} The rest", "mind the gap. The rest"[1:]))


def test_a_category_makes_no_second_line() -> None:
    """A line break that a hand edit put into the category is a space in receipts."""
    fact = replace(TEA, category="x\nForged", key="tea")
    assert len(repr(Forgotten((fact,))).splitlines()) == 1
    assert len(repr(Saved(fact, created=True, changed=True)).splitlines()) == 1


# Secrets that a hand edit put there


BY_HAND = [
    pytest.param(replace(TEA, title="Wifi password", body="hunter2x"), id="title"),
    pytest.param(replace(TEA, title="Rotation", body="hunter2x", key="db_password"), id="key"),
    pytest.param(replace(TEA, title="hunter2x", body="", key="db_password"), id="key-without-body"),
    pytest.param(replace(TEA, title="hunter2x", body="hunter2x", key="db_password"), id="key-with-derived-title"),
]


@pytest.mark.parametrize("fact", BY_HAND)
def test_a_body_is_masked_in_its_context(fact: Fact) -> None:
    """What title and key call a password is masked in reprs, results and receipts."""
    after = replace(fact, title="Tea", body="Green", key=None)
    for shown in (
        repr(fact),
        repr(found(fact)),
        found(fact)._repr_html_(),
        repr(Saved(fact, created=True, changed=True)),
        repr(Saved(after, created=False, changed=True, previous=fact)),
        repr(Forgotten((fact,))),
        repr(Forgotten((fact, fact))),
    ):
        assert "hunter2x" not in shown
        assert fact.id in shown


def test_the_history_masks_a_body_in_its_context() -> None:
    """Timeline and undo show no password either."""
    secret, other = "## Wifi password\n\nhunter2x\n", "## Wifi password\n\nhunter3x\n"
    changes = [Change("m-00000a", *texts) for texts in ((None, secret), (secret, None), (secret, other))]
    entry = Entry(1, NOW, "python", "save", tuple(changes))
    for shown in (
        repr(Timeline((entry,), NOW)),
        repr(Reverted(entry, "undo", NOW)),
        repr(list(Timeline((entry,), NOW))),
    ):
        assert "hunter" not in shown
        assert "m-00000a" in shown


def test_what_a_repr_cuts_is_masked_before() -> None:
    """A token that the cut would shorten does not slip through."""
    token = "ghp_" + "a1B2c3D4" * 4
    assert "ghp_a" not in repr(replace(TEA, body="x" * 185 + " " + token))


def test_a_body_under_a_harmless_title_stays_as_it_is() -> None:
    """Words about a password are no password."""
    fact = replace(TEA, title="Wifi password", body="It is in the vault.", key="wifi_password")
    assert "It is in the vault." in repr(found(fact))
