"""The table in Notebook 7: adding, editing, forgetting, undo; the file is looked at after each."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

FACTS = "\n## Likes tea\n<!-- id: m-000001 -->\n\nGreen only\n"


def test_the_table_works_in_notebook_7(notebook7: Any, until: Any) -> None:
    """As in JupyterLab: one widget, one module."""
    table = notebook7.show_in_notebook7(FACTS)
    table.note.fill("prefers dark mode")
    table.note.press("Enter")
    expect(table.row("prefers dark mode")).to_have_count(1)
    assert "## prefers dark mode\n" in table.text
    table.edit("Likes tea", "body", "Oolong")
    expect(table.value("Likes tea", "body")).to_have_text("Oolong")
    assert "\nOolong\n" in table.text
    cells = table.notebook.ids()
    table.row("Likes tea").locator("[data-action=forget]").focus()
    for key in ("x", "a", "b", "d", "d", "j"):
        table.page.keyboard.press(key)
    assert table.notebook.ids() == cells
    table.do("Likes tea", "forget")
    expect(table.row("Likes tea")).to_have_count(0)
    assert "Likes tea" not in table.text
    for _ in range(3):
        table.button("Undo").click()
    expect(table.rows).to_have_count(1)
    until(lambda: table.text == FACTS)
