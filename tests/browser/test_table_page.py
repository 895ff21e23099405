"""The table in a page without Jupyter: its modules as they lie, another transport, and no theme to take colours from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from memory_magic import Store
from memory_magic.answers import answer

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>t</title><link rel="stylesheet" href="/table.css">
<style>html { color-scheme: light dark; %s }</style></head><body><main id="here"></main><script type="module">
import { mount } from "/table.js";
const ask = async (request) => (await fetch("/ask", { method: "POST", body: JSON.stringify(request) })).json();
let seen = "", timer;
window.close_ = mount(document.getElementById("here"), {
  busy: "The server does not answer",
  call: ask,
  open(tell) {
    const look = async () => {
      const said = await ask({ action: "list", seen });
      if (said.ok) tell({ ...said, reset: !seen }), seen = said.seen;
      else tell({ trouble: said.message });
    };
    timer = setInterval(look, 200);
  },
  close() { clearInterval(timer); },
});
</script></body></html>"""
VSCODE = "--vscode-foreground: #ccc; --vscode-editor-background: #1e1e1e; background: #1e1e1e"
FACTS = (
    "## Likes tea\n<!-- id: m-000001 · expires: 2020-01-01 -->\n\nGreen only\n\n## Uses pnpm\n<!-- id: m-000002 -->\n"
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Store, Callable[[str], str]]]:
    """Give a store and a function that serves the table of it over HTTP; it takes the style of the page."""
    store, style = Store(tmp_path / "MEMORY.md"), [""]
    store.path.write_text(FACTS)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/":
                self.give("text/html", PAGE % style[0])
            else:
                kind = {"js": "text/javascript", "css": "text/css"}.get(self.path.rpartition(".")[2], "")
                file = files("memory_magic") / "web" / self.path[1:]
                self.give(kind, file.read_text("utf-8") if kind else "")

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.give("application/json", json.dumps(answer(store, asked)))

        def give(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()

    def address(of_page: str) -> str:
        style[0] = of_page
        return f"http://127.0.0.1:{server.server_port}/"

    yield store, address
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("scheme", "style"), [("light", ""), ("dark", ""), ("dark", VSCODE)], ids=["light", "dark", "vscode"]
)
def test_the_table_needs_neither_widget_nor_theme(browser: Any, served: Any, scheme: str, style: str) -> None:
    """The same module over HTTP: it edits, undoes, follows the file, can be read in any colours, and goes away."""
    store, address = served
    page = browser.new_page(color_scheme=scheme)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address(style))
    rows = page.locator(".memory-magic-table tbody tr")
    expect(rows).to_have_count(2)
    rows.filter(has_text="Green only").locator("[data-field=body]").click()
    page.locator(".mm-editor textarea").fill("Oolong")
    page.locator(".mm-editor textarea").press("Enter")
    expect(rows.filter(has_text="Oolong")).to_have_count(1)
    assert "\nOolong\n" in store.path.read_text()
    store.remember("from elsewhere")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(rows.filter(has_text="Green only")).to_have_count(1)
    assert "\nGreen only\n" in store.path.read_text()
    page.get_by_role("button", name="More fields").click()
    page.evaluate(AXE_SCRIPT)
    script = (
        "axe.run('.memory-magic-table').then(({violations}) => violations.map((one) => one.id + one.nodes[0].html))"
    )
    assert page.evaluate(script) == []
    page.evaluate("window.close_()")
    expect(page.locator(".memory-magic-table")).to_have_count(0)
    assert errors == []
    page.close()
