"""What is found, as text in a terminal of 80 columns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory_magic.display import is_code
from memory_magic.fact import Fact
from memory_magic.results import Found
from memory_magic.terminal import width

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
TEA = Fact("m-00000a", "Ann likes tea", "Ann likes tea", updated=NOW - timedelta(days=3), created=NOW)


def found(*facts: Fact, **values: Any) -> Found:
    """Give a result of these facts alone."""
    return Found(facts, values.pop("total", len(facts)), NOW, **values)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=40)), min_size=1, max_size=3), st.booleans())
def test_no_line_is_wider_than_a_terminal(given_texts: list[tuple[str, list[str]]], key: bool) -> None:
    """But for a word that is longer, and for the lines of code."""
    facts = [
        replace(TEA, title=title, body=" ".join(body), key="k" * 64 if key else None) for title, body in given_texts
    ]
    for line in repr(found(*facts)).split("\n"):
        assert width(line) <= 80 or is_code("\n".join(fact.body for fact in facts)) or _is_one_word(line)


def _is_one_word(line: str) -> bool:
    longest = max(map(width, line.split()), default=0)
    return longest > 64  # beside the id and the dash of a list


def test_titles_of_any_script_stand_beside_their_ids() -> None:
    """Wide characters count twice, marks not at all; a long title goes on below."""
    titles = [
        "Ann likes tea",
        "用户喜欢深色模式",
        "ผู้ใช้ชอบชา",
        "שלום",
        "x\u0304 tea",
        "🍵 tea",
        "深" * 120,
        "word " * 24,
    ]
    shown = repr(found(*[replace(TEA, title=title.strip(), body=title.strip()) for title in titles]))
    lines = shown.split("\n")
    assert max(map(width, lines)) <= 80
    assert [line for line in lines if line.startswith("m-00000a  ")][1] == "m-00000a  用户喜欢深色模式"
    assert lines.count("          深" + "深" * 34) == 2


def test_each_fact_has_a_line_of_what_is_known() -> None:
    """Confidence with a bar, category and key, age, expiry."""
    fact = replace(TEA, key="drink", category="profile", confidence=95, expires=NOW + timedelta(days=6))
    unlikely = replace(TEA, confidence=40, updated=None)
    lines = repr(found(fact, unlikely)).split("\n")
    assert lines[:4] == [
        "m-00000a  Ann likes tea",
        "          ■■■■□ 95 % · profile/drink · 3 d old · expires in 6 days",
        "m-00000a  Ann likes tea",
        "          ■■□□□ 40 %, low · other · age unknown · never expires",
    ]


def test_a_fact_alone_says_where_it_comes_from() -> None:
    """Why do I know this? One fact shows source, context, scope and days; several stay short."""
    fact = replace(TEA, context="nb.ipynb, In [3]", scope="project:x", source="user_explicit", confirmed=NOW)
    shown = " ".join(repr(found(fact)).split())
    assert "user explicit · nb.ipynb, In [3] · project:x · since 2026-11-30 · confirmed 2026-11-30" in shown
    assert "nb.ipynb" not in repr(found(fact, fact))


def test_body_and_flags_are_under_the_title() -> None:
    """The body is there where it says more than the title, and each flag has its line."""
    shown = repr(found(replace(TEA, body="Green.\nNever black.", flags=("odd",)), TEA)).split("\n")
    assert shown[1:3] == ["          Green.", "          Never black."]
    assert shown[4] == "          ! odd"
    assert len(shown) == 8


def test_code_keeps_its_lines() -> None:
    """Also long ones: what is copied from a terminal must still run."""
    line = "curl --silent --show-error    --output result.json https://example.org/a/very/long/address?with=a&query=too"
    assert f"          {line}" in repr(found(replace(TEA, body=f"{line}\n\tdone"))).split("\n")


def test_a_long_body_is_cut_in_a_list_and_whole_alone() -> None:
    """The list says how much is left, and the command that shows it."""
    fact = replace(TEA, body=" ".join(f"word{number}" for number in range(500)))
    listed = repr(found(fact, TEA))
    assert "word499" not in listed
    assert " more characters; %recall m-00000a shows them" in listed
    assert "word499" in repr(found(fact))
