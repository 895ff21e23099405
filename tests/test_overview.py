"""A look at the whole, and the review: what a person should know of the file, and what deals with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_magic import Store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def store(path: Path, *sections: str, days: int = 0) -> Store:
    """Give a store over hand-made sections, at noon of 30 November 2026 or so many days later."""
    file = path / "MEMORY.md"
    file.write_text("# Memory\n\n" + "\n".join(f"## {section}\n" for section in sections), "utf-8")
    return Store(file, clock=lambda: NOW + timedelta(days=days))


def section(title: str, fields: str, body: str = "text") -> str:
    """Give a section with metadata."""
    return f"{title}\n<!-- {fields} -->\n\n{body}\n"


# The overview


@pytest.mark.parametrize(
    ("sections", "told", "remedy"),
    [
        pytest.param(
            [section("A", "id: m-00000a · confidence: 150")],
            "confidence in the file is not valid: 150",
            "%remember --id m-00000a --confidence VALUE",
            id="confidence",
        ),
        pytest.param(
            [section("A", "id: m-00000a · category: wiki")],
            "category in the file is not valid: wiki",
            "%remember --id m-00000a --category VALUE",
            id="category",
        ),
        pytest.param(
            [section("A", "id: m-00000a · key: k"), section("B", "id: m-00000b · key: k")],
            "another fact in other has the key k too",
            "%remember --id m-00000b --key ANOTHER_KEY",
            id="key",
        ),
        pytest.param(
            [section("A", "id: m-00000a"), section("B", "id: m-00000a")],
            "another fact has the id m-00000a too",
            "give one of the two another id in the file",
            id="id",
        ),
        pytest.param(
            [section("x" * 121, "id: m-00000a")],
            "the title has 121 characters",
            "%remember --id m-00000a --title TITLE",
            id="title",
        ),
        pytest.param(
            [section("A", "id: m-00000a", "x" * 20_001)],
            "the body has 20,001 characters",
            "%memory edit m-00000a",
            id="body",
        ),
        pytest.param(
            [section("A", "id: m-00000a · created: soon")],
            "created in the file is not valid: soon",
            "put it right in the file",
            id="created",
        ),
        pytest.param(
            [section("A", "id: m-00000a", f"push with {GITHUB}")],
            "“A” holds what looks like a credential",
            "%forget --purge m-00000a",
            id="secret",
        ),
    ],
)
def test_what_is_wrong_is_told_with_what_deals_with_it(
    tmp_path: Path, sections: list[str], told: str, remedy: str
) -> None:
    """Each on a line of its own, and nothing is repaired by looking."""
    memory = store(tmp_path, *sections)
    before = memory.path.read_bytes()
    lines = repr(memory.overview()).splitlines()
    assert any(told in line and remedy in line for line in lines)
    assert GITHUB not in "\n".join(lines)
    assert memory.path.read_bytes() == before


def test_text_before_the_first_section_is_told_by_its_line(tmp_path: Path) -> None:
    """It is no fact; front matter, the heading and comments are no text."""
    memory = store(tmp_path, "A")
    assert "before the first section" not in repr(memory.overview())
    memory.path.write_text("---\na: 1\n---\n# Memory\n\n<!-- note -->\n\nsome prose\n\n## A\n")
    assert "Line 8: text before the first section is no fact" in repr(memory.overview())


def test_what_expires_within_a_week_comes_soonest_first(tmp_path: Path) -> None:
    """And what has expired is listed apart."""
    memory = store(
        tmp_path,
        section("Later", "id: m-00000a · expires: 2026-12-06T12:00:00Z"),
        section("Sooner", "id: m-00000b · expires: 2026-12-01"),
        section("Over", "id: m-00000c · expires: 2026-11-20"),
        section("Far", "id: m-00000d · expires: 2027-01-01"),
    )
    shown = repr(memory.overview())
    assert [fact.title for fact in memory.overview().expiring] == ["Sooner", "Later"]
    assert [fact.title for fact in memory.overview().expired] == ["Over"]
    assert "2 within a week of expiry" in shown
    assert "1 expired" in shown
    assert "Far" not in shown


def test_a_long_list_is_cut_and_counted(tmp_path: Path) -> None:
    """Five of each kind are enough for a look."""
    memory = store(tmp_path, *(section(f"F{n}", f"id: m-00000{n} · expires: 2026-12-01") for n in range(8)))
    assert "  and 3 more" in repr(memory.overview())


# The review


def test_the_most_doubtful_comes_first(tmp_path: Path) -> None:
    """Expired, then expiring, then unlikely, then old; what is sure and fresh is not there."""
    old = "created: 2026-01-01T00:00:00Z · updated: 2026-01-01T00:00:00Z"
    memory = store(
        tmp_path,
        section("Fresh", "id: m-000001 · updated: 2026-11-01T00:00:00Z"),
        section("Old", f"id: m-000002 · {old}"),
        section("Older", "id: m-000003 · updated: 2025-01-01T00:00:00Z"),
        section("Unlikely", "id: m-000004 · confidence: 20"),
        section("Doubtful", "id: m-000005 · confidence: 49"),
        section("Soon", "id: m-000006 · expires: 2026-12-03"),
        section("Sooner", "id: m-000007 · expires: 2026-12-01"),
        section("Just over", "id: m-000008 · expires: 2026-11-29"),
        section("Long over", "id: m-000009 · expires: 2026-01-01"),
        section("Everything", f"id: m-00000a · confidence: 5 · expires: 2026-12-02 · {old}"),
    )
    found = memory.review()
    assert [doubt.fact.title for doubt in found] == [
        *("Long over", "Just over", "Sooner", "Everything", "Soon"),
        *("Unlikely", "Doubtful", "Older", "Old"),
    ]
    assert len(found[3].reasons) == 3
    assert "9 of 10 to review" in repr(found)


def test_each_doubtful_fact_comes_with_its_commands(tmp_path: Path) -> None:
    """To confirm, to edit, to forget."""
    memory = store(tmp_path, section("Soon", "id: m-000006 · expires: 2026-12-03"))
    shown = repr(memory.review())
    for command in ("%memory confirm m-000006", "%memory edit m-000006", "%forget m-000006"):
        assert command in shown


def test_confirming_takes_a_fact_out_of_the_review(tmp_path: Path) -> None:
    """Until another 180 days have passed; being confirmed counts like being changed."""
    memory = store(tmp_path, section("Old", "id: m-000002 · updated: 2026-01-01T00:00:00Z"))
    assert len(memory.review()) == 1
    memory.confirm("m-000002")
    assert len(memory.review()) == 0
    assert len(Store(memory.path, clock=lambda: NOW + timedelta(days=180)).review()) == 0
    assert len(Store(memory.path, clock=lambda: NOW + timedelta(days=181)).review()) == 1


def test_looking_renews_nothing(tmp_path: Path) -> None:
    """A hundred reviews, overviews and recalls leave each byte as it was."""
    memory = store(tmp_path, section("Old", "id: m-000002 · confidence: 20 · updated: 2026-01-01T00:00:00Z"))
    before = memory.path.read_bytes(), memory.path.stat()
    for _ in range(100):
        repr(memory.review()), repr(memory.overview()), repr(memory.recall("old")), repr(memory.why("Old"))
    assert (memory.path.read_bytes(), memory.path.stat().st_mtime_ns) == (before[0], before[1].st_mtime_ns)


def test_a_section_without_times_is_not_called_old(tmp_path: Path) -> None:
    """How old it is, is not known."""
    assert len(store(tmp_path, "By hand").review()) == 0


# Why


def test_why_says_where_a_fact_comes_from(tmp_path: Path) -> None:
    """Source, context and times, then its changes with their texts."""
    memory = Store(tmp_path / "MEMORY.md", clock=lambda: NOW)
    memory.save("technical", "host", "runs on a", source="tool_call", source_context="found via ip addr")
    memory.save("technical", "host", "runs on b", source="tool_call", source_context="read in the log")
    for target in (memory.facts()[0].id, "host", "technical/host", "Host"):
        shown = repr(memory.why(target))
        for words in ("tool_call", "read in the log", "2026-11-30T12:00:00Z", "“runs on a” to “runs on b”"):
            assert words in shown


def test_why_knows_a_fact_that_is_gone(tmp_path: Path) -> None:
    """By its id, as long as the history has it."""
    memory = Store(tmp_path / "MEMORY.md", clock=lambda: NOW)
    fact = memory.remember("likes tea").fact
    memory.forget(fact.id)
    assert f"{fact.id} is forgotten" in repr(memory.why(fact.id))
    assert "“likes tea”" in repr(memory.why(fact.id))


def test_why_shows_no_secret(tmp_path: Path) -> None:
    """Neither of the fact nor of its history."""
    memory = Store(tmp_path / "MEMORY.md", clock=lambda: NOW)
    fact = memory.remember("Push", f"with {GITHUB}", context=f"from {GITHUB}", allow_secret=True).fact
    assert GITHUB not in repr(memory.why(fact.id))
