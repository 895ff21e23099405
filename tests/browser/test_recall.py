"""The result of ``%recall`` as people see it: in JupyterLab, in both themes, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

THEMES = ("JupyterLab Light", "JupyterLab Dark")
LONG = " ".join(f"word{number}" for number in range(400))
MEMORY = f"""## Production server
<!-- id: m-4d5e6f · key: prod_server_ip · category: technical · confidence: 95 · expires: 2099-01-01 -->

Production runs on 192.168.1.168

## How we deploy
<!-- id: m-c0ffee · confidence: 40 · expires: {{soon}} · category: wiki -->

{LONG}

## שלום <img src=x onerror="window.__xss=1">
<!-- id: m-000003 · context: <script>window.__xss=1</script> -->

$x^2$ \u202eevil
"""
# The lowest contrast of any text in the result with what is behind it (WCAG 2.2, 1.4.3), and the text. The themes dim
# texts by making them transparent, so that what is seen is a mixture.
CONTRAST = """root => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  let worst = [99, ""];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("style,.mm-bar")) continue;
    const [text, ground] = [channels(getComputedStyle(element).color), behind(element)];
    const seen = text.slice(0, 3).map((v, i) => v * (text[3] ?? 1) + ground[i] * (1 - (text[3] ?? 1)));
    const [one, other] = [seen, ground].map(light);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < worst[0]) worst = [ratio, walker.currentNode.data];
  }
  return worst;
}"""


@pytest.fixture
def recalled(notebook: Any) -> Callable[[], Any]:
    """Give a function that shows what ``%recall`` finds in a memory."""

    def show() -> Any:
        from datetime import UTC, datetime, timedelta

        soon = datetime.now(UTC) + timedelta(days=6, minutes=5)
        notebook.memory.write_text(MEMORY.format(soon=f"{soon:%Y-%m-%dT%H:%M:%SZ}"), "utf-8")
        root = notebook.open("%recall").locator(".jp-NotebookPanel:not(.lm-mod-hidden) .memory-magic")
        root.wait_for()
        return root

    return show


@pytest.fixture
def theme(notebook: Any) -> Any:
    """Give a function that changes the theme; it is light again afterwards."""

    def change(name: str) -> None:
        script = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        notebook.page.evaluate(script, name)
        notebook.page.wait_for_selector(f'body[data-jp-theme-name="{name}"]', state="attached")
        notebook.page.locator("#jupyterlab-splash").wait_for(state="detached")

    yield change
    change(THEMES[0])


def test_a_text_that_is_too_dim_is_found(recalled: Callable[[], Any]) -> None:
    """What looks for the lowest contrast sees how transparent a text is, or it would call all of them black."""
    root = recalled()
    root.locator(".mm-why").first.evaluate("element => { element.style.color = 'rgba(0, 0, 0, .4)'; }")
    assert root.evaluate(CONTRAST)[0] < 3


@pytest.mark.parametrize("name", THEMES)
def test_every_text_can_be_read(recalled: Callable[[], Any], theme: Callable[[str], None], name: str) -> None:
    """With a contrast of at least 4.5, in the light and in the dark."""
    root = recalled()
    theme(name)
    ratio, text = root.evaluate(CONTRAST)
    assert ratio >= 4.5, text


def test_confidence_and_expiry_are_seen_at_a_glance(recalled: Callable[[], Any]) -> None:
    """As a bar of its length, and in words."""
    root = recalled()
    bar = root.locator(".mm-bar").last
    assert "expires" not in root.locator("thead").inner_text()
    assert "40 %, low" in root.inner_text()
    assert "in 6 days" in root.inner_text()
    assert bar.bounding_box()["height"] <= 6


def test_a_long_text_opens_and_closes_by_keyboard(recalled: Callable[[], Any], notebook: Any) -> None:
    """The whole of it is there then, and the notebook's cells stay as they were."""
    root, before = recalled(), notebook.ids()
    assert "word399" not in root.inner_text()
    root.locator("summary").focus()
    notebook.page.keyboard.press("Enter")
    assert "word399" in root.inner_text()
    for key in ("x", "a", "b", "d", "d", "Enter"):
        notebook.page.keyboard.press(key)
    assert "word399" not in root.inner_text()
    assert notebook.ids() == before


def test_one_click_selects_an_id(recalled: Callable[[], Any], notebook: Any) -> None:
    """To be copied, alone and whole."""
    root = recalled()
    root.get_by_text("m-4d5e6f", exact=True).click()
    assert notebook.page.evaluate("() => getSelection().toString()") == "m-4d5e6f"


def test_no_text_is_markup_or_mathematics(recalled: Callable[[], Any]) -> None:
    """It stands there as it was stored."""
    root = recalled()
    assert '<img src=x onerror="window.__xss=1">' in root.inner_text()
    assert "<script>window.__xss=1</script>" in root.inner_text()
    assert "$x^2$" in root.inner_text()
    assert root.locator("img, script, mjx-container").count() == 0


@pytest.mark.parametrize("size", [1250, 600])
def test_nothing_is_cut_off(recalled: Callable[[], Any], notebook: Any, size: int) -> None:
    """Wide or narrow, each id stands in one line inside of the output."""
    root = recalled()
    notebook.page.set_viewport_size({"width": size, "height": 900})
    try:
        area = root.bounding_box()
        for box in (each.bounding_box() for each in root.locator("code.mm-id").all()):
            assert box["x"] + box["width"] <= area["x"] + area["width"] + 1
            assert box["height"] < 24
        assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
    finally:
        notebook.page.set_viewport_size({"width": 1280, "height": 900})
