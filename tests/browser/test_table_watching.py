"""The table in JupyterLab beside other writers: what they change appears, what is being typed stays, and nothing is lost."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

import pytest
from playwright.sync_api import expect

from memory_magic import Store

FACTS = """
## Likes tea
<!-- id: m-000001 · created: 2026-01-01T00:00:00Z · updated: 2026-01-02T00:00:00Z -->

Green only

## Uses pnpm
<!-- id: m-000002 · created: 2026-01-01T00:00:00Z · updated: 2026-01-01T00:00:00Z -->
"""


def test_what_others_write_appears_by_itself(show: Any) -> None:
    """Another process, and a text editor: within a second, by the table's own watching."""
    table = show(FACTS)
    Store(table.notebook.memory).remember("from another process")
    expect(table.row("from another process")).to_have_count(1, timeout=1_500)
    table.notebook.memory.write_text(table.text.replace("Green only", "Oolong"))
    expect(table.row("Oolong")).to_have_count(1, timeout=1_500)
    Store(table.notebook.memory).forget("m-000002")
    expect(table.row("Uses pnpm")).to_have_count(0, timeout=1_500)


def test_a_change_elsewhere_disturbs_nobody_who_types(show: Any) -> None:
    """Focus, caret and what is half typed stay, in the field that adds and in one that is open; so does the row."""
    table = show(FACTS)
    state = "() => [document.activeElement.value, document.activeElement.selectionStart]"
    table.note.fill("half typed")
    table.note.press("Home")
    table.page.keyboard.press("ArrowRight")
    Store(table.notebook.memory).remember("first change")
    expect(table.row("first change")).to_have_count(1)
    assert table.page.evaluate(state) == ["half typed", 1]
    table.value("Likes", "body").click()
    table.control("body").fill("half an edit")
    table.control("body").press("Home")
    place = table.row("Likes").bounding_box()["y"]
    Store(table.notebook.memory).amend("m-000002", title="Uses uv")
    expect(table.row("Uses uv")).to_have_count(1)
    assert table.page.evaluate(state) == ["half an edit", 0]
    assert table.row("Likes").bounding_box()["y"] == place
    expect(table.note).to_have_value("half typed")
    table.control("body").press("Enter")
    expect(table.value("Likes", "body")).to_have_text("half an edit")
    assert "first change" in table.text
    assert "Uses uv" in table.text


def test_an_added_fact_and_an_edit_here_are_both_kept(show: Any) -> None:
    """Another kernel adds b, then a is edited in the table."""
    table = show(FACTS)
    Store(table.notebook.memory).remember("b")
    table.edit("Likes", "body", "Edited")
    expect(table.value("Likes", "body")).to_have_text("Edited")
    assert "## b\n" in table.text
    assert "\nEdited\n" in table.text


@pytest.mark.parametrize(
    ("choice", "kept", "gone"), [("Save mine", "Mine", "Theirs"), ("Keep the file’s", "Theirs", "Mine")]
)
def test_an_edit_of_a_fact_that_changed_meanwhile_is_a_choice(show: Any, choice: str, kept: str, gone: str) -> None:
    """Refused at first, with both values; the person says which one counts."""
    table = show(FACTS)
    table.value("Likes", "body").click()
    table.control("body").fill("Mine")
    Store(table.notebook.memory).amend("m-000001", body="Theirs")
    expect(table.root.locator(".mm-editor .mm-hint")).to_have_text(re.compile("in the file now: Theirs$"))
    table.control("body").press("Enter")
    problem = table.root.locator(".mm-problem:visible")
    expect(problem).to_contain_text("has changed since you looked at it")
    expect(problem).to_contain_text("In the file: Theirs")
    expect(problem).to_contain_text("Yours: Mine")
    assert "Theirs" in table.text
    assert "Mine" not in table.text
    table.button(choice).click()
    expect(table.value("Likes", "body")).to_have_text(kept)
    assert kept in table.text
    assert gone not in table.text


def test_two_tables_that_edit_one_fact(show_alone: Any) -> None:
    """From the same version: the second is told, with both values, and nothing is lost."""
    table = show_alone(FACTS)
    table.notebook.run("import memory_magic\nmemory_magic.table()")
    first, other = (table.root.nth(place) for place in (0, 1))
    expect(other).to_have_attribute("data-complete", "true")
    staying = "(editor) => editor.addEventListener('focusout', (event) => event.stopImmediatePropagation(), true)"
    for root, text in ((first, "one"), (other, "two")):
        root.locator("tr", has_text="Likes").locator("[data-field=title]").click()
        root.locator(".mm-editor-title input").fill(text)
        root.locator(".mm-editor-title").evaluate(staying)  # as in two windows: neither is left
    first.locator(".mm-editor-title input").press("Enter")
    expect(first.locator("tr", has_text="one")).to_have_count(1)
    other.locator(".mm-editor-title input").press("Enter")
    expect(other.locator(".mm-problem:visible")).to_contain_text("In the file: one")
    expect(other.locator(".mm-problem:visible")).to_contain_text("Yours: two")
    assert "## one\n" in table.text
    other.get_by_role("button", name="Save mine").click()
    expect(first.locator("tr", has_text="two")).to_have_count(1)
    assert "## two\n" in table.text


def test_what_is_forgotten_elsewhere_while_it_is_edited_is_not_lost(show: Any) -> None:
    """What was typed stays, and can become a new fact."""
    table = show(FACTS)
    table.value("Likes", "body").click()
    table.control("body").fill("What I typed")
    Store(table.notebook.memory).forget("m-000001")
    expect(table.root.locator(".mm-editor .mm-hint")).to_have_text("Forgotten elsewhere meanwhile")
    table.control("body").press("Enter")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text("forgotten elsewhere")
    table.button("Add it as a new fact").click()
    expect(table.row("What I typed")).to_have_count(1)
    assert re.search(r"## Likes tea\n.*\n\nWhat I typed\n", table.text)


def test_a_row_that_was_changed_is_not_forgotten_unseen(show_alone: Any) -> None:
    """Forgetting says which state of the fact is meant."""
    table = show_alone(FACTS)
    table.notebook.kernel("import memory_magic.notebook.watch as watch; watch._SECONDS = 600")
    table.page.wait_for_timeout(600)  # the look that was due already
    Store(table.notebook.memory).amend("m-000001", body="Something quite different")
    table.do("Likes", "forget")
    expect(table.message).to_contain_text("has changed since you looked at it")
    expect(table.row("Something quite different")).to_have_count(1)
    assert "Something quite different" in table.text


def test_a_file_that_cannot_be_read_is_told(show: Any) -> None:
    """What is shown stays, as from before; nothing is replaced by an empty memory, and it recovers by itself."""
    table = show(FACTS)
    data = b"\xff\xfe" + FACTS.encode()
    table.notebook.memory.write_bytes(data)
    trouble = table.root.locator(".mm-trouble")
    expect(trouble).to_contain_text("not UTF-8")
    expect(table.rows).to_have_count(2)
    table.note.fill("into a broken file")
    table.note.press("Enter")
    expect(table.root.locator(".mm-add .mm-problem")).to_contain_text("not UTF-8")
    assert table.notebook.memory.read_bytes() == data
    table.notebook.memory.write_text(FACTS)
    expect(trouble).to_be_hidden()


def test_a_file_cut_in_half_is_shown_as_it_is(show: Any) -> None:
    """And never filled or emptied by us."""
    table = show(FACTS)
    half = FACTS[: FACTS.index("## Uses pnpm")]
    table.notebook.memory.write_text(half)
    expect(table.rows).to_have_count(1)
    assert table.text == half


def test_conflict_markers_are_told_and_nothing_is_written(show: Any) -> None:
    """Until they are resolved."""
    memory = f"<<<<<<< HEAD\n{FACTS}\n=======\n>>>>>>> other\n"
    table = show(memory)
    expect(table.root.locator(".mm-notices")).to_contain_text("Git conflict markers (line 1)")
    table.edit("Likes", "title", "New")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text("conflict markers")
    expect(table.button("Save mine")).to_have_count(0)  # there is nothing to choose
    assert table.text == memory


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no modes as on POSIX")
def test_a_file_made_read_only_keeps_its_old_value(show: Any) -> None:
    """The error is in the table, in one sentence; Escape brings the old value back."""
    table = show(FACTS)
    table.notebook.memory.chmod(0o444)
    table.edit("Likes", "title", "New")
    expect(table.root.locator(".mm-problem:visible")).to_contain_text("it is read-only here")
    assert table.text == FACTS
    table.control("title").press("Escape")
    expect(table.value("Likes", "title")).to_have_text("Likes tea")
    table.do("Likes", "forget")
    expect(table.message).to_contain_text("it is read-only here")
    assert table.text == FACTS


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be stopped here")
def test_a_kernel_that_does_not_answer_is_told_and_the_change_waits_for_it(show_alone: Any) -> None:
    """After a few seconds; then what was done is done."""
    table = show_alone(FACTS)
    process = int(table.notebook.kernel("import os", "os.getpid()"))
    os.kill(process, signal.SIGSTOP)  # a newer front end reaches a kernel that is merely busy
    try:
        table.edit("Likes", "title", "Later")
        expect(table.message).to_contain_text("the kernel is busy")
        assert table.text == FACTS
    finally:
        os.kill(process, signal.SIGCONT)
    expect(table.value("Later", "title")).to_be_visible()
    assert "## Later\n" in table.text


def test_refreshes_leak_nothing(show_alone: Any) -> None:
    """5,000 facts and 200 changes: the rows of the page, its elements, and the widgets of the kernel stay as many."""
    many = "".join(f"## fact {number}\n<!-- id: m-{number:06x} -->\n\n" for number in range(5_000))
    table = show_alone(many)
    table.notebook.kernel("import memory_magic.notebook.watch as watch; watch._SECONDS = 0.01")
    widgets = "len(ipywidgets.Widget.get_manager_state()['state'])"
    as_many = table.notebook.kernel("import ipywidgets", widgets)
    count = "() => document.querySelectorAll('.memory-magic-table *').length"
    before = table.page.evaluate(count)
    shown = "(text) => [...document.querySelectorAll('.mm-title')].some((title) => title.textContent === text)"
    for number in range(200):
        table.notebook.memory.write_text(many.replace("## fact 0\n", f"## change {number}\n"))
        table.page.wait_for_function(shown, arg=f"change {number}", polling="raf")
    expect(table.rows).to_have_count(50)
    assert table.page.evaluate(count) == before
    assert table.notebook.kernel("", widgets) == as_many
