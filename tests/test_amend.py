"""Amending: one field of one fact, exactly, and only if it is still the fact that was looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory_magic import Fact, MemoryMagicError, Store
from memory_magic.errors import AmbiguousError, ConflictError, EmptyTextError, InvalidError, NotFoundError


def amended(path: Path) -> tuple[Store, Fact]:
    """Give a store and a fact in it that has every field."""
    store = Store(path)
    values = {"category": "technical", "key": "host", "confidence": 40, "expires": "2099-01-01", "scope": "project:x"}
    return store, store.remember("Host", "lives in the cellar", source="tool_call", context="seen", **values).fact


@pytest.mark.parametrize(
    ("field", "given", "stored"),
    [
        ("title", "The host", "The host"),
        ("body", "lives in the attic", "lives in the attic"),
        ("category", "projects", "projects"),
        ("key", "big_host", "big_host"),
        ("key", "", None),
        ("source", "conversation", "conversation"),
        ("confidence", 0, 0),
        ("confidence", "95", 95),
        ("expires", "never", None),
        ("context", "", ""),
        ("scope", "global", "global"),
    ],
)
def test_amending_sets_one_field_and_leaves_the_others(
    tmp_path: Path, field: str, given: object, stored: object
) -> None:
    """Not even a new text makes source, confidence or context another's."""
    store, before = amended(tmp_path / "MEMORY.md")
    after = store.amend(before.id, **{field: given}).fact
    assert getattr(after, field) == stored
    assert after == replace(before, **{field: stored}, updated=after.updated)
    assert Store(store.path)[before.id] == after


def test_amending_a_fact_that_has_changed_is_refused(tmp_path: Path) -> None:
    """Whoever looked at it before the change is told, and the change stands."""
    store, before = amended(tmp_path / "MEMORY.md")
    hand = store.path.read_text().replace("in the cellar", "in the garage")
    store.path.write_text(hand)
    with pytest.raises(ConflictError, match="“Host” has changed since"):
        store.amend(before.id, version=before.version, body="in the attic")
    assert store.path.read_text() == hand
    assert store.amend(before.id, version=store[before.id].version, body="in the attic").changed


def test_a_change_elsewhere_leaves_the_version_alone(tmp_path: Path) -> None:
    """Also where a section comes to stand first, last or alone."""
    store, before = amended(tmp_path / "MEMORY.md")
    other = store.remember("something else").fact
    with store.path.open("a") as file:
        file.write("\n\n\n## By hand\n")
    store.forget(other.id)
    assert store[before.id].version == before.version


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("confidence", 101, "whole number from 0 to 100"),
        ("confidence", 95.5, "whole number from 0 to 100"),
        ("confidence", 10**400, "whole number from 0 to 100"),
        ("confidence", True, "number from 0 to 100"),
        ("source", "rumour", "source must be one of"),
        ("category", "wiki", "category must be one of"),
        ("title", " ", "title is empty"),
        ("expires", "2026-02-30", "not a time that exists"),
    ],
)
def test_amending_clamps_nothing(tmp_path: Path, field: str, given: object, words: str) -> None:
    """What a field does not take as it is, is refused, and the file stays."""
    store, before = amended(tmp_path / "MEMORY.md")
    data = store.path.read_bytes()
    with pytest.raises(MemoryMagicError, match=words):
        store.amend(before.id, **{field: given})
    assert store.path.read_bytes() == data


def test_a_derived_title_follows_an_amended_text(tmp_path: Path) -> None:
    """And a text cannot be taken away from under it."""
    store = Store(tmp_path / "MEMORY.md")
    fact = store.remember("likes green tea").fact
    assert store.amend(fact.id, body="likes black tea").fact.title == "likes black tea"
    with pytest.raises(EmptyTextError, match="no text left"):
        store.amend(fact.id, body="")


def test_renaming_a_hand_written_fact_leaves_the_ids_of_its_namesakes(tmp_path: Path) -> None:
    """An id without metadata depends on how many sections below have its title; those that would move are written."""
    path = tmp_path / "MEMORY.md"
    path.write_text("## Tea\ngreen\n\n## Coffee\n\n## Tea\nblack\n")
    store = Store(path)
    before = {fact.body or fact.title: fact.id for fact in store.facts()}
    store.amend(before["black"], title="Black tea")
    store.amend(before["Coffee"], title="Tea")
    after = {fact.id: fact.title for fact in Store(path).facts()}
    assert after == {before["green"]: "Tea", before["black"]: "Black tea", before["Coffee"]: "Tea"}


def test_a_batch_adds_only_what_is_new(tmp_path: Path) -> None:
    """What has the key, the title or the text of a fact is refused, where ``remember`` would update that one."""
    store, _ = amended(tmp_path / "MEMORY.md")
    with store.batch() as batch:
        batch.add(title="Other host", key="host", category="projects", confidence=5)
        batch.add(body="text alone")
    assert [(saved.created, saved.fact.title) for saved in batch.results] == [
        (True, "Other host"),
        (True, "text alone"),
    ]
    data = store.path.read_bytes()
    taken = {"title": "HOST"}, {"title": "x", "key": "host", "category": "technical"}, {"body": "text alone"}
    for values in taken:
        with pytest.raises(AmbiguousError, match="already"), store.batch() as batch:
            batch.add(**values)
    for values in ({"confidence": 5}, {"title": " "}):
        with pytest.raises(EmptyTextError), store.batch() as batch:
            batch.add(**values)
    with pytest.raises(InvalidError, match="whole number"), store.batch() as batch:
        batch.add(title="x", confidence=101)
    assert store.path.read_bytes() == data


def test_a_draft_is_never_written(tmp_path: Path) -> None:
    """It shows what a change would do, at the time of the store's clock."""
    store, fact = amended(tmp_path / "MEMORY.md")
    data, draft = store.path.read_bytes(), store.draft()
    assert draft.amend(fact.id, confidence=1).fact.confidence == 1
    assert draft.now <= store.now()
    assert (store[fact.id].confidence, store.path.read_bytes()) == (40, data)


def test_forgetting_and_confirming_refuse_a_fact_that_has_changed(tmp_path: Path) -> None:
    """They too may say from which state of the fact they were decided."""
    store, before = amended(tmp_path / "MEMORY.md")
    now = store.amend(before.id, body="in the attic").fact
    data = store.path.read_bytes()
    for call in (store.forget, store.confirm):
        with pytest.raises(ConflictError, match="“Host” has changed since"):
            call(before.id, version=before.version)
    assert store.path.read_bytes() == data
    confirmed = store.confirm(before.id, version=now.version).fact
    assert store.forget(before.id, version=confirmed.version).count == 1


def test_a_receipt_knows_the_number_of_its_change(tmp_path: Path) -> None:
    """Undo and redo take it, whatever others have changed since; where nothing was written there is none."""
    store, before = amended(tmp_path / "MEMORY.md")
    edited = store.amend(before.id, confidence=95)
    assert store.amend(before.id, confidence=95).change is None
    with store.batch() as batch:
        batch.remember("one")
        batch.remember("two")
    assert len({result.change for result in batch.results}) == 1
    assert edited.change is not None
    undone = store.undo(edited.change)
    assert store[before.id].confidence == before.confidence
    store.undo(batch.results[0].change)
    store.redo(undone.change)
    assert store[before.id].confidence == 95
    assert len(store) == 1
    with pytest.raises(NotFoundError, match="no change"):
        store.redo(undone.change)
    assert store.forget(before.id).change != edited.change
