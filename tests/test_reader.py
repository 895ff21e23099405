"""What reading calls say where there is nothing, and what they take and refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_magic import Store
from memory_magic.errors import InvalidError, NotFoundError

GITHUB = "ghp_" + "a1B2c3D4" * 4
TEXT = (
    "## Tea\n<!-- id: m-000001 · category: technical -->\n\nGreen\n\n"
    "## Cake\n<!-- id: m-000002 · category: projects · expires: 2020-01-01 -->\n\nNo\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "MEMORY.md"


@pytest.fixture
def store(path: Path) -> Store:
    """Give a store with one fact that has expired and one that has not."""
    path.write_text(TEXT, "utf-8")
    return Store(path)


# Empty results


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"category": "tecnical"}, "No fact in the category tecnical; there are technical, projects"),
        ({"query": "tea", "category": "other"}, "No fact in the category other; there are technical, projects"),
        ({"category": "projects"}, "The only fact in the category projects has expired; %recall --expired shows it"),
        ({"category": "technical", "expired": True}, "No fact in the category technical has expired"),
        ({"query": "coffee"}, "Nothing found for “coffee”"),
    ],
)
def test_an_empty_result_says_why(store: Store, asked: dict[str, Any], message: str) -> None:
    """A category that no fact has, and facts that have all expired, are told apart from an empty file."""
    assert repr(store.recall(**asked)) == message


def test_no_fact_has_expired(store: Store) -> None:
    """Asked for expired facts, a store of living ones does not call itself empty."""
    store.forget(expired=True)
    assert repr(store.recall(expired=True)) == "No fact has expired"


def test_all_facts_have_expired(store: Store) -> None:
    """The message says how to see them."""
    store.remember(id="m-000001", expires="2020-01-01")
    assert repr(store.recall()) == "All 2 facts have expired; %recall --expired shows them"


def test_an_empty_store_is_empty_whatever_was_asked(tmp_path: Path) -> None:
    """There is nothing to tell apart."""
    store = Store(tmp_path / "none.md")
    for found in (store.recall(), store.recall(expired=True), store.recall(category="profile")):
        assert repr(found) == "There is nothing here yet"


# What is in it


def test_ids_and_facts_are_in_the_store_and_in_what_was_found(store: Store) -> None:
    """``in`` takes what ``store[…]`` takes, and facts."""
    found = store.recall("tea")
    assert "m-000001" in store
    assert store["m-000001"] in store
    assert "m-00000f" not in store
    assert "m-000001" in found
    assert found[0] in found
    assert "m-000002" not in found


def test_a_store_is_true_even_when_it_is_empty(tmp_path: Path) -> None:
    """``store or Store()`` keeps the store that was given."""
    store = Store(tmp_path / "none.md")
    assert store
    assert len(store) == 0


def test_a_secret_category_is_masked_where_categories_are_shown(path: Path) -> None:
    """The counts are those of a dictionary; only what is shown of them is masked."""
    path.write_text(f"## A\n<!-- id: m-000001 · category: {GITHUB} -->\n", "utf-8")
    store = Store(path)
    assert store.categories() == {GITHUB: 1}
    assert repr(store.categories()) == "{'ghp_…': 1}"
    assert GITHUB not in repr(store.overview())
    assert GITHUB not in repr(store.recall(category="x"))


def test_near_titles_are_masked_in_their_context(path: Path) -> None:
    """A title that is what a key calls a password is not offered as a near one."""
    path.write_text("## hunter2x\n<!-- id: m-000001 · key: db_password -->\n", "utf-8")
    assert repr(Store(path).recall("huntr2x")) == "Nothing found for “huntr2x”; near titles: “•••”"


def test_a_line_break_in_a_category_forges_no_line(path: Path) -> None:
    """Whatever the file holds, category and flag take one line each."""
    path.write_text("## A\n<!-- id: m-000001 · category: x%0AForged 99 · key: K%0AForged 99 -->\n", "utf-8")
    store = Store(path)
    for shown in (repr(store.recall()), repr(store.overview()), repr(store.forget("m-000001"))):
        assert not [line for line in shown.splitlines() if line.startswith("Forged")]


# Arguments


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"query": 5}, "query"), ({"category": 5}, "category"), ({"query": "\ud800"}, "query")],
    ids=ascii,
)
def test_what_is_no_text_is_refused(store: Store, asked: dict[str, Any], field: str) -> None:
    """The error names the argument."""
    with pytest.raises(InvalidError, match=f"^{field} "):
        store.recall(**asked)


def test_a_limit_may_be_any_whole_number(store: Store) -> None:
    """NumPy's whole numbers count, its truths and fractions do not."""
    numpy = pytest.importorskip("numpy")
    assert len(store.recall(limit=numpy.int64(1))) == 1
    for limit in (numpy.bool_(True), True, numpy.float64(1), "1", 0):  # noqa: FBT003
        with pytest.raises(InvalidError, match="limit"):
            store.recall(limit=limit)


def test_spaces_around_an_id_do_not_count(store: Store) -> None:
    """An id is pasted with what stands beside it."""
    assert store.recall(id=" m-000001 ")[0].title == "Tea"


@pytest.mark.parametrize("id", [GITHUB, "\ud800"], ids=ascii)
def test_an_unknown_id_is_shown_as_it_may_be(store: Store, id: str) -> None:
    """No credential and no half character is in the error."""
    with pytest.raises(NotFoundError) as caught:
        store.history(id)
    assert str(caught.value).encode("utf-8")
    assert GITHUB not in str(caught.value)


def test_the_newest_note_is_the_one_made_last(tmp_path: Path) -> None:
    """In a notes array an update changes no order; a note without a time is as new as the one below it."""
    path = tmp_path / "notes.json"
    path.write_text(
        '[{"text": "by hand"}, {"text": "old", "created": "2026-01-01T00:00:00Z"},'
        ' {"text": "oldest", "created": "2025-01-01T00:00:00Z", "updated": "2026-06-01T00:00:00Z"},'
        ' {"text": "newest", "created": "2026-02-01T00:00:00Z"}]'
    )
    store = Store(path)
    assert [fact.text for fact in store.facts()] == ["newest", "by hand", "old", "oldest"]
    store.confirm(store.amend(store.recall("oldest")[0].id, confidence=95).fact.id)
    assert [fact.text for fact in store.facts()] == ["newest", "by hand", "old", "oldest"]


def test_what_stands_first_is_given_without_the_rest(tmp_path: Path) -> None:
    """In the order of the file; a section by hand, whose id follows from all others, is left out."""
    path = tmp_path / "MEMORY.md"
    path.write_text("## By hand\n\n## One\n<!-- id: m-000001 -->\n\n## Two\n<!-- id: m-000002 -->\n")
    assert [fact.id for fact in Store(path).first(2)] == ["m-000001"]
    assert Store(path).first(9) == [Store(path)["m-000001"], Store(path)["m-000002"]]
    assert len(Store(path)) == 3
