"""The table in JupyterLab: what it shows, and how a fact is found in it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

SOON = (datetime.now(UTC) + timedelta(days=6, hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
UPDATED = (datetime.now(UTC) - timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
FACTS = f"""
## Production
<!-- id: m-000001 · created: {UPDATED} · updated: {UPDATED} · category: technical · key: prod_ip · source: tool_call · confidence: 95 · expires: {SOON} · context: seen in a log · scope: project:atlas -->

Runs on 192.168.1.168

## Staging is read-only
<!-- id: m-000002 · category: projects · confidence: 30 · expires: 2020-01-01 -->

## Release checklist
<!-- id: m-000003 · confidence: 150 -->

{"1. run the tests. " * 40}
"""


def test_a_row_shows_every_field(show: Any) -> None:
    """Text, category, key, confidence as a number and a bar, expiry with its day, where it comes from, when."""
    table = show(FACTS)
    row = table.row("Production")
    for text in ("Runs on 192.168.1.168", "technical", "prod_ip", "95 %", "in 6 days", "tool call", "seen in a log"):
        expect(row.get_by_text(text, exact=True).first).to_be_visible()
    for text in ("project:atlas", "3 days ago", "m-000001"):
        expect(row.get_by_text(text, exact=True).first).to_be_visible()
    assert SOON[:10] in (table.value("Production", "expires").get_attribute("title") or "")
    bar = row.locator(".mm-bar")
    assert "95%" in bar.evaluate("(bar) => getComputedStyle(bar).backgroundSize")


def test_states_are_told_in_words(show: Any) -> None:
    """Expired, expiring, low and a flag differ by more than their colour, for the eye and for a screen reader."""
    table = show(FACTS)
    expect(table.value("Staging", "expires")).to_have_text(re.compile("^expired .* ago$"))
    expect(table.row("Staging").get_by_text("low", exact=True)).to_be_visible()
    expect(table.value("Production", "expires")).to_have_text("in 6 days")
    expect(table.row("Release")).to_contain_text("confidence in the file is not valid: 150")
    assert "low" in (table.value("Staging", "confidence").get_attribute("aria-label") or "")


def test_a_long_text_is_shown_whole_on_demand(show: Any) -> None:
    """And short otherwise."""
    table = show(FACTS)
    row = table.row("Release")
    low = row.bounding_box()["height"]
    row.get_by_role("button", name="Show all 720 characters").click()
    expect(row.locator(".mm-whole")).to_have_text(("1. run the tests. " * 40).strip())
    row.get_by_role("button", name="Show less").click()
    assert row.bounding_box()["height"] == low


def test_a_text_of_100_kilobytes_leaves_the_layout_alone(show: Any) -> None:
    """What is beyond the longest fact comes when it is asked for."""
    table = show(f"## Dump\n\n{'word ' * 20_000}END\n\n## Other\n")
    assert table.row("Dump").bounding_box()["height"] < 250
    table.do("Dump", "expand")
    expect(table.row("Dump").locator(".mm-whole")).to_have_text(re.compile("END$"))
    assert table.row("Dump").bounding_box()["height"] < 500


def test_a_text_from_right_to_left_stays_in_its_cell(show: Any) -> None:
    """The id beside it and the rest of the row stand as they do elsewhere."""
    table = show(
        "## אבג \u202e דהו\n<!-- id: m-000001 -->\n\nשלום 12 (abc)\n\n## Latin\n<!-- id: m-000002 -->\n\ntext\n"
    )
    places = [
        [
            box["x"]
            for box in (row.locator(part).bounding_box() for part in (".mm-when button", ".mm-place", ".mm-fact"))
        ]
        for row in (table.rows.nth(0), table.rows.nth(1))
    ]
    assert places[0] == places[1]
    expect(table.rows.nth(0).locator(".mm-when button")).to_have_text("m-000001")
    text = table.rows.nth(0).locator("[data-field=body]")
    assert text.evaluate("(text) => getComputedStyle(text).unicodeBidi") == "plaintext"


@pytest.mark.parametrize("width", [600, 690, 720, 870, 1000, 1240])
def test_columns_fit(show: Any, width: int) -> None:
    """From 600 pixels on nothing is cut off, nothing has to be scrolled, and no two cells overlap."""
    table = show(FACTS)
    table.root.evaluate(f"(root) => {{ root.style.width = '{width}px'; root.style.maxWidth = 'none'; }}")
    scroll = table.root.locator(".mm-scroll")
    assert scroll.evaluate("(scroll) => scroll.scrollWidth - scroll.clientWidth") <= 0
    cells = [cell.bounding_box() for cell in table.row("Production").locator("td").all() if cell.is_visible()]
    right = scroll.bounding_box()["x"] + scroll.bounding_box()["width"]
    assert all(box["x"] + box["width"] <= right + 1 for box in cells)
    for one in cells:
        for other in cells:
            apart = one["x"] + one["width"] <= other["x"] + 1 or one["y"] + one["height"] <= other["y"] + 1
            assert one is other or apart or other["x"] < one["x"] or other["y"] < one["y"]


def test_the_filter_narrows_as_one_types(show: Any) -> None:
    """Over all text of a fact, all words; the count says how many of how many; Escape shows all again."""
    table = show(FACTS)
    for words, titles in (("LOG atlas", ["Production"]), ("run", ["Production", "Release checklist"]), ("zzz", [])):
        table.filter.fill(words)
        expect(table.rows).to_have_count(len(titles))
        expect(table.count).to_have_text(f"{len(titles)} of 3")
        assert table.titles() == titles
    expect(table.root.get_by_text("No fact matches the filter")).to_be_visible()
    table.filter.press("Escape")
    expect(table.count).to_have_text("3 facts")


def test_chips_narrow_by_category_and_by_state(show: Any) -> None:
    """Several categories add up; a state narrows further; a chip tells how many and whether it is on."""
    table = show(FACTS)
    for chip, count in (("technical 1", 1), ("projects 1", 2), ("expired 1", 1)):
        table.button(chip).click()
        expect(table.button(chip)).to_have_attribute("aria-pressed", "true")
        expect(table.count).to_have_text(f"{count} of 3")
    assert table.titles() == ["Staging is read-only"]
    table.button("expired 1").click()
    table.button("to look at 1").click()
    expect(table.count).to_have_text("0 of 3")


SORTED = {
    "title": ["Production", "Release checklist", "Staging is read-only"],
    "text": ["Release checklist", "Production", "Staging is read-only"],
    "category": ["Release checklist", "Staging is read-only", "Production"],
    "key": ["Production", "Staging is read-only", "Release checklist"],
    "confidence": ["Production", "Release checklist", "Staging is read-only"],
    "expires": ["Staging is read-only", "Production", "Release checklist"],
    "source": ["Staging is read-only", "Release checklist", "Production"],
    "context": ["Production", "Staging is read-only", "Release checklist"],
    "scope": ["Staging is read-only", "Release checklist", "Production"],
}


def test_every_column_sorts_both_ways(show: Any) -> None:
    """A screen reader hears by which, and in which direction."""
    table = show(FACTS)
    for field, titles in SORTED.items():
        sort = table.root.locator(f"[data-sort={field}]")
        sort.click()
        way = "descending" if field == "confidence" else "ascending"
        expect(table.root.locator(f"th[aria-sort={way}]")).to_have_count(1)
        assert table.titles() == titles, field
        sort.click()
        expect(table.root.locator(f"th[aria-sort={way}]")).to_have_count(0)
    table.root.locator("[data-sort=updated]").click()
    assert table.titles()[0] == "Production"


def test_fifty_to_a_page(show: Any) -> None:
    """However many facts there are, the page has no more rows than that."""
    table = show("".join(f"## nr-{number:03}\n\n" for number in range(120)))
    expect(table.rows).to_have_count(50)
    expect(table.root.get_by_text("1–50 of 120")).to_be_visible()
    for _ in range(2):
        table.button("Next page").click()
    expect(table.button("Next page")).to_have_attribute("aria-disabled", "true")
    expect(table.root.get_by_text("101–120 of 120")).to_be_visible()
    assert table.titles() == [f"nr-{number:03}" for number in range(100, 120)]
    table.filter.fill("nr-00")
    expect(table.root.get_by_text("1–10 of 10")).to_be_visible()


def test_the_table_opens_filtered_by_the_words_of_the_line(show: Any) -> None:
    """%memory table WORDS."""
    table = show(FACTS, "staging")
    expect(table.filter).to_have_value("staging")
    expect(table.count).to_have_text("1 of 3")


def test_an_empty_memory_says_how_to_begin(show: Any) -> None:
    """No file is made by looking."""
    table = show()
    expect(table.root.get_by_text("write the first fact above")).to_be_visible()
    assert not table.notebook.memory.exists()


def test_an_id_can_be_copied(show: Any) -> None:
    """To write it elsewhere."""
    table = show(FACTS)
    table.do("Production", "copy")
    expect(table.message).to_have_text("Copied m-000001")
    assert table.page.evaluate("navigator.clipboard.readText()") == "m-000001"
