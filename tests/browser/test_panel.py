"""The panel in JupyterLab and in Notebook 7: opened from the menu, used by hand, and followed by its file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from browsing import Server, Window
from pages import Notebook, Table
from playwright.sync_api import expect

PANEL = ".memory-magic-panel"
FACTS = """
## Likes tea
<!-- id: m-000001 · updated: 2026-01-02T00:00:00Z · category: preferences · scope: project:atlas -->

Green only

## Uses pnpm
<!-- id: m-000002 · confidence: 30 · expires: 2020-01-01 -->
"""
THEME = "async (theme) => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme}); }"


@pytest.fixture
def memory_of(server: Server, tmp_path: Path) -> Iterator[Path]:
    """Give the memory file that the server finds in its settings: one for each test."""
    memory = tmp_path / "MEMORY.md"
    memory.write_text(f"{FACTS}\n## {tmp_path.name}\n<!-- id: m-000003 -->\n", "utf-8")
    settings = server.home / "jupyter_config_dir" / "memory_magic_config.json"
    settings.write_text(json.dumps({"MemoryMagics": {"path": str(memory)}}))
    yield memory
    settings.unlink()


def opened(window: Window, server: Server, memory: Path) -> Table:
    """Open the panel from the View menu, and wait until it shows this memory."""
    window.page.get_by_role("menubar").get_by_text("View", exact=True).click()
    window.page.get_by_role("menuitem", name="Memory", exact=True).click()
    table = Table(Notebook(window, server, memory), window.page.locator(f"{PANEL} .memory-magic-table"))
    expect(table.row(memory.parent.name)).to_have_count(1)
    return table


@pytest.fixture
def panel(lab: Window, server: Server, memory_of: Path) -> Iterator[Table]:
    """Give the panel in JupyterLab, open; afterwards it is closed, and nothing may have gone wrong."""
    yield opened(lab, server, memory_of)
    lab.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    lab.check()


@pytest.fixture
def fresh(browser: Any) -> Iterator[Window]:
    """Give a window of its own, in which nothing is loaded yet."""
    window = Window(browser, "about:blank")
    yield window
    window.context.close()


def load(window: Window, server: Server, page: str = "lab") -> None:
    window.page.goto(f"{server.url}/{page}?token={server.token}")
    window.page.wait_for_function("() => window.jupyterapp?.restored", timeout=60_000)
    window.page.evaluate("() => window.jupyterapp.restored.then(() => {})")


def walk(table: Table, until: Callable[[Callable[[], bool]], None]) -> None:
    """Add, filter, edit, forget and undo, and look at the file after each."""
    before = table.text
    expect(table.note).to_be_focused()
    table.page.keyboard.type("prefers dark mode")
    table.page.keyboard.press("Enter")
    expect(table.rows).to_have_count(4)
    assert "## prefers dark mode\n" in table.text
    table.filter.fill("ATLAS tea")
    expect(table.rows).to_have_count(1)
    expect(table.row("Likes tea").locator(".mm-scope")).to_have_text("project:atlas")
    table.edit("Likes tea", "body", "Oolong")
    expect(table.value("Likes tea", "body")).to_have_text("Oolong")
    assert "\nOolong\n" in table.text
    table.do("Likes tea", "forget")
    expect(table.rows).to_have_count(0)
    assert "Likes tea" not in table.text
    table.filter.press("Escape")
    for _ in range(3):
        table.button("Undo").click()
    expect(table.rows).to_have_count(3)
    until(lambda: table.text == before)


def test_a_fact_is_added_found_edited_forgotten_and_brought_back(panel: Table, until: Any) -> None:
    """In JupyterLab, opened from the menu: the field for a new fact has the focus."""
    walk(panel, until)


@pytest.mark.parametrize("page", ["tree", "notebook"])
def test_it_works_in_notebook_7(fresh: Window, server: Server, memory_of: Path, until: Any, page: str) -> None:
    """The same, beside a notebook and in the list of files, where there is no kernel."""
    notebook = Notebook(fresh, server, memory_of)
    notebook.write()
    load(fresh, server, "tree" if page == "tree" else f"notebooks/{notebook.name}")
    walk(opened(fresh, server, memory_of), until)
    fresh.check()


def test_each_fact_shows_its_scope_and_its_date(panel: Table) -> None:
    """In a panel of 250 pixels nothing is cut off; the date in full is a tooltip."""
    row = panel.row("Likes tea")
    expect(row.get_by_text("project:atlas", exact=True)).to_be_visible()
    expect(panel.row("Uses pnpm").get_by_text("global", exact=True)).to_be_visible()
    expect(row.locator(".mm-updated")).to_be_visible()
    expect(row.locator(".mm-updated")).to_have_attribute("title", "updated 2026-01-02 00:00 UTC")
    expect(row.locator(".mm-confidence")).to_be_hidden()
    wide = panel.page.locator(PANEL).evaluate("(panel) => panel.scrollWidth - panel.clientWidth")
    assert wide <= 0
    right = panel.root.bounding_box()["x"] + panel.root.bounding_box()["width"]
    for part in panel.root.locator("button:visible, input:visible, textarea:visible").all():
        box = part.bounding_box()
        assert box["x"] + box["width"] <= right


def test_what_a_kernel_remembers_appears_by_itself(panel: Table, notebook: Any) -> None:
    """Without a reload, as does what somebody writes into the file."""
    notebook.memory = panel.notebook.memory
    notebook.open("%remember --scope project:atlas the staging database is read-only on Sundays")
    row = panel.row("the staging database is read-only on Sundays")
    expect(row).to_have_count(1)
    notebook.memory.write_text(panel.text.replace("Green only", "Black, too"))
    expect(panel.value("Likes tea", "body")).to_have_text("Black, too")
    panel.do("staging database", "forget")
    expect(row).to_have_count(0)
    assert "staging database" not in notebook.kernel("import memory_magic", "str(memory_magic.Store().facts())")


def test_what_is_typed_survives_a_change_of_the_file(panel: Table) -> None:
    """A fact that is edited here and changed elsewhere: both values are shown, and nothing is lost."""
    panel.value("Likes tea", "body").click()
    panel.control("body").fill("Mine")
    panel.notebook.memory.write_text(panel.text.replace("Green only", "Theirs"))
    hint = panel.root.locator(".mm-editor .mm-hint")
    expect(hint).to_have_text("Changed elsewhere meanwhile; in the file now: Theirs")
    panel.control("body").press("Enter")
    expect(panel.root.locator(".mm-problem:visible")).to_contain_text("In the file: Theirs")
    panel.button("Save mine").click()
    expect(panel.value("Likes tea", "body")).to_have_text("Mine")
    assert "\nMine\n" in panel.text


def test_settings_choose_what_is_shown(panel: Table) -> None:
    """From the Settings menu: a field of the facts appears in the panel as it is ticked."""
    panel.page.get_by_role("menubar").get_by_text("Settings", exact=True).click()
    panel.page.get_by_role("menuitem", name="Memory Settings…").click()
    box = panel.page.get_by_label("Show the confidence")
    box.check()
    expect(panel.row("Uses pnpm").locator(".mm-confidence")).to_be_visible()
    box.uncheck()
    expect(panel.row("Uses pnpm").locator(".mm-confidence")).to_be_hidden()
    expect(panel.page.locator(".jp-SettingsForm .validationErrors li")).to_have_count(0)
    panel.page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")


def test_the_palette_opens_it(lab: Window, server: Server, memory_of: Path) -> None:
    """By its name, as any command."""
    lab.page.evaluate("() => { window.jupyterapp.commands.execute('apputils:activate-command-palette'); }")
    lab.page.locator(".lm-CommandPalette-input").fill("memory")
    lab.page.locator(".lm-CommandPalette-item[data-command='memory-magic:open']").click()
    expect(lab.page.locator(f"{PANEL} tbody tr", has_text=memory_of.parent.name)).to_have_count(1)
    lab.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    lab.check()


def test_a_server_that_does_not_answer_is_told(panel: Table) -> None:
    """Or one that does not know the route; what was shown stays, and when it answers again, so does the panel."""
    trouble = panel.root.locator(".mm-trouble")
    for answer, words in (
        (lambda route: route.abort(), "The server does not answer"),
        (lambda route: route.fulfill(status=404, body="<html>"), "The server does not know memory-magic"),
    ):
        panel.page.route("**/api/memory*", answer)
        expect(trouble).to_contain_text(words)
        expect(panel.rows).to_have_count(3)
        panel.note.fill("kept while nobody answers")
        panel.note.press("Enter")
        expect(panel.root.locator(".mm-add .mm-problem")).to_contain_text(words)
        expect(panel.note).to_have_value("kept while nobody answers")
        panel.page.unroute("**/api/memory*")
        expect(trouble).to_be_hidden()
    panel.note.fill("")


def test_who_does_not_open_it_notices_nothing(fresh: Window, server: Server, memory_of: Path) -> None:
    """Nothing is asked of the memory, and of the panel no more is loaded than its entry; hidden again, it stops."""
    asked: list[str] = []
    fresh.page.on("request", lambda request: asked.append(request.url))
    load(fresh, server)
    named = [url for url in asked if "memory" in url]
    assert [url for url in named if "remoteEntry" not in url and "/api/settings/" not in url] == []
    opened(fresh, server, memory_of)
    fresh.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    expect(fresh.page.locator(PANEL)).to_be_hidden()
    asked.clear()
    fresh.page.wait_for_timeout(2_500)  # longer than it would be between two looks
    assert [url for url in asked if "api/memory" in url] == []
    fresh.check()


@pytest.mark.parametrize("broken", ["remoteEntry.*.js", "*/table.js"])
def test_if_it_fails_jupyterlab_starts_as_always(fresh: Window, server: Server, broken: str) -> None:
    """Its script or its table may be anything: the page is there, and so are its commands."""
    body = "throw new Error('broken')" if "remote" in broken else "export {"
    script = {"content_type": "text/javascript", "body": body}
    fresh.page.route(f"**/memory-magic/static/{broken}", lambda route: route.fulfill(**script))
    load(fresh, server)
    assert fresh.page.evaluate("() => window.jupyterapp.commands.hasCommand('notebook:create-new')")
    if "table" in broken:
        fresh.page.evaluate("() => { window.jupyterapp.commands.execute('memory-magic:open'); }")
        expect(fresh.page.get_by_text("The panel could not be loaded; load the page again")).to_be_visible()


CHECK = """async (panel) => {
  const found = await axe.run(panel, {resultTypes: ["violations"]});
  return found.violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}"""
PLANTED = '<div><p style="color:#999;background:#aaa">pale</p><input><button></button></div>'


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_there_is_no_violation_of_accessibility(panel: Table, theme: str) -> None:
    """By axe-core, contrast included; planted faults are found by the same run."""
    page, root = panel.page, panel.page.locator(PANEL)
    page.evaluate(THEME, theme)
    try:
        expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)
        page.add_style_tag(content="html, body { height: 100vh !important }")  # else contrast is never looked at
        page.evaluate(AXE_SCRIPT)
        assert root.evaluate(CHECK) == []
        panel.button("More fields").click()
        panel.value("Likes", "body").click()
        panel.note.fill("é" * 501)
        panel.note.press("Enter")
        expect(panel.root.locator(".mm-add .mm-problem")).to_be_visible()
        assert root.evaluate(CHECK) == []
        panel.note.fill("")
        panel.button("Fewer fields").click()
        root.evaluate("(panel, html) => panel.insertAdjacentHTML('beforeend', html)", PLANTED)
        found = "\n".join(root.evaluate(CHECK))
        assert all(f"{fault}: " in found for fault in ("color-contrast", "label", "button-name"))
        root.evaluate("(panel) => panel.lastElementChild.remove()")
    finally:
        page.evaluate(THEME, "JupyterLab Light")
