"""The way back from an edited frame: any valid edit arrives and nothing else changes, in one write or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
from frames import BY_HAND, HOST, NOTE, NOW, TEA, TROUBLE, store_of, three_facts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_magic import MemoryMagicError, Store, apply_frame, frame
from memory_magic.errors import ConflictError, InvalidError, UnwritableError
from memory_magic.fact import CATEGORIES, SOURCES


def from_csv(df: pd.DataFrame, **how: Any) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(df.to_csv()), **how)


# What becomes of a frame in other hands, without an edit.
WAYS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "as it is": lambda df: df,
    "read from CSV": from_csv,
    "read from CSV by id": lambda df: from_csv(df, index_col="id"),
    "the id as a column": lambda df: df.reset_index(),
    "sorted": lambda df: df.sort_values("body"),
    "filtered": lambda df: df[df["confidence"] > 50],
    "in two parts": lambda df: pd.concat([df[:1], df[1:]]),
    "objects, missing as NaN": lambda df: df.astype(object).where(df.notna(), float("nan")),
    "floats and plain texts": lambda df: df.astype({"confidence": float, "category": object}),
    "times as Excel takes them": lambda df: df.assign(expires=df["expires"].dt.tz_localize(None)),
    "times of another zone": lambda df: df.assign(expires=df["expires"].dt.tz_convert("Pacific/Kiritimati")),
    "without most columns": lambda df: df[["title", "version"]],
    "computed columns edited": lambda df: df.assign(status="active", days_left=7),
}
LINES = [
    *("## Tea", "## Tea", "## NA", "## 0123", "## ", "NA", "null", "1e5", "True", "", " indented", "- bullet", "```"),
    *("# yolop memory", "password is swordfish-42", "\x1b[31mred", "a, b \"c\"; 'd'\t|", "<<<<<<< HEAD"),
    "<!-- id: m-1a2b3c · created: 2026-11-30T20:20:00Z · category: technical · key: host · expires: 2026-12-02 -->",
    "<!-- id: m-2a2b3c · confidence: 150 · category: wiki%20page · source: rumour · context: nan -->",
    "<!-- id: m-2a2b3c · key: Server-IP · updated: 2099-01-01 · scope: project:x -->",
    "<!-- category: preferences · key: nan · expires: 2026-12-03T10:00:00+14:00 -->",
]
texts = st.characters(codec="utf-8")
files = st.lists(st.sampled_from(LINES) | st.text(texts, max_size=12), max_size=14).map("\n".join)
words = st.text(texts, min_size=1, max_size=30)
instants = st.datetimes(datetime(2020, 1, 1), datetime(9000, 1, 1)).map(
    lambda at: at.replace(microsecond=0, tzinfo=UTC)
)
edits = st.one_of(
    st.tuples(st.sampled_from(["title", "body", "context"]), words),
    st.tuples(st.just("key"), st.none() | st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)),
    st.tuples(st.just("category"), st.sampled_from(CATEGORIES)),
    st.tuples(st.just("source"), st.sampled_from(SOURCES)),
    st.tuples(st.just("confidence"), st.integers(0, 100)),
    st.tuples(st.just("expires"), st.none() | instants),
    st.tuples(st.just("scope"), st.sampled_from(["global", "project:x"])),
)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@settings(max_examples=25, deadline=None)
@example(text=BY_HAND)
@given(text=files | st.sampled_from(list(TROUBLE.values())))
def test_without_an_edit_nothing_is_written(way: Callable[[pd.DataFrame], pd.DataFrame], text: str) -> None:
    """Whatever is in the file, and whatever other programs have made of the frame on its way."""
    with TemporaryDirectory() as folder:
        store = store_of(Path(folder), text)
        differences = apply_frame(way(frame(store)), store)
        assert differences.empty
        assert list(differences.columns) == ["id", "field", "before", "after", "problem"]
        assert text in ("", store.path.read_bytes().decode() if text else "")
        assert not store.history()


def _says(cell: object, value: object) -> bool:
    """Say whether a cell holds this value already, where None is a missing one."""
    return bool(pd.isna(cell)) if value is None else not pd.isna(cell) and cell == value


@settings(max_examples=150, deadline=None)
@given(text=files, edit=edits, data=st.data())
def test_any_valid_edit_of_any_cell_arrives_and_nothing_else_changes(text: str, edit: Any, data: st.DataObject) -> None:
    """What ``Store.amend`` does with this value is what the frame does; where that refuses, so does the frame."""
    field, value = edit
    with TemporaryDirectory() as folder:
        store = store_of(Path(folder), text)
        facts = {fact.id: fact for fact in store.facts()}
        df = frame(store).astype({"category": object, "source": object})
        name = data.draw(st.sampled_from(sorted(facts) or [""]))
        if not name or len(facts) < len(df) or _says(df.at[name, field], value):
            return  # what the cell says already is no edit
        df.at[name, field] = value
        try:
            amended = store.draft().amend(name, **{field: value or {"key": "", "expires": "never"}.get(field, value)})
        except MemoryMagicError:
            amended = None
        try:
            apply_frame(df, store)
        except MemoryMagicError as error:
            told = str(error)
            assert amended is None or "stands for" in told or "conflict markers" in told
            assert store.path.read_bytes().decode() == text
            return
        assert amended is not None
        changed = {fact.id: fact for fact in Store(store.path, clock=lambda: NOW).facts()}
        assert changed.pop(name) == amended.fact
        del facts[name]
        assert changed == facts


def test_a_preview_shows_the_cells_and_writes_nothing(tmp_path: Path) -> None:
    """A title that follows from the text is a difference of its own."""
    store = three_facts(tmp_path)
    df, data = frame(store), store.path.read_bytes()
    df.loc[TEA, "body"] = "likes black tea"
    df.loc[HOST, "confidence"] = 0
    found = apply_frame(df, store, dry_run=True)
    assert found.reset_index().astype(object).where(lambda each: each.notna(), None).to_numpy().tolist() == [
        [1, TEA, "title", "likes green tea", "likes black tea", None],
        [1, TEA, "body", "likes green tea", "likes black tea", None],
        [2, HOST, "confidence", "40", "0", None],
    ]
    assert store.path.read_bytes() == data
    pd.testing.assert_frame_equal(apply_frame(df, store), found)
    assert (store[TEA].title, store[TEA].body, store[HOST].confidence) == ("likes black tea",) * 2 + (0,)


def test_all_is_one_change_that_an_undo_takes_back(tmp_path: Path) -> None:
    """Changed, new and forgotten facts: one write, one entry in the history."""
    store = three_facts(tmp_path)
    data, count = store.path.read_bytes(), len(store.history())
    df = frame(store).drop(NOTE)
    df["confidence"] = [1, 2]
    df = pd.concat([df, pd.DataFrame([{"title": "New"}])])
    apply_frame(df, store, forget_missing=True)
    assert [fact.title for fact in store.facts()] == ["New", "likes green tea", "Host"]
    assert len(store.history()) == count + 1
    store.undo()
    assert store.path.read_bytes() == data


def test_one_bad_cell_and_nothing_is_written(tmp_path: Path) -> None:
    """Also not what is right in the rows above and below."""
    store = three_facts(tmp_path)
    data, df = store.path.read_bytes(), frame(store).astype(object)
    df["confidence"] = [1, 101, 3]
    with pytest.raises(InvalidError, match=rf"for 1 problem: {TEA} confidence “101”: .* 0 to 100") as caught:
        apply_frame(df, store)
    assert caught.value.differences["problem"].notna().tolist() == [False, True, False]
    assert store.path.read_bytes() == data


def test_rows_without_a_known_id_are_new_facts(tmp_path: Path) -> None:
    """The store gives the ids, the first row ends on top, and a row of a fact that is gone says that it is new."""
    store = three_facts(tmp_path)
    new = pd.DataFrame([{"title": "A", "key": "a", "category": "projects"}, {"body": "text alone", "id": "m-ffffff"}])
    df = pd.concat([frame(store).reset_index(), new])
    found = apply_frame(df, store)
    first, second = store.facts()[:2]
    assert (first.title, first.key, first.category, first.confidence) == ("A", "a", "projects", 70)
    assert (second.title, second.body) == ("text alone", "text alone")
    assert found["id"].unique().tolist() == [first.id, second.id]
    assert found[found["field"] == "id"]["before"].tolist() == ["m-ffffff"]


def test_facts_without_a_row_are_left_alone_unless_asked(tmp_path: Path) -> None:
    """And even then one that has come into the file since stays, and one that has changed since is a conflict."""
    store = three_facts(tmp_path)
    df = frame(store).drop(HOST)
    assert apply_frame(df, store).empty
    later = store.remember("came later").fact
    assert apply_frame(df, store, forget_missing=True)["id"].tolist() == [HOST]
    assert [fact.id for fact in store.facts()] == [later.id, NOTE, TEA]
    df = frame(store).drop(TEA)
    store.amend(TEA, confidence=1)
    with pytest.raises(ConflictError, match=f"{TEA} fact"):
        apply_frame(df, store, forget_missing=True)


def test_keys_can_be_exchanged_and_taken_over(tmp_path: Path) -> None:
    """Only the end counts: one fact's key may go to another one, or to a new one, in the same write."""
    store = three_facts(tmp_path)
    store.amend(NOTE, category="technical", key="note")
    df = frame(store)
    df.loc[[HOST, NOTE], "key"] = ["note", "host"]
    apply_frame(df, store)
    assert (store[HOST].key, store[NOTE].key) == ("note", "host")
    df = pd.concat([frame(store).drop(HOST), pd.DataFrame([{"title": "B", "key": "note", "category": "technical"}])])
    df.attrs.clear()
    apply_frame(df, store, forget_missing=True)
    assert {fact.title: fact.key for fact in store.facts()} == {"B": "note", "Note": "host", "likes green tea": None}


def test_a_masked_text_goes_back_as_what_it_stands_for(tmp_path: Path) -> None:
    """Another field of the fact can be changed; what keeps a part of the mask is refused; all else replaces it."""
    store = store_of(tmp_path, BY_HAND)
    df = frame(store)
    df.loc["m-4a2b3c", "confidence"] = 5
    apply_frame(df, store)
    assert "the password is swordfish-42\n" in store.path.read_text()
    df = frame(store)
    df.loc["m-4a2b3c", "body"] += ", on the wall"
    with pytest.raises(InvalidError, match="only stands for a part"):
        apply_frame(df, store)
    df.loc["m-4a2b3c", "body"] = "in the safe"
    apply_frame(df, store)
    assert store["m-4a2b3c"].body == "in the safe"


def test_a_frame_of_a_first_write_is_applied_whole(tmp_path: Path) -> None:
    """Where the first write gives every section its id, the rows behind it are still those that were looked at."""
    store = store_of(tmp_path, TROUBLE["yolop"])
    apply_frame(frame(store).assign(confidence=[1, 2]), store)
    assert [(fact.title, fact.confidence) for fact in store.facts()] == [("A", 1), ("B", 2)]


def test_where_nothing_may_be_written_the_error_is_the_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview writes nothing, and so is fine."""
    store = three_facts(tmp_path)
    df = frame(store).assign(confidence=1)
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "1")
    assert len(apply_frame(df, store, dry_run=True)) == 3
    with pytest.raises(UnwritableError):
        apply_frame(df, store)


def test_memory_apply_takes_the_name_of_a_dataframe(ip: Any) -> None:
    """It applies; an option before or behind the name shows, or forgets."""
    ip.run("%remember likes green tea")
    ip.run("%remember likes cake")
    ip.run("df = %memory frame")
    ip.run("df['confidence'] = 7")
    assert len(ip.run("%memory apply df --dry-run")) == len(ip.run("%memory apply --dry-run df")) == 2
    assert "confidence" not in ip.text.replace("confidence: 90", "")
    assert "applied" in ip.run("%memory apply df").message
    assert ip.text.count("confidence: 7 ") + ip.text.count("confidence: 7\n") == 2
    ip.run("df = %memory frame")
    ip.run("df = df[df.title != 'likes cake']")
    ip.run("%memory apply --forget-missing df")
    assert "cake" not in ip.text
    assert "There is no variable “frame”" in ip.fails("%memory apply frame")
    assert "takes a DataFrame" in ip.fails("%memory apply get_ipython")
