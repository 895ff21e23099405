"""Answers: one request in, one answer out, whatever carries them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_magic import Store
from memory_magic.answers import answer

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Page:
    """What asks: a store, and the rows as they were last listed."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path)

    def ask(self, action: str, **values: object) -> dict[str, Any]:
        said = answer(self.store, {"action": action, **values})
        json.dumps(said)
        return said

    def rows(self) -> list[dict[str, Any]]:
        return list(self.ask("list", seen="")["rows"])

    def named(self, place: int = 0) -> dict[str, str]:
        """Give id and version of a row, as requests take them."""
        return {name: self.rows()[place][name] for name in ("id", "version")}

    @property
    def text(self) -> str:
        return self.store.path.read_text("utf-8") if self.store.path.exists() else ""


@pytest.fixture
def page(tmp_path: Path) -> Page:
    """Give a page over a store with one fact."""
    made = Page(tmp_path / "MEMORY.md")
    made.store.remember("Likes tea", "Green only", category="preferences")
    return made


def test_a_list_gives_all_facts_and_what_a_page_needs_to_know(page: Page) -> None:
    """Newest first; the expired ones too."""
    page.store.path.write_text(page.text + "\n## Old\n<!-- id: m-000001 · expires: 2020-01-01 -->\n")
    said = page.ask("list", seen="")
    assert [row["title"] for row in said["rows"]] == ["Likes tea", "Old"]
    assert said["order"] == [row["row"] for row in said["rows"]]
    assert (said["note_chars"], said["categories"][0], said["notices"]) == (500, "profile", [])


def test_a_list_that_was_seen_already_is_not_given_again(page: Page) -> None:
    """Until a fact changes."""
    seen = page.ask("list", seen="")["seen"]
    assert "rows" not in page.ask("list", seen=seen)
    page.store.remember("one more")
    assert len(page.ask("list", seen=seen)["rows"]) == 2


def test_adding_remembers_a_text_with_its_fields(page: Page) -> None:
    """And says so, with the row and the number of the change."""
    said = page.ask("add", text="prefers dark mode", fields={"category": "preferences", "confidence": "80"})
    assert (said["message"], said["rows"][0]["confidence"]) == ("Remembered “prefers dark mode”", 80)
    assert page.store[said["rows"][0]["id"]].body == "prefers dark mode"
    page.ask("undo", change=said["change"])
    assert len(page.store) == 1


def test_a_caller_that_is_no_page_says_no_more_than_it_must(page: Page) -> None:
    """A list tells the text of each row; an id alone is enough to change a fact, and the last change is undone."""
    [row] = page.ask("list")["rows"]
    assert (row["text"], row["scope"], row["created"]) == ("Green only", "global", row["updated"])
    assert "text" not in page.rows()[0]
    assert page.ask("edit", id=row["id"], fields={"body": "Oolong"})["ok"]
    assert page.ask("confirm", id=row["id"])["ok"]
    assert page.ask("forget", id=row["id"])["message"] == "Forgot “Likes tea”"
    assert page.ask("undo")["ok"]
    assert page.ask("list")["rows"][0]["text"] == "Oolong"
    assert page.ask("redo")["ok"]
    assert page.ask("list")["rows"] == []


@pytest.mark.parametrize("name", ["Likes tea", "drink", "preferences/drink", "m-00000a m-00000b", ""])
def test_only_an_id_names_a_fact(page: Page, name: str) -> None:
    """No title, no key, no list: what a person may type elsewhere is not meant here."""
    page.store.path.write_text(
        "## Likes tea\n<!-- id: m-00000a · category: preferences · key: drink -->\n\n## B\n<!-- id: m-00000b -->\n"
    )
    data = page.text
    for action in ("forget", "confirm"):
        assert page.ask(action, id=name)["code"] in ("memory_not_found", "memory_empty_text")
    assert page.text == data


def test_a_note_that_is_too_long_is_refused(page: Page) -> None:
    """By the setting, in code points."""
    assert page.ask("add", text="é" * 501, fields={})["code"] == "memory_too_long"
    assert page.ask("add", text="🦉" * 500, fields={})["ok"]


def test_an_edit_saves_one_field_and_says_which(page: Page) -> None:
    """The other fields stay, and the change can be taken back by its number."""
    said = page.ask("edit", **page.named(), fields={"body": "Black, too"})
    assert said["message"] == "Saved the text of “Likes tea”"
    assert page.rows()[0]["body"] == "Black, too"
    page.store.remember("somebody else's")
    assert page.ask("undo", change=said["change"])["ok"]
    assert {row["body"] for row in page.rows()} == {"Green only", "somebody else's"}


def test_a_redo_takes_exactly_that_undo_back(page: Page) -> None:
    """Even where another undo came later; and the answer can be undone again."""
    edited = page.ask("edit", **page.named(), fields={"body": "Black, too"})
    undone = page.ask("undo", change=edited["change"])
    page.store.remember("somebody else's")
    page.store.undo()
    redone = page.ask("redo", change=undone["change"])
    assert page.rows()[0]["body"] == "Black, too"
    assert page.ask("undo", change=redone["change"])["ok"]
    assert page.rows()[0]["body"] == "Green only"


@pytest.mark.parametrize("action", ["edit", "confirm", "forget"])
def test_what_was_decided_on_another_state_of_a_fact_is_refused(page: Page, action: str) -> None:
    """Nothing is lost; an edit is answered with the row that it is now."""
    named = page.named()
    page.store.path.write_text(page.text.replace("Green only", "Oolong"))
    text = page.text
    values = {"edit": {**named, "fields": {"title": "x"}}, "confirm": named, "forget": {"facts": [named]}}[action]
    said = page.ask(action, **values)
    assert (said["code"], page.text) == ("memory_conflict", text)
    assert action == "forget" or said["row"]["body"] == "Oolong"


def test_several_are_forgotten_in_one_change_or_none_is(page: Page) -> None:
    """One undo brings them all back."""
    page.store.remember("two")
    both = [page.named(0), page.named(1)]
    refused = page.ask("forget", facts=[both[0], {**both[1], "version": "v0"}])
    assert (refused["code"], len(page.store)) == ("memory_conflict", 2)
    said = page.ask("forget", facts=both)
    assert (said["message"], len(page.store)) == ("Forgot 2 facts", 0)
    page.ask("undo", change=said["change"])
    assert len(page.store) == 2


def test_confirming_notes_it_and_can_be_undone(page: Page) -> None:
    """Still true is a change like any other."""
    said = page.ask("confirm", **page.named())
    assert "confirmed: " in page.text
    page.ask("undo", change=said["change"])
    assert "confirmed: " not in page.text


def test_an_edit_that_changes_nothing_writes_nothing(page: Page) -> None:
    """There is nothing to take back then."""
    data = page.text
    said = page.ask("edit", **page.named(), fields={"body": "Green only"})
    assert (said["ok"], said["change"], page.text) == (True, None, data)


def test_editing_another_field_of_a_secret_keeps_it(page: Page) -> None:
    """The mask is never written, and the answer does not give the secret."""
    page.store.path.write_text("## Wifi password\n<!-- id: m-000001 -->\n\nhunter2\n")
    said = page.ask("edit", **page.named(), fields={"confidence": "95"})
    assert "hunter2" in page.text
    assert "•" not in page.text
    assert "hunter2" not in json.dumps([said, page.rows(), page.ask("text", id="m-000001")])


def test_a_secret_is_refused_in_one_sentence_without_a_path(page: Page) -> None:
    """Nothing in an answer names the file; no request stores a secret on purpose."""
    said = page.ask("add", text=f"token {GITHUB}", fields={})
    assert (said["ok"], said["code"]) == (False, "memory_secret")
    assert GITHUB not in json.dumps(said)
    assert page.ask("add", text=f"token {GITHUB}", fields={"allow_secret": 1})["code"] == "memory_invalid"
    page.store.path.write_bytes(b"\xff\xfe")
    said = page.ask("list", seen="")
    assert (said["ok"], said["code"]) == (False, "memory_unreadable")
    assert str(page.store.path) not in said["message"]


def test_the_history_names_the_writer(page: Page) -> None:
    """A store by another writer writes to the same file, and the history says whose it was."""
    from memory_magic.fact import TABLE

    page.store = page.store.by(TABLE)
    page.ask("add", text="typed into the table", fields={})
    assert [entry.writer for entry in page.store.history()] == ["table", "python"]
    assert page.store.facts()[0].source == "user_explicit"


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        {"action": None},
        {"action": "purge"},
        {"action": "edit"},
        {"action": "edit", "id": "m-1", "version": "v", "fields": []},
        {"action": "edit", "id": "m-1", "version": "v", "fields": {"id": "m-2"}},
        {"action": "edit", "id": ["m-1"], "version": "v", "fields": {}},
        {"action": "forget", "facts": ["m-1"]},
        {"action": "forget", "facts": []},
        {"action": "undo", "change": True},
        {"action": "undo", "change": 1.0},
        {"action": "add", "text": "x", "fields": {}, "id": "m-1"},
        {"action": "add", "text": "x", "fields": {"category": None}},
    ],
)
def test_a_request_that_makes_no_sense_is_refused(page: Page, request_: object) -> None:
    """In words, with a code, and nothing is written."""
    data = page.text
    said = answer(page.store, request_)
    assert not said["ok"]
    assert said["code"] in ("memory_invalid", "memory_unknown_action", "memory_not_found")
    assert page.text == data


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_NAMES = st.sampled_from(["list", "text", "add", "edit", "forget", "confirm", "undo", "redo"])
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["seen", "id", "text", "fields", "facts", "version", "change"]), _JSON, max_size=4
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_NAMES, _ARGUMENTS)
def test_no_request_breaks_it(tmp_path_factory: pytest.TempPathFactory, name: str, arguments: dict[str, Any]) -> None:
    """Whatever comes over a wire has an answer that can go back over it."""
    store = Store(tmp_path_factory.getbasetemp() / "fuzz" / "MEMORY.md")
    json.dumps(answer(store, {"action": name, **arguments}))
