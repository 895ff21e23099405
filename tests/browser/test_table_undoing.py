"""The table in JupyterLab: forgetting, confirming, undo for each change, and all of it by keyboard."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

FACTS = """
## Likes tea
<!-- id: m-000001 · created: 2026-01-01T00:00:00Z · updated: 2026-01-02T00:00:00Z · category: preferences · key: drink · confidence: 60 · expires: 2099-01-01 -->

Green only

## Uses pnpm
<!-- id: m-000002 · created: 2026-01-01T00:00:00Z · updated: 2026-01-01T00:00:00Z -->
"""


def test_one_is_forgotten_and_undone(show: Any, until: Any) -> None:
    """Undo is right there, and gives the file back byte for byte; redo forgets it again."""
    table = show(FACTS)
    table.do("Uses pnpm", "forget")
    expect(table.message).to_have_text("Forgot “Uses pnpm”")
    expect(table.rows).to_have_count(1)
    assert "pnpm" not in table.text
    table.button("Undo").click()
    expect(table.rows).to_have_count(2)
    assert table.text == FACTS
    table.button("Redo").click()
    expect(table.rows).to_have_count(1)
    assert "pnpm" not in table.text
    table.button("Undo").click()
    until(lambda: table.text == FACTS)


def test_the_selected_ones_are_forgotten_together(show: Any) -> None:
    """In one change, which one undo takes back; rows that a filter hides are not selected any more."""
    table = show(FACTS + "\n## Third\n<!-- id: m-000003 -->\n")
    table.root.get_by_label("Select all on this page").check()
    expect(table.button("Forget 3 selected")).to_be_visible()
    table.filter.fill("i")
    table.filter.fill("e")
    table.filter.fill("s ")
    table.filter.fill("likes")
    expect(table.button("Forget 1 selected")).to_be_visible()
    table.filter.fill("")
    table.row("Uses pnpm").get_by_role("checkbox").check()
    table.button("Forget 2 selected").click()
    expect(table.message).to_have_text("Forgot 2 facts")
    expect(table.rows).to_have_count(1)
    table.button("Undo").click()
    expect(table.rows).to_have_count(3)
    assert table.text == FACTS + "\n## Third\n<!-- id: m-000003 -->\n"


def test_a_fact_is_confirmed_and_that_is_undone(show: Any, until: Any) -> None:
    """Still true: the time is noted, the expiry moves on."""
    table = show(FACTS)
    table.do("Likes tea", "confirm")
    expect(table.message).to_have_text("Still true: “Likes tea”")
    assert "confirmed: " in table.text
    assert "expires: 2099-01-01 " not in table.text
    table.button("Undo").click()
    until(lambda: table.text == FACTS)


def test_undo_goes_back_through_all_changes_made_here(show: Any, until: Any) -> None:
    """Each of them, one after the other, and none of anybody else's in between."""
    table = show(FACTS)
    table.edit("Likes", "confidence", "10")
    expect(table.value("Likes", "confidence")).to_contain_text("10 %")
    table.notebook.kernel("from memory_magic import Store; Store().remember('by another hand')")
    expect(table.row("by another hand")).to_have_count(1)
    table.do("Uses pnpm", "forget")
    expect(table.row("Uses pnpm")).to_have_count(0)
    table.note.fill("third change")
    table.note.press("Enter")
    expect(table.row("third change")).to_have_count(1)
    for gone in ("third change", None, None):
        table.button("Undo").click()
        if gone:
            expect(table.row(gone)).to_have_count(0)
    until(lambda: table.text.endswith(FACTS))
    assert "by another hand" in table.text
    expect(table.button("Undo")).to_have_attribute("aria-disabled", "true")


def test_an_undo_that_would_lose_what_came_later_is_refused(show: Any) -> None:
    """The fact has changed again, by somebody else: it is said, and the file stays."""
    table = show(FACTS)
    table.edit("Likes", "body", "Mine")
    expect(table.value("Likes", "body")).to_have_text("Mine")
    table.notebook.memory.write_text(table.text.replace("Mine", "Theirs"))
    expect(table.value("Likes", "body")).to_have_text("Theirs")
    data = table.text
    table.button("Undo").click()
    expect(table.message).to_contain_text("has changed again since")
    assert table.text == data


def test_everything_is_done_by_keyboard_alone(show: Any, until: Any) -> None:
    """Add, edit, forget, undo, from the field that adds on; the focus is never lost."""
    table = show(FACTS)
    press, type_ = table.page.keyboard.press, table.page.keyboard.type
    table.note.focus()
    type_("by keyboard")
    press("Enter")
    expect(table.rows).to_have_count(3)
    while not table.page.evaluate("document.activeElement.closest('tbody')"):
        press("Tab")
    expect(table.value("by keyboard", "body")).to_be_focused()
    press("Enter")
    type_("by hand")
    press("Enter")
    expect(table.value("by hand", "body")).to_be_focused()
    press("ArrowDown")
    expect(table.value("Likes tea", "body")).to_be_focused()
    for _ in range(8):
        press("ArrowRight")
    expect(table.row("Likes tea").locator("[data-action=forget]")).to_be_focused()
    press("Enter")
    expect(table.row("Likes tea")).to_have_count(0)
    expect(table.row("Uses pnpm").locator("[data-action=forget]")).to_be_focused()
    assert "Likes tea" not in table.text
    while table.page.evaluate("document.activeElement.textContent") != "Undo":
        press("Shift+Tab")
    press("Enter")
    expect(table.row("Likes tea")).to_have_count(1)
    expect(table.button("Undo")).to_be_focused()
    until(lambda: table.text.endswith(FACTS))
    assert "by hand" in table.text
