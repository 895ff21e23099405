"""The notes array: what holds for every input."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

from arrays import NEW, NOON, bare, put
from hypothesis import example, given
from hypothesis import strategies as st

from memory_magic.errors import MemoryMagicError
from memory_magic.fact import CATEGORIES, SOURCES, Fact, clean_context, clean_title, normal_body
from memory_magic.formats.notes import parse

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KNOWN = ("id", "scope", "created", "title", "category", "key", "source", "confidence", "expires", "context", "updated")
NOTES = st.builds(
    lambda text, known, others: {**others, **known, "text": text},
    st.text(max_size=20),
    st.dictionaries(st.sampled_from(KNOWN), st.none() | st.text(max_size=5) | st.integers(0, 200), max_size=4),
    st.dictionaries(st.text(max_size=5), JSON, max_size=3),
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 1}, {"indent": "\t"}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}]
)
FILES = st.builds(
    lambda notes, layout, ascii_, start, end: start + json.dumps(notes, ensure_ascii=ascii_, **layout) + end,
    st.lists(NOTES.filter(lambda n: all(isinstance(n.get(k, ""), (str, type(None))) for k in KNOWN[:3])), max_size=4),
    LAYOUTS,
    st.booleans(),
    st.sampled_from(["", "\ufeff", "\n "]),
    st.sampled_from(["", "\n", " \r\n"]),
).map(lambda text: text.encode("utf-8", "replace").decode())
BROKEN = st.lists(
    st.sampled_from(["[", "]", "{", "}", '"text"', ":", ",", "\n", '"a"', "5", "NaN", "\\ud800", '"', "\ufeff", " "]),
    max_size=20,
).map("".join)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=500).map(normal_body).filter(bool)
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FACTS = st.builds(
    lambda text, title, context, category, source, confidence, hours: Fact(
        "m-ffffff",
        (clean_title(title) if title.split() else "") or "T",
        text,
        category,
        context=clean_context(context),
        source=source,
        confidence=confidence,
        created=NOON,
        updated=NOON + timedelta(hours=hours),
    ),
    TEXTS,
    LINES,
    LINES,
    st.sampled_from(CATEGORIES),
    st.sampled_from(SOURCES),
    st.integers(0, 100),
    st.integers(0, 2),
)


@given(BROKEN | FILES | st.text(max_size=20) | JSON.map(json.dumps))
def test_reading_raises_nothing_but_what_is_told(text: str) -> None:
    """Any text reads as notes, each with an id, or is an error with its line; the notes alone lose no byte."""
    try:
        document = parse(text)
    except MemoryMagicError as error:
        assert error.detail.startswith("line ")  # noqa: PT017 -- or it is read
        return
    assert all(fact.id for fact in document.facts)
    for fact in document.facts:
        f"{fact!r} {fact.id} {fact.text} {fact.flags}".encode()
    if document.sections and document.trouble is None:
        assert document.render() == text


@given(FACTS, FILES)
def test_any_text_survives(fact: Fact, text: str) -> None:
    """As text, title and context: what is stored reads back as it was."""
    assert bare(parse(put(text, fact)).facts[0]) == fact


@given(FILES, FACTS, st.data())
@example('[{"text": "a"}, {"text": "a"}]', NEW, None)
def test_a_write_changes_its_own_note_alone(text: str, fact: Fact, data: st.DataObject | None) -> None:
    """Put, changed or dropped: every other note keeps its bytes and its id, and so does what stands around them."""
    document = parse(text)
    count = len(document.sections)
    others = list(zip((fact.id for fact in document.facts), document.sections, strict=True))
    index = data.draw(st.none() | st.integers(0, count - 1)) if data and count else None
    made = parse(
        document.put(replace(fact, id=others[index][0] if index is not None else fact.id), index).data().decode()
    )
    if index is None:
        left = list(zip((fact.id for fact in made.facts), made.sections, strict=True))[1:]
    else:
        unknown = [
            pair
            for pair in json.loads(document.sections[index].raw).items()
            if pair[0] not in (*KNOWN, "text", "confirmed")
        ]
        assert repr(
            [p for p in json.loads(made.sections[index].raw).items() if p in unknown or p[0] in dict(unknown)]
        ) == repr(unknown)
        before = document.render().partition(document.sections[index].raw)[0]
        assert made.render().startswith(before)
        left = [
            pair
            for place, pair in enumerate(zip((f.id for f in made.facts), made.sections, strict=True))
            if place != index
        ]
        others.pop(index)
    assert [note.raw for _, note in left] == [note.raw for _, note in others]
    if index is None:
        assert text.endswith(made.closing.lstrip()) or not others


@given(FILES, st.data())
def test_a_drop_takes_its_own_note_alone(text: str, data: st.DataObject) -> None:
    """What is left keeps its ids, and its bytes unless an id had to be written."""
    document = parse(text)
    gone = data.draw(st.sets(st.integers(0, max(0, len(document.sections) - 1)), max_size=4))
    made = parse(document.drop(gone).data().decode())
    kept = [index for index in range(len(document.sections)) if index not in gone]
    assert [fact.id for fact in made.facts] == [document.facts[index].id for index in kept]
    for note, index in zip(made.sections, kept, strict=True):
        old = document.sections[index]
        assert note.raw == old.raw or not old.fact.id
