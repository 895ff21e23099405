"""What the browser tests share: one JupyterLab and one Chromium for the run, and a notebook of its own for each test."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    f"--{name}"
    for name in (
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
    )
]
LOOPBACK = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
# Notebook 7.6 throws it by itself, without any extension.
KNOWN_ERRORS = ("Cannot read properties of undefined (reading 'schema')",)

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder where there is no browser, but never where all checks must run."""
    if CHROMIUM is None and os.environ.get("CI") != "true":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium is installed (chromium, google-chrome)"))


class Server:
    """A running Jupyter server with a home of its own; its kernels see ``environment``."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder, self.token = home, home / "notebooks", secrets.token_hex(16)
        self.folder.mkdir()
        self.state = home / "state"
        environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(self.state)}
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_CONFIG_HOME"):
            (home / name.lower()).mkdir()
            environment[name] = str(home / name.lower())
        environment.pop("JUPYTER_PLATFORM_DIRS", None)
        settings = home / "jupyter_config_dir" / "lab" / "user-settings" / "@jupyterlab"
        for name, values in (
            ("apputils-extension/notification", {"fetchNews": "false", "checkForUpdates": False}),
            ("notebook-extension/tracker", {"windowingMode": "none"}),
            ("../@jupyter-widgets/jupyterlab-manager/plugin", {"saveState": True}),
        ):
            file = settings / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root"]
        command += [f"--IdentityProvider.token={self.token}", "--LabApp.expose_app_in_browser=True"]
        command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
        command += [f"--ServerApp.root_dir={self.folder}", "--KernelManager.shutdown_wait_time=0.5"]
        self.log = (home / "server.log").open("wb")
        self.process = subprocess.Popen(command, env=environment, cwd=home, stdout=self.log, stderr=self.log)
        self.url = self._url(home / "jupyter_runtime_dir")

    def _url(self, runtime: Path) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for file in runtime.glob("jpserver-*.json"):
                if text := file.read_text():
                    return f"http://127.0.0.1:{json.loads(text)['port']}"
            time.sleep(0.1)
        raise RuntimeError((self.home / "server.log").read_text())

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


@pytest.fixture(scope="session")
def server(own_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give one Jupyter server for the run."""
    assert CHROMIUM is not None, "no Chromium is installed, and the checks need one"
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Give one headless Chromium for the run."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Window:
    """A page of the browser, with all that went wrong in it and all that it asked for elsewhere."""

    def __init__(self, browser: Any, url: str, scale: float = 1) -> None:
        size = {"width": 1280, "height": 900}
        self.context = browser.new_context(viewport=size, device_scale_factor=scale, accept_downloads=False)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.context.route("**/*", self._route)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.goto(url)

    def _route(self, route: Any) -> None:
        if self._note(route.request.url):
            route.continue_()
        else:
            route.abort()

    def _note(self, url: str) -> bool:
        if not url.startswith(LOOPBACK):
            self.outside.append(url)
            return False
        return True

    def check(self) -> None:
        """See that nothing went wrong, nothing left the machine, and no text ran as a script."""
        errors = [error for error in self.errors if not any(known in error for known in KNOWN_ERRORS)]
        outside, xss = list(self.outside), self.page.evaluate("window.__xss")
        self.errors.clear(), self.outside.clear()
        assert (errors, outside, xss) == ([], [], None)


@pytest.fixture
def notebook7(server: Server, browser: Any, tmp_path: Path) -> Iterator[Notebook]:
    """Give a notebook to open in Notebook 7, in a window of its own; it takes the address of the notebook."""
    window = Window(browser, "about:blank")
    opened = Notebook(window, server, tmp_path / "MEMORY.md")
    yield opened
    window.page.evaluate(CLOSE, opened.name)
    window.check()
    window.context.close()


@pytest.fixture(scope="session")
def lab(server: Server, browser: Any) -> Iterator[Window]:
    """Give JupyterLab, loaded once."""
    window = Window(browser, f"{server.url}/lab?token={server.token}")
    window.page.wait_for_function("() => window.jupyterapp?.restored", timeout=60_000)
    window.page.evaluate("() => window.jupyterapp.restored.then(() => {})")
    window.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    yield window
    window.context.close()


class Table:
    """The table of the last output, as a person sees it, and the memory file that it shows."""

    def __init__(self, notebook: Notebook, root: Any) -> None:
        from playwright.sync_api import expect

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


@pytest.fixture
def notebook(lab: Window, server: Server, tmp_path: Path) -> Iterator[Notebook]:
    """Give a notebook to open in JupyterLab; afterwards its kernel ends, and nothing may have gone wrong."""
    opened = Notebook(lab, server, tmp_path / "MEMORY.md")
    yield opened
    opened.close()
    lab.check()


@pytest.fixture
def show_alone(notebook: Notebook) -> Callable[..., Table]:
    """Give a function that shows the table of a memory in a notebook with a kernel of its own."""
    return notebook.show


@pytest.fixture(scope="module")
def shared(lab: Window, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    """Give one open notebook for the tests of a file that leave the kernel as it was."""
    opened = Notebook(lab, server, tmp_path_factory.mktemp("shared") / "MEMORY.md")
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def show(lab: Window, shared: Notebook, tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Give a function that shows the table of a memory; the notebook and its kernel are those of the test before."""
    shared.memory = tmp_path / "MEMORY.md"
    lab.page.evaluate(ACTIVATE, shared.name)
    yield shared.show_again
    lab.check()


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Give a function that waits until something holds, for 10 seconds at most."""

    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < deadline, "it did not come to hold"
            time.sleep(0.05)

    return wait
