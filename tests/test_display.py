"""What results look like, as text and as HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.changes import Change, Entry
from memory_magic.display import quoted, remaining
from memory_magic.fact import Fact
from memory_magic.results import Forgotten, Found, Saved
from memory_magic.showing import visible
from memory_magic.timeline import Reverted, Timeline

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
TEA = Fact("m-00000a", "Ann likes tea", "Ann likes tea", updated=NOW - timedelta(days=3), created=NOW)


def found(*facts: Fact, **values: Any) -> Found:
    """Give a result of these facts alone."""
    return Found(facts, values.pop("total", len(facts)), NOW, **values)


@pytest.mark.parametrize(
    ("expires", "shown"),
    [
        (None, "never"),
        (NOW + timedelta(days=30), "in 30 days"),
        (NOW + timedelta(days=7) - timedelta(seconds=3), "in 7 days"),
        (NOW + timedelta(days=1, hours=23), "in 1 day"),
        (NOW + timedelta(minutes=5), "in 5 minutes"),
        (NOW + timedelta(seconds=20), "in 20 seconds"),
        (NOW + timedelta(days=800), "in 2 years"),
        (date(2026, 11, 30), "in 3 hours"),
        (NOW, "expired 1 second ago"),
        (date(2026, 11, 29), "expired 20 hours ago"),
        (NOW - timedelta(days=3), "expired 3 days ago"),
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
