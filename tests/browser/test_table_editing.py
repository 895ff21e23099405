"""The table in JupyterLab: adding and editing; the file is looked at after each."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

FACTS = """
## Likes tea
<!-- id: m-000001 · created: 2026-01-01T00:00:00Z · updated: 2026-01-02T00:00:00Z · category: preferences · key: drink · confidence: 60 · expires: 2099-01-01 -->

Green only

## Uses pnpm
<!-- id: m-000002 · created: 2026-01-01T00:00:00Z · updated: 2026-01-01T00:00:00Z -->
"""
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def day(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%d")


def test_a_fact_is_typed_and_enter_pressed(show: Any) -> None:
    """It is in the file, on top of the table, and the field is ready for the next."""
    table = show(FACTS)
    table.note.fill("prefers dark mode")
    table.note.press("Enter")
    expect(table.message).to_have_text("Remembered “prefers dark mode”")
    expect(table.note).to_have_value("")
    expect(table.rows).to_have_count(3)
    assert table.titles()[0] == "prefers dark mode"
    assert re.search(r"## prefers dark mode\n<!-- .*source: user_explicit · confidence: 90 -->", table.text)


def test_the_other_fields_are_a_disclosure_away(show: Any) -> None:
    """Every field that a new fact can have."""
    table = show()
    table.button("More fields").click()
    fields = {"Title": "Host", "Key": "host", "Confidence": "40", "Expires": "2099-05-05", "Context": "seen"}
    for name, value in fields.items():
        table.root.get_by_label(name, exact=True).fill(value)
    table.root.get_by_label("Category", exact=True).select_option("technical")
    table.root.get_by_label("Scope", exact=True).fill("project:atlas")
    table.note.fill("in the cellar")
    table.button("Add").click()
    expect(table.row("Host")).to_contain_text("in the cellar")
    written = "category: technical · key: host · source: user_explicit · confidence: 40 · expires: 2099-05-05"
    assert f"{written} · context: seen · scope: project:atlas" in table.text
    assert "## Host\n" in table.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to remember"),
        ("é" * 501, "The note has 501 characters; 500 are allowed here"),
        (f"the token is {GITHUB}", "looks like it holds a GitHub token"),
    ],
    ids=["empty", "long", "secret"],
)
def test_what_cannot_be_added_is_explained_and_kept(show: Any, text: str, words: str) -> None:
    """Under the field; the text stays there to be corrected, the file as it was."""
    table = show(FACTS)
    table.note.fill(text)
    table.note.press("Enter")
    expect(table.root.locator(".mm-add .mm-problem")).to_contain_text(words)
    expect(table.root.get_by_role("alert").last).to_contain_text(words)
    expect(table.note).to_have_value(text)
    assert table.text == FACTS


@pytest.mark.parametrize(
    ("field", "typed", "written"),
    [
        ("title", "Likes coffee", "## Likes coffee\n"),
        ("body", "Black only", "\nBlack only\n"),
        ("category", "profile", "category: profile"),
        ("key", "hot_drink", "key: hot_drink"),
        ("confidence", "0", "confidence: 0"),
        ("expires", "2098-12-31", "expires: 2098-12-31"),
    ],
)
def test_each_field_is_edited_where_it_stands(show: Any, until: Any, field: str, typed: str, written: str) -> None:
    """Saved on Enter; of the file that field alone changes, and the time; undo brings the old value back."""
    table = show(FACTS)
    table.edit("Likes", field, typed)
    expect(table.message).to_contain_text("Saved the")
    assert written in table.text
    assert table.text.endswith(FACTS[FACTS.index("## Uses pnpm") :])
    expect(table.control(field)).to_have_count(0)
    expect(table.value("Likes", field)).to_be_focused()
    table.button("Undo").click()
    until(lambda: table.text == FACTS)


def test_a_text_has_several_lines(show: Any) -> None:
    """Shift and Enter begin a new one."""
    table = show(FACTS)
    table.value("Likes", "body").click()
    table.page.keyboard.type("Green")
    table.page.keyboard.press("Shift+Enter")
    table.page.keyboard.type("## or black")
    table.page.keyboard.press("Enter")
    expect(table.value("Likes", "body")).to_have_text("Green\n## or black")
    assert "\nGreen\n\\## or black\n" in table.text


def test_leaving_a_field_saves_and_escape_takes_back(show: Any) -> None:
    """As one is used to."""
    table = show(FACTS)
    table.edit("Likes", "title", "Never mind", "Escape")
    expect(table.value("Likes", "title")).to_have_text("Likes tea")
    expect(table.value("Likes", "title")).to_be_focused()
    assert table.text == FACTS
    table.value("Likes", "title").click()
    table.control("title").fill("Likes coffee")
    table.filter.click()
    expect(table.message).to_contain_text("Saved the title")
    expect(table.filter).to_be_focused()
    assert "## Likes coffee\n" in table.text


def test_a_field_that_was_only_looked_at_writes_nothing(show: Any) -> None:
    """Not even the time of the fact."""
    table = show(FACTS)
    for field in ("title", "body", "category", "key", "confidence", "expires"):
        table.value("Likes", field).click()
        table.control(field).press("Enter")
        expect(table.control(field)).to_have_count(0)
    assert table.text == FACTS


@pytest.mark.parametrize(("preset", "days"), [("in 7 days", 7), ("in 30 days", 30), ("never", None)])
def test_an_expiry_is_chosen_by_what_is_meant(show: Any, preset: str, days: int | None) -> None:
    """So many days from now, or never; an empty day is never, too."""
    table = show(FACTS)
    table.value("Likes", "expires").click()
    table.button(preset).click()
    expect(table.value("Likes", "expires")).to_have_text(preset)
    stands = f"expires: {day(days)}" in table.text if days else "expires" not in table.text.split("##")[1]
    assert stands


def test_an_emptied_day_means_never(show: Any) -> None:
    """The day is cleared on purpose; a day half typed is not."""
    table = show(FACTS)
    table.value("Likes", "expires").click()
    table.control("expires").press("Delete")
    table.control("expires").press("Enter")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text("day is not complete")
    assert table.text == FACTS
    table.control("expires").fill("")
    table.control("expires").press("Enter")
    expect(table.value("Likes", "expires")).to_have_text("never")
    assert "expires" not in table.text


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("confidence", "101", "confidence must be a whole number from 0 to 100"),
        ("confidence", "", "confidence must be a number"),
        ("key", "Server-IP", "key must be a lower-case letter"),
        ("title", " ", "title is empty"),
        ("title", "x" * 121, "121 characters"),
        ("body", f"token {GITHUB}", "GitHub token"),
        ("expires", "9999-01-01", "not a time that exists"),
    ],
)
def test_an_invalid_value_is_explained_under_its_field(show: Any, field: str, typed: str, words: str) -> None:
    """Announced, too; what was typed stays to be corrected, the old value stays in the file."""
    table = show(FACTS)
    table.edit("Likes", field, typed)
    control = table.control(field)
    problem = table.root.locator(f".mm-editor-{field} .mm-problem")
    expect(problem).to_contain_text(words)
    expect(table.root.get_by_role("alert").last).to_contain_text(words)
    expect(control).to_have_attribute("aria-invalid", "true")
    assert problem.get_attribute("id") in (control.get_attribute("aria-describedby") or "").split()
    assert table.text == FACTS
    table.filter.click()
    expect(control).to_have_value(typed)
    control.press("Escape")
    assert table.text == FACTS


def test_letters_are_no_confidence(show: Any) -> None:
    """What a number field does not take as a number is not an empty one."""
    table = show(FACTS)
    table.value("Likes", "confidence").click()
    table.page.keyboard.type("1e")
    table.page.keyboard.press("Enter")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text("not a number")
    assert table.text == FACTS


def test_a_category_by_hand_is_shown_and_kept(show: Any) -> None:
    """Until another one is chosen."""
    table = show("## Wiki page\n<!-- id: m-000001 · category: wiki -->\n")
    table.value("Wiki", "category").click()
    expect(table.control("category").locator("option").first).to_have_text("wiki (not a category)")
    table.control("category").press("Enter")
    assert "category: wiki" in table.text
    table.edit("Wiki", "category", "other")
    expect(table.value("Wiki", "category")).to_have_text("other")
    assert "category" not in table.text


def test_a_fact_of_one_text_is_edited_as_one(show: Any) -> None:
    """Its title was the beginning of the text, and follows it; a title of its own can be given."""
    table = show()
    table.note.fill("likes green tea")
    table.note.press("Enter")
    table.edit("likes green tea", "body", "likes black tea")
    expect(table.row("likes black tea")).to_have_count(1)
    assert "## likes black tea\n" in table.text
    assert "green" not in table.text
    table.row("likes black tea").hover()
    table.edit("likes black tea", "title", "Drink")
    expect(table.value("Drink", "title")).to_have_text("Drink")
    assert re.search(r"## Drink\n.*\n\nlikes black tea\n", table.text)


def test_a_secret_is_masked_and_never_written_as_the_mask(show: Any) -> None:
    """Its other fields can be edited; its text can only be replaced as a whole, and is in no element of the page."""
    memory = "## Wifi password\n<!-- id: m-000001 -->\n\nhunter2\n"
    table = show(memory)
    expect(table.value("Wifi", "body")).to_have_text("•••")
    table.edit("Wifi", "confidence", "95")
    expect(table.message).to_contain_text("Saved the confidence")
    assert "\nhunter2\n" in table.text
    table.value("Wifi", "body").click()
    expect(table.control("body")).to_have_value("")
    expect(table.root.get_by_text("It holds a secret and is not shown")).to_be_visible()
    assert "hunter2" not in table.page.content()
    table.control("body").press("Enter")
    assert "\nhunter2\n" in table.text
    table.edit("Wifi", "body", "is in the vault")
    expect(table.value("Wifi", "body")).to_have_text("is in the vault")
    assert "hunter2" not in table.text


def test_a_text_with_control_characters_is_edited_as_it_stands(show: Any) -> None:
    """Spelled out where it is shown; what is saved is what was in the file and what was typed."""
    table = show("## Odd\n<!-- id: m-000001 -->\n\nab\u202ecd\n")
    expect(table.value("Odd", "body")).to_have_text("ab\\u202ecd")
    table.value("Odd", "body").click()
    table.control("body").press("End")
    table.page.keyboard.type("!")
    table.page.keyboard.press("Enter")
    expect(table.value("Odd", "body")).to_have_text("ab\\u202ecd!")
    assert "\nab\u202ecd!\n" in table.text
