"""The notes array: what a write changes in it, that nothing else changes, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from arrays import NEW, change, one, put

from memory_magic.errors import ConflictError, FullError, UnreadableError
from memory_magic.fact import Fact
from memory_magic.formats.note import Note
from memory_magic.formats.notes import Notes, parse

# What is refused


def test_the_201st_note_is_refused() -> None:
    """With memory_full, new or brought back; nothing is dropped, and the others can be changed."""
    text = json.dumps([{"id": str(number), "text": f"note {number}"} for number in range(200)])
    document = parse(text)
    for call in (lambda: document.put(NEW), lambda: document.bring_back('{"text": "x"}', None)):
        with pytest.raises(FullError, match="holds 200 notes"):
            call()
    assert len(parse(change(text, 199, body="changed")).facts) == 200
    assert len(document.drop([5]).put(NEW).facts) == 200


def test_a_file_with_more_notes_is_read_and_can_be_changed() -> None:
    """Only one more is refused."""
    text = json.dumps([{"id": str(number), "text": "x"} for number in range(250)])
    assert len(parse(change(text, 249, body="changed")).facts) == 250


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[\n{]", "line 2: Expecting"),
        ('[\r\n\r\n{"text": "a"', "line 3: Expecting"),
        ('[{"text": "a"},]', "line 1: "),
        ('[{"text": "a"}]\n]', "line 2: Nothing may follow"),
        ('[{"text": "a\nb"}]', "line 1: Invalid control"),
        ("# Memory\n", "line 1: "),
        ("[" + '{"x":' * 100_000, "line 1: Nested too deeply"),
        ("\n[\n" + "[" * 100_000, "line 3: Nested too deeply"),
        ("\0", "line 1: "),
        ("\ufeff\ufeff[]", "line 1: "),
        ('[{"text": "a" "b": 1}]', "line 1: Expecting"),
    ],
    ids=range(11),
)
def test_broken_json_is_told_with_its_line(text: str, line: str) -> None:
    """As memory_unreadable."""
    with pytest.raises(UnreadableError, match="not valid JSON") as caught:
        parse(text)
    assert caught.value.detail.startswith(line)


@pytest.mark.parametrize("text", ['\n{"notes": []}', '\n"x"', "\n5", "\nnull"])
def test_what_is_no_array_is_told(text: str) -> None:
    """With its line."""
    with pytest.raises(UnreadableError, match="no array of notes") as caught:
        parse(text)
    assert caught.value.detail == "line 2"


def test_git_conflict_markers_are_told() -> None:
    """As memory_conflict, with the line; in a text they are text."""
    with pytest.raises(ConflictError, match="conflict markers") as caught:
        parse('[\n<<<<<<< HEAD\n{"text": "a"}\n=======\n{"text": "b"}\n>>>>>>> x\n]\n')
    assert caught.value.detail == "line 2"
    assert one(text="a\n<<<<<<< HEAD\nb").text == "a\n<<<<<<< HEAD\nb"


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("5", "it is no object"),
        ("[]", "it is no object"),
        ('"text"', "it is no object"),
        ("null", "it is no object"),
        ("{}", "it has no text"),
        ('{"id": "a", "Text": "b"}', "it has no text"),
        ('{"text": null}', "its text is no string"),
        ('{"text": ["a"]}', "its text is no string"),
        ('{"text": "a", "id": 5}', "its id is no string"),
        ('{"text": "a", "scope": {}}', "its scope is no string"),
        ('{"text": "a", "created": 1764504000}', "its created is no string"),
    ],
)
def test_beside_a_bad_entry_the_good_ones_are_read(entry: str, fault: str) -> None:
    """The bad one is trouble, told with its number, its line, and what is wrong with it."""
    document = parse(f'[{{"text": "a"}},\n{entry}, {{"text": "b"}},\n{entry}]')
    assert [fact.text for fact in document.facts] == ["a", "b"]
    assert document.trouble is not None
    assert document.trouble.where == f"entry 2, line 2: {fault}; and 1 more"
    assert document.trouble.error is UnreadableError


# What stays


@pytest.mark.parametrize("text", ["", "\ufeff", " \n", "\r\n", "[]", "\ufeff[\n\n]\r\n", " [ ] "])
def test_a_file_without_notes_is_an_empty_store(text: str) -> None:
    """What stands around the array stays when the first note comes, and when it goes."""
    document = parse(text)
    assert document.facts == ()
    made = document.put(NEW)
    assert parse(made.data().decode()).facts == (NEW,)
    start, _, end = text.partition("[")
    assert made.render().startswith(start + "[")
    assert made.render().endswith(end.partition("]")[2])
    assert made.drop([0]).put(NEW).render() == made.render()


STYLES = {
    "json.dumps": '[{"id": "b", "text": "B"}, {"id": "a", "text": "A"}]',
    "compact": '[{"id":"b","text":"B"},{"id":"a","text":"A"}]',
    "one a line": '[\n{"id": "b", "text": "B"},\n{"id": "a", "text": "A"}\n]\n',
    "tabs, CRLF": '[\r\n\t{\r\n\t\t"id": "b",\r\n\t\t"text": "B"\r\n\t},\r\n\t{\r\n\t\t"id": "a",\r\n\t\t"text": "A"\r\n\t}\r\n]',
    "BOM, commas first": '\ufeff[ {"id" :"b"\n , "text" :"B"}\n, {"id" :"a"\n , "text" :"A"}\n ]\n\n',
}
ADDED = {
    "json.dumps": '{"id": "c", "text": "C", "scope": "global"}, ',
    "compact": '{"id":"c","text":"C","scope":"global"},',
    "one a line": '{"id": "c", "text": "C", "scope": "global"},\n',
    "tabs, CRLF": '{\r\n\t\t"id": "c",\r\n\t\t"text": "C",\r\n\t\t"scope": "global"\r\n\t},\r\n\t',
    "BOM, commas first": '{"id" :"c"\n , "text" :"C"\n , "scope" :"global"}\n, ',
}


@pytest.mark.parametrize("style", STYLES)
def test_a_new_note_goes_first_in_the_style_of_the_file(style: str) -> None:
    """Every byte of the file stays; when the new note goes again, the file is as it was."""
    text = STYLES[style]
    made = parse(text).put(Fact("c", "C", "C"))
    start = text.index("{")
    assert made.render() == text[:start] + ADDED[style] + text[start:]
    assert made.drop([0]).render() == text


@pytest.mark.parametrize("style", STYLES)
def test_a_note_that_is_brought_back_stands_where_it_stood(style: str) -> None:
    """Every byte is as it was before it was dropped."""
    document = parse(STYLES[style]).put(Fact("c", "C", "C"))
    for index, above in ((0, None), (1, "c"), (2, "b")):
        left = parse(document.drop([index]).render())
        assert left.bring_back(document.sections[index].raw, above).render() == document.render()


@pytest.mark.parametrize("style", STYLES)
def test_a_changed_note_keeps_its_other_members_and_their_order(style: str) -> None:
    """Only the value is another one."""
    assert change(STYLES[style], 1, body="Z", title="Z") == STYLES[style].replace('"A"', '"Z"')


def test_unknown_members_are_kept() -> None:
    """Whatever they hold, wherever they stand, however they are written."""
    text = '[{"pin": {"a" :[1,\n2]}, "text": "caf\\u00e9", "id": "a", "n": 1E2, "x": null, "text2": "\\/"}]'
    assert change(text, confidence=5) == text.replace("}]", ', "confidence": 5}]')


def test_the_members_of_a_new_note_follow_the_order_of_the_first() -> None:
    """What that one does not have comes behind."""
    made = json.loads(put('[{"created": "2026-01-01", "text": "x", "id": "a"}]'))
    assert list(made[0]) == ["created", "text", "id", "scope"]


def test_a_member_at_its_default_again_is_gone() -> None:
    """The first one too; the scope stays, which every note has."""
    text = '[{"category": "projects", "id": "a", "text": "x", "scope": "project:x", "key": "k"}]'
    assert change(text, category="other", key=None, scope="global") == '[{"id": "a", "text": "x", "scope": "global"}]'


def test_a_change_that_would_read_otherwise_is_refused() -> None:
    """A piece that is no note cannot be put back among the notes."""
    for raw in ("## A section\n", '{"text": "a"}, {"text": "b"}', '{"text": 5}'):
        with pytest.raises(ConflictError, match="alter how other notes read"):
            replace(parse(put("")), sections=(Note(raw),)).data()


def test_a_document_fulfils_what_all_formats_do() -> None:
    """A first write owes nothing, and no text stands there that is no fact."""
    document: Notes = parse(put(""))
    assert document.with_ids() is document
    assert (document.prose_line, document.trouble) == (None, None)
