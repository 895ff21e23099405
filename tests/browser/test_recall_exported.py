"""The result of ``%recall`` in a page that nbconvert exports, and in a viewer that takes out all style."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import nbformat
import pytest
from test_recall import CONTRAST, LONG

from memory_magic.fact import Fact
from memory_magic.results import Found

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
SOON, OVER = NOW + timedelta(days=6), NOW - timedelta(days=3)
FACTS = (
    Fact("m-4d5e6f", "Production server", "Production runs here", "technical", "prod_server_ip", expires=SOON),
    Fact("m-c0ffee", "How we deploy", LONG, confidence=40, expires=OVER, flags=("category is wiki",)),
    Fact("m-7a11e5", "Checks", "uv sync          # what is needed\npytest -q        # the tests", "projects"),
    Fact("m-000003", "Price", "$x^2$ <img src=x onerror=window.__xss=1>\nsecond line"),
)
SHOWN = Found(FACTS, len(FACTS), NOW)


@pytest.fixture
def show(browser: Any) -> Iterator[Callable[..., Any]]:
    """Give a function that shows a page without any network, and gives what is in it."""
    context = browser.new_context(offline=True)

    def page(text: str, width: int = 1000) -> Any:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.set_content(text, wait_until="domcontentloaded")
        return page

    yield page
    assert [page.evaluate("window.__xss") for page in context.pages] == [None] * len(context.pages)
    context.close()


def exported(template: str, theme: str) -> str:
    """Give a notebook with the result as a page of HTML."""
    from nbconvert import HTMLExporter

    data = {"text/plain": repr(SHOWN), "text/html": SHOWN._repr_html_()}
    output = nbformat.v4.new_output("execute_result", data, execution_count=1)
    cell = nbformat.v4.new_code_cell("%recall", outputs=[output], execution_count=1)
    exporter = HTMLExporter(template_name=template, theme=theme)
    return str(exporter.from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))[0])


@pytest.mark.parametrize("width", [1000, 600])
@pytest.mark.parametrize(("template", "theme"), [("lab", "light"), ("lab", "dark"), ("classic", "light")])
def test_every_text_of_an_export_can_be_read(show: Any, template: str, theme: str, width: int) -> None:
    """Whatever the template and its colours: contrast of at least 4.5, each id in one line, nothing cut off."""
    root = show(exported(template, theme), width).locator(".memory-magic")
    ratio, text = root.evaluate(CONTRAST)
    assert ratio >= 4.5, text
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
    assert all(each.bounding_box()["height"] < 24 for each in root.locator("code.mm-id").all())


def test_a_long_text_opens_in_an_export(show: Any) -> None:
    """There is no kernel to ask, and no script is needed."""
    root = show(exported("lab", "light")).locator(".memory-magic")
    assert "word399" not in root.inner_text()
    root.locator("summary").focus()
    root.page.keyboard.press("Enter")
    assert "word399" in root.inner_text()


def test_nothing_but_the_markup_is_needed_to_read_it(show: Any) -> None:
    """A viewer that takes out style, classes and attributes shows a table in which each line and column has its place."""
    html = re.sub(r"<style>.*?</style>", "", SHOWN._repr_html_(), flags=re.DOTALL)
    root = show(re.sub(r"(<\w+) [^<>]*>", r"\1>", html)).locator("body")
    rows = [re.split(r"\s*\t\s*", row.inner_text()) for row in root.locator("tbody tr").all()]
    assert [row[1] for row in rows[:2]] == ["technical\nprod_server_ip", "other"]
    assert [re.sub(r"\s+", " ", row[2]) for row in rows[:2]] == ["70 % ■■■□□", "40 %, low ■■□□□"]
    assert [row[4:] for row in rows[:2]] == [["in 6 days", "m-4d5e6f"], ["expired 3 days ago", "m-c0ffee"]]
    assert "! category is wiki" in rows[1][0]
    assert "word399" not in rows[1][0]
    assert "uv sync          # what is needed\npytest -q        # the tests" in rows[2][0]
    assert "$x^2$ <img src=x onerror=window.__xss=1>\nsecond line" in rows[3][0]
