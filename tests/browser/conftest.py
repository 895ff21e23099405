"""What the browser tests share: one JupyterLab and one Chromium for the run, and a notebook of its own for each test."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, FLAGS, Server, Window
from pages import ACTIVATE, CLOSE, Notebook, Table


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder where there is no browser, but never where all checks must run."""
    if CHROMIUM is None and os.environ.get("CI") != "true":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium is installed (chromium, google-chrome)"))


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
