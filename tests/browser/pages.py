"""A notebook that is open in JupyterLab or in Notebook 7, and the table in it."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from browsing import Server, Window
from playwright.sync_api import expect

SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden) .memory-magic-table"

OPEN = """async (path) => {
  const app = window.jupyterapp;
  const panel = await app.commands.execute("docmanager:open", {path, factory: "Notebook", kernel: {name: "python3"}});
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.revealed;
}"""
RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
ACTIVATE = "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', {path}); }"
CLOSE = """async (path) => {
  const app = window.jupyterapp;
  for (const widget of [...app.shell.widgets("main")]) {
    if (!widget.context || (path && widget.context.path !== path)) continue;
    await widget.sessionContext.shutdown();
    await widget.context.save();
    widget.dispose();
  }
}"""


class Table:
    """The table of the last output, as a person sees it, and the memory file that it shows."""

    def __init__(self, notebook: Notebook, root: Any) -> None:
        self.notebook, self.page, self.root = notebook, notebook.page, root
        expect(root).to_have_attribute("data-complete", "true")
        self.note = root.get_by_label("A fact to remember")
        self.filter = root.get_by_label("Filter the facts")
        self.rows = root.locator("tbody tr")
        self.count, self.message = root.locator(".mm-count"), root.locator(".mm-message")

    @property
    def text(self) -> str:
        """The memory file as it is now."""
        return self.notebook.text

    def row(self, text: str) -> Any:
        """Give the row that holds a text."""
        return self.rows.filter(has_text=text)

    def value(self, row: str, field: str) -> Any:
        """Give what opens the editor of a field."""
        return self.row(row).locator(f"[data-field={field}]")

    def control(self, field: str) -> Any:
        """Give the open control of a field."""
        return self.root.locator(f".mm-editor-{field} > :is(input, select, textarea)").first

    def do(self, row: str, action: str) -> None:
        """Press a button of a row."""
        self.row(row).locator(f"[data-action={action}]").click()

    def edit(self, row: str, field: str, value: str, key: str = "Enter") -> None:
        """Type a value into a field, and press a key."""
        self.value(row, field).click()
        control = self.control(field)
        control.select_option(value) if field == "category" else control.fill(value)
        control.press(key)

    def button(self, name: str) -> Any:
        """Give a button by its name."""
        return self.root.get_by_role("button", name=name, exact=True)

    def titles(self) -> list[str]:
        """Give what the rows begin with, in their order."""
        return [text.split("\n")[0] for text in self.rows.locator(".mm-fact").all_inner_texts()]


class Notebook:
    """A notebook in JupyterLab, its cells run, and the memory file that its kernel uses."""

    def __init__(self, window: Window, server: Server, memory: Path) -> None:
        self.window, self.page, self.server, self.memory = window, window.page, server, memory
        self.name = f"{secrets.token_hex(4)}.ipynb"

    def write(self, *cells: str) -> None:
        """Write the notebook's file; the first cell names the memory."""
        first = f"import os\nos.environ['MEMORY_MAGIC_PATH'] = {str(self.memory)!r}\n%load_ext memory_magic"
        made = [
            {
                "cell_type": "code",
                "id": f"cell-{n}",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "source": s,
            }
            for n, s in enumerate((first, *cells))
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        text = json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})
        (self.server.folder / self.name).write_text(text)

    def open(self, *cells: str) -> Any:
        """Open a notebook with these cells in JupyterLab and run them; gives the page."""
        self.write(*cells)
        self.page.evaluate(OPEN, self.name)
        self.page.evaluate(RUN)
        return self.page

    def close(self) -> None:
        """Save it, and end its kernel."""
        self.page.evaluate(CLOSE, self.name)

    def reopen(self) -> None:
        """Open it again, with a new kernel in which nothing has been run."""
        self.page.evaluate(OPEN, self.name)

    def run(self, source: str) -> None:
        """Add a cell at the end and run it."""
        script = """(source) => {
          const {content} = window.jupyterapp.shell.currentWidget;
          content.model.sharedModel.addCell({cell_type: "code", source});
          content.activeCellIndex = content.widgets.length - 1;
          return window.jupyterapp.commands.execute("notebook:run-cell");
        }"""
        self.page.evaluate(script, source)

    def show(self, memory: str = "", line: str = "") -> Table:
        """Write a memory, show its table in a new notebook, and wait until all rows are there."""
        if memory:
            self.memory.write_text(memory, "utf-8")
        return Table(self, self.open(f"%memory table {line}").locator(SHOWN))

    def show_in_notebook7(self, memory: str) -> Table:
        """Show the table of a memory in Notebook 7."""
        self.memory.write_text(memory, "utf-8")
        self.write("%memory table")
        self.page.goto(f"{self.server.url}/notebooks/{self.name}?token={self.server.token}")
        self.page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel")
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.ready")
        self.page.evaluate(RUN)
        return Table(self, self.page.locator(SHOWN))

    def show_again(self, memory: str = "", line: str = "") -> Table:
        """Do the same in the notebook and the kernel that are there already, whose last cell is replaced."""
        if memory:
            self.memory.write_text(memory, "utf-8")
        self.kernel(f"os.environ['MEMORY_MAGIC_PATH'] = {str(self.memory)!r}")
        script = """(source) => {
          const {content} = window.jupyterapp.shell.currentWidget;
          while (content.model.cells.length > 1) content.model.sharedModel.deleteCell(1);
        }"""
        self.page.evaluate(script)
        self.run(f"%memory table {line}")
        return Table(self, self.page.locator(SHOWN))

    def ids(self) -> list[str]:
        """Give the ids of the cells as they are now."""
        script = "() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map((cell) => cell.id)"
        return list(self.page.evaluate(script))

    @property
    def text(self) -> str:
        """The memory file as it is now; empty where there is none."""
        return self.memory.read_text("utf-8") if self.memory.exists() else ""

    def kernel(self, code: str, value: str = "None") -> str:
        """Run code in the notebook's kernel, wait for its end, and give a value then, as text."""
        script = """async ([code, value]) => {
          const {kernel} = window.jupyterapp.shell.currentWidget.sessionContext.session;
          const {content} = await kernel.requestExecute({code, user_expressions: {value}}).done;
          if (content.status !== "ok") throw new Error(content.evalue);
          return content.user_expressions.value.data["text/plain"];
        }"""
        return str(self.page.evaluate(script, [code, value]))
