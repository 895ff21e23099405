"""A frame of facts and its differences as people see them in JupyterLab: texts as they stand, legible in both themes."""

from __future__ import annotations

from typing import Any

import pytest
from test_recall import CONTRAST, THEMES, theme  # noqa: F401 -- a fixture

MEMORY = """## Costs $x^2$ and $y$
<!-- id: m-4d5e6f · confidence: 40 -->

lives in the cellar

## <img src=x onerror="window.__xss=1">
<!-- id: m-c0ffee · context: <script>window.__xss=1</script> -->
"""
EDIT = """df = %memory frame
df = df.astype({"confidence": object})
df.loc["m-4d5e6f", ["body", "confidence"]] = ["lives in the $x^2$ attic $y$", 95]
df.loc["m-c0ffee", ["confidence", "key"]] = ["abc", "<script>window.__xss=1</script>"]"""
SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden)"


def test_a_frame_shows_no_mathematics_and_no_markup(notebook: Any) -> None:
    """What a fact holds is text, also where pandas draws the table."""
    notebook.memory.write_text(MEMORY, "utf-8")
    table = notebook.open("%memory frame").locator(f"{SHOWN} table.dataframe")
    table.wait_for()
    assert "Costs $x^2$ and $y$" in table.inner_text()
    assert '<img src=x onerror="window.__xss=1">' in table.inner_text()
    assert table.locator("img, script, mjx-container").count() == 0


@pytest.mark.parametrize("name", THEMES)
def test_differences_show_what_goes_what_comes_and_what_is_wrong(notebook: Any, theme: Any, name: str) -> None:  # noqa: F811
    """Struck out and underlined, the rule beside the cell, with a contrast of at least 4.5; texts are text."""
    notebook.memory.write_text(MEMORY, "utf-8")
    root = notebook.open(EDIT, "%memory apply --dry-run df").locator(f"{SHOWN} .memory-magic")
    root.wait_for()
    theme(name)
    assert root.locator("del").all_inner_texts()[-2:] == ["cellar", "40"]
    assert "$x^2$ attic $y$" in root.locator("ins").all_inner_texts()
    assert "confidence must be a number from 0 to 100" in root.inner_text()
    assert "<script>window.__xss=1</script>" in root.inner_text()
    assert root.locator("img, script, mjx-container").count() == 0
    assert root.locator("del").first.evaluate("e => getComputedStyle(e).textDecorationLine") == "line-through"
    assert root.locator("ins").first.evaluate("e => getComputedStyle(e).textDecorationLine") == "underline"
    ratio, text = root.evaluate(CONTRAST)
    assert ratio >= 4.5, text
