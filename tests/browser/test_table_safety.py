"""The table in JupyterLab: texts that want to be HTML, the notebook's own keys, what a notebook keeps, accessibility."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from memory_magic import Store

XSS = (
    "<script>window.__xss = 1</script>",
    "<img src=x onerror=window.__xss=1>",
    "</td><script>window.__xss=1</script>",
    "<svg onload=window.__xss=1>",
    "javascript:window.__xss=1",
    "$x^2$ \\(y\\)",
)


def encoded(text: str) -> str:
    return text.replace("%", "%25").replace("<", "%3C").replace(">", "%3E")


HOSTILE = "\n".join(
    f"## {text}\n<!-- id: m-00000{number} · category: {encoded(text)} · key: {encoded(text)} · source: {encoded(text)}"
    f" · context: {encoded(text)} · scope: {encoded(text)} -->\n\nbody {text}\n"
    for number, text in enumerate(XSS)
)
FACTS = """
## Likes tea
<!-- id: m-000001 · updated: 2026-01-02T00:00:00Z · category: preferences · key: drink · expires: 2020-01-01 -->

Green only

## Uses pnpm
<!-- id: m-000002 · confidence: 150 -->
"""


def test_text_is_never_html(show: Any) -> None:
    """In every field, as it stands in the file, as a label, in the filter's chips, in messages."""
    table = show(HOSTILE)
    for number, text in enumerate(XSS):
        row = table.rows.filter(has_text=f"m-00000{number}")
        expect(row.locator(".mm-title")).to_have_text(text)
        expect(row.locator(".mm-body")).to_have_text(f"body {text}")
        expect(row.locator("[data-field=category]")).to_have_text(text)
        expect(row.locator(".mm-from")).to_contain_text(text)
    table.row("m-000000").locator("[data-action=forget]").click()
    expect(table.message).to_contain_text("Forgot “<script>")
    assert table.root.locator("script, img, svg:not([viewBox]), mjx-container").count() == 0


@pytest.mark.parametrize("text", XSS)
def test_typed_text_is_never_html(show: Any, text: str) -> None:
    """Added, edited, refused, and shown beside another value in a conflict."""
    table = show()
    table.note.fill(text)
    table.note.press("Enter")
    expect(table.row(text)).to_have_count(1)
    table.edit(text, "key", text)
    expect(table.root.locator(".mm-editor-key .mm-problem")).to_be_visible()
    table.control("key").press("Escape")
    table.value(text, "body").click()
    table.control("body").fill(f"mine {text}")
    Store(table.notebook.memory).amend(Store(table.notebook.memory).facts()[0].id, body=f"theirs {text}")
    table.control("body").press("Enter")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text(f"In the file: theirs {text}")
    assert table.root.locator("script, img, svg:not([viewBox])").count() == 0


def test_the_notebooks_keys_edit_no_cell(show: Any) -> None:
    """x, a, b, d d, j, Enter and Escape in every control: the cells are those that they were."""
    table = show(FACTS)
    table.button("More fields").click()
    table.value("Likes", "expires").click()
    cells = table.notebook.ids()
    controls = table.root.locator(":is(button, input, select, textarea):visible").element_handles()
    assert len(controls) > 45
    for control in controls:
        control.evaluate("(control) => control.focus()")  # leaving the open field closes it
        for key in ("x", "a", "b", "d", "d", "j"):
            table.page.keyboard.press(key)
        assert table.notebook.ids() == cells
    table.filter.fill("")
    for field in ("title", "body", "category", "key", "confidence", "expires"):
        table.value("Likes", field).focus()
        for key in ("Enter", "x", "a", "b", "Escape", "d", "d", "j", "Escape"):
            table.page.keyboard.press(key)
        assert table.notebook.ids() == cells
    for control in (table.note, table.filter, table.button("Add"), table.button("Next page"), table.button("Undo")):
        control.focus()
        for key in ("Enter", "Escape", "Escape", "Enter"):
            table.page.keyboard.press(key)
        assert table.notebook.ids() == cells


def test_a_saved_notebook_holds_one_line_and_no_fact(show_alone: Any) -> None:
    """With the state of its widgets, too; opened again with a new kernel, the line says how to get the table."""
    table = show_alone(FACTS)
    table.note.fill("typed into the table")
    table.note.press("Enter")
    expect(table.rows).to_have_count(3)
    notebook = table.notebook
    table.page.evaluate("async () => { await window.jupyterapp.commands.execute('docmanager:save'); }")
    saved = (notebook.server.folder / notebook.name).read_text()
    for text in ("Green only", "Likes tea", "pnpm", "typed into the table", "m-000001"):
        assert text not in saved
    line = "2 facts in the memory. If no table is below, run this cell again"
    outputs = json.loads(saved)["cells"][1]["outputs"]
    assert ["".join(output["data"]["text/plain"]) for output in outputs] == [line, "The table of the memory"]
    assert "application/vnd.jupyter.widget-state+json" in json.loads(saved)["metadata"]["widgets"]
    notebook.close()
    notebook.reopen()
    panel = table.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    expect(panel.get_by_text(line)).to_be_visible()
    expect(panel.get_by_text("Green only")).to_have_count(0)


def test_an_exported_notebook_shows_what_was_meant_to_be_in_it(show_alone: Any, browser: Any, tmp_path: Path) -> None:
    """The line for the table; for --static the facts, as text; and the page is intact."""
    from nbconvert import HTMLExporter

    table = show_alone(HOSTILE)
    table.notebook.run("%memory table --static")
    expect(table.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .memory-magic table")).to_have_count(1)
    table.page.evaluate("async () => { await window.jupyterapp.commands.execute('docmanager:save'); }")
    html, _ = HTMLExporter(embed_images=False).from_filename(str(table.notebook.server.folder / table.notebook.name))
    context = browser.new_context()
    context.route("**/*", lambda route: route.abort())
    page = context.new_page()
    page.set_content(html)
    expect(page.get_by_text("6 facts in the memory. If no table is below, run this cell again")).to_be_visible()
    for text in XSS[:5]:
        expect(page.get_by_text(f"body {text}")).to_be_visible()
    assert page.evaluate("window.__xss") is None
    context.close()


def test_an_edit_is_there_when_the_cell_is_run_again(show_alone: Any, until: Any) -> None:
    """And in a second view of the same widget; the first one's thread has ended with its view."""
    table = show_alone(FACTS)
    table.edit("Likes", "body", "Oolong")
    expect(table.value("Likes", "body")).to_have_text("Oolong")
    table.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    expect(table.value("Likes", "body")).to_have_text("Oolong")
    table.notebook.run("import memory_magic, threading\nw = memory_magic.table()\ndisplay(w, w)")
    expect(table.root).to_have_count(3)
    for place in range(3):
        expect(table.root.nth(place).locator("tr", has_text="Oolong")).to_have_count(1)
    table.root.nth(1).get_by_label("A fact to remember").fill("seen by all")
    table.root.nth(1).get_by_label("A fact to remember").press("Enter")
    for place in range(3):
        expect(table.root.nth(place).locator("tr", has_text="seen by all")).to_have_count(1)
    alive = "sum(thread.name == 'memory_magic table' for thread in threading.enumerate())"
    until(lambda: table.notebook.kernel("", alive) == "2")


CHECK = """async () => {
  const root = [...document.querySelectorAll(".memory-magic-table")].find((one) => one.getClientRects().length);
  const found = await axe.run(root, {resultTypes: ["violations"]});
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}"""
PLANT = """() => {
  const root = [...document.querySelectorAll(".memory-magic-table")].find((one) => one.getClientRects().length);
  root.insertAdjacentHTML("beforeend",
    '<div class="planted"><p style="color:#999;background:#aaa">pale</p><input><button></button></div>');
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_there_is_no_violation_of_accessibility(show: Any, theme: str) -> None:
    """By axe-core, contrast included, with everything open that can be; planted faults are found by the same run."""
    table = show(FACTS)
    page = table.page
    page.evaluate(
        "async (theme) => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme}); }", theme
    )
    try:
        expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)
        page.add_style_tag(content="html, body { height: 100vh !important }")  # else contrast is never looked at
        page.evaluate(AXE_SCRIPT)
        assert page.evaluate(CHECK) == []
        table.button("More fields").click()
        table.root.get_by_label("Select all on this page").check()
        table.button("expired 1").click()
        table.edit("Likes", "key", "Not A Key")
        expect(table.root.locator(".mm-problem:visible")).to_be_visible()
        table.value("Likes", "expires").click()
        table.note.fill("é" * 501)
        table.note.press("Enter")
        expect(table.root.locator(".mm-add .mm-problem")).to_be_visible()
        assert page.evaluate(CHECK) == []
        page.evaluate(PLANT)
        found = "\n".join(page.evaluate(CHECK))
        assert all(f"{fault}: " in found for fault in ("color-contrast", "label", "button-name"))
    finally:
        page.evaluate(
            "async () => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'}); }"
        )
