"""The comment under a heading: what is one, what its fields mean, and what stays as it was written."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_magic import fact as rules
from memory_magic.fact import Fact
from memory_magic.formats import metadata
from memory_magic.formats.metadata import Metadata

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def inside(comment: str) -> str:
    """Give what stands between the marks of a comment."""
    assert comment.startswith("<!--")
    assert comment.endswith("-->")
    return comment[4:-3]


def values(content: str) -> dict[str, Any]:
    """Read a comment that must be metadata."""
    found = metadata.read(content)
    assert found is not None
    return dict(found.values)


def rewritten(content: str, touched: tuple[str, ...] = (), **changes: object) -> str:
    """Change fields of the fact that a comment holds and give the inside of the new comment, stripped."""
    old = metadata.read(content)
    assert old is not None
    before = Fact(title="t", **{"id": "", **dict(old.values)})
    return inside(metadata.write(replace(before, **changes), old, before, touched)).strip()


# What is metadata


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(" id: m-1a2b3c ", True, id="id-alone"),
        pytest.param("id:m-1a2b3c", True, id="without-spaces"),
        pytest.param(" mood: fine · id: m-1a2b3c ", True, id="unknown-field-beside-an-id"),
        pytest.param(" id: m-1a2b3c · confidence: 150 ", True, id="invalid-field-beside-an-id"),
        pytest.param(" category: profile · key: a ", True, id="all-known-and-valid"),
        pytest.param(" source: wikipedia ", False, id="invalid"),
        pytest.param(" category: profile · mood: fine ", False, id="one-unknown"),
        pytest.param(" category: profile · a remark ", False, id="one-without-a-name"),
        pytest.param(" category: profile · category: other ", False, id="one-twice"),
        pytest.param(" TODO: revisit ", False, id="a-comment"),
        pytest.param(" category ", False, id="a-word"),
        pytest.param("", False, id="empty"),
        pytest.param(" · ", False, id="nothing-but-a-separator"),
    ],
)
def test_what_is_metadata(content: str, expected: bool) -> None:
    """A comment is metadata if it has an id or if all of its fields are known and valid; else it is text."""
    assert (metadata.read(content) is not None) is expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(" id: m-1a2b3c ", True, id="id"),
        pytest.param(" key: a ·  id :  m-1a2b3c ", True, id="with-spaces-not-first"),
        pytest.param(" id: m-1A2B3C ", False, id="upper-case"),
        pytest.param(" id: m-1a2b3c4 ", False, id="too-long"),
        pytest.param(" id: m%2D1a2b3c ", False, id="encoded"),
        pytest.param(" id: bad · id: m-1a2b3c ", True, id="after-one-that-is-not"),
        pytest.param(" key: a · · id: m-1a2b3c · ", True, id="between-dangling-separators"),
        pytest.param(" key: a· id: m-1a2b3c ", False, id="part-of-a-value"),
        pytest.param(" grid: m-1a2b3c ", False, id="another-name"),
        pytest.param(" context: id: m-1a2b3c ", False, id="in-a-value"),
        pytest.param(" category: profile ", False, id="none"),
    ],
)
def test_what_anchors_a_heading(content: str, expected: bool) -> None:
    """A well-formed id anchors the heading above it, and is then the fact's; nothing else does."""
    assert metadata.is_anchor(content) is expected
    found = metadata.read(content)
    assert ("id" in dict(found.values) if found else False) is expected


@given(st.lists(st.sampled_from([" · ", "·", " ", "id", ":", "m-1a2b3c", "m-", "key", "a", "%2D", "\t"])).map("".join))
@example(" a · · id: m-1a2b3c")
def test_an_anchor_is_an_id_that_is_read(content: str) -> None:
    """Where sections start and what ids facts have is decided by one rule."""
    found = metadata.read(content)
    assert metadata.is_anchor(content) == (found is not None and "id" in dict(found.values))


# Reading


def test_fields_in_any_order_split_at_the_first_colon() -> None:
    """Fields may come in any order, each is optional; a value may hold colons."""
    content = " context: see: a:b · expires: 2026-12-31 · id: m-1a2b3c · updated: 2026-11-30T12:00:00Z "
    assert values(content) == {"context": "see: a:b", "expires": date(2026, 12, 31), "id": "m-1a2b3c", "updated": NOON}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-11-30T12:00:00Z", NOON, id="as-written"),
        pytest.param("2026-11-30T12:00:00+00:00", NOON, id="yolop"),
        pytest.param("2026-11-30T12:00:00.123456789+00:00", NOON, id="yolop-nanoseconds"),
        pytest.param("2026-11-30T12:00:00", NOON, id="without-a-zone"),
        pytest.param("2026-11-30T14:00:00+02:00", NOON, id="another-zone"),
    ],
)
@pytest.mark.parametrize("name", ["created", "updated", "confirmed", "expires"])
def test_times(name: str, text: str, expected: datetime) -> None:
    """Times are read in every ISO form, fractions cut off."""
    assert values(f"id: m-1a2b3c · {name}: {text}")[name] == expected


def test_expires_never() -> None:
    """``never`` is the default in words."""
    assert values("expires: never") == {"expires": None}


@pytest.mark.parametrize(
    ("part", "counts"),
    [
        pytest.param("confidence: 150", None, id="confidence"),
        pytest.param("confidence: high", None, id="confidence-word"),
        pytest.param("key: Server-IP", None, id="key"),
        pytest.param("expires: 2026-02-30", None, id="expires"),
        pytest.param("expires: 9999-01-01", None, id="expires-too-late"),
        pytest.param("created: yesterday", None, id="created"),
        pytest.param("scope: project:", None, id="scope"),
        pytest.param("context: " + "x" * 501, None, id="context"),
        pytest.param("category: food", "food", id="category-counts"),
        pytest.param("source: wikipedia", "wikipedia", id="source-counts"),
    ],
)
def test_an_invalid_value_is_kept_until_it_is_set(part: str, counts: object) -> None:
    """It is flagged, the default counts (a category or source as it is), and it is replaced only when set."""
    name = part.partition(":")[0]
    content = f"id: m-1a2b3c · {part} · mood: fine"
    found = metadata.read(content)
    assert found is not None
    assert dict(found.values).get(name) == counts
    assert found.invalid == {name}
    assert len(found.flags) == 1
    assert name in found.flags[0]
    assert rewritten(content, updated=NOON) == f"{content} · updated: 2026-11-30T12:00:00Z"
    default = getattr(Fact("", ""), name)
    assert rewritten(content, (name,), **{name: default}) == "id: m-1a2b3c · mood: fine"


def test_an_id_that_is_not_ours_is_kept_beside_the_one_given() -> None:
    """A malformed id is flagged, and stays when the fact gets an id."""
    found = metadata.read("id: wiki-42")
    assert found is not None
    assert found.flags
    assert rewritten("id: wiki-42", id="m-1a2b3c") == "id: wiki-42 · id: m-1a2b3c"
    assert values("id: wiki-42 · id: m-1a2b3c") == {"id": "m-1a2b3c"}


# Writing


def test_the_form() -> None:
    """Fields at their default are not written; the others are, in one line."""
    fact = Fact(
        "m-1a2b3c", "t", category="preferences", source="user_explicit", confidence=90, created=NOON, updated=NOON
    )
    assert metadata.write(fact, Metadata()) == (
        "<!-- id: m-1a2b3c · created: 2026-11-30T12:00:00Z · updated: 2026-11-30T12:00:00Z"
        " · category: preferences · source: user_explicit · confidence: 90 -->"
    )
    assert metadata.write(Fact("m-1a2b3c", "t"), Metadata()) == "<!-- id: m-1a2b3c -->"


def test_confidence_zero_is_a_value() -> None:
    """0 is written: it is not the default."""
    assert metadata.write(Fact("m-1a2b3c", "t", confidence=0), Metadata()) == "<!-- id: m-1a2b3c · confidence: 0 -->"


@pytest.mark.parametrize(
    ("context", "written"),
    [
        pytest.param("100%", "100%25", id="percent"),
        pytest.param("a · b", "a %C2%B7 b", id="middle-dot"),
        pytest.param("--> <b>", "--%3E %3Cb%3E", id="angle-brackets"),
        pytest.param("a\tb\x00c\x1bd\x7fe", "a%09b%00c%1Bd%7Fe", id="control"),
        pytest.param("a\u2028b\u2029c\x85d", "a%E2%80%A8b%E2%80%A9c%C2%85d", id="line-breaks"),
        pytest.param("a\x9fb", "a%C2%9Fb", id="c1-control"),
        pytest.param("naïve “é” — 深色 🎉: #@&'\"`|\\", "naïve “é” — 深色 🎉: #@&'\"`|\\", id="everything-else-stays"),
    ],
)
def test_what_is_encoded(context: str, written: str) -> None:
    """In values %, ·, <, >, line breaks and control characters are percent-encoded as UTF-8 bytes."""
    assert (
        metadata.write(Fact("m-1a2b3c", "t", context=context), Metadata())
        == f"<!-- id: m-1a2b3c · context: {written} -->"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("100%", "100%", id="a-percent-by-hand"),
        pytest.param("5%zz", "5%zz", id="no-code"),
        pytest.param("%ff", "%ff", id="no-utf-8"),
        pytest.param("a%C2%B7b", "a·b", id="encoded"),
        pytest.param("a·b", "a·b", id="a-dot-by-hand"),
    ],
)
def test_what_is_decoded(text: str, expected: str) -> None:
    """What a person writes without encoding reads as it looks."""
    assert values(f"id: m-1a2b3c · context: {text}")["context"] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("mood:  fine · id: m-1a2b3c", "mood:  fine · id: m-1a2b3c · key: b", id="added-behind"),
        pytest.param("key: a · x · id: m-1a2b3c", "key: b · x · id: m-1a2b3c", id="in-its-place"),
        pytest.param(
            "id:m-1a2b3c · created:  2026-11-30", "id:m-1a2b3c · created:  2026-11-30 · key: b", id="as-spelled"
        ),
        pytest.param("id: m-1a2b3c · key", "id: m-1a2b3c · key · key: b", id="a-word-is-no-field"),
        pytest.param("id: m-1a2b3c · key: a · key: c", "id: m-1a2b3c · key: b", id="twice"),
        pytest.param("id: m-1a2b3c · x ·", "id: m-1a2b3c · x · key: b", id="dangling-separator"),
        pytest.param("id: m-1a2b3c · x: 1 · x: 2", "id: m-1a2b3c · x: 1 · x: 2 · key: b", id="unknown-twice"),
    ],
)
def test_what_is_not_changed_stays_as_it_stands(content: str, expected: str) -> None:
    """A write replaces the parts of the fields that differ; the others, unknown ones too, keep their bytes."""
    assert rewritten(content, key="b") == expected
    assert values(expected)["key"] == "b"


def test_a_field_at_its_default_loses_all_its_parts() -> None:
    """A second part of the same name does not come to count when the first is gone."""
    assert rewritten("id: m-1a2b3c · category: profile · category: technical", category="other") == "id: m-1a2b3c"


FACTS = st.builds(
    Fact,
    id=st.from_regex(rules.ID, fullmatch=True),
    title=st.just("t"),
    category=st.sampled_from(rules.CATEGORIES) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    key=st.none() | st.from_regex(r"[a-z][a-z0-9_]{0,63}", fullmatch=True),
    source=st.sampled_from(rules.SOURCES) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    confidence=st.integers(0, 100),
    expires=st.none() | st.dates(max_value=date(9998, 12, 31)) | st.just(NOON),
    context=(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=400) | st.text("%·<>- :\t\x00\x85a", max_size=30)
    ).map(rules.clean_context),
    scope=st.just("global")
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=90)
    .map(lambda name: "project:" + rules.one_line(name))
    .filter(lambda scope: scope != "project:")
    .map(rules.clean_scope),
    created=st.none()
    | st.datetimes(max_value=datetime(9998, 1, 1)).map(lambda t: t.replace(microsecond=0, tzinfo=UTC)),
    updated=st.none() | st.just(NOON),
    confirmed=st.none() | st.just(NOON),
)


@given(FACTS)
def test_every_field_comes_back(fact: Fact) -> None:
    """What is written reads as the same fact, in one line without the end of a comment."""
    line = metadata.write(fact, Metadata())
    content = inside(line)
    assert "-->" not in content
    assert "\n" not in line
    assert "\r" not in line
    assert metadata.is_anchor(content)
    assert Fact(title="t", **values(content)) == fact


@given(
    FACTS,
    FACTS,
    st.lists(st.sampled_from(["mood: fine", "x", "", "·", "a:b:c", "x·", "key", "grid: m-000000", "%C2"]), min_size=1),
)
def test_unknown_fields_survive_every_change(before: Fact, after: Fact, extra: list[str]) -> None:
    """Whatever changes, what is not ours stays, in its order, and the fact reads back."""
    content = inside(metadata.write(before, Metadata()))
    old = metadata.read(" · ".join([*extra, content, *extra]))
    assert old is not None
    again = metadata.read(inside(metadata.write(after, old, before)))
    assert again is not None
    ours = [part for part in again.parts if ":" in part and part.partition(":")[0] in Fact.__slots__]
    assert [part for part in again.parts if part not in ours] == [text for text in extra * 2 if text not in {"", "·"}]
    assert Fact(title="t", **dict(again.values)) == after


@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.lists(
        st.sampled_from(
            [
                "id: ",
                "m-1a2b3c",
                " · ",
                "created: ",
                "confidence: ",
                "9" * 400,
                "-1",
                "nan",
                "٣",
                "expires: ",
                "9999-12-31T23:59:59-14:00",
            ]
            + ["0001-01-01T00:00:00+14:00", "%", "%0A", "source:", "key:", "category: "]
        )
    ).map("".join)
)
def test_reading_never_raises(content: str) -> None:
    """Whatever a comment holds, it is metadata or text."""
    found = metadata.read(content)
    assert found is None or set(dict(found.values)) <= set(Fact.__slots__)
