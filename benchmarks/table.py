"""The table at 10,000 facts: its first row painted beside that of 200, and an edit beside a bare durable write.

Run from the repository: ``python benchmarks/table.py [FACTS]``. The first is measured in JupyterLab, with a Chromium
and the extra ``test``, from the cell that is run, in a kernel that has loaded the extension and nothing more; it is
left out where there is no Chromium. Both sides of a ratio are measured in turns, in one run; the figure is the median
of the ratios. The aims are at most 1.5 and 6.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

from browsing import CHROMIUM, FLAGS, Server, Window
from pages import CLOSE, Notebook
from scale import durable_write, in_turns, report, texts, write_memory

from memory_magic import Store
from memory_magic.answers import answer
from memory_magic.fact import TABLE
from memory_magic.notebook.watch import Watch
from memory_magic.settings import MemorySettings

FACTS, FEW, ROUNDS, EDITS = 10_000, 200, 7, 40
# From the cell that is run to the first row that is on the screen, by the clock of the page.
PAINTED = """async (source) => {
  const {content} = window.jupyterapp.shell.currentWidget;
  while (content.model.cells.length > 1) content.model.sharedModel.deleteCell(1);
  content.model.sharedModel.addCell({cell_type: "code", source});
  content.activeCellIndex = 1;
  const shown = () => content.node.querySelector(".memory-magic-table tbody tr");
  while (shown()) await new Promise(requestAnimationFrame);
  const start = performance.now();
  window.jupyterapp.commands.execute("notebook:run-cell");
  while (!shown()) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""


def measure_painting(many: Path, few: Path, home: Path) -> None:
    """Print how much longer the first row takes with many facts."""
    from playwright.sync_api import sync_playwright

    server = Server(home)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        lab = Window(browser, f"{server.url}/lab?token={server.token}")
        lab.page.wait_for_function("() => window.jupyterapp?.restored", timeout=60_000)

        def painted(memory: Path) -> float:
            notebook = Notebook(lab, server, memory)
            notebook.open()
            notebook.kernel("")
            spent = float(lab.page.evaluate(PAINTED, "%memory table"))
            lab.page.evaluate(CLOSE, notebook.name)
            return spent

        painted(few)  # warm
        ratios = []
        for number in range(ROUNDS):
            pair = [painted(path) for path in ((many, few) if number % 2 else (few, many))]
            slow, fast = pair if number % 2 else pair[::-1]
            ratios.append(slow / fast)
            print(f"  {fast:.0f} ms and {slow:.0f} ms")
        report(f"first row painted / with {FEW} facts", ratios, 1.5)
        browser.close()
    server.close()


def measure_edit(path: Path, beside: Path) -> None:
    """Print how an edit, until its answer is ready to be sent, compares with the durable write of as many bytes."""
    store = Store(path, settings=MemorySettings(soft_cap=0)).by(TABLE)
    data = path.read_bytes()
    sent: list[int] = []
    watch = Watch(store, lambda _, state: sent.append(len(json.dumps(state))))
    watch.join("page")
    rows = {fact.id: fact.version for fact in store.facts()}
    ids = list(rows)

    def edit(number: int) -> Callable[[], object]:
        def call() -> object:
            name = ids[number * 97 % len(ids)]
            request = {
                "action": "edit",
                "id": name,
                "version": rows[name],
                "fields": {"body": f"a new value, {number}"},
            }
            said = answer(store, request)
            assert said["ok"], said
            rows[name] = said["rows"][0]["version"]
            return json.dumps(said)

        return call

    while len(watch._rows) < len(ids):
        time.sleep(0.1)
    edit(-1)()
    report(
        "edit / durable write", in_turns([edit(n) for n in range(EDITS)], [lambda: durable_write(beside, data)] * EDITS)
    )
    watch.close()


def main() -> None:
    """Print both ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        many, few = Path(folder, "many", "MEMORY.md"), Path(folder, "few", "MEMORY.md")
        for path, facts in ((many, count), (few, FEW)):
            path.parent.mkdir()
            write_memory(path, texts(facts)[0])
        print(f"{count:,} facts")
        measure_edit(many, Path(folder, "beside.md"))
        if CHROMIUM is None:
            print("no Chromium is installed: nothing is painted")
        else:
            home = Path(folder, "home")
            home.mkdir()
            measure_painting(many, few, home)


if __name__ == "__main__":
    main()
