"""The facts as a DataFrame: the same dtypes whatever is in the file, nothing raised, nothing shown that must not be."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from frames import BY_HAND, HOST, HOSTILE, NOTE, NOW, TEA, TROUBLE, store_of, three_facts

import memory_magic
from memory_magic import MemoryMagicError, frame
from memory_magic.fact import CATEGORIES, SOURCES, status

DTYPES = {
    "title": "string",
    "key": "string",
    "category": "category",
    "body": "string",
    "confidence": "Int8",
    "status": "category",
    "expires": "datetime64[us, UTC]",
    "days_left": "Float64",
    "source": "category",
    "context": "string",
    "scope": "string",
    "created": "datetime64[us, UTC]",
    "updated": "datetime64[us, UTC]",
    "confirmed": "datetime64[us, UTC]",
    "version": "string",
}


def test_columns_and_dtypes_are_the_same_for_no_facts_one_and_many(tmp_path: Path) -> None:
    """In reading order, by the names that old and new pandas share; the index is the id."""
    empty = frame(store_of(tmp_path))
    many = frame(three_facts(tmp_path))
    assert {name: str(dtype.name) for name, dtype in many.dtypes.items()} == DTYPES
    for other in (empty, many[:1]):
        assert list(other.columns) == list(DTYPES)
        assert other.dtypes.equals(many.dtypes)
        assert (other.index.name, other.index.dtype) == ("id", many.index.dtype) == ("id", pd.StringDtype())
    assert (len(empty), len(many)) == (0, 3)


def test_a_row_holds_the_fact(tmp_path: Path) -> None:
    """A date expires at the next midnight in UTC; what has no value is missing."""
    store = three_facts(tmp_path)
    df = frame(store)
    assert list(df.index) == [fact.id for fact in store.facts()] == [NOTE, TEA, HOST]
    row = df.loc[HOST]
    texts = row[["title", "key", "category", "body", "source", "context", "scope"]].tolist()
    every = ["Host", "host", "technical", "lives in the cellar", "tool_call", "seen in a.ipynb", "project:x"]
    assert texts == every
    assert (row.confidence, row.status, row.version) == (40, "expiring", store[HOST].version)
    assert (row.expires, row.days_left) == (pd.Timestamp("2026-12-05", tz="UTC"), 3.625)
    assert (row.created, row.updated) == (NOW, NOW)
    assert df.loc[TEA, ["key", "expires", "days_left", "confirmed"]].isna().all()
    assert df.loc[NOTE, "days_left"] == -0.125


def test_status_is_that_of_the_facts_and_sorts_by_urgency(tmp_path: Path) -> None:
    """What has expired comes before what expires, that before what is only guessed."""
    store = three_facts(tmp_path)
    store.amend(TEA, confidence=10)
    df = frame(store)
    assert df["status"].to_dict() == {fact.id: status(fact, NOW) for fact in store.facts()}
    assert df.sort_values("status")["status"].tolist() == ["expired", "expiring", "low"]
    assert (df["status"] < "low").sum() == 2


@pytest.mark.parametrize("text", TROUBLE.values(), ids=TROUBLE)
def test_what_is_in_the_file_is_shown_and_never_raises(tmp_path: Path, text: str) -> None:
    """No metadata, values that are not valid, ids that two facts have, a list of bullets, Git's conflict markers."""
    store = store_of(tmp_path, text)
    df = frame(store)
    assert len(df) == len(store)
    assert {name: str(dtype.name) for name, dtype in df.dtypes.items()} == DTYPES
    assert str(df)
    assert store.path.exists() == bool(text)
    assert not text or store.path.read_bytes() == text.encode()


def test_unknown_categories_and_sources_come_behind_the_known_ones(tmp_path: Path) -> None:
    """They count as they are; the vocabulary keeps its order."""
    df = frame(store_of(tmp_path, BY_HAND))
    assert list(df["category"].cat.categories) == [*CATEGORIES, "wiki page"]
    assert list(df["source"].cat.categories) == [*SOURCES, "rumour"]
    assert df.loc["m-1a2b3c", ["category", "source", "confidence"]].tolist() == ["wiki page", "rumour", 70]
    assert df.loc["m-1a2b3c", ["key", "expires", "created"]].isna().all()


def test_the_time_zone_of_the_machine_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expiry by hand, with and without a zone, is the same instant wherever it is looked at."""
    if not hasattr(time, "tzset"):
        pytest.skip("the zone of a process cannot be set here")
    store, seen = store_of(tmp_path, BY_HAND), []
    try:
        for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
            monkeypatch.setitem(os.environ, "TZ", zone)
            time.tzset()
            seen.append(frame(store).to_csv())
    finally:
        monkeypatch.undo()
        time.tzset()
    assert seen[0] == seen[1]
    ends = frame(store).loc["m-2a2b3c", "expires"].tolist()
    assert ends == [pd.Timestamp("2026-12-01", tz="UTC"), pd.Timestamp("2026-11-30T10:00", tz="UTC")]


def test_credentials_are_masked_and_control_characters_spelled_out(tmp_path: Path) -> None:
    """Whatever is made of the frame: a print, HTML, a CSV file."""
    text = (
        BY_HAND
        + "\n## Red\x1b[31m\n<!-- id: m-5a2b3c · context: the token is tok-9f8e7d6c5b -->\nmirrored \u202etxet\n"
    )
    df = frame(store_of(tmp_path, text))
    for shown in (df.to_string(), df.to_html(), df._repr_html_(), df.to_csv()):
        assert "swordfish" not in shown
        assert "9f8e7d6c5b" not in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert df.loc["m-4a2b3c", "body"] == "the password is •••"
    assert df.loc["m-5a2b3c", "title"] == r"Red\x1b[31m"


def test_html_is_literal_and_no_mathematics(tmp_path: Path) -> None:
    """In every field, and also of a part of the frame."""
    store = store_of(
        tmp_path, f"## {HOSTILE}\n<!-- id: m-1a2b3c · category: %3Cscript%3E · context: %3Cimg%3E -->\n{HOSTILE}"
    )
    df = frame(store)
    with pd.option_context("display.max_colwidth", None):
        for html in (df.to_html(), df._repr_html_(), df[["title"]].head(1)._repr_html_()):
            assert "<script>" not in html
            assert "<img" not in html
            assert "&lt;script&gt;alert(1)" in html
    assert "mathjax_ignore" in df._repr_html_()
    assert "mathjax_ignore" in df[df.confidence > 50][["title"]]._repr_html_()


def test_few_rows_of_facts_that_hardly_ever_expire_print(tmp_path: Path) -> None:
    """One hundred facts, of which one expires, where pandas leaves most rows out."""
    store = store_of(tmp_path)
    with store.batch() as batch:
        for number in range(100):
            batch.remember(f"fact {number}", expires="2026-12-24" if number == 50 else None)
    with pd.option_context("display.max_rows", 5):
        assert "[100 rows x 15 columns]" in repr(frame(store))
        assert "100 rows" in frame(store)._repr_html_()


def test_every_id_in_the_index_is_accepted_by_forget(tmp_path: Path) -> None:
    """Ids of sections without metadata, too."""
    store = store_of(tmp_path, BY_HAND)
    ids = [name for name, count in frame(store).index.value_counts().items() if count == 1]
    assert len(ids) == 5
    for name in ids:
        assert store.forget(name).count == 1


def test_memory_frame_gives_the_facts_of_the_shells_store(ip: Any) -> None:
    """The magic and the function without a store give the same."""
    ip.run("%remember likes green tea")
    pd.testing.assert_frame_equal(ip.run("%memory frame"), memory_magic.frame())
    assert ip.value("_")["confidence"].tolist() == [90]
    assert "leave out" in ip.fails("%memory frame title")


def test_without_pandas_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the package, not an import that failed."""
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MemoryMagicError, match="pip install pandas"):
        frame(store_of(tmp_path))
