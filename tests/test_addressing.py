"""Which facts a call means, and what is said where it means none."""

from __future__ import annotations

from typing import Any

import pytest

from memory_magic.addressing import listed, targets
from memory_magic.errors import AmbiguousError, EmptyTextError, InvalidError, NotFoundError
from memory_magic.fact import Fact

GITHUB = "ghp_" + "a1B2c3D4" * 4
IPS = (
    Fact("m-000001", "Ip", "1", category="technical", key="ip"),
    Fact("m-000002", "Ip", "2", category="projects", key="ip"),
    Fact("m-000003", "Tea", "Green"),
)


def test_a_key_in_several_categories_means_all_of_them() -> None:
    """Titles that were derived from the key do not make it ambiguous."""
    assert targets(IPS, "ip", None) == [0, 1]
    assert targets(IPS, "ip", "projects") == [1]


def test_a_title_that_a_fact_without_the_key_has_too_is_ambiguous() -> None:
    """The line could mean the third fact alone."""
    with pytest.raises(AmbiguousError, match="Several facts have this title: m-000001 .*m-000004"):
        targets([*IPS, Fact("m-000004", "IP", "3")], "ip", None)


def test_a_key_is_named_as_receipts_show_it() -> None:
    """``technical/ip`` is the key ip in that category."""
    assert targets(IPS, " technical/ip ", None) == [0]
    with pytest.raises(NotFoundError):
        targets(IPS, "other/ip", None)


@pytest.mark.parametrize("line", ["m-000001, m-000003", "m-000001,m-000003", "m-000001 m-000003,"])
def test_commas_between_ids(line: str) -> None:
    """Ids may be copied out of a list."""
    assert targets(IPS, line, None) == [0, 2]


@pytest.mark.parametrize("line", [",", " , ,"])
def test_commas_alone_mean_nothing(line: str) -> None:
    """No fact is deleted by a slip."""
    with pytest.raises(NotFoundError):
        targets(IPS, line, None)


def test_a_fact_means_itself() -> None:
    """What recall gave can be given back."""
    assert targets(IPS, IPS[1], None) == [1]


NOTES = (
    Fact("a b", "One"),
    Fact("tea", "Two"),
    Fact("7", "Tea 7"),
    Fact(" x ", "Tea"),
    Fact("m-00000a", "a b", key="tea"),
)


@pytest.mark.parametrize(
    ("line", "places"),
    [("a b", [0]), (" tea ", [1]), ("7, tea", [2, 1]), ("m-00000a 7", [4, 2]), ("x", [3]), (" x ", [3]), ("tea,", [1])],
)
def test_an_id_is_any_text(line: str, places: list[int]) -> None:
    """It means its own fact, with spaces in it too, and whatever title or key another one has."""
    assert targets(NOTES, line, None) == places


@pytest.mark.parametrize("line", ["tea 8", "a", "a b tea"])
def test_one_unknown_id_means_none(line: str) -> None:
    """What is no id is looked for as a title or a key."""
    with pytest.raises(NotFoundError):
        targets(NOTES, line, None)


def test_ids_that_together_are_a_title_are_ambiguous() -> None:
    """Nobody can tell which is meant."""
    with pytest.raises(AmbiguousError, match="These are ids, and together a title: 7 "):
        targets(NOTES, "tea 7", None)


@pytest.mark.parametrize("target", [5, ["m-000001"], b"tea", True], ids=repr)
def test_what_is_no_text_is_refused(target: object) -> None:
    """The error says what to give."""
    with pytest.raises(InvalidError, match="give an id, an exact title or a key"):
        targets(IPS, target, None)


@pytest.mark.parametrize("target", [None, "", "  "], ids=repr)
def test_nothing_named_is_told(target: object) -> None:
    """None is as good as a blank line."""
    with pytest.raises(EmptyTextError, match="Nothing was named"):
        targets(IPS, target, None)


def test_long_lists_are_cut_and_counted() -> None:
    """An error names ten facts at most."""
    facts = [Fact(f"m-{number:06x}", "Tea") for number in range(25)]
    with pytest.raises(AmbiguousError) as caught:
        targets(facts, "tea", None)
    assert str(caught.value).count("m-") == 10
    assert "and 15 more" in str(caught.value)
    assert "more" not in listed(facts, range(10))


@pytest.mark.parametrize(
    ("target", "category"),
    [("\ud800", None), ("x", "\ud800"), ("m-000003", "\ud800"), (GITHUB, None), ("m-000003", GITHUB), ("tea", GITHUB)],
    ids=ascii,
)
def test_errors_can_be_printed_and_hold_no_secret(target: str, category: str | None) -> None:
    """Half characters are spelled out, what looks like a credential is masked."""
    with pytest.raises(NotFoundError) as caught:
        targets(IPS, target, category)
    assert str(caught.value).encode("utf-8")
    assert GITHUB not in str(caught.value)


def test_the_category_of_a_fact_may_hold_a_secret() -> None:
    """A hand-written one is masked in the error as well."""
    fact: Any = Fact("m-000001", "Tea", category=GITHUB)
    with pytest.raises(NotFoundError, match="is in the category ghp_…, not in other"):
        targets([fact], "m-000001", "other")
