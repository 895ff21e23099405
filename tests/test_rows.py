"""Rows: what a page may show of a fact, and what it needs to edit it."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory_magic.fact import Fact
from memory_magic.rows import keyed, matches, row

NOW = datetime(2026, 12, 1, tzinfo=UTC)
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def fact(title: str = "Likes tea", **values: object) -> Fact:
    return Fact("m-1a2b3c", title, **values)  # type: ignore[arg-type]


def test_a_row_has_all_that_the_table_shows() -> None:
    """And nothing that JSON cannot hold."""
    given = fact(body="Green only", category="profile", key="tea", confidence=0, expires=date(2026, 12, 5), created=NOW)
    shown = json.loads(json.dumps(row(given, NOW)))
    assert {name: shown[name] for name in ("row", "id", "title", "body", "category", "key", "confidence")} == {
        "row": "m-1a2b3c",
        "id": "m-1a2b3c",
        "title": "Likes tea",
        "body": "Green only",
        "category": "profile",
        "key": "tea",
        "confidence": 0,
    }
    assert (shown["expires"], shown["expires_at"], shown["status"]) == (
        "2026-12-05",
        "2026-12-06T00:00:00Z",
        "expiring",
    )
    assert (shown["created"], shown["updated"], shown["raw"], shown["locked"]) == ("2026-12-01T00:00:00Z", None, {}, {})


def test_a_secret_is_in_no_part_of_a_row() -> None:
    """It is masked, its field is locked, and what an edit would begin with does not have it either."""
    shown = row(fact("Wifi password", body="hunter2", context=f"from {GITHUB}"), NOW)
    assert "hunter2" not in json.dumps(shown)
    assert GITHUB not in json.dumps(shown)
    assert shown["locked"] == {"body": "secret", "context": "secret"}
    assert shown["title"] == "Wifi password"


def test_control_characters_are_spelled_out_and_kept_for_an_edit() -> None:
    """What is shown cannot reorder its row; what is edited is what stands in the file."""
    shown = row(fact("a\u202eb", body="c\x1b[0m"), NOW)
    assert (shown["title"], shown["body"]) == ("a\\u202eb", "c\\x1b[0m")
    assert shown["raw"] == {"title": "a\u202eb", "body": "c\x1b[0m"}


def test_a_text_longer_than_a_fact_may_have_is_cut_and_locked() -> None:
    """An edit of what is shown would lose the rest."""
    shown = row(fact(body="é" * 100_000), NOW)
    assert (len(shown["body"]), shown["more"], shown["locked"]) == (20_000, 80_000, {"body": "long"})
    assert shown["raw"] == {}


def test_a_title_that_only_begins_the_text_says_so() -> None:
    """Then the table shows the text alone."""
    assert row(fact("likes tea", body="likes tea"), NOW)["one"]
    assert not row(fact("likes tea", body="green only"), NOW)["one"]
    assert not row(fact("likes tea"), NOW)["one"]


def test_two_facts_with_one_id_have_two_names() -> None:
    """Each is a row of its own."""
    facts = [fact("one"), fact("two"), fact("three")]
    assert list(keyed(facts)) == ["m-1a2b3c", "m-1a2b3c (2)", "m-1a2b3c (3)"]


def test_a_query_matches_by_all_its_words_in_any_field() -> None:
    """In any case, and as parts of words."""
    given = fact("Straße", body="Green tea", key="prod_ip", context="Seen", category="technical")
    assert all(matches(given, query) for query in ("", "STRASSE", "gre tea", "tech ip", "1a2b", "seen"))
    assert not matches(given, "green coffee")
    assert not matches(fact("Wifi password", body="hunter2"), "hunter2")


@given(st.text(max_size=60), st.text(max_size=60))
def test_an_edit_begins_with_what_the_file_has(title: str, body: str) -> None:
    """For every text that is not locked."""
    shown = row(fact(title, body=body), NOW)
    for field, held in (("title", title), ("body", body)):
        if field not in shown["locked"]:
            assert shown["raw"].get(field, shown[field]) == held
