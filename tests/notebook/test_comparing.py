"""An edited frame is checked strictly: each bad cell is named with its rule, and what may be another's is a conflict."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from frames import BY_HAND, HOST, NOTE, NOW, TEA, store_of, three_facts

from memory_magic import Store, apply_frame, frame
from memory_magic.errors import ConflictError, InvalidError

SECRET = "the password is swordfish-42"


def problems(df: pd.DataFrame, store: Store, **how: bool) -> list[tuple[Any, ...]]:
    """Give row, id, field and problem of each difference that is one, in a preview."""
    found = apply_frame(df, store, dry_run=True, **how)
    found = found[found["problem"].notna()].reset_index()[["row", "id", "field", "problem"]]
    return [tuple(None if pd.isna(cell) else cell for cell in row) for row in found.to_numpy()]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("confidence", None, "a number from 0 to 100"),
        ("confidence", 101, "a whole number from 0 to 100"),
        ("confidence", -1, "a whole number from 0 to 100"),
        ("confidence", 95.5, "a whole number from 0 to 100"),
        ("confidence", 10**400, "a whole number from 0 to 100"),
        ("confidence", "abc", "a number from 0 to 100"),
        ("confidence", True, "a number from 0 to 100"),
        ("title", None, "title is empty"),
        ("title", "x" * 121, "121 characters; 120 are allowed"),
        ("title", 2026, "title must be text"),
        ("title", ["a", "b"], "one value, not list"),
        ("body", "x" * 20_001, "20,001 characters"),
        ("body", b"text", "one value, not bytes"),
        ("body", "half \ud800", "half a character"),
        ("body", SECRET, "looks like it holds a password"),
        ("context", "x" * 501, "501 characters"),
        ("key", "Server-IP", "lower-case letter"),
        ("key", np.array([1, 2]), "one value, not ndarray"),
        ("category", "wiki", "category must be one of profile"),
        ("category", None, "category must be one of profile"),
        ("source", "rumour", "source must be one of conversation"),
        ("scope", "everywhere", "global or project:<name>"),
        ("expires", "2026-02-30", "not a time that exists"),
        ("expires", 7, "must be text or a date"),
        ("expires", "9999-01-01", "not a time that exists"),
        ("created", None, "is given by the store"),
        ("updated", "2026-12-01T09:00:01Z", "is given by the store"),
        ("confirmed", "2026-12-01", "is given by the store"),
        ("created", "yesterday", "is given by the store"),
    ],
)
def test_a_bad_cell_is_named_with_its_rule(tmp_path: Path, field: str, value: object, words: str) -> None:
    """By its row, its fact and its field; nothing is clamped or dropped."""
    store = three_facts(tmp_path)
    df = frame(store).astype(object)
    df.at[HOST, field] = value
    [(row, name, where, problem)] = problems(df, store)
    assert (row, name, where) == (2, HOST, field)
    assert words in problem


@pytest.mark.parametrize(
    ("value", "expires"),
    [
        ("7d", "2026-12-08T09:00:00Z"),
        ("2026-12-31", "2027-01-01T00:00:00Z"),
        (date(2026, 12, 31), "2027-01-01T00:00:00Z"),
        (pd.Timestamp("2026-12-31T12:00"), "2026-12-31T12:00:00Z"),
        (pd.Timestamp("2026-12-31T12:00", tz="Asia/Tokyo"), "2026-12-31T03:00:00Z"),
        ("never", None),
        (pd.NaT, None),
    ],
)
def test_an_expiry_is_given_as_anywhere_else(tmp_path: Path, value: object, expires: str | None) -> None:
    """A duration, a date, which means its end in UTC, a time; a missing one means never."""
    store = three_facts(tmp_path)
    df = frame(store).astype(object)
    df.at[HOST, "expires"] = value
    [after] = apply_frame(df, store)["after"]
    assert expires == (None if pd.isna(after) else after)
    assert store[HOST].expires_at == (None if expires is None else pd.Timestamp(expires))


def test_a_midnight_that_has_lost_its_zeros_is_no_edit(tmp_path: Path) -> None:
    """Programs write a column of midnights as dates; here a date would mean the midnight after."""
    store = three_facts(tmp_path)
    df = frame(store).astype(object)
    for value in ("2026-12-05", date(2026, 12, 5)):
        df.at[HOST, "expires"] = value
        assert apply_frame(df, store).empty


def test_all_bad_cells_are_listed_at_once(tmp_path: Path) -> None:
    """Also two of one row, and what only the store can see beside what a look at the cell tells."""
    store = three_facts(tmp_path)
    df = frame(store).astype(object)
    df.loc[HOST, ["confidence", "context"]] = ["abc", SECRET]
    df.loc[NOTE, ["category", "key"]] = ["technical", "host"]
    df = pd.concat([df, pd.DataFrame([{"title": "New", "confidence": 101, "scope": "x", "body": SECRET}])])
    found = problems(df, store)
    assert [each[:3] for each in found] == [
        (0, NOTE, "key"),
        (2, HOST, "confidence"),
        (2, HOST, "context"),
        (3, None, "body"),
        (3, None, "confidence"),
        (3, None, "scope"),
    ]
    assert f"belongs to {HOST}" in found[0][3]
    with pytest.raises(InvalidError, match="for 6 problems: .*; and 3 more") as caught:
        apply_frame(df, store)
    assert "swordfish" not in str(caught.value) + repr(caught.value.differences) + caught.value.differences.to_csv()
    assert problems(df.loc[[TEA]].assign(body=SECRET), store, allow_secret=True) == []


def test_a_refused_text_is_masked_under_the_title_that_makes_it_one(tmp_path: Path) -> None:
    """Of a new row, and of one of which both were edited: the words alone are harmless."""
    store = three_facts(tmp_path)
    df = frame(store)
    df.loc[HOST, ["title", "body"]] = ["Wifi password", "hunter2"]
    df = pd.concat([df, pd.DataFrame([{"title": "Router password", "body": "hunter3", "confidence": 101}])])
    found = apply_frame(df, store, dry_run=True)
    assert "under that title" in " ".join(found["problem"].dropna())
    assert "hunter" not in found.to_csv() + repr(found) + found._repr_html_()


def test_a_fact_that_changed_since_is_a_conflict_and_no_other_is(tmp_path: Path) -> None:
    """Never an overwrite; the rows beside it can be applied without it."""
    store = three_facts(tmp_path)
    df = frame(store)
    store.path.write_text(store.path.read_text().replace("lives in the cellar", "lives in the attic"))
    df["confidence"] = [1, 2, 3]
    with pytest.raises(ConflictError, match="for 2 problems") as caught:
        apply_frame(df, store)
    assert caught.value.differences.dropna()[["id", "field"]].to_numpy().tolist() == [
        [HOST, "body"],
        [HOST, "confidence"],
    ]
    assert store[HOST].body == "lives in the attic"
    apply_frame(df.drop(HOST), store)
    assert [fact.confidence for fact in store.facts()] == [1, 2, 40]
    df = frame(store).astype(object)
    later = Store(store.path, clock=lambda: NOW + timedelta(days=1))
    later.confirm(NOTE)
    later.amend(HOST, confidence=9)
    with pytest.raises(ConflictError, match=f"for 1 problem: {HOST} confidence “40”"):
        apply_frame(df, store)
    df.at[TEA, "title"] = ""
    with pytest.raises(InvalidError, match="title is empty"):
        apply_frame(df, store)


def test_the_same_edit_made_twice_is_no_conflict(tmp_path: Path) -> None:
    """Applied once more, the frame says what the file says already."""
    store = three_facts(tmp_path)
    df = frame(store).assign(confidence=5)
    assert len(apply_frame(df, store)) == 3
    assert apply_frame(df, store).empty


def test_a_row_without_a_version_says_what_is_missing(tmp_path: Path) -> None:
    """It is compared, but what it would change cannot be told from what others have changed."""
    store = three_facts(tmp_path)
    df = frame(store).drop(columns="version")
    assert apply_frame(df, store).empty
    df.loc[HOST, "confidence"] = 1
    [(row, name, field, problem)] = problems(df, store)
    assert (row, name, field, "has no version" in problem) == (2, HOST, "confidence", True)


def test_ids_are_not_edited(tmp_path: Path) -> None:
    """A row keeps its version where it is given another id, or loses it."""
    store = three_facts(tmp_path)
    df = frame(store)
    for changed in (df.rename(index={HOST: "m-ffffff"}), df.reset_index(drop=True).iloc[[2]]):
        assert [each[1:3] for each in problems(changed, store)] == [(HOST, "id")]
    swapped = df.rename(index={HOST: TEA, TEA: HOST})
    assert {each[1] for each in problems(swapped, store)} == {HOST, TEA}
    lost = df.reset_index(drop=True).drop(columns="version")
    assert {each[2] for each in problems(lost, store)} == {"key", "title", "body"}


def test_a_copied_row_is_a_new_fact(tmp_path: Path) -> None:
    """Its version is that of a fact that has its own row, too."""
    store = three_facts(tmp_path)
    df = frame(store)
    copy = df.loc[[HOST]].assign(title="Other host", key="other_host").reset_index(drop=True)
    apply_frame(pd.concat([df, copy]), store)
    assert [fact.title for fact in store.facts()] == ["Other host", "Note", "likes green tea", "Host"]


def test_a_new_row_needs_a_text_and_an_address_of_its_own(tmp_path: Path) -> None:
    """A fact with its key or its title is there already: that one is to be edited."""
    store = three_facts(tmp_path)
    new = pd.DataFrame(
        [
            {"confidence": 5},
            {"title": "HOST"},
            {"title": "x", "key": "host", "category": "technical"},
            {"body": "as it is"},
        ]
    )
    found = problems(new, store)
    assert [each[2] for each in found] == ["confidence", "title", "key", "body"]
    assert "needs a title or a body" in found[0][3]
    assert [f"{HOST} “Host”" in each[3] for each in found[1:]] == [True, True, False]


def test_two_rows_of_one_fact_are_a_problem(tmp_path: Path) -> None:
    """Which of them counts cannot be known."""
    store = three_facts(tmp_path)
    df = frame(store)
    found = problems(pd.concat([df, df.loc[[HOST]]]), store)
    assert [(each[0], each[2], each[3]) for each in found] == [
        (place, "id", "There are 2 rows with this id; keep one") for place in (2, 3)
    ]


def test_two_facts_of_one_id_cannot_be_edited(tmp_path: Path) -> None:
    """Both are shown; an edit of either is ambiguous, and one of another fact is not."""
    store = store_of(tmp_path, BY_HAND)
    df = frame(store)
    df.loc["m-2a2b3c", "confidence"] = [70, 5]
    assert [each[1:] for each in problems(df, store)] == [
        ("m-2a2b3c", "confidence", "2 facts have this id; give one of them another id in the file")
    ]
    df.loc["m-2a2b3c", "confidence"] = [70, 70]
    df.loc["m-1a2b3c", "confidence"] = 5
    assert apply_frame(df, store)["id"].tolist() == ["m-1a2b3c"]


def test_columns_that_no_fact_has_are_named(tmp_path: Path) -> None:
    """With the name that comes near, if there is one; also where a name is there twice."""
    store = three_facts(tmp_path)
    df = frame(store).rename(columns={"confidence": "confidance"}).assign(stale=True)
    assert [each[2:] for each in problems(df, store)] == [
        ("confidance", "A fact has no field confidance; did you mean confidence?"),
        ("stale", "A fact has no field stale; drop it, or rename it"),
    ]
    twice = pd.concat([frame(store), frame(store)[["title"]]], axis=1)
    assert [each[3] for each in problems(twice, store)] == ["There are two columns title; keep one"]


def test_what_is_no_dataframe_is_refused(tmp_path: Path) -> None:
    """In words, not with an attribute that is missing."""
    with pytest.raises(InvalidError, match="takes a DataFrame, such as frame"):
        apply_frame([1, 2], three_facts(tmp_path))  # type: ignore[arg-type]
