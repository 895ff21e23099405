"""One note of a notes array: which fact it is, and how that is written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest
from arrays import NEW, NOON, change, one, put

from memory_magic.errors import TooLongError
from memory_magic.fact import Fact, clean_title
from memory_magic.formats.notes import parse


def test_a_new_note_in_a_new_file() -> None:
    """One array; a note has id, text, scope and created, and what is at its default is not written."""
    expected = """[
  {
    "id": "m-ffffff",
    "text": "New text",
    "scope": "global",
    "created": "2026-11-30T12:00:00Z"
  }
]
"""
    assert put("") == expected
    assert parse(expected).facts == (NEW,)


def test_the_rest_of_the_fields_are_members_of_the_same_names() -> None:
    """Where they are not at their defaults: text for text and times, a number for the confidence."""
    fact = Fact(
        *("m-00000a", "Own title", "Text", "technical", "a_key", "tool_call", 0),
        expires=date(2026, 12, 31),
        context="seen there",
        scope="project:x",
        created=NOON,
        updated=NOON + timedelta(hours=1),
        confirmed=NOON + timedelta(hours=2),
    )
    text = put("", fact)
    assert json.loads(text) == [
        {
            "id": "m-00000a",
            "text": "Text",
            "scope": "project:x",
            "created": "2026-11-30T12:00:00Z",
            "title": "Own title",
            "updated": "2026-11-30T13:00:00Z",
            "category": "technical",
            "key": "a_key",
            "source": "tool_call",
            "confidence": 0,
            "expires": "2026-12-31",
            "context": "seen there",
            "confirmed": "2026-11-30T14:00:00Z",
        }
    ]
    assert parse(text).facts == (fact,)


def test_a_title_is_written_only_where_it_is_not_derived_from_the_text() -> None:
    """The first words of the text are its title without being stored; so is a title alone, which is the text."""
    assert "title" not in json.loads(put("", replace(NEW, title="one two", body="one two")))[0]
    assert json.loads(put("", replace(NEW, title="one", body="one two")))[0]["title"] == "one"
    alone = json.loads(put("", replace(NEW, title="Likes tea", body="")))[0]
    assert (alone["text"], "title" in alone) == ("Likes tea", False)


def test_a_long_title_alone_keeps_its_address() -> None:
    """A title of 120 characters is more than is derived from a text, and so is stored beside it."""
    title = clean_title("word " * 23 + "words")
    fact = parse(put("", replace(NEW, title=title, body=""))).facts[0]
    assert (fact.title, fact.body) == (title, title)


def test_updated_is_written_only_where_it_differs_from_created() -> None:
    """And goes again where it does not."""
    later = change(put(""), updated=NOON + timedelta(seconds=1))
    assert json.loads(later)[0]["updated"] == "2026-11-30T12:00:01Z"
    assert change(later, updated=NOON) == put("")


def test_a_foreign_note_is_a_fact() -> None:
    """Its id is kept, whatever string it is; what it does not say is at its default; times may have another form."""
    fact = one(id="Note 1: “x”\n", text="a\r\nb\n", created="2026-11-30T13:00:00.5+01:00", scope="project:x", z=[1, {}])
    assert fact.id == "Note 1: “x”\n"
    assert (fact.title, fact.body, fact.scope, fact.created, fact.updated) == ("a b", "a\nb", "project:x", NOON, NOON)
    assert fact.flags == ()


@pytest.mark.parametrize("members", [{}, {"id": None}, {"id": ""}, {"id": " "}], ids=repr)
def test_a_note_without_an_id_gets_a_derived_one(members: dict[str, object]) -> None:
    """The same at each read, from its title and its place among equal titles, counted from below."""
    text = json.dumps([{**members, "text": "tea"}, {**members, "text": "Tea"}])
    ids = [fact.id for fact in parse(text).facts]
    assert len(set(ids)) == 2
    assert all(len(name) == 8 for name in ids)
    assert [fact.id for fact in parse(put(text)).facts][1:] == ids
    assert parse(text).drop([1]).facts[0].id == ids[0]
    assert json.loads(change(text, confidence=5))[0]["id"] == ids[0]


@pytest.mark.parametrize(
    ("name", "value", "flag"),
    [
        ("confidence", 150, "confidence in the file is not valid: 150"),
        ("confidence", True, "confidence in the file is not valid: true"),
        ("confidence", float("nan"), "confidence in the file is not valid: NaN"),
        ("confidence", float("inf"), "confidence in the file is not valid: Infinity"),
        ("confidence", [1], "confidence in the file is not valid: a list"),
        ("context", {"token": "x"}, "context in the file is not valid: an object"),
        ("key", "Server-IP", "key in the file is not valid: Server-IP"),
        ("key", 5, "key in the file is not valid: 5"),
        ("scope", "room 5", "scope in the file is not valid: room 5"),
        ("created", "yesterday", "created in the file is not valid: yesterday"),
        ("expires", "soon", "expires in the file is not valid: soon"),
        ("context", "x" * 501, "context in the file is not valid: " + "x" * 501),
        ("title", "x" * 121, "title in the file is not valid: " + "x" * 121),
    ],
)
def test_an_invalid_value_is_kept_flagged_and_at_its_default(name: str, value: object, flag: str) -> None:
    """Until that field is set; another change leaves it as it stands."""
    text = json.dumps([{"id": "a", "text": "tea", name: value}])
    fact = parse(text).facts[0]
    assert fact.flags == (flag,)
    assert getattr(fact, name) == getattr(one(id="a", text="tea"), name)
    assert parse(text).invalid_fields(0) == {name}
    other = "source" if name == "category" else "category"
    written = change(text, **{other: "tool_call" if other == "source" else "projects"})
    assert written.startswith(text.removesuffix("}]"))
    if name != "created":
        assert parse(put(text, fact, 0, (name,))).facts[0].flags == ()


@pytest.mark.parametrize("name", ["category", "source"])
def test_an_unknown_category_or_source_counts_as_it_is(name: str) -> None:
    """And is flagged."""
    fact = one(id="a", text="tea", **{name: "food"})
    assert getattr(fact, name) == "food"
    assert fact.flags == (f"{name} in the file is not valid: food",)


def test_two_notes_with_one_id_or_one_key_are_flagged() -> None:
    """Both are there."""
    text = json.dumps([{"id": "a", "text": "x", "key": "k"}, {"id": "a", "text": "y", "key": "k"}])
    flags = {flag for fact in parse(text).facts for flag in fact.flags}
    assert flags == {"another fact has the id a too", "another fact in other has the key k too"}


def test_a_member_that_is_there_twice() -> None:
    """The last one counts, as for other readers; it is flagged, and a change of the field leaves one of them."""
    text = '[{"id": "a", "text": "old", "x": 1, "text": "new", "x": 2}]'
    fact = parse(text).facts[0]
    assert (fact.text, fact.flags) == ("new", ("the note has text twice; the last one counts",))
    assert change(text, body="newest", title="newest") == '[{"id": "a", "x": 1, "text": "newest", "x": 2}]'


def test_numbers_of_any_size_are_kept() -> None:
    """Also such as no other number holds exactly, and a fraction in a confidence rounds."""
    text = f'[{{"id": "a", "text": "x", "big": {"9" * 5000}, "exact": 0.10000000000000000001, "confidence": 95.0}}]'
    assert parse(text).facts[0].confidence == 95
    assert change(text, category="projects") == text.replace("95.0}", '95.0, "category": "projects"}')


def test_half_a_character_is_shown_and_kept() -> None:
    """A lone surrogate reads as a replacement character, is flagged, and stays in the file."""
    text = r'[{"id": "\udc00", "text": "a\ud800b \ud83c\udf75"}]'
    fact = parse(text).facts[0]
    assert (fact.id, fact.text) == ("\ufffd", "a\ufffdb 🍵")
    assert fact.flags == ("the note holds half a character (a lone surrogate), which is shown as \ufffd",)
    assert change(text, category="projects").startswith(text.removesuffix("}]"))


@pytest.mark.parametrize(("text", "length"), [("", 0), ("\n", 0), ("x" * 501, 501)], ids=repr)
def test_a_text_of_another_length_is_flagged(text: str, length: int) -> None:
    """It is read all the same, and its other fields can be changed."""
    file = json.dumps([{"id": "a", "text": text}])
    assert parse(file).facts[0].flags == (f"the text has {length} characters; 1 to 500 are allowed",)
    assert change(file, category="projects").startswith(file.removesuffix("}]"))


def test_a_text_has_500_code_points() -> None:
    """One more is memory_too_long, for a new note and for a changed one; a character is one, whatever its bytes."""
    most = "🍵" * 500
    text = put("", replace(NEW, body=most))
    assert parse(text).facts[0].body == most
    for index in (None, 0):
        with pytest.raises(TooLongError, match="501 characters; a note takes 500"):
            parse(text).put(replace(NEW, body=most + "x"), index)
